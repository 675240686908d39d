//! A data tool that fails at some of its calls, in the ways in which tools fail.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use research_mcp::{BoxFuture, CallOutput, McpError, Object, Operation, ToolListing, ToolSource};
use serde_json::Value;

use crate::fake::FakeTool;

/// How a call fails.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fault {
    /// The service behind the tool asks to slow down, for so long.
    TooManyRequests(&'static str),
    /// The service behind the tool broke down.
    ServerError,
    /// No answer came in time.
    Timeout,
    /// The answer ends in the middle of its JSON.
    CutJson,
    /// The server is gone.
    Closed,
    /// The answer is larger than the limit.
    TooLarge,
    /// The tool does not want to.
    Refusal,
}

/// The faults that pass.
pub const PASSING: &[Fault] = &[
    Fault::TooManyRequests("429 Too Many Requests"),
    Fault::TooManyRequests("HTTP 429; Retry-After: 0"),
    Fault::ServerError,
    Fault::Timeout,
    Fault::CutJson,
    Fault::Closed,
    Fault::TooLarge,
];

/// A tool over numbered records some of whose calls fail.
pub struct Flaky {
    inner: FakeTool,
    fails: Box<dyn Fn(usize) -> Option<Fault> + Send + Sync>,
    calls: AtomicUsize,
    /// The arguments of all calls that were answered.
    pub served: Mutex<Vec<Object>>,
    /// The arguments of all calls.
    pub asked: Mutex<Vec<Object>>,
}

impl Flaky {
    /// So many records; `fails` says of each call, counted from 0, whether it fails.
    pub fn new(total: usize, fails: impl Fn(usize) -> Option<Fault> + Send + Sync + 'static) -> Self {
        Self {
            inner: FakeTool::new("analyze_events", total),
            fails: Box::new(fails),
            calls: AtomicUsize::new(0),
            served: Mutex::default(),
            asked: Mutex::default(),
        }
    }

    /// The cursors of the pages that were delivered; the call that groups is none.
    pub fn cursors(&self) -> Vec<Value> {
        let served = self.served.lock().unwrap();
        let pages = served.iter().filter(|arguments| !arguments.contains_key("group_by"));
        pages.map(|arguments| arguments.get("search_after").cloned().unwrap_or_default()).collect()
    }
}

fn failure(fault: Fault) -> Result<CallOutput, McpError> {
    let (server, tool) = ("fake".to_owned(), "analyze_events".to_owned());
    match fault {
        Fault::TooManyRequests(words) => Ok(CallOutput::error(server, tool, words)),
        Fault::ServerError => Ok(CallOutput::error(server, tool, "upstream: HTTP 500 Internal Server Error")),
        Fault::Refusal => Ok(CallOutput::error(server, tool, "no such field `x`")),
        Fault::CutJson => Ok(CallOutput::text(
            server,
            tool,
            r#"{"data_context": {"unique_ids_matched": 165}, "documents": [{"id": 1}, {"i"#,
        )),
        Fault::Timeout => Err(McpError::Timeout {
            server,
            tool: Some(tool),
            operation: Operation::Call,
            limit: Duration::from_secs(60),
            stderr: String::new(),
        }),
        Fault::Closed => Err(McpError::Closed {
            server,
            tool: Some(tool),
            reason: "the server was killed".to_owned(),
            stderr: String::new(),
        }),
        Fault::TooLarge => Err(McpError::TooLarge { server, tool, bytes: 2_000, limit: 1_000 }),
    }
}

impl ToolSource for Flaky {
    fn list_tools(&self) -> BoxFuture<'_, Result<ToolListing, McpError>> {
        self.inner.list_tools()
    }

    fn call_tool<'a>(&'a self, name: &'a str, arguments: Object) -> BoxFuture<'a, Result<CallOutput, McpError>> {
        self.asked.lock().unwrap().push(arguments.clone());
        let call = self.calls.fetch_add(1, Ordering::SeqCst);
        match (self.fails)(call) {
            Some(fault) => Box::pin(async move { failure(fault) }),
            None => {
                self.served.lock().unwrap().push(arguments.clone());
                self.inner.call_tool(name, arguments)
            }
        }
    }
}
