//! Tools that reply with content of each kind, fail, or have a schema of many keywords.

use research_mcp::server::{ServerTool, ToolFailure, ToolReply};
use research_mcp::{Content, ResourceContent};
use serde_json::{Value, json};

use super::samples::{PNG, WAV};

pub(crate) fn tools() -> Vec<ServerTool> {
    let embedded = ResourceContent::text("test://embedded-resource", "This is an embedded resource content.");
    let mixed =
        ResourceContent::text("test://mixed-content-resource", json!({"test": "data", "value": 123}).to_string());
    vec![
        replies("test_simple_text", "Replies with a text.", [text("This is a simple text response for testing.")]),
        replies("test_image_content", "Replies with a picture.", [Content::image("image/png", PNG)]),
        replies("test_audio_content", "Replies with a sound.", [Content::audio("audio/wav", WAV)]),
        replies("test_embedded_resource", "Replies with a resource.", [resource(embedded, "text/plain")]),
        replies(
            "test_multiple_content_types",
            "Replies with a text, a picture and a resource.",
            [
                text("Multiple content types test:"),
                Content::image("image/png", PNG),
                resource(mixed, "application/json"),
            ],
        ),
        ServerTool::new("test_error_handling", "Always fails.", nothing(), |_| async {
            Err(ToolFailure::new("This tool intentionally returns an error for testing"))
        }),
        ServerTool::new(
            "test_header",
            "Replies with the region, which is in a header too.",
            mirrored(),
            |call| async move { Ok(ToolReply::text(call.arguments()["region"].as_str().unwrap_or_default())) },
        ),
        ServerTool::new(
            "json_schema_2020_12_tool",
            "Takes a person who can be reached.",
            many_keywords(),
            |call| async move { Ok(ToolReply::structured(Value::Object(call.arguments().clone()))) },
        ),
    ]
}

/// The schema of a tool without arguments.
pub(crate) fn nothing() -> Value {
    json!({"type": "object", "properties": {}})
}

fn replies(name: &str, description: &str, blocks: impl IntoIterator<Item = Content>) -> ServerTool {
    let reply = ToolReply::content(blocks);
    ServerTool::new(name, description, nothing(), move |_| {
        let reply = reply.clone();
        async move { Ok(reply) }
    })
    .read_only(true)
}

fn text(text: &str) -> Content {
    Content::text(text)
}

fn resource(content: ResourceContent, media_type: &str) -> Content {
    Content::Resource(content.media_type(media_type))
}

/// A schema with an argument that HTTP clients repeat in a header.
fn mirrored() -> Value {
    json!({
        "type": "object",
        "properties": {"region": {"type": "string", "x-mcp-header": "Region"}},
        "required": ["region"],
    })
}

/// A schema whose keywords JSON Schema 2020-12 knows and simpler readers lose.
fn many_keywords() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
            },
        },
        "properties": {
            "name": {"type": "string"},
            "address": {"$ref": "#/$defs/address"},
            "contactMethod": {"type": "string", "enum": ["phone", "email"]},
            "phone": {"type": "string"},
            "email": {"type": "string"},
        },
        "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
        "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
        "then": {"required": ["phone"]},
        "else": {"required": ["email"]},
        "additionalProperties": false,
    })
}
