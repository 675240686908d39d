//! How the question was read, in words for the reader.

use research_agents_report::text::list;

use crate::data::filters::describe_filters;
use crate::data::task::question::conditions::Outcome;
use crate::offline::answer::input::Input;
use crate::offline::answer::words::{label, measure_label, quoted};

/// Meanings of a word that a line names.
const MEANINGS: usize = 6;

/// Returns the lines of “How I read this”: the records, what is computed, the groups, and what is
/// uncertain or was not understood.
pub(crate) fn lines(input: &Input<'_>) -> Vec<String> {
    let meaning = input.meaning;
    let mut lines = Vec::new();

    let filters = describe_filters(&meaning.filters);
    let searches = input
        .searched()
        .map(|search| format!("a text mentions {}", quoted(&search.text)));
    let records: Vec<String> = [filters]
        .into_iter()
        .filter(|part| !part.is_empty())
        .chain(searches)
        .collect();
    lines.push(if records.is_empty() {
        "Records: all.".to_owned()
    } else {
        format!("Records: {}.", records.join(" and "))
    });

    let mut computed: Vec<String> = meaning
        .measures
        .iter()
        .map(|measure| measure_label(measure.function, &measure.field))
        .collect();
    if !meaning.part.is_empty() {
        computed.push(format!("the part with {}", describe_filters(&meaning.part)));
    }
    if !computed.is_empty() {
        lines.push(format!("Computed: {}.", list(&computed)));
    }
    let groups: Vec<String> = meaning.group_by.iter().map(|field| label(field)).collect();
    if !groups.is_empty() {
        lines.push(format!("Groups: {}.", list(&groups)));
    }
    if let Some(course) = &meaning.histogram {
        lines.push(format!(
            "Over time: {} by {}.",
            label(&course.field),
            course.interval
        ));
    }

    for condition in &meaning.conditions {
        match &condition.outcome {
            Outcome::NotApplied { why } => {
                lines.push(format!("Not applied: {} ({why}).", quoted(&condition.said)));
            }
            Outcome::Ambiguous { fields } => lines.push(format!(
                "{} fits several fields: {}; the first is taken.",
                quoted(&condition.said),
                list(fields)
            )),
            Outcome::Applied { .. } => {}
        }
    }
    for doubtful in &meaning.doubtful {
        let fits = doubtful.fits.iter().take(MEANINGS);
        let fits: Vec<String> = fits
            .map(|(field, value)| match value {
                Some(value) => format!("{} = {value}", label(field)),
                None => label(field),
            })
            .collect();
        lines.push(format!(
            "{} has several meanings: {}; the first is taken.",
            quoted(&doubtful.said),
            list(&fits)
        ));
    }
    let unknown: Vec<String> = meaning.unknown.iter().map(|word| quoted(word)).collect();
    if !unknown.is_empty() {
        lines.push(format!("Not understood: {}.", list(&unknown)));
    }
    let notes = meaning.notes.iter();
    lines.extend(notes.map(|note| format!("{}.", note.trim_end_matches('.'))));
    lines
}
