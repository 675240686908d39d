//! The tools. Whether they ask in the middle of the call or end it depends on what the client speaks.

use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ClientResult, ContentBlock, InputRequiredResult,
    ListToolsResult, PaginatedRequestParams, ProgressNotificationParam, ServerCapabilities, ServerConfig,
    ServerRequest, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::{Map, Value, json};
use tokio::sync::Notify;

use crate::Arguments;
use crate::log::CallLog;

/// Names and descriptions; `read` describes itself as it is told.
const TOOLS: [(&str, &str); 8] = [
    ("note", "Writes a note."),
    ("book", "Books a seat. Asks which."),
    ("sign", "Signs in. Asks the user to visit a page."),
    ("plan", "Plans a trip. Asks two things."),
    ("delete_all", "Deletes everything."),
    ("watch", "Reports progress until it is released."),
    ("release", "Releases those who watch."),
    ("much", "Returns much text."),
];

pub(crate) struct AskingServer {
    arguments: Arguments,
    log: Option<CallLog>,
    released: Notify,
}

/// The answers of the user, or the response that asks for them.
enum Asked {
    Answers(Map<String, Value>),
    First(Box<CallToolResponse>),
}

impl AskingServer {
    pub(crate) fn new(arguments: Arguments, log: Option<CallLog>) -> Self {
        Self { arguments, log, released: Notify::new() }
    }

    fn write(&self, entry: &Value) {
        if let Some(log) = &self.log {
            log.write(entry);
        }
    }

    /// Asks the user, as the client's revision of the protocol has it.
    async fn ask(
        &self,
        request: &CallToolRequestParams,
        context: &RequestContext<RoleServer>,
        questions: &[(&str, Value)],
    ) -> Result<Asked, ErrorData> {
        let failed = |error: String| ErrorData::internal_error(error, None);
        let is_old = context.peer.peer_info().is_some_and(|info| info.protocol_version.as_str() < "2026");
        let asking = |params: &Value| json!({"method": "elicitation/create", "params": params});
        if let Some(answers) = &request.input_responses {
            let state = request.request_state.as_deref();
            if state != Some("half-way") {
                return Err(ErrorData::invalid_params(format!("this is not my state: {state:?}"), None));
            }
            let answers = serde_json::to_value(answers).map_err(|error| failed(error.to_string()))?;
            return Ok(Asked::Answers(answers.as_object().cloned().unwrap_or_default()));
        }
        let mut answers = Map::new();
        for (name, params) in questions.iter().filter(|_| is_old) {
            let question: ServerRequest =
                serde_json::from_value(asking(params)).map_err(|error| failed(error.to_string()))?;
            let answer = context.peer.send_request(question).await.map_err(|error| failed(error.to_string()))?;
            let ClientResult::ElicitResult(answer) = answer else { return Err(failed(format!("{answer:?}"))) };
            answers.insert((*name).to_owned(), serde_json::to_value(answer).unwrap_or_default());
        }
        if is_old {
            return Ok(Asked::Answers(answers));
        }
        let requests: Map<String, Value> =
            questions.iter().map(|(name, params)| ((*name).to_owned(), asking(params))).collect();
        let result = json!({"resultType": "input_required", "inputRequests": requests, "requestState": "half-way"});
        let result: InputRequiredResult = serde_json::from_value(result).map_err(|error| failed(error.to_string()))?;
        Ok(Asked::First(Box::new(result.into())))
    }

    async fn watch(&self, context: &RequestContext<RoleServer>) {
        let Some(token) = context.meta.get_progress_token() else { return };
        let released = self.released.notified();
        let mut released = std::pin::pin!(released);
        for number in 1_u32.. {
            let progress = ProgressNotificationParam::new(token.clone(), f64::from(number)).with_message("looking");
            let _ = context.peer.notify_progress(progress).await;
            tokio::select! {
                () = &mut released => return,
                () = tokio::time::sleep(Duration::from_millis(10)) => {}
            }
        }
    }
}

fn form(message: &str, field: &str) -> Value {
    let schema = json!({"type": "object", "properties": {field: {"type": "string"}}, "required": [field]});
    json!({"mode": "form", "message": message, "requestedSchema": schema})
}

fn text(text: impl Into<String>) -> CallToolResponse {
    CallToolResult::success(vec![ContentBlock::text(text)]).into()
}

impl ServerHandler for AskingServer {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let schema = Arc::new(json!({"type": "object"}).as_object().cloned().unwrap_or_default());
        let tool = |name: String, describe: String| Tool::new(name, describe, Arc::clone(&schema));
        let mut tools: Vec<Tool> = TOOLS.iter().map(|(name, says)| tool((*name).into(), (*says).into())).collect();
        tools.push(tool("read".into(), self.arguments.describe.clone()));
        let more = (0..self.arguments.many).map(|n| tool(format!("topic_{n}"), format!("Tells of matter {n}.")));
        tools.extend(more);
        Ok(ListToolsResult::with_all_items(tools))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let name = request.name.to_string();
        self.write(&json!({"call": name, "arguments": request.arguments, "answers": request.input_responses}));
        let questions: &[(&str, Value)] = match name.as_str() {
            "book" => &[("seat", form("Which seat?", "seat"))],
            "sign" => &[(
                "page",
                json!({"mode": "url", "message": "Sign in", "url": "https://sign.example/in", "elicitationId": "e"}),
            )],
            "plan" => &[("from", form("From where?", "place")), ("to", form("Where to?", "place"))],
            _ => &[],
        };
        if !questions.is_empty() {
            return Ok(match self.ask(&request, &context, questions).await? {
                Asked::First(response) => *response,
                Asked::Answers(answers) => {
                    self.write(&json!({"done": name, "answers": answers}));
                    text(Value::Object(answers).to_string())
                }
            });
        }
        Ok(match name.as_str() {
            "note" | "delete_all" => text("done"),
            "read" => text(self.arguments.page.as_str()),
            "watch" => {
                self.watch(&context).await;
                text("seen")
            }
            "release" => {
                self.released.notify_waiters();
                text("released")
            }
            "much" => text("ü".repeat(100_000)),
            name if name.starts_with("topic_") => text(format!("This is {name}.")),
            other => return Err(ErrorData::invalid_params(format!("unknown tool {other}"), None)),
        })
    }
}
