//! Reads the body of a responses request.

use serde_json::Value;

use super::super::asked::{Asked, image};
use super::super::fields::{Fields, Read};
use super::super::openai;
use super::message::FORMAT;
use crate::call::ToolCall;
use crate::message::{Message, Part, ProviderItem, Role, ToolResult};
use crate::testing::server::Received;

/// Reads a request.
pub(super) fn read(request: &Received) -> Read<Asked> {
    let mut body = Fields::of_body(request, "/v1/responses")?;
    let mut asked = Asked {
        key: openai::bearer(request),
        model: body.text("model")?,
        streamed: body.flag("stream")?.unwrap_or(false),
        counts_usage: true,
        temperature: body.number("temperature")?,
        top_p: body.number("top_p")?,
        parallel_tool_calls: body.flag("parallel_tool_calls")?,
        max_output_tokens: body.whole("max_output_tokens")?,
        thinking: body.take("reasoning"),
        ..Asked::default()
    };
    if let Some(instructions) = body.maybe_text("instructions")? {
        asked.instruct(&instructions);
    }
    for mut tool in body.objects("tools")? {
        tool.word("type", &["function"])?;
        asked.tools.push(openai::function(tool)?);
    }
    asked.tool_choice = openai::tool_choice(&mut body, |choice| choice.text("name"))?;
    if let Some(mut text) = body.maybe_object("text")? {
        text.maybe_text("verbosity")?;
        if let Some(mut format) = text.maybe_object("format")? {
            match format.word("type", &["text", "json_object", "json_schema"])?.as_str() {
                "json_schema" => asked.schema = Some(openai::schema(format)?),
                _ => format.done()?,
            }
        }
        text.done()?;
    }
    let sealed = body.list("include")?.iter().any(|part| part == "reasoning.encrypted_content");
    let stored = body.flag("store")?.unwrap_or(true);
    if sealed && stored {
        return Err(body.wrong("sealed reasoning is only for answers that are not stored"));
    }
    match body.need("input")? {
        Value::String(text) => asked.turns.push(Message::user(text)),
        Value::Array(items) => {
            for (at, item) in items.into_iter().enumerate() {
                self::item(&mut asked, Fields::of(format!("body.input[{at}]"), item)?)?;
            }
        }
        other => return Err(body.wrong(format_args!("`input` is {other}"))),
    }
    asked.settle("body.input")?;
    asked.others = body.rest();
    Ok(asked)
}

fn item(asked: &mut Asked, mut item: Fields) -> Read<()> {
    let whole = item.whole_object();
    let kind = item.maybe_text("type")?.unwrap_or_else(|| "message".to_owned());
    item.maybe_text("id")?;
    item.maybe_text("status")?;
    match kind.as_str() {
        "message" => message(asked, &mut item)?,
        "function_call" => {
            let call = ToolCall::new(item.text("call_id")?, item.text("name")?, item.text("arguments")?);
            asked.turns.push(Message::of(Role::Assistant, vec![Part::ToolCall(call)]));
        }
        "function_call_output" => {
            let call = ToolCall::new(item.text("call_id")?, "", "");
            asked.turns.push(Message::tools([ToolResult::new(&call, item.text("output")?)]));
        }
        "reasoning" => {
            item.need("summary")?;
            item.take("content");
            // Without it the server would look for the item under its id, where nothing was stored.
            item.need("encrypted_content")?;
            asked.turns.push(Message::of(Role::Assistant, vec![Part::Provider(ProviderItem::new(FORMAT, whole))]));
        }
        other => return Err(item.wrong(format_args!("no item is of the type `{other}`"))),
    }
    item.done()
}

fn message(asked: &mut Asked, item: &mut Fields) -> Read<()> {
    let role = item.word("role", &["system", "developer", "user", "assistant"])?;
    let kinds: &[&str] = match role.as_str() {
        "assistant" => &["output_text", "refusal"],
        "user" => &["input_text", "input_image"],
        _ => &["input_text"],
    };
    let parts = content(item, kinds)?;
    match role.as_str() {
        "assistant" => asked.turns.push(Message::of(Role::Assistant, parts)),
        "user" => asked.turns.push(Message::of(Role::User, parts)),
        _ => asked.instruct(&Message::of(Role::System, parts).text()),
    }
    Ok(())
}

fn content(item: &mut Fields, kinds: &[&str]) -> Read<Vec<Part>> {
    let place = format!("{}.content", item.place());
    let parts = match item.need("content")? {
        Value::String(text) => return Ok(vec![Part::text(text)]),
        Value::Array(parts) => parts,
        other => return Err(item.wrong(format_args!("`content` is {other}"))),
    };
    let parts = parts.into_iter().enumerate().map(|(at, part)| {
        let mut part = Fields::of(format!("{place}[{at}]"), part)?;
        let read = match part.word("type", kinds)?.as_str() {
            "input_image" => {
                let url = part.text("image_url")?;
                part.maybe_text("detail")?;
                Part::Image(image(&part, &url)?)
            }
            "refusal" => Part::text(part.text("refusal")?),
            _ => {
                part.list("annotations")?;
                part.list("logprobs")?;
                Part::text(part.text("text")?)
            }
        };
        part.done()?;
        Ok(read)
    });
    parts.collect()
}
