//! The events of a run, and the laws that every run keeps.

use serde_json::{Map, Value};

use crate::program::Ran;

/// The common names of events that this agent can send.
const NAMES: &[&str] = &[
    "run_started",
    "follow_up",
    "clarification_required",
    "clarified",
    "phase",
    "progress",
    "plan",
    "tool_call",
    "tool_result",
    "retry",
    "refused",
    "agent_started",
    "agent_finished",
    "finding",
    "sources",
    "aggregation",
    "chart",
    "insight",
    "usage",
    "report_start",
    "report_delta",
    "report_end",
    "key_findings",
    "run_completed",
    "error",
];

/// The events of a run that has ended.
#[derive(Debug)]
pub(crate) struct Events {
    pub(crate) all: Vec<Value>,
    pub(crate) ran: Ran,
}

impl Events {
    /// Reads the events and checks the laws of the stream: what every run must keep, however it ends.
    pub(crate) fn new(ran: Ran) -> Self {
        let all: Vec<Value> = ran
            .stdout
            .lines()
            .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
            .collect();
        let events = Self { all, ran };
        events.keep_their_form();
        events.end_once();
        let percents: Vec<u64> = events.of("progress").iter().map(|event| event["percent"].as_u64().unwrap()).collect();
        assert!(percents.is_sorted() && percents.iter().all(|percent| *percent <= 100), "{percents:?}");
        events
    }

    fn keep_their_form(&self) {
        assert!(!self.all.is_empty(), "no event: {:?}", self.ran);
        for (index, event) in self.all.iter().enumerate() {
            assert_eq!(event["seq"], index, "{event}");
            assert!(NAMES.contains(&event["event"].as_str().unwrap()), "{event}");
            assert!(is_time(event["ts"].as_str().unwrap()), "{event}");
            assert_eq!(event["run_id"], self.all[0]["run_id"], "{event}");
            assert!(!event["run_id"].as_str().unwrap().is_empty(), "{event}");
        }
    }

    fn end_once(&self) {
        let is_terminal = |event: &Value| match event["event"].as_str() {
            Some("run_completed") => true,
            Some("error") => event["fatal"] == true,
            Some("clarification_required") => event["resume_token"].is_string(),
            _ => false,
        };
        let terminal: Vec<usize> = (0..self.all.len()).filter(|index| is_terminal(&self.all[*index])).collect();
        assert_eq!(terminal, [self.all.len() - 1], "{:?}", self.ran);
        assert_eq!(self.is_completed(), self.ran.code == Some(0), "{:?}", self.ran);
    }

    /// The run ended with a report.
    pub(crate) fn is_completed(&self) -> bool {
        self.all.last().unwrap()["event"] == "run_completed"
    }

    /// All events of a name.
    pub(crate) fn of(&self, name: &str) -> Vec<&Map<String, Value>> {
        self.all.iter().filter(|event| event["event"] == name).map(|event| event.as_object().unwrap()).collect()
    }

    /// The one event of a name.
    pub(crate) fn one(&self, name: &str) -> &Map<String, Value> {
        let events = self.of(name);
        assert_eq!(events.len(), 1, "{name}: {:?}", self.ran.stderr);
        events[0]
    }

    /// The report.
    pub(crate) fn report(&self) -> &str {
        self.one("report_end")["report"].as_str().unwrap()
    }

    /// What the run took and gave.
    pub(crate) fn stats(&self) -> &Value {
        &self.one("run_completed")["stats"]
    }

    /// The ids of all sources, in the order in which they came.
    pub(crate) fn sources(&self) -> Vec<String> {
        self.of("sources")
            .iter()
            .flat_map(|event| event["sources"].as_array().unwrap())
            .map(|source| source["id"].as_str().unwrap().to_string())
            .collect()
    }

    /// The arguments of all tool calls.
    pub(crate) fn calls(&self) -> Vec<&Map<String, Value>> {
        self.of("tool_call").iter().map(|event| event["arguments"].as_object().unwrap()).collect()
    }

    /// The filters of a call, parsed.
    pub(crate) fn filters(call: &Map<String, Value>) -> Value {
        call.get("filters").map_or(Value::Null, |filters| serde_json::from_str(filters.as_str().unwrap()).unwrap())
    }

    /// The counts of the aggregation by this field (or by several, joined by commas).
    pub(crate) fn buckets(&self, field: &str) -> Vec<(Value, u64)> {
        let aggregation = self.of("aggregation").into_iter().find(|event| event["field"] == field);
        let buckets = aggregation.unwrap_or_else(|| panic!("no aggregation by {field}"))["buckets"].as_array().unwrap();
        buckets.iter().map(|bucket| (bucket["key"].clone(), bucket["doc_count"].as_u64().unwrap())).collect()
    }

    /// The terminal error.
    pub(crate) fn error(&self) -> &Value {
        let last = self.all.last().unwrap();
        assert_eq!(last["event"], "error", "{:?}", self.ran);
        last
    }

    /// Text of the terminal error.
    pub(crate) fn message(&self) -> &str {
        self.error()["message"].as_str().unwrap()
    }
}

/// RFC 3339 in UTC with milliseconds.
fn is_time(text: &str) -> bool {
    let form: String = text.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    form == "0000-00-00T00:00:00.000Z"
}
