//! Lists the tools of one server, and judges each tool by itself.

use rmcp::model::{ClientRequest, ListToolsRequest, PaginatedRequestParams, RequestOptionalParam, ServerResult};
use serde_json::Value;

use super::link::Connection;
use super::walk::ListPage;
use crate::error::McpError;
use crate::source::QuarantinedTool;
use crate::tool::{Object, Tool, ToolHints};

/// Most values in the JSON of an input schema. What reads the fields of a tool takes time and memory for each.
const VALUES: usize = 20_000;

/// The tools of one server, not yet named for the hub.
#[derive(Clone, Debug, Default)]
pub(crate) struct ServerListing {
    pub(crate) tools: Vec<Tool>,
    pub(crate) quarantined: Vec<QuarantinedTool>,
}

impl Connection {
    /// Lists the tools.
    pub(crate) async fn list(&self) -> Result<ServerListing, McpError> {
        let mut listing = ServerListing::default();
        for tool in self.walk(request, page).await? {
            listing.add(&self.server, &tool);
        }
        #[cfg(feature = "validate")]
        self.promises.learn(&listing.tools);
        Ok(listing)
    }
}

fn request(cursor: Option<String>) -> ClientRequest {
    let params = cursor.map(|cursor| PaginatedRequestParams::default().with_cursor(Some(cursor)));
    let request: ListToolsRequest = RequestOptionalParam { params, ..RequestOptionalParam::default() };
    ClientRequest::ListToolsRequest(request)
}

fn page(answer: ServerResult) -> Option<ListPage<Value>> {
    match answer {
        ServerResult::ListToolsResult(result) => ListPage::typed(&result.tools, result.next_cursor),
        other => ListPage::raw(other, "tools"),
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
        Some(Value::Object(schema)) if has_more_values(schema, VALUES) => {
            return Err("its input schema has more than 20,000 values");
        }
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

/// Whether there are more values than this in an object.
fn has_more_values(object: &Object, most: usize) -> bool {
    let (mut open, mut count): (Vec<&Value>, usize) = (object.values().collect(), 0);
    while let Some(value) = open.pop() {
        count += 1;
        match value {
            Value::Array(items) => open.extend(items),
            Value::Object(members) => open.extend(members.values()),
            _ => {}
        }
        if count > most {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn fields(count: usize) -> Value {
        let fields: Object = (0..count).map(|field| (format!("f{field}"), json!({"type": "string"}))).collect();
        json!({"name": "t", "inputSchema": {"type": "object", "properties": fields}})
    }

    #[test]
    fn a_tool_with_very_many_fields_is_left_out() {
        assert!(tool("s", "t", &fields(5_000)).is_ok());
        let inside = json!({"name": "t", "inputSchema": {"type": "object", "x": {"contentSchema": fields(24_000)}}});
        for raw in [fields(24_000), inside] {
            assert!(tool("s", "t", &raw).unwrap_err().contains("20,000 values"));
        }
    }
}
