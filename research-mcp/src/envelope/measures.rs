//! Statistics of fields in a result: sums, means and the like, in the shapes that tools give them.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::context::count;
use crate::payload::keys::plain;

/// What was computed of a field, in the word of the data server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum MeasureFunction {
    /// Sum of the values.
    Sum,
    /// Arithmetic mean.
    Mean,
    /// Middle value.
    Median,
    /// Smallest value.
    Min,
    /// Largest value.
    Max,
    /// Number of records with a value.
    Count,
    /// Number of different values.
    Distinct,
}

/// Words of tools for the functions, as [`plain`] writes them.
const WORDS: &[(MeasureFunction, &[&str])] = &[
    (MeasureFunction::Sum, &["sum", "total"]),
    (MeasureFunction::Mean, &["mean", "avg", "average"]),
    (MeasureFunction::Median, &["median", "med", "p50", "percentile50"]),
    (MeasureFunction::Min, &["min", "minimum", "smallest"]),
    (MeasureFunction::Max, &["max", "maximum", "largest"]),
    (MeasureFunction::Distinct, &["distinct", "cardinality", "nunique", "countdistinct", "distinctcount", "unique"]),
    (MeasureFunction::Count, &["count", "valuecount", "nonnull", "n"]),
];

impl MeasureFunction {
    /// Reads a tool's word for a function, such as `avg` or `total`.
    pub fn from_word(word: &str) -> Option<Self> {
        let word = plain(word);
        WORDS.iter().find(|(_, words)| words.contains(&word.as_str())).map(|(function, _)| *function)
    }

    /// Returns the words that tools use for the function, the usual one first, in lower case and without separators.
    pub fn words(self) -> &'static [&'static str] {
        WORDS.iter().find(|(function, _)| *function == self).map_or(&[], |(_, words)| words)
    }
}

/// One statistic of a field over the records of a result, or of a group.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Measure {
    /// What was computed.
    pub function: MeasureFunction,
    /// The field.
    pub field: String,
    /// The number, or a date as text; null where no record has a value.
    pub value: Value,
    /// Records with a value, when the result says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
}

/// Correlation of two numeric fields.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Correlation {
    /// The two fields.
    pub fields: [String; 2],
    /// Records that have both.
    pub count: u64,
    /// Pearson's coefficient; `None` where it is not defined.
    pub pearson: Option<f64>,
}

/// Names of lists and objects of statistics, as [`plain`] writes them.
const CONTAINERS: &[&str] = &["measures", "metrics", "stats", "statistics"];
const FUNCTIONS: &[&str] =
    &["function", "metric", "agg", "aggregate", "aggregation", "statistic", "stat", "op", "func"];
const FIELDS: &[&str] = &["field", "column", "of", "attribute"];
const VALUES: &[&str] = &["value", "result", "number"];
const COUNTS: &[&str] = &["count", "n", "doccount"];

/// Reads the statistics that an object has beside its groups or its count: a list under `measures`, `metrics` or `stats`, or
/// members such as `mean_height`, `avg(height)` and `height: {mean: 3}`.
pub(super) fn measures(object: &Map<String, Value>) -> Vec<Measure> {
    let mut found = Vec::new();
    for (name, value) in object {
        if CONTAINERS.contains(&plain(name).as_str()) {
            match value {
                Value::Array(items) => found.extend(items.iter().filter_map(listed)),
                Value::Object(inner) => inner.iter().for_each(|(name, value)| found.extend(named(name, value))),
                _ => {}
            }
        } else {
            found.extend(single(name, value));
        }
    }
    found
}

/// Reads one entry of a list, such as `{"function": "mean", "field": "height", "value": 3}`.
fn listed(item: &Value) -> Option<Measure> {
    let fields = item.as_object()?;
    let of = |names: &[&str]| {
        names.iter().find_map(|name| fields.iter().find(|(key, _)| plain(key) == *name)).map(|(_, value)| value)
    };
    Some(Measure {
        function: MeasureFunction::from_word(of(FUNCTIONS)?.as_str()?)?,
        field: of(FIELDS)?.as_str()?.to_owned(),
        value: of(VALUES).filter(|value| is_value(value)).cloned().unwrap_or_default(),
        count: of(COUNTS).and_then(count),
    })
}

