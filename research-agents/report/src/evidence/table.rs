//! The evidence of a run, and what can be computed from it: counts, holders of values, statistics.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::claim::{Basis, Statistic};
use crate::evidence::numbers::{mean_of_numbers, median_of_sorted, sum_of_numbers};
use crate::evidence::source::{Source, SourceRegistry};

/// The evidence that claims are checked against.
#[derive(Clone, Debug, Default)]
pub struct Evidence {
    /// The records that were read, each once.
    pub sources: SourceRegistry,
    /// The aggregations.
    pub tables: Vec<Table>,
}

/// An aggregation: counts of records by the values of one field or several.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Table {
    /// Id, such as `A1`.
    pub id: String,
    /// Caption in the report's list of data: tool, grouping, filters.
    pub caption: String,
    /// Field, or fields joined by `,`.
    pub field: String,
    /// Number of records that match.
    pub total: u64,
    /// The groups.
    pub rows: Vec<TableRow>,
}

/// One group of a [`Table`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TableRow {
    /// The field, or fields joined by `,`, that the value belongs to. An inner group has more
    /// fields than its outer one.
    pub field: String,
    /// The value; an array for several fields.
    pub value: Value,
    /// Number of records in the group.
    pub count: u64,
}

impl Table {
    /// Returns the count of a value: of the exact value, else of the only one that is the [same
    /// value](same_value) in another spelling. A value without a row counts 0 if the rows account
    /// for every record; otherwise its count is unknown.
    pub fn count(&self, field: &str, value: &Value) -> Option<u64> {
        let rows = || {
            self.rows
                .iter()
                .filter(|row| row.field.eq_ignore_ascii_case(field))
        };
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

    /// Returns whether the rows of a field account for every matching record.
    pub fn is_complete(&self, field: &str) -> bool {
        let rows = self
            .rows
            .iter()
            .filter(|row| row.field.eq_ignore_ascii_case(field));
        rows.map(|row| u128::from(row.count)).sum::<u128>() == u128::from(self.total)
    }
}

/// Returns the sum of counts that a tool has stated. It saturates at the largest number of 64 bits.
pub fn sum_of(counts: impl IntoIterator<Item = u64>) -> u64 {
    counts.into_iter().fold(0, u64::saturating_add)
}

/// Returns the sum of totals that tools have stated. `None` if one is unknown, or if the sum
/// exceeds 64 bits.
pub fn known_sum(totals: impl IntoIterator<Item = Option<u64>>) -> Option<u64> {
    totals
        .into_iter()
        .try_fold(0_u64, |sum, total| sum.checked_add(total?))
}

impl Evidence {
    /// Returns the table with this id.
    pub fn table(&self, id: &str) -> Option<&Table> {
        self.tables.iter().find(|table| table.id == id)
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

/// Returns a statistic of a numeric field over sources.
fn summarised<'s>(
    sources: impl Iterator<Item = &'s Source>,
    field: &str,
    statistic: Statistic,
) -> Option<f64> {
    let mut numbers: Vec<f64> = sources
        .filter_map(|source| source.field(field)?.as_f64())
        .collect();
    numbers.sort_by(f64::total_cmp);
    let (first, last) = (*numbers.first()?, *numbers.last()?);

    match statistic {
        Statistic::Min => Some(first),
        Statistic::Max => Some(last),
        Statistic::Sum => sum_of_numbers(&numbers),
        Statistic::Mean => mean_of_numbers(&numbers),
        Statistic::Median => median_of_sorted(&numbers),
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

/// Returns a value without outer white space, and null for an empty string.
fn blank_to_null(value: &Value) -> Value {
    match value {
        Value::String(text) if text.trim().is_empty() => Value::Null,
        Value::String(text) => Value::String(text.trim().to_owned()),
        other => other.clone(),
    }
}

/// Returns whether two values are the same in any spelling: letter case and outer white space do
/// not matter, `120` equals `120.0` and `"120"`, and an empty string equals null. Two strings are
/// not compared as numbers: the codes `"007"` and `"7"` differ, and so do `"1e3"` and `"1000"`.
pub fn same_value(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same_value(a, b))
        }
        (Value::Object(_), _) | (_, Value::Object(_)) => a == b,
        (Value::Null, Value::String(text)) | (Value::String(text), Value::Null) => {
            text.trim().is_empty()
        }
        (Value::Null, _) | (_, Value::Null) => a == b,
        (Value::Number(_), _) | (_, Value::Number(_)) => {
            number_in(a).is_some_and(|a| Some(a) == number_in(b))
        }
        _ => plain(a).to_lowercase() == plain(b).to_lowercase(),
    }
}

/// Returns the number that a value is or spells, in one spelling for each number. Integers of any
/// size keep every digit.
fn number_in(value: &Value) -> Option<String> {
    /// Up to this number, a double represents every integer exactly.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let text = plain(value);
    if let Ok(whole) = text.parse::<i128>() {
        return Some(whole.to_string());
    }
    let number: f64 = text
        .parse()
        .ok()
        .filter(|number: &f64| number.is_finite())?;
    let is_whole = number.fract() == 0.0 && number.abs() <= EXACT;
    Some(if is_whole {
        (number as i64).to_string()
    } else {
        number.to_string()
    })
}

/// An index of values, by which the [same value](same_value) is found in constant time.
#[derive(Debug, Default)]
pub struct ValueIndex {
    places: HashMap<Spelling, usize>,
}

/// A key of a value in the index.
#[derive(Debug, PartialEq, Eq, Hash)]
enum Spelling {
    /// Null or an empty string.
    Blank,
    /// A number.
    Number(String),
    /// The number that a string spells.
    Spelled(String),
    /// A string or Boolean, in lower case.
    Text(String),
    /// A list or an object, as JSON.
    Other(String),
}

impl ValueIndex {
    /// Creates an index of values, which are identified by their order.
    pub fn new<'v>(values: impl IntoIterator<Item = &'v Value>) -> Self {
        let mut index = Self::default();
        for (at, value) in values.into_iter().enumerate() {
            for spelling in Spelling::all_of(value) {
                index.places.entry(spelling).or_insert(at);
            }
        }
        index
    }

