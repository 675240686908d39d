//! A column: its type, and a summary of what it holds.

use serde_json::Value;

/// Most distinct texts of a column whose values the tool's schema lists.
pub(super) const LISTED: usize = 50;
/// Longest text in bytes that counts as one of a few values; a column with a longer one holds prose, which no schema should list.
pub(super) const LONGEST: usize = 100;
/// What ends the name of the difference of two dates.
const IN_DAYS: &str = " in days";

/// What a field that is computed of two others does with them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    /// Takes the second from the first.
    Minus,
    /// Adds both.
    Plus,
    /// Divides the first by the second.
    Over,
}

impl Operation {
    pub(super) const ALL: [Self; 3] = [Self::Minus, Self::Plus, Self::Over];

    /// Returns what stands between the two names: no hyphen and no slash, which names have themselves.
    pub(super) fn sign(self) -> &'static str {
        match self {
            Self::Minus => " − ",
            Self::Plus => " + ",
            Self::Over => " ÷ ",
        }
    }

    /// Returns the regular expression of names with the sign.
    pub(super) fn pattern(self) -> String {
        self.sign().replace('+', "\\+")
    }
}

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
    /// The cells are computed of these and of another field.
    pub(super) operand: Option<Operand>,
}

/// Where the store has the second field of a computed one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Operand {
    operation: Operation,
    /// Number of the field.
    at: usize,
    /// Number of the table.
    table: usize,
    /// Both fields hold dates, between which days are counted.
    days: bool,
}

impl Field {
    /// Returns the field of a name that is computed of two others, such as `births − deaths`, where these are known.
    pub(super) fn computed<'f>(name: &str, known: impl Fn(&str) -> Option<&'f Self>) -> Option<Self> {
        Operation::ALL.into_iter().find_map(|operation| {
            let (first, second) = name.split_once(operation.sign())?;
            let second = known(second).or_else(|| known(second.strip_suffix(IN_DAYS)?))?;
            known(first)?.with(operation, second)
        })
    }

    /// Returns the field that is computed of this and another one: of two numbers, or the days between two dates.
    fn with(&self, operation: Operation, other: &Self) -> Option<Self> {
        let days = self.kind == FieldKind::Date && other.kind == FieldKind::Date && operation == Operation::Minus;
        let are_numbers = self.kind.is_number() && other.kind.is_number();
        if self.place.many || other.place.many || !(days || are_numbers) {
            return None;
        }

        let is_ratio = operation == Operation::Over;
        let are_whole = self.kind == FieldKind::Integer && other.kind == FieldKind::Integer;
        let unit = self.unit.clone().filter(|unit| !is_ratio && other.unit.as_ref() == Some(unit));
        let operand = Operand { operation, at: other.place.at, table: other.place.table, days };
        Some(Self {
            name: format!("{}{}{}{}", self.name, operation.sign(), other.name, if days { IN_DAYS } else { "" }),
            kind: if are_whole && !is_ratio { FieldKind::Integer } else { FieldKind::Number },
            unit,
            place: Place { written: false, operand: Some(operand), ..self.place },
            ..Self::default()
        })
    }

    /// Returns the column that compares and sorts, for a field with one value a record.
    pub(super) fn column(&self) -> String {
        let Place { at, table, operand, .. } = self.place;
        let own = format!("t{table}.c{at}");
        let Some(Operand { operation, at, table, days }) = operand else {
            return own;
        };

        let other = format!("t{table}.c{at}");
        match operation {
            // Days are counted in binary fractions, which are not exact to the second.
            Operation::Minus if days => format!("round(julianday({own}) - julianday({other}), 6)"),
            Operation::Minus => format!("({own} - {other})"),
            Operation::Plus => format!("({own} + {other})"),
            // Whole numbers would be divided without a remainder; nothing comes of a division by zero.
            Operation::Over => format!("(CAST({own} AS REAL) / {other})"),
        }
    }

    /// Returns the numbers of the tables that the column is read from.
    pub(super) fn tables(&self) -> impl Iterator<Item = usize> {
        [self.place.table].into_iter().chain(self.place.operand.map(|other| other.table))
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
