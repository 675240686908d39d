//! What a message, or a piece of one, says: text, reasoning, refusal.

use serde_json::Value;

/// The text. Servers that show reasoning in between send a list of parts.
pub(super) fn text(message: &Value) -> String {
    match message.get("content") {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => parts.iter().filter_map(|part| part.get("text")?.as_str()).collect(),
        _ => String::new(),
    }
}

/// The reasoning: `reasoning_content` (DeepSeek, vLLM, llama.cpp), `reasoning` (OpenRouter, Groq, Ollama), or
/// parts of the type `thinking` (Mistral).
pub(super) fn reasoning(message: &Value) -> String {
    let fields = ["reasoning_content", "reasoning"];
    let field = fields.into_iter().find_map(|field| message.get(field)?.as_str().filter(|text| !text.is_empty()));
    if let Some(text) = field {
        return text.to_owned();
    }
    let parts = message.get("content").and_then(Value::as_array).into_iter().flatten();
    let thinking = parts.filter_map(|part| part.get("thinking")?.as_array()).flatten();
    thinking.filter_map(|part| part.get("text")?.as_str()).collect()
}

/// Why the model does not answer.
pub(super) fn refusal(message: &Value) -> Option<&str> {
    message.get("refusal")?.as_str().filter(|text| !text.is_empty())
}

/// Adds more of what the server wants back: texts are joined, lists grow.
pub(super) fn join(before: &mut Value, more: &Value) {
    match (before, more) {
        (Value::String(before), Value::String(more)) => before.push_str(more),
        (Value::Array(before), Value::Array(more)) => before.extend(more.iter().cloned()),
        (before @ Value::Null, more) => *before = more.clone(),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_servers_text_and_reasoning_are_found() {
        for (message, said, thought) in [
            (json!({"content": "a", "reasoning_content": "b"}), "a", "b"),
            (json!({"content": null, "reasoning": "b"}), "", "b"),
            (json!({"content": "a", "reasoning": "b", "reasoning_content": "b"}), "a", "b"),
            (
                json!({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "b"}]},
                    {"type": "text", "text": "a"}]}),
                "a",
                "b",
            ),
            (json!({}), "", ""),
        ] {
            assert_eq!((text(&message).as_str(), reasoning(&message).as_str()), (said, thought), "{message}");
        }
    }

    #[test]
    fn pieces_that_go_back_are_joined_by_their_kind() {
        let mut value = Value::Null;
        for more in [json!("a"), json!("b"), json!(null), json!(["c"])] {
            join(&mut value, &more);
        }
        assert_eq!(value, "ab");
        let mut list = json!([1]);
        join(&mut list, &json!([2, 3]));
        assert_eq!(list, json!([1, 2, 3]));
    }
}
