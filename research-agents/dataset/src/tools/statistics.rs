//! Statistics, rankings, correlations and searches of a result, apart from its groups.

use research_agents_report::claim::Statistic;
use research_agents_report::evidence::{Searched, TableOrder};
use research_mcp::envelope::{self, DataResult, MeasureFunction};
use research_mcp::{Document, Object};
use serde_json::Value;

use crate::data::record::{
    AggregationKind, AggregationResult, Bucket, CorrelationValue, MeasureValue, value_at,
};

/// Returns the statistics of a result or a group. A tool that does not say how many records have a
/// value is taken to have computed over all of them.
pub(crate) fn measures(
    found: &[envelope::Measure],
    records: u64,
    arguments: &Object,
) -> Vec<MeasureValue> {
    let is_asked = |measure: &&envelope::Measure| {
        arguments
            .values()
            .any(|argument| argument.to_string().contains(&measure.field))
    };

    found
        .iter()
        .filter(is_asked)
        .filter_map(|measure| {
            let number = measure.value.as_f64();
            let text = measure.value.as_str().map(str::to_owned);
            Some(MeasureValue {
                function: statistic(measure.function)?,
                field: measure.field.clone(),
                number,
                text,
                count: measure.count.unwrap_or(records),
            })
        })
        .collect()
}

fn statistic(function: MeasureFunction) -> Option<Statistic> {
    Some(match function {
        MeasureFunction::Sum => Statistic::Sum,
        MeasureFunction::Mean => Statistic::Mean,
        MeasureFunction::Median => Statistic::Median,
        MeasureFunction::Min => Statistic::Min,
        MeasureFunction::Max => Statistic::Max,
        MeasureFunction::Count => Statistic::Count,
        MeasureFunction::Distinct => Statistic::Distinct,
        _ => return None,
    })
}

/// Returns the tables that a result has but for its groups: a ranking of the records that came in
/// an order that was asked for, correlations, and searches without a hit.
pub(crate) fn further_tables(
    result: &DataResult,
    arguments: &Object,
    documents: &[Document],
) -> Vec<AggregationResult> {
    let total = result.context().unique_ids_matched;
    let ranking = total.and_then(|total| ranking(arguments, documents, total));
    let correlations = total.and_then(|total| correlations(result, total));
    let lookups = result.lookup().iter().filter_map(absent);
    ranking
        .into_iter()
        .chain(correlations)
        .chain(lookups)
        .collect()
}

/// Returns a table with the number of matching records and the statistics over all of them.
pub(crate) fn total_table(result: &DataResult, arguments: &Object) -> Option<AggregationResult> {
    let total = result.context().unique_ids_matched?;
    Some(AggregationResult {
        measures: measures(result.measures(), total, arguments),
        ..table(AggregationKind::Total, String::new(), total)
    })
}

/// Returns a table without groups.
pub(crate) fn table(kind: AggregationKind, field: String, total: u64) -> AggregationResult {
    AggregationResult {
        kind,
        field,
        total_docs: total,
        ..AggregationResult::default()
    }
}

/// Returns the records of a first page in the order that was asked for.
fn ranking(arguments: &Object, documents: &[Document], total: u64) -> Option<AggregationResult> {
    let (field, highest) = requested_sort(arguments)?;
    let is_later = arguments
        .get("search_after")
        .is_some_and(|at| !at.is_null());
    if is_later || documents.is_empty() {
        return None;
    }

    // Records without a value come last and have no place.
    let placed = documents.iter().map_while(|document| {
        let value = value_at(&document.fields, &field).filter(|value| !value.is_null())?;
        Some(Bucket {
            key: value.clone(),
            doc_count: 1,
            source: Some(document.id.clone()),
            ..Bucket::default()
        })
    });

    Some(AggregationResult {
        buckets: placed.collect(),
        order: Some(TableOrder {
            field: field.clone(),
            statistic: None,
            highest,
        }),
        ..table(AggregationKind::Ranking, field, total)
    })
}

/// Returns the first field that the records were to be sorted by, and whether the highest value was
/// to come first.
pub(crate) fn requested_sort(arguments: &Object) -> Option<(String, bool)> {
    let sort = json(arguments.get("sort")?)?;
    let first = match &sort {
        Value::Array(keys) => keys.first()?,
        key => key,
    };
    let order = first.get("order").and_then(Value::as_str);
    Some((
        first.get("field")?.as_str()?.to_owned(),
        order != Some("asc"),
    ))
}

/// Returns the order of groups that was asked for.
pub(crate) fn requested_order(arguments: &Object, field: &str) -> Option<TableOrder> {
    let order = json(arguments.get("order_by")?)?;
    let highest = order.get("order").and_then(Value::as_str) != Some("asc");
    if let Some(by) = order.get("by").and_then(Value::as_str) {
        // The usual order of groups needs no mention.
        return (by == "key").then(|| TableOrder {
            field: field.to_owned(),
            statistic: None,
            highest,
        });
    }

    let function = order.get("function").and_then(Value::as_str)?;
    Some(TableOrder {
        field: order.get("field")?.as_str()?.to_owned(),
        statistic: MeasureFunction::from_word(function).and_then(statistic),
        highest,
    })
}

fn correlations(result: &DataResult, total: u64) -> Option<AggregationResult> {
    let found = result.correlations();
    let first = found.first()?;
    Some(AggregationResult {
        correlations: found
            .iter()
            .map(|one| CorrelationValue {
                fields: one.fields.clone(),
                number: one.pearson,
                count: one.count,
            })
            .collect(),
        ..table(AggregationKind::Correlation, first.fields.join(","), total)
    })
}

/// Returns the search for words that no record has.
fn absent(looked_up: &envelope::LookedUp) -> Option<AggregationResult> {
    let is_there = !looked_up.candidates.is_empty() || !looked_up.mentions.is_empty();
    if is_there || looked_up.fields == 0 || looked_up.records == 0 {
        return None;
    }
    Some(AggregationResult {
        text: Some(looked_up.text.clone()),
        searched: Some(Searched {
            fields: looked_up.fields,
            records: looked_up.records,
        }),
        ..table(AggregationKind::Search, String::new(), 0)
    })
}

/// Returns an argument that is written as JSON or as the text of it.
fn json(value: &Value) -> Option<Value> {
    match value {
        Value::String(text) => serde_json::from_str(text).ok(),
        Value::Null => None,
        other => Some(other.clone()),
    }
}

/// Replaces the records of rankings by the ids of their sources. A record that is not a source
/// loses its place, and those after it.
pub(crate) fn name_sources(table: &mut AggregationResult, id_of: impl Fn(&str) -> Option<String>) {
    if table.kind != AggregationKind::Ranking {
        return;
    }
    let mut is_known = true;
    table.buckets.retain_mut(|bucket| {
        bucket.source = bucket.source.as_deref().and_then(&id_of);
        is_known &= bucket.source.is_some();
        is_known
    });
}
