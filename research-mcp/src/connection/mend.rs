//! Saves a list of tools of which the SDK cannot read every one.
//!
//! The SDK tries one form of result after another. A list with a bad tool in it is none for it, and when the result has metadata
//! beside the list, it is taken for the empty result of a tool call. With nothing but the list in it, it comes through as it is.

use rmcp::model::Tool;
use serde::Deserialize;
use serde_json::Value;

/// What the SDK would have to be able to read.
#[derive(Deserialize)]
struct Message {
    #[expect(dead_code, reason = "only whether it can be read is of interest")]
    result: Option<Tools>,
}

#[derive(Deserialize)]
struct Tools {
    #[expect(dead_code, reason = "only whether they can be read is of interest")]
    tools: Option<Vec<Tool>>,
}

/// Another message in place of one that the SDK would misread; nothing for all others.
pub(super) fn mended(message: &[u8]) -> Option<Vec<u8>> {
    if !std::str::from_utf8(message).is_ok_and(|text| text.contains("\"tools\"")) {
        return None;
    }
    if serde_json::from_slice::<Message>(message).is_ok() {
        return None;
    }
    let mut message: Value = serde_json::from_slice(message).ok()?;
    let result = message.get_mut("result")?.as_object_mut()?;
    if !result.get("tools")?.is_array() {
        return None;
    }
    result.retain(|key, _| matches!(key.as_str(), "tools" | "nextCursor"));
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
    fn everything_else_is_left_alone() {
        for message in [
            json!({"jsonrpc": "2.0", "id": 1, "result": {"tools": [{"name": "a", "inputSchema": {}}], "_meta": {}}}),
            json!({"jsonrpc": "2.0", "id": 1, "result": {"content": [], "structuredContent": {"tools": [1]}}}),
            json!({"jsonrpc": "2.0", "id": 1, "result": {"capabilities": {"tools": {}}}}),
            json!({"jsonrpc": "2.0", "method": "x", "params": {"tools": [1]}}),
        ] {
            assert_eq!(mended(&serde_json::to_vec(&message).unwrap()), None, "{message}");
        }
        assert_eq!(mended(b"\"tools\" and garbage"), None);
    }
}
