//! A request as the body of a responses call.

use serde_json::{Map, Value, json};

use super::input::input;
use crate::call::ToolChoice;
use crate::error::ModelError;
use crate::openai::fields;
use crate::openai::format::{Format, Formatted};
use crate::openai::quirks::Quirks;
use crate::request::Request;

/// The body of a call. Nothing is kept by the server: the reasoning that it wants back comes encrypted.
///
/// # Errors
/// [`ModelError::InvalidRequest`] for what the format or the server cannot take, such as stop sequences.
pub(crate) fn body(
    model: &str,
    quirks: &Quirks,
    formatted: &Formatted<'_>,
    streamed: bool,
) -> Result<Value, ModelError> {
    let request = &*formatted.request;
    fields::check(quirks, request)?;
    if !request.stop.is_empty() {
        return Err(ModelError::invalid_request(
            "the responses format has no stop sequences; use chat completions",
            None,
        ));
    }
    let mut body = Map::new();
    let mut set = |field: &str, value: Value| drop(body.insert(field.to_owned(), value));
    set("model", model.into());
    set("input", input(&request.messages)?.into());
    set("store", false.into());
    // A model that does not reason refuses to encrypt its reasoning.
    if quirks.least_effort(model).is_some() {
        set("include", json!(["reasoning.encrypted_content"]));
    }
    if streamed {
        set("stream", true.into());
    }
    if let Some(tokens) = request.max_output_tokens {
        set("max_output_tokens", tokens.into());
    }
    if let Some(effort) = fields::effort(quirks, model, request.effort) {
        set("reasoning", json!({"effort": effort}));
    }
    if let Some(format) = &formatted.format {
        set("text", json!({"format": text_format(format)}));
    }
    if !request.tools.is_empty() {
        tools(&mut set, request);
    }
    fields::sampling(&mut body, quirks, model, request);
    Ok(fields::finish(body, request))
}

fn tools(set: &mut impl FnMut(&str, Value), request: &Request) {
    // Without the word, this format takes a schema for a strict one and refuses optional arguments.
    let tool = |tool: &crate::call::ToolDefinition| {
        json!({"type": "function", "name": tool.name, "description": tool.description,
            "parameters": tool.parameters, "strict": false})
    };
    set("tools", request.tools.iter().map(tool).collect());
    match &request.tool_choice {
        ToolChoice::Auto => {}
        ToolChoice::None => set("tool_choice", "none".into()),
        ToolChoice::Required => set("tool_choice", "required".into()),
        ToolChoice::Tool(name) => set("tool_choice", json!({"type": "function", "name": name})),
    }
    if let Some(allowed) = request.parallel_tool_calls {
        set("parallel_tool_calls", allowed.into());
    }
}

fn text_format(format: &Format) -> Value {
    match format {
        Format::Schema { name, schema, strict } => {
            json!({"type": "json_schema", "name": name, "schema": schema, "strict": strict})
        }
        Format::ObjectWithSchema(schema) => json!({"type": "json_object", "schema": schema}),
        Format::Object => json!({"type": "json_object"}),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::ToolDefinition;
    use crate::openai::format::formatted;
    use crate::request::{Effort, OutputSchema};

    #[test]
    fn every_field_goes_where_the_format_has_it() {
        let request = Request::new()
            .user("u")
            .max_output_tokens(9)
            .effort(Effort::High)
            .temperature(0.5)
            .schema(OutputSchema::new(
                "A",
                json!({"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}),
            ))
            .tool(ToolDefinition::new("f", "does f", json!({"type": "object"})))
            .tool_choice(ToolChoice::Required)
            .parallel_tool_calls(true)
            .extra("truncation", "auto");
        let sent = body("gpt-5", &Quirks::OPENAI, &formatted(&request, Quirks::OPENAI.schema), true).unwrap();
        assert_eq!(
            sent,
            json!({
                "model": "gpt-5",
                "input": [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "u"}]}],
                "store": false,
                "include": ["reasoning.encrypted_content"],
                "stream": true,
                "max_output_tokens": 9,
                "reasoning": {"effort": "high"},
                "text": {"format": {"type": "json_schema", "name": "A", "strict": true, "schema":
                    {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"],
                        "additionalProperties": false}}},
                "tools": [{"type": "function", "name": "f", "description": "does f",
                    "parameters": {"type": "object"}, "strict": false}],
                "tool_choice": "required",
                "parallel_tool_calls": true,
                "truncation": "auto",
            })
        );
    }

    #[test]
    fn stop_sequences_are_refused_and_not_silently_left_out() {
        let request = Request::new().user("u").stop("END");
        let error = body("m", &Quirks::OPENAI, &formatted(&request, Quirks::OPENAI.schema), false).unwrap_err();
        assert!(error.to_string().contains("stop"), "{error}");
    }
}
