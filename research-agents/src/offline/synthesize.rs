//! Drafts the report: every sentence is a count, a share, a statistic or a quotation, with the claims that carry it.

mod answer;
mod limits;
mod material;

use super::conditions::conditions;
use super::insights;
use super::say::{figure, percent, records, statement};
use super::text::capitalised;
use crate::dataset::record::{DraftSection, ReportDraft, ReportFormat};
use crate::dataset::task::{FieldKind, SynthesizeTask};
use crate::kernel::claim::{Claim, Statement, Statistic};
use crate::kernel::evidence::plain;
use material::Material;

/// No more key findings than this are given.
const KEY_FINDINGS: usize = 8;

/// Key findings of an executive summary.
const FEW_KEY_FINDINGS: usize = 5;

/// Findings from single records among the key findings.
const FINDINGS: usize = 2;

/// Answers the task.
pub(super) fn synthesize(task: &SynthesizeTask) -> ReportDraft {
    let material = Material::of(task);
    let analysis = match task.format {
        ReportFormat::ComprehensiveReport => analysis(&material),
        ReportFormat::ExecutiveSummary | ReportFormat::BulletPoints => Vec::new(),
    };
    let conclusion = match task.format {
        ReportFormat::ComprehensiveReport => conclusion(&material),
        ReportFormat::ExecutiveSummary | ReportFormat::BulletPoints => Vec::new(),
    };
    ReportDraft {
        title: capitalised(task.query.trim().trim_end_matches(['?', '.', '!'])),
        summary: if task.format == ReportFormat::BulletPoints { Vec::new() } else { summary(&material) },
        key_findings: key_findings(&material),
        analysis,
        conclusion,
        limitations: limits::limitations(&material),
        suggestions: limits::suggestions(&material),
        confidence: confidence(&material),
    }
}

/// How many records there are, how the main grouping divides them, and how they run over time.
fn summary(material: &Material<'_>) -> Vec<Statement> {
    let mut sentences = vec![total(material)];
    if material.is_empty() {
        return sentences;
    }
    sentences.extend(material.main().map(answer::division));
    sentences.extend(material.course().and_then(|course| answer::course(course).into_iter().next()));
    sentences
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

/// Insights first, then what further groupings, quantities, names and single records show.
fn key_findings(material: &Material<'_>) -> Vec<Statement> {
    let most = match material.task.format {
        ReportFormat::ExecutiveSummary => FEW_KEY_FINDINGS,
        ReportFormat::ComprehensiveReport | ReportFormat::BulletPoints => KEY_FINDINGS,
    };
    if material.is_empty() {
        return vec![total(material)];
    }
    let given = &material.task.insights;
    let mut found: Vec<Statement> = given.clone();
    if given.is_empty() {
        found.extend(material.aggregations().take(1).flat_map(insights::of));
    }
    // A grouping of which no insight speaks says its largest group.
    let divides = |grouping: &&super::say::Grouping| grouping.groups.first().is_some_and(|first| first.count > 1);
    for grouping in material.groupings().filter(divides) {
        if !found.iter().flat_map(|known| &known.claims).any(|claim| same_basis(claim, &grouping.total_claim)) {
            found.extend(insights::leading(grouping));
        }
    }
    found.extend(material.quantities().iter().find_map(|profile| largest(profile)));
    found.extend(material.notable().take(FINDINGS).map(answer::quoted));
    if found.is_empty() {
        found.extend(material.categories().iter().filter_map(|profile| answer::most_frequent(material, profile)));
    }
    if found.is_empty() {
        found.push(total(material));
    }
    let mut told: Vec<String> = Vec::new();
    found.retain(|statement| {
        let new = !told.contains(&statement.text);
        told.push(statement.text.clone());
        new
    });
    found.truncate(most);
    found
}

fn same_basis(claim: &Claim, total: &Claim) -> bool {
    let basis = |claim: &Claim| match claim {
        Claim::Count { over, .. } | Claim::Total { over, .. } => Some(over.clone()),
        Claim::Statistic { .. } | Claim::Quote { .. } => None,
    };
    basis(claim).is_some() && basis(claim) == basis(total)
}

fn largest(profile: &crate::dataset::task::FieldProfile) -> Option<Statement> {
    let numbers = profile.numbers.as_ref().filter(|numbers| numbers.min.0 < numbers.max.0)?;
    let (number, source) = numbers.max.clone();
    let text = format!("The largest {} of a record that was read is {}.", profile.field, figure(number));
    let claim =
        Claim::Statistic { field: profile.field.clone(), statistic: Statistic::Max, number, source: Some(source) };
    Some(statement(text, vec![claim]))
}

/// One section for each sub-question. A quotation is told once: where it answers first.
fn analysis(material: &Material<'_>) -> Vec<DraftSection> {
    let mut quoted: Vec<String> = Vec::new();
    let mut sections = Vec::new();
    for question in &material.task.sub_questions {
        let mut statements = answer::answer(material, question);
        let is_quote =
            |statement: &Statement| statement.claims.iter().all(|claim| matches!(claim, Claim::Quote { .. }));
        let known = |statement: &Statement| is_quote(statement) && quoted.contains(&statement.text);
        if !statements.iter().all(known) {
            statements.retain(|statement| !known(statement));
        }
        quoted
            .extend(statements.iter().filter(|statement| is_quote(statement)).map(|statement| statement.text.clone()));
        sections.push(DraftSection { question_id: question.id.clone(), answered: !statements.is_empty(), statements });
    }
    sections
}

fn conclusion(material: &Material<'_>) -> Vec<Statement> {
    if material.is_empty() {
        return vec![total(material)];
    }
    let mut sentences: Vec<Statement> = Vec::new();
    match material.main() {
        Some(main) => sentences.extend(insights::leading(main)),
        None => {
            sentences.extend(material.categories().iter().find_map(|profile| answer::most_frequent(material, profile)))
        }
    }
    if let Some(course) = material.course() {
        sentences.extend(answer::course(course).into_iter().nth(1));
    }
    if sentences.is_empty() {
        sentences.push(total(material));
    }
    sentences
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
