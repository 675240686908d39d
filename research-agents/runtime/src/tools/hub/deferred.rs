//! Deferred tools: a model finds them by a search, and calls them through one tool.

use research_llm::ToolDefinition;
use research_mcp::Object;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::tools::hub::model::HubTools;

/// Name of the tool that finds tools.
const SEARCH: &str = "mcp_search_tools";

/// Name of the tool that calls a found tool.
const CALL: &str = "mcp_call_tool";

/// The names of both tools.
pub(crate) const NAMES: [&str; 2] = [SEARCH, CALL];

/// Default number of tools that a search finds.
const FOUND: usize = 5;

/// Maximum number of tools that a search finds.
const MAX_FOUND: usize = 20;

/// Returns the definitions that a model is shown instead of so many tools.
pub(crate) fn definitions(count: usize) -> Vec<ToolDefinition> {
    let search = json!({
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "Words that say what the tool should do."},
            "most": {
                "type": "integer",
                "minimum": 1,
                "maximum": MAX_FOUND,
                "description": "How many to find; 5 unless said.",
            },
        },
        "required": ["query"],
    });
    let call = json!({
        "type": "object",
        "properties": {
            "name": {"type": "string", "description": "Name of a tool that was found."},
            "arguments": {
                "type": "object",
                "description": "Its arguments, as its parameters describe them.",
            },
        },
        "required": ["name", "arguments"],
    });
    let finds = format!(
        "Finds tools among {count} by words. Returns their names, descriptions and parameters."
    );
    let calls = format!("Calls a tool that {SEARCH} found.");

    vec![
        ToolDefinition::new(SEARCH, finds, search),
        ToolDefinition::new(CALL, calls, call),
    ]
}

/// A request of a model to the tools.
pub(crate) enum Wanted {
    /// To call a tool.
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

/// Returns what a model wants that calls a tool by this name.
///
/// # Errors
///
/// A message for the model when its arguments do not match.
pub(crate) fn wanted(tools: &HubTools, name: &str, arguments: Object) -> Result<Wanted, String> {
    if !tools.is_deferred() || !NAMES.contains(&name) {
        return Ok(Wanted::Call {
            name: name.to_owned(),
            arguments,
        });
    }

    let unfit = |error: serde_json::Error| format!("the arguments do not fit: {error}");
    let arguments = Value::Object(arguments);
    if name == CALL {
        let Call { name, arguments } = serde_json::from_value(arguments).map_err(unfit)?;
        return Ok(Wanted::Call { name, arguments });
    }

    let Search { query, most } = serde_json::from_value(arguments).map_err(unfit)?;
    let found = tools.search(&query, most.unwrap_or(FOUND).clamp(1, MAX_FOUND));
    Ok(Wanted::Found(match found.is_empty() {
        true => "no tool has any of these words; try others".to_owned(),
        false => found
            .iter()
            .map(|tool| json!(tool).to_string())
            .collect::<Vec<_>>()
            .join("\n"),
    }))
}
