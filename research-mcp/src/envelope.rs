//! What data tools report beside their records: how many match, and the buckets of groupings and histograms.

mod groups;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::field_map::{keys, payload};

/// How an aggregation was formed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AggregationKind {
    /// One bucket for each value, or tuple of values.
    GroupBy,
    /// One bucket for each interval of time.
    DateHistogram,
}

/// One group of an aggregation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Bucket {
    /// The value; an array for several fields; null for empty ones. Of a histogram the text, where the tool gives one.
    pub key: Value,
    /// Records in the group.
    pub doc_count: u64,
    /// Groups inside the group, where the tool nests them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub buckets: Vec<Bucket>,
    /// Sample records of the group.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub samples: Vec<Value>,
}

/// One aggregation of a result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Aggregation {
    /// How it was formed.
    pub kind: AggregationKind,
    /// The field, or several joined by `,`, when the result says.
    pub field: Option<String>,
    /// The groups, in the tool's order.
    pub buckets: Vec<Bucket>,
    /// Records in groups that were not listed, when the result says.
    pub other_doc_count: Option<u64>,
}

/// What a result says about the data behind it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct DataContext {
    /// Records that match the query. `None` when the result does not say, or says itself that its number is not exact.
    pub unique_ids_matched: Option<u64>,
    /// Records in the data set.
    pub total_records: Option<u64>,
    /// Name of the data set.
    pub dataset: Option<String>,
}

/// Where results say how many records match, in the order of trust.
const MATCHED: &[&str] = &[
    "/data_context/unique_ids_matched",
    "/data_context/total_matched",
    "/unique_ids_matched",
    "/hits/total/value",
    "/hits/total",
    "/total_matched",
    "/pagination/total",
    "/total_count",
    "/total",
    "/meta/count",
    "/meta/total",
];

/// How results in other shapes name the same, wherever it stands, in the order of trust and as [`keys::plain`] writes them.
const MATCHED_NAMES: &[&str] = &[
    "numfound",
    "totalcount",
    "totalresults",
    "opensearchtotalresults",
    "totalhits",
    "totalelements",
    "totalitems",
    "totalmatches",
    "matchcount",
    "hitcount",
];

/// Reads `data_context.unique_ids_matched` and what stands beside it, from a result in any of the usual envelopes.
pub fn data_context(result: &Value) -> DataContext {
    let payload = payload(result);
    DataContext {
        unique_ids_matched: matched(&payload),
        total_records: payload.pointer("/data_context/total_records").and_then(count),
        dataset: payload.pointer("/data_context/dataset").and_then(Value::as_str).map(str::to_owned),
    }
}

/// The number of records that match. A lower bound, which Elasticsearch marks, and a count of an unfinished search, which GitHub
/// marks, are no such number.
fn matched(payload: &Value) -> Option<u64> {
    let bound = payload.pointer("/hits/total/relation").is_some_and(|relation| relation == "gte");
    let unfinished = payload.get("incomplete_results").is_some_and(|unfinished| unfinished == true);
    let exact = payload.get("numFoundExact").or_else(|| payload.pointer("/response/numFoundExact"));
    if bound || unfinished || exact.is_some_and(|exact| exact == false) {
        return None;
    }
    // Where a page links to its neighbours, `count` is that of the whole result and not of the page.
    let linked = payload.get("next").is_some() && payload.get("previous").is_some();
    MATCHED
        .iter()
        .find_map(|place| payload.pointer(place).and_then(count))
        .or_else(|| keys::find(payload, MATCHED_NAMES, count))
        .or_else(|| payload.get("count").filter(|_| linked).and_then(count))
}

/// Reads the groups of a result, wherever it keeps them: `aggregations`, `aggs` or `facets`, each an object or a list, Solr's
/// `facet_counts`, or groups that stand beside the records.
///
/// Groups are lists of objects with a value and a count under any of the usual names, an object of values and counts, or a list
/// in which values and counts take turns. What looks like none of these is left out.
pub fn aggregations(result: &Value) -> Vec<Aggregation> {
    groups::read(&payload(result))
}

/// The largest count that is believed: 2^53. Above it a double no longer tells neighbouring counts apart, no data set has as many
/// records, and sums of such numbers leave 64 bits.
const MOST: u64 = 1 << 53;

