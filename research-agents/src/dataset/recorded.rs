//! A tool source that counts calls and shows them as events.

use std::time::Instant;

use research_mcp::{BoxFuture, CallOutput, McpError, ToolListing, ToolSource, envelope};

use super::event::DatasetEventKind;
use super::record::Object;
use super::services::DatasetCx;
use super::tool_arguments::ToolArguments;
use crate::kernel::Usage;

/// The tools of a run as its nodes and agents see them.
pub(super) struct RecordedTools {
    cx: DatasetCx,
}

impl RecordedTools {
    pub(super) fn new(cx: DatasetCx) -> Self {
        Self { cx }
    }
}

impl ToolSource for RecordedTools {
    fn list_tools(&self) -> BoxFuture<'_, Result<ToolListing, McpError>> {
        self.cx.services().tools.list_tools()
    }

    fn call_tool<'a>(&'a self, name: &'a str, arguments: Object) -> BoxFuture<'a, Result<CallOutput, McpError>> {
        Box::pin(async move {
            if !self.cx.may_fetch() {
                let reasons = vec!["this sub-agent does not fetch data by its card, so it has no tools".to_owned()];
                return Err(McpError::NoServer { reasons });
            }
            // A plan's words become the tool's own here, so that events show what is sent.
            let arguments = ToolArguments::of(self.cx.state().listed_tool(name)).spoken(arguments);
            let tool = name.to_owned();
            self.cx.emit(DatasetEventKind::ToolCall { tool: tool.clone(), arguments: arguments.clone() });
            self.cx.count(Usage { mcp_calls: 1, ..Usage::default() });
            let start = Instant::now();
            let result = self.cx.services().tools.call_tool(name, arguments).await;
            let ms = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
            let (ok, summary) = match &result {
                Ok(output) => (!output.is_error, summary(output)),
                Err(error) => (false, error.to_string()),
            };
            self.cx.emit(DatasetEventKind::ToolResult { tool, ok, ms, summary });
            result
        })
    }
}

/// What came, in words: the number of matching records and of groups, or the error.
fn summary(output: &CallOutput) -> String {
    let value = match output.json() {
        Ok(value) => value,
        Err(error) => return error.to_string(),
    };
    let matched = envelope::data_context(&value).unique_ids_matched;
    let groups: usize = envelope::aggregations(&value).iter().map(|found| found.buckets.len()).sum();
    let mut parts = Vec::new();
    parts.extend(matched.map(|matched| match matched {
        1 => "1 record matches".to_owned(),
        matched => format!("{matched} records match"),
    }));
    if groups > 0 {
        parts.push(if groups == 1 { "1 group".to_owned() } else { format!("{groups} groups") });
    }
    parts.push(format!("{} bytes", output.bytes));
    parts.join(", ")
}
