//! The interpretation of a question, and the fields that fit it.

use research_agents_report::text::words;

use crate::data::record::Object;
use crate::data::task::{FieldFacts, FieldKind, QueryOverrides};
use crate::question::interpret::field::{is_identifier, is_prose};
use crate::question::lexicon;

/// A course of time: how many records fall into each interval of a date field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Histogram {
    /// A date field.
    pub(crate) field: String,
    /// `year`, `quarter`, `month`, `week` or `day`.
    pub(crate) interval: &'static str,
}

/// The interpretation of a question for a tool.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Interpretation {
    /// Filters by field: a value, a list of values, or a range.
    pub(crate) filters: Object,
    /// Fields to group by, outermost first.
    pub(crate) group_by: Vec<String>,
    /// The course of time that was asked for.
    pub(crate) histogram: Option<Histogram>,
    /// Fields that were named, without being filtered or grouped by.
    pub(crate) mentioned: Vec<String>,
    /// The subject: the words before the first condition, without those used otherwise.
    pub(crate) subject: Option<String>,
    /// The words that gave each part.
    pub(crate) derived: Vec<String>,
    /// Parts that were understood but cannot be asked of the tool.
    pub(crate) refused: Vec<String>,
    /// Words that fit no field and no value.
    pub(crate) unmatched: Vec<String>,
    /// The unmatched words that are nouns: the subjects of the question, or restrictions of them.
    pub(crate) nouns: Vec<String>,
    /// The unmatched words that are negated.
    pub(crate) denied: Vec<String>,
    /// Words that fit several fields, of which one was taken.
    pub(crate) doubtful: Vec<Doubtful>,
    /// Whether the question or the user names the grouping. Otherwise it is derived from the
    /// schema.
    pub(crate) grouping_asked: bool,
}

/// Words that fit several fields equally well.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Doubtful {
    /// The words.
    pub(crate) said: String,
    /// The fields, the one that was taken first, each with the value that the words are in it,
    /// where they are one.
    pub(crate) fits: Vec<(String, Option<String>)>,
}

impl Interpretation {
    /// Replaces what the user fixed.
    pub(crate) fn overridden(mut self, overrides: &QueryOverrides) -> Self {
        if let Some(filters) = &overrides.filters {
            self.filters = filters.clone();
            self.derived
                .push("the filters are those the user gave".to_owned());
        }
        if let Some(group_by) = &overrides.group_by {
            self.group_by.clone_from(group_by);
            self.grouping_asked = true;
            self.derived
                .push("the grouping is the one the user gave".to_owned());
        }
        self
    }

    /// Chooses a grouping from the fields when the question names none: a field that was named, or
    /// else the category whose number of values is handiest.
    pub(crate) fn with_default_grouping(mut self, fields: &[FieldFacts]) -> Self {
        if !self.group_by.is_empty() {
            return self;
        }
        let chosen = categories(fields, &self)
            .first()
            .map(|field| field.name.clone());
        if let Some(name) = chosen {
            self.derived.push(format!(
                "no words name a grouping; {name} is a category of the data"
            ));
            self.group_by.push(name);
        }
        self
    }

    /// Explains in one or two sentences what was derived from which words, and which words fit
    /// nothing.
    pub(crate) fn explanation(&self) -> String {
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
            sentences.push(format!(
                "Words that match no field or value: {}.",
                self.unmatched.join(", ")
            ));
        }
        sentences.join(" ")
    }

    /// Returns what the question is about, as a plural noun; `records` if it does not say.
    pub(crate) fn noun(&self) -> String {
        let subject = self.subject.as_deref().unwrap_or_default();
        let last = words(subject)
            .last()
            .map(|word| word.lower.clone())
            .unwrap_or_default();
        if !lexicon::is_plural(&last) {
            return "records".to_owned();
        }
        let mut letters = subject.chars();
        match (letters.next(), letters.clone().next()) {
            // A capital at the beginning of the question is not one of the noun, unless more of
            // them follow.
            (Some(first), Some(second)) if second.is_lowercase() => {
                first.to_lowercase().chain(letters).collect()
            }
            _ => subject.to_owned(),
        }
    }

    fn filtered(&self, name: &str) -> bool {
        self.filters.contains_key(name)
    }

    /// Returns how much of the question was understood, for choosing between tools.
    pub(crate) fn score(&self) -> usize {
        2 * self.filters.len()
            + 2 * usize::from(self.grouping_asked)
            + usize::from(self.histogram.is_some())
            + self.mentioned.len()
    }
}

/// Number of values that divides records most handily; a category near it comes first.
const HANDY_VALUES: usize = 6;

/// Returns the categories that are neither filtered nor grouped by: named ones first, then by how
/// handily they divide.
pub(crate) fn categories<'f>(
    fields: &'f [FieldFacts],
    meant: &Interpretation,
) -> Vec<&'f FieldFacts> {
    let mut found: Vec<&FieldFacts> = fields
        .iter()
        .filter(|field| matches!(field.kind, FieldKind::Text | FieldKind::Boolean))
        .filter(|field| field.kind == FieldKind::Boolean || (2..=200).contains(&field.values.len()))
        .filter(|field| !is_identifier(field) && !is_prose(field))
        .filter(|field| !meant.filtered(&field.name) && !meant.group_by.contains(&field.name))
        .collect();

    found.sort_by_key(|field| {
        let values = if field.kind == FieldKind::Boolean {
            2
        } else {
            field.values.len()
        };
        (
            !meant.mentioned.contains(&field.name),
            values.abs_diff(HANDY_VALUES),
        )
    });
    found
}

/// Returns the numeric fields that are not filtered: named ones first, then totals, then in the
/// tool's order. Identifiers and years are not quantities.
pub(crate) fn quantities<'f>(
    fields: &'f [FieldFacts],
    meant: &Interpretation,
) -> Vec<&'f FieldFacts> {
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

/// Returns the date field that is meant: the one of the histogram, a named one, or the first.
pub(crate) fn date_field<'f>(
    fields: &'f [FieldFacts],
    meant: &Interpretation,
) -> Option<&'f FieldFacts> {
    let dates = || fields.iter().filter(|field| field.kind == FieldKind::Date);
    dates()
        .find(|field| {
            meant
                .histogram
                .as_ref()
                .is_some_and(|h| h.field == field.name)
                || meant.mentioned.contains(&field.name)
        })
        .or_else(|| dates().find(|field| meant.filtered(&field.name)))
        .or_else(|| dates().next())
}
