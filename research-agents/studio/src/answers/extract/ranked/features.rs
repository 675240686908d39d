//! What tells a sentence that answers from one that does not, as numbers.

use std::collections::{BTreeMap, BTreeSet};

use research_agents_report::check::grounded::have_one_meaning;
use research_agents_report::text::{content_stems, is_stop, words};
use research_agents_report::trust::value::{Typed, Value, values};

use super::closeness::Closeness;
use super::cues::Cued;
use super::forms::FORMS;
use super::numbers::{count, flag};
use crate::answers::extract::asked::{Asked, is_denied};
use crate::answers::extract::bound::Terms;
use crate::answers::extract::context::{self, Found, Known};
use crate::answers::extract::expected::Expected;
use crate::answers::extract::named::Naming;
use crate::answers::extract::qualifiers;
use crate::answers::extract::sentence::Sentence;
use crate::answers::extract::stated::is_code;

/// Numbers by name. What is not there is 0.
pub(super) type Features = BTreeMap<&'static str, f64>;

/// Name of the feature that says how well a value fits what is asked for.
pub(super) const FIT: &str = "fit of the value";
/// Name of the feature of a sentence that lacks a name of the question, which no sentence has or
/// which is defined elsewhere.
pub(super) const LACKS: &str = "lacks what is defined";
/// Name of the feature that counts the qualifiers of the question that a sentence lacks.
pub(super) const LACKS_QUALIFIERS: &str = "qualifiers that are missing";
/// Name of the feature of a sentence whose value is that of its term.
pub(super) const VALUE_OF_TERM: &str = "the term has the value";

/// Minimum share of the question that a sentence has near it, or else its passage.
const LEAST_NEAR: f64 = 0.1;
const LEAST_OF_PASSAGE: f64 = 0.3;
/// Minimum number of words of a sentence that says something, and number from which one is long.
const SHORT: usize = 5;
const LONG: usize = 45;
/// Likeness from which two stems may be of one word: *expir* and *expiri*.
const LEAST_ALIKE: f64 = 0.5;

