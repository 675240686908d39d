//! Reads a tool's result: aggregations, totals, documents.

use research_agents_report::evidence::sum_of;
use research_mcp::envelope::{self, DataResult};

use crate::data::contribution::Contribution;
use crate::data::query::QueryReport;
use crate::data::record::{AggregationKind, AggregationResult, Bucket, Object};
use crate::tools::documents::source;
use crate::tools::reading::Reading;
use crate::tools::requested::{requested_field, requested_interval};
use crate::tools::samples::GroupSamples;
use crate::tools::statistics::{further_tables, measures, requested_order, table};

/// The maximum number of documents of a direct result that are kept.
pub(crate) const KEPT_DOCUMENTS: usize = 300;

/// Returns what one result of a data tool contributes. Aggregations are numbered from `next_table`
/// on, provisionally.
pub(crate) fn read_result(
    tool: &str,
    arguments: &Object,
    result: &DataResult,
    reading: &Reading,
    next_table: usize,
) -> Contribution {
    let filters = reading.arguments.selection(arguments);
    let context = result.context();
    let mut reader = reading.mapping().reader(tool, arguments);
    let page = reader.read_data(result);
    let mut documents = page.documents;

    let listed = if page.samples {
        0
    } else {
        documents.len().min(KEPT_DOCUMENTS)
    };
    let groups = GroupSamples::of(result, arguments);

    // In addition to a page of records, samples bring those that are not on it.
    if let Some(groups) = groups.as_ref().filter(|_| !page.samples) {
        documents.extend(
            groups
                .documents(&mut reader)
                .into_iter()
                .flatten()
                .filter(|document| !document.anonymous),
        );
    }

    let is_cut = documents.len() > KEPT_DOCUMENTS;
    documents.truncate(KEPT_DOCUMENTS);

    let has_more = reading.pages.has_more_data(result);
    let records: Vec<String> = documents
        .iter()
        .map(|document| document.id.clone())
        .collect();
    let samples =
        groups.map(|groups| groups.summary(groups.largest(), records[listed..].iter().cloned()));

    let total = context.unique_ids_matched;
    let grouped = result
        .aggregations()
        .iter()
        .map(|found| aggregation(found, arguments, total));
    let mut results: Vec<AggregationResult> = grouped.collect();

    // What was computed over all matching records stands with the first groups.
    if let Some(first) = results.first_mut() {
        first.measures = measures(result.measures(), first.total_docs, arguments);
    }
    results.extend(further_tables(result, arguments, &documents[..listed]));
    for (at, table) in results.iter_mut().enumerate() {
        table.id = format!("A{}", next_table + at);
        table.source_tool = tool.to_owned();
        // A search of texts looks through all records.
        if table.kind != AggregationKind::Search {
            table.filters = filters.clone();
        }
    }

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
        sources: documents
            .into_iter()
            .map(|document| source(tool, document))
            .collect(),
        queries: vec![query],
        ..Contribution::default()
    }
}

/// Returns an aggregation of a result, still without id, tool and filters. Without a total of the
/// result, the records of its groups are counted.
fn aggregation(
    found: &envelope::Aggregation,
    arguments: &Object,
    total: Option<u64>,
) -> AggregationResult {
    let listed = found.buckets.iter().map(|bucket| bucket.doc_count);
    let listed = sum_of(listed.chain(found.other_doc_count));
    let kind = match found.kind {
        envelope::AggregationKind::GroupBy => AggregationKind::GroupBy,
        envelope::AggregationKind::DateHistogram => AggregationKind::DateHistogram,
    };

    let field = found
        .field
        .clone()
        .unwrap_or_else(|| requested_field(kind, arguments));
    let order = requested_order(arguments, &field).filter(|_| kind == AggregationKind::GroupBy);
    AggregationResult {
        interval: requested_interval(kind, arguments),
        buckets: found
            .buckets
            .iter()
            .map(|found| bucket(found, arguments))
            .collect(),
        order,
        ..table(kind, field, total.unwrap_or(listed))
    }
}

