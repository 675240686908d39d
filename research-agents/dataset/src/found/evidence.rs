//! The evidence of a run in the form that the checker reads.

use research_agents_report::evidence::{
    Evidence, SourceRegistry, Table, TableCorrelation, TableKind, TableMeasure, TableRow, plain,
};
use research_agents_report::language::Language;
use serde_json::Value;

use crate::data::filters::describe_filters;
use crate::data::phrase::Phrase;
use crate::data::record::{AggregationKind, AggregationResult, Bucket, MeasureValue};
use crate::found::caption::caption;

/// Returns the evidence of these records and aggregations, with English captions.
pub(crate) fn evidence_of(sources: SourceRegistry, aggregations: &[AggregationResult]) -> Evidence {
    Evidence {
        sources,
        tables: aggregations
            .iter()
            .map(|aggregation| table(aggregation, Language::ENGLISH))
            .collect(),
        ..Evidence::default()
    }
}

/// Returns an aggregation in the form that claims about it have, with a caption in a language.
pub(crate) fn table(aggregation: &AggregationResult, language: Language) -> Table {
    let mut rows = Vec::new();
    let fields: Vec<&str> = aggregation.field.split(',').map(str::trim).collect();
    add_rows(
        &aggregation.buckets,
        &fields,
        &aggregation.field,
        &[],
        &mut rows,
    );

    Table {
        id: aggregation.id.clone(),
        caption: caption(aggregation, language),
        field: aggregation.field.clone(),
        total: aggregation.total_docs,
        rows,
        kind: kind(aggregation.kind),
        measures: measures(&aggregation.measures),
        correlations: correlations(aggregation),
        order: aggregation.order.clone(),
        text: aggregation.text.clone(),
        searched: aggregation.searched,
    }
}

fn kind(kind: AggregationKind) -> TableKind {
    match kind {
        AggregationKind::GroupBy => TableKind::Groups,
        AggregationKind::DateHistogram => TableKind::Course,
        AggregationKind::Total => TableKind::Total,
        AggregationKind::Ranking => TableKind::Ranking,
        AggregationKind::Correlation => TableKind::Correlation,
        AggregationKind::Search => TableKind::Search,
    }
}

fn measures(measures: &[MeasureValue]) -> Vec<TableMeasure> {
    let one = |measure: &MeasureValue| TableMeasure {
        field: measure.field.clone(),
        statistic: measure.function,
        number: measure.number,
        count: measure.count,
        text: measure.text.clone(),
    };
    measures.iter().map(one).collect()
}

fn correlations(aggregation: &AggregationResult) -> Vec<TableCorrelation> {
    let found = aggregation.correlations.iter();
    found
        .map(|one| TableCorrelation {
            fields: one.fields.clone(),
            number: one.number,
            count: one.count,
        })
        .collect()
}

/// Flattens nested groups: an outer group is listed under the outer fields, an inner one under all
/// fields with an array of keys.
fn add_rows(
    buckets: &[Bucket],
    fields: &[&str],
    whole: &str,
    outer: &[Value],
    rows: &mut Vec<TableRow>,
) {
    for bucket in buckets {
        let mut key = outer.to_vec();
        match &bucket.key {
            Value::Array(parts) => key.extend(parts.iter().cloned()),
            value => key.push(value.clone()),
        }

        // A row of an outer group is counted under the fields down to that group.
        let field = if key.len() < fields.len() {
            fields[..key.len()].join(",")
        } else {
            whole.to_owned()
        };
        let value = match key.as_slice() {
            [one] => one.clone(),
            _ => Value::Array(key.clone()),
        };

        rows.push(TableRow {
            field,
            value,
            count: bucket.doc_count,
            measures: measures(&bucket.measures),
            source: bucket.source.clone(),
        });
        add_rows(&bucket.buckets, fields, whole, &key, rows);
    }
}

/// Returns an aggregation as prompts show it, with at most so many groups: `Distribution by
/// event_theme: AI: 50, Cloud: 40`.
pub(crate) fn distribution(aggregation: &AggregationResult, most: usize) -> String {
    let listed = aggregation.buckets.iter().take(most);
    let mut groups: Vec<String> = listed
        .map(|bucket| format!("{}: {}", plain(&bucket.key), bucket.doc_count))
        .collect();
    if aggregation.buckets.len() > most {
        groups.push(Language::ENGLISH.say(Phrase::MoreGroups {
            count: (aggregation.buckets.len() - most) as u64,
        }));
    }

    let filters = describe_filters(&aggregation.filters);
    let filters = if filters.is_empty() {
        "all records".to_owned()
    } else {
        filters
    };

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
            "id": "A1", "type": "group_by", "field": "country,year", "total_docs": 5,
            "source_tool": "t",
            "filters": {"theme": "AI"},
            "buckets": [
                {"key": "India", "doc_count": 3, "buckets": [{"key": 2024, "doc_count": 2},
                    {"key": 2025, "doc_count": 1}]},
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
        assert_eq!(
            table.count("country,year", &json!(["India", 2024])),
            Some(2)
        );
        assert_eq!(table.count("country,year", &json!(["Peru", 2024])), Some(2));
    }

    #[test]
    fn captions_say_where_the_numbers_come_from() {
        let caption = caption(&nested(), Language::ENGLISH);
        assert_eq!(
            caption,
            "t: 5 records where theme = AI, grouped by country and year: India 3, Peru / 2024 2"
        );
        assert!(
            distribution(&nested(), 9)
                .contains("Distribution by country,year: India: 3, Peru / 2024: 2")
        );
        assert!(distribution(&nested(), 1).ends_with("India: 3, and 1 more group"));
    }

    #[test]
    fn a_comma_in_the_name_of_a_field_joins_nothing() {
        let buckets = vec![Bucket {
            key: json!("Ohio"),
            doc_count: 5,
            buckets: Vec::new(),
            ..Bucket::default()
        }];
        let table = AggregationResult {
            field: "City, State".into(),
            buckets,
            ..nested()
        };
        assert!(caption(&table, Language::ENGLISH).ends_with("grouped by City, State: Ohio 5"));
    }

    #[test]
    fn a_caption_counts_the_groups_that_it_does_not_list() {
        let ends = |kind: &str, groups: u32| {
            let buckets: Vec<Value> = (0..groups)
                .map(|at| json!({"key": format!("g{at}"), "doc_count": 1}))
                .collect();
            let table: AggregationResult = serde_json::from_value(json!({
                "id": "A1", "type": kind, "field": "f", "total_docs": groups, "source_tool": "t",
                "buckets": buckets
            }))
            .unwrap();
            let caption = caption(&table, Language::ENGLISH);
            caption.rsplit(", ").next().unwrap().to_owned()
        };

        assert_eq!(
            (ends("group_by", 12), ends("group_by", 13)),
            ("g11 1".to_owned(), "and 3 more groups".to_owned())
        );
        assert_eq!(ends("date_histogram", 26), "g25 1");
        assert_eq!(ends("date_histogram", 27), "and 3 more groups");
    }
}
