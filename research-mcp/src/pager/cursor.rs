//! Reads from a result whether there is a next page, and its cursor.

use serde_json::Value;

use super::options::{PagerOptions, Paging};
use crate::envelope::DataResult;
use crate::payload::keys::{find, plain};
use crate::payload::payload;

/// What a result says about the next page.
#[derive(Debug, PartialEq)]
pub(super) enum Next {
    /// There is none.
    NoMore,
    /// It says nothing.
    Silent,
    /// There is one, but no cursor to it.
    MissingCursor,
    /// The cursor, as the tool gave it.
    Cursor(Value),
}

/// How results name the cursor, beside the names that follow from the cursor argument; as [`plain`] writes them.
const CURSORS: &[&str] = &[
    "nextcursor",
    "nextpagetoken",
    "nexttoken",
    "nextcursormark",
    "nextsearchafter",
    "nextcontinuationtoken",
    "continuationtoken",
    "nextmarker",
    "endcursor",
    "scrollid",
];

/// How results name the flag that there is more.
const MORE: &[&str] =
    &["hasmore", "hasnextpage", "hasnext", "hasmoreresults", "moreresultsavailable", "moreavailable", "istruncated"];

/// How results name the flag that this is the last page.
const LAST: &[&str] = &["islast", "islastpage", "last"];

/// How results name the address of the next page, or null.
const LINKS: &[&str] = &["next", "nextlink", "nexturl", "nextpageurl"];

/// Decides from one result.
pub(super) fn next(result: &Value, options: &PagerOptions) -> Next {
    let more = more(result, options);
    if more == Some(false) {
        return Next::NoMore;
    }
    match cursor(result, options) {
        Some(cursor) if is_cursor(&cursor, more) => Next::Cursor(cursor),
        _ if more == Some(true) => Next::MissingCursor,
        _ => Next::Silent,
    }
}

/// Whether there is more, as far as the result says.
pub(super) fn more(result: &Value, options: &PagerOptions) -> Option<bool> {
    if let Some(pointer) = &options.has_more_pointer {
        return result.pointer(pointer).and_then(Value::as_bool);
    }
    find(result, MORE, Value::as_bool).or_else(|| find(result, LAST, Value::as_bool).map(|last| !last)).or_else(|| {
        find(result, LINKS, |link| match link {
            Value::Null => Some(false),
            other => is_link(other).then_some(true),
        })
    })
}

fn cursor(result: &Value, options: &PagerOptions) -> Option<Value> {
    if let Some(pointer) = &options.cursor_pointer {
        return result.pointer(pointer).cloned();
    }
    let name = plain(options.cursor_argument.rsplit('/').next().unwrap_or_default());
    let after = format!("next{name}");
    let usable = |value: &Value| (!value.is_null() && !value.is_object() && !is_link(value)).then(|| value.clone());
    let found = find(result, &[after.as_str()], usable);
    match options.paging {
        // A result repeats the number that it was asked for under the name of the argument.
        Paging::Page { .. } | Paging::Offset => found.or_else(|| in_link(result, &name)),
        _ => found
            .or_else(|| find(result, &[name.as_str()], usable))
            .or_else(|| find(result, CURSORS, usable))
            .or_else(|| in_link(result, &name))
            .or_else(|| find(result, &["after", "next"], usable))
            .or_else(|| (name == "searchafter").then(|| sort_of_last_hit(result)).flatten()),
    }
}

/// Null and an empty list are no cursor. An empty string is one only when the tool says that there is more.
fn is_cursor(cursor: &Value, more: Option<bool>) -> bool {
    match cursor {
        Value::Null => false,
        Value::Array(values) => !values.is_empty(),
        Value::String(text) => !text.is_empty() || more == Some(true),
        Value::Bool(_) => false,
        _ => true,
    }
}

/// An address, absolute or on the same host, as a text or in an object's `href`.
fn link(value: &Value) -> Option<&str> {
    let text = value.as_str().or_else(|| value.get("href")?.as_str())?;
    (text.starts_with("http://") || text.starts_with("https://") || text.starts_with('/')).then_some(text)
}

fn is_link(value: &Value) -> bool {
    link(value).is_some()
}

/// The value that the address of the next page gives to the cursor argument, also as `page[name]`.
fn in_link(result: &Value, name: &str) -> Option<Value> {
    let query = find(result, LINKS, |value| link(value)?.split_once('?').map(|(_, query)| query))?;
    let query = query.split('#').next().unwrap_or_default();
    let pair = query.split('&').filter_map(|pair| pair.split_once('=')).find(|(key, _)| {
        let key = decoded(key);
        let inner = key.strip_prefix("page[").and_then(|key| key.strip_suffix(']'));
        plain(inner.unwrap_or(&key)) == name
    })?;
    let text = decoded(pair.1);
    // Page numbers and offsets go back as numbers; anything that would change on the way stays a text.
    Some(text.parse::<u64>().ok().filter(|number| number.to_string() == text).map_or(Value::String(text), Value::from))
}

