//! Finished reports as they are: the checker raises no alarm, over eight data sets in three formats.

use research_agents::kernel::evidence::plain;
use research_agents::kernel::report::QuestionStatus;
use research_agents::kernel::{Basis, Claim};
use serde_json::Value;

use crate::data;
use crate::runs::{FORMATS, Finished, finished};

/// Longest value, in characters, that must stand whole in the entry of a source.
const WHOLE: usize = 100;

/// The values that a claim of records is about, by their fields.
fn values(claim: &Claim) -> Vec<(&str, Value)> {
    match claim {
        Claim::Count { over: Basis::Records, field, value: Value::Array(values), .. } => {
            field.split(',').map(str::trim).zip(values.iter().cloned()).collect()
        }
        Claim::Count { over: Basis::Records, field, value, .. } => vec![(field.as_str(), value.clone())],
        Claim::GroupStatistic { by, value, .. } => vec![(by.as_str(), value.clone())],
        Claim::Statistic { field, number, source: Some(_), .. } => vec![(field.as_str(), Value::from(*number))],
        _ => Vec::new(),
    }
}

/// The values that sources are cited for, and those of them that stand neither in the document's nor in the Markdown's entry.
fn shown(run: &Finished) -> (usize, Vec<String>) {
    let document = run.document();
    let (mut cited, mut missing) = (0, Vec::new());
    let claims = document.sentences().into_iter().flat_map(|s| s.claims.iter().map(move |claim| (&s.sources, claim)));
    for (id, claim) in claims.flat_map(|(ids, claim)| ids.iter().map(move |id| (id, claim))) {
        let source = run.evidence.sources.get(id).unwrap();
        let own = |field: &str| source.field(field).cloned().unwrap_or_default();
        let is_own = |(field, value): &(&str, Value)| {
            let own = own(field);
            own == *value || own.as_f64().is_some_and(|own| Some(own) == value.as_f64())
        };
        let parts = values(claim);
        if !parts.iter().all(is_own) {
            continue;
        }
        let entry = document.sources.iter().find(|source| source.id == *id).unwrap();
        let line = run.report.markdown.lines().find(|line| line.starts_with(&format!("- [{id}] "))).unwrap();
        for (field, _) in parts.iter().filter(|(field, _)| plain(&own(field)).chars().count() <= WHOLE) {
            cited += 1;
            let part = format!("{field}: {}", plain(&own(field)));
            let in_document = entry.cited.iter().chain([&entry.snippet]).any(|line| line.as_str().contains(&part));
            let is_plain = !part.contains(['[', ']', '`', '*', '<', '(']);
            if !in_document || (is_plain && !line.contains(&part)) {
                missing.push(format!("{} / {}: [{id}] does not show {part}: {line}", run.data, run.question));
            }
        }
    }
    (cited, missing)
}

/// The sub-questions of a report with their statuses.
fn statuses(run: &Finished) -> Vec<(&str, QuestionStatus)> {
    let parts = run.document().sections.iter().flat_map(|section| &section.sections);
    parts.filter_map(|part| part.question.as_ref()).map(|question| (question.id.as_str(), question.status)).collect()
}

#[tokio::test]
async fn no_sentence_of_a_finished_report_raises_an_alarm() {
    let (mut reports, mut sentences, mut claims, mut shown_values) = (0, 0, 0, 0);
    let mut alarms = Vec::new();
    for data in data::all() {
        let runs = finished(data, &FORMATS).await;
        let known = statuses(&runs[0]);
        // A short report that a computed answer leads lists no questions.
        let is_led =
            |run: &Finished| run.document().sections.iter().any(|section| section.heading.as_str() == "Answer");
        let is_short = |run: &Finished| statuses(run).is_empty() && is_led(run);
        let differs = |run: &&Finished| known.is_empty() || (statuses(run) != known && !is_short(run));
        let differing = runs[..FORMATS.len()].iter().filter(differs);
        alarms.extend(differing.map(|run| format!("{} / {}: {:?}", run.data, run.question, statuses(run))));
        for run in &runs {
            let checker = run.checker();
            reports += 1;
            // What was withheld from a report was an alarm, too: the offline model writes only what holds.
            let withheld = run.report.limitations.iter().find(|line| line.contains("withheld"));
            alarms.extend(withheld.map(|line| format!("{} / {}: {line}", run.data, run.question)));
            alarms.extend(run.report.notes.iter().filter(|note| note.contains("withheld")).cloned());
            let (cited, missing) = shown(run);
            shown_values += cited;
            alarms.extend(missing);
            for sentence in run.sentences() {
                sentences += 1;
                claims += sentence.claims.len();
                if let Err(failure) = checker.verify(sentence) {
                    alarms.push(format!("{} / {}: {failure}: {}", run.data, run.question, sentence.text.as_str()));
                }
            }
        }
    }
    println!("{reports} reports, {sentences} sentences, {claims} claims, {} alarms", alarms.len());
    assert!(alarms.is_empty(), "{} false alarms:\n{}", alarms.len(), alarms.join("\n"));
    assert!(shown_values > 50, "{shown_values} values of records are cited");
    assert!(reports >= 40 && sentences > 150, "{reports} reports with {sentences} sentences");
}
