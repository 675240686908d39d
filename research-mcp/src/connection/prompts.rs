//! Prompts of a server: listed and filled in.

use rmcp::model::{
    ClientRequest, GetPromptRequest, GetPromptRequestParams, ListPromptsRequest, PaginatedRequestParams,
    RequestOptionalParam, ServerResult,
};
use serde_json::Value;

use super::link::Connection;
use super::resources::text;
use super::walk::{ListPage, Unusable};
use crate::error::{McpError, Operation};
use crate::output::Content;
use crate::resource::{PromptArgument, PromptInfo, PromptMessage};
use crate::tool::Object;

impl Connection {
    /// Lists the prompts.
    pub(crate) async fn prompts(&self) -> Result<Vec<PromptInfo>, McpError> {
        let request = |cursor: Option<String>| {
            let params = cursor.map(|cursor| PaginatedRequestParams::default().with_cursor(Some(cursor)));
            let request: ListPromptsRequest = RequestOptionalParam { params, ..RequestOptionalParam::default() };
            ClientRequest::ListPromptsRequest(request)
        };
        let page = |answer| match answer {
            ServerResult::ListPromptsResult(result) => ListPage::typed(&result.prompts, result.next_cursor),
            other => ListPage::raw(other, "prompts"),
        };
        let listed = self.walk(request, page).await?;
        Ok(self.usable("prompts", &listed, |entry| {
            let arguments = match entry.get("arguments") {
                None | Some(Value::Null) => Vec::new(),
                Some(Value::Array(arguments)) => arguments.iter().map(argument).collect::<Result<_, _>>()?,
                Some(_) => return Err("its arguments are no list"),
            };
            Ok(PromptInfo {
                server: self.server.clone(),
                name: text(entry, "name").ok_or("it has no name")?,
                title: text(entry, "title"),
                description: text(entry, "description"),
                arguments,
            })
        }))
    }

    /// Fills in a prompt.
    pub(crate) async fn prompt(&self, name: &str, arguments: Object) -> Result<Vec<PromptMessage>, McpError> {
        let mut params = GetPromptRequestParams::new(name);
        params.arguments = Some(arguments);
        let request = ClientRequest::GetPromptRequest(GetPromptRequest::new(params));
        let ServerResult::GetPromptResult(result) = self.within(request, Operation::Prompt).await? else {
            return Err(self.no_answer(Operation::Prompt));
        };
        let message = |message: rmcp::model::PromptMessage| PromptMessage {
            role: match serde_json::to_value(message.role) {
                Ok(Value::String(role)) => role,
                _ => String::new(),
            },
            content: Content::typed(message.content),
        };
        Ok(result.messages.into_iter().map(message).collect())
    }
}

fn argument(listed: &Value) -> Result<PromptArgument, Unusable> {
    Ok(PromptArgument {
        name: text(listed, "name").ok_or("one of its arguments has no name")?,
        description: text(listed, "description"),
        required: listed.get("required").and_then(Value::as_bool).unwrap_or(false),
    })
}
