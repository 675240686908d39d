//! Rows as the readers of the formats give them.

use super::super::error::LoadError;

/// One value of a record.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Cell<'a> {
    /// A text from a format without types, which may stand for a number, a date or a truth value.
    Untyped(&'a str),
    /// A whole number.
    Integer(i64),
    /// Any other number.
    Real(f64),
    /// A truth value.
    Boolean(bool),
    /// A text from a format with types.
    Text(&'a str),
}

/// What a record has in one field; a field without a value is left out.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Cells<'a> {
    /// One value.
    One(Cell<'a>),
    /// A list.
    Many(Vec<Cell<'a>>),
}

/// A record.
#[derive(Debug)]
pub(super) struct Row<'a> {
    /// Numbers of fields, and what they hold.
    pub(super) cells: &'a [(usize, Cells<'a>)],
    /// The record as a JSON text, when it cannot be built from its cells.
    pub(super) document: Option<&'a str>,
}

/// What is called with every row.
pub(super) type Each<'f> = dyn FnMut(Row<'_>) -> Result<(), LoadError> + 'f;

/// Reads the rows of a file, as often as it is asked.
pub(super) trait Reader {
    /// Reads all rows in order.
    fn read(&mut self, each: &mut Each<'_>) -> Result<(), LoadError>;

    /// Returns the names of the fields by their numbers. Complete after all rows were read.
    fn names(&self) -> Vec<String>;

    /// Returns what was odd, for people.
    fn warnings(&self) -> Vec<String>;
}
