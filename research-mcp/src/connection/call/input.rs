//! What a server of MCP 2026-07-28 wants to know before it goes on with a call.

use std::collections::BTreeMap;
use std::time::Duration;

use rmcp::model::CallToolRequestParams;
use serde_json::Value;
use tokio::time::{sleep, timeout_at};

use super::answer::Patience;
use crate::connection::link::Connection;
use crate::elicit::{Answers, InputRequired};
use crate::error::{McpError, Operation};

/// How often a server may ask before one call has to end. As many as the SDKs allow.
pub(super) const ROUNDS: usize = 10;

/// Before a call is made again of a server that only wants to be asked again.
const PAUSE: Duration = Duration::from_millis(250);

impl Connection {
    /// The answers with which the call goes on.
    pub(super) async fn input(&self, tool: &str, result: &Value, patience: Patience) -> Result<Answers, McpError> {
        let required = InputRequired::read(&self.server, tool, result).map_err(|reason| self.unusable(tool, reason))?;
        if required.questions.is_empty() {
            sleep(PAUSE).await;
            return Ok(required.answered(BTreeMap::new()));
        }
        let Some(elicitor) = self.asks.now.as_ref().filter(|_| !self.asks.later) else {
            let (server, tool) = (self.server.clone(), tool.to_owned());
            return Err(McpError::InputRequired { server, tool, required: Box::new(required) });
        };
        let mut answers = BTreeMap::new();
        for (key, question) in &required.questions {
            let Ok(answer) = timeout_at(patience.hard, elicitor.ask(question.clone())).await else {
                return Err(McpError::Timeout {
                    server: self.server.clone(),
                    tool: Some(tool.to_owned()),
                    operation: Operation::Call,
                    limit: patience.total,
                    stderr: String::new(),
                });
            };
            answers.insert(key.clone(), answer);
        }
        Ok(required.answered(answers))
    }
}

/// Puts answers into a call.
pub(super) fn with_answers(mut params: CallToolRequestParams, answers: Option<&Answers>) -> CallToolRequestParams {
    if let Some(Answers { answers, state }) = answers {
        params.request_state.clone_from(state);
        let responses: BTreeMap<_, _> = answers.iter().map(|(key, answer)| (key.clone(), answer.to_wire())).collect();
        params.input_responses = (!responses.is_empty()).then_some(responses);
    }
    params
}
