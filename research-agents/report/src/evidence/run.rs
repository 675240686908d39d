//! The evidence of a run, and what can be computed from it: counts, holders of values, statistics.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use serde_json::Value;

use crate::claim::{Basis, Statistic};
use crate::evidence::numbers::{mean_of_numbers, median_of_sorted, sum_of_numbers};
use crate::evidence::source::{Source, SourceRegistry};
use crate::evidence::table::Table;
use crate::evidence::value::same_value;
use crate::passage::{Document, Passage, PassageRegistry};
use crate::text::untrusted::Untrusted;

/// The evidence that claims are checked against.
#[derive(Clone, Debug, Default)]
pub struct Evidence {
    /// The records that were read, each once.
    pub sources: SourceRegistry,
    /// The aggregations.
    pub tables: Vec<Table>,
    /// The passages of documents, each with its place.
    pub passages: PassageRegistry,
}

impl Evidence {
    /// Returns the table with this id.
    pub fn table(&self, id: &str) -> Option<&Table> {
        self.tables.iter().find(|table| table.id == id)
    }

    /// Returns the source with this id: a record that was read, or a passage with the title and
    /// the address of its document.
    pub fn source(&self, id: &str) -> Option<Arc<Source>> {
        if let Some(record) = self.sources.get(id) {
            return Some(Arc::clone(record));
        }
        let passage = self.passages.get(id)?;
        let document = self.passages.document_of(passage)?;
        Some(Arc::new(source_of(passage, document)))
    }

    /// Returns the number of records that an aggregation counted, or that were read. `None` if the
    /// aggregation does not exist.
    pub fn total(&self, over: &Basis) -> Option<u64> {
        match over {
            Basis::Aggregation(id) => self.table(id).map(|table| table.total),
            Basis::Records => Some(self.sources.len() as u64),
        }
    }

