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

/// A statement of a passage.
struct Statement<'p> {
    passage: &'p Passage,
    document: &'p Document,
    span: Range<usize>,
    unit: Unit,
    stems: HashSet<String>,
}

/// Returns the conflicts between passages of different documents, in the order of the passages.
/// Words are compared by the rules of English; values of all languages.
pub fn between_passages(passages: &[(&Passage, &Document)]) -> Vec<Conflict> {
    let statements: Vec<Statement<'_>> = passages
        .iter()
        .flat_map(|(passage, document)| statements(passage, document))
        .collect();

    // Only statements with common words are compared.
    let mut by_stem: HashMap<&str, Vec<usize>> = HashMap::new();
    for (index, statement) in statements.iter().enumerate() {
        for stem in &statement.stems {
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

    let mut found: Vec<Conflict> = Vec::new();
    for ((a, b), common) in pairs {
        let (Some(a), Some(b)) = (statements.get(a), statements.get(b)) else {
            continue;
        };
        if common < COMMON && a.stems.len().min(b.stems.len()) > FEW {
            continue;
        }
        if a.document.id == b.document.id && a.document.hash == b.document.hash {
            continue;
        }
        found.extend(conflict(a, b));
    }
    found
}

/// Returns whether two single statements are in conflict, and about what.
pub fn between_statements(a: &str, b: &str, language: Language) -> Option<ConflictKind> {
    let document = |id: &str, text: &str| {
        let mut document = Document::new(id, text);
        document.id = id.to_owned();
        document.language = language;
        document
    };
    let passage = |id: &str, text: &str| Passage {
        id: id.to_owned(),
        source: id.to_owned(),
        text: text.to_owned().into(),
        ..Passage::default()
    };
    let (first, second) = (document("1", a), document("2", b));
    let (one, two) = (passage("1", a), passage("2", b));
    between_passages(&[(&one, &first), (&two, &second)])
        .first()
        .map(|conflict| conflict.kind)
}

/// Takes the sentences of a passage apart.
fn statements<'p>(passage: &'p Passage, document: &'p Document) -> Vec<Statement<'p>> {
    let text = passage.text.for_code();
    let ranges = sentences(text).into_iter();
    ranges
        .map(|span| {
            let parsed = Parsed::new(&text[span.clone()], document.language);
            let content = parsed.tokens.iter().filter(|token| token.is_content());

            Statement {
                passage,
                document,
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
        .filter(|statement| !is_open(&statement.unit.parsed))
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
    let there = Alignment::new(said, &b.unit);
    let back = Alignment::new(held, &a.unit);
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
    let all_same = said.values.len() == held.values.len();
    let is_denied = denied::check(said, &b.unit, &there, |_| true).is_err();
    if all_same && least >= ALIKE_DENIED && is_denied {
        return Some(Conflict {
            kind: ConflictKind::Negation,
            sides: [side(a, ""), side(b, "")],
            newer: newer(a.document, b.document),
        });
    }
    None
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
