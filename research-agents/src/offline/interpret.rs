//! From a question and a tool's fields to filters, groupings and a course of time.
//!
//! Each word of the question is used at most once. What was derived from which words, and which words fit nothing, is
//! part of the result.

mod calendar;
mod dates;
mod grouping;
mod mention;
mod moments;
mod nouns;
mod numbers;
mod partial;
mod phrase;
mod reader;
mod settle;
mod values;

use serde_json::{Value, json};

use super::lexicon;
use super::text::words;
use crate::dataset::record::Object;
use crate::dataset::task::{FieldFacts, FieldKind, QueryOverrides};
use crate::kernel::evidence::plain;
use reader::Reader;

pub(super) use dates::default_interval;

/// A course of time: how many records fall into each interval of a date field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Histogram {
    /// A date field.
    pub(super) field: String,
    /// `year`, `quarter`, `month`, `week` or `day`.
    pub(super) interval: &'static str,
}

/// What a question asks of a tool.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Interpretation {
    /// Filters by field: a value, a list of values, or a range.
    pub(super) filters: Object,
    /// Fields to group by, outermost first.
    pub(super) group_by: Vec<String>,
    /// The course of time that was asked for.
    pub(super) histogram: Option<Histogram>,
    /// Fields that were named, without being filtered or grouped by.
    pub(super) mentioned: Vec<String>,
    /// What the question is about: its words before the first condition, without those used otherwise.
    pub(super) subject: Option<String>,
    /// Which words gave what.
    pub(super) derived: Vec<String>,
    /// What was understood but cannot be asked of the tool.
    pub(super) refused: Vec<String>,
    /// Words that fit no field and no value.
    pub(super) unmatched: Vec<String>,
    /// Those of them that stand where nouns stand: what is asked about, or what that is restricted to.
    pub(super) nouns: Vec<String>,
    /// Those of them that the question denies.
    pub(super) denied: Vec<String>,
    /// Words that fit several fields, of which one was taken.
    pub(super) doubtful: Vec<Doubtful>,
    /// Whether the grouping comes from the question's words or from the user, and not from the look of the schema.
    pub(super) grouping_asked: bool,
}

/// Words that fit several fields equally well.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Doubtful {
    /// The words.
    pub(super) said: String,
    /// The fields, the one that was taken first, each with the value that the words are in it, where they are one.
    pub(super) fits: Vec<(String, Option<String>)>,
}

/// Reads a question against the fields of a tool.
pub(super) fn interpret(question: &str, fields: &[FieldFacts]) -> Interpretation {
    interpret_with(question, fields, &[])
}

/// The same, where the user has said which fields are meant by words that fit several.
pub(super) fn interpret_with(question: &str, fields: &[FieldFacts], meant: &[String]) -> Interpretation {
    let mut reader = Reader::new(question, fields).preferring(meant);
    reader.mark_negations();
    reader.read_explicit_pairs();
    reader.read_absences();
    reader.read_groupings();
    reader.read_values();
    reader.read_numbers_and_dates();
    reader.read_partial_values();
    reader.read_booleans();
    reader.read_mentions();
    reader.finish()
}

impl Interpretation {
    /// Replaces what the user fixed.
    pub(super) fn overridden(mut self, overrides: &QueryOverrides) -> Self {
        if let Some(filters) = &overrides.filters {
            self.filters = filters.clone();
            self.derived.push("the filters are those the user gave".to_owned());
        }
        if let Some(group_by) = &overrides.group_by {
            self.group_by.clone_from(group_by);
            self.grouping_asked = true;
            self.derived.push("the grouping is the one the user gave".to_owned());
        }
        self
    }

    /// Chooses a grouping from the fields when the question names none: a field that was named, or else the category
    /// whose number of values is handiest.
    pub(super) fn with_default_grouping(mut self, fields: &[FieldFacts]) -> Self {
        if !self.group_by.is_empty() {
            return self;
        }
        let chosen = categories(fields, &self).first().map(|field| field.name.clone());
        if let Some(name) = chosen {
            self.derived.push(format!("no words name a grouping; {name} is a category of the data"));
            self.group_by.push(name);
        }
        self
    }

    /// One or two sentences: what was derived from which words, and which words fit nothing.
    pub(super) fn explanation(&self) -> String {
        let mut sentences = Vec::new();
        if self.derived.is_empty() {
            sentences.push("No word of the question names a field or a value.".to_owned());
        } else {
            sentences.push(format!("Derived: {}.", self.derived.join("; ")));
        }
        if !self.refused.is_empty() {
            sentences.push(format!("Not applied: {}.", self.refused.join("; ")));
        }
        if !self.unmatched.is_empty() {
            sentences.push(format!("Words that match no field or value: {}.", self.unmatched.join(", ")));
        }
        sentences.join(" ")
    }

