//! Holds a sentence against the passages that it cites.

use std::collections::HashSet;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::check::grounded::align::{Alignment, Link, Unit};
use crate::check::grounded::lexicon::ENGLISH;
use crate::check::grounded::mismatch::Mismatch;
use crate::check::grounded::parse::Parsed;
use crate::check::grounded::token::Kind;
use crate::check::grounded::{
    conditions, denied, hedges, numbers, order, other_languages, replaced, segments,
};
use crate::check::quote;
use crate::language::Language;
use crate::passage::{Document, Passage};
use crate::text::segment::sentences;

/// The least share of the words of a sentence that its passage must have. Below it, the passage is
/// about something else.
const CARRIED: f64 = 0.5;

/// Number of earlier sentences that a pronoun can refer to.
const REFERRED: usize = 2;

/// Whether a sentence follows from its passages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Grounded {
    /// It follows, as far as the rules see.
    Holds,
    /// Nothing speaks against it, but some of its words are in no passage.
    Unsure {
        /// The words without support, as they are written.
        missing: Vec<String>,
    },
    /// It does not follow.
    Fails(Mismatch),
}

impl Grounded {
    /// Returns whether a system that prints at this strictness prints the sentence.
    pub fn is_printed(&self, strictness: Strictness) -> bool {
        match self {
            Self::Holds => true,
            Self::Unsure { .. } => strictness == Strictness::Unsure,
            Self::Fails(_) => false,
        }
    }
}

/// The verdict that a system needs to print a sentence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Strictness {
    /// Only sentences that hold.
    #[default]
    Holds,
    /// Also sentences that are unsure.
    Unsure,
}

/// The rules by which a sentence was checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rules {
    /// All rules: numbers, names, words, negations, opposites, order, causes and conditions.
    English,
    /// Numbers, names, quotes and the share of common words, for other languages. What is denied or
    /// exchanged is not seen.
    NumbersAndNames,
}

/// The outcome of a check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grounding {
    /// The verdict.
    pub verdict: Grounded,
    /// The rules that were used.
    pub rules: Rules,
    /// Ids of the passages that carry the sentence, or that come nearest to it.
    pub passages: Vec<String>,
}

/// A passage that a sentence cites, with the part of it that the sentence quotes.
#[derive(Clone, Debug)]
pub struct Cited<'p> {
    /// Id of the passage.
    pub id: &'p str,
    /// Id of its document.
    pub source: &'p str,
    /// Its text.
    pub text: &'p str,
    /// The range of the text that is quoted: only sentences in it carry the claim.
    pub quote: Range<usize>,
    /// The headings above it and the title of the document.
    pub headings: Vec<&'p str>,
}

impl<'p> Cited<'p> {
    /// Cites a whole text without headings.
    pub fn text(id: &'p str, source: &'p str, text: &'p str) -> Self {
        Self {
            id,
            source,
            text,
            quote: 0..text.len(),
            headings: Vec::new(),
        }
    }

