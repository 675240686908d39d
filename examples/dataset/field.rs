//! A column: its type, and a summary of what it holds.

use serde_json::Value;

/// Most distinct texts of a column whose values the tool's schema lists.
pub(super) const LISTED: usize = 50;
/// Longest text in bytes that counts as one of a few values; a column with a longer one holds prose, which no schema should list.
pub(super) const LONGEST: usize = 100;

/// Type of a column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FieldKind {
    /// Whole numbers.
    Integer,
    /// Numbers.
    Number,
    /// True and false.
    Boolean,
    /// Dates, with or without a time.
    Date,
    /// Anything else, also numbers with leading zeros.
    #[default]
    Text,
}

impl FieldKind {
    /// Name for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Integer => "whole number",
            Self::Number => "number",
            Self::Boolean => "boolean",
            Self::Date => "date",
            Self::Text => "text",
        }
    }

    pub(super) fn is_number(self) -> bool {
        matches!(self, Self::Integer | Self::Number)
    }
}

/// A column.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Field {
    /// Name, unique in the data set.
    pub name: String,
    /// Type.
    pub kind: FieldKind,
    /// The distinct texts in order, when they are few; empty otherwise.
    pub values: Vec<String>,
    /// Smallest and largest number, or first and last date.
    pub range: Option<(Value, Value)>,
    /// Number of different values.
    pub distinct: u64,
    /// Records without a value.
    pub missing: u64,
    /// What is written before or behind every number, such as `$` or `km/h`.
    pub unit: Option<String>,
    /// Where the store has its cells.
    pub(super) place: Place,
}

/// Where the store has the cells of a field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Place {
    /// Number of the field, which is in the names of its columns.
    pub(super) at: usize,
    /// Number of the table.
    pub(super) table: usize,
    /// Records may have several values, which are in a table of their own.
    pub(super) many: bool,
    /// Documents show another text than the one that sorts by time.
    pub(super) written: bool,
}

impl Field {
    /// Returns the column that compares and sorts, for a field with one value a record.
    pub(super) fn column(&self) -> String {
        format!("t{}.c{}", self.place.table, self.place.at)
    }

    /// Returns the expression for what documents show, for a field with one value a record.
    pub(super) fn shown(&self) -> String {
        let column = self.column();
        let Place { at, table, written, .. } = self.place;
        if written { format!("coalesce(t{table}.w{at}, {column})") } else { column }
    }

    /// Returns the name of the table with the values of a field that holds lists.
    pub(super) fn list(&self) -> String {
        format!("l{}", self.place.at)
    }
}
