//! From a request to the body of a call.

use serde_json::{Map, Value, json};

use super::quirks::{Quirks, Sampling};
use super::thinking::Plan;
use super::turns::Turns;
use crate::call::{ToolChoice, ToolDefinition};
use crate::error::ModelError;
use crate::request::Request;

/// How many cache breakpoints the API takes in one request.
const MAX_MARKS: usize = 4;

/// What a call is made for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Target<'a> {
    /// The model.
    pub(super) model: &'a str,
    /// What it takes.
    pub(super) quirks: &'a Quirks,
    /// Limit of an answer whose request names none, in tokens.
    pub(super) max_tokens: u32,
    /// The schema that the server is to hold the answer to.
    pub(super) schema: Option<&'a Value>,
    /// Whether the answer comes in pieces.
    pub(super) stream: bool,
}

/// The body of the call. The fields `schema`, `task`, `tier`, `seed` and `deadline` of the request are not for the wire.
pub(super) fn body(request: &Request, target: Target<'_>) -> Result<Value, ModelError> {
    let Turns { mut system, mut turns } = Turns::new(&request.messages)?;
    let mut tools: Vec<Value> = request.tools.iter().map(tool).collect();
    // A mark for the whole request, set by the caller, takes one of the places.
    let places = MAX_MARKS - usize::from(request.extra.contains_key("cache_control"));
    limit_marks(places, &mut tools, &mut system, &mut turns);

    let max_tokens = request.max_output_tokens.unwrap_or(target.max_tokens);
    let forced = matches!(request.tool_choice, ToolChoice::Required | ToolChoice::Tool(_));
    let plan = Plan::new(request.effort, target.quirks, max_tokens, forced && !tools.is_empty());
    let turns: Vec<Value> = turns.into_iter().map(|(side, blocks)| json!({"role": side, "content": blocks})).collect();

    let mut body = Map::new();
    body.insert("model".into(), target.model.into());
    body.insert("max_tokens".into(), max_tokens.into());
    body.insert("messages".into(), turns.into());
    if !system.is_empty() {
        body.insert("system".into(), system.into());
    }
    if !tools.is_empty() {
        body.insert("tools".into(), tools.into());
        if let Some(choice) = tool_choice(request) {
            body.insert("tool_choice".into(), choice);
        }
    }
    sampling(request, target.quirks, plan.thinks(), &mut body);
    if !request.stop.is_empty() {
        body.insert("stop_sequences".into(), json!(request.stop));
    }
    if let Some(config) = output_config(plan.effort, target.schema) {
        body.insert("output_config".into(), config);
    }
    if let Some(thinking) = plan.thinking {
        body.insert("thinking".into(), thinking);
    }
    if target.stream {
        body.insert("stream".into(), Value::Bool(true));
    }
    body.extend(request.extra.clone());
    Ok(Value::Object(body))
}

/// Keeps the last of the marks. Where a place is left, the tools are marked too: they stand before everything else, so
/// that they stay cached when the rest changes.
fn limit_marks(places: usize, tools: &mut [Value], system: &mut [Value], turns: &mut [(&'static str, Vec<Value>)]) {
    let blocks = system.iter_mut().chain(turns.iter_mut().flat_map(|(_, blocks)| blocks));
    let marked: Vec<_> = blocks.filter_map(Value::as_object_mut).filter(|b| b.contains_key("cache_control")).collect();
    let count = marked.len();
    for block in marked.into_iter().take(count.saturating_sub(places)) {
        block.remove("cache_control");
    }
    if let Some(last) = tools.last_mut().filter(|_| (1..places).contains(&count)) {
        last["cache_control"] = json!({"type": "ephemeral"});
    }
}

fn tool(tool: &ToolDefinition) -> Value {
    let mut schema = tool.parameters.clone();
    // The API wants the type said, even for a tool without arguments.
    if let Some(schema) = schema.as_object_mut() {
        schema.entry("type").or_insert_with(|| "object".into());
    }
    let mut definition = json!({"name": tool.name, "input_schema": schema});
    if !tool.description.is_empty() {
        definition["description"] = tool.description.as_str().into();
    }
    definition
}

fn tool_choice(request: &Request) -> Option<Value> {
    let one_at_a_time = request.parallel_tool_calls == Some(false);
    let mut choice = match &request.tool_choice {
        ToolChoice::None => return Some(json!({"type": "none"})),
        ToolChoice::Auto if !one_at_a_time => return None,
        ToolChoice::Auto => json!({"type": "auto"}),
        ToolChoice::Required => json!({"type": "any"}),
        ToolChoice::Tool(name) => json!({"type": "tool", "name": name}),
    };
    if one_at_a_time {
        choice["disable_parallel_tool_use"] = Value::Bool(true);
    }
    Some(choice)
}

/// Sets temperature and `top_p`, as far as the model takes them; while it thinks, none does.
fn sampling(request: &Request, quirks: &Quirks, thinks: bool, body: &mut Map<String, Value>) {
    let wanted = [("temperature", request.temperature), ("top_p", request.top_p)];
    let wanted = wanted.into_iter().filter_map(|(name, value)| Some((name, value?)));
    let taken = match quirks.sampling {
        _ if thinks => 0,
        Sampling::Both => 2,
        Sampling::One => 1,
        Sampling::Fixed => 0,
    };
    for (at, (name, value)) in wanted.enumerate() {
        if at < taken {
            body.insert(name.into(), decimal(value));
        } else {
            tracing::debug!(field = name, "left out of the request: the model refuses it");
        }
    }
}

/// The number as it was written: 0.7 and not 0.699999988079071.
fn decimal(value: f32) -> Value {
    value.to_string().parse::<f64>().map_or(Value::Null, Value::from)
}

fn output_config(effort: Option<&str>, schema: Option<&Value>) -> Option<Value> {
    let mut config = Map::new();
    if let Some(effort) = effort {
        config.insert("effort".into(), effort.into());
    }
    if let Some(schema) = schema {
        config.insert("format".into(), json!({"type": "json_schema", "schema": schema}));
    }
    (!config.is_empty()).then_some(Value::Object(config))
}

#[cfg(test)]
mod tests;
