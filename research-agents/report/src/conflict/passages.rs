//! Contradictions between passages of any system: statements of two documents whose numbers, dates,
//! versions or negations cannot both be right. Both sides are kept, and none is preferred.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::check::grounded::align::{Alignment, Link, Unit};
use crate::check::grounded::lexicon::{ENGLISH, Relation};
use crate::check::grounded::parse::Parsed;
use crate::check::grounded::rules::denied;
use crate::check::grounded::token::{Kind, Token};
use crate::conflict::frames::{differing_in_frame, is_comparable};
use crate::conflict::lexicon::Words;
use crate::conflict::numbered::number_others;
use crate::language::Language;
use crate::passage::{Document, Passage};
use crate::text::segment::sentences;
use crate::trust::value::{Bound, Sameness, Typed, Value, compare};

/// The least share of words of the shorter statement that both must have.
const ALIKE: f64 = 0.6;
/// The same for negations, where no value is compared.
const ALIKE_DENIED: f64 = 0.75;
/// Number of common content words that two statements must have; one is enough for a statement with
/// few.
const COMMON: usize = 2;
const FEW: usize = 3;
/// Words by which a bound is a rule and not an estimate: *must have at least 8 characters*.
const RULES: [&str; 8] = [
    "must", "may", "need", "needs", "require", "requires", "required", "allowed",
];
/// Words that tell one thing from others of its kind.
const DISTINGUISHING: [&str; 36] = [
    "larger",
    "smaller",
    "bigger",
    "longer",
    "shorter",
    "upper",
    "lower",
    "inner",
    "outer",
    "northern",
    "southern",
    "eastern",
    "western",
    "north",
    "south",
    "east",
    "west",
    "left",
    "right",
    "front",
    "rear",
    "first",
    "second",
    "third",
    "next",
    "previous",
    "older",
    "newer",
    "primary",
    "secondary",
    "main",
    "other",
    "another",
    "former",
    "latter",
    "average",
];
/// Verbs of which one thing may have several objects: *supports TLS 1.2*, *supports TLS 1.3*.
const SEVERAL: [&str; 7] = [
    "support",
    "include",
    "accept",
    "contain",
    "offer",
    "provide",
    "understand",
];
/// Maximum number of statements with a common word that are compared.
const COMPARED: usize = 200;

/// What two statements disagree about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ConflictKind {
    /// A number.
    Number,
    /// A date.
    Date,
    /// A version, or a value of documents about different versions or dates.
    Version,
    /// One denies what the other one states.
    Negation,
}

/// One side of a conflict.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Side {
    /// Id of the passage.
    pub passage: String,
    /// Id of the document.
    pub source: String,
    /// The statement, as it is in the passage.
    pub text: String,
    /// Its place in the passage, in bytes.
    pub span: Range<usize>,
    /// The value, as written. Empty for a negation.
    pub value: String,
    /// The date of the document, if it states one.
    pub date: Option<String>,
    /// The version of the document, if it states one.
    pub version: Option<String>,
}

/// Two statements that cannot both be right.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Conflict {
    /// What they disagree about.
    pub kind: ConflictKind,
    /// Both sides, in the order of the passages.
    pub sides: [Side; 2],
    /// Index of the side with the newer document, if both state a date or a version.
    pub newer: Option<usize>,
}

/// A sentence that was parsed.
#[derive(Clone, Debug)]
struct Sentence {
    span: Range<usize>,
    unit: Unit,
    stems: HashSet<String>,
}

/// A statement of a passage.
struct Statement<'p> {
    passage: &'p Passage,
    document: &'p Document,
    span: &'p Range<usize>,
    unit: &'p Unit,
}

impl<'p> Statement<'p> {
    fn new(passage: &'p Passage, document: &'p Document, sentence: &'p Sentence) -> Self {
        Self {
            passage,
            document,
            span: &sentence.span,
            unit: &sentence.unit,
        }
    }
}

