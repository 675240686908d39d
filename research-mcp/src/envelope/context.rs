//! What a result says of itself besides its records.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::payload::{keys, payload};

/// Where results say how many records match, in the order of trust.
const MATCHED: &[&str] = &[
    "/data_context/unique_ids_matched",
    "/data_context/total_matched",
    "/unique_ids_matched",
    "/hits/total/value",
    "/hits/total",
    "/total_matched",
    "/pagination/total",
    "/total_count",
    "/total",
    "/meta/count",
    "/meta/total",
];

/// How results in other shapes name the same, wherever it stands, in the order of trust and as [`keys::plain`] writes them.
const MATCHED_NAMES: &[&str] = &[
    "numfound",
    "totalcount",
    "totalresults",
    "opensearchtotalresults",
    "totalhits",
    "totalelements",
    "totalitems",
    "totalmatches",
    "matchcount",
    "hitcount",
];

/// The largest count that is believed: 2^53. Above it a double no longer tells neighbouring counts apart, no data set has as many
/// records, and sums of such numbers leave 64 bits.
const MOST: u64 = 1 << 53;

/// What a result says about the data behind it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct DataContext {
    /// Records that match the query. `None` when the result does not say, or says itself that its number is not exact.
    pub unique_ids_matched: Option<u64>,
    /// Records in the data set.
    pub total_records: Option<u64>,
    /// Name of the data set.
    pub dataset: Option<String>,
}

/// Reads `data_context.unique_ids_matched` and what stands beside it, from a result in any of the usual envelopes.
pub fn data_context(result: &Value) -> DataContext {
    read(&payload(result))
}

/// Reads the same from a result without envelopes.
pub(super) fn read(payload: &Value) -> DataContext {
    DataContext {
        unique_ids_matched: matched(payload),
        total_records: payload.pointer("/data_context/total_records").and_then(count),
        dataset: payload.pointer("/data_context/dataset").and_then(Value::as_str).map(str::to_owned),
    }
}

/// The number of records that match. A lower bound, which Elasticsearch marks, and a count of an unfinished search, which GitHub
/// marks, are no such number.
fn matched(payload: &Value) -> Option<u64> {
    let bound = payload.pointer("/hits/total/relation").is_some_and(|relation| relation == "gte");
    let unfinished = payload.get("incomplete_results").is_some_and(|unfinished| unfinished == true);
    let exact = payload.get("numFoundExact").or_else(|| payload.pointer("/response/numFoundExact"));
    if bound || unfinished || exact.is_some_and(|exact| exact == false) {
        return None;
    }
    // Where a page links to its neighbours, `count` is that of the whole result and not of the page.
    let linked = payload.get("next").is_some() && payload.get("previous").is_some();
    MATCHED
        .iter()
        .find_map(|place| payload.pointer(place).and_then(count))
        .or_else(|| keys::find(payload, MATCHED_NAMES, count))
        .or_else(|| payload.get("count").filter(|_| linked).and_then(count))
}

/// A count; some servers write whole numbers as `165.0`. None of a number that no count can be.
pub(super) fn count(value: &Value) -> Option<u64> {
    let whole = || value.as_f64().filter(|number| *number >= 0.0 && number.fract() == 0.0);
    // A double beyond 64 bits becomes the largest number, which is too large as well.
    value.as_u64().or_else(|| whole().map(|number| number as u64)).filter(|number| *number <= MOST)
}
