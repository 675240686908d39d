//! The types of values.

use std::collections::{BTreeSet, HashMap};
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use crate::text::words::fold;

/// An answer with its type.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Value {
    /// A number, with its unit if it has one.
    Number(Quantity),
    /// A date.
    Date(Date),
    /// A version of software or of a document.
    Version(Version),
    /// The answer to a question of yes or no.
    YesNo(bool),
    /// A name.
    Name(String),
    /// Several names, of which the order does not matter.
    Set(BTreeSet<String>),
}

impl Value {
    /// Returns a word as an answer of yes or no, in six languages.
    pub fn yes_no(word: &str) -> Option<Self> {
        static WORDS: LazyLock<HashMap<String, bool>> = LazyLock::new(|| {
            let lines = include_str!("../../../rules/yes_no.txt").lines();
            let mut known = HashMap::new();
            for line in lines.filter(|line| !line.starts_with('#')) {
                let mut words = line.split_whitespace();
                let is_yes = words.next() == Some("yes");
                known.extend(words.map(|word| (fold(word), is_yes)));
            }
            known
        });
        let word = fold(word.trim().trim_end_matches(['.', '!']));
        WORDS.get(&word).map(|is_yes| Self::YesNo(*is_yes))
    }

    /// Returns several names as a set, in which case, diacritics and order do not matter.
    pub fn set<'t>(names: impl IntoIterator<Item = &'t str>) -> Self {
        Self::Set(names.into_iter().map(|name| fold(name.trim())).collect())
    }
}

/// What a word before a number makes of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    /// The number itself.
    #[default]
    Exact,
    /// A number near it: *about*.
    About,
    /// It or more: *at least*.
    AtLeast,
    /// More than it.
    More,
    /// It or less: *at most*.
    AtMost,
    /// Less than it.
    Less,
}

/// A number with its unit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Quantity {
    /// The number, or the lower end of a range, as written.
    pub low: f64,
    /// The upper end of a range, else the number.
    pub high: f64,
    /// Half of the last digit that is written: 0.05 for *1.5*, 50,000 for *1.5 million*.
    pub precision: f64,
    /// What the word before it makes of it.
    #[serde(default)]
    pub bound: Bound,
    /// The unit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<Unit>,
}

impl Quantity {
    /// Returns whether it is a range.
    pub fn is_range(&self) -> bool {
        self.low < self.high
    }
}

/// A unit of measurement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Unit {
    /// What it measures: `length`, `data`, `percent`, `eur`.
    pub dimension: String,
    /// How many base units it is.
    pub factor: f64,
    /// What is added in base units, for degrees of temperature.
    #[serde(default)]
    pub offset: f64,
}

/// A date, as precise as it is stated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Date {
    /// The year. `None` for a day and month without one.
    pub year: Option<i32>,
    /// The month, 1 to 12.
    pub month: Option<u8>,
    /// The day of the month, 1 to 31.
    pub day: Option<u8>,
}

/// A version: numbers, and what follows them.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Version {
    /// The numbers: `[1, 2, 3]`.
    pub numbers: Vec<u64>,
    /// A suffix in lower case, such as `rc1`. Empty if it has none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub suffix: String,
}
