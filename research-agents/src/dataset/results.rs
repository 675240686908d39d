//! Reads a tool's result: aggregations, totals, documents.

use research_mcp::envelope;
use serde_json::Value;

use super::contribution::Contribution;
use super::corpus::source;
use super::reading::Reading;
use super::record::{AggregationKind, AggregationResult, Bucket, Object};
use super::samples::GroupSamples;
use super::scope::QueryReport;
use crate::kernel::evidence::sum_of;

/// Where a histogram says how long its intervals are.
const INTERVALS: &[&str] = &["interval", "calendar_interval", "fixed_interval"];
/// Most documents of one direct result that are kept.
pub(crate) const KEPT_DOCUMENTS: usize = 300;

/// What one result of a data tool contributes. Aggregations are numbered from `next_table` on, provisionally.
pub(crate) fn read_result(
    tool: &str,
    arguments: &Object,
    result: &Value,
    reading: &Reading,
    next_table: usize,
) -> Contribution {
    let filters = reading.arguments.selection(arguments);
    let context = envelope::data_context(result);
    let mut reader = reading.mapping().reader(tool, arguments);
    let page = reader.read(result);
    let mut documents = page.documents;
    let listed = if page.samples { 0 } else { documents.len().min(KEPT_DOCUMENTS) };
    let groups = GroupSamples::of(result, arguments, context.unique_ids_matched);
    // Beside a page of records samples bring those that are not on it.
    if let Some(groups) = groups.as_ref().filter(|_| !page.samples) {
        documents.extend(groups.documents(&mut reader).into_iter().flatten().filter(|document| !document.anonymous));
    }
    let is_cut = documents.len() > KEPT_DOCUMENTS;
    documents.truncate(KEPT_DOCUMENTS);
    let has_more = reading.pages.has_more(result);
    let records: Vec<String> = documents.iter().map(|document| document.id.clone()).collect();
    let samples = groups.map(|groups| groups.kept(groups.largest(), records[listed..].iter().cloned()));
    let results = envelope::aggregations(result)
        .into_iter()
        .enumerate()
        .map(|(at, found)| {
            let listed = sum_of(found.buckets.iter().map(|bucket| bucket.doc_count).chain(found.other_doc_count));
            let kind = match found.kind {
                envelope::AggregationKind::GroupBy => AggregationKind::GroupBy,
                envelope::AggregationKind::DateHistogram => AggregationKind::DateHistogram,
            };
            AggregationResult {
                id: format!("A{}", next_table + at),
                kind,
                field: found.field.unwrap_or_else(|| asked_field(kind, arguments)),
                interval: asked_interval(kind, arguments),
                buckets: found.buckets.into_iter().map(bucket).collect(),
                total_docs: context.unique_ids_matched.unwrap_or(listed),
                source_tool: tool.to_owned(),
                filters: filters.clone(),
            }
        })
        .collect();
    let query = QueryReport {
        tool: tool.to_owned(),
        filters,
        total: context.unique_ids_matched,
        samples: samples.filter(|samples| !samples.records.is_empty()),
        records,
        // What was cut off, what could not be read, and what has samples in its place matches too.
        exhausted: has_more == Some(false) && !is_cut && !page.samples && page.skipped.total() == 0,
        capped: is_cut,
        ..QueryReport::default()
    };
    Contribution {
        results,
        sources: documents.into_iter().map(|document| source(tool, document)).collect(),
        queries: vec![query],
        ..Contribution::default()
    }
}

fn bucket(found: envelope::Bucket) -> Bucket {
    Bucket { key: found.key, doc_count: found.doc_count, buckets: found.buckets.into_iter().map(bucket).collect() }
}

/// The field that the call asked to group by, for results that do not repeat it.
pub(super) fn asked_field(kind: AggregationKind, arguments: &Object) -> String {
    let asked = match kind {
        AggregationKind::GroupBy => arguments.get("group_by").cloned(),
        AggregationKind::DateHistogram => histogram(arguments).and_then(|histogram| histogram.get("field").cloned()),
    };
    match asked {
        Some(Value::String(name)) => name.split(',').map(str::trim).collect::<Vec<_>>().join(","),
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(","),
        _ => String::new(),
    }
}

/// The interval that the call asked for, of a histogram.
fn asked_interval(kind: AggregationKind, arguments: &Object) -> Option<String> {
    let histogram = histogram(arguments).filter(|_| kind == AggregationKind::DateHistogram)?;
    let interval = INTERVALS.iter().find_map(|name| histogram.get(name))?;
    Some(interval.as_str().map_or_else(|| interval.to_string(), str::to_owned)).filter(|interval| !interval.is_empty())
}

