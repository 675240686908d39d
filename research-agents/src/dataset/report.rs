//! Turns a draft into the report: every sentence is checked, what holds is printed with its citations, and what does not is
//! counted among the limitations.

use std::collections::BTreeMap;

use super::charts::table_view;
use super::corpus::TEXT_CAP;
use super::record::{AggregationResult, Coverage, ReportDraft, ReportFormat, SubQuestion};
use super::scope::Ledger;
use super::task::FieldProfile;
use crate::kernel::check::{Flaw, numbers_stand_in};
use crate::kernel::language::Phrase;
use crate::kernel::report::QuestionStatus;
use crate::kernel::{Checker, Confidence, Evidence, Failure, Language, Report, ReportWriter, Statement, Verified};

/// Most key findings that a report prints.
const KEY_FINDINGS: usize = 8;
/// Notes of the run that the limitations repeat.
const NOTES: usize = 8;

/// What stands around a draft.
#[derive(Debug)]
pub(crate) struct Frame<'a> {
    /// The language of the report.
    pub(crate) language: Language,
    /// The language that was wanted.
    pub(crate) wanted: Language,
    pub(crate) question: &'a str,
    /// How it was read, where more than its own words decided.
    pub(crate) understood: Option<String>,
    pub(crate) sub_questions: &'a [SubQuestion],
    /// Ids of those that what was gathered answers, whatever a draft says.
    pub(crate) answered: Vec<String>,
    pub(crate) format: ReportFormat,
    pub(crate) confidence: Confidence,
    /// What the confidence is.
    pub(crate) judged_by: JudgedBy,
    pub(crate) coverage: &'a Coverage,
    pub(crate) ledger: &'a Ledger,
    /// What data sources computed, for the way it is presented.
    pub(crate) aggregations: &'a [AggregationResult],
    /// Most records that a run reads.
    pub(crate) limit: usize,
    /// What is told of the run, in words of the program and in the language.
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

