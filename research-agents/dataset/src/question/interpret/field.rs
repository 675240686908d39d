//! The fields of a tool, and what their names and values reveal.

use research_agents_report::evidence::plain;
use research_agents_report::text::words;

use crate::data::task::{FieldFacts, FieldKind};
use crate::question::lexicon;

/// A word of a field's name.
pub(crate) struct NameWord {
    pub(crate) lower: String,
    pub(crate) stem: String,
    /// Whether it is too generic to name the field alone.
    pub(crate) weak: bool,
    /// Whether it is a function word, which counts only together with others.
    pub(crate) filler: bool,
}

/// A field with its name split into words.
pub(crate) struct Field<'f> {
    pub(crate) facts: &'f FieldFacts,
    pub(crate) words: Vec<NameWord>,
}

impl Field<'_> {
    /// Returns whether its values are names for the records themselves, as *laptop* of products,
    /// and not for something about them.
    pub(crate) fn says_what_a_record_is(&self) -> bool {
        self.words
            .iter()
            .any(|word| lexicon::names_records(&word.lower))
    }

    pub(crate) fn strong(&self) -> usize {
        self.words.iter().filter(|word| !word.weak).count()
    }
}

/// Listed values of so many characters on average are prose.
const LONG_VALUES: usize = 40;

/// Returns whether a field of text holds prose: by its values, or by its name if the schema lists
/// none.
pub(crate) fn is_prose(field: &FieldFacts) -> bool {
    let named = || {
        words(&field.name)
            .iter()
            .any(|word| lexicon::is_prose(&word.lower))
    };
    let characters: usize = field
        .values
        .iter()
        .map(|value| plain(value).chars().count())
        .sum();
    let long = characters > LONG_VALUES * field.values.len();
    field.kind == FieldKind::Text
        && if field.values.is_empty() {
            named()
        } else {
            long
        }
}

/// Returns whether a field is named like one whose values are different in nearly every record.
pub(crate) fn is_identifier(field: &FieldFacts) -> bool {
    let words = words(&field.name);
    let is_name = matches!(words.as_slice(), [only] if only.lower == "name");
    // `oscar_no` numbers them.
    let is_number = words.len() > 1
        && words
            .last()
            .is_some_and(|word| matches!(word.lower.as_str(), "no" | "nr" | "num" | "nummer"));
    is_name || is_number || words.iter().any(|word| lexicon::is_identifier(&word.lower))
}