/// A part of a query with `+` and `%xx` decoded.
fn decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut plain = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let hex = || u8::from_str_radix(text.get(at + 1..at + 3)?, 16).ok();
        match (bytes[at], hex()) {
            (b'%', Some(byte)) => {
                plain.push(byte);
                at += 2;
            }
            (b'+', _) => plain.push(b' '),
            (byte, _) => plain.push(byte),
        }
        at += 1;
    }
    String::from_utf8_lossy(&plain).into_owned()
}

/// Elasticsearch goes on after the sort values of the last hit.
fn sort_of_last_hit(result: &Value) -> Option<Value> {
    let hits = result.pointer("/hits/hits")?.as_array()?;
    hits.last()?.get("sort").filter(|sort| sort.is_array()).cloned()
}

impl PagerOptions {
    /// Whether there is more after a result, as far as the result says it.
    #[must_use]
    pub fn has_more(&self, result: &Value) -> Option<bool> {
        more(&payload(result), self)
    }

    /// The same for a result whose envelopes are opened only once.
    #[must_use]
    pub fn has_more_data(&self, result: &DataResult) -> Option<bool> {
        more(result.payload(), self)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn says(argument: &str, paging: Paging, result: &Value) -> Next {
        next(result, &PagerOptions::default().cursor_argument(argument).paging(paging))
    }

    #[test]
    fn cursors_are_found_in_many_shapes() {
        let cursor = |text: &str| Next::Cursor(text.into());
        let cases = [
            ("search_after", json!({"data_context": {"search_after": "c"}, "has_more": true}), cursor("c")),
            (
                "search_after",
                json!({"hits": {"hits": [{"sort": [1]}, {"sort": [2, "x"]}]}}),
                Next::Cursor(json!([2, "x"])),
            ),
            ("cursor", json!({"meta": {"next_cursor": "c", "cursor": "old"}}), cursor("c")),
            ("cursor", json!({"message": {"next-cursor": "c", "items": [{"next_cursor": "no"}]}}), cursor("c")),
            ("cursorMark", json!({"nextCursorMark": "c", "response": {"docs": []}}), cursor("c")),
            ("pageToken", json!({"nextPageToken": "c"}), cursor("c")),
            ("after", json!({"data": {"search": {"pageInfo": {"hasNextPage": true, "endCursor": "c"}}}}), cursor("c")),
            (
                "after",
                json!({"data": {"search": {"pageInfo": {"hasNextPage": false, "endCursor": "c"}}}}),
                Next::NoMore,
            ),
            ("after", json!({"paging": {"next": {"after": "c", "link": "https://e.example/?after=c"}}}), cursor("c")),
            ("cursor", json!({"links": {"next": "/articles?page%5Bcursor%5D=a%2Fb+c&x=1"}}), cursor("a/b c")),
            ("cursor", json!({"links": {"next": null}}), Next::NoMore),
            ("cursor", json!({"next_cursor": null, "has_more": true}), Next::MissingCursor),
            ("cursor", json!({"next_cursor": "", "has_more": true}), cursor("")),
            ("cursor", json!({"next_cursor": ""}), Next::Silent),
            ("cursor", json!({"isLast": true, "next_cursor": "c"}), Next::NoMore),
            ("cursor", json!([{"next_cursor": "c"}]), Next::Silent),
        ];
        for (argument, result, expected) in cases {
            assert_eq!(says(argument, Paging::Cursor, &result), expected, "{argument}: {result}");
        }
    }

    #[test]
    fn a_number_that_the_result_repeats_is_no_next_one() {
        let page = |result: Value| says("page", Paging::Page { first: 1 }, &result);
        assert_eq!(page(json!({"page": 3, "results": []})), Next::Silent);
        assert_eq!(page(json!({"page": 3, "next_page": 4})), Next::Cursor(4.into()));
        assert_eq!(page(json!({"count": 9, "next": "https://e.example/?q=a&page=4"})), Next::Cursor(4.into()));
        assert_eq!(page(json!({"next": null, "previous": "https://e.example/?page=2"})), Next::NoMore);
        assert_eq!(says("offset", Paging::Offset, &json!({"offset": 20, "has_more": true})), Next::MissingCursor);
    }
}
