//! A column: its type, and a summary of what it holds.

use serde_json::Value;

/// Most distinct texts of a column whose values the tool's schema lists.
pub(super) const LISTED: usize = 50;
/// Longest text in bytes that counts as one of a few values; a column with a longer one holds prose, which no schema should list.
pub(super) const LONGEST: usize = 100;
/// What stands between the names of two fields in the name of their difference: no hyphen, which names have themselves.
pub(super) const MINUS: &str = " − ";
/// What ends the name of the difference of two dates.
pub(super) const IN_DAYS: &str = " in days";

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
    /// The cells are differences: from each of these, that of another field is taken away.
    pub(super) minus: Option<Subtracted>,
}

/// Where the store has what a difference takes away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Subtracted {
    /// Number of the field.
    at: usize,
    /// Number of the table.
    table: usize,
    /// Both fields hold dates, between which days are counted.
    days: bool,
}

impl Field {
    /// Returns the difference of two fields, which is a field too: that of two numbers, or of two dates in days. Other fields have none.
    pub(super) fn difference(from: &Self, other: &Self) -> Option<Self> {
        let days = from.kind == FieldKind::Date && other.kind == FieldKind::Date;
        let are_numbers = from.kind.is_number() && other.kind.is_number();
        if from.place.many || other.place.many || !(days || are_numbers) {
            return None;
        }

        let are_whole = from.kind == FieldKind::Integer && other.kind == FieldKind::Integer;
        let unit = from.unit.clone().filter(|unit| other.unit.as_ref() == Some(unit));
        let minus = Subtracted { at: other.place.at, table: other.place.table, days };
        Some(Self {
            name: format!("{}{MINUS}{}{}", from.name, other.name, if days { IN_DAYS } else { "" }),
            kind: if are_whole { FieldKind::Integer } else { FieldKind::Number },
            unit,
            place: Place { written: false, minus: Some(minus), ..from.place },
            ..Self::default()
        })
    }

    /// Returns the column that compares and sorts, for a field with one value a record.
    pub(super) fn column(&self) -> String {
        let Place { at, table, minus, .. } = self.place;
        match minus {
            None => format!("t{table}.c{at}"),
            Some(Subtracted { at: other, table: from, days: false }) => format!("(t{table}.c{at} - t{from}.c{other})"),
            // Days are counted in binary fractions, which are not exact to the second.
            Some(Subtracted { at: other, table: from, days: true }) => {
                format!("round(julianday(t{table}.c{at}) - julianday(t{from}.c{other}), 6)")
            }
        }
    }

    /// Returns the numbers of the tables that the column is read from.
    pub(super) fn tables(&self) -> impl Iterator<Item = usize> {
        [self.place.table].into_iter().chain(self.place.minus.map(|other| other.table))
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
