//! Many tools: a model finds them by a search, and calls them through one tool.

use research_llm::ToolDefinition;
use research_mcp::Object;
use serde::Deserialize;
use serde_json::{Value, json};

use super::tools::HubTools;

/// Finds tools.
const SEARCH: &str = "mcp_search_tools";

/// Calls a tool that was found.
const CALL: &str = "mcp_call_tool";

/// The names of both.
pub(super) const NAMES: [&str; 2] = [SEARCH, CALL];

/// Tools that one search finds, unless the model says otherwise.
const FOUND: usize = 5;

/// Tools that one search finds at most.
const MOST_FOUND: usize = 20;

/// What a model is told instead of so many tools.
pub(super) fn definitions(count: usize) -> Vec<ToolDefinition> {
    let search = json!({
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "Words that say what the tool should do."},
            "most": {"type": "integer", "minimum": 1, "maximum": MOST_FOUND, "description": "How many to find; 5 unless said."},
        },
        "required": ["query"],
    });
    let call = json!({
        "type": "object",
        "properties": {
            "name": {"type": "string", "description": "Name of a tool that was found."},
            "arguments": {"type": "object", "description": "Its arguments, as its parameters describe them."},
        },
        "required": ["name", "arguments"],
    });
    let finds = format!("Finds tools among {count} by words. Returns their names, descriptions and parameters.");
    let calls = format!("Calls a tool that {SEARCH} found.");
    vec![ToolDefinition::new(SEARCH, finds, search), ToolDefinition::new(CALL, calls, call)]
}

/// What a model wants of the tools.
pub(super) enum Wanted {
    /// To call one.
    Call { name: String, arguments: Object },
    /// The answer to a search.
    Found(String),
}

#[derive(Deserialize)]
struct Search {
    query: String,
    most: Option<usize>,
}

#[derive(Deserialize)]
struct Call {
    name: String,
    #[serde(default)]
    arguments: Object,
}

/// Reads what a model wants that calls a tool by this name.
pub(super) fn wanted(tools: &HubTools, name: &str, arguments: Object) -> Result<Wanted, String> {
    if !tools.is_deferred() || !NAMES.contains(&name) {
        return Ok(Wanted::Call { name: name.to_owned(), arguments });
    }
    let unfit = |error: serde_json::Error| format!("the arguments do not fit: {error}");
    let arguments = Value::Object(arguments);
    if name == CALL {
        let Call { name, arguments } = serde_json::from_value(arguments).map_err(unfit)?;
        return Ok(Wanted::Call { name, arguments });
    }
    let Search { query, most } = serde_json::from_value(arguments).map_err(unfit)?;
    let found = tools.search(&query, most.unwrap_or(FOUND).clamp(1, MOST_FOUND));
    Ok(Wanted::Found(match found.is_empty() {
        true => "no tool has any of these words; try others".to_owned(),
        false => found.iter().map(|tool| json!(tool).to_string()).collect::<Vec<_>>().join("\n"),
    }))
}
