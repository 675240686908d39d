//! Turns a draft into the report: every sentence is checked. Sentences that hold are printed with
//! their citations; the others are counted among the limitations.

use std::collections::BTreeMap;

use research_agents_report::check::{Checker, Failure, Flaw, Verified, numbers_stand_in};
use research_agents_report::claim::Statement;
use research_agents_report::confidence::Confidence;
use research_agents_report::document::{QuestionStatus, RecordList, Report, ReportWriter};
use research_agents_report::evidence::Evidence;
use research_agents_report::language::{Language, Phrase as ReportPhrase};

use crate::data::phrase::Phrase;
use crate::data::record::{AggregationResult, Coverage, ReportDraft, ReportFormat, SubQuestion};
use crate::data::task::FieldProfile;
use crate::found::charts::table_view;
use crate::found::coverage::Ledger;
use crate::offline::answer::answered::Answer;
use crate::report::read::{
    JudgedBy, computed_line, confidence_words, coverage_line, limitation, record_note,
};

/// The maximum number of key findings that a report prints.
const KEY_FINDINGS: usize = 8;
/// The maximum number of notes of the run that the limitations repeat.
const NOTES: usize = 8;

/// Everything that a report needs in addition to the draft.
#[derive(Debug)]
pub(crate) struct ReportContext<'a> {
    /// The language of the report.
    pub(crate) language: Language,
    /// The language that was requested.
    pub(crate) wanted: Language,
    pub(crate) question: &'a str,
    /// The interpretation of the question, if it rests on more than the question's words.
    pub(crate) understood: Option<String>,
    pub(crate) sub_questions: &'a [SubQuestion],
    /// Ids of the sub-questions that the gathered material answers, regardless of the draft.
    pub(crate) answered: Vec<String>,
    pub(crate) format: ReportFormat,
    pub(crate) confidence: Confidence,
    /// The origin of the confidence.
    pub(crate) judged_by: JudgedBy,
    pub(crate) coverage: &'a Coverage,
    pub(crate) ledger: &'a Ledger,
    /// Aggregations that the report presents.
    pub(crate) aggregations: &'a [AggregationResult],
    /// The maximum number of records that a run reads.
    pub(crate) limit: usize,
    /// Notes on the run, written by the program in the language of the report.
    pub(crate) notes: &'a [String],
    /// Contradictions, in sentences that are checked like all others.
    pub(crate) contradictions: &'a [Statement],
    /// The model that drafted the report and its usage, if it was a language model.
    pub(crate) author: Option<String>,
    pub(crate) profile: &'a [FieldProfile],
    /// Smallest and largest values of fields as the tools state them. Sentences on gaps and next
    /// steps may name them.
    pub(crate) ranges: Vec<String>,
    /// Filters in words. Any sentence may repeat their numbers.
    pub(crate) filters: Vec<String>,
    /// The answer that code computed.
    pub(crate) answer: Option<&'a Answer>,
    /// Names of fields. Any sentence may repeat their numbers.
    pub(crate) fields: Vec<String>,
}

impl ReportContext<'_> {
    /// Returns whether the report rests on what the data source computed over all matching records.
    fn is_computed(&self) -> bool {
        self.answer.is_some() && !self.is_comprehensive()
    }

    fn is_comprehensive(&self) -> bool {
        self.format == ReportFormat::ComprehensiveReport
    }
}

/// A written report, and its parts that the state keeps.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Written {
    /// Whether a sentence of the computed answer holds.
    pub(crate) is_answered: bool,
    pub(crate) document: Report,
    pub(crate) key_findings: Vec<String>,
    pub(crate) limitations: Vec<String>,
    pub(crate) suggestions: Vec<String>,
}

/// Checks a draft and writes the report.
pub(crate) fn compose(
    evidence: &Evidence,
    context: &ReportContext<'_>,
    draft: &ReportDraft,
) -> Written {
    let checked = check(evidence, context, draft);
    let document = write(evidence, context, draft, &checked);

    Written {
        is_answered: !checked.answer.is_empty(),
        key_findings: checked
            .key_findings
            .iter()
            .map(|finding| finding.text().to_owned())
            .collect(),
        document,
        limitations: checked.limitations,
        suggestions: checked.suggestions,
    }
}

