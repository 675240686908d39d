//! A tool source that counts calls and shows them as events.

use std::time::Instant;

use research_mcp::{BoxFuture, CallOutput, McpError, ToolListing, ToolSource, envelope};

use super::effects::Undone;
use super::event::DatasetEventKind;
use super::record::Object;
use super::services::DatasetCx;
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
            let tool = name.to_owned();
            self.cx.emit(DatasetEventKind::ToolCall { tool: tool.clone(), arguments: arguments.clone() });
            self.cx.count(Usage { mcp_calls: 1, ..Usage::default() });
            let start = Instant::now();
            let result = self.once(name, arguments).await;
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

impl RecordedTools {
    /// Calls the tool, or gives what it gave before the run was interrupted. An error that the tool reports is asked for again.
    async fn once(&self, name: &str, arguments: Object) -> Result<CallOutput, McpError> {
        let what = format!("tool {name}");
        let with = arguments.clone();
        let call = async {
            match self.cx.services().tools.call_tool(name, arguments).await {
                Ok(output) if !output.is_error => Ok(output),
                failed => Err(failed),
            }
        };
        match self.cx.once(&what, &with, call).await {
            Ok(output) => Ok(output),
            Err(Undone::Failed(failed)) => failed,
            Err(Undone::Unrecorded(error)) => Err(McpError::NoServer { reasons: vec![error.to_string()] }),
        }
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
