//! Values that a sentence states, with how well each fits what a question asks for.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::LazyLock;

use research_agents_report::check::grounded::have_one_meaning;
use research_agents_report::text::{Word, is_stop, words};
use research_agents_report::trust::value::{Bound, Quantity, Typed, Value, values};

use crate::answers::extract::asked::{Asked, TIMES, is_change, is_denied};
use crate::answers::extract::expected::Expected;
use crate::answers::extract::sentence::{Sentence, counts_something, is_list};
use crate::answers::extract::{lexicon, qualifiers};

/// Words from a number to the name of what it counts.
const REACH: usize = 3;
/// What words that the question has add in the clause of a value, at most.
const BY_CLAUSE: f64 = 0.2;
/// What a qualifier that is asked for adds, and what its absence costs.
const BY_QUALIFIER: f64 = 0.15;
const WITHOUT_QUALIFIER: f64 = 0.35;
/// What it costs that a value is another one than is asked for.
const OTHER: f64 = 0.4;
/// What smaller signs add or cost.
const SIGN: f64 = 0.1;

/// Nouns that a number numbers.
static NUMBERING: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    let lines = include_str!("../../../rules/en/numbering.txt").lines();
    let lines = lines.filter(|line| !line.starts_with('#'));
    lines.flat_map(str::split_whitespace).collect()
});

/// Words that say that something is about a number of things.
const NUMBERS: [&str; 14] = [
    "number", "numbers", "many", "maximum", "max", "minimum", "min", "limit", "limits", "limited",
    "count", "most", "least", "length",
];

/// Stems of nouns before *of* and a number that other numbers are made of.
const FACTORS: [&str; 2] = ["power", "multipl"];

/// Stems of units of time.
const UNITS_OF_TIME: [&str; 11] = [
    "microsecond",
    "millisecond",
    "ms",
    "second",
    "sec",
    "minut",
    "hour",
    "day",
    "week",
    "month",
    "year",
];

/// Words between *default* and what it is the default of.
const FILLERS: [&str; 8] = [
    "value", "values", "setting", "settings", "number", "limit", "size", "built",
];

/// Stems that say that something is a version.
const ANY_VERSION: [&str; 2] = ["version", "releas"];

/// A value with what it adds to the rank of its sentence.
pub(super) type Stated = (f64, Value);

impl Asked {
    /// Returns the values of a sentence that may answer, the best one first.
    pub(super) fn stated(
        &self,
        sentence: &Sentence<'_>,
        weights: &BTreeMap<&str, f64>,
    ) -> Vec<Stated> {
        let all = sentence.values();
        if is_list(all) {
            return Vec::new();
        }

        let mut found: Vec<Stated> = all
            .iter()
            .filter_map(|typed| {
                let fits = self.by_type(typed, sentence)?;
                let role = self.by_role(typed, all, sentence)?;
                let clause = self.by_clause(typed, all, sentence, weights);
                Some((fits + role + clause, typed.value.clone()))
            })
            .collect();
        found.sort_by(|a, b| b.0.total_cmp(&a.0));
        found
    }

    /// Returns what the type of a value adds. `None` if it cannot answer.
    fn by_type(&self, typed: &Typed, sentence: &Sentence<'_>) -> Option<f64> {
        let text = sentence.text;
        let core = &text[typed.core.clone()];
        let before = &text[..typed.core.start];
        let is_part = before.ends_with(['/', '.', '-', '_'])
            || before.ends_with('(') && !before.ends_with(" (");
        if is_part || self.names.contains(&core.to_lowercase()) || is_change(text, typed) {
            return None;
        }

        let after = &text[typed.core.end..];
        if !self.may_measure(typed, sentence) || self.is_end(typed, text) {
            return None;
        }
        if is_numbering(before, after, sentence.term) {
            return None;
        }
        let next = words(after).into_iter().next();
        if next.is_some_and(|word| ["or", "and"].contains(&word.lower.as_str()) && word.start == 1)
            && text[typed.span.clone()].chars().all(char::is_alphabetic)
        {
            return None;
        }
        let is_pronoun = core.eq_ignore_ascii_case("one");
        match (&self.expected, &typed.value) {
            (_, Value::Number(quantity)) if quantity.is_range() => None,
            (Expected::Count { noun }, Value::Number(quantity)) => {
                let is_apart = before.ends_with('(') && after.starts_with(')');
                // *At most ten sessions* is a limit, and *two variants* are only named.
                let is_written =
                    core.chars().all(char::is_alphabetic) && quantity.bound == Bound::Exact;
                let counts_other = is_written && counts_something(after) && !reaches(noun, after);
                let is_count = quantity.unit.is_none() && !is_pronoun && !is_apart && !counts_other;
                let of_default = self.qualifiers.contains("default");
                let fits = counted(noun, after, sentence)
                    .filter(|fit| *fit >= BY_QUALIFIER || is_of_number(sentence));
                let fits = fits.or(of_default.then_some(-OTHER));
                fits.filter(|_| is_count)
            }
            (Expected::Amount { dimensions }, Value::Number(quantity)) => {
                let unit = quantity.unit.as_ref();
                match unit.map(|unit| &unit.dimension) {
                    Some(own) if dimensions.is_empty() => (own != "percent").then_some(SIGN),
                    Some(own) if dimensions.contains(own) => Some(SIGN),
                    Some(own) => self.also.contains(own).then_some(-SIGN),
                    None if is_pronoun => None,
                    // *2048 characters* is a length.
                    None if counts_something(after) => {
                        let is_plain = !dimensions.is_empty() && self.expected.fits(&typed.value);
                        is_plain.then_some(-BY_QUALIFIER)
                    }
                    None if dimensions.is_empty() || self.expected.fits(&typed.value) => Some(0.0),
                    None if dimensions.iter().any(|own| own == "time") => Some(-BY_QUALIFIER),
                    None => Some(-SIGN / 2.0),
                }
            }
            (expected, value) => {
                let is_it = expected.fits(value) && !self.happened_to_another(sentence);
                is_it.then_some(0.0)
            }
        }
    }