    /// Returns the index of the first value that is [the same](same_value). Lists and objects must
    /// be equal.
    pub fn find(&self, value: &Value) -> Option<usize> {
        // A string that spells a number is the same value as the number, but not as another string
        // that spells it.
        let wanted = Spelling::all_of(value)
            .into_iter()
            .map(|spelling| match spelling {
                Spelling::Spelled(number) => Spelling::Number(number),
                own => own,
            });
        let spelled = match value {
            Value::Number(_) => number_in(value).map(Spelling::Spelled),
            _ => None,
        };
        wanted
            .chain(spelled)
            .filter_map(|spelling| self.places.get(&spelling).copied())
            .min()
    }
}

impl Spelling {
    /// Returns the keys of a value.
    fn all_of(value: &Value) -> Vec<Self> {
        match value {
            Value::Null => vec![Self::Blank],
            Value::String(text) if text.trim().is_empty() => vec![Self::Blank],
            Value::Number(_) => number_in(value).map(Self::Number).into_iter().collect(),
            Value::String(_) | Value::Bool(_) => {
                let text = Self::Text(plain(value).to_lowercase());
                number_in(value)
                    .map(Self::Spelled)
                    .into_iter()
                    .chain([text])
                    .collect()
            }
            Value::Array(_) | Value::Object(_) => vec![Self::Other(value.to_string())],
        }
    }
}

/// Returns a value as people write it: strings without quotation marks, null as `(none)`, and the
/// items of arrays separated by slashes.
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
    use crate::text::untrusted::Untrusted;

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
    fn codes_are_texts_and_numbers_keep_their_digits() {
        let same = |a: Value, b: Value| {
            let index = ValueIndex::new([&a]);
            assert_eq!(index.find(&b), same_value(&a, &b).then_some(0), "{a} {b}");
            assert_eq!(same_value(&a, &b), same_value(&b, &a), "{a} {b}");
            same_value(&a, &b)
        };

        assert!(
            same(json!(120), json!("120"))
                && same(json!(120), json!(120.0))
                && same(json!("7"), json!(7))
        );
        assert!(
            same(json!(0.0), json!(-0.0))
                && same(json!(2.5), json!("2.50"))
                && same(json!(true), json!("True"))
        );
        assert!(
            same(json!("ﬁve "), json!("ﬁve"))
                && same(json!("NaN"), json!("nan"))
                && same(json!(" "), Value::Null)
        );
        assert!(
            !same(json!("1e3"), json!("1000"))
                && !same(json!("007"), json!("7"))
                && !same(json!("inf"), json!(1))
        );

        let large = 1_u64 << 60;
        assert!(
            !same(json!(large), json!(large + 1))
                && !same(json!(large), json!((large + 1).to_string()))
        );
    }

    #[test]
    fn the_first_of_many_values_is_found() {
        let values = [
            json!("a"),
            json!("7"),
            json!(7),
            json!("A"),
            Value::Null,
            json!(["x", 1]),
        ];
        let index = ValueIndex::new(&values);
        let found = |value: Value| index.find(&value);

        assert_eq!(
            (
                found(json!("A ")),
                found(json!(7)),
                found(json!("7")),
                found(json!("b"))
            ),
            (Some(0), Some(1), Some(1), None)
        );

        assert_eq!(
            (
                found(json!("7.0")),
                found(json!("")),
                found(json!(["x", 1]))
            ),
            (Some(2), Some(4), Some(5))
        );
    }

    #[test]
    fn sums_of_hostile_counts_do_not_overflow() {
        assert_eq!((sum_of([u64::MAX, 1]), sum_of([2, 3])), (u64::MAX, 5));
        assert_eq!(known_sum([Some(2), Some(3)]), Some(5));
        assert_eq!(
            (
                known_sum([Some(u64::MAX), Some(1)]),
                known_sum([Some(1), None]),
                known_sum([])
            ),
            (None, None, Some(0))
        );

        let row = |count| TableRow {
            field: "size".into(),
            value: json!(count),
            count,
        };
        let table = Table {
            total: u64::MAX,
            rows: vec![row(u64::MAX), row(1)],
            ..Table::default()
        };

        assert!(
            !table.is_complete("size"),
            "a sum that is cut short is not the total"
        );
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

    #[test]
    fn an_absent_value_counts_zero_only_in_a_complete_table() {
        let row = |value: &str, count| TableRow {
            field: "size".into(),
            value: json!(value),
            count,
        };
        let mut table = Table {
            total: 5,
            rows: vec![row("Small", 3), row("Large", 2)],
            ..Table::default()
        };
        assert_eq!(table.count("size", &json!("small")), Some(3));
        assert_eq!(table.count("size", &json!("Medium")), Some(0));
        assert_eq!(table.count("colour", &json!("red")), None);
        table.total = 6;
        assert_eq!(table.count("size", &json!("Medium")), None);
    }
}
