//! The events of a streamed response.

use serde_json::{Value, json};

use super::super::format::{Frame, torn};
use super::message::shell;
use crate::response::Response;

/// An event, named as its object is.
pub(super) fn event(object: &Value) -> String {
    let name = object["type"].as_str().unwrap_or_default();
    format!("event: {name}\ndata: {object}\n\n")
}

/// Events, each with its number.
#[derive(Default)]
struct Events(Vec<Frame>);

impl Events {
    fn say(&mut self, kind: &str, object: Value) {
        self.add(kind, object, "");
    }

    fn add(&mut self, kind: &str, mut object: Value, text: &str) {
        object["type"] = json!(kind);
        object["sequence_number"] = json!(self.0.len());
        self.0.push(Frame::new(event(&object), text));
    }
}

/// The events of an answer, whose end is `whole`.
pub(super) fn frames(response: &Response, whole: &Value) -> Vec<Frame> {
    let mut events = Events::default();
    for kind in ["response.created", "response.in_progress"] {
        events.say(kind, json!({"response": shell(response, "in_progress")}));
    }
    let items = whole["output"].as_array().map(Vec::as_slice).unwrap_or_default();
    let mut calls = Vec::new();
    for (index, item) in items.iter().enumerate() {
        match item["type"].as_str() {
            Some("message") => message(&mut events, index, item),
            Some("function_call") => calls.push((index, item)),
            _ => reasoning(&mut events, index, item),
        }
    }
    function_calls(&mut events, &calls);
    let kind = if whole["status"] == "incomplete" { "response.incomplete" } else { "response.completed" };
    events.say(kind, json!({"response": whole}));
    events.0
}

fn message(events: &mut Events, index: usize, item: &Value) {
    let mut begun = item.clone();
    begun["status"] = json!("in_progress");
    begun["content"] = json!([]);
    let at = json!({"item_id": item["id"], "output_index": index, "content_index": 0});
    let with = |field: &str, value: Value| {
        let mut object = at.clone();
        object[field] = value;
        object
    };
    events.say("response.output_item.added", json!({"output_index": index, "item": begun}));
    let empty = json!({"type": "output_text", "text": "", "annotations": [], "logprobs": []});
    events.say("response.content_part.added", with("part", empty));
    let text = item["content"][0]["text"].as_str().unwrap_or_default();
    for piece in torn(text) {
        events.add("response.output_text.delta", with("delta", json!(piece)), &piece);
    }
    events.say("response.output_text.done", with("text", json!(text)));
    events.say("response.content_part.done", with("part", item["content"][0].clone()));
    events.say("response.output_item.done", json!({"output_index": index, "item": item}));
}

fn reasoning(events: &mut Events, index: usize, item: &Value) {
    let mut begun = item.clone();
    begun["summary"] = json!([]);
    events.say("response.output_item.added", json!({"output_index": index, "item": begun}));
    let at = json!({"item_id": item["id"], "output_index": index, "summary_index": 0});
    let with = |field: &str, value: Value| {
        let mut object = at.clone();
        object[field] = value;
        object
    };
    let text = item["summary"][0]["text"].as_str().unwrap_or_default();
    events.say("response.reasoning_summary_part.added", with("part", json!({"type": "summary_text", "text": ""})));
    for piece in torn(text) {
        events.say("response.reasoning_summary_text.delta", with("delta", json!(piece)));
    }
    events.say("response.reasoning_summary_text.done", with("text", json!(text)));
    events.say("response.reasoning_summary_part.done", with("part", item["summary"][0].clone()));
    events.say("response.output_item.done", json!({"output_index": index, "item": item}));
}

/// All calls are begun, then their arguments come, a piece of each in turn, then they end.
fn function_calls(events: &mut Events, calls: &[(usize, &Value)]) {
    let at = |index: usize, item: &Value| json!({"item_id": item["id"], "output_index": index});
    for &(index, item) in calls {
        let mut begun = item.clone();
        begun["status"] = json!("in_progress");
        begun["arguments"] = json!("");
        events.say("response.output_item.added", json!({"output_index": index, "item": begun}));
    }
    let arguments = |item: &Value| item["arguments"].as_str().unwrap_or_default().to_owned();
    let mut open: Vec<_> = calls.iter().map(|&(index, item)| (index, item, torn(&arguments(item)))).collect();
    while !open.is_empty() {
        open.retain_mut(|(index, item, torn)| match torn.next() {
            None => false,
            Some(piece) => {
                let mut object = at(*index, item);
                object["delta"] = json!(piece);
                events.say("response.function_call_arguments.delta", object);
                true
            }
        });
    }
    for &(index, item) in calls {
        let mut object = at(index, item);
        object["arguments"] = json!(arguments(item));
        events.say("response.function_call_arguments.done", object);
        events.say("response.output_item.done", json!({"output_index": index, "item": item}));
    }
}
