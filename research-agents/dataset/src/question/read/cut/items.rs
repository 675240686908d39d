//! Cuts a question into items: the longest phrases that are words of the vocabulary, names of
//! fields, values, numbers or times.

use serde_json::Value;

use crate::question::interpret::dates::calendar::Moment;
use crate::question::read::words::vocabulary::{Degree, Role};

/// A field that words may name.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FieldMatch {
    pub(crate) field: usize,
    /// How much of its name is said, in thousandths.
    pub(crate) score: u32,
    /// Whether all of its name is said.
    pub(crate) is_full: bool,
    /// Whether the words are the opposite of the field, as `died` of `survived`.
    pub(crate) is_opposite: bool,
}

impl FieldMatch {
    /// Returns the match of words that say all of a field's name.
    pub(crate) fn full(field: usize) -> Self {
        Self {
            field,
            score: 1000,
            is_full: true,
            is_opposite: false,
        }
    }
}

/// How words are a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fit {
    Whole,
    OtherName,
    Words,
    Spelling,
}

/// A value that words may be.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ValueMatch {
    pub(crate) field: usize,
    pub(crate) value: Value,
    pub(crate) fit: Fit,
    /// Whether it counts only next to the name of its field.
    pub(crate) needs_field: bool,
    /// The number of records with the value, as far as the data source said.
    pub(crate) count: Option<u64>,
}

/// Words of a question that belong together, with all that they may be.
#[derive(Clone, Debug, Default)]
pub(crate) struct Item {
    /// The first word.
    pub(crate) start: usize,
    /// One past the last word.
    pub(crate) end: usize,
    pub(crate) roles: Vec<Role>,
    pub(crate) degree: Option<Degree>,
    pub(crate) fields: Vec<FieldMatch>,
    pub(crate) values: Vec<ValueMatch>,
    pub(crate) number: Option<f64>,
    pub(crate) ordinal: Option<u32>,
    pub(crate) moment: Option<Moment>,
    /// The role of the first word of a field's name, such as `total` of `total_sales`.
    pub(crate) leading: Option<Role>,
    pub(crate) is_quoted: bool,
    /// The entry of the lookup for these words.
    pub(crate) looked_up: Option<usize>,
    /// A correct spelling that was read instead.
    pub(crate) respelt: Option<String>,
    pub(crate) used: bool,
}

impl Item {
    pub(crate) fn has(&self, role: Role) -> bool {
        self.roles.contains(&role)
    }

    pub(crate) fn has_any(&self, roles: &[Role]) -> bool {
        self.roles.iter().any(|role| roles.contains(role))
    }

    /// Returns whether nothing is known about the words.
    pub(crate) fn is_open(&self) -> bool {
        self.roles.is_empty()
            && self.degree.is_none()
            && self.fields.is_empty()
            && self.values.is_empty()
            && self.number.is_none()
            && self.moment.is_none()
    }
}
