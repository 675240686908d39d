//! Turns a draft into the report: every sentence is checked, what holds is printed with its citations, and what does not is
//! counted among the limitations.

use std::collections::BTreeSet;

use super::charts::table_view;
use super::record::{AggregationResult, Coverage, ReportDraft, ReportFormat, SubQuestion};
use super::scope::Ledger;
use super::task::FieldProfile;
use crate::kernel::check::numbers_stand_in;
use crate::kernel::report::QuestionStatus;
use crate::kernel::{Checker, Confidence, Evidence, Failure, Report, ReportWriter, Statement, Verified};

/// Most key findings that a report prints.
const KEY_FINDINGS: usize = 8;
/// Reasons for withheld sentences that the limitations name.
const REASONS: usize = 5;
/// Notes of the run that the limitations repeat.
const NOTES: usize = 8;

/// What stands around a draft.
#[derive(Debug)]
pub(crate) struct Frame<'a> {
    pub(crate) question: &'a str,
    pub(crate) sub_questions: &'a [SubQuestion],
    pub(crate) format: ReportFormat,
    pub(crate) confidence: Confidence,
    pub(crate) coverage: &'a Coverage,
    pub(crate) ledger: &'a Ledger,
    /// What data sources computed, for the way it is presented.
    pub(crate) aggregations: &'a [AggregationResult],
    /// Most records that a run reads.
    pub(crate) limit: usize,
    pub(crate) notes: &'a [String],
    /// What contradicts each other, in sentences that are checked like all others.
    pub(crate) contradictions: &'a [Statement],
    /// Who drafted the report and what that took, when a language model did.
    pub(crate) author: Option<String>,
    pub(crate) profile: &'a [FieldProfile],
    /// Smallest and largest values of fields by the account of their tools: sentences on gaps and next steps may name them.
    pub(crate) ranges: Vec<String>,
    /// Filters in words: their numbers may be repeated freely.
    pub(crate) filters: Vec<String>,
    /// Names of fields: likewise.
    pub(crate) fields: Vec<String>,
}

/// A report that is written.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Written {
    pub(crate) document: Report,
    pub(crate) key_findings: Vec<String>,
    pub(crate) limitations: Vec<String>,
    pub(crate) suggestions: Vec<String>,
}

/// Checks and writes.
pub(crate) fn compose(evidence: &Evidence, frame: &Frame<'_>, draft: &ReportDraft) -> Written {
    let context = frame.filters.iter().chain(&frame.fields).map(String::as_str).chain([frame.question]);
    let mut sieve = Sieve { checker: Checker::new(evidence, context), withheld: Vec::new() };
    let mut key_findings = sieve.strict(&draft.key_findings);
    key_findings.truncate(KEY_FINDINGS);
    let summary = sieve.loose(&draft.summary);
    let analysis: Vec<(&SubQuestion, Vec<Verified>, bool)> =
        frame.sub_questions.iter().map(|question| section(question, draft, &mut sieve)).collect();
    let conclusion = sieve.loose(&draft.conclusion);
    let full = frame.format == ReportFormat::ComprehensiveReport;
    let suggestions = plain_sentences(&draft.suggestions, frame);
    let limitations = limitations(frame, draft, &sieve.withheld);
    // A contradiction is told in any case: the numbers of a finding were held against its records when it was drawn.
    let (cited, told): (Vec<_>, Vec<_>) = frame
        .contradictions
        .iter()
        .map(|statement| sieve.checker.check_loose(statement).map_err(|_| statement.text.clone()))
        .partition(Result::is_ok);
    let cited: Vec<Verified> = cited.into_iter().flatten().collect();
    let told: Vec<String> = told.into_iter().filter_map(Result::err).collect();

    let numbers_known = numbers_stand_in(&draft.title, [frame.question]);
    let title = if draft.title.trim().is_empty() || !numbers_known { frame.question } else { &draft.title };
    let mut writer = ReportWriter::new(evidence, title)
        .with_question(frame.question)
        .with_views(frame.aggregations.iter().map(table_view));
    if let Some(note) = record_note(frame) {
        writer = writer.with_record_note(&note);
    }
    if frame.format != ReportFormat::BulletPoints {
        writer.section("Summary");
        writer.paragraph(&summary);
        add_coverage(&mut writer, frame);
    }
    writer.section("Key Findings");
    if key_findings.is_empty() {
        writer.note("The data supports no finding.");
    }
    writer.bullets(&key_findings);
    if !frame.contradictions.is_empty() {
        writer.section("Contradictions");
        writer.bullets(&cited);
        writer.notes(&told);
    }
    if full {
        if !analysis.is_empty() {
            writer.section("Analysis");
        }
        for (question, sentences, answered) in &analysis {
            // The words are a model's: a number that nobody gave it is not printed.
            let known = frame.filters.iter().chain(&frame.fields).map(String::as_str).chain([frame.question]);
            let own = format!("Sub-question {}", question.id);
            let heading = if numbers_stand_in(&question.question, known) { &question.question } else { &own };
            let status = if *answered { QuestionStatus::Answered } else { QuestionStatus::NotAnswered };
            writer.question(heading, &question.id, status);
            writer.paragraph(sentences);
        }
        if !conclusion.is_empty() {
            writer.section("Conclusion");
            writer.paragraph(&conclusion);
        }
    }
    if frame.format == ReportFormat::BulletPoints {
        add_coverage(&mut writer, frame);
    }
    if !limitations.is_empty() {
        writer.section("Limitations");
        writer.notes(&limitations);
    }
    if full && !suggestions.is_empty() {
        writer.section("Further Research");
        writer.notes(&suggestions);
    }
    Written {
        key_findings: key_findings.iter().map(|finding| finding.text().to_owned()).collect(),
        document: writer.finish(),
        limitations,
        suggestions,
    }
}

