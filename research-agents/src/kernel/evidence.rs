//! The evidence of a run: the sources that were read and the tables that the data source computed.

use std::collections::HashMap;

use serde_json::Value;

use super::claim::{Basis, Statistic};
use super::source::{Source, SourceRegistry};

/// What claims are checked against.
#[derive(Clone, Debug, Default)]
pub struct Evidence {
    /// The records read, each once.
    pub sources: SourceRegistry,
    /// The aggregations.
    pub tables: Vec<Table>,
}

/// An aggregation in the form that claims about it have.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// Id, such as `A1`.
    pub id: String,
    /// What it is, for the report's list of data: tool, grouping, filters.
    pub caption: String,
    /// Field, or fields joined by `,`.
    pub field: String,
    /// Records that match.
    pub total: u64,
    /// The groups.
    pub rows: Vec<TableRow>,
}

/// One group of a [`Table`].
#[derive(Clone, Debug, PartialEq)]
pub struct TableRow {
    /// The field or fields that this row's value belongs to: for a group inside a group more than for the outer one.
    pub field: String,
    /// The value; an array for several fields.
    pub value: Value,
    /// Records in the group.
    pub count: u64,
}

impl Table {
    /// The count of a value: by the exact value, else by the only one that differs in case or in spelling of a number.
    /// A value without a row counts 0 when the rows account for every record, else nothing is known of it.
    pub fn count(&self, field: &str, value: &Value) -> Option<u64> {
        let rows = || self.rows.iter().filter(|row| row.field.eq_ignore_ascii_case(field));
        if let Some(row) = rows().find(|row| row.value == *value) {
            return Some(row.count);
        }
        let mut alike = rows().filter(|row| same_value(&row.value, value));
        match (alike.next(), alike.next()) {
            (Some(row), None) => Some(row.count),
            (Some(_), Some(_)) => None,
            (None, _) => (rows().next().is_some() && self.is_complete(field)).then_some(0),
        }
    }

    /// Whether the rows of a field account for every matching record.
    pub fn is_complete(&self, field: &str) -> bool {
        let rows = self.rows.iter().filter(|row| row.field.eq_ignore_ascii_case(field));
        rows.map(|row| row.count).sum::<u64>() == self.total
    }
}

impl Evidence {
    /// The table of this id.
    pub fn table(&self, id: &str) -> Option<&Table> {
        self.tables.iter().find(|table| table.id == id)
    }

    /// Records that an aggregation counted, or that were read; `None` for an aggregation that does not exist.
    pub fn total(&self, over: &Basis) -> Option<u64> {
        match over {
            Basis::Aggregation(id) => self.table(id).map(|table| table.total),
            Basis::Records => Some(self.sources.len() as u64),
        }
    }

    /// The values of a field with their counts: the groups of an aggregation, or what the records that were read hold, first seen
    /// first. For several fields joined by `,` these are tuples where `is_tuple` is set and no field has that name.
    pub fn groups(&self, over: &Basis, field: &str, is_tuple: bool) -> Vec<(Value, u64)> {
        match over {
            Basis::Aggregation(id) => {
                let rows = self.table(id).into_iter().flat_map(|table| &table.rows);
                let rows = rows.filter(|row| row.field.eq_ignore_ascii_case(field));
                rows.map(|row| (row.value.clone(), row.count)).collect()
            }
            Basis::Records => {
                let like = if is_tuple { Value::Array(Vec::new()) } else { Value::Null };
                let mut groups: Vec<(Value, u64)> = Vec::new();
                let mut places: HashMap<String, usize> = HashMap::new();
                for source in self.sources.iter() {
                    let value = blank_to_null(&tuple(source, field, &like));
                    let at = *places.entry(value.to_string()).or_insert(groups.len());
                    match groups.get_mut(at) {
                        Some((_, count)) => *count += 1,
                        None => groups.push((value, 1)),
                    }
                }
                groups
            }
        }
    }

    /// The sources that have this value in this field, in reading order. Letter case counts only when some record has
    /// exactly this spelling.
    pub fn holders(&self, field: &str, value: &Value) -> Vec<&Source> {
        let pick = |same: fn(&Value, &Value) -> bool| -> Vec<&Source> {
            self.sources.iter().map(|s| s.as_ref()).filter(|s| same(&tuple(s, field, value), value)).collect()
        };
        let exact = pick(|a, b| blank_to_null(a) == blank_to_null(b));
        if exact.is_empty() { pick(same_value) } else { exact }
    }

    /// A statistic of a numeric field over the records read; `None` when no record has a number there.
    pub fn statistic(&self, field: &str, statistic: Statistic) -> Option<f64> {
        summarised(self.sources.iter().map(|source| source.as_ref()), field, statistic)
    }

    /// A statistic of a numeric field over the records read that have this value in the field `by`; `None` when none of them
    /// has a number there.
    pub fn group_statistic(&self, field: &str, statistic: Statistic, by: &str, value: &Value) -> Option<f64> {
        summarised(self.holders(by, value).into_iter(), field, statistic)
    }
}