    /// Cites a part of a passage.
    pub fn passage(passage: &'p Passage, document: &'p Document, quote: Range<usize>) -> Self {
        let mut headings: Vec<&str> = vec![document.title.for_code()];
        headings.extend(passage.found.section.iter().map(String::as_str));
        Self {
            id: &passage.id,
            source: &passage.source,
            text: passage.text.for_code(),
            quote,
            headings,
        }
    }
}

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

    // One sentence of a passage carries it, or none does.
    let mut nearest: Option<(Judged, &Unit)> = None;
    let mut alignments = Vec::with_capacity(units.len());
    for unit in &units {
        let alignment = Alignment::new(&said, unit);
        let text = cited.get(unit.passage).map_or("", |cited| cited.text);
        let judged = judge(&said, unit, &alignment, text, |_| true);
        if judged.verdict == Grounded::Holds {
            return verdict(Grounded::Holds, &[unit]);
        }
        if nearest
            .as_ref()
            .is_none_or(|(known, _)| judged.is_nearer(known))
        {
            nearest = Some((judged, unit));
        }
        alignments.push(alignment);
    }

    // Else each of its parts must be carried by one.
    if let Some((found, carriers)) = segments::ground(&said, &units, &alignments, cited) {
        return verdict(found, &carriers);
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

/// The verdict of one unit, with how many words it has.
#[derive(Clone, Debug)]
pub(crate) struct Judged {
    pub(crate) verdict: Grounded,
    covered: usize,
}

impl Judged {
    /// Returns whether it says more about the sentence than another one.
    fn is_nearer(&self, other: &Self) -> bool {
        let rank = |judged: &Self| match judged.verdict {
            Grounded::Holds => 2,
            Grounded::Unsure { .. } => 1,
            Grounded::Fails(_) => 0,
        };
        (self.covered, rank(self)) > (other.covered, rank(other))
    }
}

/// Judges a part of a sentence by one unit.
pub(crate) fn judge(
    said: &Parsed,
    unit: &Unit,
    alignment: &Alignment,
    passage: &str,
    within: impl Fn(usize) -> bool + Copy,
) -> Judged {
    let coverage = alignment.coverage(within);
    let (covered, all) = (coverage.unit + coverage.context, coverage.all);
    let fails = |mismatch| Judged {
        verdict: Grounded::Fails(mismatch),
        covered,
    };

    // Names and quotes.
    let mut missing: Vec<String> = Vec::new();
    let mut name = None;
    for (at, token) in said.tokens.iter().enumerate().filter(|(at, _)| within(*at)) {
        if alignment.link(at) != Some(Link::Missing) {
            continue;
        }
        let is_name = matches!(token.kind, Kind::Name | Kind::Code)
            || token.is_capital && !ENGLISH.knows(&token.stem);
        if is_name && name.is_none() {
            name = Some(said.shown(at).to_owned());
        }
        let beside = |at: Option<usize>| {
            let token = at.and_then(|at| said.tokens.get(at));
            token.is_some_and(|token| matches!(token.kind, Kind::Code | Kind::Name))
        };
        let is_kind = ENGLISH.is_kind(&token.stem)
            && (beside(at.checked_sub(1)) || beside(Some(at + 1)) || beside(at.checked_sub(2)));
        if !ENGLISH.may_be_added(&token.stem) && !is_kind {
            missing.push(said.shown(at).to_owned());
        }
    }
    let has_values = said
        .tokens
        .iter()
        .enumerate()
        .any(|(at, token)| within(at) && matches!(token.kind, Kind::Number(_)));
    #[expect(clippy::cast_precision_loss, reason = "a sentence has few words")]
    let share = |count: usize| count as f64 / all.max(1) as f64;
    // The unit itself must say something of it, and not only what it refers to.
    let is_about = share(coverage.unit) >= CARRIED && share(covered) >= CARRIED;
    if !is_about && all > 0 || all == 0 && !has_values {
        return fails(Mismatch::NotCarried { missing });
    }
    if let Some(name) = name.or_else(|| unquoted(said, passage, within)) {
        return fails(Mismatch::Name { name });
    }

    // What the words say together.
    let checked = numbers::check(said, unit, alignment, within, &mut missing)
        .and_then(|()| denied::check(said, unit, alignment, within))
        .and_then(|()| replaced::check(said, unit, alignment, within, &mut missing))
        .and_then(|()| order::check(said, unit, alignment, within))
        .and_then(|()| conditions::check_causes(said, unit, alignment, within))
        .and_then(|()| conditions::check_conditions(said, unit, alignment, within, &mut missing));
    if let Err(mismatch) = checked {
        return fails(mismatch);
    }
    strong_words(said, unit, within, &mut missing);
    hedges::check(said, unit, alignment, within, &mut missing);

    let verdict = if missing.is_empty() {
        Grounded::Holds
    } else {
        missing.dedup();
        Grounded::Unsure { missing }
    };
    Judged { verdict, covered }
}

/// Returns the first part in quotation marks that is not in the passage word for word.
fn unquoted(said: &Parsed, passage: &str, within: impl Fn(usize) -> bool) -> Option<String> {
    let mut open: Option<(usize, char)> = None;
    for (at, token) in said.tokens.iter().enumerate() {
        let Kind::Mark(c) = token.kind else { continue };
        match (open, c) {
            (None, '“' | '"' | '«' | '„') => {
                let close = match c {
                    '“' => '”',
                    '„' => '“',
                    '«' => '»',
                    _ => '"',
                };
                open = Some((at, close));
            }
            (Some((start, close)), c) if c == close => {
                open = None;
                let first = said.tokens[start].at.end;
                let quoted = said.text.get(first..token.at.start).unwrap_or_default();
                let bare = quoted.trim_end_matches([',', '.']);
                let is_there = quote::find(passage, bare, None).is_some();
                let has_words = quoted.contains(char::is_alphanumeric);
                if within(start) && has_words && !is_there {
                    return Some(quoted.to_owned());
                }
            }
            _ => {}
        }
    }
    None
}

/// Adds words that a sentence may not add, such as *all* and *only*.
fn strong_words(
    said: &Parsed,
    unit: &Unit,
    within: impl Fn(usize) -> bool,
    missing: &mut Vec<String>,
) {
    for (at, token) in said.tokens.iter().enumerate() {
        if !within(at) || !matches!(token.kind, Kind::Function | Kind::Content) {
            continue;
        }
        let Some(group) = ENGLISH.strong(&token.lower) else {
            continue;
        };
        let is_there = group.iter().any(|word| {
            unit.context.contains(*word)
                || unit.parsed.tokens.iter().any(|held| held.lower == *word)
        });
        // *not … all* and the like are the matter of negations.
        let is_negation = ENGLISH.negates(&token.lower);
        if !is_there && !is_negation {
            missing.push(said.shown(at).to_owned());
        }
    }
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