    /// What the question is about, as a plural noun; `records` when it does not say.
    pub(super) fn noun(&self) -> String {
        let subject = self.subject.as_deref().unwrap_or_default();
        let last = words(subject).last().map(|word| word.lower.clone()).unwrap_or_default();
        if !lexicon::is_plural(&last) {
            return "records".to_owned();
        }
        let mut letters = subject.chars();
        match (letters.next(), letters.clone().next()) {
            // A capital at the beginning of the question is not one of the noun, unless more of them follow.
            (Some(first), Some(second)) if second.is_lowercase() => first.to_lowercase().chain(letters).collect(),
            _ => subject.to_owned(),
        }
    }

    fn filtered(&self, name: &str) -> bool {
        self.filters.contains_key(name)
    }

    /// How much of the question was understood: for choosing between tools.
    pub(super) fn score(&self) -> usize {
        2 * self.filters.len()
            + 2 * usize::from(self.grouping_asked)
            + usize::from(self.histogram.is_some())
            + self.mentioned.len()
    }
}

/// Number of values that divides records most handily; a category near it comes first.
const HANDY_VALUES: usize = 6;

/// The categories that are neither filtered nor grouped by: named ones first, then by how handily they divide.
pub(super) fn categories<'f>(fields: &'f [FieldFacts], meant: &Interpretation) -> Vec<&'f FieldFacts> {
    let mut found: Vec<&FieldFacts> = fields
        .iter()
        .filter(|field| matches!(field.kind, FieldKind::Text | FieldKind::Boolean))
        .filter(|field| field.kind == FieldKind::Boolean || (2..=200).contains(&field.values.len()))
        .filter(|field| !is_identifier(field) && !is_prose(field))
        .filter(|field| !meant.filtered(&field.name) && !meant.group_by.contains(&field.name))
        .collect();
    found.sort_by_key(|field| {
        let values = if field.kind == FieldKind::Boolean { 2 } else { field.values.len() };
        (!meant.mentioned.contains(&field.name), values.abs_diff(HANDY_VALUES))
    });
    found
}

/// Listed values of so many characters on average are prose.
const LONG_VALUES: usize = 40;

/// Whether a text field holds prose: by its values, or by its name where the schema lists none.
pub(super) fn is_prose(field: &FieldFacts) -> bool {
    let named = || words(&field.name).iter().any(|word| lexicon::is_prose(&word.lower));
    let characters: usize = field.values.iter().map(|value| plain(value).chars().count()).sum();
    let long = characters > LONG_VALUES * field.values.len();
    field.kind == FieldKind::Text && if field.values.is_empty() { named() } else { long }
}

/// Whether a field is named like one whose values are different in nearly every record.
pub(super) fn is_identifier(field: &FieldFacts) -> bool {
    let words = words(&field.name);
    let is_name = matches!(words.as_slice(), [only] if only.lower == "name");
    is_name || words.iter().any(|word| lexicon::is_identifier(&word.lower))
}

/// The numeric fields that are not filtered: named ones first, then totals, then in the tool's order. Identifiers and
/// years are no quantities.
pub(super) fn quantities<'f>(fields: &'f [FieldFacts], meant: &Interpretation) -> Vec<&'f FieldFacts> {
    let mut found: Vec<&FieldFacts> = fields
        .iter()
        .filter(|field| field.kind == FieldKind::Number && !meant.filtered(&field.name))
        .filter(|field| !meant.group_by.contains(&field.name))
        .filter(|field| {
            let words = words(&field.name);
            !words.iter().any(|word| {
                matches!(
                    word.lower.as_str(),
                    "id" | "index" | "year" | "latitude" | "longitude" | "lat" | "lon" | "zip"
                )
            })
        })
        .collect();
    found.sort_by_key(|field| {
        let total = words(&field.name).iter().any(|word| word.lower == "total");
        (!meant.mentioned.contains(&field.name), !total)
    });
    found
}

/// The date field that is meant: the one of the histogram, a named one, or the first.
pub(super) fn date_field<'f>(fields: &'f [FieldFacts], meant: &Interpretation) -> Option<&'f FieldFacts> {
    let dates = || fields.iter().filter(|field| field.kind == FieldKind::Date);
    dates()
        .find(|field| {
            meant.histogram.as_ref().is_some_and(|h| h.field == field.name) || meant.mentioned.contains(&field.name)
        })
        .or_else(|| dates().find(|field| meant.filtered(&field.name)))
        .or_else(|| dates().next())
}

/// A number as JSON: whole numbers without a fraction.
fn number(value: f64) -> Value {
    #[expect(clippy::cast_possible_truncation, reason = "the value was just found to be whole and small")]
    if value.fract() == 0.0 && value.abs() < 9.0e15 { json!(value as i64) } else { json!(value) }
}

#[cfg(test)]
mod tests;
