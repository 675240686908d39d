//! What a server offers and replies, as the SDK writes it.

use std::sync::Arc;

use rmcp::model::{
    self, CallToolResult, ContentBlock, Prompt, PromptArgument, ResourceContents, Role, Tool, ToolAnnotations,
};
use serde_json::Value;

use super::parts::{ServerPrompt, ServerResource, ServerResourceTemplate, ServerTool};
use super::reply::ToolReply;
use crate::output::{Content, ResourceContent};
use crate::resource::PromptMessage;
use crate::tool::ToolHints;

pub(super) fn tool(tool: &ServerTool) -> Tool {
    let mut wire = Tool::new(tool.name.clone(), tool.description.clone(), Arc::clone(&tool.input_schema));
    wire.title = tool.title.clone();
    wire.output_schema = tool.output_schema.clone();
    if tool.hints != ToolHints::default() {
        let ToolHints { read_only, destructive, idempotent, open_world } = tool.hints;
        wire.annotations = Some(ToolAnnotations::from_raw(None, read_only, destructive, idempotent, open_world));
    }
    wire
}

pub(super) fn prompt(prompt: &ServerPrompt) -> Prompt {
    let argument = |argument: &crate::resource::PromptArgument| {
        let mut wire = PromptArgument::new(argument.name.clone()).with_required(argument.required);
        wire.description = argument.description.clone();
        wire
    };
    let arguments: Vec<PromptArgument> = prompt.arguments.iter().map(argument).collect();
    let arguments = (!arguments.is_empty()).then_some(arguments);
    let mut wire = Prompt::new(prompt.name.clone(), prompt.description.clone(), arguments);
    wire.title = prompt.title.clone();
    wire
}

pub(super) fn prompt_message(message: PromptMessage) -> model::PromptMessage {
    let role = if message.role == "assistant" { Role::Assistant } else { Role::User };
    model::PromptMessage::new(role, block(&message.content))
}

pub(super) fn resource(resource: &ServerResource) -> model::Resource {
    let mut wire = model::Resource::new(resource.uri.clone(), resource.name.clone());
    wire.title = resource.title.clone();
    wire.description = resource.description.clone();
    wire.mime_type = resource.media_type.clone();
    wire.size = resource.size;
    wire
}

/// A template that could be read.
pub(super) fn template(template: &ServerResourceTemplate) -> Option<model::ResourceTemplate> {
    let pattern = template.template.as_ref().ok()?;
    let mut wire = model::ResourceTemplate::new(pattern.text.clone(), template.name.clone());
    wire.title = template.title.clone();
    wire.description = template.description.clone();
    wire.mime_type = template.media_type.clone();
    Some(wire)
}

/// A result. Before MCP 2026-07-28 structured content is an object; another value goes as text.
pub(super) fn reply(reply: ToolReply, is_error: bool, any_structure: bool) -> CallToolResult {
    let mut content: Vec<ContentBlock> = reply.content.iter().map(block).collect();
    if let (true, Some(structured)) = (content.is_empty(), &reply.structured) {
        content.push(ContentBlock::text(structured.to_string()));
    }
    let mut result = if is_error { CallToolResult::error(content) } else { CallToolResult::success(content) };
    result.structured_content = reply.structured.filter(|structured| any_structure || structured.is_object());
    result
}

pub(super) fn block(content: &Content) -> ContentBlock {
    match content {
        Content::Text { text } => ContentBlock::text(text),
        Content::Image { media_type, data } => ContentBlock::image(data, media_type),
        Content::Audio { media_type, data } => ContentBlock::audio(data, media_type),
        Content::ResourceLink { uri, name, media_type } => {
            let mut link = model::Resource::new(uri, name);
            link.mime_type = media_type.clone();
            ContentBlock::resource_link(link)
        }
        Content::Resource(resource) => ContentBlock::resource(contents(resource.clone())),
        Content::Unknown { block, .. } => {
            let known: Result<ContentBlock, _> = serde_json::from_value(block.clone());
            known.unwrap_or_else(|_| ContentBlock::text(block.to_string()))
        }
    }
}

pub(super) fn contents(content: ResourceContent) -> ResourceContents {
    let ResourceContent { uri, media_type, text, blob } = content;
    let contents = match (text, blob) {
        (None, Some(blob)) => ResourceContents::blob(blob, uri),
        (text, _) => ResourceContents::text(text.unwrap_or_default(), uri),
    };
    match media_type {
        Some(media_type) => contents.with_mime_type(media_type),
        None => contents,
    }
}

/// Arguments of a prompt, which are texts.
pub(super) fn text(value: Value) -> String {
    match value {
        Value::String(text) => text,
        other => other.to_string(),
    }
}