/// A statistic of a numeric field over sources.
fn summarised<'s>(sources: impl Iterator<Item = &'s Source>, field: &str, statistic: Statistic) -> Option<f64> {
    let mut numbers: Vec<f64> = sources.filter_map(|source| source.field(field)?.as_f64()).collect();
    numbers.sort_by(f64::total_cmp);
    let (first, last) = (*numbers.first()?, *numbers.last()?);
    let middle = numbers.len() / 2;
    let sum: f64 = numbers.iter().sum();
    Some(match statistic {
        Statistic::Min => first,
        Statistic::Max => last,
        Statistic::Sum => sum,
        Statistic::Mean => sum / numbers.len() as f64,
        Statistic::Median if numbers.len() % 2 == 1 => *numbers.get(middle)?,
        Statistic::Median => (numbers.get(middle - 1)? + numbers.get(middle)?) / 2.0,
    })
}

/// The value of a source in a field, or in several fields joined by `,` when a tuple of values is asked for.
fn tuple(source: &Source, field: &str, like: &Value) -> Value {
    match (source.field(field), like) {
        (Some(value), _) => value.clone(),
        (None, Value::Array(_)) => {
            let parts = field.split(',').map(|part| source.field(part.trim()).cloned().unwrap_or(Value::Null));
            Value::Array(parts.collect())
        }
        (None, _) => Value::Null,
    }
}

fn blank_to_null(value: &Value) -> Value {
    match value {
        Value::String(text) if text.trim().is_empty() => Value::Null,
        Value::String(text) => Value::String(text.trim().to_owned()),
        other => other.clone(),
    }
}

/// Whether two values say the same: letter case and outer blanks do not count, `120` is `120.0` is `"120"`, and an empty text
/// is null.
pub fn same_value(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same_value(a, b)),
        (Value::Object(_), _) | (_, Value::Object(_)) => a == b,
        (Value::Null, Value::String(text)) | (Value::String(text), Value::Null) => text.trim().is_empty(),
        (Value::Null, _) | (_, Value::Null) => a == b,
        _ => {
            let (a, b) = (plain(a), plain(b));
            match (a.parse::<f64>(), b.parse::<f64>()) {
                (Ok(a), Ok(b)) => a == b,
                _ => a.to_lowercase() == b.to_lowercase(),
            }
        }
    }
}

/// A value as people write it: texts without quotation marks, null as `(none)`, arrays joined by ` / `.
pub fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.trim().to_owned(),
        Value::Null => "(none)".to_owned(),
        Value::Array(items) => items.iter().map(plain).collect::<Vec<_>>().join(" / "),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::kernel::Untrusted;

    fn evidence() -> Evidence {
        let mut sources = SourceRegistry::default();
        for (id, fields) in [
            ("1", json!({"size": "Small", "speed": 10, "state": "Ohio"})),
            ("2", json!({"size": "small", "speed": 20.5, "state": ""})),
            ("3", json!({"size": "Large", "state": "Ohio"})),
            ("4", json!({"size": "Large", "speed": 4, "state": null})),
        ] {
            let fields = Untrusted::new(fields.as_object().unwrap().clone());
            sources.register(Source { tool: "t".into(), record: id.into(), fields, ..Source::default() });
        }
        Evidence { sources, tables: Vec::new() }
    }

    fn ids(found: &[&Source]) -> Vec<String> {
        found.iter().map(|source| source.id.clone()).collect()
    }

    #[test]
    fn holders_are_found_by_exact_spelling_first() {
        assert_eq!(ids(&evidence().holders("size", &json!("Small"))), ["1"]);
        assert_eq!(ids(&evidence().holders("size", &json!("SMALL"))), ["1", "2"]);
        assert_eq!(ids(&evidence().holders("speed", &json!("10"))), ["1"]);
        assert_eq!(ids(&evidence().holders("size,state", &json!(["Large", "Ohio"]))), ["3"]);
    }

    #[test]
    fn the_records_fall_into_groups() {
        let found = evidence().groups(&Basis::Records, "state", false);
        assert_eq!(found, [(json!("Ohio"), 2), (Value::Null, 2)]);
        let found = evidence().groups(&Basis::Records, "size,state", true);
        assert_eq!(found[2], (json!(["Large", "Ohio"]), 1));
    }

    #[test]
    fn empty_cells_are_null() {
        assert_eq!(ids(&evidence().holders("state", &Value::Null)), ["2", "4"]);
    }

    #[test]
    fn statistics_are_over_the_values_that_are_present() {
        let evidence = evidence();
        assert_eq!(evidence.statistic("speed", Statistic::Min), Some(4.0));
        assert_eq!(evidence.statistic("speed", Statistic::Max), Some(20.5));
        assert_eq!(evidence.statistic("speed", Statistic::Median), Some(10.0));
        assert_eq!(evidence.statistic("speed", Statistic::Mean), Some(11.5));
        assert_eq!(evidence.statistic("size", Statistic::Sum), None);
        let of = |size| evidence.group_statistic("speed", Statistic::Mean, "size", &json!(size));
        assert_eq!((of("Large"), of("SMALL"), of("Medium")), (Some(4.0), Some(15.25), None));
    }

    #[test]
    fn an_absent_value_counts_zero_only_in_a_complete_table() {
        let row = |value: &str, count| TableRow { field: "size".into(), value: json!(value), count };
        let mut table = Table { total: 5, rows: vec![row("Small", 3), row("Large", 2)], ..Table::default() };
        assert_eq!(table.count("size", &json!("small")), Some(3));
        assert_eq!(table.count("size", &json!("Medium")), Some(0));
        assert_eq!(table.count("colour", &json!("red")), None);
        table.total = 6;
        assert_eq!(table.count("size", &json!("Medium")), None);
    }
}
