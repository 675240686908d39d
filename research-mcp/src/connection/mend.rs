//! Saves a list of which the SDK cannot read every entry.
//!
//! The SDK tries one form of result after another. A list with a bad entry in it is none for it, and when the result has metadata
//! beside the list, it is taken for the empty result of a tool call. With nothing but the list in it, it comes through as it is.

use rmcp::model::{Prompt, Resource, ResourceTemplate, Tool};
use serde::Deserialize;
use serde_json::Value;

/// What the SDK would have to be able to read.
#[derive(Deserialize)]
struct Message {
    #[expect(dead_code, reason = "only whether it can be read is of interest")]
    result: Option<Lists>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(dead_code, reason = "only whether they can be read is of interest")]
struct Lists {
    tools: Option<Vec<Tool>>,
    resources: Option<Vec<Resource>>,
    resource_templates: Option<Vec<ResourceTemplate>>,
    prompts: Option<Vec<Prompt>>,
}

/// The lists by their names in a message, with the quotes that stand there.
const LISTS: [&str; 4] = ["\"tools\"", "\"resources\"", "\"resourceTemplates\"", "\"prompts\""];

/// Another message in place of one that the SDK would misread; nothing for all others.
pub(super) fn mended(message: &[u8]) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(message).ok()?;
    if !LISTS.iter().any(|list| text.contains(list)) {
        return None;
    }
    if serde_json::from_slice::<Message>(message).is_ok() {
        return None;
    }
    let mut message: Value = serde_json::from_slice(message).ok()?;
    let result = message.get_mut("result")?.as_object_mut()?;
    let list =
        LISTS.iter().map(|list| list.trim_matches('"')).find(|list| result.get(*list).is_some_and(Value::is_array))?;
    result.retain(|key, _| key == list || key == "nextCursor");
    serde_json::to_vec(&message).ok()
}

#[cfg(test)]
mod tests {
    use rmcp::model::{ServerJsonRpcMessage, ServerResult};
    use serde_json::json;

    use super::*;

    fn read(message: &Value) -> ServerResult {
        let bytes = serde_json::to_vec(message).unwrap();
        let bytes = mended(&bytes).unwrap_or(bytes);
        match serde_json::from_slice(&bytes).unwrap() {
            ServerJsonRpcMessage::Response(response) => response.result,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_list_with_a_bad_tool_comes_through_whatever_stands_beside_it() {
        let bad = json!({"name": "bad"});
        let good = json!({"name": "good", "inputSchema": {"type": "object"}});
        for beside in [json!({}), json!({"_meta": {}, "resultType": "complete", "ttlMs": 0}), json!({"isError": false})]
        {
            let mut result = json!({"tools": [good, bad], "nextCursor": "c"});
            result.as_object_mut().unwrap().extend(beside.as_object().unwrap().clone());
            let answer = read(&json!({"jsonrpc": "2.0", "id": 1, "result": result}));
            let ServerResult::CustomResult(raw) = answer else { panic!("{answer:?}") };
            assert_eq!(raw.0, json!({"tools": [good, bad], "nextCursor": "c"}));
        }
    }

    #[test]
    fn so_do_the_other_lists() {
        let lists = [
            ("resources", json!([{"uri": "a://1", "name": "a"}, {"name": "no address"}])),
            ("resourceTemplates", json!([{"uriTemplate": "a://{x}", "name": "a"}, 5])),
            ("prompts", json!([{"name": "a", "arguments": [{"description": "no name"}]}])),
        ];
        for (list, entries) in lists {
            for beside in [json!({}), json!({"_meta": {}, "resultType": "complete"}), json!({"isError": false})] {
                let mut result = json!({"nextCursor": "c"});
                result[list] = entries.clone();
                let bare = result.clone();
                result.as_object_mut().unwrap().extend(beside.as_object().unwrap().clone());
                let answer = read(&json!({"jsonrpc": "2.0", "id": 1, "result": result}));
                let ServerResult::CustomResult(raw) = answer else { panic!("{answer:?}") };
                assert_eq!(raw.0, bare);
            }
        }
    }

    #[test]
    fn everything_else_is_left_alone() {
        for message in [
            json!({"jsonrpc": "2.0", "id": 1, "result": {"tools": [{"name": "a", "inputSchema": {}}], "_meta": {}}}),
            json!({"jsonrpc": "2.0", "id": 1, "result": {"content": [], "structuredContent": {"tools": [1]}}}),
            json!({"jsonrpc": "2.0", "id": 1, "result": {"capabilities": {"tools": {}}}}),
            json!({"jsonrpc": "2.0", "id": 1, "result": {"resources": [{"uri": "a://1", "name": "a"}], "_meta": {}}}),
            json!({"jsonrpc": "2.0", "id": 1, "result": {"prompts": "none"}}),
            json!({"jsonrpc": "2.0", "method": "x", "params": {"tools": [1]}}),
        ] {
            assert_eq!(mended(&serde_json::to_vec(&message).unwrap()), None, "{message}");
        }
        assert_eq!(mended(b"\"tools\" and garbage"), None);
    }
}
