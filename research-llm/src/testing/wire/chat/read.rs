//! Reads the body of a chat completions request.

use serde_json::Value;

use super::super::asked::{Asked, image};
use super::super::fields::{Fields, Read};
use super::super::openai;
use crate::call::ToolCall;
use crate::message::{Message, Part, Role, ToolResult};
use crate::testing::server::Received;

/// Reads a request.
pub(super) fn read(request: &Received) -> Read<Asked> {
    let mut body = Fields::of_body(request, "/v1/chat/completions")?;
    let mut asked = Asked {
        key: openai::bearer(request),
        model: body.text("model")?,
        streamed: body.flag("stream")?.unwrap_or(false),
        temperature: body.number("temperature")?,
        top_p: body.number("top_p")?,
        seed: body.whole("seed")?,
        parallel_tool_calls: body.flag("parallel_tool_calls")?,
        thinking: body.maybe_text("reasoning_effort")?.map(Value::from),
        ..Asked::default()
    };
    if let Some(mut options) = body.maybe_object("stream_options")? {
        if !asked.streamed {
            return Err(options.wrong("only a stream has options"));
        }
        asked.counts_usage = options.flag("include_usage")?.unwrap_or(false);
        options.done()?;
    }
    asked.max_output_tokens = match (body.whole("max_tokens")?, body.whole("max_completion_tokens")?) {
        (Some(_), Some(_)) => return Err(body.wrong("`max_tokens` and `max_completion_tokens` together")),
        (old, new) => new.or(old),
    };
    asked.stop = match body.take("stop") {
        None => Vec::new(),
        Some(Value::String(text)) => vec![text],
        Some(Value::Array(texts)) if texts.len() <= 4 && texts.iter().all(Value::is_string) => {
            texts.iter().filter_map(Value::as_str).map(str::to_owned).collect()
        }
        Some(other) => return Err(body.wrong(format_args!("`stop` is {other}, not up to four texts"))),
    };
    for mut tool in body.objects("tools")? {
        tool.word("type", &["function"])?;
        let function = tool.object("function")?;
        tool.done()?;
        asked.tools.push(openai::function(function)?);
    }
    asked.tool_choice = openai::tool_choice(&mut body, |choice| choice.object("function")?.text("name"))?;
    if let Some(mut format) = body.maybe_object("response_format")? {
        match format.word("type", &["text", "json_object", "json_schema"])?.as_str() {
            "json_schema" => asked.schema = Some(openai::schema(format.object("json_schema")?)?),
            _ => asked.schema = None,
        }
        format.done()?;
    }
    let messages = body.objects("messages")?;
    if messages.is_empty() {
        return Err(body.wrong("no messages"));
    }
    for message in messages {
        self::message(&mut asked, message)?;
    }
    asked.settle("body.messages")?;
    asked.others = body.rest();
    Ok(asked)
}

fn message(asked: &mut Asked, mut message: Fields) -> Read<()> {
    match message.word("role", &["system", "developer", "user", "assistant", "tool"])?.as_str() {
        "system" | "developer" => {
            let parts = content(&mut message, false)?;
            asked.instruct(&Message::of(Role::System, parts).text());
        }
        "user" => {
            let parts = content(&mut message, true)?;
            asked.turns.push(Message::of(Role::User, parts));
        }
        "assistant" => {
            let mut parts = content(&mut message, false)?;
            for mut call in message.objects("tool_calls")? {
                call.word("type", &["function"])?;
                let id = call.text("id")?;
                let mut function = call.object("function")?;
                let made = ToolCall::new(id, function.text("name")?, function.text("arguments")?);
                function.done()?;
                call.done()?;
                parts.push(Part::ToolCall(made));
            }
            if parts.is_empty() {
                return Err(message.wrong("neither content nor calls"));
            }
            asked.turns.push(Message::of(Role::Assistant, parts));
        }
        _ => {
            let text = Message::of(Role::Tool, content(&mut message, false)?).text();
            let call = ToolCall::new(message.text("tool_call_id")?, "", "");
            asked.turns.push(Message::tools([ToolResult::new(&call, text)]));
        }
    }
    message.done()
}

fn content(message: &mut Fields, pictures: bool) -> Read<Vec<Part>> {
    let place = format!("{}.content", message.place());
    let parts = match message.take("content") {
        None => return Ok(Vec::new()),
        Some(Value::String(text)) => return Ok(vec![Part::text(text)]),
        Some(Value::Array(parts)) => parts,
        Some(other) => return Err(message.wrong(format_args!("`content` is {other}"))),
    };
    let parts = parts.into_iter().enumerate().map(|(at, part)| {
        let mut part = Fields::of(format!("{place}[{at}]"), part)?;
        let read = match part.word("type", if pictures { &["text", "image_url"] } else { &["text"] })?.as_str() {
            "text" => Part::text(part.text("text")?),
            _ => {
                let mut picture = part.object("image_url")?;
                let url = picture.text("url")?;
                picture.maybe_text("detail")?;
                let image = image(&picture, &url)?;
                picture.done()?;
                Part::Image(image)
            }
        };
        part.done()?;
        Ok(read)
    });
    parts.collect()
}