/// A count; some servers write whole numbers as `165.0`. None of a number that no count can be.
fn count(value: &Value) -> Option<u64> {
    let whole = || value.as_f64().filter(|number| *number >= 0.0 && number.fract() == 0.0);
    // A double beyond 64 bits becomes the largest number, which is too large as well.
    value.as_u64().or_else(|| whole().map(|number| number as u64)).filter(|number| *number <= MOST)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a067_the_golden_answer_is_read_exactly() {
        let result = json!({
            "data_context": {"unique_ids_matched": 165, "dataset": "events"},
            "aggregations": {"group_by": {"field": "event_theme", "buckets": [{"key": "AI", "doc_count": 50}], "other_doc_count": 115}}
        });
        assert_eq!(data_context(&result).unique_ids_matched, Some(165));
        let [aggregation] = &aggregations(&result)[..] else { panic!("one aggregation") };
        assert_eq!(aggregation.field.as_deref(), Some("event_theme"));
        assert_eq!(aggregation.buckets[0], Bucket { key: "AI".into(), doc_count: 50, ..Bucket::default() });
        assert_eq!(aggregation.other_doc_count, Some(115));
    }

    #[test]
    fn a066_nested_buckets_keep_two_levels() {
        let result = json!({"aggregations": {"group_by": {"fields": ["country", "year"], "buckets": [
            {"key": "India", "doc_count": 3, "year": {"buckets": [{"key": 2023, "doc_count": 1}, {"key": 2024, "doc_count": 2}]}}
        ]}}});
        let found = aggregations(&result);
        assert_eq!(found[0].field.as_deref(), Some("country,year"));
        assert_eq!(found[0].buckets[0].buckets.iter().map(|b| b.doc_count).collect::<Vec<_>>(), [1, 2]);
    }

    #[test]
    fn a062_histograms_prefer_the_readable_key() {
        let result = json!({"structuredContent": {"aggregations": {"date_histogram": {"field": "date", "buckets": [
            {"key": 1_704_067_200_000_u64, "key_as_string": "2024", "doc_count": 4}
        ]}}}});
        let found = aggregations(&result);
        assert_eq!(found[0].kind, AggregationKind::DateHistogram);
        assert_eq!(found[0].buckets[0].key, json!("2024"));
    }

    #[test]
    fn totals_are_found_in_many_shapes_and_a_lower_bound_is_none() {
        let matched = |result: Value| data_context(&result).unique_ids_matched;
        assert_eq!(matched(json!({"hits": {"total": {"value": 7, "relation": "eq"}}})), Some(7));
        assert_eq!(matched(json!({"hits": {"total": {"value": 10_000, "relation": "gte"}}})), None);
        assert_eq!(matched(json!({"response": {"numFound": 7, "docs": []}})), Some(7));
        assert_eq!(matched(json!({"total_count": 7, "incomplete_results": true})), None);
        assert_eq!(matched(json!({"data": {"search": {"totalCount": 7, "edges": []}}})), Some(7));
        assert_eq!(matched(json!({"message": {"total-results": 7}})), Some(7));
        assert_eq!(matched(json!({"count": 7, "next": null, "previous": null, "results": []})), Some(7));
        assert_eq!(matched(json!({"count": 7, "results": []})), None);
    }

    #[test]
    fn malformed_parts_are_left_out() {
        let result = json!({"aggregations": {"group_by": {"buckets": [{"key": "a"}, 3, {"key": "b", "doc_count": -1}, {"key": null, "doc_count": 2.0}]}}});
        let found = aggregations(&result);
        assert_eq!(found[0].buckets.len(), 1);
        assert_eq!((&found[0].buckets[0].key, found[0].buckets[0].doc_count), (&Value::Null, 2));
        assert!(aggregations(&json!({"aggregations": 3})).is_empty());
        assert_eq!(data_context(&json!([])), DataContext::default());
    }

    #[test]
    fn counts_that_no_data_set_has_are_left_out() {
        let most = 1_u64 << 53;
        let result = |number: Value| {
            json!({
                "data_context": {"unique_ids_matched": number, "total_records": number},
                "aggregations": {"group_by": {
                    "buckets": [{"key": "a", "doc_count": number}, {"key": "b", "doc_count": 1}], "other_doc_count": number
                }}
            })
        };
        let read = |number: Value| {
            let context = data_context(&result(number.clone()));
            let found = aggregations(&result(number)).remove(0);
            let counts: Vec<u64> = found.buckets.iter().map(|bucket| bucket.doc_count).collect();
            (context.unique_ids_matched, context.total_records, counts, found.other_doc_count)
        };
        for believed in [json!(most), json!(most as f64)] {
            assert_eq!(read(believed), (Some(most), Some(most), vec![most, 1], Some(most)));
        }
        for absurd in [json!(most + 1), json!(u64::MAX), json!(1e300), json!(-1), json!(0.5)] {
            assert_eq!(read(absurd.clone()), (None, None, vec![1], None), "{absurd}");
        }
    }
}
