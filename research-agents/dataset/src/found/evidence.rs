//! The evidence of a run in the form that the checker reads.

use research_agents_report::evidence::{Evidence, SourceRegistry, Table, TableRow, plain};
use research_agents_report::language::{Language, Phrase as ReportPhrase};
use serde_json::Value;

use crate::data::filters::{describe_filters, filters_in_words, joined};
use crate::data::phrase::Phrase;
use crate::data::record::{AggregationKind, AggregationResult, Bucket};

/// The maximum number of groups that the caption of a table lists.
const LISTED: usize = 10;
/// The maximum number of groups that the caption of a table over time lists: two years by month.
const LISTED_OVER_TIME: usize = 24;
/// The number of further groups that are listed as well, because the note on how many are left out
/// would be about as long.
const FEW_MORE: usize = 2;

/// Returns the evidence of these records and aggregations, with English captions.
pub(crate) fn evidence_of(sources: SourceRegistry, aggregations: &[AggregationResult]) -> Evidence {
    Evidence {
        sources,
        tables: aggregations
            .iter()
            .map(|aggregation| table(aggregation, Language::ENGLISH))
            .collect(),
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
        ..Table::default()
    }
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

        rows.push(TableRow::new(field, value, bucket.doc_count));
        add_rows(&bucket.buckets, fields, whole, &key, rows);
    }
}

fn caption(aggregation: &AggregationResult, language: Language) -> String {
    let filters = filters_in_words(&aggregation.filters, language);
    let most = match aggregation.kind {
        AggregationKind::GroupBy => LISTED,
        AggregationKind::DateHistogram => LISTED_OVER_TIME,
    };
    let count = aggregation.buckets.len();
    let listed = if count <= most + FEW_MORE {
        count
    } else {
        most
    };
    let shown = aggregation.buckets.iter().take(listed);
    let mut groups: Vec<String> = shown
        .map(|bucket| format!("{} {}", plain(&bucket.key), bucket.doc_count))
        .collect();
    if count > listed {
        groups.push(language.say(Phrase::MoreGroups {
            count: (count - listed) as u64,
        }));
    }

    let groups = if groups.is_empty() {
        language.say(Phrase::NoGroup)
    } else {
        groups.join(", ")
    };
    let mut what = language.say(ReportPhrase::Records {
        count: aggregation.total_docs,
    });
    if !filters.is_empty() {
        what = language.say(Phrase::Where {
            what: &what,
            filters: &filters,
        });
    }

    let field = fields_in_words(aggregation, language);
    let (what, field, groups) = (what.as_str(), field.as_str(), groups.as_str());
    let counted = language.say(match aggregation.kind {
        AggregationKind::GroupBy => Phrase::GroupedBy {
            what,
            field,
            groups,
        },
        AggregationKind::DateHistogram => Phrase::OverTimeBy {
            what,
            field,
            groups,
        },
    });

    format!("{}: {counted}", aggregation.source_tool)
}

/// Returns the fields that an aggregation groups by, in words. A comma may belong to the name of a
/// single field.
pub(crate) fn fields_in_words(aggregation: &AggregationResult, language: Language) -> String {
    let fields: Vec<&str> = aggregation.field.split(',').map(str::trim).collect();
    let depth = depth(&aggregation.buckets);
    if depth > 0 && depth != fields.len() {
        return aggregation.field.clone();
    }
    joined(fields.into_iter().map(str::to_owned), language)
}

/// Returns the number of values that identify a group of the lowest level.
fn depth(buckets: &[Bucket]) -> usize {
    let of = |bucket: &Bucket| bucket.key.as_array().map_or(1, Vec::len) + depth(&bucket.buckets);
    buckets.iter().map(of).max().unwrap_or(0)
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