/// A draft after its sentences were checked.
struct Checked<'a> {
    /// The computed answer.
    answer: Vec<Verified>,
    summary: Vec<Verified>,
    key_findings: Vec<Verified>,
    /// The sub-questions with their sentences, and whether each one is answered.
    analysis: Vec<(&'a SubQuestion, Vec<Verified>, bool)>,
    conclusion: Vec<Verified>,
    /// Contradictions with their citations.
    cited: Vec<Verified>,
    /// Contradictions without citations.
    uncited: Vec<String>,
    limitations: Vec<String>,
    suggestions: Vec<String>,
}

/// Checks all sentences of a draft.
fn check<'a>(evidence: &Evidence, context: &ReportContext<'a>, draft: &ReportDraft) -> Checked<'a> {
    let mut verifier = DraftVerifier {
        checker: Checker::in_language(context.language, evidence, known_texts(context)),
        withheld: Vec::new(),
    };
    let said = context.answer.map(|answer| answer.statements.as_slice());
    let answer = verifier.answer(said.unwrap_or_default());
    let withheld_of_answer = verifier.withheld.len();
    let mut key_findings = verifier.strict(&draft.key_findings);
    key_findings.truncate(KEY_FINDINGS);
    let mut summary = verifier.loose(&draft.summary);

    // No sentence twice.
    let is_new =
        |others: &[Verified], one: &Verified| others.iter().all(|known| known.text() != one.text());
    summary.retain(|one| is_new(&answer, one));
    key_findings.retain(|one| is_new(&answer, one));

    // The analysis and the conclusion, which only a comprehensive report prints: sentences that are
    // not printed do not count as withheld.
    let withheld = verifier.withheld.len();
    let analysis = context
        .sub_questions
        .iter()
        .map(|question| section(question, draft, context, &mut verifier))
        .collect();
    let conclusion = verifier.loose(&draft.conclusion);
    if !context.is_comprehensive() {
        verifier.withheld.truncate(withheld);
    }

    // What the offline model drafts beside a computed answer is not printed either.
    let is_drafted_by_code = context.author.is_none() && context.is_computed();
    if is_drafted_by_code && !answer.is_empty() {
        verifier.withheld.truncate(withheld_of_answer);
    }

    // A contradiction is always reported: the numbers of a finding were compared with its records
    // when it was drawn.
    let (cited, uncited): (Vec<_>, Vec<_>) = context
        .contradictions
        .iter()
        .map(|statement| {
            verifier
                .checker
                .check_loose(statement)
                .map_err(|_| statement.text.clone())
        })
        .partition(Result::is_ok);

    Checked {
        answer,
        summary,
        key_findings,
        analysis,
        conclusion,
        cited: cited.into_iter().flatten().collect(),
        uncited: uncited.into_iter().filter_map(Result::err).collect(),
        limitations: limitations(context, draft, &verifier.withheld),
        suggestions: plain_sentences(&draft.suggestions, context),
    }
}

/// Returns the texts whose numbers a sentence may repeat without evidence.
fn known_texts<'a>(context: &'a ReportContext<'_>) -> impl Iterator<Item = &'a str> {
    context
        .filters
        .iter()
        .chain(&context.fields)
        .map(String::as_str)
        .chain([context.question])
}

