//! Turns a draft into the report: every sentence is checked. Sentences that hold are printed with
//! their citations; the others are counted among the limitations.

pub(crate) mod checked;
pub(crate) mod context;
pub(crate) mod limitations;

use research_agents_report::check::numbers_stand_in;
use research_agents_report::document::{QuestionStatus, RecordList, Report, ReportWriter};
use research_agents_report::evidence::Evidence;
use research_agents_report::language::Phrase as ReportPhrase;

use crate::data::phrase::Phrase;
use crate::data::record::{ReportDraft, ReportFormat};
use crate::found::charts::table_view;
use crate::offline::answer::answered::Answer;
use crate::report::compose::checked::{Checked, check};
use crate::report::compose::context::ReportContext;
use crate::report::read::{computed_line, confidence_words, coverage_line, record_note};

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

/// Writes the report of a checked draft.
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
    let numbers_known = numbers_stand_in(drafted, language, context.known_texts());
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

/// Writes the computed answer with what is shown with it, what a language model adds, and how the
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
        let heading = if numbers_stand_in(&question.question, language, context.known_texts()) {
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

/// Writes how many records the report rests on, and its confidence.
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

#[cfg(test)]
mod tests;