/// Returns the conflicts between passages of different documents, in the order of the passages.
/// Words are compared by the rules of English; values of all languages.
pub fn between_passages(passages: &[(&Passage, &Document)]) -> Vec<Conflict> {
    let parsed: Vec<Vec<Sentence>> = passages
        .iter()
        .map(|(passage, document)| sentences_of(passage.text.for_code(), document.language))
        .collect();
    let statements: Vec<(usize, &Sentence)> = parsed
        .iter()
        .enumerate()
        .flat_map(|(at, sentences)| sentences.iter().map(move |one| (at, one)))
        .collect();
    let sentences: Vec<&Sentence> = statements.iter().map(|(_, sentence)| *sentence).collect();

    let mut found = Vec::new();
    for (a, b) in near(&sentences) {
        let [a, b] = [a, b].map(|at| {
            let (passage, sentence) = statements[at];
            let (passage, document) = passages[passage];
            Statement::new(passage, document, sentence)
        });
        if a.document.id == b.document.id && a.document.hash == b.document.hash {
            continue;
        }
        found.extend(conflict(&a, &b));
    }
    found
}

/// Returns the pairs of sentences with enough common words to be compared, in their order.
fn near(sentences: &[&Sentence]) -> Vec<(usize, usize)> {
    let mut by_stem: HashMap<&str, Vec<usize>> = HashMap::new();
    for (index, sentence) in sentences.iter().enumerate() {
        for stem in &sentence.stems {
            by_stem.entry(stem).or_default().push(index);
        }
    }
    let mut pairs: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    for indices in by_stem.values() {
        for (at, a) in indices.iter().take(COMPARED).enumerate() {
            for b in indices.iter().take(COMPARED).skip(at + 1) {
                *pairs.entry((*a, *b)).or_default() += 1;
            }
        }
    }

    let few =
        |(a, b): (usize, usize)| sentences[a].stems.len().min(sentences[b].stems.len()) <= FEW;
    let near = pairs
        .into_iter()
        .filter(|(pair, common)| *common >= COMMON || few(*pair));
    near.map(|(pair, _)| pair).collect()
}

/// A string that is compared with many others, and parsed once.
///
/// ```
/// use research_agents_report::conflict::{Comparable, ConflictKind};
/// use research_agents_report::language::Language;
///
/// let six = Comparable::new("The backup takes 6 hours.", Language::ENGLISH);
/// let nine = Comparable::new("The backup takes 9 hours.", Language::ENGLISH);
/// assert_eq!(six.conflict_with(&nine), Some(ConflictKind::Number));
/// ```
#[derive(Clone, Debug)]
pub struct Comparable {
    passage: Passage,
    document: Document,
    sentences: Vec<Sentence>,
}

impl Comparable {
    /// Parses a string.
    pub fn new(text: &str, language: Language) -> Self {
        let mut document = Document::new("", text);
        document.language = language;
        Self {
            passage: Passage {
                text: text.to_owned().into(),
                ..Passage::default()
            },
            document,
            sentences: sentences_of(text, language),
        }
    }

    /// Returns whether the texts are in conflict, and about what.
    pub fn conflict_with(&self, other: &Self) -> Option<ConflictKind> {
        let sentences: Vec<&Sentence> = self.sentences.iter().chain(&other.sentences).collect();
        let own = self.sentences.len();
        let across = near(&sentences).into_iter();
        let mut across = across.filter(|(a, b)| *a < own && own <= *b);

        across.find_map(|(a, b)| {
            let a = Statement::new(&self.passage, &self.document, sentences[a]);
            let b = Statement::new(&other.passage, &other.document, sentences[b]);
            Some(conflict(&a, &b)?.kind)
        })
    }
}

/// Returns whether two single statements are in conflict, and about what.
pub fn between_statements(a: &str, b: &str, language: Language) -> Option<ConflictKind> {
    Comparable::new(a, language).conflict_with(&Comparable::new(b, language))
}

