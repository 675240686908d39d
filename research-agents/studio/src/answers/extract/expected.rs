//! What a question expects as its answer.

use std::sync::LazyLock;

use research_agents_report::check::grounded::is_general_verb;
use research_agents_report::language::Language;
use research_agents_report::text::{Word, is_stop, words};
use research_agents_report::trust::value::{Value, values};
use serde::{Deserialize, Serialize};

use crate::answers::story::asking_part;

/// Words that may precede the phrase with which a question begins: *in which year*.
const LEAD: [&str; 13] = [
    "in", "on", "at", "by", "for", "from", "since", "until", "up", "to", "with", "after", "beyond",
];

/// Words between what a question asks for and the rest of the question.
const AFTER_NOUN: [&str; 27] = [
    "is", "are", "was", "were", "does", "do", "did", "can", "could", "may", "must", "will", "has",
    "have", "had", "of", "in", "for", "on", "at", "when", "that", "since", "to", "by", "with",
    "per",
];

/// Words with which a noun phrase begins.
pub(super) const ARTICLES: [&str; 3] = ["the", "a", "an"];

/// Words that ask for a value of an option.
const OF_OPTIONS: [&str; 3] = ["default", "maximum", "minimum"];

/// Words with which other questions begin.
const OTHER_BEGINNINGS: [&str; 19] = [
    "who", "whom", "whose", "where", "why", "how", "when", "is", "are", "was", "were", "does",
    "do", "did", "can", "could", "may", "must", "should",
];

/// The dimension of a number without a unit.
const NONE: &str = "none";

/// The type of answer that a question expects.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Expected {
    /// A number in a unit of one of these dimensions, or without one for `none`. Without a
    /// dimension, any number.
    Amount {
        /// The dimensions.
        dimensions: Vec<String>,
    },
    /// A number of things.
    Count {
        /// The stem of their name.
        noun: String,
    },
    /// A date.
    Date,
    /// A version.
    Version,
    /// Something that the rules do not read: a name, a reason, yes or no.
    #[default]
    Other,
}

/// What a question expects, with the words that say so.
pub(super) struct Reading {
    pub expected: Expected,
    /// Indices of the words that say what is expected, and nothing about the subject.
    pub said_by: Vec<usize>,
    /// Index of the noun that is asked for.
    pub noun: Option<usize>,
    /// Index of what the noun is of: *size of a table*.
    pub object: Option<usize>,
    /// Index of the word that follows the phrase with which the question begins: for a version,
    /// what happened with it.
    pub next: Option<usize>,
    /// Dimensions that a value may have if none fits better.
    pub also: Vec<String>,
    /// Index of the noun of *which option does it*.
    pub kind: Option<usize>,
}

/// A line of the rules.
struct Rule {
    is_noun: bool,
    kind: &'static str,
    dimensions: Vec<String>,
    /// Dimensions after `or`.
    also: Vec<String>,
    phrases: Vec<Vec<&'static str>>,
}

static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| {
    let lines = include_str!("../../../rules/en/questions.txt").lines();
    let mut rules = Vec::new();
    for line in lines.filter(|line| !line.starts_with('#')) {
        let Some((head, phrases)) = line.split_once(':') else {
            continue;
        };
        let noun = head.strip_prefix("asks for ");
        let mut head = noun
            .or(head.strip_prefix("begins "))
            .unwrap_or_default()
            .split(' ');
        let kind = head.next().unwrap_or_default();
        let is_other = |part: &&str| *part != "or";
        rules.push(Rule {
            is_noun: noun.is_some(),
            kind,
            dimensions: head
                .by_ref()
                .take_while(is_other)
                .map(str::to_owned)
                .collect(),
            also: head.map(str::to_owned).collect(),
            phrases: phrases
                .split('|')
                .map(|phrase| phrase.split_whitespace().collect())
                .collect(),
        });
    }
    rules
});

