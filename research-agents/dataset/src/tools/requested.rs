//! The grouping that a call requested, for results that do not repeat it.

use serde_json::Value;

use crate::data::record::{AggregationKind, Object};

/// Names of the property for the length of a histogram's intervals.
const INTERVALS: &[&str] = &["interval", "calendar_interval", "fixed_interval"];

/// Returns the field that the call asked to group by, for results that do not repeat it.
pub(crate) fn requested_field(kind: AggregationKind, arguments: &Object) -> String {
    let asked = match kind {
        AggregationKind::GroupBy => arguments.get("group_by").cloned(),
        AggregationKind::DateHistogram => {
            histogram(arguments).and_then(|histogram| histogram.get("field").cloned())
        }
        _ => None,
    };
    match asked {
        Some(Value::String(name)) => name.split(',').map(str::trim).collect::<Vec<_>>().join(","),
        Some(Value::Array(names)) => names
            .iter()
            .filter_map(Value::as_str)
            .collect::<Vec<_>>()
            .join(","),
        _ => String::new(),
    }
}

/// Returns the interval that the call asked for, of a histogram.
pub(crate) fn requested_interval(kind: AggregationKind, arguments: &Object) -> Option<String> {
    let histogram = histogram(arguments).filter(|_| kind == AggregationKind::DateHistogram)?;
    let interval = INTERVALS.iter().find_map(|name| histogram.get(name))?;
    Some(
        interval
            .as_str()
            .map_or_else(|| interval.to_string(), str::to_owned),
    )
    .filter(|interval| !interval.is_empty())
}

/// Returns the groups over time that the call asked for, written as JSON or as a string of JSON.
fn histogram(arguments: &Object) -> Option<Value> {
    match arguments.get("date_histogram")? {
        Value::String(text) => serde_json::from_str(text).ok(),
        other => Some(other.clone()),
    }
}
