//! Drafts the report: every sentence is a count, a share, a statistic or a quotation, with the claims that carry it.

mod answer;
mod brief;
mod facts;
mod limits;
mod material;

use super::conditions::conditions;
use super::say::{percent, records, statement};
use super::text::capitalised;
use crate::dataset::record::{DraftSection, ReportDraft, ReportFormat};
use crate::dataset::task::{FieldKind, SynthesizeTask};
use crate::kernel::claim::Statement;
use crate::kernel::evidence::plain;
use material::Material;

/// No more key findings than this are given.
const KEY_FINDINGS: usize = 8;

/// Key findings of an executive summary.
const FEW_KEY_FINDINGS: usize = 5;

/// So many are left where some of them go into the summary.
const FEWEST_KEY_FINDINGS: usize = 3;

/// Sentences of the summary besides the answer.
const BESIDE_THE_ANSWER: usize = 2;

/// Answers the task.
pub(super) fn synthesize(task: &SynthesizeTask) -> ReportDraft {
    let material = Material::of(task);
    let (mut summary, mut key_findings) = (brief::answer(&material), brief::worth_knowing(&material));
    key_findings.retain(|finding| !summary.iter().any(|said| said.text == finding.text));
    match task.format {
        ReportFormat::BulletPoints => key_findings.splice(0..0, summary.drain(..)).for_each(drop),
        ReportFormat::ComprehensiveReport | ReportFormat::ExecutiveSummary => {
            // What is most worth knowing goes with the answer, as long as enough is left.
            let moved = key_findings.len().saturating_sub(FEWEST_KEY_FINDINGS).min(BESIDE_THE_ANSWER);
            summary.extend(key_findings.drain(..moved));
        }
    }
    if key_findings.is_empty() {
        key_findings.clone_from(&summary);
    }
    let is_full = task.format == ReportFormat::ComprehensiveReport;
    // The short formats show of it whether a question is answered.
    let analysis = analysis(&material, &summary);
    let (suggestions, mut limitations) = (limits::suggestions(&material), limits::limitations(&material));
    // A finding says something of the data; that a word fits nothing there is a limit.
    let (unanswered, mut key_findings): (Vec<Statement>, Vec<Statement>) =
        key_findings.into_iter().partition(|finding| finding.claims.is_empty());
    if task.format == ReportFormat::BulletPoints {
        limitations.splice(0..0, unanswered.into_iter().map(|statement| statement.text));
    }
    // The other formats print no suggestions, and who found nothing needs them.
    if material.is_empty() && !is_full {
        limitations.extend(suggestions.iter().cloned());
    }
    key_findings.truncate(match task.format {
        ReportFormat::ExecutiveSummary => FEW_KEY_FINDINGS,
        ReportFormat::ComprehensiveReport | ReportFormat::BulletPoints => KEY_FINDINGS,
    });
    ReportDraft {
        title: brief::title(&material),
        summary,
        key_findings,
        analysis,
        conclusion: if is_full { brief::conclusion(&material) } else { Vec::new() },
        limitations,
        suggestions,
        confidence: confidence(&material),
    }
}

/// How many records match.
fn total(material: &Material<'_>) -> Statement {
    let filters = conditions(&material.task.filters);
    let (number, claim) = material.total();
    let verb = if number == 1 { "matches" } else { "match" };
    let text = match (number, filters.is_empty()) {
        (0, true) => "The data holds no record.".to_owned(),
        (0, false) => format!("No record matches {filters}."),
        (_, true) => format!("The data holds {}.", records(number)),
        (_, false) => format!("{} {verb} {filters}.", records(number)),
    };
    // Where nobody said how many match, only those that were read can be spoken of.
    let text = if material.total_is_known() { text } else { format!("{} were read.", capitalised(&records(number))) };
    statement(text, vec![claim])
}

/// One section for each sub-question. What the summary or an earlier section says is not repeated beside something new.
fn analysis(material: &Material<'_>, summary: &[Statement]) -> Vec<DraftSection> {
    let mut told: Vec<String> = summary.iter().map(|statement| statement.text.clone()).collect();
    let mut sections = Vec::new();
    for question in &material.task.sub_questions {
        let mut statements = answer::answer(material, question);
        let is_told = |statement: &Statement| told.contains(&statement.text);
        if !statements.iter().all(is_told) {
            statements.retain(|statement| !is_told(statement));
        }
        told.extend(statements.iter().map(|statement| statement.text.clone()));
        let answered = !statements.is_empty() && !material.asks_for_missing(&question.question);
        sections.push(DraftSection { question_id: question.id.clone(), answered, statements });
    }
    sections
}

/// Coverage in one number: 0.3 for groups counted over all records, 0.2 for findings, 0.3 times the share of records
/// read, and 0.2 if that is all of them.
fn confidence(material: &Material<'_>) -> f64 {
    let read = material.task.coverage.fraction.unwrap_or(0.0).clamp(0.0, 1.0);
    let grouped = if material.groupings().next().is_some() || material.course().is_some() { 0.3 } else { 0.0 };
    let found = if material.task.findings.is_empty() { 0.0 } else { 0.2 };
    let all = if read >= 1.0 { 0.2 } else { 0.0 };
    grouped + found + 0.3 * read + all
}

/// `7 of 165 records (4.2 %)`.
fn part(number: u64, total: u64) -> String {
    format!("{number} of {} ({})", records(total), percent(number, total))
}

/// Whether a profile holds a category: text or truth values, neither one for all nor one for each.
fn is_category(profile: &crate::dataset::task::FieldProfile) -> bool {
    let repeats = profile.distinct * 2 <= profile.present;
    matches!(profile.kind, FieldKind::Text | FieldKind::Boolean)
        && profile.distinct > 1
        && repeats
        && profile.top.iter().all(|(value, _)| plain(value).chars().count() <= 80)
}

#[cfg(test)]
mod tests;