    /// Returns whether a number may be of what the question measures. A time without a unit is one
    /// if something near it says so: below *seconds to wait*, *the default is 60*.
    pub(super) fn may_measure(&self, typed: &Typed, sentence: &Sentence<'_>) -> bool {
        let (Expected::Amount { dimensions }, Value::Number(quantity)) =
            (&self.expected, &typed.value)
        else {
            return true;
        };
        let asks_time = dimensions.first().is_some_and(|own| own == "time")
            || dimensions.iter().any(|own| own == "calendar");
        if !asks_time || quantity.unit.is_some() {
            return true;
        }

        let near = [sentence.term, &*sentence.before, sentence.text].join(" ");
        // A fraction without a unit is more often a factor.
        let is_whole = !sentence.text[typed.core.clone()].contains('.');
        let is_time = |word: &Word<'_>| {
            let lower = word.lower.as_str();
            let is_noun = TIMES.contains(&lower) || lower == "time";
            UNITS_OF_TIME.contains(&word.stem.as_str()) || is_whole && is_noun
        };
        let counts_other = counts_something(&sentence.text[typed.core.end..]);
        let own = words(&sentence.text[typed.core.end..]);
        let counts_time = own.first().is_some_and(is_time);
        (!counts_other || counts_time) && words(&near).iter().any(is_time)
    }

    /// Returns whether a number is the lower end of a range of which the upper one is asked for,
    /// refers to what was said before, or makes up other numbers: *between 0 and the limit*,
    /// *all three of them*, *powers of two*.
    pub(super) fn is_end(&self, typed: &Typed, text: &str) -> bool {
        let before = words(&text[..typed.core.start]);
        let after = words(&text[typed.core.end..]);
        let is_factor = matches!(
            &*before,
            [.., first, of] if of.lower == "of" && FACTORS.contains(&first.stem.as_str())
        );
        let before = before.into_iter().next_back();
        let is_next = |at: usize, word: &str| after.get(at).is_some_and(|own| own.lower == word);
        let is_between = before.is_some_and(|word| word.lower == "between") && is_next(0, "and");
        let is_reference =
            is_next(0, "of") && ["them", "these", "those"].iter().any(|one| is_next(1, one));
        is_between && !self.qualifiers.contains("minimum") || is_reference || is_factor
    }

    /// Returns whether a sentence has another subject than the question: below *Windows*, *the
    /// ability to nest them was added in version 3* is not about windows.
    fn happened_to_another(&self, sentence: &Sentence<'_>) -> bool {
        let is_plain = |stem: &&String| {
            let is_said =
                self.noun.as_ref() == Some(*stem) || lexicon::events_as(stem).next().is_some();
            !is_said
                && stem.chars().all(char::is_alphabetic)
                && !ANY_VERSION.contains(&stem.as_str())
        };
        let is_asked = |stem: &&String| {
            let mut asked = self.stems.iter();
            asked.any(|own| own == *stem || have_one_meaning(own, stem))
        };
        let has_event = |stem: &String| {
            sentence.stems.contains(stem)
                || lexicon::events_as(stem).any(|other| sentence.stems.contains(other))
        };
        if !self.events.iter().all(has_event) {
            return true;
        }

        let own: Vec<&String> = sentence.stems.iter().filter(is_plain).collect();
        if own.is_empty() {
            return !sentence
                .stems_named
                .iter()
                .filter(is_plain)
                .any(|stem| is_asked(&stem));
        }
        let mut said = qualifiers::said(sentence.text).into_iter();
        !own.iter().any(is_asked) && !said.any(|one| self.qualifiers.contains(one))
    }

    /// Returns what it adds that a value is the default, a limit or an old one, as it is asked for.
    /// `None` if it is another one.
    fn by_role(&self, typed: &Typed, all: &[Typed], sentence: &Sentence<'_>) -> Option<f64> {
        let range = sentence.clause(typed, all);
        let clause = &sentence.text[range];
        let (own, said) = (qualifiers::qualifiers(clause), qualifiers::said(clause));
        let whole = qualifiers::said(sentence.text);
        let before = qualifiers::said(&sentence.before);
        let bound = match &typed.value {
            Value::Number(quantity) => bound_of(quantity),
            _ => None,
        };

        let mut sum = 0.0;
        for name in &self.qualifiers {
            sum += if said.contains(name) || bound == Some(*name) {
                BY_QUALIFIER
            } else if whole.contains(name) && self.follows(name, typed, sentence.text) {
                BY_QUALIFIER - SIGN / 2.0
            } else if *name != "default" && before.contains(name)
                || *name == "maximum" && is_more(&typed.value)
            {
                0.0
            } else {
                -WITHOUT_QUALIFIER
            };
        }
        for name in &own {
            let is_asked = self.qualifiers.contains(name);
            let is_when = matches!(self.expected, Expected::Version | Expected::Date);
            match *name {
                _ if is_asked => {}
                "defect" | "planned" if is_when => return None,
                _ if is_when => {}
                "default" if self.qualifiers.is_empty() => sum += SIGN / 2.0,
                "default" if self.qualifiers.contains("maximum") => {}
                "old" | "example" => return None,
                _ => sum -= OTHER,
            }
        }
        // *At least two* says how few, and not how many.
        let is_more = is_more(&typed.value) && !self.qualifiers.contains("maximum");
        match bound {
            Some(name) if self.qualifiers.contains(name) => {}
            Some("minimum") => return None,
            _ if is_more => return None,
            Some(_) => sum -= SIGN,
            None => {}
        }
        if is_set_to(sentence.text, typed) && !own.contains("default") {
            sum -= OTHER;
        }
        if !self.is_default_of(sentence.text, typed) {
            sum -= OTHER;
        }
        let is_sentinel = matches!(&typed.value, Value::Number(own) if own.low <= 0.0);
        if is_sentinel && !own.contains("default") {
            sum -= OTHER / 2.0;
        }
        if is_code(sentence.text) {
            sum -= OTHER;
        }
        let stated = words(&sentence.text[..typed.core.start]);
        let close = &stated[stated.len().saturating_sub(REACH)..];
        if is_denied(close) && !self.is_denied {
            return None;
        }
        if is_denied(&words(clause)) != self.is_denied {
            sum -= SIGN;
        }
        Some(sum)
    }

    /// Returns whether the words after *default*, up to a value, name what is asked for, or
    /// nothing.
    fn is_default_of(&self, text: &str, typed: &Typed) -> bool {
        let all = words(&text[..typed.core.start]);
        let Some(at) = all.iter().rposition(|word| word.stem == "default") else {
            return true;
        };
        let is_adverb = at > 0 && all[at - 1].lower == "by";
        let next = all.get(at + 1);
        let is_apart = next.is_none_or(|next| !text[all[at].end..next.start].trim().is_empty());
        if is_adverb || is_apart {
            return true;
        }

        let is_filler = |word: &&Word<'_>| {
            let lower = word.lower.as_str();
            FILLERS.contains(&lower) || qualifiers::is_qualifier(lower)
        };
        let named = all[at + 1..].iter().find(|word| !is_filler(word));
        named.is_none_or(|word| {
            let is_asked = |stem: &String| *stem == word.stem || have_one_meaning(stem, &word.stem);
            let is_plain = is_stop(&word.lower) || word.is_number();
            is_plain || TIMES.contains(&word.lower.as_str()) || self.stems.iter().any(is_asked)
        })
    }

    /// Returns whether a value follows the word for a default.
    fn follows(&self, name: &str, typed: &Typed, text: &str) -> bool {
        let Some(start) = text.to_lowercase().find(name) else {
            return false;
        };
        start < typed.core.start
    }

    /// Returns what words that the question has add in the clause of a value.
    fn by_clause(
        &self,
        typed: &Typed,
        all: &[Typed],
        sentence: &Sentence<'_>,
        weights: &BTreeMap<&str, f64>,
    ) -> f64 {
        let range = sentence.clause(typed, all);
        let own = words(&sentence.text[range]);
        let stems: BTreeSet<&str> = own.iter().map(|word| word.stem.as_str()).collect();
        let total: f64 = weights.values().sum();
        let held = weights.iter().filter(|(stem, _)| stems.contains(*stem));
        let held: f64 = held.map(|(_, weight)| weight).sum();
        if total > 0.0 {
            BY_CLAUSE * held / total
        } else {
            0.0
        }
    }
}

