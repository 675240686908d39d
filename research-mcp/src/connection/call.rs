//! Calls a tool within time and size limits, and cancels the call at the server when the caller lets go.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use rmcp::RoleClient;
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CallToolResult, CancelledNotification, CancelledNotificationParam,
    ClientRequest, ContentBlock, RequestId, ResourceContents, ServerResult,
};
use rmcp::service::{Peer, PeerRequestOptions, ServiceError};
use serde::Serialize;
use serde_json::Value;
use tokio::time::timeout;

use super::link::Connection;
use crate::error::{McpError, Operation};
use crate::output::CallOutput;
use crate::tool::Object;

impl Connection {
    /// Calls a tool by the server's own name for it.
    pub(crate) async fn call(&self, tool: &str, arguments: Object) -> Result<CallOutput, McpError> {
        let started = Instant::now();
        // At its time limit the SDK first tells the server, and hangs when that does not read; so a limit of our own stands behind it.
        let limit = self.limits.call_total;
        let outcome =
            timeout(limit, self.answer(tool, arguments)).await.unwrap_or(Err(ServiceError::Timeout { timeout: limit }));
        let mut output = match outcome {
            Ok(ServerResult::CallToolResult(result)) => self.typed(tool, result),
            Ok(ServerResult::CustomResult(raw)) => self.raw(tool, raw.0)?,
            Ok(ServerResult::InputRequiredResult(_)) => {
                return Err(self.unusable(tool, "it asks the user a question, which this client does not offer"));
            }
            Ok(ServerResult::CreateTaskResult(_)) => {
                return Err(self.unusable(tool, "it started a background task, which this client did not ask for"));
            }
            Ok(_) => return Err(self.unusable(tool, "the answer is no tool result")),
            Err(error) => return Err(self.error(error, Operation::Call, Some(tool)).await),
        };
        output.elapsed = started.elapsed();
        if output.bytes > self.limits.result_bytes {
            return Err(McpError::TooLarge {
                server: self.server.clone(),
                tool: tool.to_owned(),
                bytes: output.bytes,
                limit: self.limits.result_bytes,
            });
        }
        Ok(output)
    }

    async fn answer(&self, tool: &str, arguments: Object) -> Result<ServerResult, ServiceError> {
        let params = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
        let options = PeerRequestOptions::with_timeout(self.limits.call)
            .reset_timeout_on_progress()
            .with_max_total_timeout(self.limits.call_total);
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
        let handle = self.peer.send_cancellable_request(request, options).await?;
        let _known = self.calls.remember(handle.progress_token.clone(), tool);
        let mut guard = CancelOnDrop { peer: self.peer.clone(), id: Some(handle.id.clone()) };
        let answer = handle.await_response().await;
        guard.id = None;
        answer
    }

    fn unusable(&self, tool: &str, reason: &str) -> McpError {
        McpError::Protocol {
            server: self.server.clone(),
            tool: Some(tool.to_owned()),
            operation: Operation::Call,
            code: None,
            reason: reason.to_owned(),
        }
    }

    fn typed(&self, tool: &str, result: CallToolResult) -> CallOutput {
        let mut output = CallOutput::text(&self.server, tool, "");
        let mut texts = Vec::new();
        for block in result.content {
            match block {
                ContentBlock::Text(block) => texts.push(block.text),
                ContentBlock::Resource(block) => match block.resource {
                    ResourceContents::TextResourceContents { text, .. } => texts.push(text),
                    _ => output.skipped.push("resource".to_owned()),
                },
                ContentBlock::Image(_) => output.skipped.push("image".to_owned()),
                ContentBlock::Audio(_) => output.skipped.push("audio".to_owned()),
                ContentBlock::ResourceLink(_) => output.skipped.push("resource_link".to_owned()),
                _ => output.skipped.push("unknown".to_owned()),
            }
        }
        self.fill(output, texts, result.structured_content, result.is_error)
    }

    /// A result that the SDK does not know as one, because of a content block of a new or malformed kind.
    fn raw(&self, tool: &str, mut result: Value) -> Result<CallOutput, McpError> {
        let Some(blocks) = result.get("content").and_then(Value::as_array) else {
            return Err(self.unusable(tool, "the answer is no tool result"));
        };
        let mut output = CallOutput::text(&self.server, tool, "");
        let mut texts = Vec::new();
        for block in blocks {
            let text = block.get("text").or_else(|| block.pointer("/resource/text")).and_then(Value::as_str);
            match text {
                Some(text) => texts.push(text.to_owned()),
                None => output.skipped.push(block.get("type").and_then(Value::as_str).unwrap_or("unknown").to_owned()),
            }
        }
        let is_error = result.get("isError").and_then(Value::as_bool);
        let structured = result.get_mut("structuredContent").map(Value::take).filter(|content| !content.is_null());
        Ok(self.fill(output, texts, structured, is_error))
    }

    fn fill(
        &self,
        mut output: CallOutput,
        texts: Vec<String>,
        structured: Option<Value>,
        is_error: Option<bool>,
    ) -> CallOutput {
        output.text = texts.join("\n");
        // Text that only repeats the structured content does not count twice.
        output.bytes = output.text.len().max(structured.as_ref().map_or(0, json_bytes));
        output.structured = structured;
        output.is_error = is_error.unwrap_or(false);
        output
    }
}

/// Length of a value as JSON, without writing it anywhere.
fn json_bytes(value: &Value) -> usize {
    struct Count(usize);
    impl Write for Count {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut count = Count(0);
    match value.serialize(&mut serde_json::Serializer::new(&mut count)) {
        Ok(()) => count.0,
        Err(_) => usize::MAX,
    }
}

/// Tells the server that nobody waits for the answer any more, unless one came.
struct CancelOnDrop {
    peer: Peer<RoleClient>,
    id: Option<RequestId>,
}

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        let (Some(id), Ok(runtime)) = (self.id.take(), tokio::runtime::Handle::try_current()) else {
            return;
        };
        let peer = self.peer.clone();
        let reason = "the caller no longer waits for the result".to_owned();
        let params = CancelledNotificationParam::new(Some(id), Some(reason));
        runtime.spawn(async move {
            let sent = peer.send_notification(CancelledNotification::new(params).into());
            // The connection may be gone or stuck; then there is nothing to cancel.
            let _ = tokio::time::timeout(Duration::from_secs(5), sent).await;
        });
    }
}