fn write(
    evidence: &Evidence,
    context: &ReportContext<'_>,
    draft: &ReportDraft,
    checked: &Checked<'_>,
) -> Report {
    let language = context.language;
    let is_brief = context.format == ReportFormat::BulletPoints;
    let cut = evidence.sources.iter().filter(|source| source.cut).count() as u64;
    let heading = |phrase| language.say(phrase);

    let drafted = match context.answer.filter(|_| !checked.answer.is_empty()) {
        Some(answer) => &answer.title,
        None => &draft.title,
    };
    let numbers_known = numbers_stand_in(drafted, language, known_texts(context));
    let title = if drafted.trim().is_empty() || !numbers_known {
        context.question
    } else {
        drafted
    };

    let views = context.aggregations.iter();
    let mut writer = ReportWriter::in_language(language, evidence, title)
        .with_question(context.question)
        .with_views(views.map(|table| table_view(table, language)));
    // If not all records were read, every sentence drawn from records says so.
    if let Some(note) = record_note(context.ledger, language) {
        writer = writer.with_record_note(&note);
    }

    // The computed answer leads. A short report ends with it and what a language model adds.
    if let Some(answer) = context.answer.filter(|_| !checked.answer.is_empty()) {
        write_answer(&mut writer, context, answer, checked);
        if !context.is_comprehensive() {
            add_coverage(&mut writer, context, cut);
            write_contradictions(&mut writer, context, checked);
            write_limitations(&mut writer, context, checked);
            return writer.finish();
        }
    }

    // Bullet points have no summary: the other notes surround their key findings.
    if !is_brief {
        writer.section(&heading(ReportPhrase::Summary));
        if context.answer.is_none() {
            context
                .understood
                .iter()
                .for_each(|understood| writer.note(understood));
        }
        writer.paragraph(&checked.summary);
        add_coverage(&mut writer, context, cut);
    }

    writer.section(&heading(ReportPhrase::KeyFindings));
    if is_brief {
        context
            .understood
            .iter()
            .for_each(|understood| writer.note(understood));
    }
    if checked.key_findings.is_empty() {
        writer.note(&language.say(Phrase::NoFinding));
    }
    writer.bullets(&checked.key_findings);

    write_contradictions(&mut writer, context, checked);
    if is_brief {
        add_coverage(&mut writer, context, cut);
    }

    write_analysis(&mut writer, context, checked);
    if context.is_comprehensive() && !checked.conclusion.is_empty() {
        writer.section(&heading(ReportPhrase::Conclusion));
        writer.paragraph(&checked.conclusion);
    }

    write_limitations(&mut writer, context, checked);
    if context.is_comprehensive() && !checked.suggestions.is_empty() {
        writer.section(&heading(ReportPhrase::FurtherResearch));
        writer.notes(&checked.suggestions);
    }
    writer.finish()
}

/// Writes the computed answer with what is shown beside it, what a language model adds, and how the
/// question was read.
fn write_answer(
    writer: &mut ReportWriter<'_>,
    context: &ReportContext<'_>,
    answer: &Answer,
    checked: &Checked<'_>,
) {
    let language = context.language;
    writer.section(&language.say(ReportPhrase::Answer));
    let is_brief = context.format == ReportFormat::BulletPoints;
    if is_brief {
        writer.bullets(&checked.answer);
    } else {
        writer.paragraph(&checked.answer);
    }

    if let (false, Some(table)) = (is_brief, &answer.table) {
        writer.chart(table);
    }
    if let Some(listed) = &answer.records {
        writer.records(&RecordList {
            caption: answer.title.clone(),
            aggregation: Some(listed.table.clone()),
            columns: listed.columns.clone(),
            sources: listed.sources.clone(),
            more: listed.more,
        });
    }

    // A language model's sentences follow what code computed.
    if context.author.is_some() && !context.is_comprehensive() {
        if is_brief {
            writer.bullets(&checked.key_findings);
        } else {
            writer.paragraph(&checked.summary);
            writer.bullets(&checked.key_findings);
        }
    }

    writer.section(&language.say(ReportPhrase::HowRead));
    context
        .understood
        .iter()
        .for_each(|understood| writer.note(understood));
    writer.notes(&answer.read_as);
}

/// Writes the contradictions, if there are any.
fn write_contradictions(
    writer: &mut ReportWriter<'_>,
    context: &ReportContext<'_>,
    checked: &Checked<'_>,
) {
    if context.contradictions.is_empty() {
        return;
    }
    writer.section(&context.language.say(ReportPhrase::Contradictions));
    writer.bullets(&checked.cited);
    writer.notes(&checked.uncited);
}

