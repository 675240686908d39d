//! From a request of the port to one of genai.

use ::genai::adapter::AdapterKind;
use ::genai::chat::{
    CacheControl, ChatMessage, ChatOptions, ChatRequest, ChatRole, ContentPart, JsonSpec, MessageContent,
    MessageOptions, ReasoningEffort, Tool, ToolCall as SdkCall, ToolChoice as SdkChoice, ToolResponse,
};
use serde_json::{Map, Value};

use super::item::{self, Signatures};
use crate::call::{ToolCall, ToolChoice};
use crate::error::ModelError;
use crate::message::{Image, ImageSource, Message, Part, Role, ToolResult};
use crate::request::{Effort, Request};
use crate::schema::{Dialect, into_prompt};

/// The dialect of this provider's schema mode, where genai hands it the schema of an answer. Where it would drop it, or
/// where the servers behind the name differ, the schema goes into the prompt instead.
pub(super) fn dialect(kind: AdapterKind) -> Option<Dialect> {
    match kind {
        AdapterKind::OpenAI
        | AdapterKind::OpenAIResp
        | AdapterKind::OpenRouter
        | AdapterKind::Fireworks
        | AdapterKind::Together
        | AdapterKind::Groq
        | AdapterKind::Xai => Some(Dialect::OpenAiStrict),
        AdapterKind::Anthropic => Some(Dialect::Anthropic),
        // genai itself brings a schema into the form of Gemini.
        AdapterKind::Gemini | AdapterKind::GeminiIx => Some(Dialect::Plain),
        _ => None,
    }
}

pub(super) fn convert(kind: AdapterKind, request: &Request) -> Result<(ChatRequest, ChatOptions), ModelError> {
    let format = match (&request.schema, dialect(kind)) {
        // A schema that the dialect cannot express goes into the prompt like one that the provider does not take.
        (Some(schema), Some(dialect)) => {
            dialect.adapt(schema).ok().map(|adapted| json_spec(&schema.name, adapted.schema))
        }
        _ => None,
    };
    let prompted;
    let request = if request.schema.is_some() && format.is_none() {
        prompted = into_prompt(request);
        &prompted
    } else {
        request
    };
    let mut messages = Vec::with_capacity(request.messages.len());
    for message in &request.messages {
        push(kind, message, &mut messages)?;
    }
    let mut chat = ChatRequest::new(messages);
    if !request.tools.is_empty() {
        chat = chat.with_tools(request.tools.iter().map(|tool| {
            Tool::new(tool.name.as_str()).with_description(&*tool.description).with_schema(tool.parameters.clone())
        }));
    }
    let mut options = options(request);
    options.response_format = format.map(Into::into);
    Ok((chat, options))
}

fn push(kind: AdapterKind, message: &Message, messages: &mut Vec<ChatMessage>) -> Result<(), ModelError> {
    let signatures = item::signatures(kind, &message.parts);
    let parts: Vec<ContentPart> = message.parts.iter().filter_map(|part| content(kind, part, &signatures)).collect();
    let role = match message.role {
        Role::System => ChatRole::System,
        Role::User => ChatRole::User,
        Role::Assistant => ChatRole::Assistant,
        Role::Tool => ChatRole::Tool,
    };
    let options = message.cache.then(|| MessageOptions::from(CacheControl::Ephemeral));
    let add = |parts: Vec<ContentPart>| {
        let mut message = ChatMessage::new(role.clone(), MessageContent::from_parts(parts));
        message.options.clone_from(&options);
        message
    };
    if parts.is_empty() {
        return Err(ModelError::invalid_request("a message has nothing that this provider takes", None));
    }
    // The adapters of Ollama keep one result of a message and drop the others.
    if role == ChatRole::Tool && matches!(kind, AdapterKind::Ollama | AdapterKind::OllamaCloud) {
        messages.extend(parts.into_iter().map(|part| add(vec![part])));
    } else {
        messages.push(add(parts));
    }
    Ok(())
}

fn content(kind: AdapterKind, part: &Part, signatures: &Signatures) -> Option<ContentPart> {
    match part {
        Part::Text { text } => Some(ContentPart::from_text(text)),
        Part::Image(image) => Some(picture(image)),
        Part::ToolCall(call) => Some(ContentPart::ToolCall(tool_call(call, signatures))),
        Part::ToolResult(result) => Some(ContentPart::ToolResponse(tool_result(result))),
        Part::Provider(provided) => item::to_content(kind, provided),
    }
}

fn picture(image: &Image) -> ContentPart {
    match &image.source {
        ImageSource::Url(url) => ContentPart::from_binary_url(media_type(url), url, None),
        ImageSource::Base64 { media_type, data } => ContentPart::from_binary_base64(media_type, data.as_str(), None),
    }
}

/// What an address promises by its ending. Providers that fetch the picture look at what they get.
fn media_type(url: &str) -> &'static str {
    let path = url.split(['?', '#']).next().unwrap_or(url).to_ascii_lowercase();
    match path.rsplit('.').next() {
        Some("png") => "image/png",
        Some("gif") => "image/gif",
        Some("webp") => "image/webp",
        _ => "image/jpeg",
    }
}

fn tool_call(call: &ToolCall, signatures: &Signatures) -> SdkCall {
    let arguments = match call.arguments.trim() {
        "" => Value::Object(Map::new()),
        // Arguments that are no JSON are said again as they were.
        text => serde_json::from_str(text).unwrap_or_else(|_| Value::String(call.arguments.clone())),
    };
    SdkCall {
        call_id: call.id.clone(),
        fn_name: call.name.clone(),
        fn_arguments: arguments,
        thought_signatures: signatures.get(&call.id).cloned(),
    }
}

/// genai has no mark for a failed tool, so the text says it.
fn tool_result(result: &ToolResult) -> ToolResponse {
    let content = if result.is_error { format!("Error: {}", result.content) } else { result.content.clone() };
    ToolResponse::new(&result.call_id, content).with_fn_name(&result.name)
}

fn options(request: &Request) -> ChatOptions {
    let mut options = ChatOptions::default()
        .with_capture_usage(true)
        .with_capture_content(true)
        .with_capture_reasoning_content(true)
        .with_capture_tool_calls(true)
        .with_capture_raw_body(request.keep_raw);
    options.temperature = request.temperature.map(shortest);
    options.top_p = request.top_p.map(shortest);
    options.max_tokens = request.max_output_tokens;
    options.stop_sequences.clone_from(&request.stop);
    options.seed = request.seed;
    options.reasoning_effort = request.effort.map(|effort| match effort {
        Effort::Minimal => ReasoningEffort::Minimal,
        Effort::Low => ReasoningEffort::Low,
        Effort::Medium => ReasoningEffort::Medium,
        Effort::High => ReasoningEffort::High,
    });
    if !request.tools.is_empty() {
        options.tool_choice = match &request.tool_choice {
            ToolChoice::Auto => None,
            ToolChoice::None => Some(SdkChoice::None),
            ToolChoice::Required => Some(SdkChoice::Required),
            ToolChoice::Tool(name) => Some(SdkChoice::tool(name)),
        };
    }
    if !request.extra.is_empty() {
        options.extra_body = Some(Value::Object(request.extra.clone()));
    }
    options
}

/// 0.7 stays 0.7, and does not become 0.699999988079071.
fn shortest(value: f32) -> f64 {
    value.to_string().parse().unwrap_or_else(|_| f64::from(value))
}

fn json_spec(name: &str, schema: Value) -> JsonSpec {
    let letter = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
    JsonSpec::new(name.chars().map(letter).collect::<String>(), schema)
}