/// Parses the sentences of a string.
fn sentences_of(text: &str, language: Language) -> Vec<Sentence> {
    let ranges = sentences(text).into_iter();
    ranges
        .map(|span| {
            let parsed = Parsed::new(&text[span.clone()], language);
            let content = parsed.tokens.iter().filter(|token| token.is_content());

            Sentence {
                span,
                stems: content.map(|token| token.stem.clone()).collect(),
                unit: Unit {
                    parsed,
                    context: HashSet::new(),
                    given: Vec::new(),
                    passage: 0,
                },
            }
        })
        .filter(|sentence| !is_open(&sentence.unit.parsed))
        .collect()
}

/// Returns whether a sentence states nothing that another one can contradict: a question, a
/// possibility, a condition, or what was so at another time.
fn is_open(parsed: &Parsed) -> bool {
    let is_past = |word: &str| {
        matches!(
            word,
            "formerly" | "previously" | "originally" | "initially" | "earlier" | "longer"
        )
    };
    // *May* is a month, and *may have at most 100* a limit.
    let hedges = |token: &Token| {
        let is_word = matches!(token.kind, Kind::Function | Kind::Content);
        let is_limit = token.lower == "may" && parsed.values.iter().any(|one| is_bound(&one.value));
        is_word && !is_limit && ENGLISH.hedges(&token.lower)
    };
    parsed.text.trim_end().ends_with('?')
        || parsed
            .tokens
            .iter()
            .any(|token| hedges(token) || token.lower == "if" || is_past(&token.lower))
}

/// Returns whether a value is a lower or upper bound.
fn is_bound(value: &Value) -> bool {
    match value {
        Value::Number(quantity) => matches!(quantity.bound, Bound::AtLeast | Bound::AtMost),
        _ => false,
    }
}

/// Returns whether two values are bounds of one rule that differ: *at least 8* and *at least 12*
/// agree as estimates, and not as what is required.
fn rules_differ(said: &Parsed, held: &Parsed, a: &Value, b: &Value) -> bool {
    let states_rule = |parsed: &Parsed| {
        let mut tokens = parsed.tokens.iter();
        tokens.any(|token| RULES.contains(&token.lower.as_str()))
    };
    let (Value::Number(first), Value::Number(second)) = (a, b) else {
        return false;
    };
    is_bound(a)
        && first.bound == second.bound
        && (first.low, first.high) != (second.low, second.high)
        && states_rule(said)
        && states_rule(held)
}

/// Compares two statements: word by word, and by the property that they state.
fn conflict(a: &Statement<'_>, b: &Statement<'_>) -> Option<Conflict> {
    let (said, held) = (&a.unit.parsed, &b.unit.parsed);
    if distinguishing(said) != distinguishing(held) || number_others(said, held) {
        return None;
    }
    in_words(a, b).or_else(|| in_frames(a, b))
}

/// Returns the words that tell one thing from others of its kind: *the larger engine*.
fn distinguishing(parsed: &Parsed) -> HashSet<&str> {
    let words = parsed.tokens.iter().map(|token| token.lower.as_str());
    words.filter(|word| DISTINGUISHING.contains(word)).collect()
}

/// Finds values of one property that differ, also where it is stated in different words.
fn in_frames(a: &Statement<'_>, b: &Statement<'_>) -> Option<Conflict> {
    let (said, held) = (&a.unit.parsed, &b.unit.parsed);
    let (first, second) = differing_in_frame(said, held)?;
    let (first, second) = (&said.values[first], &held.values[second]);
    Some(made(a, b, kind(first, second), first, second))
}

/// Returns what two values disagree about.
fn kind(first: &Typed, second: &Typed) -> ConflictKind {
    match (&first.value, &second.value) {
        (Value::Version(_), _) | (_, Value::Version(_)) => ConflictKind::Version,
        (Value::Date(_), Value::Date(_)) => ConflictKind::Date,
        _ => ConflictKind::Number,
    }
}