/// Where a confidence comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JudgedBy {
    /// It was computed from what was counted, read and found.
    Amount,
    /// A validator gave it.
    Review,
    /// The draft states it, for there is no data.
    Estimate,
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
    let mut sieve = Sieve { checker: Checker::in_language(frame.language, evidence, context), withheld: Vec::new() };
    let mut key_findings = sieve.strict(&draft.key_findings);
    key_findings.truncate(KEY_FINDINGS);
    let summary = sieve.loose(&draft.summary);
    let full = frame.format == ReportFormat::ComprehensiveReport;
    let withheld = sieve.withheld.len();
    let analysis: Vec<(&SubQuestion, Vec<Verified>, bool)> =
        frame.sub_questions.iter().map(|question| section(question, draft, frame, &mut sieve)).collect();
    let conclusion = sieve.loose(&draft.conclusion);
    if !full {
        // What is not printed is not withheld either.
        sieve.withheld.truncate(withheld);
    }
    let cut = evidence.sources.iter().filter(|source| source.cut).count() as u64;
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

    let numbers_known = numbers_stand_in(&draft.title, frame.language, [frame.question]);
    let title = if draft.title.trim().is_empty() || !numbers_known { frame.question } else { &draft.title };
    let mut writer = ReportWriter::in_language(frame.language, evidence, title)
        .with_question(frame.question)
        .with_views(frame.aggregations.iter().map(|table| table_view(table, frame.language)));
    let say = |phrase| frame.language.say(phrase);
    // Words beside every sentence that was drawn from records where not all of them were read.
    if let Some(read) = frame.ledger.read(frame.language) {
        writer = writer.with_record_note(&frame.language.say(Phrase::Among { read: &read }));
    }
    if frame.format != ReportFormat::BulletPoints {
        writer.section(&say(Phrase::Summary));
        frame.understood.iter().for_each(|understood| writer.note(understood));
        writer.paragraph(&summary);
        add_coverage(&mut writer, frame, cut);
    }
    writer.section(&say(Phrase::KeyFindings));
    if frame.format == ReportFormat::BulletPoints {
        frame.understood.iter().for_each(|understood| writer.note(understood));
    }
    if key_findings.is_empty() {
        writer.note(&say(Phrase::NoFinding));
    }
    writer.bullets(&key_findings);
    if !frame.contradictions.is_empty() {
        writer.section(&say(Phrase::Contradictions));
        writer.bullets(&cited);
        writer.notes(&told);
    }
    if frame.format == ReportFormat::BulletPoints {
        add_coverage(&mut writer, frame, cut);
    }
    if !analysis.is_empty() {
        writer.section(&say(if full { Phrase::Analysis } else { Phrase::Questions }));
    }
    for (question, sentences, answered) in &analysis {
        // The words are a model's: a number that nobody gave it is not printed.
        let known = frame.filters.iter().chain(&frame.fields).map(String::as_str).chain([frame.question]);
        let own = say(Phrase::SubQuestion { id: &question.id });
        let heading =
            if numbers_stand_in(&question.question, frame.language, known) { &question.question } else { &own };
        let status = if *answered { QuestionStatus::Answered } else { QuestionStatus::NotAnswered };
        writer.question(heading, &question.id, status);
        if full {
            writer.paragraph(sentences);
        }
    }
    if full && !conclusion.is_empty() {
        writer.section(&say(Phrase::Conclusion));
        writer.paragraph(&conclusion);
    }
    if !limitations.is_empty() {
        writer.section(&say(Phrase::Limitations));
        writer.notes(&limitations);
    }
    if full && !suggestions.is_empty() {
        writer.section(&say(Phrase::FurtherResearch));
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
pub(crate) fn as_sentence(note: &str) -> String {
    let mut chars = note.trim_end_matches('.').chars();
    let first = chars.next().into_iter().flat_map(char::to_uppercase);
    first.chain(chars).chain(['.']).collect()
}

/// The checked sentences of a sub-question. It counts as answered when the draft says so and a sentence with evidence is left.
/// A short report may be drafted without them: there it counts by what was gathered.
fn section<'q>(
    question: &'q SubQuestion,
    draft: &ReportDraft,
    frame: &Frame<'_>,
    sieve: &mut Sieve<'_>,
) -> (&'q SubQuestion, Vec<Verified>, bool) {
    let Some(section) = draft.analysis.iter().find(|section| section.question_id == question.id) else {
        let is_short = frame.format != ReportFormat::ComprehensiveReport;
        return (question, Vec::new(), is_short && frame.answered.contains(&question.id));
    };
    let sentences = sieve.loose(&section.statements);
    let answered = section.answered && sentences.iter().any(|sentence| !sentence.claims().is_empty());
    (question, sentences, answered)
}

fn add_coverage(writer: &mut ReportWriter<'_>, frame: &Frame<'_>, cut: u64) {
    writer.coverage(&coverage_line(frame, cut), frame.coverage.fetched, frame.coverage.total, frame.confidence);
}

/// `cut` is the number of records of which only the beginning was read.
fn coverage_line(frame: &Frame<'_>, cut: u64) -> String {
    let language = frame.language;
    let mut parts = frame.ledger.describe_in(language, frame.limit);
    if parts.is_empty() {
        parts.push(language.say(Phrase::NothingRead));
    }
    if frame.coverage.total == Some(0) {
        parts.push(language.say(Phrase::NothingMatches));
    }
    if cut > 0 {
        parts.push(language.say(Phrase::RecordsCut { count: cut, most: TEXT_CAP as u64 }));
    }
    let number = language.decimal(frame.confidence.value(), 2);
    let is_all = frame.confidence.value() >= 1.0
        && !frame.aggregations.is_empty()
        && frame.coverage.fraction.is_some_and(|fraction| fraction >= 1.0);
    let why = language.say(match frame.judged_by {
        JudgedBy::Amount if is_all => Phrase::ByAll,
        JudgedBy::Amount => Phrase::ByAmount,
        JudgedBy::Review => Phrase::ByReview,
        JudgedBy::Estimate => Phrase::ByEstimate,
    });
    let confidence = language.say(Phrase::Confidence { number: &number, band: frame.confidence.band(), why: &why });
    language.say(Phrase::Coverage { parts: &parts.join("; "), confidence: &confidence })
}

