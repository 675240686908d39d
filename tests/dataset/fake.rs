//! A data tool in this process: so many records, any delay, and a count of how many calls overlap.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use research_mcp::{BoxFuture, CallOutput, McpError, Object, Tool, ToolListing, ToolSource};
use serde_json::{Value, json};

/// A tool over records with the ids `0` to `total - 1`.
pub struct FakeTool {
    name: String,
    total: usize,
    delay: fn(usize) -> Duration,
    pub calls: AtomicUsize,
    pub listings: AtomicUsize,
    running: AtomicUsize,
    pub overlap: AtomicUsize,
}

impl FakeTool {
    pub fn new(name: &str, total: usize) -> Self {
        Self {
            name: name.into(),
            total,
            delay: |_| Duration::ZERO,
            calls: AtomicUsize::new(0),
            listings: AtomicUsize::new(0),
            running: AtomicUsize::new(0),
            overlap: AtomicUsize::new(0),
        }
    }

    /// Waits before the answer to the n-th call.
    pub fn delay(mut self, delay: fn(usize) -> Duration) -> Self {
        self.delay = delay;
        self
    }

    fn answer(&self, arguments: &Object) -> Value {
        let size = arguments.get("page_size").and_then(Value::as_u64).unwrap_or(20).min(100) as usize;
        let from = arguments.get("search_after").and_then(|cursor| cursor[0].as_u64()).unwrap_or(0) as usize;
        let to = (from + size).min(self.total);
        let documents: Vec<Value> = (from..to).map(|id| json!({"id": id, "parity": parity(id)})).collect();
        let even = self.total.div_ceil(2);
        let mut result = json!({
            "data_context": {"unique_ids_matched": self.total},
            "documents": documents,
            "has_more": to < self.total,
            "search_after": [to],
        });
        if arguments.contains_key("group_by") {
            let buckets = json!([{"key": "even", "doc_count": even}, {"key": "odd", "doc_count": self.total - even}]);
            result["aggregations"] = json!({"group_by": {"field": "parity", "buckets": buckets}});
        }
        result
    }
}

fn parity(id: usize) -> &'static str {
    if id.is_multiple_of(2) { "even" } else { "odd" }
}

impl ToolSource for FakeTool {
    fn list_tools(&self) -> BoxFuture<'_, Result<ToolListing, McpError>> {
        self.listings.fetch_add(1, Ordering::SeqCst);
        let fields = json!({"parity": {"type": "string", "enum": ["even", "odd"]}, "id": {"type": "integer"}});
        let schema = json!({"type": "object", "properties": {
            "filters": {"type": "string", "contentSchema": {"type": "object", "properties": fields}},
            "group_by": {"type": "string"}, "page_size": {"type": "integer"}, "search_after": {"type": "array"}
        }});
        let tool = Tool::new("fake", &self.name, schema.as_object().unwrap().clone());
        Box::pin(async move { Ok(ToolListing::new(vec![tool])) })
    }

    fn call_tool<'a>(&'a self, name: &'a str, arguments: Object) -> BoxFuture<'a, Result<CallOutput, McpError>> {
        Box::pin(async move {
            let call = self.calls.fetch_add(1, Ordering::SeqCst);
            let running = self.running.fetch_add(1, Ordering::SeqCst) + 1;
            self.overlap.fetch_max(running, Ordering::SeqCst);
            tokio::time::sleep((self.delay)(call)).await;
            self.running.fetch_sub(1, Ordering::SeqCst);
            Ok(CallOutput::structured("fake", name, self.answer(&arguments)))
        })
    }
}
