//! Prompts of a server: listed and filled in.

use rmcp::model::{
    ClientRequest, GetPromptRequest, GetPromptRequestParams, ListPromptsRequest, PaginatedRequestParams,
    RequestOptionalParam, ServerResult,
};
use serde_json::Value;

use super::link::Connection;
use super::walk::ListPage;
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
            ServerResult::ListPromptsResult(result) => {
                Some(ListPage { items: result.prompts, cursor: result.next_cursor })
            }
            _ => None,
        };
        let listed = self.walk(request, page).await?;
        let prompt = |listed: rmcp::model::Prompt| PromptInfo {
            server: self.server.clone(),
            name: listed.name,
            title: listed.title,
            description: listed.description,
            arguments: listed.arguments.into_iter().flatten().map(argument).collect(),
        };
        Ok(listed.into_iter().map(prompt).collect())
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

fn argument(listed: rmcp::model::PromptArgument) -> PromptArgument {
    PromptArgument { name: listed.name, description: listed.description, required: listed.required.unwrap_or(false) }
}