/// Groups over time as the call asked for them, written as JSON or as a text that holds it.
fn histogram(arguments: &Object) -> Option<Value> {
    match arguments.get("date_histogram")? {
        Value::String(text) => serde_json::from_str(text).ok(),
        other => Some(other.clone()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::dataset::config::DatasetConfig;

    fn read(arguments: Value, result: Value) -> Contribution {
        let reading = Reading::of("analyze_events", None, &DatasetConfig::default());
        read_result("analyze_events", arguments.as_object().unwrap(), &result, &reading, 1)
    }

    #[test]
    fn buckets_total_and_documents_of_the_worked_example() {
        let found = read(
            json!({"filters": "{\"country\":\"India\"}", "group_by": "event_theme"}),
            json!({
                "data_context": {"unique_ids_matched": 165},
                "aggregations": {"group_by": {"buckets": [{"key": "AI", "doc_count": 50}]}},
                "documents": [{"id": "PAG001", "title": "a"}, {"id": "PAG001", "title": "a"}, {"id": "PAG002", "title": "b"}],
                "has_more": true
            }),
        );
        let table = &found.results[0];
        assert_eq!((table.id.as_str(), table.field.as_str(), table.total_docs), ("A1", "event_theme", 165));
        assert_eq!(table.buckets[0].doc_count, 50);
        assert_eq!(table.filters, *json!({"country": "India"}).as_object().unwrap());
        assert_eq!(found.queries[0].records, ["PAG001", "PAG002"]);
        assert_eq!(found.queries[0].total, Some(165));
        assert!(!found.queries[0].exhausted);
    }

    #[test]
    fn samples_beside_a_page_are_records_too_and_told_from_it() {
        let record = |id: u32| json!({"id": id, "theme": "AI"});
        let found = read(
            json!({"group_by": "theme", "samples_per_bucket": 2}),
            json!({
                "data_context": {"unique_ids_matched": 9},
                "aggregations": {"group_by": {"buckets": [
                    {"key": "AI", "doc_count": 5, "samples": [record(1), record(7)]},
                    {"key": "Cloud", "doc_count": 4, "samples": [record(8)]}
                ]}},
                "documents": [record(1), record(2)]
            }),
        );
        let query = &found.queries[0];
        assert_eq!(query.records, ["1", "2", "7", "8"]);
        let samples = query.samples.as_ref().unwrap();
        assert_eq!((samples.by.as_str(), samples.each, samples.groups, samples.is_partial), ("theme", 2, 2, false));
        assert!(samples.records.iter().eq(["7", "8"]));
        assert_eq!(found.sources.len(), 4);
    }

    #[test]
    fn a_total_of_counts_that_leave_64_bits_does_not_wrap() {
        let most = 1_u64 << 53;
        let buckets: Vec<Value> = (0..2_100).map(|key| json!({"key": key, "doc_count": most})).collect();
        let found = read(
            json!({"group_by": "zip"}),
            json!({"aggregations": {"group_by": {"buckets": buckets, "other_doc_count": most}}}),
        );
        assert_eq!(found.results[0].total_docs, u64::MAX);
        let absurd = json!([{"key": "a", "doc_count": u64::MAX}, {"key": "b", "doc_count": 1}]);
        let found = read(json!({"group_by": "zip"}), json!({"aggregations": {"group_by": {"buckets": absurd}}}));
        assert_eq!((found.results[0].total_docs, found.results[0].buckets.len()), (1, 1));
    }

    #[test]
    fn nested_groups_and_histograms_are_kept() {
        let found = read(
            json!({"group_by": "country, year", "date_histogram": "{\"field\": \"day\", \"interval\": \"year\"}"}),
            json!({"aggregations": {
                "group_by": {"buckets": [{"key": "India", "doc_count": 3, "buckets": [{"key": 2024, "doc_count": 2}]}]},
                "date_histogram": {"buckets": [{"key": "2024", "doc_count": 3}]}
            }}),
        );
        assert_eq!(found.results[0].field, "country,year");
        assert_eq!(found.results[0].buckets[0].buckets[0].key, json!(2024));
        assert_eq!((found.results[1].field.as_str(), found.results[1].id.as_str()), ("day", "A2"));
        assert_eq!(found.results[1].kind, AggregationKind::DateHistogram);
        assert_eq!((&found.results[0].interval, found.results[1].interval.as_deref()), (&None, Some("year")));
    }

    #[test]
    fn an_answer_of_which_not_all_is_kept_is_not_all_there_is() {
        let record = |id: usize| json!({"id": id, "theme": "AI"});
        let ends = |result: Value| {
            let query = &read(json!({}), result).queries[0];
            (query.records.len(), query.exhausted, query.capped)
        };
        let of = |count: usize| json!({"documents": (0..count).map(record).collect::<Vec<_>>(), "has_more": false});
        assert_eq!(ends(of(300)), (300, true, false));
        assert_eq!(ends(of(301)), (300, false, true));
        let buckets = json!([{"key": "AI", "doc_count": 165, "samples": [record(1), record(2)]}]);
        let samples = json!({"aggregations": {"group_by": {"buckets": buckets}}, "has_more": false});
        assert_eq!(ends(samples), (2, false, false));
        let skipped = json!({"documents": [record(1), {"id": 2}], "has_more": false});
        assert_eq!(ends(skipped), (1, false, false));
    }
}
