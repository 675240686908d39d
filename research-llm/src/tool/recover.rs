//! Tool calls that a model wrote as text.

use serde_json::Value;

use crate::call::{ToolCall, ToolDefinition};
use crate::response::{FinishReason, Response};
use crate::structured::read_object;

/// The answer with the tool calls that its text is, when the provider found none.
///
/// Small models, and servers without a parser for them, put a call into the text: as JSON of `name` and `arguments` (or
/// `parameters`), alone, in a code fence, or between `<tool_call>` tags. The text is read as calls only if there is nothing
/// else in it and every name is a tool's; any other answer stays as it is.
///
/// ```
/// use research_llm::tool::recover_calls;
/// use research_llm::{FinishReason, Response, ToolDefinition};
/// use serde_json::json;
///
/// let tools = [ToolDefinition::new("weather", "Tells the weather.", json!({"type": "object"}))];
/// let text = "```json\n{\"name\": \"weather\", \"arguments\": {\"city\": \"Graz\"}}\n```";
/// let answer = recover_calls(Response::new("demo", text), &tools);
/// assert_eq!(answer.tool_calls[0].arguments, r#"{"city":"Graz"}"#);
/// assert_eq!((answer.text.as_str(), answer.finish), ("", FinishReason::ToolCalls));
/// ```
#[must_use]
pub fn recover_calls(mut response: Response, tools: &[ToolDefinition]) -> Response {
    if !response.tool_calls.is_empty() || tools.is_empty() || response.finish != FinishReason::Stop {
        return response;
    }
    if let Some(calls) = calls(&response.text, tools) {
        response.tool_calls = calls;
        response.text.clear();
        response.finish = FinishReason::ToolCalls;
    }
    response
}

fn calls(text: &str, tools: &[ToolDefinition]) -> Option<Vec<ToolCall>> {
    let text = text.trim();
    let blocks = if text.starts_with("<tool_call>") {
        tagged(text, "<tool_call>", "</tool_call>")?
    } else if text.starts_with("```") {
        tagged(text, "```", "```")?
    } else {
        vec![text]
    };
    let mut calls = Vec::new();
    for block in blocks {
        let block = block.trim();
        let start = block.find(['{', '['])?;
        // What comes before the JSON can only be the language of a fence.
        if block[..start].trim().contains(char::is_whitespace) {
            return None;
        }
        let json = &block[start..];
        let found = match serde_json::from_str(json) {
            Ok(Value::Array(items)) => items,
            Ok(value) => vec![value],
            Err(_) => vec![doubled(json).or_else(|| read_object(json).ok())?],
        };
        for call in found {
            let name = call.get("name")?.as_str()?;
            tools.iter().find(|tool| tool.name == name)?;
            let arguments = call.get("arguments").or_else(|| call.get("parameters"))?;
            let arguments = match arguments {
                Value::Object(_) => arguments.to_string(),
                Value::String(text) => text.clone(),
                _ => return None,
            };
            calls.push(ToolCall::new(format!("text_{}", calls.len()), name, arguments));
        }
    }
    Some(calls).filter(|calls| !calls.is_empty())
}

/// An object in doubled braces: some chat templates show calls like that, and models write what they are shown.
fn doubled(text: &str) -> Option<Value> {
    let rest = text.strip_prefix('{').filter(|rest| rest.starts_with('{'))?;
    let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
    let value = values.next()?.ok()?;
    rest[values.byte_offset()..].chars().all(|c| c == '}' || c.is_whitespace()).then_some(value)
}

/// The insides of blocks, if there is nothing between them.
fn tagged<'a>(text: &'a str, open: &str, close: &str) -> Option<Vec<&'a str>> {
    let mut blocks = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (inside, after) = rest.strip_prefix(open)?.split_once(close)?;
        blocks.push(inside);
        rest = after.trim_start();
    }
    Some(blocks)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn names(text: &str) -> Vec<String> {
        let tools = ["a", "b"].map(|name| ToolDefinition::new(name, "", json!({"type": "object"})));
        recover_calls(Response::new("m", text), &tools).tool_calls.into_iter().map(|call| call.name).collect()
    }

    #[test]
    fn calls_in_the_text_are_found_in_all_their_forms() {
        assert_eq!(names(r#"{"name": "a", "arguments": {}}"#), ["a"]);
        assert_eq!(names(r#"{{"name": "a", "arguments": {"city": "Graz"}}}}"#), ["a"]);
        assert_eq!(names("```\n{\"name\": \"a\", \"parameters\": {\"x\": 1}}\n```"), ["a"]);
        assert_eq!(names(r#"[{"name": "a", "arguments": {}}, {"name": "b", "arguments": {}}]"#), ["a", "b"]);
        assert_eq!(
            names(
                "<tool_call>\n{\"name\": \"a\", \"arguments\": {}}\n</tool_call>\n<tool_call>{\"name\": \"b\", \"arguments\": \"{}\"}</tool_call>"
            ),
            ["a", "b"]
        );
    }

    #[test]
    fn an_answer_that_is_more_than_calls_stays_an_answer() {
        for text in [
            r#"I would call {"name": "a", "arguments": {}}"#,
            r#"{"name": "c", "arguments": {}}"#,
            r#"{{"name": "a", "arguments": {}}} and more"#,
            r#"{"name": "a"}"#,
            "```json\n{\"name\": \"a\", \"arguments\": {}}\n```\nThis calls the tool.",
            "plain words",
            "",
        ] {
            assert!(names(text).is_empty(), "{text}");
        }
    }
}