fn limitations(frame: &Frame<'_>, draft: &ReportDraft, withheld: &[Failure]) -> Vec<String> {
    let language = frame.language;
    let mut lines: Vec<String> = frame.author.iter().cloned().chain(other_language(frame)).collect();
    let coverage = frame.coverage;
    let incomplete = coverage.total.is_none_or(|total| coverage.fetched < total) && coverage.fetched > 0;
    if incomplete {
        let words = frame.ledger.summary(language, frame.limit);
        lines.push(language.say(Phrase::HoldsForThese { words: &words }));
    }
    lines.extend(coverage.stopped_early.as_ref().map(|reason| language.say(Phrase::EndedEarly { reason })));
    lines.extend(frame.notes.iter().take(NOTES).map(|note| as_sentence(note)));
    if frame.notes.len() > NOTES {
        lines.push(language.say(Phrase::FurtherNotes { count: (frame.notes.len() - NOTES) as u64 }));
    }
    if !withheld.is_empty() {
        let reasons = reasons(withheld, language);
        lines.push(language.say(Phrase::Withheld { count: withheld.len() as u64, reasons: &reasons }));
    }
    for line in plain_sentences(&draft.limitations, frame) {
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines
}

/// That the report is in another language than was wanted, in both: only the offline model does so.
fn other_language(frame: &Frame<'_>) -> Option<String> {
    let wanted = frame.wanted;
    if wanted == frame.language {
        return None;
    }
    let english = frame.language.say(Phrase::OfflineEnglish { language: wanted.name() });
    if !wanted.has_catalogue() {
        return Some(english);
    }
    Some(format!("{} {english}", wanted.say(Phrase::OfflineEnglish { language: wanted.own_name() })))
}

/// Why sentences are withheld, by the kind of flaw. What they say is not repeated: it does not hold, and may be anybody's words.
pub(crate) fn reasons(withheld: &[Failure], language: Language) -> String {
    let mut flaws: BTreeMap<Flaw, u64> = BTreeMap::new();
    for failure in withheld {
        tracing::debug!(%failure, "a drafted sentence is withheld");
        *flaws.entry(failure.flaw()).or_default() += 1;
    }
    let words = flaws.into_iter().map(|(flaw, count)| {
        language.say(match flaw {
            Flaw::Number => Phrase::FlawNumber { count },
            Flaw::Quote => Phrase::FlawQuote { count },
            Flaw::Citation => Phrase::FlawCitation { count },
            Flaw::Words => Phrase::FlawWords { count },
            Flaw::Key => Phrase::FlawKey { count },
            Flaw::NoEvidence => Phrase::FlawNoEvidence { count },
        })
    });
    words.collect::<Vec<_>>().join("; ")
}

/// Sentences without claims, of which only those stay whose numbers the run knows: coverage, missing values, the question.
fn plain_sentences(sentences: &[String], frame: &Frame<'_>) -> Vec<String> {
    let mut known: Vec<String> = frame.ledger.describe(frame.limit);
    known.push(format!("{} {}", frame.limit, frame.coverage.fetched));
    known.extend(frame.coverage.total.map(|total| total.to_string()));
    known.extend(frame.profile.iter().map(|f| format!("{} {} {} {}", f.field, f.missing, f.present, f.distinct)));
    known.extend(frame.filters.iter().chain(&frame.fields).chain(&frame.ranges).cloned());
    known.push(frame.question.to_owned());
    let stands = |text: &&String| {
        numbers_stand_in(text, frame.language, known.iter().map(String::as_str)) && !text.trim().is_empty()
    };
    sentences.iter().filter(stands).cloned().collect()
}

#[cfg(test)]
mod tests;
