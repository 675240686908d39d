//! Values of answers that are still being written.

use futures::StreamExt;
use proptest::prelude::*;
use research_llm::structured::{Partial, complete_json};
use research_llm::testing::{Reply, ScriptedModel};
use research_llm::{ChatModelExt, ErrorKind, ModelError, OutputSchema, Request, Usage};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-1e9..1e9_f64).prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        "[a-c\"\\\\{}\\[\\],:\n\t😀]{0,6}".prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 40, 5, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            proptest::collection::btree_map("[a-z\"\\\\é]{0,4}", inner, 0..5)
                .prop_map(|fields| Value::Object(Map::from_iter(fields))),
        ]
    })
}

/// Whether a value has everything that an earlier one had, at the same place.
fn holds(later: &Value, earlier: &Value) -> bool {
    match (later, earlier) {
        (Value::String(later), Value::String(earlier)) => later.starts_with(earlier),
        (Value::Array(later), Value::Array(earlier)) => {
            later.len() >= earlier.len() && later.iter().zip(earlier).all(|(later, earlier)| holds(later, earlier))
        }
        (Value::Object(later), Value::Object(earlier)) => {
            earlier.iter().all(|(key, earlier)| later.get(key).is_some_and(|later| holds(later, earlier)))
        }
        (later, earlier) => later == earlier,
    }
}

/// The value with every character of its texts as an escape.
fn escaped(text: &str) -> String {
    text.chars()
        .map(|c| {
            if c.is_ascii() {
                c.to_string()
            } else {
                c.encode_utf16(&mut [0; 2]).iter().map(|u| format!("\\u{u:04x}")).collect()
            }
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_beginning_is_closed_to_a_value_that_only_grows(
        value in any_json().prop_filter("numbers and literals have no end of their own", |v| v.is_array() || v.is_object() || v.is_string()),
        before in prop_oneof![Just(""), Just("Here you are: "), Just("```json\n"), Just("<think>[1], no: {\"a\": 2}</think>\n")],
    ) {
        let before = if value.is_string() { "" } else { before };
        let texts = [value.to_string(), serde_json::to_string_pretty(&value).unwrap(), escaped(&value.to_string())];
        for text in texts.map(|text| format!("{before}{text}")) {
            let mut last: Option<Value> = None;
            for (end, _) in text.char_indices().chain([(text.len(), ' ')]) {
                let Some(now) = complete_json(&text[..end]) else {
                    prop_assert!(last.is_none(), "{} came after {last:?}", &text[..end]);
                    continue;
                };
                if let Some(last) = &last {
                    prop_assert!(holds(&now, last), "{last} became {now} at {}", &text[..end]);
                }
                last = Some(now);
            }
            prop_assert_eq!(last.as_ref(), Some(&value));
        }
    }
}

#[test]
fn nothing_is_shown_of_what_may_be_prose() {
    for text in ["", "  ", "I think {", "as said [see above", "<thi", "<think>[1, 2]", "tru", "12"] {
        assert_eq!(complete_json(text), None, "{text:?}");
    }
    assert_eq!(complete_json("as said [see above]: [1,"), Some(json!([1])));
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Report {
    title: String,
    #[serde(default)]
    points: Vec<String>,
}

#[tokio::test]
async fn a_report_is_shown_while_it_grows_and_checked_at_its_end() {
    let title = "a title that is so long that it comes in more than one piece of the scripted model, which it is";
    let text = json!({"points": ["one", "two"], "title": title}).to_string();
    let model = ScriptedModel::new().then(Reply::text(text).usage(Usage::new(3, 4)));
    let pieces: Vec<_> = model.structured_stream::<Report>(Request::new().user("Report!")).collect().await;
    let mut values = Vec::new();
    for piece in &pieces[..pieces.len() - 1] {
        let Ok(Partial::Value(value)) = piece else { panic!("{piece:?}") };
        values.push(value.clone());
    }
    assert!(values.len() > 1 && values.windows(2).all(|pair| holds(&pair[1], &pair[0])), "{values:?}");
    let Ok(Partial::Done(done)) = pieces.last().unwrap() else { panic!("{pieces:?}") };
    assert_eq!(done.value, Report { title: title.into(), points: vec!["one".into(), "two".into()] });
    assert_eq!((done.usage, done.attempts), (Usage::new(3, 4), 1));
}

#[tokio::test]
async fn a_bad_answer_is_taken_back_and_asked_again() {
    let model = ScriptedModel::new().then(r#"{"title": 7}"#).then(r#"{"title": "seven"}"#);
    let pieces: Vec<_> = model.structured_stream::<Report>(Request::new().user("Report!")).collect().await;
    let again = pieces
        .iter()
        .position(|piece| matches!(piece, Ok(Partial::Again { problem, .. }) if problem.contains("title")));
    let again = again.expect("the first answer is taken back");
    assert!(matches!(&pieces[again - 1], Ok(Partial::Value(value)) if value == &json!({"title": 7})));
    assert!(
        matches!(pieces.last(), Some(Ok(Partial::Done(done))) if done.value.title == "seven" && done.attempts == 2)
    );
    assert_eq!(model.calls()[1].messages.len(), 3);
}

#[tokio::test]
async fn an_error_of_the_stream_is_the_last_piece() {
    let model = ScriptedModel::new().then("no JSON").then(ModelError::rate_limit("slow down", None));
    let pieces: Vec<_> = model.structured_stream::<Report>(Request::new().user("Report!")).collect().await;
    let Some(Err(error)) = pieces.last() else { panic!("{pieces:?}") };
    assert!(matches!(error, ModelError::ReaskFailed { .. }) && error.kind() == ErrorKind::RateLimit);
    assert_eq!(pieces.len(), 2);
}

#[tokio::test]
async fn a_wrapped_answer_of_a_strict_provider_grows_as_what_was_asked_for() {
    let entry = |key: &str| json!({"key": key, "value": {"title": "a title that is long enough for a piece of its own", "points": null}});
    let answer = json!({"value": [entry("a"), entry("b")]});
    let model = ScriptedModel::new().then(answer);
    type Reports = std::collections::BTreeMap<String, Report>;
    let pieces: Vec<_> = model.structured_stream::<Reports>(Request::new().user("Reports!")).collect().await;
    let Some(Ok(Partial::Done(done))) = pieces.last() else { panic!("{pieces:?}") };
    assert_eq!(done.value.keys().collect::<Vec<_>>(), ["a", "b"]);
    let values: Vec<_> =
        pieces.iter().filter_map(|p| if let Ok(Partial::Value(value)) = p { Some(value) } else { None }).collect();
    assert!(!values.is_empty() && values.iter().all(|value| value.get("value").is_none()), "{values:?}");
    assert!(OutputSchema::of::<Reports>().schema["type"] == "object");
}
