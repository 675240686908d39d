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

    /// Returns whether a comma in a number is more likely a decimal one.
    fn has_decimal_commas(&self) -> bool {
        false
    }

    /// Returns what was odd, for people.
    fn warnings(&self) -> Vec<String>;
}

/// Longest text in bytes that is kept whole. A page with longer ones is larger than what clients take.
const LONGEST: usize = 256 * 1024;

/// Returns the text, cut where it is too long, and counts that.
pub(super) fn cut<'a>(text: &'a str, count: &mut u64) -> &'a str {
    if text.len() <= LONGEST {
        return text;
    }
    *count += 1;
    let end = (0..=LONGEST).rev().find(|end| text.is_char_boundary(*end)).unwrap_or_default();
    &text[..end]
}

/// Returns whether some text in a record of so many bytes may be too long.
pub(super) fn may_be_cut(bytes: usize) -> bool {
    bytes > LONGEST
}

/// Says how many texts were cut.
pub(super) fn cut_warning(count: u64) -> Option<String> {
    let kilobytes = LONGEST / 1024;
    (count > 0).then(|| format!("{count} texts are longer than {kilobytes} KiB; only their beginning is kept"))
}
