//! An MCP server with one tool over a data set.

use std::sync::Arc;

use research_mcp::server::{ServeError, ServerTool, ToolReply, ToolServer};
use serde_json::Value;

use super::data::{Dataset, Object};
use super::error::QueryError;
use super::query::{Query, answer};
use super::schema::{input_schema, output_schema};

/// Name of the tool unless the user chooses another.
pub const DEFAULT_TOOL: &str = "analyze_events";

/// Serves a data set as one tool of this name.
///
/// # Errors
///
/// [`ServeError::Invalid`] when MCP does not allow the name.
pub fn dataset_server(dataset: Dataset, tool_name: impl Into<String>) -> Result<ToolServer, ServeError> {
    let description = format!(
        "Filters, counts and lists the {} records of the data set `{}`. One call gives the number of matching records, their \
         counts by `group_by` and `date_histogram`, and one page of the records.",
        dataset.len(),
        dataset.name
    );
    let (arguments, results) = (input_schema(&dataset), output_schema(&dataset));
    let dataset = Arc::new(dataset);
    let tool = ServerTool::new(tool_name, description, Value::Object(arguments), move |call| {
        let dataset = Arc::clone(&dataset);
        // A query computes, and the server answers others meanwhile.
        async move {
            let answering = tokio::task::spawn_blocking(move || answered(&dataset, call.arguments()));
            Ok(ToolReply::structured(answering.await??))
        }
    });
    // A query knows the fields, and says more of what is wrong than a schema does.
    let tool = tool.output_schema(results).unchecked().read_only(true).idempotent(true).open_world(false);
    ToolServer::builder("dataset_server", env!("CARGO_PKG_VERSION")).tool(tool).build()
}

fn answered(dataset: &Dataset, arguments: &Object) -> Result<Value, QueryError> {
    answer(dataset, &Query::parse(dataset, arguments)?)
}
