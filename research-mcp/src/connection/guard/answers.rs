//! Replaces an answer that cannot be read by an error, so that the call that waits for it ends.
//!
//! The SDK drops what is not JSON, what is nested more than 128 levels deep, and what has not the form of a message.

use rmcp::model::{RequestId, ServerJsonRpcMessage};
use serde_json::{Value, json};

use super::id::IdScanner;

/// JSON-RPC error code of the replacement of an answer.
pub(crate) const UNREADABLE: i32 = -32_097;

/// JSON-RPC error code of the replacement of text that does not look like a message, such as debug output.
pub(crate) const OTHER_TEXT: i32 = -32_096;

/// Maximum number of characters of other text that are shown.
const SHOWN: usize = 200;

/// Returns the data of an event that answers this request, or an error in its place. Other text, with which some servers keep
/// their connections open, is left alone.
#[cfg(feature = "http")]
pub(crate) fn readable(data: String, request: Option<&RequestId>) -> String {
    let error = replacement(data.as_bytes(), request).filter(|(code, _)| *code == UNREADABLE);
    error.map_or(data, |(_, error)| error.to_string())
}

/// Returns an error in place of a line that cannot be read; `None` for what can be read, and for requests and notifications.
pub(super) fn in_place_of(message: &[u8]) -> Option<Vec<u8>> {
    let (_, error) = replacement(message, None)?;
    Some(error.to_string().into_bytes())
}

/// Returns the error for an answer that cannot be read, and its code.
///
/// The error is for the request whose id is in the answer, or otherwise for the one that is known to be answered here. Without
/// both it has no id.
fn replacement(message: &[u8], request: Option<&RequestId>) -> Option<(i32, Value)> {
    let text = message.trim_ascii();
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    if text.is_empty() {
        return None;
    }
    let reason = serde_json::from_slice::<ServerJsonRpcMessage>(text).err()?;

    let mut scanner = IdScanner::default();
    scanner.feed(text);
    scanner.end();
    if scanner.is_request() {
        return None;
    }
    let is_answer = contains(text, b"\"jsonrpc\"");
    let id: Option<Value> = scanner.id().and_then(|id| serde_json::from_str(&id).ok());
    let (code, message) = match is_answer || id.is_some() {
        true => (UNREADABLE, format!("its answer is not a message of MCP: {reason}")),
        false => (OTHER_TEXT, format!("it wrote {:?}, which is not a message of MCP", head(text))),
    };

    let id = id.or_else(|| request.and_then(|request| serde_json::to_value(request).ok()));
    tracing::debug!(?id, message, "an answer cannot be read");
    let mut error = json!({"jsonrpc": "2.0", "error": {"code": code, "message": message}});
    if let Some(id) = id {
        error["id"] = id;
    }
    Some((code, error))
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}

fn head(text: &[u8]) -> String {
    String::from_utf8_lossy(&text[..text.len().min(SHOWN * 4)]).chars().take(SHOWN).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replaced(message: &str) -> Option<Value> {
        in_place_of(message.as_bytes()).map(|error| serde_json::from_slice(&error).unwrap())
    }

    #[test]
    fn the_id_is_found_in_an_answer_that_cannot_be_read() {
        let deep = format!(r#"{{"jsonrpc":"2.0","id":7,"result":{}{}}}"#, "[".repeat(200), "]".repeat(200));
        for message in [
            r#"{"jsonrpc":"2.0","id":7,"result":{{{{"#,
            r#"{"jsonrpc":"2.0","result":{"a":1},"id":7"#,
            r#"{"jsonrpc":"2.0","id":7,"result":{"n":1e999}}"#,
            r#"{"jsonrpc":"2.0","id":7,"result":{"t":"\ud800"}}"#,
            r#"{"jsonrpc":"2.0","id":7}"#,
            r#"{"jsonrpc":"1.0","id":7,"result":{}}"#,
            &deep,
        ] {
            let error = replaced(message).unwrap_or_else(|| panic!("{message}"));
            assert_eq!((&error["id"], &error["error"]["code"]), (&json!(7), &json!(UNREADABLE)), "{message}");
        }
    }

    #[test]
    fn without_an_id_the_error_has_none_and_other_text_is_told_apart() {
        for (message, code) in [
            (r#"{"jsonrpc":"2.0","id":7.5,"result":{}}"#, UNREADABLE),
            (r#"[{"jsonrpc":"2.0","id":7,"result":{}}]"#, UNREADABLE),
            ("DEBUG: about to answer {", OTHER_TEXT),
            ("{\"banner\": true}", OTHER_TEXT),
            ("\u{0}garbage", OTHER_TEXT),
        ] {
            let error = replaced(message).unwrap();
            assert_eq!((error.get("id"), &error["error"]["code"]), (None, &json!(code)), "{message}");
        }
    }

    #[test]
    fn what_can_be_read_and_what_asks_is_left_alone() {
        for message in [
            r#"{"jsonrpc":"2.0","id":7,"result":{"anything":[1]}}"#,
            r#"{"jsonrpc":"2.0","id":"7","error":{"code":1,"message":"no"}}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/message","params":{}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{{"#,
            "",
            "\r\n",
        ] {
            assert_eq!(replaced(message), None, "{message}");
        }
    }
}
