//! Drafts the report: every sentence is a count, a share, a statistic or a quotation, with the
//! claims that carry it.

pub(crate) mod answer;
pub(crate) mod brief;
pub(crate) mod facts;
pub(crate) mod limits;
pub(crate) mod material;

use research_agents_report::claim::Statement;

use crate::data::record::{DraftSection, ReportDraft, ReportFormat};
use crate::data::task::SynthesizeTask;
use crate::offline::synthesize::material::Material;

/// The maximum number of key findings of a report.
const KEY_FINDINGS: usize = 8;

/// Key findings of an executive summary.
const FEW_KEY_FINDINGS: usize = 5;

/// Key findings that remain if some of them move into the summary.
const FEWEST_KEY_FINDINGS: usize = 3;

/// Sentences of the summary in addition to the answer.
const BESIDE_THE_ANSWER: usize = 2;

/// Answers the task.
pub(crate) fn synthesize(task: &SynthesizeTask) -> ReportDraft {
    let material = Material::new(task);
    let (mut summary, mut key_findings) =
        (brief::answer(&material), brief::worth_knowing(&material));
    key_findings.retain(|finding| !summary.iter().any(|said| said.text == finding.text));
    match task.format {
        ReportFormat::BulletPoints => key_findings.splice(0..0, summary.drain(..)).for_each(drop),
        ReportFormat::ComprehensiveReport | ReportFormat::ExecutiveSummary => {
            // What is most worth knowing joins the answer, as long as enough key findings remain.
            let moved = key_findings
                .len()
                .saturating_sub(FEWEST_KEY_FINDINGS)
                .min(BESIDE_THE_ANSWER);
            summary.extend(key_findings.drain(..moved));
        }
    }

    if key_findings.is_empty() {
        key_findings.clone_from(&summary);
    }

    let is_full = task.format == ReportFormat::ComprehensiveReport;

    // The short formats show of it whether a question is answered.
    let analysis = analysis(&material, &summary);
    let (suggestions, mut limitations) = (
        limits::suggestions(&material),
        limits::limitations(&material),
    );

    // A finding says something of the data; that a word fits nothing there is a limit.
    let (unanswered, mut key_findings): (Vec<Statement>, Vec<Statement>) = key_findings
        .into_iter()
        .partition(|finding| finding.claims.is_empty());
    if task.format == ReportFormat::BulletPoints {
        limitations.splice(0..0, unanswered.into_iter().map(|statement| statement.text));
    }

    // The other formats print no suggestions, and a reader of an empty report needs them.
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
        conclusion: if is_full {
            brief::conclusion(&material)
        } else {
            Vec::new()
        },
        limitations,
        suggestions,
        confidence: confidence(&material),
    }
}

/// Returns one section for each sub-question. What the summary or an earlier section says is not
/// repeated if there is something new to say.
fn analysis(material: &Material<'_>, summary: &[Statement]) -> Vec<DraftSection> {
    let mut said: Vec<String> = summary
        .iter()
        .map(|statement| statement.text.clone())
        .collect();

    let mut sections = Vec::new();
    for question in &material.task.sub_questions {
        let mut statements = answer::answer(material, question);
        let is_said = |statement: &Statement| said.contains(&statement.text);
        if !statements.iter().all(is_said) {
            statements.retain(|statement| !is_said(statement));
        }
        said.extend(statements.iter().map(|statement| statement.text.clone()));
        let answered = !statements.is_empty() && !material.asks_for_missing(&question.question);
        sections.push(DraftSection {
            question_id: question.id.clone(),
            answered,
            statements,
        });
    }

    sections
}

/// Returns coverage as one number: 0.3 for groups counted over all records, 0.2 for findings, 0.3
/// times the share of records read, and 0.2 if that is all of them.
fn confidence(material: &Material<'_>) -> f64 {
    let read = material
        .task
        .coverage
        .fraction
        .unwrap_or(0.0)
        .clamp(0.0, 1.0);
    let grouped = if material.groupings().next().is_some() || material.course().is_some() {
        0.3
    } else {
        0.0
    };
    let found = if material.task.findings.is_empty() {
        0.0
    } else {
        0.2
    };
    let all = if read >= 1.0 { 0.2 } else { 0.0 };

    grouped + found + 0.3 * read + all
}

#[cfg(test)]
mod tests;
