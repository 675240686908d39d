//! The closed vocabulary of questions in each language, read from its data file.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::Value;

use crate::question::read::words::framing::Framing;
use crate::question::read::words::tokens::phrase_words;

/// What a phrase does in a question. The data files explain each by its words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Role {
    HowMany,
    HowMuch,
    How,
    Which,
    What,
    Who,
    Whose,
    Where,
    When,
    Show,
    Is,
    There,
    Inverted,
    Mean,
    Median,
    Sum,
    Combined,
    Per,
    PerHead,
    Ratio,
    Min,
    Max,
    Most,
    Fewest,
    More,
    Less,
    Than,
    Top,
    Bottom,
    First,
    Last,
    AtLeast,
    AtMost,
    Above,
    Below,
    Exactly,
    About,
    Between,
    From,
    To,
    And,
    Or,
    But,
    Before,
    After,
    Since,
    Until,
    In,
    Not,
    Without,
    Except,
    Missing,
    Present,
    With,
    By,
    Trend,
    Rise,
    Fall,
    Year,
    Quarter,
    Month,
    Week,
    Day,
    Hour,
    Decade,
    Share,
    Distinct,
    Range,
    Compare,
    Versus,
    Differ,
    Relation,
    Depend,
    Mention,
    Affix,
    Why,
    Common,
    Distribution,
    All,
    Only,
    Same,
    Single,
    Named,
    Ago,
    Relative,
    Latest,
    Earliest,
    Sorted,
    Overview,
    Generic,
    Light,
    Of,
    Stop,
    Definite,
    Thousand,
    Million,
    Billion,
    Hundred,
    Dozen,
}

/// The roles of words for spans of the calendar within which something is counted.
pub(crate) const PERIODS: &[Role] = &[
    Role::Year,
    Role::Quarter,
    Role::Month,
    Role::Week,
    Role::Day,
];

/// How far an adjective goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Grade {
    Positive,
    Comparative,
    Superlative,
}

/// An adjective of measure, such as `heaviest`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Degree {
    /// The concepts of the fields that it measures, the likeliest first; `any` for all.
    pub(crate) concepts: Vec<String>,
    /// Whether it asks for much of it.
    pub(crate) high: bool,
    pub(crate) grade: Grade,
}

/// What a phrase may be.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Entry {
    pub(crate) roles: Vec<Role>,
    pub(crate) degree: Option<Degree>,
    /// The number of a month, 1 to 12.
    pub(crate) month: Option<u32>,
    pub(crate) number: Option<f64>,
    pub(crate) ordinal: Option<u32>,
}

/// The vocabulary of one language.
#[derive(Debug, Default)]
pub(crate) struct Vocabulary {
    pub(crate) code: &'static str,
    phrases: HashMap<String, Entry>,
    /// Beginnings of words, each with its entry.
    beginnings: Vec<(String, Entry)>,
    /// The most words of a phrase that begins with a word.
    longest: HashMap<String, usize>,
    /// Whether numbers have a decimal comma.
    pub(crate) decimal_comma: bool,
    pub(crate) framing: Framing,
}

static LANGUAGES: LazyLock<Vec<Vocabulary>> = LazyLock::new(|| {
    [
        ("en", include_str!("../../../../questions/en.txt")),
        ("de", include_str!("../../../../questions/de.txt")),
        ("fr", include_str!("../../../../questions/fr.txt")),
        ("es", include_str!("../../../../questions/es.txt")),
        ("it", include_str!("../../../../questions/it.txt")),
        ("pt", include_str!("../../../../questions/pt.txt")),
    ]
    .into_iter()
    .map(|(code, text)| Vocabulary::parse(code, text))
    .collect()
});

/// Returns the phrases that one with alternatives writes: *is known* and *was known* of
/// `(is|was) known`.
fn alternatives(phrase: &str) -> Vec<String> {
    let Some((before, rest)) = phrase.split_once('(') else {
        return vec![phrase.to_owned()];
    };
    let Some((words, after)) = rest.split_once(')') else {
        return vec![phrase.to_owned()];
    };
    let each = words.split('|');
    each.flat_map(|word| alternatives(&format!("{before}{word}{after}")))
        .collect()
}