fn bucket(found: &envelope::Bucket, arguments: &Object) -> Bucket {
    Bucket {
        key: found.key.clone(),
        doc_count: found.doc_count,
        buckets: found
            .buckets
            .iter()
            .map(|found| bucket(found, arguments))
            .collect(),
        measures: measures(&found.measures, found.doc_count, arguments),
        source: None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::data::config::DatasetConfig;

    fn read(arguments: Value, result: Value) -> Contribution {
        let reading = Reading::of("analyze_events", None, &DatasetConfig::default());
        read_result(
            "analyze_events",
            arguments.as_object().unwrap(),
            &DataResult::new(result),
            &reading,
            1,
        )
    }

    #[test]
    fn buckets_total_and_documents_of_the_worked_example() {
        let found = read(
            json!({"filters": "{\"country\":\"India\"}", "group_by": "event_theme"}),
            json!({
                "data_context": {"unique_ids_matched": 165},
                "aggregations": {"group_by": {"buckets": [{"key": "AI", "doc_count": 50}]}},
                "documents": [{"id": "PAG001", "title": "a"}, {"id": "PAG001", "title": "a"},
                    {"id": "PAG002", "title": "b"}],
                "has_more": true
            }),
        );
        let table = &found.results[0];

        assert_eq!(
            (table.id.as_str(), table.field.as_str(), table.total_docs),
            ("A1", "event_theme", 165)
        );
        assert_eq!(table.buckets[0].doc_count, 50);
        assert_eq!(
            table.filters,
            *json!({"country": "India"}).as_object().unwrap()
        );
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

        assert_eq!(
            (
                samples.by.as_str(),
                samples.each,
                samples.groups,
                samples.is_partial
            ),
            ("theme", 2, 2, false)
        );
        assert!(samples.records.iter().eq(["7", "8"]));
        assert_eq!(found.sources.len(), 4);
    }

    #[test]
    fn a_total_of_counts_that_leave_64_bits_does_not_wrap() {
        let most = 1_u64 << 53;
        let buckets: Vec<Value> = (0..2_100)
            .map(|key| json!({"key": key, "doc_count": most}))
            .collect();
        let found = read(
            json!({"group_by": "zip"}),
            json!({"aggregations": {"group_by": {"buckets": buckets, "other_doc_count": most}}}),
        );

        assert_eq!(found.results[0].total_docs, u64::MAX);

        let absurd = json!([{"key": "a", "doc_count": u64::MAX}, {"key": "b", "doc_count": 1}]);
        let found = read(
            json!({"group_by": "zip"}),
            json!({"aggregations": {"group_by": {"buckets": absurd}}}),
        );

        assert_eq!(
            (found.results[0].total_docs, found.results[0].buckets.len()),
            (1, 1)
        );
    }

    #[test]
    fn nested_groups_and_histograms_are_kept() {
        let found = read(
            json!({"group_by": "country, year",
                "date_histogram": "{\"field\": \"day\", \"interval\": \"year\"}"}),
            json!({"aggregations": {
                "group_by": {"buckets": [{"key": "India", "doc_count": 3, "buckets": [{"key": 2024,
                    "doc_count": 2}]}]},
                "date_histogram": {"buckets": [{"key": "2024", "doc_count": 3}]}
            }}),
        );

        assert_eq!(found.results[0].field, "country,year");
        assert_eq!(found.results[0].buckets[0].buckets[0].key, json!(2024));
        assert_eq!(
            (
                found.results[1].field.as_str(),
                found.results[1].id.as_str()
            ),
            ("day", "A2")
        );
        assert_eq!(found.results[1].kind, AggregationKind::DateHistogram);
        assert_eq!(
            (
                &found.results[0].interval,
                found.results[1].interval.as_deref()
            ),
            (&None, Some("year"))
        );
    }

    #[test]
    fn an_answer_of_which_not_all_is_kept_is_not_all_there_is() {
        let record = |id: usize| json!({"id": id, "theme": "AI"});
        let ends = |result: Value| {
            let query = &read(json!({}), result).queries[0];
            (query.records.len(), query.exhausted, query.capped)
        };
        let of = |count: usize| {
            let documents: Vec<Value> = (0..count).map(record).collect();
            json!({"documents": documents, "has_more": false})
        };
        assert_eq!(ends(of(300)), (300, true, false));
        assert_eq!(ends(of(301)), (300, false, true));
        let buckets = json!([{"key": "AI", "doc_count": 165, "samples": [record(1), record(2)]}]);
        let samples =
            json!({"aggregations": {"group_by": {"buckets": buckets}}, "has_more": false});
        assert_eq!(ends(samples), (2, false, false));
        let skipped = json!({"documents": [record(1), {"id": 2}], "has_more": false});
        assert_eq!(ends(skipped), (1, false, false));
    }
}
