//! Calls a tool within time and size limits, and cancels the call at the server when the caller lets go.

mod answer;
mod input;
mod overflow;

use std::io::{self, Write};
use std::time::Instant;

use rmcp::model::{CallToolRequest, CallToolRequestParams, CallToolResult, ClientRequest, ServerResult};
use serde::Serialize;
use serde_json::Value;

use self::answer::{Patience, Unanswered};
use self::input::{ROUNDS, with_answers};
use super::link::Connection;
use crate::elicit::Answers;
use crate::error::{McpError, Operation};
use crate::options::CallOptions;
use crate::output::{CallOutput, Content};
use crate::policy::{InvalidResults, Overflow};
use crate::tool::Object;

/// How one request of a call ended.
enum Round {
    Result(Box<CallOutput>),
    /// The server wants input first, and says in this result which.
    InputRequired(Value),
}

/// A call without a result.
pub(crate) struct FailedCall {
    pub(crate) error: McpError,
    /// Whether the server cannot have seen it.
    pub(crate) is_unsent: bool,
}

impl From<McpError> for FailedCall {
    fn from(error: McpError) -> Self {
        Self { error, is_unsent: false }
    }
}

impl Connection {
    /// Calls a tool by the server's own name for it.
    pub(crate) async fn call(
        &self,
        tool: &str,
        arguments: &Object,
        options: &CallOptions,
    ) -> Result<CallOutput, FailedCall> {
        let started = Instant::now();
        let quiet = options.limit.unwrap_or(self.limits.call);
        let total = options.total.unwrap_or(self.limits.call_total.max(quiet));
        let patience = Patience::new(quiet, total);
        let mut answers = options.answers.clone();
        for round in 0..ROUNDS {
            let asked = self.round(tool, arguments, answers.as_ref(), patience, options.label.as_deref()).await;
            // A server that asked for input has seen the call.
            match asked.map_err(|failed| FailedCall { is_unsent: failed.is_unsent && round == 0, ..failed })? {
                Round::Result(output) => {
                    let output = CallOutput { elapsed: started.elapsed(), ..*output };
                    return Ok(self.judged(output, options, patience).await?);
                }
                Round::InputRequired(asked) => answers = Some(self.input(tool, &asked, patience).await?),
            }
        }
        Err(self.unusable(tool, "it asks the user again and again").into())
    }

    /// One request and its answer.
    async fn round(
        &self,
        tool: &str,
        arguments: &Object,
        answers: Option<&Answers>,
        patience: Patience,
        label: Option<&str>,
    ) -> Result<Round, FailedCall> {
        let params = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments.clone());
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(with_answers(params, answers)));
        let output = match self.answer(request, tool, patience, label).await {
            Ok(ServerResult::CallToolResult(result)) => self.typed(tool, result),
            Ok(ServerResult::InputRequiredResult(asked)) => {
                return Ok(Round::InputRequired(serde_json::to_value(asked).unwrap_or_default()));
            }
            // The SDK does not know every form of a question.
            Ok(ServerResult::CustomResult(raw))
                if raw.0.get("resultType").is_some_and(|kind| kind == "input_required") =>
            {
                return Ok(Round::InputRequired(raw.0));
            }
            Ok(ServerResult::CustomResult(raw)) => self.raw(tool, raw.0)?,
            Ok(ServerResult::CreateTaskResult(_)) => {
                return Err(self
                    .unusable(tool, "it started a background task, which this client did not ask for")
                    .into());
            }
            Ok(_) => return Err(self.unusable(tool, "the answer is no tool result").into()),
            Err(Unanswered { error, id }) => {
                let error = self.error(error, Operation::Call, Some(tool)).await;
                // Only now: how the process ended was waited for.
                let is_unsent = error.is_closed() && self.cannot_have(id.as_ref());
                return Err(FailedCall { error, is_unsent });
            }
        };
        Ok(Round::Result(Box::new(output)))
    }

    /// The result, if it is as it should be. Its size is looked at before anything is computed from it.
    async fn judged(
        &self,
        mut output: CallOutput,
        options: &CallOptions,
        patience: Patience,
    ) -> Result<CallOutput, McpError> {
        let limit = options.result_bytes.unwrap_or(self.limits.result_bytes);
        let overflow = options.overflow.unwrap_or(self.rules.overflow);
        let store = self.artifacts.as_ref().filter(|_| overflow == Overflow::Keep);
        let is_large = output.bytes > limit;
        if is_large && store.is_none() {
            return Err(too_large(output, limit));
        }

        #[cfg(feature = "validate")]
        {
            output.invalid = self.violation(&mut output, patience).await?;
        }
        #[cfg(not(feature = "validate"))]
        let _ = patience;
        if let Some(reason) = output.invalid.take_if(|_| self.rules.invalid_results == InvalidResults::Refuse) {
            return Err(McpError::InvalidResult { server: output.server, tool: output.tool, reason });
        }

        match store {
            Some(store) if is_large => match overflow::kept(&output, limit, &**store).await {
                Some(kept) => Ok(kept),
                None => Err(too_large(output, limit)),
            },
            _ => Ok(output),
        }
    }

    /// Where a result does not match what its tool promises, found out within the limits of the call.
    #[cfg(feature = "validate")]
    async fn violation(&self, output: &mut CallOutput, patience: Patience) -> Result<Option<String>, McpError> {
        let quiet = tokio::time::Instant::now() + patience.quiet;
        let (until, limit) =
            if quiet < patience.hard { (quiet, patience.quiet) } else { (patience.hard, patience.total) };
        match tokio::time::timeout_at(until, self.promises.violation(output)).await {
            Ok(found) => Ok(found),
            Err(_) => Err(McpError::Timeout {
                server: self.server.clone(),
                tool: Some(output.tool.clone()),
                operation: Operation::Call,
                limit,
                stderr: String::new(),
            }),
        }
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
        let content = result.content.into_iter().map(Content::typed).collect();
        self.output(tool, content, result.structured_content, result.is_error)
    }

    /// A result that the SDK does not know as one, because of a content block of a new or malformed kind.
    fn raw(&self, tool: &str, mut result: Value) -> Result<CallOutput, McpError> {
        let Some(Value::Array(blocks)) = result.get_mut("content").map(Value::take) else {
            return Err(self.unusable(tool, "the answer is no tool result"));
        };
        let content = blocks.into_iter().map(Content::raw).collect();
        let is_error = result.get("isError").and_then(Value::as_bool);
        let structured = result.get_mut("structuredContent").map(Value::take).filter(|content| !content.is_null());
        Ok(self.output(tool, content, structured, is_error))
    }

    fn output(
        &self,
        tool: &str,
        content: Vec<Content>,
        structured: Option<Value>,
        is_error: Option<bool>,
    ) -> CallOutput {
        let texts: Vec<&str> = content.iter().filter_map(Content::as_text).collect();
        let mut output = CallOutput::text(&self.server, tool, texts.join("\n"));
        // Text that only repeats the structured content does not count twice.
        let blocks = content.iter().map(Content::bytes).sum::<usize>();
        output.bytes = blocks.max(structured.as_ref().map_or(0, json_bytes));
        output.content = content;
        output.structured = structured;
        output.is_error = is_error.unwrap_or(false);
        output
    }
}

fn too_large(output: CallOutput, limit: usize) -> McpError {
    McpError::TooLarge { server: output.server, tool: output.tool, bytes: output.bytes, limit }
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