/// Lets through what holds and remembers why the rest does not.
struct Sieve<'a> {
    checker: Checker<'a>,
    withheld: Vec<Failure>,
}

impl Sieve<'_> {
    fn strict(&mut self, statements: &[Statement]) -> Vec<Verified> {
        self.sift(statements, |checker, statement| checker.check(statement))
    }

    fn loose(&mut self, statements: &[Statement]) -> Vec<Verified> {
        self.sift(statements, |checker, statement| checker.check_loose(statement))
    }

    fn sift(
        &mut self,
        statements: &[Statement],
        check: impl Fn(&Checker<'_>, &Statement) -> Result<Verified, Failure>,
    ) -> Vec<Verified> {
        let mut kept = Vec::new();
        for statement in statements.iter().filter(|statement| !statement.text.trim().is_empty()) {
            match check(&self.checker, statement) {
                Ok(verified) => kept.push(verified),
                Err(failure) => self.withheld.push(failure),
            }
        }
        kept
    }
}

/// A note as a sentence: with a capital and a full stop.
fn as_sentence(note: &str) -> String {
    let mut chars = note.trim_end_matches('.').chars();
    let first = chars.next().into_iter().flat_map(char::to_uppercase);
    first.chain(chars).chain(['.']).collect()
}

/// The checked sentences of a sub-question. It counts as answered when the draft says so and a sentence with evidence is left.
fn section<'q>(
    question: &'q SubQuestion,
    draft: &ReportDraft,
    sieve: &mut Sieve<'_>,
) -> (&'q SubQuestion, Vec<Verified>, bool) {
    let Some(section) = draft.analysis.iter().find(|section| section.question_id == question.id) else {
        return (question, Vec::new(), false);
    };
    let sentences = sieve.loose(&section.statements);
    let answered = section.answered && sentences.iter().any(|sentence| !sentence.claims().is_empty());
    (question, sentences, answered)
}

/// Words beside every sentence that was drawn from the records of a capped scan.
fn record_note(frame: &Frame<'_>) -> Option<String> {
    let total = frame.coverage.total?;
    let fetched = frame.coverage.fetched;
    (frame.coverage.capped && fetched < total).then(|| format!("among the first {fetched} of {total} records"))
}

fn add_coverage(writer: &mut ReportWriter<'_>, frame: &Frame<'_>) {
    writer.coverage(&coverage_line(frame), frame.coverage.fetched, frame.coverage.total, frame.confidence);
}

fn coverage_line(frame: &Frame<'_>) -> String {
    let mut parts = frame.ledger.describe(frame.limit);
    if parts.is_empty() {
        parts.push("no record was read".to_owned());
    }
    if frame.coverage.total == Some(0) {
        parts.push("no record matches".to_owned());
    }
    format!("Coverage: {}. Confidence: {}.", parts.join("; "), frame.confidence)
}

fn limitations(frame: &Frame<'_>, draft: &ReportDraft, withheld: &[Failure]) -> Vec<String> {
    let mut lines: Vec<String> = frame.author.iter().cloned().collect();
    let coverage = frame.coverage;
    let incomplete = coverage.total.is_none_or(|total| coverage.fetched < total) && coverage.fetched > 0;
    if incomplete {
        let words = super::scope::coverage_words(coverage.fetched, coverage.total, coverage.capped, frame.limit);
        lines.push(format!("{words}: what is drawn from records holds for these only."));
    }
    lines.extend(coverage.stopped_early.as_ref().map(|reason| format!("Reading ended early: {reason}.")));
    lines.extend(frame.notes.iter().take(NOTES).map(|note| as_sentence(note)));
    if frame.notes.len() > NOTES {
        lines.push(format!("{} further notes of the run are not listed.", frame.notes.len() - NOTES));
    }
    if !withheld.is_empty() {
        let reasons: BTreeSet<String> = withheld.iter().map(ToString::to_string).collect();
        let reasons: Vec<String> = reasons.into_iter().take(REASONS).collect();
        let count = withheld.len();
        let sentences = if count == 1 { "sentence was" } else { "sentences were" };
        lines.push(format!("{count} drafted {sentences} withheld for lack of evidence: {}.", reasons.join("; ")));
    }
    for line in plain_sentences(&draft.limitations, frame) {
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines
}

/// Sentences without claims, of which only those stay whose numbers the run knows: coverage, missing values, the question.
fn plain_sentences(sentences: &[String], frame: &Frame<'_>) -> Vec<String> {
    let mut known: Vec<String> = frame.ledger.describe(frame.limit);
    known.push(format!("{} {}", frame.limit, frame.coverage.fetched));
    known.extend(frame.coverage.total.map(|total| total.to_string()));
    known.extend(frame.profile.iter().map(|f| format!("{} {} {} {}", f.field, f.missing, f.present, f.distinct)));
    known.extend(frame.filters.iter().chain(&frame.fields).chain(&frame.ranges).cloned());
    known.push(frame.question.to_owned());
    let stands = |text: &&String| numbers_stand_in(text, known.iter().map(String::as_str)) && !text.trim().is_empty();
    sentences.iter().filter(stands).cloned().collect()
}

#[cfg(test)]
mod tests;
