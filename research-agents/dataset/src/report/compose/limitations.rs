//! Writes the limitations: those of the run, withheld sentences, and those of the draft.

use std::collections::BTreeMap;

use research_agents_report::check::{Failure, Flaw, numbers_stand_in};
use research_agents_report::language::Language;

use crate::data::phrase::Phrase;
use crate::data::record::ReportDraft;
use crate::report::compose::context::ReportContext;
use crate::report::read::limitation;

/// The maximum number of notes of the run that the limitations repeat.
const NOTES: usize = 8;

/// Returns the limitations: those of the run first, then those of the draft.
pub(crate) fn limitations(
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
pub(crate) fn plain_sentences(sentences: &[String], context: &ReportContext<'_>) -> Vec<String> {
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

/// Returns a note as a sentence, with a capital letter and a full stop.
pub(crate) fn as_sentence(note: &str) -> String {
    let mut chars = note.trim_end_matches('.').chars();
    let first = chars.next().into_iter().flat_map(char::to_uppercase);
    first.chain(chars).chain(['.']).collect()
}