impl Reading {
    /// Reads a question by its words.
    pub(super) fn new(question: &str, asked: &[Word<'_>]) -> Self {
        let read = |start: usize| {
            let rest = &asked[start..];
            let found = Self::beginning(rest).or_else(|| Self::noun(question, rest))?;
            Some(found.moved(start))
        };
        let mut starts = starts(question, asked);
        starts.find_map(read).unwrap_or(Self {
            expected: Expected::Other,
            said_by: Vec::new(),
            noun: None,
            object: None,
            next: None,
            also: Vec::new(),
            kind: kind_of(asked),
        })
    }

    /// Moves all places by a number of words.
    fn moved(mut self, by: usize) -> Self {
        self.said_by.iter_mut().for_each(|at| *at += by);
        self.noun = self.noun.map(|at| at + by);
        self.object = self.object.map(|at| at + by);
        self.next = self.next.map(|at| at + by);
        self.kind = self.kind.map(|at| at + by);
        self
    }

    /// Reads a question that begins with a known phrase.
    fn beginning(asked: &[Word<'_>]) -> Option<Self> {
        let rules = || RULES.iter().filter(|rule| !rule.is_noun);
        let is_lead = |word: &&Word<'_>| LEAD.contains(&word.lower.as_str());
        for start in 0..=asked.iter().take_while(is_lead).count() {
            let rest = &asked[start..];
            let begins = |phrase: &&Vec<&str>| {
                let mut pairs = phrase.iter().zip(rest);
                rest.len() > phrase.len() && pairs.all(|(word, asked)| asked.lower == *word)
            };
            for rule in rules() {
                let Some(phrase) = rule.phrases.iter().find(begins) else {
                    continue;
                };

                let end = start + phrase.len();
                let mut said_by: Vec<usize> = (0..end).collect();
                let (expected, noun) = if rule.kind == "count" {
                    let noun = counted(asked, end)?;
                    let expected = count_of(&asked[noun]);
                    if matches!(expected, Expected::Amount { .. }) {
                        said_by.push(noun);
                    }
                    (expected, Some(noun))
                } else {
                    (rule.expected(), None)
                };
                return Some(Self {
                    object: None,
                    next: Some(end).filter(|_| expected == Expected::Version),
                    also: rule.also.clone(),
                    kind: None,
                    expected,
                    said_by,
                    noun,
                });
            }
        }
        None
    }

    /// Reads a question for a noun: *what is the page size*, *maximum page size*.
    fn noun(question: &str, asked: &[Word<'_>]) -> Option<Self> {
        let first = asked.first()?.lower.as_str();
        if OTHER_BEGINNINGS.contains(&first) {
            return None;
        }
        let lead = asked
            .iter()
            .take_while(|word| LEAD.contains(&word.lower.as_str()));
        let lead = lead.count();
        let is_what = |word: &Word<'_>| ["what", "which"].contains(&word.lower.as_str());
        let has_lead = lead > 0 && asked.get(lead).is_some_and(is_what);
        let mut start = if has_lead {
            lead + 1
        } else {
            usize::from(["what", "which"].contains(&first))
        };
        if start == 1 && ["is", "are", "was", "were"].contains(&asked.get(1)?.lower.as_str()) {
            start = 2;
        }
        let is_end = |word: &Word<'_>| AFTER_NOUN.contains(&word.lower.as_str());
        let length = asked[start..].iter().position(is_end);
        let end = length.map_or(asked.len(), |length| start + length);
        let at = end.checked_sub(1).filter(|at| *at >= start)?;
        // *Which option sets the time* asks for an option: another noun phrase begins after it.
        let is_article = |word: &Word<'_>| ARTICLES.contains(&word.lower.as_str());
        if asked.get(start + 1..=at)?.iter().any(is_article) {
            return None;
        }

        let noun = asked[at].lower.as_str();
        let is_noun = |rule: &&Rule| rule.is_noun && rule.phrases.iter().any(|own| own == &[noun]);
        let expected = match RULES.iter().find(is_noun) {
            Some(rule) if rule.kind == "count" => return Self::number_of(asked, at),
            Some(rule) => rule.expected(),
            None if is_option(question, &asked[start..=at]) => Expected::Amount {
                dimensions: Vec::new(),
            },
            None => return None,
        };

        Some(Self {
            expected,
            said_by: (0..start).collect(),
            noun: Some(at),
            object: object(asked, at),
            next: None,
            also: Vec::new(),
            kind: None,
        })
    }
}

impl Reading {
    /// Reads a question for a *number of* things.
    fn number_of(asked: &[Word<'_>], at: usize) -> Option<Self> {
        let is_of = asked.get(at + 1).is_some_and(|word| word.lower == "of");
        let rest = asked.get(at + 2..).filter(|_| is_of)?;
        let is_end = |word: &Word<'_>| AFTER_NOUN.contains(&word.lower.as_str());
        let length = rest.iter().position(is_end).unwrap_or(rest.len());
        let noun = (at + 2 + length)
            .checked_sub(1)
            .filter(|noun| *noun > at + 1)?;

        let qualifiers = |index: &usize| OF_OPTIONS.contains(&asked[*index].lower.as_str());
        Some(Self {
            expected: count_of(&asked[noun]),
            said_by: (0..=at).filter(|index| !qualifiers(index)).collect(),
            noun: Some(noun),
            object: None,
            next: None,
            also: Vec::new(),
            kind: None,
        })
    }
}

impl Rule {
    fn expected(&self) -> Expected {
        match self.kind {
            "amount" => Expected::Amount {
                dimensions: self.dimensions.clone(),
            },
            "date" => Expected::Date,
            "version" => Expected::Version,
            _ => Expected::Other,
        }
    }
}

/// Returns the places at which the question itself may begin: the first word, and question words
/// after a mark that ends a clause. The last ones come first: what is asked for is often said last.
fn starts<'q>(question: &'q str, asked: &'q [Word<'_>]) -> impl Iterator<Item = usize> + 'q {
    let is_start = move |at: &usize| {
        let before = at.checked_sub(1).and_then(|before| asked.get(before));
        let own = asked.get(*at);
        let between = before
            .zip(own)
            .and_then(|(before, own)| question.get(before.end..own.start));
        let is_asking = |word: &Word<'_>| {
            let lower = word.lower.as_str();
            ["how", "what", "which", "when"].contains(&lower) || LEAD.contains(&lower)
        };
        *at == 0
            || own.is_some_and(is_asking)
                && between
                    .is_some_and(|between| between.contains([',', ':', ';', '.', '?', '–', '—']))
    };
    (0..asked.len()).rev().filter(is_start)
}

