//! The evidence of a run in the form that the checker reads.

use serde_json::Value;

use super::filters::describe_filters;
use super::record::{AggregationKind, AggregationResult, Bucket};
use super::run::DatasetReport;
use super::state::DatasetState;
use crate::kernel::evidence::plain;
use crate::kernel::{Evidence, SourceRegistry, Table, TableRow};

/// Groups that the caption of a table lists.
const LISTED: usize = 10;

impl DatasetReport {
    /// What the claims of the report were checked against, for a [`Checker`](crate::kernel::Checker) to do it again.
    ///
    /// ```no_run
    /// use research_agents::dataset::DatasetReport;
    /// use research_agents::kernel::Checker;
    ///
    /// fn holds(report: &DatasetReport, question: &str) -> bool {
    ///     let evidence = report.evidence();
    ///     let checker = Checker::new(&evidence, [question]);
    ///     let sentences = report.document.iter().flat_map(|document| document.sentences());
    ///     sentences.into_iter().all(|sentence| checker.verify(sentence).is_ok())
    /// }
    /// ```
    pub fn evidence(&self) -> Evidence {
        evidence_of(self.sources.clone(), &self.aggregations)
    }
}

/// The evidence of a run.
pub(crate) fn evidence(state: &DatasetState) -> Evidence {
    evidence_of(state.extracted_sources.clone(), &state.aggregation_results)
}

/// The evidence of these records and aggregations.
pub(crate) fn evidence_of(sources: SourceRegistry, aggregations: &[AggregationResult]) -> Evidence {
    Evidence { sources, tables: aggregations.iter().map(table).collect() }
}

/// An aggregation in the form that claims about it have.
pub(crate) fn table(aggregation: &AggregationResult) -> Table {
    let mut rows = Vec::new();
    let fields: Vec<&str> = aggregation.field.split(',').map(str::trim).collect();
    add_rows(&aggregation.buckets, &fields, &aggregation.field, &[], &mut rows);
    Table {
        id: aggregation.id.clone(),
        caption: caption(aggregation),
        field: aggregation.field.clone(),
        total: aggregation.total_docs,
        rows,
    }
}

/// Flattens nested groups: an outer group stands under the outer fields, an inner one under all fields with an array of keys.
fn add_rows(buckets: &[Bucket], fields: &[&str], whole: &str, outer: &[Value], rows: &mut Vec<TableRow>) {
    for bucket in buckets {
        let mut key = outer.to_vec();
        match &bucket.key {
            Value::Array(parts) => key.extend(parts.iter().cloned()),
            value => key.push(value.clone()),
        }
        let field = if key.len() < fields.len() { fields[..key.len()].join(",") } else { whole.to_owned() };
        let value = match key.as_slice() {
            [one] => one.clone(),
            _ => Value::Array(key.clone()),
        };
        rows.push(TableRow { field, value, count: bucket.doc_count });
        add_rows(&bucket.buckets, fields, whole, &key, rows);
    }
}

fn caption(aggregation: &AggregationResult) -> String {
    let how = match aggregation.kind {
        AggregationKind::GroupBy => "grouped by",
        AggregationKind::DateHistogram => "over time by",
    };
    let filters = describe_filters(&aggregation.filters);
    let filters = if filters.is_empty() { String::new() } else { format!(" where {filters}") };
    let mut groups: Vec<String> = aggregation
        .buckets
        .iter()
        .take(LISTED)
        .map(|bucket| format!("{} {}", plain(&bucket.key), bucket.doc_count))
        .collect();
    if aggregation.buckets.len() > LISTED {
        groups.push(format!("and {} more groups", aggregation.buckets.len() - LISTED));
    }
    let groups = if groups.is_empty() { "no group".to_owned() } else { groups.join(", ") };
    let total = aggregation.total_docs;
    let records = if total == 1 { "record" } else { "records" };
    format!("{}: {total} {records}{filters}, {how} {}: {groups}", aggregation.source_tool, aggregation.field)
}

/// `Distribution by event_theme: AI: 50, Cloud: 40`, as prompts show an aggregation, with so many groups at most.
pub(crate) fn distribution(aggregation: &AggregationResult, most: usize) -> String {
    let listed = aggregation.buckets.iter().take(most);
    let mut groups: Vec<String> =
        listed.map(|bucket| format!("{}: {}", plain(&bucket.key), bucket.doc_count)).collect();
    if aggregation.buckets.len() > most {
        groups.push(format!("and {} more groups", aggregation.buckets.len() - most));
    }
    let filters = describe_filters(&aggregation.filters);
    let filters = if filters.is_empty() { "all records".to_owned() } else { filters };
    format!(
        "{} ({}, {filters}; {} records match)\nDistribution by {}: {}",
        aggregation.id,
        aggregation.source_tool,
        aggregation.total_docs,
        aggregation.field,
        groups.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn nested() -> AggregationResult {
        serde_json::from_value(json!({
            "id": "A1", "type": "group_by", "field": "country,year", "total_docs": 5, "source_tool": "t",
            "filters": {"theme": "AI"},
            "buckets": [
                {"key": "India", "doc_count": 3, "buckets": [{"key": 2024, "doc_count": 2}, {"key": 2025, "doc_count": 1}]},
                {"key": ["Peru", 2024], "doc_count": 2}
            ]
        }))
        .unwrap()
    }

    #[test]
    fn nested_and_flat_groups_are_found_alike() {
        let evidence = evidence_of(SourceRegistry::default(), &[nested()]);
        let table = evidence.table("A1").unwrap();
        assert_eq!(table.count("country", &json!("India")), Some(3));
        assert_eq!(table.count("country,year", &json!(["India", 2024])), Some(2));
        assert_eq!(table.count("country,year", &json!(["Peru", 2024])), Some(2));
    }

    #[test]
    fn captions_say_where_the_numbers_come_from() {
        let caption = caption(&nested());
        assert_eq!(caption, "t: 5 records where theme = AI, grouped by country,year: India 3, Peru / 2024 2");
        assert!(distribution(&nested(), 9).contains("Distribution by country,year: India: 3, Peru / 2024: 2"));
        assert!(distribution(&nested(), 1).ends_with("India: 3, and 1 more groups"));
    }
}
