//! Resources of a server: listed and read.

use rmcp::model::{
    ClientRequest, ListResourceTemplatesRequest, ListResourcesRequest, PaginatedRequestParams, ReadResourceRequest,
    ReadResourceRequestParams, RequestOptionalParam, ServerResult,
};
use rmcp::service::ServiceError;
use serde_json::Value;
use tokio::time::timeout;

use super::link::Connection;
use super::walk::ListPage;
use crate::error::{McpError, Operation};
use crate::output::ResourceContent;
use crate::resource::{Resource, ResourceTemplate};

impl Connection {
    /// Lists the resources.
    pub(crate) async fn resources(&self) -> Result<Vec<Resource>, McpError> {
        let request = |cursor: Option<String>| {
            let params = cursor.map(|cursor| PaginatedRequestParams::default().with_cursor(Some(cursor)));
            let request: ListResourcesRequest = RequestOptionalParam { params, ..RequestOptionalParam::default() };
            ClientRequest::ListResourcesRequest(request)
        };
        let page = |answer| match answer {
            ServerResult::ListResourcesResult(result) => ListPage::typed(&result.resources, result.next_cursor),
            other => ListPage::raw(other, "resources"),
        };
        let listed = self.walk(request, page).await?;
        Ok(self.usable("resources", &listed, |entry| {
            let uri = text(entry, "uri").ok_or("it has no address")?;
            Ok(Resource {
                server: self.server.clone(),
                name: text(entry, "name").unwrap_or_else(|| uri.clone()),
                uri,
                title: text(entry, "title"),
                description: text(entry, "description"),
                media_type: text(entry, "mimeType"),
                size: entry.get("size").and_then(Value::as_u64),
            })
        }))
    }

    /// Lists the patterns of addresses.
    pub(crate) async fn resource_templates(&self) -> Result<Vec<ResourceTemplate>, McpError> {
        let request = |cursor: Option<String>| {
            let params = cursor.map(|cursor| PaginatedRequestParams::default().with_cursor(Some(cursor)));
            let request: ListResourceTemplatesRequest =
                RequestOptionalParam { params, ..RequestOptionalParam::default() };
            ClientRequest::ListResourceTemplatesRequest(request)
        };
        let page = |answer| match answer {
            ServerResult::ListResourceTemplatesResult(result) => {
                ListPage::typed(&result.resource_templates, result.next_cursor)
            }
            other => ListPage::raw(other, "resourceTemplates"),
        };
        let listed = self.walk(request, page).await?;
        Ok(self.usable("resourceTemplates", &listed, |entry| {
            let uri_template = text(entry, "uriTemplate").ok_or("it has no pattern of addresses")?;
            Ok(ResourceTemplate {
                server: self.server.clone(),
                name: text(entry, "name").unwrap_or_else(|| uri_template.clone()),
                uri_template,
                title: text(entry, "title"),
                description: text(entry, "description"),
                media_type: text(entry, "mimeType"),
            })
        }))
    }

    /// Reads a resource. An address can stand for several.
    pub(crate) async fn read_resource(&self, uri: &str) -> Result<Vec<ResourceContent>, McpError> {
        let request = ClientRequest::ReadResourceRequest(ReadResourceRequest::new(ReadResourceRequestParams::new(uri)));
        let contents = match self.within(request, Operation::Read).await? {
            ServerResult::ReadResourceResult(result) => result.contents,
            _ => return Err(self.no_answer(Operation::Read)),
        };
        let contents: Vec<_> = contents.into_iter().map(ResourceContent::typed).collect();
        let (bytes, limit) = (contents.iter().map(ResourceContent::bytes).sum(), self.limits.result_bytes);
        if bytes > limit {
            return Err(McpError::ResourceTooLarge { server: self.server.clone(), uri: uri.to_owned(), bytes, limit });
        }
        Ok(contents)
    }

    /// The answer to a request that is no tool call, within the time of one.
    pub(super) async fn within(&self, request: ClientRequest, operation: Operation) -> Result<ServerResult, McpError> {
        let limit = self.limits.call;
        let outcome = timeout(limit, self.ask(request)).await;
        match outcome.unwrap_or(Err(ServiceError::Timeout { timeout: limit })) {
            Ok(answer) => Ok(answer),
            Err(error) => Err(self.error(error, operation, None).await),
        }
    }

    pub(super) fn no_answer(&self, operation: Operation) -> McpError {
        McpError::Protocol {
            server: self.server.clone(),
            tool: None,
            operation,
            code: None,
            reason: "the answer is of another kind than what was asked for".to_owned(),
        }
    }
}

/// What stands under a key of an entry, if it is text and not empty.
pub(super) fn text(entry: &Value, key: &str) -> Option<String> {
    entry.get(key).and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned)
}
