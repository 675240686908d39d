//! Messages as the items of a responses request.

use serde_json::{Value, json};

use super::FORMAT;
use crate::error::ModelError;
use crate::message::{Message, Part, Role};
use crate::openai::fields::{arguments, image_url, result_text};

/// All turns. What the server wants back, calls and results are items beside the messages, in the order of the parts.
pub(super) fn input(turns: &[Message]) -> Result<Vec<Value>, ModelError> {
    let mut items = Vec::with_capacity(turns.len());
    for turn in turns {
        let mut said: Vec<Value> = Vec::new();
        for part in &turn.parts {
            let item = match part {
                Part::Text { text } if turn.role == Role::Assistant => {
                    said.push(json!({"type": "output_text", "text": text}));
                    continue;
                }
                Part::Text { text } => {
                    said.push(json!({"type": "input_text", "text": text}));
                    continue;
                }
                Part::Image(image) if turn.role != Role::Assistant => {
                    said.push(json!({"type": "input_image", "image_url": image_url(image)}));
                    continue;
                }
                Part::Image(_) => {
                    return Err(ModelError::invalid_request("a turn of the model cannot hold a picture", None));
                }
                Part::ToolCall(call) => json!({"type": "function_call", "call_id": call.id, "name": call.name,
                    "arguments": arguments(&call.arguments)}),
                Part::ToolResult(result) => {
                    json!({"type": "function_call_output", "call_id": result.call_id, "output": result_text(result)})
                }
                Part::Provider(item) if item.format == FORMAT => item.item.clone(),
                Part::Provider(_) => continue,
            };
            items.extend(message(turn.role, &mut said));
            items.push(item);
        }
        items.extend(message(turn.role, &mut said));
    }
    Ok(items)
}

fn message(role: Role, said: &mut Vec<Value>) -> Option<Value> {
    let role = match role {
        Role::System => "system",
        Role::Assistant => "assistant",
        // What a tool shows beside its results is shown by the program.
        Role::User | Role::Tool => "user",
    };
    let content = std::mem::take(said);
    (!content.is_empty()).then(|| json!({"type": "message", "role": role, "content": content}))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::ToolCall;
    use crate::message::{Image, ProviderItem, ToolResult};

    #[test]
    fn turns_become_items_in_their_order() {
        let call = ToolCall::new("c1", "f", "{}");
        let reasoning = json!({"type": "reasoning", "id": "r1", "summary": [], "encrypted_content": "x"});
        let turns = [
            Message::system("s"),
            Message::user("u").image(Image::url("https://e.org/i")),
            Message::of(
                Role::Assistant,
                vec![
                    Part::Provider(ProviderItem::new(FORMAT, reasoning.clone())),
                    Part::Provider(ProviderItem::new("anthropic", json!({"no": 1}))),
                    Part::text("so"),
                    Part::ToolCall(call.clone()),
                ],
            ),
            Message::tools([ToolResult::new(&call, "3")]),
        ];
        assert_eq!(
            json!(input(&turns).unwrap()),
            json!([
                {"type": "message", "role": "system", "content": [{"type": "input_text", "text": "s"}]},
                {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "u"},
                    {"type": "input_image", "image_url": "https://e.org/i"}]},
                reasoning,
                {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "so"}]},
                {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"},
                {"type": "function_call_output", "call_id": "c1", "output": "3"},
            ])
        );
    }
}