/// Returns the vocabularies of all languages; English first.
pub(crate) fn languages() -> &'static [Vocabulary] {
    &LANGUAGES
}

impl Vocabulary {
    /// Reads a data file. Lines that are not understood are ignored; a test finds them.
    pub(crate) fn parse(code: &'static str, text: &str) -> Self {
        let mut vocabulary = Self {
            code,
            ..Self::default()
        };
        for line in text.lines().map(str::trim) {
            if !line.is_empty() && !line.starts_with('#') {
                vocabulary.read_line(line);
            }
        }
        vocabulary
    }

    /// Reads a line and returns whether it is understood.
    pub(crate) fn read_line(&mut self, line: &str) -> bool {
        let Some((name, phrases)) = line.split_once(':') else {
            return false;
        };
        let split = |separator| {
            phrases
                .split(separator)
                .map(str::trim)
                .filter(|p| !p.is_empty())
        };

        if let Some(degree) = name.strip_prefix("degree ") {
            return self.read_degree(degree, phrases);
        }
        match name {
            "months" => {
                for (at, names) in (1..).zip(split(',')) {
                    names
                        .split_whitespace()
                        .for_each(|name| self.entry(name).month = Some(at));
                }
            }
            "numbers" | "tens" => {
                let (first, step) = if name == "tens" {
                    (20.0, 10.0)
                } else {
                    (0.0, 1.0)
                };
                let mut value = first;
                for names in split(',') {
                    names
                        .split('|')
                        .for_each(|n| self.entry(n).number = Some(value));
                    value += step;
                }
            }
            "ordinals" => {
                for (at, names) in (1..).zip(split(',')) {
                    names
                        .split('|')
                        .for_each(|name| self.entry(name).ordinal = Some(at));
                }
            }
            "decimal" => self.decimal_comma = phrases.trim() == ",",
            name if self.framing.read_line(name, phrases) => {}
            role => {
                let Ok(role) = Role::deserialize(Value::String(role.to_owned())) else {
                    return false;
                };
                for phrase in split(',').flat_map(alternatives) {
                    let entry = self.entry(&phrase);
                    if !entry.roles.contains(&role) {
                        entry.roles.push(role);
                    }
                }
            }
        }

        true
    }

    fn read_degree(&mut self, head: &str, forms: &str) -> bool {
        let Some((concepts, sign)) = head.rsplit_once(' ') else {
            return false;
        };
        let grades = [Grade::Positive, Grade::Comparative, Grade::Superlative];

        for (grade, forms) in grades.into_iter().zip(forms.split('|')) {
            for form in forms
                .split(',')
                .map(str::trim)
                .filter(|form| !form.is_empty())
            {
                let entry = self.entry(form);
                if entry.degree.is_none() {
                    entry.degree = Some(Degree {
                        concepts: concepts.split(',').map(str::to_owned).collect(),
                        high: sign == "+",
                        grade,
                    });
                }
            }
        }
        matches!(sign, "+" | "-")
    }

    fn entry(&mut self, phrase: &str) -> &mut Entry {
        let key = phrase_words(phrase);
        if let Some(beginning) = key.strip_suffix('*') {
            let beginning = beginning.to_owned();
            let at = match self
                .beginnings
                .iter()
                .position(|(known, _)| *known == beginning)
            {
                Some(at) => at,
                None => {
                    self.beginnings.push((beginning, Entry::default()));
                    self.beginnings.len() - 1
                }
            };
            return &mut self.beginnings[at].1;
        }

        let mut words = key.split(' ');
        let first = words.next().unwrap_or_default().to_owned();
        let longest = self.longest.entry(first).or_default();
        *longest = (*longest).max(1 + words.count());
        self.phrases.entry(key).or_default()
    }

