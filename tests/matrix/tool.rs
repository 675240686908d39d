//! A data tool over numbered records that fails in one way, dresses its results in one shape, and remembers every call.

use std::sync::Mutex;
use std::time::Duration;

use research_mcp::{BoxFuture, CallOutput, McpError, Object, Operation, Tool, ToolListing, ToolSource};
use serde_json::{Value, json};

use crate::shapes::Shape;
use crate::walk::PAGE;

/// Name of the tool.
pub const NAME: &str = "list_numbers";

/// What is wrong with a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Nothing.
    None,
    /// Every page begins with documents of the page before.
    Overlap,
    /// Every page gives the cursor of the first.
    RepeatedCursor,
    /// It claims more for ever, and begins anew after the last record.
    Endless,
    /// The second page is empty, and it claims more.
    EmptyPage,
    /// The second call comes too soon, and is told when to come again.
    SlowDown,
    /// The service behind it breaks down, at the second call alone or from there on.
    ServerError(Times),
    /// No answer comes in time, likewise.
    Timeout(Times),
    /// The answer ends in the middle of its JSON, likewise.
    CutJson(Times),
    /// The result is an error and is not marked as one, likewise.
    ErrorAsResult(Times),
}

/// How often a call fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Times {
    Once,
    Always,
}

/// One call: the page size that was asked for, and the cursor.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    pub size: usize,
    pub cursor: Value,
}

/// The tool.
pub struct Numbers {
    total: usize,
    fault: Fault,
    shape: Shape,
    /// It says how many match.
    told: bool,
    calls: Mutex<Vec<Call>>,
}

impl Numbers {
    pub fn new(total: usize, fault: Fault, shape: Shape, told: bool) -> Self {
        Self { total, fault, shape, told, calls: Mutex::default() }
    }

    /// The calls so far.
    pub fn calls(&self) -> Vec<Call> {
        self.calls.lock().unwrap().clone()
    }

    fn failure(&self, call: usize) -> Option<Result<CallOutput, McpError>> {
        let (server, tool) = ("numbers".to_owned(), NAME.to_owned());
        let fails = |times| call == 1 || (call > 1 && times == Times::Always);
        match self.fault {
            Fault::SlowDown if call == 1 => {
                Some(Ok(CallOutput::error(server, tool, "429 Too Many Requests. Retry-After: 0.01")))
            }
            Fault::ServerError(times) if fails(times) => {
                Some(Ok(CallOutput::error(server, tool, "upstream: HTTP 500 Internal Server Error")))
            }
            Fault::Timeout(times) if fails(times) => Some(Err(McpError::Timeout {
                server,
                tool: Some(tool),
                operation: Operation::Call,
                limit: Duration::from_secs(60),
                stderr: String::new(),
            })),
            Fault::CutJson(times) if fails(times) => {
                let whole = self.page(PAGE, &Value::Null, call).to_string();
                Some(Ok(self.shape.cut(&server, &tool, &whole[..whole.len() / 2])))
            }
            Fault::ErrorAsResult(times) if fails(times) => {
                let error = self.shape.wrap(json!({"error": "upstream: HTTP 503 Service Unavailable"}));
                Some(Ok(self.shape.output(&server, &tool, error)))
            }
            _ => None,
        }
    }

    /// The result for a page, in its place but without an envelope.
    fn page(&self, size: usize, cursor: &Value, call: usize) -> Value {
        let asked = cursor.get(0).and_then(Value::as_u64).map_or(0, |at| usize::try_from(at).unwrap());
        let (mut from, mut to) = (asked, (asked + size).min(self.total));
        let mut has_more = to < self.total;
        let mut next = json!([to]);
        match self.fault {
            // At least half of every page is new.
            Fault::Overlap => {
                from = asked.saturating_sub((size / 2).min(10));
                to = (from + size).min(self.total);
                has_more = to < self.total;
                next = json!([to]);
            }
            Fault::RepeatedCursor if call > 0 => next = cursor.clone(),
            Fault::Endless => {
                from = if asked >= self.total { 0 } else { asked };
                to = (from + size).min(self.total);
                has_more = true;
                next = json!([asked + size]);
            }
            Fault::EmptyPage if call == 1 => {
                to = from;
                has_more = true;
                next = json!([asked + 1]);
            }
            _ => {}
        }
        let records = (from..to).map(record).collect();
        self.shape.dress(records, self.total, self.told, has_more, next)
    }
}

/// A record of its own id, title and address.
fn record(number: usize) -> Value {
    json!({
        "id": format!("n{number}"),
        "title": format!("Number {number}"),
        "url": format!("https://numbers.example/{number}"),
        "parity": if number.is_multiple_of(2) { "even" } else { "odd" }
    })
}

impl ToolSource for Numbers {
    fn list_tools(&self) -> BoxFuture<'_, Result<ToolListing, McpError>> {
        let schema = json!({"type": "object", "properties": {
            "filters": {"type": "string"}, "page_size": {"type": "integer"}, "search_after": {"type": "array"}
        }});
        let tool = Tool::new("numbers", NAME, schema.as_object().unwrap().clone());
        Box::pin(async move { Ok(ToolListing::new(vec![tool])) })
    }

    fn call_tool<'a>(&'a self, _: &'a str, arguments: Object) -> BoxFuture<'a, Result<CallOutput, McpError>> {
        let size = arguments.get("page_size").and_then(Value::as_u64).map_or(20, |size| usize::try_from(size).unwrap());
        let cursor = arguments.get("search_after").cloned().unwrap_or_default();
        let mut calls = self.calls.lock().unwrap();
        let number = calls.len();
        calls.push(Call { size, cursor: cursor.clone() });
        let answer = self.failure(number).unwrap_or_else(|| {
            let page = self.page(size.min(PAGE), &cursor, number);
            Ok(self.shape.output("numbers", NAME, self.shape.wrap(page)))
        });
        Box::pin(async move { answer })
    }
}
