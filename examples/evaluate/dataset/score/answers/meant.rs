//! Whether a report looked at what the question means: the right records, the right measure, the right groups.

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::dataset::answer::{Answer, Kind};
use crate::dataset::records::Rows;
use crate::dataset::score::scope::Reading;

/// Returns whether one of the aggregations of a report is the one that answers the question.
pub fn is_meant(reading: &Reading<'_>, answer: &Answer) -> bool {
    // What an aggregation holds is read from its JSON, so that a member that is not there yet is only absent.
    let tables = reading.report.aggregations.iter().map(|table| json!(table));
    tables.into_iter().any(|table| {
        is_over(reading, answer, &table)
            && has_groups(answer, &table)
            && has_measure(answer, &table)
            && has_ranking(answer, &table)
            && has_relation(answer, &table)
    })
}

/// Returns whether an aggregation is over the records of the question.
fn is_over(reading: &Reading<'_>, answer: &Answer, table: &Value) -> bool {
    let total = table["total_docs"].as_u64();
    if answer.kind == Kind::Ask {
        return false;
    }
    if total != answer.records {
        return false;
    }
    let Some(rows) = &answer.rows else { return true };
    let filters = table["filters"].as_object().cloned().unwrap_or_default();
    let selected = reading.records.select(&filters);
    // A text search is no filter that this program evaluates: then the number of records must do.
    Some(selected.len() as u64) != total || fingerprint(&selected) == *rows
}

/// Returns digits that stand for a set of rows.
fn fingerprint(rows: &Rows) -> String {
    let text = rows.iter().map(usize::to_string).collect::<Vec<_>>().join(",");
    Sha256::digest(text.as_bytes()).iter().take(6).map(|byte| format!("{byte:02x}")).collect()
}

fn has_groups(answer: &Answer, table: &Value) -> bool {
    let fields = table["field"].as_str().unwrap_or_default();
    answer.group_by.iter().all(|wanted| fields.split(',').any(|field| field.trim().eq_ignore_ascii_case(wanted)))
}

/// Returns whether an aggregation has a measure, for all its records or for its groups as is asked.
fn has_measure(answer: &Answer, table: &Value) -> bool {
    let Some(wanted) = &answer.measure else { return true };
    let is_wanted = |measure: &Value| {
        let is_field = measure["field"].as_str().is_some_and(|field| field.eq_ignore_ascii_case(&wanted.field));
        is_field && measure["function"].as_str() == Some(wanted.function.as_str())
    };
    let has = |of: &Value| of["measures"].as_array().is_some_and(|measures| measures.iter().any(is_wanted));
    if answer.group_by.is_empty() {
        has(table)
    } else {
        table["buckets"].as_array().is_some_and(|buckets| buckets.iter().any(has))
    }
}

/// Returns whether an aggregation ranks by a field, or has its extreme.
fn has_ranking(answer: &Answer, table: &Value) -> bool {
    let Some(wanted) = &answer.sort else { return true };
    let is_field = |value: &Value| value.as_str().is_some_and(|field| field.eq_ignore_ascii_case(wanted));
    let is_ranking = table["type"] == "ranking" && is_field(&table["field"]);
    let measures = table["measures"].as_array();
    let is_extreme =
        |measure: &Value| is_field(&measure["field"]) && (measure["function"] == "max" || measure["function"] == "min");
    is_ranking || measures.is_some_and(|measures| measures.iter().any(is_extreme))
}

fn has_relation(answer: &Answer, table: &Value) -> bool {
    let Some(wanted) = &answer.relation else { return true };
    let is_wanted = |relation: &Value| {
        let fields = relation["fields"].as_array().cloned().unwrap_or_default();
        wanted.iter().all(|field| fields.iter().any(|one| one.as_str() == Some(field)))
    };
    table["correlations"].as_array().is_some_and(|relations| relations.iter().any(is_wanted))
}
