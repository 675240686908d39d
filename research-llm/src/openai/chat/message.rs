//! Messages as chat completions have them.

use serde_json::{Map, Value, json};

use super::FORMAT;
use crate::error::ModelError;
use crate::message::{Message, Part, Role};
use crate::openai::fields::{arguments, image_url, result_text};
use crate::openai::quirks::Quirks;

/// All turns. Each result of a tool becomes a message of its own, before what else is said in its turn.
pub(super) fn messages(turns: &[Message], quirks: &Quirks) -> Result<Vec<Value>, ModelError> {
    let mut messages = Vec::with_capacity(turns.len());
    for turn in turns {
        for part in &turn.parts {
            if let Part::ToolResult(result) = part {
                let content = result_text(result);
                messages.push(json!({"role": "tool", "tool_call_id": result.call_id, "content": content}));
            }
        }
        match turn.role {
            Role::System => messages.extend(said("system", turn, false)?),
            // What a tool shows beside its results is shown by the program.
            Role::User | Role::Tool => messages.extend(said("user", turn, true)?),
            Role::Assistant => messages.extend(assistant(turn, quirks)?),
        }
    }
    Ok(messages)
}

/// Text, and pictures where they may be. Text alone is sent as a plain string, which every server takes.
fn said(role: &str, turn: &Message, with_images: bool) -> Result<Option<Value>, ModelError> {
    let has_image = turn.parts.iter().any(|part| matches!(part, Part::Image(_)));
    if has_image && !with_images {
        return Err(ModelError::invalid_request(format!("a message of the role `{role}` cannot hold a picture"), None));
    }
    let content = if has_image {
        turn.parts.iter().filter_map(content_part).collect()
    } else if turn.parts.iter().any(|part| part.as_text().is_some()) {
        Value::from(turn.text())
    } else {
        return Ok(None);
    };
    Ok(Some(json!({"role": role, "content": content})))
}

fn content_part(part: &Part) -> Option<Value> {
    match part {
        Part::Text { text } => Some(json!({"type": "text", "text": text})),
        Part::Image(image) => Some(json!({"type": "image_url", "image_url": {"url": image_url(image)}})),
        _ => None,
    }
}

fn assistant(turn: &Message, quirks: &Quirks) -> Result<Option<Value>, ModelError> {
    let calls: Vec<Value> = turn
        .parts
        .iter()
        .filter_map(|part| match part {
            Part::ToolCall(call) => Some(json!({"id": call.id, "type": "function",
                "function": {"name": call.name, "arguments": arguments(&call.arguments)}})),
            _ => None,
        })
        .collect();
    let said = said("assistant", turn, false)?;
    if calls.is_empty() {
        return Ok(said);
    }
    let mut message = Map::new();
    message.insert("role".to_owned(), "assistant".into());
    message.insert("content".to_owned(), said.map_or(Value::Null, |mut said| said["content"].take()));
    message.insert("tool_calls".to_owned(), calls.into());
    // Reasoning goes back with the calls that it led to; elsewhere servers leave it out or refuse it.
    for part in &turn.parts {
        if let (Part::Provider(item), Some(field)) = (part, quirks.reasoning_back)
            && let Some(value) = item.item.get(field).filter(|_| item.format == FORMAT)
        {
            message.insert(field.to_owned(), value.clone());
        }
    }
    Ok(Some(Value::Object(message)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::ToolCall;
    use crate::message::{Image, ProviderItem, ToolResult};

    #[test]
    fn a_turn_with_tools_round_trips_through_the_format() {
        let call = ToolCall::new("c1", "f", "{\"a\":1}");
        let bare = ToolCall::new("c2", "g", "");
        let turns = [
            Message::of(Role::Assistant, vec![Part::ToolCall(call.clone()), Part::ToolCall(bare.clone())]),
            Message::tools([ToolResult::new(&call, "3"), ToolResult::new(&bare, "no such place").error()]),
            Message::assistant("done"),
        ];
        assert_eq!(
            json!(messages(&turns, &Quirks::OPENAI).unwrap()),
            json!([
                {"role": "assistant", "content": null, "tool_calls": [
                    {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{\"a\":1}"}},
                    {"id": "c2", "type": "function", "function": {"name": "g", "arguments": "{}"}},
                ]},
                {"role": "tool", "tool_call_id": "c1", "content": "3"},
                {"role": "tool", "tool_call_id": "c2", "content": "Error: no such place"},
                {"role": "assistant", "content": "done"},
            ])
        );
    }

    #[test]
    fn pictures_go_as_addresses_beside_the_text() {
        let turn = Message::user("What?").image(Image::bytes("image/png", b"abc")).image(Image::url("https://e.org/i"));
        assert_eq!(
            json!(messages(&[turn], &Quirks::OPENAI).unwrap()),
            json!([{"role": "user", "content": [
                {"type": "text", "text": "What?"},
                {"type": "image_url", "image_url": {"url": "data:image/png;base64,YWJj"}},
                {"type": "image_url", "image_url": {"url": "https://e.org/i"}},
            ]}])
        );
        let misplaced = Message::system("s").image(Image::url("https://e.org/i"));
        assert!(messages(&[misplaced], &Quirks::OPENAI).is_err());
    }

    #[test]
    fn reasoning_goes_back_with_tool_calls_to_a_server_that_wants_it() {
        let item = Part::Provider(ProviderItem::new(FORMAT, json!({"reasoning_content": "hm"})));
        let foreign = Part::Provider(ProviderItem::new("anthropic", json!({"reasoning_content": "no"})));
        let call = Part::ToolCall(ToolCall::new("1", "f", "{}"));
        let turn = Message::of(Role::Assistant, vec![item, foreign, call]);
        let sent = |quirks: &Quirks| messages(std::slice::from_ref(&turn), quirks).unwrap().remove(0);
        assert_eq!(sent(&Quirks::DEEPSEEK)["reasoning_content"], "hm");
        assert!(sent(&Quirks::OPENAI).get("reasoning_content").is_none());
    }
}
