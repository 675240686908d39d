//! A result of a data tool that is taken out of its envelopes once.

use std::borrow::Cow;
use std::ops::Deref;
use std::sync::OnceLock;

use serde_json::Value;

use super::buckets::Aggregation;
use super::context::{self, DataContext};
use super::groups;
use super::measures::{Correlation, Measure};
use super::search::{self, LookedUp, TextHits};
use crate::payload::payload;

/// The JSON of a tool's result. Its envelopes are opened, and what it reports beside its records is read, when one of these is
/// first asked for, and then kept.
///
/// ```
/// use research_mcp::envelope::DataResult;
/// use serde_json::json;
///
/// let result = DataResult::new(json!({"structuredContent": {"total": 2, "documents": [{"id": 1}, {"id": 2}]}}));
/// assert_eq!(result.context().unique_ids_matched, Some(2));
/// assert_eq!(result.payload()["documents"][1]["id"], 2);
/// assert!(result.aggregations().is_empty());
/// ```
#[derive(Clone, Debug)]
pub struct DataResult {
    value: Value,
    opened: OnceLock<Opened>,
}

#[derive(Clone, Debug)]
struct Opened {
    /// `None` if the value is not in an envelope.
    payload: Option<Value>,
    context: DataContext,
    aggregations: Vec<Aggregation>,
    measures: Vec<Measure>,
    correlations: Vec<Correlation>,
    search: Option<TextHits>,
    lookup: Vec<LookedUp>,
}

impl DataResult {
    /// Creates a result from the JSON that a tool gave, in any of the usual envelopes or in none.
    pub fn new(value: Value) -> Self {
        Self { value, opened: OnceLock::new() }
    }

    /// Returns the JSON as the tool gave it.
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// Returns the JSON as the tool gave it.
    pub fn into_value(self) -> Value {
        self.value
    }

    /// Returns the result without its envelopes.
    pub fn payload(&self) -> &Value {
        self.opened().payload.as_ref().unwrap_or(&self.value)
    }

    /// Returns what the result reports about the data behind it.
    pub fn context(&self) -> &DataContext {
        &self.opened().context
    }

    /// Returns the aggregations of the result, those over time last; see [`aggregations`](super::aggregations).
    pub fn aggregations(&self) -> &[Aggregation] {
        &self.opened().aggregations
    }

    /// Returns the statistics of fields over all matching records.
    pub fn measures(&self) -> &[Measure] {
        &self.opened().measures
    }

    /// Returns the correlations of fields over all matching records.
    pub fn correlations(&self) -> &[Correlation] {
        &self.opened().correlations
    }

    /// Returns what a search in texts found, if the result reports one.
    pub fn search(&self) -> Option<&TextHits> {
        self.opened().search.as_ref()
    }

    /// Returns the values and texts that were looked up.
    pub fn lookup(&self) -> &[LookedUp] {
        &self.opened().lookup
    }

    fn opened(&self) -> &Opened {
        self.opened.get_or_init(|| {
            let payload = payload(&self.value);
            let (context, aggregations) = (context::read(&payload), groups::read(&payload));
            let (measures, correlations) = (groups::read_measures(&payload), groups::read_correlations(&payload));
            let (search, lookup) = (search::hits(&payload), search::lookup(&payload));
            let payload = match payload {
                Cow::Borrowed(inner) if std::ptr::eq(inner, &self.value) => None,
                inner => Some(inner.into_owned()),
            };
            Opened { payload, context, aggregations, measures, correlations, search, lookup }
        })
    }
}

impl Deref for DataResult {
    type Target = Value;

    /// Returns the JSON as the tool gave it.
    fn deref(&self) -> &Value {
        &self.value
    }
}

impl From<Value> for DataResult {
    fn from(value: Value) -> Self {
        Self::new(value)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_field_called_content_is_not_opened_a_second_time() {
        let record = json!({"content": [{"type": "text", "text": "{\"a\": 1}"}]});
        let result = DataResult::new(json!({"structuredContent": record}));

        assert_eq!(*result.payload(), record);
    }

    #[test]
    fn a_result_without_envelopes_is_its_own_payload() {
        let result = DataResult::new(json!({"total": 3}));

        assert!(std::ptr::eq(result.payload(), result.value()));
        assert_eq!(result.context().unique_ids_matched, Some(3));
    }
}
