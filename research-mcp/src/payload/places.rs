//! The places where results keep their records.

use serde_json::Value;

/// Where results keep their records, in the order of trust.
pub(crate) const PLACES: &[&str] = &[
    "/documents",
    "/results",
    "/matches",
    "/items",
    "/records",
    "/data",
    "/hits/hits",
    "/hits",
    "/data/documents",
    "/data/results",
    "/data/items",
    "/data/records",
];

/// Whether one of the named places holds a list.
pub(crate) fn has_named_list(payload: &Value) -> bool {
    PLACES.iter().any(|place| payload.pointer(place).is_some_and(Value::is_array))
}
