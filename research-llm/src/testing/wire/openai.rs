//! What the two wire formats of OpenAI have in common.

use serde_json::{Value, json};

use super::asked::name;
use super::fault::Fault;
use super::fields::{Fields, Read};
use crate::call::{ToolChoice, ToolDefinition};
use crate::request::OutputSchema;
use crate::response::Usage;
use crate::testing::server::Received;

/// When every answer was made: there is no clock in a fake.
pub(super) const CREATED: u64 = 1_767_225_600;

/// OpenAI does not bill the writing of its cache, and does not say how much it wrote.
pub(super) fn says(usage: Usage) -> Usage {
    usage.cached(usage.cache_read_tokens, 0)
}

/// The key of an `Authorization: Bearer` header.
pub(super) fn bearer(request: &Received) -> Option<String> {
    request.header("authorization")?.strip_prefix("Bearer ").map(str::to_owned)
}

/// Type, code and words of a failure.
pub(super) fn error(fault: Fault, message: &str) -> Value {
    let (kind, code, message) = match fault {
        Fault::Malformed => ("invalid_request_error", None, message.to_owned()),
        Fault::WrongKey => {
            ("invalid_request_error", Some("invalid_api_key"), format!("Incorrect API key provided: {message}"))
        }
        Fault::TooLong => (
            "invalid_request_error",
            Some("context_length_exceeded"),
            format!(
                "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens. {message}"
            ),
        ),
        Fault::RateLimit => ("requests", Some("rate_limit_exceeded"), message.to_owned()),
        Fault::Internal => ("server_error", None, message.to_owned()),
        Fault::Overloaded => ("server_error", Some("server_is_overloaded"), message.to_owned()),
    };
    json!({"message": message, "type": kind, "param": null, "code": code})
}

/// A function on offer, its type taken already.
pub(super) fn function(mut function: Fields) -> Read<ToolDefinition> {
    let name = name(&mut function)?;
    let description = function.maybe_text("description")?.unwrap_or_default();
    let parameters = function.need("parameters")?;
    let strict = function.flag("strict")?.unwrap_or(false);
    if strict {
        check_strict(&function, &parameters)?;
    }
    function.done()?;
    Ok(ToolDefinition::new(name, description, parameters))
}

/// A named schema for the answer, its type taken already.
pub(super) fn schema(mut format: Fields) -> Read<OutputSchema> {
    let name = name(&mut format)?;
    let schema = format.need("schema")?;
    let strict = format.flag("strict")?.unwrap_or(false);
    format.maybe_text("description")?;
    if strict {
        check_strict(&format, &schema)?;
    }
    format.done()?;
    Ok(OutputSchema::new(name, schema))
}

/// Strict mode takes only objects that require all of their properties and forbid others; the outermost is one.
fn check_strict(fields: &Fields, schema: &Value) -> Read<()> {
    if schema["type"] != "object" {
        return Err(fields.wrong(format_args!("a strict schema must describe an object: {schema}")));
    }
    check_strict_parts(fields, schema)
}

fn check_strict_parts(fields: &Fields, schema: &Value) -> Read<()> {
    match schema {
        Value::Object(map) => {
            if let Some(Value::Object(properties)) = map.get("properties") {
                let required: Vec<&str> = map
                    .get("required")
                    .and_then(Value::as_array)
                    .into_iter()
                    .flatten()
                    .filter_map(Value::as_str)
                    .collect();
                if let Some(name) = properties.keys().find(|name| !required.contains(&name.as_str())) {
                    return Err(fields.wrong(format_args!("a strict schema must require `{name}`")));
                }
                if map.get("additionalProperties") != Some(&Value::Bool(false)) {
                    return Err(fields.wrong("a strict schema must set additionalProperties to false"));
                }
            }
            map.values().try_for_each(|part| check_strict_parts(fields, part))
        }
        Value::Array(list) => list.iter().try_for_each(|part| check_strict_parts(fields, part)),
        _ => Ok(()),
    }
}

/// A tool choice: a word, or a function whose name is where `named` finds it.
pub(super) fn tool_choice(body: &mut Fields, named: fn(&mut Fields) -> Read<String>) -> Read<ToolChoice> {
    match body.take("tool_choice") {
        None => Ok(ToolChoice::Auto),
        Some(Value::String(word)) => match word.as_str() {
            "auto" => Ok(ToolChoice::Auto),
            "none" => Ok(ToolChoice::None),
            "required" => Ok(ToolChoice::Required),
            _ => Err(body.wrong(format_args!("no tool choice: `{word}`"))),
        },
        Some(choice) => {
            let mut choice = Fields::of(format!("{}.tool_choice", body.place()), choice)?;
            choice.word("type", &["function"])?;
            let name = named(&mut choice)?;
            choice.done()?;
            Ok(ToolChoice::Tool(name))
        }
    }
}