/// A kind of values that questions ask for.
struct Kind {
    /// The list of phrases that ask for it.
    cue: &'static str,
    is_it: fn(&Value) -> bool,
    /// Names of the features of a sentence that has one, and of one that has none.
    names: [&'static str; 2],
}

const KINDS: [Kind; 4] = [
    Kind {
        cue: "asks quantity",
        is_it: |value| matches!(value, Value::Number(_)),
        names: [
            "a quantity is asked for and there",
            "a quantity is asked for and missing",
        ],
    },
    Kind {
        cue: "asks time",
        is_it: is_time,
        names: [
            "a time is asked for and there",
            "a time is asked for and missing",
        ],
    },
    Kind {
        cue: "asks version",
        is_it: |value| matches!(value, Value::Version(_)),
        names: [
            "a version is asked for and there",
            "a version is asked for and missing",
        ],
    },
    Kind {
        cue: "asks date",
        is_it: |value| matches!(value, Value::Date(_)),
        names: [
            "a date is asked for and there",
            "a date is asked for and missing",
        ],
    },
];

/// A question, ready to describe sentences.
pub(super) struct Describing<'a> {
    asked: &'a Asked,
    question: Cued,
    pairs: BTreeSet<(String, String)>,
    trigrams: Vec<(&'a str, BTreeSet<String>)>,
    terms: Terms<'a>,
    wide: BTreeMap<&'a str, f64>,
    narrow: BTreeMap<&'a str, f64>,
    subject: BTreeSet<&'a str>,
    /// The stem of the question that fewest sentences have.
    rarest: Option<String>,
    /// The auxiliary verb with which the question begins.
    auxiliary: Option<String>,
    known: Known,
    /// The sentences that answer by rules, the best one first.
    by_rules: Vec<(&'a str, usize)>,
    /// Scores of passages, the best one first.
    scores: Vec<f32>,
    /// Share of the question that each passage has, by id.
    passages: BTreeMap<&'a str, f64>,
}

impl<'a> Describing<'a> {
    pub(super) fn new(
        asked: &'a Asked,
        sentences: &'a [Sentence<'_>],
        found: &'a [Found<'_, '_>],
    ) -> Self {
        let wide = asked.weights(sentences);
        let mut scores = Vec::new();
        let mut passages: BTreeMap<&str, f64> = BTreeMap::new();
        for sentence in sentences {
            let id = sentence.passage.id.as_str();
            if passages.contains_key(id) {
                continue;
            }
            let own = content_stems(sentence.passage.text.for_code());
            let held: BTreeSet<&String> = own.iter().chain(&sentence.stems_above).collect();
            let has = |stem: &str| {
                let mut held = held.iter();
                held.any(|own| *own == stem || have_one_meaning(stem, own))
            };
            passages.insert(id, share_of(&wide, has));
            scores.push(sentence.passage.found.score.unwrap_or_default());
        }
        scores.sort_by(|a, b| b.total_cmp(a));

        let stems = asked.stems.iter().map(String::as_str);
        Self {
            asked,
            question: Cued::new(&asked.text),
            pairs: pairs_of(&asked.text),
            trigrams: stems.map(|stem| (stem, trigrams_of(stem))).collect(),
            terms: Terms::new(asked, sentences),
            narrow: context::weights(asked, sentences),
            subject: asked.subject(sentences),
            rarest: rarest(asked, sentences),
            auxiliary: words(&asked.text).into_iter().next().map(|word| word.lower),
            known: Known::new(asked, sentences),
            by_rules: found.iter().map(|(_, one, _)| place_of(one)).collect(),
            wide,
            scores,
            passages,
        }
    }

    /// Returns the share of the question that is near a sentence. `None` if neither it nor its
    /// passage has to do with the question.
    pub(super) fn near(&self, sentence: &Sentence<'_>) -> Option<f64> {
        let near = context::share(sentence, &self.narrow, 1.0);
        (near >= LEAST_NEAR || self.of_passage(sentence) >= LEAST_OF_PASSAGE).then_some(near)
    }

    /// Returns whether a sentence answers by rules.
    pub(super) fn is_by_rules(&self, sentence: &Sentence<'_>) -> bool {
        self.by_rules.contains(&place_of(sentence))
    }

    /// Returns the share of the question that the passage of a sentence has.
    fn of_passage(&self, sentence: &Sentence<'_>) -> f64 {
        let share = self.passages.get(sentence.passage.id.as_str()).copied();
        share.unwrap_or_default()
    }

    /// Returns the features of a sentence with the value that it gives. `near` is the share of the
    /// question that is near it.
    pub(super) fn describe(&self, sentence: &Sentence<'_>, near: f64) -> (Features, Option<Value>) {
        let of_passage = self.of_passage(sentence);
        let mut features = Features::from([("near, with meanings", near), ("passage", of_passage)]);
        self.words(sentence, &mut features);
        self.closeness(sentence, &mut features);
        self.forms(sentence, &mut features);
        self.rules(sentence, &mut features);
        self.place(sentence, &mut features);
        self.form(sentence, &mut features);
        self.names(sentence, &mut features);
        self.kind(sentence, &mut features);
        self.values(sentence, &mut features);
        let value = self.value(sentence, &mut features);
        (features, value)
    }

    /// Describes which words of the question it has, and where.
    fn words(&self, sentence: &Sentence<'_>, features: &mut Features) {
        let own = |stem: &str| sentence.stems.contains(stem);
        let named = |stem: &str| sentence.stems_named.contains(stem);
        let above = |stem: &str| sentence.stems_above.contains(stem);
        let before = |stem: &str| sentence.distance_of(stem).is_some();
        let after = |stem: &str| sentence.stems_after.contains(stem);
        let is_near = |stem: &str| own(stem) || named(stem) || before(stem) || above(stem);
        let means = |stem: &str| {
            let mut others = sentence.stems.iter().chain(&sentence.stems_named);
            !own(stem) && others.any(|other| have_one_meaning(stem, other))
        };
        let plain: BTreeMap<&str, f64> = self.wide.keys().map(|stem| (*stem, 1.0)).collect();
        features.extend([
            ("own words", share_of(&self.wide, own)),
            ("words of the term", share_of(&self.wide, named)),
            ("words above", share_of(&self.wide, above)),
            ("words before", share_of(&self.wide, before)),
            ("words after", share_of(&self.wide, after)),
            ("near words", share_of(&self.wide, is_near)),
            ("other words of one meaning", share_of(&self.wide, means)),
            ("own words, unweighted", share_of(&plain, own)),
            ("near words, unweighted", share_of(&plain, is_near)),
        ]);

        let number = plain.keys().filter(|stem| own(stem)).count();
        features.insert("number of own words", count(number.min(8)));
        features.insert("length of the question", (count(plain.len()) + 1.0).ln());
        let technical = self.terms.technical();
        let held = technical.iter().filter(|stem| own(stem) || named(stem));
        let held = count(held.count()) / count(technical.len().max(1));
        features.insert("technical words", held);

        let pairs = pairs_of(sentence.text);
        let around = format!("{}. {}", sentence.above, sentence.before);
        let near: BTreeSet<_> = pairs_of(&around)
            .into_iter()
            .chain(pairs.iter().cloned())
            .collect();
        let share = |own: &BTreeSet<_>| {
            count(self.pairs.intersection(own).count()) / count(self.pairs.len().max(1))
        };
        features.insert("own pairs of words", share(&pairs));
        features.insert("near pairs of words", share(&near));

        let others: BTreeSet<&String> =
            sentence.stems.iter().chain(&sentence.stems_named).collect();
        let alike = self.trigrams.iter().map(|(stem, trigrams)| {
            let likeness = others.iter().map(|other| match *other == stem {
                true => 1.0,
                false => likeness(trigrams, &trigrams_of(other)),
            });
            likeness.fold(0.0, f64::max)
        });
        let alike = alike.sum::<f64>() / count(self.trigrams.len().max(1));
        features.insert("words that are written alike", alike);
    }

    /// Describes how close to each other words of the question are in it, and which of them are in
    /// its heading.
    fn closeness(&self, sentence: &Sentence<'_>, features: &mut Features) {
        let close = Closeness::new(self.asked, sentence);
        let all = sentence.values();
        let of_value = all.iter().map(|typed| close.of_place(typed.core.start));
        let own = |stem: &str| sentence.stems.contains(stem);
        let is_near = |stem: &str| {
            own(stem) || sentence.stems_named.contains(stem) || sentence.distance_of(stem).is_some()
        };
        let rarest = self.rarest.as_deref();
        let heading = sentence.passage.found.section.last();
        let heading = heading
            .map(|heading| content_stems(heading))
            .unwrap_or_default();
        let held = heading
            .iter()
            .filter(|stem| self.asked.stems.contains(*stem));

        features.extend([
            ("densest part", close.densest()),
            ("longest run", close.longest_run()),
            ("a value is close", of_value.fold(0.0, f64::max)),
            ("has the rarest word", flag(rarest.is_some_and(own))),
            (
                "has the rarest word near",
                flag(rarest.is_some_and(is_near)),
            ),
            (
                "heading is about it",
                count(held.count()) / count(heading.len().max(1)),
            ),
        ]);
        if let Some(auxiliary) = self.auxiliary.as_deref().filter(|_| self.asked.is_yes_no) {
            features.insert("has the same auxiliary", close.has_auxiliary(auxiliary));
        }
    }

    /// Describes whether it has a name that is written as what is asked for, and whether it tells
    /// what follows from something.
    fn forms(&self, sentence: &Sentence<'_>, features: &mut Features) {
        let term = if self.asked.kind.is_some() {
            sentence.term
        } else {
            ""
        };
        for form in &FORMS {
            if self.question.has(form.cue) {
                let has = form.is_in(sentence.text) || form.is_in(term);
                features.insert(form.names[usize::from(!has)], 1.0);
            }
        }

        let asks = self.question.has("asks consequence");
        let says = Cued::new(sentence.text).has("says condition");
        features.extend([
            ("a consequence is asked for and there", flag(asks && says)),
            (
                "a consequence is asked for and missing",
                flag(asks && !says),
            ),
        ]);
    }

    /// Describes what the rules say of it.
    fn rules(&self, sentence: &Sentence<'_>, features: &mut Features) {
        let asked = self.asked;
        let around = context::share(sentence, &self.narrow, asked.around(sentence));
        let lacking = self.terms.lacking(sentence).min(4);
        let held = self.subject.iter().filter(|stem| sentence.holds(stem));
        let subject = match self.subject.len() {
            0 => 1.0,
            all => count(held.count()) / count(all),
        };

        features.extend([
            ("around", around),
            ("share", asked.share(sentence, &self.wide)),
            ("coverage", self.terms.coverage(sentence)),
            ("technical words that are missing", count(lacking)),
            ("is bound", flag(self.terms.bind(sentence))),
            ("subject", subject),
            ("is about it", flag(asked.is_about(sentence, &self.subject))),
            ("by term", context::by_term(asked, sentence)),
            ("is defined by it", flag(asked.is_defined_by(sentence))),
            ("defines another", flag(asked.defines_another(sentence))),
            ("has the phrase", flag(asked.has_phrase(sentence))),
            ("has a part", flag(asked.has_part(sentence))),
        ]);

        let place = place_of(sentence);
        match self.by_rules.iter().position(|own| *own == place) {
            Some(0) => features.insert("the first of the rules", 1.0),
            Some(_) => features.insert("another of the rules", 1.0),
            None if self.by_rules.is_empty() => None,
            None => features.insert("not of the rules", 1.0),
        };
        match asked.lacking(sentence, &self.known) {
            Some(cost) => features.insert("lacks names", cost),
            None => features.insert(LACKS, 1.0),
        };
    }

    /// Describes its passage, and its place in it.
    fn place(&self, sentence: &Sentence<'_>, features: &mut Features) {
        let own = sentence.passage.found.score.unwrap_or_default();
        let best = self.scores.first().copied().unwrap_or_default();
        let better = self.scores.iter().filter(|score| **score > own).count();
        let has_term = !sentence.term.is_empty();

        features.extend([
            (
                "score",
                if best > 0.0 {
                    f64::from(own / best)
                } else {
                    1.0
                },
            ),
            ("rank of the passage", 1.0 / (1.0 + count(better))),
            ("is first", flag(sentence.stems_before.is_empty())),
            ("has a term", flag(has_term)),
            (
                "begins a definition",
                flag(has_term && sentence.stems_before.len() < 2),
            ),
        ]);
    }

    /// Describes how it is written.
    fn form(&self, sentence: &Sentence<'_>, features: &mut Features) {
        let all = words(sentence.text);
        let own = qualifiers::qualifiers(sentence.text);
        let said = qualifiers::said(sentence.text);
        let wanted = &self.asked.qualifiers;
        let held = wanted.iter().filter(|name| said.contains(**name)).count();
        let others = own.iter().filter(|name| !wanted.contains(**name)).count();

        features.extend([
            ("length", (count(all.len()) + 1.0).ln()),
            ("is short", flag(all.len() < SHORT)),
            ("is long", flag(all.len() > LONG)),
            ("is a sentence", flag(sentence.says_something(SHORT))),
            ("is a row", flag(sentence.text.contains('\t'))),
            ("is code", flag(is_code(sentence.text))),
            ("is denied", flag(is_denied(&all) != self.asked.is_denied)),
            ("qualifiers", count(held)),
            (LACKS_QUALIFIERS, count(wanted.len() - held)),
            ("other qualifiers", count(others)),
            ("is an example", flag(own.contains("example"))),
            (
                "is old",
                flag(own.contains("old") && !wanted.contains("old")),
            ),
        ]);
    }

    /// Describes what it names.
    fn names(&self, sentence: &Sentence<'_>, features: &mut Features) {
        let is_example = qualifiers::qualifiers(sentence.text).contains("example");
        features.insert("by names", self.asked.by_names(sentence, is_example));
        match self.asked.naming(sentence) {
            Naming::Named => features.insert("names it", 1.0),
            Naming::Nothing => features.insert("names nothing", 1.0),
            Naming::Open => None,
        };

        let names = self.asked.names_of(sentence.text).len();
        let asks = self.question.has("asks name");
        features.extend([
            ("names", count(names.min(3))),
            ("a name is asked for and there", flag(asks && names > 0)),
            ("a name is asked for and missing", flag(asks && names == 0)),
        ]);
    }

    /// Describes whether it is of the kind that the question asks for.
    fn kind(&self, sentence: &Sentence<'_>, features: &mut Features) {
        let text = Cued::new(sentence.text);
        let (why, reason) = (self.question.has("asks reason"), text.has("says reason"));
        let (whether, says) = (self.asked.is_yes_no, text.has("says whether"));
        features.extend([
            ("a reason is asked for and there", flag(why && reason)),
            ("a reason is asked for and missing", flag(why && !reason)),
            ("yes or no is asked for and there", flag(whether && says)),
            ("yes or no is asked for and missing", flag(whether && !says)),
            ("a way is asked for", flag(self.question.has("asks way"))),
        ]);
    }

    /// Describes whether it has values of the kinds that the question asks for.
    fn values(&self, sentence: &Sentence<'_>, features: &mut Features) {
        let is_open = |typed: &&Typed| {
            let core = &sentence.text[typed.core.clone()];
            !self.asked.names.contains(&core.to_lowercase())
        };
        let all = sentence.values().iter().filter(is_open);
        let all: Vec<&Value> = all.map(|typed| &typed.value).collect();

        let mut asks_any = false;
        for Kind { cue, is_it, names } in &KINDS {
            let (asks, has) = (self.question.has(cue), all.iter().any(|value| is_it(value)));
            asks_any |= asks;
            features.insert(names[0], flag(asks && has));
            features.insert(names[1], flag(asks && !has));
        }
        let has_any = !all.is_empty();
        features.extend([
            ("a value is asked for and there", flag(asks_any && has_any)),
            (
                "a value is asked for and missing",
                flag(asks_any && !has_any),
            ),
            (
                "a value is there and not asked for",
                flag(!asks_any && has_any),
            ),
            ("values", count(all.len().min(4))),
        ]);
    }

    /// Returns the value that it gives, if the question asks for one that the rules know. The
    /// version of a change is often only in the heading of a list of changes.
    fn value(&self, sentence: &Sentence<'_>, features: &mut Features) -> Option<Value> {
        let expected = &self.asked.expected;
        if *expected == Expected::Other {
            return None;
        }
        // The first cell of a row says what a number without a unit is of.
        let noun = self.asked.noun.as_ref();
        let is_row = sentence.text.contains('\t');
        let is_of_another = is_row && noun.is_some_and(|noun| !sentence.stems.contains(noun));
        let mut stated = self.asked.stated(sentence, &self.narrow).into_iter();
        let stated = stated.find(|(_, value)| !is_of_another || context::has_unit(value));
        if let Some((fit, value)) = stated {
            let strict = self.asked.value_in(sentence, &self.wide);
            features.extend([
                ("has a value that fits", 1.0),
                (FIT, fit),
                (
                    "the rules take the value",
                    flag(strict.as_ref() == Some(&value)),
                ),
            ]);
            return Some(value);
        }

        let is_when = matches!(expected, Expected::Version | Expected::Date);
        let of_term = values(sentence.term, sentence.language).into_iter();
        let of_term = of_term
            .map(|typed| typed.value)
            .find(|value| is_when && expected.fits(value));
        let is_near = sentence.with_term.len() <= context::LONGEST_QUOTE;
        match of_term.filter(|_| is_near) {
            Some(value) => {
                features.insert(VALUE_OF_TERM, 1.0);
                Some(value)
            }
            None => {
                features.insert("has no value that fits", 1.0);
                None
            }
        }
    }
}

/// Returns the stem of a question that fewest sentences have, but at least one.
fn rarest(asked: &Asked, sentences: &[Sentence<'_>]) -> Option<String> {
    let number = |stem: &String| {
        let having = sentences.iter().filter(|one| one.stems.contains(stem));
        having.count()
    };
    let known = asked.stems.iter().map(|stem| (number(stem), stem));
    let (_, stem) = known.filter(|(number, _)| *number > 0).min()?;
    Some(stem.clone())
}

/// Returns the id of the passage of a sentence, and where it begins.
fn place_of<'p>(sentence: &Sentence<'p>) -> (&'p str, usize) {
    (&sentence.passage.id, sentence.span.start)
}

fn is_time(value: &Value) -> bool {
    let Value::Number(quantity) = value else {
        return false;
    };
    let unit = quantity.unit.as_ref();
    unit.is_some_and(|unit| ["time", "calendar"].contains(&unit.dimension.as_str()))
}

/// Returns the share of the weights whose stems are held.
fn share_of(weights: &BTreeMap<&str, f64>, is_held: impl Fn(&str) -> bool) -> f64 {
    let total: f64 = weights.values().sum();
    let held = weights.iter().filter(|(stem, _)| is_held(stem));
    let held: f64 = held.map(|(_, weight)| weight).sum();
    if total > 0.0 { held / total } else { 0.0 }
}

/// Returns the content words that follow each other, as stems.
fn pairs_of(text: &str) -> BTreeSet<(String, String)> {
    let all = words(text).into_iter().filter(|word| !is_stop(&word.lower));
    let stems: Vec<String> = all.map(|word| word.stem).collect();
    let pairs = stems
        .windows(2)
        .map(|pair| (pair[0].clone(), pair[1].clone()));
    pairs.collect()
}

fn trigrams_of(stem: &str) -> BTreeSet<String> {
    let padded: Vec<char> = format!(" {stem} ").chars().collect();
    padded
        .windows(3)
        .map(|part| part.iter().collect())
        .collect()
}

/// Returns the Dice coefficient of two sets, 0 below [`LEAST_ALIKE`].
fn likeness(a: &BTreeSet<String>, b: &BTreeSet<String>) -> f64 {
    let both = a.intersection(b).count();
    let share = 2.0 * count(both) / count((a.len() + b.len()).max(1));
    if share >= LEAST_ALIKE { share } else { 0.0 }
}
