//! What a result says about texts: the hits of a search, and the values that words may mean.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::context::count;

/// Hits of a text in one field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Hits {
    /// The field.
    pub field: String,
    /// Records whose text in the field has it.
    pub doc_count: u64,
}

/// What a search in texts found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TextHits {
    /// The text that was searched.
    pub text: String,
    /// How it was searched: `phrase`, `all` or `any`.
    #[serde(default)]
    pub r#match: String,
    /// The fields that were searched.
    #[serde(default)]
    pub fields: Vec<String>,
    /// Hits in each field that has some.
    #[serde(default)]
    pub hits: Vec<Hits>,
}

/// A value that a text may mean.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Candidate {
    /// The field that has the value.
    pub field: String,
    /// The value.
    pub value: Value,
    /// Records that have it.
    pub doc_count: u64,
    /// How it fits: `exact`, `case`, `words`, `prefix` or `spelling`.
    #[serde(default)]
    pub r#match: String,
}

/// What the data source knows of a text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LookedUp {
    /// The text.
    pub text: String,
    /// Values that it may mean, the best first.
    #[serde(default)]
    pub candidates: Vec<Candidate>,
    /// Fields whose texts contain it.
    #[serde(default)]
    pub mentions: Vec<Hits>,
    /// Number of fields that were searched.
    #[serde(default)]
    pub fields: u64,
    /// Number of records that were searched.
    #[serde(default)]
    pub records: u64,
}

/// Reads `data_context.search`.
pub(super) fn hits(payload: &Value) -> Option<TextHits> {
    let search = payload.pointer("/data_context/search")?;
    TextHits::deserialize(search).ok()
}

/// Reads the list under `lookup`; entries that cannot be read are left out.
pub(super) fn lookup(payload: &Value) -> Vec<LookedUp> {
    let entries = payload.get("lookup").and_then(Value::as_array);
    let one = |entry: &Value| {
        let mut read = LookedUp::deserialize(entry).ok()?;
        let searched = |name: &str| entry.pointer(&format!("/searched/{name}")).and_then(count).unwrap_or_default();
        (read.fields, read.records) = (searched("fields"), searched("records"));
        Some(read)
    };
    entries.into_iter().flatten().filter_map(one).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_lookup_has_candidates_mentions_and_what_was_searched() {
        let found = lookup(&json!({"lookup": [
            {"text": "gentoo", "candidates": [{"field": "species", "value": "Gentoo", "doc_count": 124, "match": "case"}],
                "mentions": [{"field": "note", "doc_count": 2}], "searched": {"fields": 3, "records": 344}},
            {"no": "text"}
        ]}));

        let [gentoo] = &found[..] else { panic!("one entry can be read") };
        assert_eq!((gentoo.candidates[0].doc_count, gentoo.mentions[0].doc_count), (124, 2));
        assert_eq!((gentoo.fields, gentoo.records), (3, 344));
    }

    #[test]
    fn a_search_says_where_it_hit() {
        let context = json!({"data_context": {"search": {"text": "helium", "match": "all", "fields": ["name", "note"], "hits": []}}});
        assert_eq!(hits(&context).unwrap().fields, ["name", "note"]);
        assert_eq!(hits(&json!({"data_context": {}})), None);
    }
}