/// Returns the index of what a noun is of: the last word of the phrase after *of*.
fn object(asked: &[Word<'_>], noun: usize) -> Option<usize> {
    let is_of = asked.get(noun + 1).is_some_and(|word| word.lower == "of");
    let rest = asked.get(noun + 2..).filter(|_| is_of)?;
    let is_end = |word: &Word<'_>| AFTER_NOUN.contains(&word.lower.as_str());
    let length = rest.iter().position(is_end).unwrap_or(rest.len());
    (noun + 1 + length > noun + 1).then_some(noun + 1 + length)
}

/// Returns the index of the noun of a question such as *which option does it* or *in which file is
/// it*.
fn kind_of(asked: &[Word<'_>]) -> Option<usize> {
    let is_what = |word: &Word<'_>| ["what", "which"].contains(&word.lower.as_str());
    let start = asked.iter().position(is_what)? + 1;
    let is_noun = |word: &Word<'_>| !is_stop(&word.lower);
    let rest = asked.get(start..)?;
    let first = rest.first().filter(|word| is_noun(word))?;
    // The noun is the last word before what looks like a verb: *which signal triggers*.
    let length = rest.iter().take(4).take_while(|word| {
        let is_verb = word.start != first.start && is_verb_form(word);
        is_noun(word) && !is_verb
    });
    let length = length.count().max(1);

    // Before an article is the verb, whatever its form: *which option sets the time*.
    let last = rest.get(length - 1).filter(|_| length > 1);
    let is_verb = last.is_some_and(|word| word.lower.ends_with('s'))
        && rest
            .get(length)
            .is_some_and(|next| ARTICLES.contains(&next.lower.as_str()));
    Some(start + length - 1 - usize::from(is_verb))
}

/// Returns whether a word has the form of a verb in the third person, and is mostly one.
fn is_verb_form(word: &Word<'_>) -> bool {
    word.lower.ends_with('s') && is_general_verb(&word.stem)
}

/// Returns whether words ask for the default or a limit of an option: their last two are parts of
/// one identifier.
fn is_option(question: &str, asked: &[Word<'_>]) -> bool {
    let is_joined = asked.last_chunk::<2>().is_some_and(|[one, other]| {
        let between = question.get(one.end..other.start);
        between.is_some_and(|between| matches!(between, "" | "_" | "."))
    });
    let asks = |word: &Word<'_>| OF_OPTIONS.contains(&word.lower.as_str());
    is_joined && asked.iter().any(asks)
}

/// Returns the index of the noun after *how many*: the last word before the verb.
fn counted(asked: &[Word<'_>], start: usize) -> Option<usize> {
    let rest = asked.get(start..)?.iter().take(4);
    let verb = rest
        .clone()
        .position(|word| AFTER_NOUN.contains(&word.lower.as_str()));
    match verb {
        Some(0) => None,
        Some(at) => Some(start + at - 1),
        None => asked.get(start).map(|_| start),
    }
}

/// Returns what *how many* expects with a noun: an amount for a unit, else a count.
fn count_of(noun: &Word<'_>) -> Expected {
    let one = format!("2 {}", noun.lower);
    let unit = values(&one, Language::ENGLISH)
        .into_iter()
        .find_map(|typed| {
            let Value::Number(quantity) = typed.value else {
                return None;
            };
            quantity.unit
        });
    match unit {
        Some(unit) => Expected::Amount {
            dimensions: vec![unit.dimension],
        },
        None => Expected::Count {
            noun: noun.stem.clone(),
        },
    }
}

impl Expected {
    /// Returns what a question expects. The rules are those of English.
    ///
    /// ```
    /// use research_agents_studio::extract::Expected;
    ///
    /// assert_eq!(Expected::of("When was the bridge opened?"), Expected::Date);
    /// assert_eq!(Expected::of("Why was the bridge closed?"), Expected::Other);
    /// ```
    pub fn of(question: &str) -> Self {
        let question = asking_part(question);
        Reading::new(question, &words(question)).expected
    }

    /// Returns whether a value is of this type. That a count counts the right things is for the
    /// sentence to say.
    pub fn fits(&self, value: &Value) -> bool {
        match (self, value) {
            (Self::Amount { dimensions }, Value::Number(quantity)) => {
                let unit = quantity.unit.as_ref();
                let is_none = dimensions.iter().any(|one| one == NONE);
                dimensions.is_empty()
                    || is_none && unit.is_none()
                    || unit.is_some_and(|unit| dimensions.contains(&unit.dimension))
            }
            (Self::Count { .. }, Value::Number(quantity)) => quantity.unit.is_none(),
            (Self::Date, Value::Date(_)) | (Self::Version, Value::Version(_)) => true,
            _ => false,
        }
    }
}
