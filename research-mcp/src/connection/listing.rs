//! Lists the tools of one server, page by page, within limits, and judges each tool by itself.

use std::collections::HashSet;

use rmcp::model::{
    ClientRequest, ErrorCode, ListToolsRequest, PaginatedRequestParams, RequestOptionalParam, ServerResult,
};
use rmcp::service::{PeerRequestOptions, ServiceError};
use serde_json::Value;
use tokio::time::timeout;

use super::link::Connection;
use crate::error::{McpError, Operation};
use crate::source::QuarantinedTool;
use crate::tool::{Object, Tool, ToolHints};

/// The tools of one server, not yet named for the hub.
#[derive(Clone, Debug, Default)]
pub(crate) struct ServerListing {
    pub(crate) tools: Vec<Tool>,
    pub(crate) quarantined: Vec<QuarantinedTool>,
}

struct ListPage {
    tools: Vec<Value>,
    cursor: Option<String>,
}

impl Connection {
    /// Lists the tools. One deadline holds for all pages.
    pub(crate) async fn list(&self) -> Result<ServerListing, McpError> {
        match timeout(self.limits.list, self.pages()).await {
            Ok(outcome) => outcome,
            Err(_) => {
                let error = ServiceError::Timeout { timeout: self.limits.list };
                Err(self.error(error, Operation::List, None).await)
            }
        }
    }

    async fn pages(&self) -> Result<ServerListing, McpError> {
        let mut listing = ServerListing::default();
        let mut seen = HashSet::new();
        let mut cursor = None;
        for _ in 0..self.limits.list_pages {
            let page = self.page(cursor.clone()).await?;
            for tool in page.tools {
                listing.add(&self.server, &tool);
            }
            // An empty string is a cursor like any other; only its absence ends the list.
            cursor = page.cursor;
            match &cursor {
                None => return Ok(listing),
                Some(next) if seen.insert(next.clone()) => {}
                Some(next) => {
                    tracing::warn!(server = self.server, cursor = next, "the tool list repeats a cursor; it ends here");
                    return Ok(listing);
                }
            }
        }
        tracing::warn!(
            server = self.server,
            pages = self.limits.list_pages,
            "the tool list has too many pages; it ends here"
        );
        Ok(listing)
    }

    async fn page(&self, cursor: Option<String>) -> Result<ListPage, McpError> {
        let request: ListToolsRequest = match cursor {
            None => RequestOptionalParam { method: Default::default(), params: None, extensions: Default::default() },
            cursor => RequestOptionalParam::with_param(PaginatedRequestParams::default().with_cursor(cursor)),
        };
        // Not `Peer::list_tools`: that answers from a cache when the server is dead, and fails on one bad tool.
        let sent = self
            .peer
            .send_cancellable_request(
                ClientRequest::ListToolsRequest(request),
                PeerRequestOptions::with_timeout(self.limits.list),
            )
            .await;
        let answer = match sent {
            Ok(handle) => handle.await_response().await,
            Err(error) => Err(error),
        };
        match answer {
            Ok(ServerResult::ListToolsResult(result)) => Ok(ListPage {
                tools: result.tools.iter().filter_map(|tool| serde_json::to_value(tool).ok()).collect(),
                cursor: result.next_cursor,
            }),
            Ok(ServerResult::CustomResult(raw)) => raw_page(raw.0).ok_or_else(|| self.no_list()),
            Ok(_) => Err(self.no_list()),
            Err(ServiceError::McpError(error)) if error.code == ErrorCode::METHOD_NOT_FOUND => {
                Ok(ListPage { tools: Vec::new(), cursor: None })
            }
            Err(error) => Err(self.error(error, Operation::List, None).await),
        }
    }

    fn no_list(&self) -> McpError {
        McpError::Protocol {
            server: self.server.clone(),
            tool: None,
            operation: Operation::List,
            code: None,
            reason: "the answer is no list of tools".to_owned(),
        }
    }
}

fn raw_page(mut raw: Value) -> Option<ListPage> {
    let cursor = raw.get("nextCursor").and_then(Value::as_str).map(str::to_owned);
    match raw.get_mut("tools").map(Value::take) {
        Some(Value::Array(tools)) => Some(ListPage { tools, cursor }),
        _ => None,
    }
}

impl ServerListing {
    fn add(&mut self, server: &str, raw: &Value) {
        let known = raw.get("name").and_then(Value::as_str).filter(|name| !name.is_empty());
        let outcome = match known {
            None => Err("it has no name"),
            Some(name) if self.tools.iter().any(|tool| tool.name == name) => Err("the server lists this name twice"),
            Some(name) => tool(server, name, raw),
        };
        match outcome {
            Ok(tool) => self.tools.push(tool),
            Err(reason) => self.quarantined.push(QuarantinedTool {
                server: server.to_owned(),
                name: known.unwrap_or_default().to_owned(),
                reason: reason.to_owned(),
            }),
        }
    }
}

fn tool(server: &str, name: &str, raw: &Value) -> Result<Tool, &'static str> {
    let text = |key: &str| raw.get(key).and_then(Value::as_str).map(str::to_owned);
    let schema = |key: &str| raw.get(key).filter(|schema| !schema.is_null());
    let input_schema: Object = match schema("inputSchema") {
        Some(Value::Object(schema)) => schema.clone(),
        Some(_) => return Err("its input schema is no object"),
        None => return Err("it has no input schema"),
    };
    if input_schema.get("type").is_some_and(|kind| kind != "object") {
        return Err("its input schema does not describe an object");
    }
    let output_schema = match schema("outputSchema") {
        Some(Value::Object(schema)) => Some(schema.clone()),
        Some(_) => return Err("its output schema is no object"),
        None => None,
    };
    let annotations = raw.get("annotations").filter(|annotations| annotations.is_object());
    let hints = annotations.and_then(|hints| serde_json::from_value::<ToolHints>(hints.clone()).ok());
    let title = annotations.and_then(|hints| hints.get("title")).and_then(Value::as_str);
    Ok(Tool {
        title: text("title").or_else(|| title.map(str::to_owned)),
        description: text("description").unwrap_or_default(),
        output_schema,
        hints: hints.unwrap_or_default(),
        ..Tool::new(server, name, input_schema)
    })
}