    /// Returns the values of a field with their counts: the groups of an aggregation, or the values
    /// in the records that were read, in the order of their first occurrence. With `is_tuple`,
    /// several fields joined by `,` give tuples, unless a field has that name.
    pub fn groups(&self, over: &Basis, field: &str, is_tuple: bool) -> Vec<(Value, u64)> {
        match over {
            Basis::Aggregation(id) => {
                let rows = self.table(id).into_iter().flat_map(|table| &table.rows);
                let rows = rows.filter(|row| row.field.eq_ignore_ascii_case(field));
                rows.map(|row| (row.value.clone(), row.count)).collect()
            }

            Basis::Records => {
                let like = if is_tuple {
                    Value::Array(Vec::new())
                } else {
                    Value::Null
                };
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

    /// Returns the sources with a value in a field, in the order in which they were read. The exact
    /// spelling matters only if a record has it.
    pub fn holders(&self, field: &str, value: &Value) -> Vec<&Source> {
        let pick = |same: fn(&Value, &Value) -> bool| -> Vec<&Source> {
            self.sources
                .iter()
                .map(|s| s.as_ref())
                .filter(|s| same(&tuple(s, field, value), value))
                .collect()
        };
        let exact = pick(|a, b| blank_to_null(a) == blank_to_null(b));
        if exact.is_empty() {
            pick(same_value)
        } else {
            exact
        }
    }

    /// Returns a statistic of a numeric field over the records read. `None` if no record has a
    /// number in the field.
    pub fn statistic(&self, field: &str, statistic: Statistic) -> Option<f64> {
        summarised(
            self.sources.iter().map(|source| source.as_ref()),
            field,
            statistic,
        )
    }

    /// Returns a statistic of a numeric field over the records read with a value in the field `by`.
    /// `None` if no such record has a number in the field.
    pub fn group_statistic(
        &self,
        field: &str,
        statistic: Statistic,
        by: &str,
        value: &Value,
    ) -> Option<f64> {
        summarised(self.holders(by, value).into_iter(), field, statistic)
    }
}

/// Returns a passage as a source: its record is the place in its document.
fn source_of(passage: &Passage, document: &Document) -> Source {
    let address = &document.origin.address;
    let is_web = address.starts_with("https://") || address.starts_with("http://");
    let lines = if passage.lines.first == passage.lines.last {
        passage.lines.first.to_string()
    } else {
        format!("{}-{}", passage.lines.first, passage.lines.last)
    };

    // The address of a page is shown by itself.
    let place = format!("{address}:{lines}");
    let title = match document.title.for_code().as_str() {
        title if is_web => title.to_owned(),
        "" => place.clone(),
        title => format!("{title} ({place})"),
    };

    Source {
        id: passage.id.clone(),
        record: place,
        tool: document.origin.site.clone(),
        title: Untrusted::new(title),
        url: is_web.then(|| address.clone()),
        snippet: passage.text.clone(),
        text: passage.text.clone(),
        ..Source::default()
    }
}

/// Returns a statistic of a numeric field over sources.
fn summarised<'s>(
    sources: impl Iterator<Item = &'s Source>,
    field: &str,
    statistic: Statistic,
) -> Option<f64> {
    let values: Vec<&Value> = sources.filter_map(|source| source.field(field)).collect();
    let present = || values.iter().filter(|value| !is_blank(value));
    let mut numbers: Vec<f64> = values.iter().filter_map(|value| value.as_f64()).collect();
    match statistic {
        Statistic::Count if !values.is_empty() => return Some(present().count() as f64),
        Statistic::Distinct if !values.is_empty() => {
            let spellings: HashSet<String> = present().map(|value| value.to_string()).collect();
            return Some(spellings.len() as f64);
        }
        _ => {}
    }

    numbers.sort_by(f64::total_cmp);
    let (first, last) = (*numbers.first()?, *numbers.last()?);

    match statistic {
        Statistic::Min => Some(first),
        Statistic::Max => Some(last),
        Statistic::Sum => sum_of_numbers(&numbers),
        Statistic::Mean => mean_of_numbers(&numbers),
        Statistic::Median => median_of_sorted(&numbers),
        Statistic::Count | Statistic::Distinct => None,
    }
}

/// Returns the value of a source in a field, or its tuple of values in several fields joined by `,`
/// if `like` is an array.
fn tuple(source: &Source, field: &str, like: &Value) -> Value {
    match (source.field(field), like) {
        (Some(value), _) => value.clone(),
        (None, Value::Array(_)) => {
            let parts = field
                .split(',')
                .map(|part| source.field(part.trim()).cloned().unwrap_or(Value::Null));
            Value::Array(parts.collect())
        }
        (None, _) => Value::Null,
    }
}

fn is_blank(value: &Value) -> bool {
    blank_to_null(value).is_null()
}

/// Returns a value without outer white space, and null for an empty string.
fn blank_to_null(value: &Value) -> Value {
    match value {
        Value::String(text) if text.trim().is_empty() => Value::Null,
        Value::String(text) => Value::String(text.trim().to_owned()),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn evidence() -> Evidence {
        let mut sources = SourceRegistry::default();

        for (id, fields) in [
            ("1", json!({"size": "Small", "speed": 10, "state": "Ohio"})),
            ("2", json!({"size": "small", "speed": 20.5, "state": ""})),
            ("3", json!({"size": "Large", "state": "Ohio"})),
            ("4", json!({"size": "Large", "speed": 4, "state": null})),
        ] {
            let fields = Untrusted::new(fields.as_object().unwrap().clone());
            sources.register(Source {
                tool: "t".into(),
                record: id.into(),
                fields,
                ..Source::default()
            });
        }

        Evidence {
            sources,
            tables: Vec::new(),
            ..Evidence::default()
        }
    }

    fn ids(found: &[&Source]) -> Vec<String> {
        found.iter().map(|source| source.id.clone()).collect()
    }

    #[test]
    fn holders_are_found_by_exact_spelling_first() {
        assert_eq!(ids(&evidence().holders("size", &json!("Small"))), ["1"]);
        assert_eq!(
            ids(&evidence().holders("size", &json!("SMALL"))),
            ["1", "2"]
        );
        assert_eq!(ids(&evidence().holders("speed", &json!("10"))), ["1"]);
        assert_eq!(
            ids(&evidence().holders("size,state", &json!(["Large", "Ohio"]))),
            ["3"]
        );
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
        assert_eq!(
            (of("Large"), of("SMALL"), of("Medium")),
            (Some(4.0), Some(15.25), None)
        );
    }
}
