//! What data tools report beside their records: how many match, and the buckets of groupings and histograms.

mod buckets;
mod context;
mod groups;
mod measures;
mod result;
mod search;

pub use self::buckets::{Aggregation, AggregationKind, Bucket};
pub use self::context::{DataContext, data_context};
pub use self::groups::aggregations;
pub use self::measures::{Correlation, Measure, MeasureFunction};
pub use self::result::DataResult;
pub use self::search::{Candidate, Hits, LookedUp, TextHits};

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn the_golden_answer_is_read_exactly() {
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
    fn nested_buckets_keep_two_levels() {
        let result = json!({"aggregations": {"group_by": {"fields": ["country", "year"], "buckets": [
            {"key": "India", "doc_count": 3, "year": {"buckets": [{"key": 2023, "doc_count": 1}, {"key": 2024, "doc_count": 2}]}}
        ]}}});
        let found = aggregations(&result);
        assert_eq!(found[0].field.as_deref(), Some("country,year"));
        assert_eq!(found[0].buckets[0].buckets.iter().map(|b| b.doc_count).collect::<Vec<_>>(), [1, 2]);
    }

    #[test]
    fn histograms_prefer_the_readable_key() {
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
