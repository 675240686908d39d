//! Tool calls, whole and in pieces, in the manners of several servers.

use serde_json::Value;

use crate::call::ToolCall;
use crate::stream::ToolCallDelta;

/// An id for a call of a server that gives none.
fn new_id() -> String {
    format!("call_{:016x}", fastrand::u64(..))
}

fn text<'a>(value: &'a Value, pointer: &str) -> Option<&'a str> {
    value.pointer(pointer)?.as_str().filter(|text| !text.is_empty())
}

/// The arguments as text, also of a server that sends them as an object.
fn arguments(call: &Value) -> String {
    match call.pointer("/function/arguments") {
        Some(Value::String(text)) => text.clone(),
        None | Some(Value::Null) => String::new(),
        Some(value) => value.to_string(),
    }
}

/// The calls of a whole answer.
pub(super) fn whole(message: &Value) -> Vec<ToolCall> {
    let calls = message.get("tool_calls").and_then(Value::as_array).into_iter().flatten();
    calls
        .map(|call| {
            let id = text(call, "/id").map_or_else(new_id, str::to_owned);
            ToolCall::new(id, text(call, "/function/name").unwrap_or_default(), arguments(call))
        })
        .collect()
}

/// Which pieces belong to which call.
#[derive(Debug, Default)]
pub(super) struct Calls(Vec<Slot>);

#[derive(Debug)]
struct Slot {
    /// The server's number of the call.
    number: Option<u64>,
    /// The server's id of the call.
    id: Option<String>,
    is_named: bool,
}

impl Calls {
    /// Whether there was any.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The event of a piece.
    ///
    /// Pieces belong together by their `index`. Some servers leave it out, or give every call the same one: there, a
    /// new id, or a name without an id, begins a new call. An id or a name that comes again is not repeated.
    pub(super) fn piece(&mut self, piece: &Value) -> ToolCallDelta {
        let (id, name) = (text(piece, "/id"), text(piece, "/function/name"));
        let number = piece.get("index").and_then(Value::as_u64);
        let known = self.find(number, id, name);
        let index = known.unwrap_or(self.0.len());
        let mut delta = ToolCallDelta::new(index, arguments(piece));
        if known.is_none() {
            self.0.push(Slot { number, id: id.map(str::to_owned), is_named: false });
            delta.id = Some(id.map_or_else(new_id, str::to_owned));
        }
        let slot = &mut self.0[index];
        if let Some(name) = name.filter(|_| !slot.is_named) {
            slot.is_named = true;
            delta.name = Some(name.to_owned());
        }
        delta
    }

    fn find(&self, number: Option<u64>, id: Option<&str>, name: Option<&str>) -> Option<usize> {
        if number.is_none() {
            if let Some(id) = id {
                return self.0.iter().rposition(|slot| slot.id.as_deref() == Some(id));
            }
            // A named piece without number and id is a whole call.
            return if name.is_some() { None } else { self.0.len().checked_sub(1) };
        }
        let found = self.0.iter().rposition(|slot| slot.number == number)?;
        let begins = match (id, self.0[found].id.as_deref()) {
            (Some(id), Some(known)) => id != known && name.is_some(),
            _ => false,
        };
        (!begins).then_some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn joined(pieces: &[Value]) -> Vec<(String, String, String)> {
        let mut calls = Calls::default();
        let mut answer = crate::stream::Accumulated::new("m");
        for piece in pieces {
            answer.add(crate::stream::StreamEvent::ToolCall(calls.piece(piece)));
        }
        let calls = &answer.so_far().tool_calls;
        calls.iter().map(|call| (call.id.clone(), call.name.clone(), call.arguments.clone())).collect()
    }

    fn piece(index: Option<u64>, id: Option<&str>, name: Option<&str>, arguments: &str) -> Value {
        json!({"index": index, "id": id, "function": {"name": name, "arguments": arguments}})
    }

    fn two() -> Vec<(String, String, String)> {
        vec![("a".into(), "f".into(), "{\"x\":1}".into()), ("b".into(), "g".into(), "{}".into())]
    }

    #[test]
    fn pieces_come_together_in_the_manner_of_every_server() {
        let by_index = [
            piece(Some(0), Some("a"), Some("f"), ""),
            piece(Some(0), None, None, "{\"x\""),
            piece(Some(1), Some("b"), Some("g"), "{}"),
            piece(Some(0), None, None, ":1}"),
        ];
        let without_index = [
            piece(None, Some("a"), Some("f"), "{\"x\""),
            piece(None, None, None, ":1}"),
            piece(None, Some("b"), Some("g"), "{}"),
        ];
        let always_zero =
            [piece(Some(0), Some("a"), Some("f"), "{\"x\":1}"), piece(Some(0), Some("b"), Some("g"), "{}")];
        let repeating = [
            piece(Some(0), Some("a"), Some("f"), "{\"x\""),
            piece(Some(0), Some("a"), Some("f"), ":1}"),
            piece(Some(1), Some("b"), Some("g"), "{}"),
        ];
        for pieces in [&by_index[..], &without_index, &always_zero, &repeating] {
            assert_eq!(joined(pieces), two());
        }
    }

    #[test]
    fn a_call_without_an_id_gets_one_of_its_own() {
        let calls = joined(&[piece(None, None, Some("f"), "{}"), piece(None, None, Some("f"), "{}")]);
        assert_eq!(calls.len(), 2);
        assert!(calls[0].0 != calls[1].0 && calls[0].0.starts_with("call_"));
        let whole = whole(&json!({"tool_calls": [{"function": {"name": "f", "arguments": {"x": 1}}}]}));
        assert_eq!((whole[0].arguments.as_str(), whole[0].id.is_empty()), ("{\"x\":1}", false));
    }
}