/// Writes the limitations, if there are any.
fn write_limitations(
    writer: &mut ReportWriter<'_>,
    context: &ReportContext<'_>,
    checked: &Checked<'_>,
) {
    if !checked.limitations.is_empty() {
        writer.section(&context.language.say(ReportPhrase::Limitations));
        writer.notes(&checked.limitations);
    }
}

/// Writes the sub-questions: with their sentences in a comprehensive report, else only whether each
/// one is answered.
fn write_analysis(
    writer: &mut ReportWriter<'_>,
    context: &ReportContext<'_>,
    checked: &Checked<'_>,
) {
    let language = context.language;
    if !checked.analysis.is_empty() {
        let heading = if context.is_comprehensive() {
            ReportPhrase::Analysis
        } else {
            ReportPhrase::Questions
        };
        writer.section(&language.say(heading));
    }

    for (question, sentences, answered) in &checked.analysis {
        // A model wrote the sub-question: an unknown number in it is not printed.
        let own = language.say(Phrase::SubQuestion { id: &question.id });
        let heading = if numbers_stand_in(&question.question, language, known_texts(context)) {
            &question.question
        } else {
            &own
        };

        let status = if *answered {
            QuestionStatus::Answered
        } else {
            QuestionStatus::NotAnswered
        };
        writer.question(heading, &question.id, status);
        if context.is_comprehensive() {
            writer.paragraph(sentences);
        }
    }
}

/// Checks sentences of a draft: returns those that hold, and keeps the failures of the others.
struct DraftVerifier<'a> {
    checker: Checker<'a>,
    withheld: Vec<Failure>,
}

impl DraftVerifier<'_> {
    /// Returns the statements that hold with evidence.
    fn strict(&mut self, statements: &[Statement]) -> Vec<Verified> {
        self.verify(statements, |checker, statement| checker.check(statement))
    }

    /// Returns the statements that hold, those without evidence included.
    fn loose(&mut self, statements: &[Statement]) -> Vec<Verified> {
        self.verify(statements, |checker, statement| {
            checker.check_loose(statement)
        })
    }

    /// Returns the statements of a computed answer that hold; none if the first one, which is the
    /// answer, does not.
    fn answer(&mut self, statements: &[Statement]) -> Vec<Verified> {
        let first = self.loose(&statements[..statements.len().min(1)]);
        if first.is_empty() {
            return first;
        }
        let others = self.loose(&statements[1..]);
        first.into_iter().chain(others).collect()
    }

    fn verify(
        &mut self,
        statements: &[Statement],
        check: impl Fn(&Checker<'_>, &Statement) -> Result<Verified, Failure>,
    ) -> Vec<Verified> {
        let mut kept = Vec::new();
        for statement in statements
            .iter()
            .filter(|statement| !statement.text.trim().is_empty())
        {
            match check(&self.checker, statement) {
                Ok(verified) => kept.push(verified),
                Err(failure) => {
                    if std::env::var("DEBUG_WITHHELD").is_ok() {
                        eprintln!("WITHHELD {failure}: {}", statement.text);
                    }
                    self.withheld.push(failure);
                }
            }
        }

        kept
    }
}

/// Returns a note as a sentence, with a capital letter and a full stop.
pub(crate) fn as_sentence(note: &str) -> String {
    let mut chars = note.trim_end_matches('.').chars();
    let first = chars.next().into_iter().flat_map(char::to_uppercase);
    first.chain(chars).chain(['.']).collect()
}

/// Returns the checked sentences of a sub-question, and whether it is answered: the draft says so
/// and a sentence with evidence is left. Drafts of short reports may lack the analysis; then the
/// gathered material decides.
fn section<'q>(
    question: &'q SubQuestion,
    draft: &ReportDraft,
    context: &ReportContext<'_>,
    verifier: &mut DraftVerifier<'_>,
) -> (&'q SubQuestion, Vec<Verified>, bool) {
    let Some(section) = draft
        .analysis
        .iter()
        .find(|section| section.question_id == question.id)
    else {
        let is_short = context.format != ReportFormat::ComprehensiveReport;
        return (
            question,
            Vec::new(),
            is_short && context.answered.contains(&question.id),
        );
    };

    let sentences = verifier.loose(&section.statements);
    let answered = section.answered
        && sentences
            .iter()
            .any(|sentence| !sentence.claims().is_empty());
    (question, sentences, answered)
}