/// Returns whether the name of what is asked for follows a number soon.
fn reaches(noun: &str, after: &str) -> bool {
    let next = words(after);
    let mut reached = next.iter().take(REACH);
    reached.any(|word| word.stem == noun || have_one_meaning(noun, &word.stem))
}

/// Returns what it adds that a number counts what is asked for. `None` if it counts something else,
/// and nothing near it says what is asked for.
fn counted(noun: &str, after: &str, sentence: &Sentence<'_>) -> Option<f64> {
    if reaches(noun, after) {
        return Some(BY_QUALIFIER);
    }
    let is_it = |stem: &str| stem == noun || have_one_meaning(noun, stem);
    let is_near = |stems: &BTreeSet<String>| stems.iter().any(|stem| is_it(stem));
    let is_named = is_near(&sentence.stems) || is_near(&sentence.stems_named);
    let is_before = sentence.stems_before.iter().any(|stems| is_near(stems));
    let is_measure = after.starts_with(" (") && measures(&after[2..], sentence);
    match (counts_something(after) || is_measure, is_named || is_before) {
        (true, true) => Some(-BY_QUALIFIER),
        (false, true) => Some(SIGN / 2.0),
        (true, false) => None,
        (false, false) => Some(-OTHER),
    }
}

/// Returns whether something near a sentence says that it is about a number of things.
fn is_of_number(sentence: &Sentence<'_>) -> bool {
    let near = [sentence.term, &*sentence.before, sentence.text];
    let mut all = near.iter().flat_map(|text| words(text));
    all.any(|word| NUMBERS.contains(&word.lower.as_str()))
}

