//! A request as the body of a chat completion.

use serde_json::{Map, Value, json};

use super::message::messages;
use crate::call::ToolChoice;
use crate::error::ModelError;
use crate::openai::fields;
use crate::openai::format::{Format, Formatted};
use crate::openai::quirks::{EffortField, Quirks};
use crate::request::Request;

/// The body of a call.
///
/// # Errors
/// [`ModelError::InvalidRequest`] for what the format or the server cannot take.
pub(crate) fn body(
    model: &str,
    quirks: &Quirks,
    formatted: &Formatted<'_>,
    streamed: bool,
) -> Result<Value, ModelError> {
    let request = &*formatted.request;
    fields::check(quirks, request)?;
    let mut body = Map::new();
    let mut set = |field: &str, value: Value| drop(body.insert(field.to_owned(), value));
    set("model", model.into());
    set("messages", messages(&request.messages, quirks)?.into());
    if streamed {
        set("stream", true.into());
        if quirks.ask_stream_usage {
            set("stream_options", json!({"include_usage": true}));
        }
    }
    if let Some(tokens) = request.max_output_tokens {
        set(quirks.max_tokens.name(), tokens.into());
    }
    if !request.stop.is_empty() {
        set("stop", request.stop.clone().into());
    }
    if let Some(seed) = request.seed {
        set(quirks.seed, seed.into());
    }
    if let Some(effort) = fields::effort(quirks, model, request.effort) {
        match quirks.effort {
            EffortField::Flat => set("reasoning_effort", effort.into()),
            EffortField::Nested => set("reasoning", json!({"effort": effort})),
        }
    }
    if let Some(format) = &formatted.format {
        set("response_format", response_format(format));
    }
    if !request.tools.is_empty() {
        tools(&mut set, request);
    }
    fields::sampling(&mut body, quirks, model, request);
    Ok(fields::finish(body, request))
}

fn tools(set: &mut impl FnMut(&str, Value), request: &Request) {
    let tool = |tool: &crate::call::ToolDefinition| {
        json!({"type": "function", "function": {
            "name": tool.name, "description": tool.description, "parameters": tool.parameters,
        }})
    };
    set("tools", request.tools.iter().map(tool).collect());
    match &request.tool_choice {
        ToolChoice::Auto => {}
        ToolChoice::None => set("tool_choice", "none".into()),
        ToolChoice::Required => set("tool_choice", "required".into()),
        ToolChoice::Tool(name) => set("tool_choice", json!({"type": "function", "function": {"name": name}})),
    }
    if let Some(allowed) = request.parallel_tool_calls {
        set("parallel_tool_calls", allowed.into());
    }
}

fn response_format(format: &Format) -> Value {
    match format {
        Format::Schema { name, schema, strict } => {
            json!({"type": "json_schema", "json_schema": {"name": name, "schema": schema, "strict": strict}})
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
    use crate::openai::quirks::SchemaMode;
    use crate::request::{Effort, OutputSchema, Task, Tier};

    fn sent(quirks: &Quirks, model: &str, request: &Request) -> Value {
        body(model, quirks, &formatted(request, quirks.schema), false).unwrap()
    }

    #[test]
    fn every_field_goes_where_the_format_has_it() {
        let request = Request::new()
            .system("s")
            .user("u")
            .max_output_tokens(9)
            .temperature(0.7)
            .top_p(0.9)
            .stop("END")
            .seed(3)
            .tier(Tier::Max)
            .task(Task::new("t", json!({})))
            .deadline(tokio::time::Instant::now())
            .tool(ToolDefinition::new("f", "does f", json!({"type": "object"})))
            .tool_choice(ToolChoice::Tool("f".into()))
            .parallel_tool_calls(false)
            .extra("user", "me")
            .extra("seed", 4);
        assert_eq!(
            sent(&Quirks::OPENAI, "gpt-4o", &request),
            json!({
                "model": "gpt-4o",
                "messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "u"}],
                "max_completion_tokens": 9,
                "temperature": 0.7,
                "top_p": 0.9,
                "stop": ["END"],
                "seed": 4,
                "tools": [{"type": "function",
                    "function": {"name": "f", "description": "does f", "parameters": {"type": "object"}}}],
                "tool_choice": {"type": "function", "function": {"name": "f"}},
                "parallel_tool_calls": false,
                "user": "me",
            })
        );
    }

    #[test]
    fn servers_get_the_fields_in_their_own_manner() {
        let request = Request::new().user("u").max_output_tokens(9).seed(3).effort(Effort::Minimal).temperature(0.0);
        let plain = sent(&Quirks::OPENAI, "gpt-4o", &request);
        assert!(plain.get("reasoning_effort").is_none() && plain["temperature"] == 0.0);
        let thinking = sent(&Quirks::OPENAI, "gpt-5", &request);
        assert!(thinking["reasoning_effort"] == "minimal" && thinking.get("temperature").is_none());
        let silenced = sent(&Quirks::OPENAI, "gpt-5.1", &request);
        assert!(silenced["reasoning_effort"] == "none" && silenced["temperature"] == 0.0);
        assert_eq!(sent(&Quirks::MISTRAL, "m", &request)["random_seed"], 3);
        assert_eq!(sent(&Quirks::OLLAMA, "m", &request)["max_tokens"], 9);
        assert_eq!(sent(&Quirks::OPENROUTER, "a/b", &request)["reasoning"], json!({"effort": "minimal"}));
    }

    #[test]
    fn the_schema_goes_out_in_the_mode_of_the_server() {
        let schema = json!({"type": "object", "properties": {"a": {"type": "integer"}}});
        let request = Request::new().user("u").schema(OutputSchema::new("A", schema.clone()));
        let strict = sent(&Quirks::OPENAI, "m", &request);
        assert_eq!(strict["response_format"]["json_schema"]["strict"], true);
        assert_eq!(strict["response_format"]["json_schema"]["schema"]["required"], json!(["a"]));
        let plain = sent(&Quirks::VLLM, "m", &request);
        assert_eq!(plain["response_format"]["json_schema"], json!({"name": "A", "schema": schema, "strict": false}));
        let with = sent(&Quirks::GENERIC.schema(SchemaMode::ObjectWithSchema), "m", &request);
        assert_eq!(with["response_format"], json!({"type": "json_object", "schema": schema}));
        let object = sent(&Quirks::DEEPSEEK, "m", &request);
        assert_eq!(object["response_format"], json!({"type": "json_object"}));
        let prompt = sent(&Quirks::GENERIC.schema(SchemaMode::Prompt), "m", &request);
        assert!(prompt.get("response_format").is_none());
    }

    #[test]
    fn a_stream_asks_for_its_usage_where_the_server_knows_how() {
        let request = Request::new().user("u");
        for (quirks, asked) in [(Quirks::OPENAI, true), (Quirks::MISTRAL, false)] {
            let body = body("m", &quirks, &formatted(&request, quirks.schema), true).unwrap();
            assert_eq!(body["stream"], true);
            assert_eq!(body.get("stream_options").is_some(), asked);
        }
    }

    #[test]
    fn what_a_server_cannot_take_is_refused_before_it_is_sent() {
        let image = crate::message::Image::url("https://example.org/a.png");
        let request = Request::new().message(crate::message::Message::user("u").image(image));
        let error = body("m", &Quirks::DEEPSEEK, &formatted(&request, SchemaMode::Prompt), false).unwrap_err();
        assert!(matches!(error, ModelError::InvalidRequest { .. }), "{error}");
    }
}