fn add_coverage(writer: &mut ReportWriter<'_>, context: &ReportContext<'_>, cut: u64) {
    let (language, coverage) = (context.language, context.coverage);
    let is_all = !context.aggregations.is_empty()
        && coverage.fraction.is_some_and(|fraction| fraction >= 1.0);
    let confidence = confidence_words(language, context.confidence, context.judged_by, is_all);
    let computed = computed_line(context.ledger, language, &confidence);
    let line = computed
        .filter(|_| context.is_computed())
        .unwrap_or_else(|| {
            coverage_line(context.ledger, language, context.limit, cut, &confidence)
        });

    writer.coverage(&line, coverage.fetched, coverage.total, context.confidence);
}

/// Returns the limitations: those of the run first, then those of the draft.
fn limitations(
    context: &ReportContext<'_>,
    draft: &ReportDraft,
    withheld: &[Failure],
) -> Vec<String> {
    let language = context.language;
    let mut lines: Vec<String> = context
        .author
        .iter()
        .cloned()
        .chain(other_language(context))
        .collect();
    let is_computed = context.is_computed();
    let partial = limitation(context.ledger, language, context.limit);
    lines.extend(partial.filter(|_| !is_computed));

    lines.extend(
        context
            .coverage
            .stopped_early
            .as_ref()
            .filter(|_| !is_computed)
            .map(|reason| language.say(Phrase::EndedEarly { reason })),
    );
    lines.extend(
        context
            .notes
            .iter()
            .take(NOTES)
            .map(|note| as_sentence(note)),
    );
    if context.notes.len() > NOTES {
        lines.push(language.say(Phrase::FurtherNotes {
            count: (context.notes.len() - NOTES) as u64,
        }));
    }

    if !withheld.is_empty() {
        let reasons = reasons(withheld, language);
        lines.push(language.say(Phrase::Withheld {
            count: withheld.len() as u64,
            reasons: &reasons,
        }));
    }

    // What the offline model says of the records that it read does not concern a computed answer.
    let drafted = plain_sentences(&draft.limitations, context).into_iter();
    for line in drafted.filter(|_| !is_computed || context.author.is_some()) {
        if !lines.contains(&line) {
            lines.push(line);
        }
    }

    lines
}

/// Returns the note, in both languages, that the report is not in the language that was requested.
/// Only the offline model writes such reports.
fn other_language(context: &ReportContext<'_>) -> Option<String> {
    let wanted = context.wanted;
    if wanted == context.language {
        return None;
    }
    let english = context.language.say(Phrase::OfflineEnglish {
        language: wanted.name(),
    });
    if !wanted.has_catalogue() {
        return Some(english);
    }
    Some(format!(
        "{} {english}",
        wanted.say(Phrase::OfflineEnglish {
            language: wanted.own_name()
        })
    ))
}

/// Returns the reasons why sentences are withheld, by the kind of flaw. The sentences are not
/// repeated: they do not hold, and may come from untrusted text.
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

/// Returns the sentences without claims whose numbers are known from the run: from the coverage,
/// the field profile, the filters and the question.
fn plain_sentences(sentences: &[String], context: &ReportContext<'_>) -> Vec<String> {
    let mut known: Vec<String> = context.ledger.describe(context.limit);
    known.push(format!("{} {}", context.limit, context.coverage.fetched));
    known.extend(context.coverage.total.map(|total| total.to_string()));
    known.extend(
        context
            .profile
            .iter()
            .map(|f| format!("{} {} {} {}", f.field, f.missing, f.present, f.distinct)),
    );
    known.extend(
        context
            .filters
            .iter()
            .chain(&context.fields)
            .chain(&context.ranges)
            .cloned(),
    );
    known.push(context.question.to_owned());

    let is_known = |text: &&String| {
        numbers_stand_in(text, context.language, known.iter().map(String::as_str))
            && !text.trim().is_empty()
    };

    sentences.iter().filter(is_known).cloned().collect()
}

#[cfg(test)]
mod tests;
