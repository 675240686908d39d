//! Functions that queries use and SQLite does not have.

use rusqlite::Connection;
use rusqlite::functions::FunctionFlags;
use rusqlite::types::ValueRef;

use super::super::time;
use super::super::words;

/// The same arguments give the same result, and nothing but a query of ours may call it.
pub(super) const PURE: FunctionFlags =
    FunctionFlags::SQLITE_DETERMINISTIC.union(FunctionFlags::SQLITE_UTF8).union(FunctionFlags::SQLITE_DIRECTONLY);

/// Registers the functions.
///
/// * `iso_week(date)`: the ISO week, such as `2024-W18`.
/// * `says(text, words)`: whether the words, which [`words::folded`] has folded, stand in the text in this order.
pub(super) fn register(connection: &Connection) -> rusqlite::Result<()> {
    connection.create_scalar_function("iso_week", 1, PURE, |context| {
        let day = match context.get_raw(0) {
            ValueRef::Text(text) => std::str::from_utf8(text).ok().and_then(time::parse),
            _ => None,
        };
        Ok(day.map(time::week_key))
    })?;
    connection.create_scalar_function("says", 2, PURE, |context| {
        let (ValueRef::Text(text), ValueRef::Text(phrase)) = (context.get_raw(0), context.get_raw(1)) else {
            return Ok(false);
        };
        let (Ok(text), Ok(phrase)) = (std::str::from_utf8(text), std::str::from_utf8(phrase)) else { return Ok(false) };
        Ok(words::says(text, phrase))
    })
}
