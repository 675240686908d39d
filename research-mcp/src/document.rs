//! A record in a common shape, and the id of records that have none.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

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
    /// The record itself, unchanged; of an Elasticsearch hit its `_source`.
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
    /// Records with fewer than two fields.
    pub skipped: usize,
}

impl Extraction {
    /// Number of records in the result, used or not.
    pub fn records(&self) -> usize {
        self.documents.len() + self.duplicates + self.skipped
    }
}

/// Arguments that say how much of an answer is wanted and in which portions, but not which records match.
const NOT_THE_QUERY: &[&str] = &[
    "cursor",
    "date_histogram",
    "group_by",
    "limit",
    "offset",
    "page",
    "page_size",
    "page_token",
    "pit_id",
    "samples_per_bucket",
    "search_after",
    "size",
    "top_n",
    "top_n_per_group",
];

/// Eight hexadecimal digits that name a query: the tool and those arguments that say which records match.
///
/// It is part of the id of records that have none. Their content cannot be: real data holds rows that are equal and yet
/// two events. Their position in the result can, because it is the same whatever the page size.
pub fn query_key(tool: &str, arguments: &Object) -> String {
    let mut query: Vec<_> =
        arguments.iter().filter(|(name, _)| !NOT_THE_QUERY.contains(&name.to_lowercase().as_str())).collect();
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
}
