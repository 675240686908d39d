//! How aggregations are presented: in a few words, and as charts.

use super::evidence::table;
use super::filters::describe_filters;
use super::record::{AggregationKind, AggregationResult};
use crate::kernel::{Chart, TableView};

/// What an aggregation counts and over what.
pub(crate) fn table_view(aggregation: &AggregationResult) -> TableView {
    let over_time = aggregation.kind == AggregationKind::DateHistogram;
    let fields: Vec<&str> = aggregation.field.split(',').map(str::trim).collect();
    let fields = fields.join(" and ");
    let title = if over_time { format!("Records over time, by {fields}") } else { format!("Records by {fields}") };
    let filters = describe_filters(&aggregation.filters);
    let filters = if filters.is_empty() { String::new() } else { format!(" where {filters}") };
    let records = if aggregation.total_docs == 1 { "record" } else { "records" };
    let scope = format!("{} {records} of {}{filters}", aggregation.total_docs, aggregation.source_tool);
    TableView { id: aggregation.id.clone(), title, scope, over_time }
}

/// The chart of an aggregation, where there is something to compare.
pub(crate) fn chart(aggregation: &AggregationResult) -> Option<Chart> {
    let view = table_view(aggregation);
    Chart::of(&table(aggregation), &view.title, view.over_time)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::kernel::ChartKind;

    fn aggregation(kind: &str, field: &str, keys: &[&str]) -> AggregationResult {
        let buckets: Vec<_> = keys.iter().map(|key| json!({"key": key, "doc_count": 2})).collect();
        serde_json::from_value(json!({
            "id": "A1", "type": kind, "field": field, "total_docs": 5, "source_tool": "t", "buckets": buckets,
            "filters": {"theme": "AI"}
        }))
        .unwrap()
    }

    #[test]
    fn the_words_say_what_was_counted_over_what() {
        let view = table_view(&aggregation("group_by", "country,year", &[]));
        assert_eq!(
            (view.title.as_str(), view.scope.as_str()),
            ("Records by country and year", "5 records of t where theme = AI")
        );
    }

    #[test]
    fn a_histogram_becomes_columns_and_a_single_group_no_chart() {
        let kind = |chart: Option<Chart>| chart.map(|chart| chart.kind);
        assert_eq!(kind(chart(&aggregation("date_histogram", "date", &["2024", "2025"]))), Some(ChartKind::Dates));
        assert_eq!(kind(chart(&aggregation("group_by", "size", &["Small", "Large"]))), Some(ChartKind::Bars));
        assert_eq!(kind(chart(&aggregation("group_by", "size", &["Small"]))), None);
    }
}