/// Compares two statements word by word.
fn in_words(a: &Statement<'_>, b: &Statement<'_>) -> Option<Conflict> {
    let (said, held) = (&a.unit.parsed, &b.unit.parsed);
    // Values must differ, or there must be as many of them for one to deny the other.
    let all_same = said.values.len() == held.values.len();
    if !all_same && !has_different(said, held) {
        return None;
    }
    let there = Alignment::new(said, b.unit);
    if share(&there) < ALIKE / 2.0 {
        return None;
    }
    let back = Alignment::new(held, a.unit);
    let (share, other_share) = (share(&there), share(&back));
    let (most, least) = (share.max(other_share), share.min(other_share));

    // The same thing under the same conditions.
    if most < ALIKE
        || least < ALIKE / 2.0
        || about_others(said, &there) && about_others(held, &back)
    {
        return None;
    }
    // Each has a word that the other one lacks: *the minimum version*, *the recommended version*.
    let lacks = |alignment: &Alignment| alignment.links.contains(&Some(Link::Missing));
    if lacks(&there) && lacks(&back) && most <= ALIKE_DENIED {
        return None;
    }

    // Two opposites are two things: *inclusive for the lower bound*, *exclusive for the upper*.
    let opposites = |alignment: &Alignment| {
        let links = alignment.links.iter();
        links
            .filter(|link| matches!(link, Some(Link::Found(_, Relation::Opposite))))
            .count()
    };
    let opposed = |alignment: &Alignment| opposites(alignment) > 0;
    if opposites(&there) > 1 || opposites(&back) > 1 {
        return None;
    }

    let differing = differing(said, held, &there);
    if let Some((first, second)) = differing {
        if is_one_of_several(said, first) && is_one_of_several(held, second) {
            return None;
        }
        if opposed(&there) || opposed(&back) || times_differ(said, held, first, second) {
            return None;
        }
        let (first, second) = (&said.values[first], &held.values[second]);
        return Some(made(a, b, kind(first, second), first, second));
    }

    // Without differing values, one must deny what the other one states.
    let is_denied = denied::check(said, b.unit, &there, |_| true).is_err();
    if all_same && least >= ALIKE_DENIED && is_denied {
        return Some(Conflict {
            kind: ConflictKind::Negation,
            sides: [side(a, ""), side(b, "")],
            newer: newer(a.document, b.document),
        });
    }
    None
}

/// Returns whether any two values, one of each statement, cannot both be right.
fn has_different(said: &Parsed, held: &Parsed) -> bool {
    said.values.iter().any(|a| {
        held.values.iter().any(|b| {
            is_comparable(&a.value, &b.value)
                && (compare(&a.value, &b.value) == Sameness::Different
                    || rules_differ(said, held, &a.value, &b.value))
        })
    })
}

/// Returns whether a value belongs to a name that is one of several objects of a verb.
fn is_one_of_several(parsed: &Parsed, value: usize) -> bool {
    let tokens = &parsed.tokens;
    let first = tokens
        .iter()
        .position(|token| token.kind == Kind::Number(value));
    let before = first.and_then(|at| tokens.get(at.checked_sub(1)?));
    let is_named = before.is_some_and(|token| matches!(token.kind, Kind::Name | Kind::Code));
    let has_verb = || {
        let mut stems = SEVERAL.iter().map(|verb| ENGLISH.stem(verb));
        stems.any(|verb| tokens.iter().any(|token| token.stem == verb))
    };
    is_named && has_verb()
}

/// Returns the share of the content words of a statement that the other one has.
#[expect(clippy::cast_precision_loss, reason = "a sentence has few words")]
fn share(alignment: &Alignment) -> f64 {
    let coverage = alignment.coverage(|_| true);
    coverage.unit as f64 / coverage.all.max(1) as f64
}

