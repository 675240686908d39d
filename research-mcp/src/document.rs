//! A record in a common shape, and the id of records that have none.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::payload::keys::plain;
use crate::tool::Object;

/// One record of a tool's result, with the roles that a report needs. Everything in it is untrusted.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Document {
    /// Primary id. Two documents of one tool are the same if and only if their ids are equal.
    pub id: String,
    /// Title; the id when the record has none.
    pub title: String,
    /// Address; `doc://{id}` when the record has none.
    pub url: String,
    /// At most 300 characters: a summary, or else the record's fields as `name: value; …`.
    pub snippet: String,
    /// Date, as the record spells it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// Full text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// The record itself, unchanged; of one that wraps its fields, such as an Elasticsearch hit, what it wraps.
    pub fields: Object,
    /// The record has no id of its own: `id` was formed from the query and the record's position in the result.
    #[serde(default)]
    pub anonymous: bool,
}

/// The documents of one result.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Extraction {
    /// Documents whose ids were not seen before, in the order of the result.
    pub documents: Vec<Document>,
    /// Records whose id was seen before.
    pub duplicates: usize,
    /// Records that could not become documents.
    pub skipped: Skipped,
    /// The records are samples of the groups of an aggregation, so that their order is not that of the result.
    pub samples: bool,
}

/// How many records could not become documents, and why.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Skipped {
    /// They are no JSON objects.
    pub not_objects: usize,
    /// They have fewer than two fields.
    pub too_small: usize,
}

impl Skipped {
    /// All of them.
    pub fn total(&self) -> usize {
        self.not_objects + self.too_small
    }

    /// Adds those of another result.
    pub(crate) fn add(&mut self, other: Self) {
        self.not_objects += other.not_objects;
        self.too_small += other.too_small;
    }
}

impl Extraction {
    /// Number of records in the result, used or not.
    pub fn records(&self) -> usize {
        self.documents.len() + self.duplicates + self.skipped.total()
    }
}

/// Arguments that say how much of an answer is wanted and in which portions, but not which records match; as [`plain`] writes
/// them.
const NOT_THE_QUERY: &[&str] = &[
    "cursor",
    "datehistogram",
    "facets",
    "groupby",
    "limit",
    "offset",
    "page",
    "pagesize",
    "pagetoken",
    "pitid",
    "samplesperbucket",
    "searchafter",
    "size",
    "top",
    "topn",
    "topnpergroup",
];

/// Eight hexadecimal digits that name a query: the tool and those arguments that say which records match.
///
/// It is part of the id of records that have none. Their content cannot be: real data holds rows that are equal and yet
/// two events. Their position in the result can, because it is the same whatever the page size.
pub fn query_key(tool: &str, arguments: &Object) -> String {
    let mut query: Vec<_> =
        arguments.iter().filter(|(name, _)| !NOT_THE_QUERY.contains(&plain(name).as_str())).collect();
    query.sort_by_key(|(name, _)| name.as_str());
    let mut hash = Sha256::new();
    hash.update(tool);
    for (name, value) in query {
        hash.update([0]);
        hash.update(name);
        hash.update([0]);
        hash.update(value.to_string());
    }
    short_hex(&hash.finalize())
}

/// Arguments that move the begin of an answer by a number of records.
const OFFSETS: &[&str] = &["offset"];

/// Arguments that move the begin of an answer to a place that only the tool knows: a page's length is the tool's affair, and
/// some count pages from 0.
const PLACES: &[&str] = &["cursor", "page", "page_token", "search_after"];

/// Where in the whole result a call begins, by its arguments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Begin {
    /// Records before it, as far as an offset says.
    pub(crate) offset: usize,
    /// Eight hexadecimal digits that name the cursor or the page, when there is one.
    pub(crate) place: Option<String>,
}

/// Reads where a call begins.
///
/// A page stands for a place together with the sizes that the call asks for: page 2 begins elsewhere when pages are longer.
pub(crate) fn begin(arguments: &Object) -> Begin {
    let given = |names: &[&str]| -> Vec<(String, &Value)> {
        let named = arguments.iter().filter(|(name, value)| {
            names.contains(&name.to_lowercase().as_str()) && !value.is_null() && value.as_str() != Some("")
        });
        named.map(|(name, value)| (name.to_lowercase(), value)).collect()
    };
    let number = |value: &Value| value.as_u64().or_else(|| value.as_str()?.trim().parse().ok());
    let offset = given(OFFSETS).into_iter().find_map(|(_, value)| number(value)).unwrap_or(0);
    let mut places = given(PLACES);
    if places.iter().any(|(name, _)| name == "page") {
        places.extend(given(&["limit", "page_size", "size"]));
    }
    places.sort_by(|(one, _), (other, _)| one.cmp(other));
    let place = (!places.is_empty()).then(|| {
        let words: Vec<String> = places.iter().map(|(name, value)| format!("{name}\0{value}")).collect();
        short_hex(&Sha256::digest(words.join("\0")))
    });
    Begin { offset: usize::try_from(offset).unwrap_or(0), place }
}

/// The first four bytes as eight hexadecimal digits.
pub(crate) fn short_hex(digest: &[u8]) -> String {
    hex(&digest[..digest.len().min(4)])
}

/// Bytes as hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn key(arguments: serde_json::Value) -> String {
        query_key("t", arguments.as_object().unwrap())
    }

    #[test]
    fn paging_and_grouping_do_not_change_the_query() {
        let plain = key(json!({"filters": "{}"}));
        assert_eq!(plain, key(json!({"page_size": 5, "filters": "{}", "search_after": ["x"], "group_by": "a"})));
        assert_ne!(plain, key(json!({"filters": "{\"a\": 1}"})));
        assert_ne!(plain, query_key("u", json!({"filters": "{}"}).as_object().unwrap()));
        assert_eq!(plain.len(), 8);
    }

    #[test]
    fn a_call_begins_where_its_offset_or_its_cursor_says() {
        let at = |arguments: serde_json::Value| begin(arguments.as_object().unwrap());
        assert_eq!(at(json!({"filters": "{}", "page_size": 10, "search_after": null})), Begin::default());
        assert_eq!(at(json!({"offset": 20})), Begin { offset: 20, place: None });
        assert_eq!(at(json!({"offset": "20"})), at(json!({"offset": 20})));
        let places = [
            at(json!({"search_after": ["a"]})),
            at(json!({"search_after": ["b"]})),
            at(json!({"page": 2, "page_size": 10})),
            at(json!({"page": 2, "page_size": 20})),
        ];
        assert!(places.iter().all(|begin| begin.place.is_some()));
        assert!((1..4).all(|n| !places[..n].contains(&places[n])), "{places:?}");
        assert_eq!(at(json!({"search_after": ["a"], "page_size": 5})), places[0]);
    }
}
