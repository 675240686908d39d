//! Holds a sentence against the passages that it cites.

use std::collections::HashSet;
use std::ops::Range;

use crate::check::grounded::align::{Alignment, Unit};
use crate::check::grounded::judge::{Judged, judge};
use crate::check::grounded::lexicon::ENGLISH;
use crate::check::grounded::mismatch::Mismatch;
use crate::check::grounded::parse::Parsed;
use crate::check::grounded::token::Kind;
use crate::check::grounded::verdict::{Cited, Grounded, Grounding, Rules};
use crate::check::grounded::{other_languages, segments};
use crate::language::Language;
use crate::text::segment::sentences;

/// Number of earlier sentences that a pronoun can refer to.
const REFERRED: usize = 2;

/// Holds a sentence against the passages that it cites.
///
/// ```
/// use research_agents_report::check::grounded::{Cited, Grounded, Mismatch, ground};
/// use research_agents_report::language::Language;
///
/// let text = "The pump was inspected on 3 May 2024. It leaks because the seal is worn.";
/// let cited = [Cited::text("E1", "S1", text)];
/// let verdict = |sentence: &str| ground(sentence, Language::ENGLISH, &cited).verdict;
///
/// assert_eq!(verdict("The pump leaks because the seal is worn."), Grounded::Holds);
/// assert_eq!(verdict("On May 3, 2024 the pump was inspected."), Grounded::Holds);
/// assert_eq!(verdict(text), Grounded::Holds);
///
/// let date = verdict("The pump was inspected on 4 May 2024.");
/// assert!(matches!(date, Grounded::Fails(Mismatch::Value { .. })));
/// let denied = verdict("The pump does not leak.");
/// assert!(matches!(denied, Grounded::Fails(Mismatch::Denied { .. })));
/// let cause = verdict("The pump was inspected because it leaks.");
/// assert!(matches!(cause, Grounded::Fails(Mismatch::AddedCause { .. })));
/// assert_eq!(
///     verdict("The pump was repaired on 3 May 2024."),
///     Grounded::Unsure { missing: vec!["repaired".into()] }
/// );
/// ```
pub fn ground(sentence: &str, language: Language, cited: &[Cited<'_>]) -> Grounding {
    if cited.is_empty() {
        return Grounding {
            verdict: Grounded::Fails(Mismatch::NoPassage),
            rules: Rules::English,
            passages: Vec::new(),
        };
    }
    if let Some(passage) = repeated(sentence, cited) {
        return Grounding {
            verdict: Grounded::Holds,
            rules: Rules::English,
            passages: vec![passage.to_owned()],
        };
    }
    if language != Language::ENGLISH {
        return other_languages::ground(sentence, language, cited);
    }

    let said = Parsed::new(sentence, language);
    let units = units(cited, language);
    let verdict = |verdict: Grounded, units: &[&Unit]| {
        let mut passages: Vec<String> = Vec::new();
        for unit in units {
            let id = cited.get(unit.passage).map_or("", |cited| cited.id);
            if !passages.iter().any(|known| known == id) {
                passages.push(id.to_owned());
            }
        }
        Grounding {
            verdict,
            rules: Rules::English,
            passages,
        }
    };

    // One sentence of a passage carries it, unless another one that it repeats more refutes it.
    let mut nearest: Option<(Judged, &Unit)> = None;
    let mut carrier: Option<(Judged, &Unit)> = None;
    let mut refuted: Option<(Judged, &Unit)> = None;
    let mut doubtful: Option<(Judged, &Unit)> = None;
    let mut alignments = Vec::with_capacity(units.len());
    for unit in &units {
        let alignment = Alignment::new(&said, unit);
        let text = cited.get(unit.passage).map_or("", |cited| cited.text);
        let judged = judge(&said, unit, &alignment, text, |_| true);
        let more = |known: &Option<(Judged, &Unit)>| {
            known
                .as_ref()
                .is_none_or(|(known, _)| judged.repeats_more(known))
        };
        match &judged.verdict {
            Grounded::Holds if more(&carrier) => carrier = Some((judged.clone(), unit)),
            Grounded::Fails(mismatch) if mismatch.contradicts() && more(&refuted) => {
                refuted = Some((judged.clone(), unit));
            }
            Grounded::Unsure { .. } => {
                let known = doubtful.as_ref();
                if known.is_none_or(|(known, _)| judged.is_nearer(known)) {
                    doubtful = Some((judged.clone(), unit));
                }
            }
            _ => {}
        }
        if nearest
            .as_ref()
            .is_none_or(|(known, _)| judged.is_nearer(known))
        {
            nearest = Some((judged, unit));
        }
        alignments.push(alignment);
    }
    if let Some((held, unit)) = carrier {
        return match refuted.filter(|(judged, _)| judged.repeats_more(&held)) {
            Some((judged, unit)) => verdict(judged.verdict, &[unit]),
            None => verdict(Grounded::Holds, &[unit]),
        };
    }

    // Else each of its parts must be carried by one.
    if let Some((found, carriers)) = segments::ground(&said, &units, &alignments, cited) {
        return verdict(found, &carriers);
    }
    // A value or a denial of one sentence may be a doubt by another one that has as many of the
    // words, or one less where the value is in another sentence.
    if let Some((failed, _)) = &nearest
        && let Grounded::Fails(mismatch @ (Mismatch::Value { .. } | Mismatch::Denied { .. })) =
            &failed.verdict
        && let Some((judged, unit)) = doubtful
        && judged.has_as_many(failed, matches!(mismatch, Mismatch::Value { .. }))
    {
        return verdict(judged.verdict, &[unit]);
    }
    match nearest {
        Some((judged, unit)) => verdict(judged.verdict, &[unit]),
        None => verdict(
            Grounded::Fails(Mismatch::NotCarried {
                missing: vec![sentence.to_owned()],
            }),
            &[],
        ),
    }
}

/// Returns the id of the passage of which a string repeats several whole sentences that follow each
/// other, word for word: a term and its definition. A dash may separate them.
fn repeated<'c>(said: &str, cited: &'c [Cited<'_>]) -> Option<&'c str> {
    let parts = |text: &str| -> Vec<String> {
        let parts = text.split_whitespace().filter(|part| *part != "—");
        parts.map(str::to_owned).collect()
    };
    let said = parts(said);
    let of_passage = |cited: &&Cited<'_>| {
        let ranges = sentences(cited.text);
        let is_quoted =
            |range: &&Range<usize>| range.start < cited.quote.end && cited.quote.start < range.end;
        let ranges: Vec<Vec<String>> = ranges
            .iter()
            .filter(is_quoted)
            .map(|range| parts(&cited.text[range.clone()]))
            .collect();

        (0..ranges.len()).any(|start| {
            let mut rest = said.as_slice();
            let mut count = 0;
            for range in &ranges[start..] {
                match rest.strip_prefix(range.as_slice()) {
                    Some(after) => rest = after,
                    None => break,
                }
                count += 1;
            }
            count > 1 && rest.is_empty()
        })
    };
    cited.iter().find(of_passage).map(|cited| cited.id)
}

/// Takes the quoted sentences of the passages apart.
fn units(cited: &[Cited<'_>], language: Language) -> Vec<Unit> {
    let mut found = Vec::new();
    for (passage, cited) in cited.iter().enumerate() {
        let mut headings = HashSet::new();
        let mut given = Vec::new();
        for heading in &cited.headings {
            let parsed = Parsed::new(heading, language);
            add_words(&parsed, &mut headings);
            given.extend(parsed.values.into_iter().map(|typed| typed.value));
        }

        let parsed: Vec<(Range<usize>, Parsed)> = sentences(cited.text)
            .into_iter()
            .map(|range| (range.clone(), Parsed::new(&cited.text[range], language)))
            .collect();
        for (at, (range, own)) in parsed.iter().enumerate() {
            if range.start >= cited.quote.end || cited.quote.start >= range.end {
                continue;
            }
            let mut context = headings.clone();
            if refers_back(own) {
                for (_, earlier) in &parsed[at.saturating_sub(REFERRED)..at] {
                    add_words(earlier, &mut context);
                }
            }
            found.push(Unit {
                parsed: own.clone(),
                context,
                given: given.clone(),
                passage,
            });
        }
    }
    found
}

/// Adds the content words of a sentence.
fn add_words(parsed: &Parsed, words: &mut HashSet<String>) {
    for token in &parsed.tokens {
        if token.is_content() {
            words.insert(token.lower.clone());
            words.insert(token.stem.clone());
        }
    }
}

/// Returns whether a sentence refers to what is before it: by a pronoun, or because it has no
/// subject.
fn refers_back(parsed: &Parsed) -> bool {
    const PRONOUNS: &str = "it its they them their theirs this these those he she his her him such \
        former latter itself themselves";
    let is_pronoun = |word: &str| PRONOUNS.split_whitespace().any(|pronoun| pronoun == word);
    let mut words = parsed.tokens.iter().filter(|token| token.is_word());
    let first = parsed.tokens.iter().find(|token| token.is_word());
    let is_fragment = first.is_some_and(|token| {
        !token.is_capital || token.kind == Kind::Content && ENGLISH.is_verb(&token.stem)
    });
    is_fragment || words.any(|token| is_pronoun(&token.lower))
}