/// Returns whether a statement names something that the other one does not.
fn about_others(said: &Parsed, alignment: &Alignment) -> bool {
    said.tokens.iter().enumerate().any(|(at, token)| {
        let is_name = matches!(token.kind, Kind::Name | Kind::Code)
            || token.is_capital && token.is_content() && !ENGLISH.knows(&token.stem);
        is_name && !matches!(alignment.link(at), Some(Link::Found(..)))
    })
}

/// Returns the values, one of each statement, that cannot both be right: of one type and unit,
/// where neither statement has another one of them that fits.
fn differing(said: &Parsed, held: &Parsed, alignment: &Alignment) -> Option<(usize, usize)> {
    let mut found = None;
    for (first, a) in said.values.iter().enumerate() {
        let alike: Vec<usize> = (0..held.values.len())
            .filter(|second| is_comparable(&a.value, &held.values[*second].value))
            .collect();
        let agrees = |second: &usize| {
            let value = &held.values[*second].value;
            compare(&a.value, value) != Sameness::Different
                && !rules_differ(said, held, &a.value, value)
        };
        if alike.is_empty() || alike.iter().any(agrees) {
            continue;
        }

        // Of several, the one of the same thing, else the only one that nothing agrees with.
        let open: Vec<usize> = alike
            .into_iter()
            .filter(|second| {
                !said.values.iter().any(|other| {
                    let value = &held.values[*second].value;
                    is_comparable(&other.value, value)
                        && compare(&other.value, value) != Sameness::Different
                        && !rules_differ(said, held, &other.value, value)
                })
            })
            .collect();
        let owner = |parsed: &Parsed, value: usize| {
            let last = parsed
                .tokens
                .iter()
                .rposition(|token| token.kind == Kind::Number(value))?;
            let mut after = (last + 1..parsed.tokens.len()).take(4);
            after.find(|at| parsed.tokens[*at].is_content())
        };
        let same_owner = |second: &usize| match (owner(said, first), owner(held, *second)) {
            (Some(a), Some(b)) => alignment.same(a) == Some(b) || open.len() == 1,
            _ => open.len() == 1,
        };
        let second = open.iter().find(|second| same_owner(second)).copied();
        if let Some(second) = second {
            // Another date or version next to another number is another time of one thing.
            let is_date = |value: &Value| matches!(value, Value::Date(_) | Value::Version(_));
            match found {
                None => found = Some((first, second)),
                Some((known, _)) if is_date(&said.values[known].value) != is_date(&a.value) => {
                    return None;
                }
                Some(_) => {}
            }
        }
    }
    found
}

/// Returns whether the statements are about different times: another date than the values that
/// differ is in one of them and not in the other one, or a word for a change.
fn times_differ(said: &Parsed, held: &Parsed, first: usize, second: usize) -> bool {
    let dates = |parsed: &Parsed, except: usize| -> Vec<Value> {
        let values = parsed.values.iter().enumerate();
        let dates = values.filter(|(at, typed)| {
            *at != except && matches!(typed.value, Value::Date(_) | Value::Version(_))
        });
        dates.map(|(_, typed)| typed.value.clone()).collect()
    };

    let (a, b) = (dates(said, first), dates(held, second));
    let within = |a: &[Value], b: &[Value]| {
        a.iter().all(|value| {
            b.iter()
                .any(|other| compare(value, other) != Sameness::Different)
        })
    };
    let changes = |parsed: &Parsed| {
        parsed
            .tokens
            .iter()
            .filter(|token| Words::Change.contain(&token.lower))
            .map(|token| token.lower.clone())
            .collect::<HashSet<_>>()
    };

    let is_same = within(&a, &b) && within(&b, &a);
    let is_dated = !(is_same || a.is_empty() || b.is_empty());
    // Two dates are the ends of a period.
    let is_date = |value: &Value| matches!(value, Value::Date(_));
    let is_period =
        is_date(&said.values[first].value) && a.iter().any(is_date) && b.iter().any(is_date);
    is_dated || is_period || changes(said) != changes(held)
}