/// Returns whether a string begins with a quantity with a unit: *300 (30 seconds)*.
fn measures(text: &str, sentence: &Sentence<'_>) -> bool {
    let first = values(text, sentence.language).into_iter().next();
    first.is_some_and(|typed| {
        let has_unit = matches!(&typed.value, Value::Number(own) if own.unit.is_some());
        has_unit && typed.span.start < 8
    })
}

/// Returns whether a number only numbers something: *Section 9.3*, *RFC 5077*, *1. First*.
fn is_numbering(before: &str, after: &str, term: &str) -> bool {
    let line = before.rsplit('\n').next().unwrap_or(before);
    let is_mark = after.starts_with(['.', ')']) && after[1..].starts_with([' ', '\n', '\t']);
    if line.trim().is_empty() && (is_mark || after.is_empty() || after == ".") {
        return true;
    }
    let Some(name) = line
        .strip_suffix(' ')
        .and_then(|line| words(line).into_iter().next_back())
    else {
        return false;
    };

    let is_close = line.trim_end().len() == name.end;
    let is_first = line[..name.start].trim().is_empty();
    let is_cell = line[..name.start].ends_with('\t');
    let is_joined = line[..name.start].ends_with(|c: char| !c.is_whitespace() && c != '(');
    let is_capital = name.text.starts_with(char::is_uppercase) && !is_first && !is_cell;
    let is_name = is_capital && !is_joined && !term.contains(name.text);
    is_close && (is_name || NUMBERING.contains(name.lower.as_str()))
}

/// Returns whether a string is program text.
pub(super) fn is_code(text: &str) -> bool {
    let marks = text
        .chars()
        .filter(|c| matches!(c, '{' | '}' | ';' | '=' | '>' | '$' | '|'));
    let calls = text.matches("();").count() + text.matches(") {").count();
    marks.count() + 2 * calls >= 3.max(text.chars().count() / 25)
}

/// Returns whether a value is *more than* a number.
fn is_more(value: &Value) -> bool {
    matches!(value, Value::Number(own) if own.bound == Bound::More)
}

/// Returns the limit that a number is by its bound.
fn bound_of(quantity: &Quantity) -> Option<&'static str> {
    match quantity.bound {
        Bound::AtMost | Bound::Less => Some("maximum"),
        Bound::AtLeast => Some("minimum"),
        _ => None,
    }
}

/// Returns whether a value is one that somebody may set: *setting this to 0 disables it*.
fn is_set_to(text: &str, typed: &Typed) -> bool {
    let before = words(&text[..typed.core.start]);
    let last = before.iter().rev().take(4).map(|word| word.lower.as_str());
    let last: Vec<&str> = last.collect();
    let is_to = last.first().is_some_and(|word| ["to", "of"].contains(word));
    is_to
        && last
            .iter()
            .any(|word| ["set", "setting", "value"].contains(word))
}
