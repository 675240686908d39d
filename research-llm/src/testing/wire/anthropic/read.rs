//! Reads the body of a messages request.

use serde_json::Value;

use super::super::asked::{Asked, differs, embedded, name, schema_of_object};
use super::super::fields::{Fields, Read, Unreadable};
use super::message::FORMAT;
use crate::call::{ToolCall, ToolChoice, ToolDefinition};
use crate::message::{Image, Message, Part, ProviderItem, Role, ToolResult};
use crate::request::OutputSchema;
use crate::testing::server::Received;

/// A request may mark so many pieces for the cache.
const MAX_MARKS: usize = 4;

/// Reads a request.
pub(super) fn read(request: &Received) -> Read<Asked> {
    let mut body = Fields::of_body(request, "/v1/messages")?;
    if request.header("anthropic-version") != Some("2023-06-01") {
        return Err(body.wrong("the header anthropic-version is not 2023-06-01"));
    }
    let bearer = request.header("authorization").and_then(|value| value.strip_prefix("Bearer "));
    let mut asked = Asked {
        key: request.header("x-api-key").or(bearer).map(str::to_owned),
        model: body.text("model")?,
        streamed: body.flag("stream")?.unwrap_or(false),
        counts_usage: true,
        temperature: body.number("temperature")?,
        top_p: body.number("top_p")?,
        max_output_tokens: body.whole("max_tokens")?,
        thinking: body.take("thinking").filter(|thinking| thinking["type"] != "disabled"),
        ..Asked::default()
    };
    let Some(limit) = asked.max_output_tokens else { return Err(body.wrong("`max_tokens` is missing")) };
    let budget = asked.thinking.as_ref().and_then(|thinking| thinking["budget_tokens"].as_u64());
    if budget.is_some_and(|budget| budget < 1_024 || budget >= limit) {
        return Err(body.wrong(format_args!("a thinking budget of {budget:?} with max_tokens {limit}")));
    }
    if asked.thinking.is_some() && differs(asked.temperature, 1.0) {
        return Err(body.wrong("a temperature other than 1 together with thinking"));
    }
    for text in body.list("stop_sequences")? {
        let text = text.as_str().ok_or_else(|| body.wrong(format_args!("the stop sequence {text} is no text")))?;
        asked.stop.push(text.to_owned());
    }
    tools(&mut asked, &mut body)?;
    output(&mut asked, &mut body)?;
    system(&mut asked, &mut body)?;
    let messages = body.objects("messages")?;
    if messages.is_empty() {
        return Err(body.wrong("no messages"));
    }
    for message in messages {
        self::message(&mut asked, message)?;
    }
    if asked.turns.first().is_some_and(|turn| turn.role == Role::Assistant) {
        return Err(body.wrong("the first message is not the user's"));
    }
    if asked.cache_marks > MAX_MARKS {
        return Err(body.wrong(format_args!("{} cache marks", asked.cache_marks)));
    }
    asked.settle("body.messages")?;
    asked.others = body.rest();
    Ok(asked)
}

/// Counts the cache mark of a piece.
fn mark(asked: &mut Asked, piece: &mut Fields) -> Read<()> {
    if let Some(mut mark) = piece.maybe_object("cache_control")? {
        mark.word("type", &["ephemeral"])?;
        mark.maybe_text("ttl")?;
        mark.done()?;
        asked.cache_marks += 1;
    }
    Ok(())
}

fn tools(asked: &mut Asked, body: &mut Fields) -> Read<()> {
    for mut tool in body.objects("tools")? {
        tool.maybe_text("type")?;
        let name = name(&mut tool)?;
        let description = tool.maybe_text("description")?.unwrap_or_default();
        let parameters = schema_of_object(&mut tool, "input_schema")?;
        tool.flag("strict")?;
        mark(asked, &mut tool)?;
        tool.done()?;
        asked.tools.push(ToolDefinition::new(name, description, parameters));
    }
    let Some(mut choice) = body.maybe_object("tool_choice")? else { return Ok(()) };
    if asked.tools.is_empty() {
        return Err(choice.wrong("a tool choice without tools"));
    }
    asked.tool_choice = match choice.word("type", &["auto", "any", "tool", "none"])?.as_str() {
        "auto" => ToolChoice::Auto,
        "any" => ToolChoice::Required,
        "none" => ToolChoice::None,
        _ => ToolChoice::Tool(choice.text("name")?),
    };
    asked.parallel_tool_calls = choice.flag("disable_parallel_tool_use")?.map(|disabled| !disabled);
    choice.done()
}

/// The schema of the answer: in `output_config.format` today, in `output_format` before.
fn output(asked: &mut Asked, body: &mut Fields) -> Read<()> {
    let mut format = body.maybe_object("output_format")?;
    if let Some(mut config) = body.maybe_object("output_config")? {
        if let Some(effort) = config.maybe_text("effort")? {
            asked.thinking.get_or_insert(Value::String(effort));
        }
        format = config.maybe_object("format")?.or(format);
        config.done()?;
    }
    if let Some(mut format) = format {
        format.word("type", &["json_schema"])?;
        let schema = format.need("schema")?;
        check_schema(&format, &schema)?;
        format.done()?;
        asked.schema = Some(OutputSchema::new("", schema));
    }
    Ok(())
}