/// Creates a conflict of two values.
fn made(
    a: &Statement<'_>,
    b: &Statement<'_>,
    kind: ConflictKind,
    first: &Typed,
    second: &Typed,
) -> Conflict {
    let newer = newer(a.document, b.document);
    let versions = (&a.document.origin.version, &b.document.origin.version);
    let kind = match versions {
        (Some(a), Some(b)) if a != b => ConflictKind::Version,
        _ => kind,
    };

    Conflict {
        kind,
        sides: [
            side(a, &a.unit.parsed.text[first.span.clone()]),
            side(b, &b.unit.parsed.text[second.span.clone()]),
        ],
        newer,
    }
}

fn side(statement: &Statement<'_>, value: &str) -> Side {
    let origin = &statement.document.origin;
    Side {
        passage: statement.passage.id.clone(),
        source: statement.passage.source.clone(),
        text: statement.unit.parsed.text.clone(),
        span: statement.span.clone(),
        value: value.to_owned(),
        date: origin.date.clone(),
        version: origin.version.clone(),
    }
}

/// Returns which of two documents is newer, by their versions, else by their dates.
fn newer(a: &Document, b: &Document) -> Option<usize> {
    let numbers = |version: &String| -> Vec<u64> {
        version
            .split(|c: char| !c.is_ascii_digit())
            .filter_map(|part| part.parse().ok())
            .collect()
    };
    let versions = a.origin.version.as_ref().zip(b.origin.version.as_ref());
    let order = versions.map(|(a, b)| numbers(a).cmp(&numbers(b)));
    let dates = a.origin.date.as_ref().zip(b.origin.date.as_ref());
    let order = order.or_else(|| dates.map(|(a, b)| a.cmp(b)));
    match order? {
        std::cmp::Ordering::Less => Some(1),
        std::cmp::Ordering::Greater => Some(0),
        std::cmp::Ordering::Equal => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Texts that are taken apart once are in the same conflicts as passages.
    #[test]
    fn a_comparable_text_has_the_conflicts_of_its_passage() {
        let texts = [
            "The backup takes 6 hours.",
            "The backup takes 9 hours.",
            "The backup does not take 9 hours.",
            "The path is 12 km long.",
            "The path has a length of 31 km.",
            "Version 3.1 was released in 2021. The backup takes 7 hours.",
            "Version 3.1 was released in 2023.",
            "Texas has 2 of 300 records of strikes.",
            "Utah has 7 of 300 records of strikes.",
            "The password must have at least 8 characters.",
            "The password must have at least 12 characters.",
            "Does the backup take 8 hours?",
            "At the moment the files are read and written.",
            "Currently the files are never read.",
        ];
        let comparable = texts.map(|text| Comparable::new(text, Language::ENGLISH));
        let passages: Vec<(Passage, Document)> = texts
            .iter()
            .enumerate()
            .map(|(at, text)| {
                let mut document = Document::new(at.to_string(), *text);
                document.id = at.to_string();
                document.language = Language::ENGLISH;
                let passage = Passage {
                    id: at.to_string(),
                    source: at.to_string(),
                    text: (*text).to_owned().into(),
                    ..Passage::default()
                };
                (passage, document)
            })
            .collect();

        let mut found = 0;
        for (a, (one, first)) in comparable.iter().zip(&passages) {
            for (b, (two, second)) in comparable.iter().zip(&passages) {
                if first.id == second.id {
                    continue;
                }
                let expected = between_passages(&[(one, first), (two, second)]);
                let expected = expected.first().map(|conflict| conflict.kind);
                assert_eq!(a.conflict_with(b), expected, "{a:?} {b:?}");
                found += usize::from(expected.is_some());
            }
        }
        assert!(found >= 8, "{found}");
    }
}