    /// Returns the longest phrase at the beginning of words, and how many of them it has.
    pub(crate) fn longest_at<'w>(
        &self,
        word_at: impl Fn(usize) -> Option<&'w str>,
    ) -> Option<(&Entry, usize)> {
        let first = word_at(0)?;
        let longest = self.longest.get(first).copied().unwrap_or(0);
        let mut key = String::from(first);
        let mut found = self.phrases.get(first).map(|entry| (entry, 1));
        for length in 2..=longest {
            let Some(next) = word_at(length - 1) else {
                break;
            };
            key.push(' ');
            key.push_str(next);
            if let Some(entry) = self.phrases.get(&key) {
                found = Some((entry, length));
            }
        }

        found.or_else(|| {
            let begins = |(beginning, _): &&(String, Entry)| first.starts_with(beginning.as_str());
            let longest = self.beginnings.iter().filter(begins);
            longest
                .max_by_key(|(beginning, _)| beginning.len())
                .map(|(_, entry)| (entry, 1))
        })
    }

    /// Returns whether a single word is in the vocabulary.
    pub(crate) fn knows(&self, word: &str) -> bool {
        self.phrases.contains_key(word)
    }

    /// Returns the single word for a function, an amount or a degree that a misspelt word is; none
    /// if several are as near.
    ///
    /// A mistake is a letter that is left out, added, doubled or exchanged with the next one, or
    /// another vowel; the first letter is right.
    pub(crate) fn spelling(&self, word: &str) -> Option<&str> {
        /// Roles of words that change what is computed.
        const TELLING: &[Role] = &[
            Role::Mean,
            Role::Median,
            Role::Sum,
            Role::Min,
            Role::Max,
            Role::Share,
            Role::Which,
            Role::Between,
            Role::Without,
            Role::Relation,
            Role::Distinct,
        ];
        if word.chars().count() < SHORTEST_SLIP || self.knows(word) {
            return None;
        }

        let is_telling = |entry: &Entry| {
            let is_degree = entry
                .degree
                .as_ref()
                .is_some_and(|degree| degree.grade != Grade::Positive);
            is_degree
                || entry.ordinal.is_some()
                || entry.roles.iter().any(|role| TELLING.contains(role))
        };
        let known = self.phrases.iter().filter(|(phrase, entry)| {
            let length = phrase.chars().count();
            length >= SHORTEST_SLIP && !phrase.contains(' ') && is_telling(entry)
        });
        let mut near: Vec<&str> = known
            .map(|(phrase, _)| phrase.as_str())
            .filter(|phrase| is_slip(word, phrase))
            .collect();
        near.sort_unstable();
        // Forms of one word, such as `average` and `averages`, are as good.
        near.sort_by_key(|phrase| phrase.chars().count().abs_diff(word.chars().count()));
        near.first().copied()
    }
}

/// Letters of a word that may have a slip wherever it stands.
pub(crate) const SHORTEST_SLIP: usize = 5;

/// Returns whether a word is another one with a slip of the hand.
pub(crate) fn is_slip(word: &str, known: &str) -> bool {
    let (word, known): (Vec<char>, Vec<char>) = (word.chars().collect(), known.chars().collect());
    if word.first() != known.first() || word.last() != known.last() {
        return false;
    }
    let same = word.iter().zip(&known).take_while(|(a, b)| a == b).count();
    let (left, right) = (&word[same..], &known[same..]);
    let is_vowel = |letter: &char| "aeiouy".contains(*letter);

    match left.len() as isize - right.len() as isize {
        // A letter too many, or left out.
        1 => left[1..] == *right,
        -1 => *left == right[1..],
        0 if left.len() > 1 => {
            let is_exchanged =
                left[0] == right[1] && left[1] == right[0] && left[2..] == right[2..];
            let is_vowel_for_vowel =
                is_vowel(&left[0]) && is_vowel(&right[0]) && left[1..] == right[1..];
            is_exchanged || is_vowel_for_vowel
        }
        _ => false,
    }
}