/// Reads a member of an object of statistics: one with function and field in its name, or the functions of one field, or the
/// fields of one function.
fn named(name: &str, value: &Value) -> Vec<Measure> {
    if let Some(one) = single(name, value) {
        return vec![one];
    }
    let Some(inner) = value.as_object() else { return Vec::new() };
    let function = MeasureFunction::from_word(name);
    let counted = inner.iter().find(|(key, _)| plain(key) == "count").and_then(|(_, value)| count(value));
    let each = inner.iter().filter_map(|(key, value)| {
        let (function, field) = match function {
            Some(function) => (function, key.as_str()),
            None => (MeasureFunction::from_word(key)?, name),
        };
        let value = unwrapped(value)?;
        Some(Measure { function, field: field.to_owned(), value, count: counted })
    });
    each.collect()
}

/// Reads a member whose name says both, such as `mean_height`, `height_avg`, `avg(height)` or `height.max`.
fn single(name: &str, value: &Value) -> Option<Measure> {
    let value = unwrapped(value)?;
    let (function, field) = function_and_field(name)?;
    Some(Measure { function, field: field.to_owned(), value, count: None })
}

/// Returns whether a name says a function and a field, such as `mean_height`.
pub(super) fn is_named(name: &str) -> bool {
    function_and_field(name).is_some()
}

fn function_and_field(name: &str) -> Option<(MeasureFunction, &str)> {
    if let Some((function, rest)) = name.split_once('(') {
        return Some((
            MeasureFunction::from_word(function)?,
            rest.strip_suffix(')')?.trim_matches(['"', '\'', '`', ' ']),
        ));
    }
    let separators = ['_', '.', ' ', ':', '-'];
    // A plain number under `total_count` or `n_rows` counts records and measures no field.
    let measured = |word: &str| MeasureFunction::from_word(word).filter(|function| *function != MeasureFunction::Count);
    let ahead = || name.split_once(separators).and_then(|(word, field)| Some((measured(word)?, field)));
    let behind = || name.rsplit_once(separators).and_then(|(field, word)| Some((measured(word)?, field)));
    ahead().or_else(behind).filter(|(_, field)| !field.is_empty() && *field != "count")
}

/// Returns the value itself, or the one in `{"value": …}`.
fn unwrapped(value: &Value) -> Option<Value> {
    let inner = value.as_object().and_then(|fields| fields.get("value")).unwrap_or(value);
    is_value(inner).then(|| inner.clone())
}

fn is_value(value: &Value) -> bool {
    value.is_number() || value.is_null() || value.is_string()
}

/// Reads `correlations`: a list of two fields with a coefficient and the number of records behind it.
pub(super) fn correlations(value: &Value) -> Vec<Correlation> {
    let one = |item: &Value| {
        let fields = item.get("fields")?.as_array()?;
        let [first, second] = fields.as_slice() else { return None };
        let pearson = ["pearson", "correlation", "r", "value"].iter().find_map(|name| item.get(name)?.as_f64());
        Some(Correlation {
            fields: [first.as_str()?.to_owned(), second.as_str()?.to_owned()],
            count: ["count", "n"].iter().find_map(|name| count(item.get(name)?))?,
            pearson,
        })
    };
    value.as_array().into_iter().flatten().filter_map(one).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(value: Value) -> Vec<(MeasureFunction, String, Value, Option<u64>)> {
        let object = value.as_object().unwrap();
        measures(object).into_iter().map(|one| (one.function, one.field, one.value, one.count)).collect()
    }

    #[test]
    fn statistics_are_read_in_many_shapes() {
        let mean = |count| vec![(MeasureFunction::Mean, "height".to_owned(), json!(3.5), count)];
        for (shape, count) in [
            (json!({"measures": [{"function": "mean", "field": "height", "value": 3.5, "count": 9}]}), Some(9)),
            (json!({"metrics": [{"metric": "avg", "column": "height", "value": 3.5}]}), None),
            (json!({"metrics": {"avg_height": 3.5}}), None),
            (json!({"stats": {"height": {"average": 3.5, "count": 9, "other": 2}}}), Some(9)),
            (json!({"stats": {"mean": {"height": 3.5}}}), None),
            (json!({"avg(height)": {"value": 3.5}}), None),
            (json!({"height_mean": 3.5, "doc_count": 4, "key": "a"}), None),
        ] {
            let mut found = read(shape.clone());
            found.retain(|one| one.0 != MeasureFunction::Count);
            assert_eq!(found, mean(count), "{shape}");
        }
    }

    #[test]
    fn counts_of_records_measure_no_field() {
        assert!(read(json!({"doc_count": 3, "total_count": 9, "count": 2, "key": "mean", "n": 4})).is_empty());
    }

    #[test]
    fn correlations_have_two_fields_a_number_and_a_count() {
        let found = correlations(&json!([{"fields": ["a", "b"], "count": 3, "pearson": null}, {"fields": ["a"]}]));
        assert_eq!(found, [Correlation { fields: ["a".into(), "b".into()], count: 3, pearson: None }]);
    }
}
