//! An MCP server with one tool over a data set.

use std::sync::Arc;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestMethod, CompleteRequestParams,
    CompleteResult, ContentBlock, Implementation, ListPromptsRequestMethod, ListPromptsResult,
    ListResourceTemplatesRequestMethod, ListResourceTemplatesResult, ListResourcesRequestMethod, ListResourcesResult,
    ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool, ToolAnnotations,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};

use super::query::{Query, answer};
use super::schema::{input_schema, output_schema};
use super::{Dataset, Object};

/// Name of the tool unless the user chooses another.
pub const DEFAULT_TOOL: &str = "analyze_events";

/// Serves a data set as one tool.
#[derive(Clone, Debug)]
pub struct DatasetServer {
    dataset: Arc<Dataset>,
    tool: Tool,
}

impl DatasetServer {
    /// A server whose tool has this name.
    pub fn new(dataset: Dataset, tool_name: impl Into<String>) -> Self {
        let description = format!(
            "Filters, counts and lists the {} records of the data set `{}`. One call gives the number of matching records, their \
             counts by `group_by` and `date_histogram`, and one page of the records.",
            dataset.documents.len(),
            dataset.name
        );
        let tool = Tool::new(tool_name.into(), description, input_schema(&dataset))
            .with_raw_output_schema(Arc::new(output_schema(&dataset)))
            .with_annotations(ToolAnnotations::new().read_only(true).idempotent(true).open_world(false));
        Self { dataset: Arc::new(dataset), tool }
    }

    fn answer(&self, arguments: &Object) -> CallToolResult {
        let outcome = Query::parse(&self.dataset, arguments).and_then(|query| answer(&self.dataset, &query));
        match outcome {
            Ok(result) => CallToolResult::structured(result),
            Err(error) => CallToolResult::error(vec![ContentBlock::text(error.to_string())]),
        }
    }
}

/// The SDK answers these methods with empty lists; a server that does not offer them should say so.
impl ServerHandler for DatasetServer {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("dataset_server", env!("CARGO_PKG_VERSION")))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(vec![self.tool.clone()]))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        (name == self.tool.name).then(|| self.tool.clone())
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if request.name != self.tool.name {
            return Err(ErrorData::invalid_params(
                format!("there is no tool `{}`; there is `{}`", request.name, self.tool.name),
                None,
            ));
        }
        Ok(self.answer(&request.arguments.unwrap_or_default()).into())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Err(ErrorData::method_not_found::<ListPromptsRequestMethod>())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Err(ErrorData::method_not_found::<ListResourcesRequestMethod>())
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Err(ErrorData::method_not_found::<ListResourceTemplatesRequestMethod>())
    }

    async fn complete(
        &self,
        _: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        Err(ErrorData::method_not_found::<CompleteRequestMethod>())
    }
}