/// Limits that the grammar behind the schema mode cannot hold an answer to.
const UNSUPPORTED: [&str; 8] =
    ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "maxItems"];

/// A schema for the answer must close its objects, and must not limit numbers and lengths.
fn check_schema(format: &Fields, schema: &Value) -> Read<()> {
    match schema {
        Value::Object(map) => {
            if map.get("properties").is_some_and(Value::is_object)
                && map.get("additionalProperties") != Some(&Value::Bool(false))
            {
                return Err(format.wrong("a schema must set additionalProperties to false"));
            }
            for (word, part) in map {
                // The names of properties are the user's own.
                if word == "properties" {
                    part.as_object()
                        .into_iter()
                        .flat_map(|map| map.values())
                        .try_for_each(|part| check_schema(format, part))?;
                    continue;
                }
                if UNSUPPORTED.contains(&word.as_str()) {
                    return Err(format.wrong(format_args!("a schema cannot have `{word}`")));
                }
                check_schema(format, part)?;
            }
            Ok(())
        }
        Value::Array(list) => list.iter().try_for_each(|part| check_schema(format, part)),
        _ => Ok(()),
    }
}

fn system(asked: &mut Asked, body: &mut Fields) -> Read<()> {
    let blocks = match body.take("system") {
        None => return Ok(()),
        Some(Value::String(text)) => {
            asked.instruct(&text);
            return Ok(());
        }
        Some(Value::Array(blocks)) => blocks,
        Some(other) => return Err(body.wrong(format_args!("`system` is {other}"))),
    };
    for block in blocks {
        let mut block = Fields::of("body.system[]", block)?;
        block.word("type", &["text"])?;
        let text = block.text("text")?;
        mark(asked, &mut block)?;
        block.done()?;
        asked.instruct(&text);
    }
    Ok(())
}

fn message(asked: &mut Asked, mut message: Fields) -> Read<()> {
    let role = match message.word("role", &["user", "assistant"])?.as_str() {
        "user" => Role::User,
        _ => Role::Assistant,
    };
    let blocks = match message.need("content")? {
        Value::String(text) => {
            asked.turns.push(Message::new(role, text));
            return message.done();
        }
        Value::Array(blocks) => blocks,
        other => return Err(message.wrong(format_args!("`content` is {other}"))),
    };
    let place = format!("{}.content", message.place());
    message.done()?;
    let mut spoke = false;
    for (at, block) in blocks.into_iter().enumerate() {
        let block = Fields::of(format!("{place}[{at}]"), block)?;
        let at = block.place().to_owned();
        let part = self::block(asked, block, role)?;
        let answers = matches!(part, Part::ToolResult(_));
        if answers && spoke {
            return Err(Unreadable::new(&at, "tool results come first in a turn"));
        }
        spoke |= !answers;
        let role = if answers { Role::Tool } else { role };
        asked.turns.push(Message::of(role, vec![part]));
    }
    Ok(())
}

fn block(asked: &mut Asked, mut block: Fields, role: Role) -> Read<Part> {
    let whole = block.whole_object();
    let kinds: &[&str] = match role {
        Role::Assistant => &["text", "tool_use", "thinking", "redacted_thinking"],
        _ => &["text", "image", "tool_result"],
    };
    let kind = block.word("type", kinds)?;
    let part = match kind.as_str() {
        "text" => Part::text(block.text("text")?),
        "image" => Part::Image(picture(block.object("source")?)?),
        "tool_use" => {
            let (id, name) = (block.text("id")?, block.text("name")?);
            Part::ToolCall(ToolCall::new(id, name, block.object("input")?.whole_object().to_string()))
        }
        "tool_result" => {
            let call = ToolCall::new(block.text("tool_use_id")?, "", "");
            let mut result = ToolResult::new(&call, result_text(&mut block)?);
            result.is_error = block.flag("is_error")?.unwrap_or(false);
            Part::ToolResult(result)
        }
        "thinking" => {
            block.text("thinking")?;
            block.text("signature")?;
            Part::Provider(ProviderItem::new(FORMAT, whole))
        }
        _ => {
            block.text("data")?;
            Part::Provider(ProviderItem::new(FORMAT, whole))
        }
    };
    mark(asked, &mut block)?;
    block.done()?;
    Ok(part)
}

fn result_text(block: &mut Fields) -> Read<String> {
    match block.take("content") {
        None => Ok(String::new()),
        Some(Value::String(text)) => Ok(text),
        Some(Value::Array(parts)) => {
            let texts = parts.into_iter().map(|part| {
                let mut part = Fields::of(format!("{}.content[]", block.place()), part)?;
                part.word("type", &["text"])?;
                let text = part.text("text")?;
                part.done()?;
                Ok(text)
            });
            texts.collect()
        }
        Some(other) => Err(block.wrong(format_args!("`content` is {other}"))),
    }
}

fn picture(mut source: Fields) -> Read<Image> {
    let image = match source.word("type", &["base64", "url"])?.as_str() {
        "url" => Image::url(source.text("url")?),
        _ => {
            let kinds = ["image/jpeg", "image/png", "image/gif", "image/webp"];
            embedded(&source.word("media_type", &kinds)?, &source.text("data")?)
        }
    };
    source.done()?;
    Ok(image)
}
