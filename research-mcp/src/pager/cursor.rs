//! Reads from a result whether there is a next page, and its cursor.

use serde_json::Value;

use super::PagerOptions;

/// What a result says about the next page.
pub(super) enum Next {
    /// There is none.
    NoMore,
    /// There is one, but no cursor to it.
    MissingCursor,
    /// The cursor, as the tool gave it.
    Cursor(Value),
}

/// Where results keep the cursor, beside the places named after the cursor argument.
const CURSORS: &[&str] = &[
    "/next_cursor",
    "/nextCursor",
    "/pagination/next_cursor",
    "/pagination/nextCursor",
    "/meta/next_cursor",
    "/page_info/end_cursor",
    "/pageInfo/endCursor",
];

/// Where results say whether there is more.
const MORE: &[&str] = &[
    "/has_more",
    "/hasMore",
    "/pagination/has_more",
    "/pagination/hasMore",
    "/meta/has_more",
    "/page_info/has_next_page",
    "/pageInfo/hasNextPage",
    "/data_context/has_more",
];

/// Decides from one result.
pub(super) fn next(result: &Value, options: &PagerOptions) -> Next {
    let more = match &options.has_more_pointer {
        Some(pointer) => result.pointer(pointer).and_then(Value::as_bool),
        None => MORE.iter().find_map(|pointer| result.pointer(pointer).and_then(Value::as_bool)),
    };
    if more == Some(false) {
        return Next::NoMore;
    }
    match cursor(result, options) {
        Some(cursor) if is_cursor(cursor, more) => Next::Cursor(cursor.clone()),
        _ if more == Some(true) => Next::MissingCursor,
        _ => Next::NoMore,
    }
}

fn cursor<'a>(result: &'a Value, options: &PagerOptions) -> Option<&'a Value> {
    if let Some(pointer) = &options.cursor_pointer {
        return result.pointer(pointer);
    }
    let name = &options.cursor_argument;
    ["", "/pagination", "/data_context", "/meta"]
        .iter()
        .flat_map(|place| [format!("{place}/next_{name}"), format!("{place}/{name}")])
        .find_map(|pointer| result.pointer(&pointer).filter(|cursor| !cursor.is_null()))
        .or_else(|| CURSORS.iter().find_map(|pointer| result.pointer(pointer).filter(|cursor| !cursor.is_null())))
}

/// Null and an empty list are no cursor. An empty string is one only when the tool says that there is more.
fn is_cursor(cursor: &Value, more: Option<bool>) -> bool {
    match cursor {
        Value::Null => false,
        Value::Array(values) => !values.is_empty(),
        Value::String(text) => !text.is_empty() || more == Some(true),
        _ => true,
    }
}
