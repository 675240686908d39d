//! Behaviour of structured answers over a scripted model.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures::executor::block_on;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::answer::Structured;
use super::ext::ChatModelExt;
use crate::call::ToolCall;
use crate::error::{ErrorKind, ModelError};
use crate::message::Role;
use crate::model::ChatModel;
use crate::request::{OutputSchema, Request};
use crate::response::{FinishReason, Response, Usage};
use crate::testing::{Reply, ScriptedModel};

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Person {
    name: String,
    age: u8,
}

fn ask(model: &dyn ChatModel) -> Result<Structured<Person>, ModelError> {
    block_on(model.structured(Request::new().user("Who?")))
}

#[test]
fn a_fitting_answer_is_taken_at_once_and_the_schema_goes_with_the_request() {
    let model = ScriptedModel::new().then(Reply::json(json!({"name": "Ada", "age": 36})).usage(Usage::new(5, 6)));
    let answer = ask(&model).unwrap();
    assert_eq!(answer.value, Person { name: "Ada".into(), age: 36 });
    assert_eq!((answer.attempts, answer.usage), (1, Usage::new(5, 6)));
    let calls = model.calls();
    let schema = calls[0].schema.as_ref().unwrap();
    assert_eq!(schema.name, "Person");
    assert_eq!(schema.schema["required"], json!(["name", "age"]));
}

#[test]
fn an_answer_that_does_not_fit_goes_back_with_the_precise_error() {
    let model = ScriptedModel::new()
        .then(Reply::text(r#"{"name": "Ada", "age": "old"}"#).usage(Usage::new(1, 2)))
        .then(Reply::json(json!({"name": "Ada", "age": 36})).usage(Usage::new(10, 20)));
    let answer = ask(&model).unwrap();
    assert_eq!((answer.attempts, answer.usage), (2, Usage::new(11, 22)));
    let second = &model.calls()[1];
    assert_eq!(second.messages.len(), 3);
    assert_eq!(second.messages[1].role, Role::Assistant);
    let complaint = second.messages[2].text();
    assert!(complaint.contains("at `age`") && complaint.contains("expected u8"), "{complaint}");
    assert_eq!(answer.rejected, second.messages[1..]);
}

#[test]
fn after_three_answers_the_last_one_is_kept_in_the_error() {
    let model =
        ScriptedModel::new().then("one").then("two").then(Reply::text("three").usage(Usage::new(1, 1))).then("four");
    let error = ask(&model).unwrap_err();
    let ModelError::InvalidOutput(output) = error else { panic!("{error:?}") };
    assert_eq!((output.raw.as_str(), output.attempts, output.usage), ("three", 3, Usage::new(1, 1)));
    assert_eq!(model.calls().len(), 3);
}

#[test]
fn an_error_of_the_first_call_passes_as_it_is() {
    let model = ScriptedModel::new().then(ModelError::timeout(Duration::from_secs(3)));
    assert!(matches!(ask(&model), Err(ModelError::Timeout { .. })));
}

#[test]
fn an_error_of_a_later_call_keeps_what_was_spent() {
    let model =
        ScriptedModel::new().then(Reply::text("no").usage(Usage::new(4, 4))).then(ModelError::rate_limit("slow", None));
    let error = ask(&model).unwrap_err();
    assert_eq!((error.kind(), error.usage()), (ErrorKind::RateLimit, Usage::new(4, 4)));
}

#[test]
fn it_works_through_every_pointer() {
    let answer = || ScriptedModel::new().then(json!({"name": "Ada", "age": 1}));
    let shared: Arc<dyn ChatModel> = Arc::new(answer());
    let boxed: Box<dyn ChatModel> = Box::new(answer());
    assert_eq!(ask(&shared).unwrap().value.age, 1);
    assert_eq!(ask(&boxed).unwrap().value.age, 1);
    let model = answer().then(json!({"name": "Eve", "age": 2}));
    assert_eq!(age(&model), 1);
    assert_eq!(age(model), 2);
}

fn age<M: ChatModel>(model: M) -> u8 {
    block_on(model.structured::<Person>(Request::new())).unwrap().value.age
}

#[test]
fn the_last_answer_comes_with_the_value() {
    let mut answer = Response::new("demo-1", r#"{"name": "Ada", "age": 1}"#);
    answer.reasoning = Some("I looked it up.".into());
    let model = ScriptedModel::new().then("no").then(answer.clone());
    assert_eq!(ask(&model).unwrap().response, answer);
}

#[test]
fn an_answer_of_a_strict_provider_is_restored() {
    #[derive(Debug, PartialEq, Deserialize, JsonSchema)]
    struct Tagged {
        #[serde(default)]
        tags: Vec<String>,
        by: BTreeMap<String, u8>,
    }
    let strict = json!({"value": [{"tags": null, "by": [{"key": "a", "value": 1}]}]});
    let model = ScriptedModel::new().then(strict);
    let answer = block_on(model.structured::<Vec<Tagged>>(Request::new())).unwrap();
    assert_eq!(answer.value, [Tagged { tags: vec![], by: BTreeMap::from([("a".into(), 1)]) }]);
    assert_eq!(answer.attempts, 1);
}

#[test]
fn an_answer_that_was_cut_is_said_to_be_too_long_and_no_piece_of_it_is_taken() {
    let cut = r#"[{"name": "Ada", "age": 36}, {"name": "Eve", "a"#;
    let model = ScriptedModel::new()
        .then(Reply::text(cut).finish(FinishReason::Length))
        .then(json!({"name": "Ada", "age": 36}));
    let answer = ask(&model).unwrap();
    assert_eq!(answer.attempts, 2);
    let complaint = model.calls()[1].messages[2].text();
    assert!(complaint.contains("limit of its length") && complaint.contains("shorter"), "{complaint}");
}

#[test]
fn a_refusal_is_an_error_of_its_own_and_not_asked_again() {
    let refusal = Reply::text("I will not.").finish(FinishReason::ContentFilter).usage(Usage::new(2, 3));
    let model = ScriptedModel::new().then("no").then(refusal).then(json!({"name": "Ada", "age": 36}));
    let error = ask(&model).unwrap_err();
    assert!(matches!(&error, ModelError::Withheld { message: Some(words), .. } if words == "I will not."));
    assert_eq!((error.kind(), error.usage(), error.is_retryable()), (ErrorKind::Withheld, Usage::new(2, 3), false));
    assert!(!error.user_message().contains("I will not"));
    assert_eq!(model.calls().len(), 2);
}

#[test]
fn an_empty_answer_with_calls_is_asked_again_without_them() {
    let calls = Response::new("demo", "").tool_call(ToolCall::new("1", "f", "{}"));
    let model = ScriptedModel::new().then(calls).then(json!({"name": "Ada", "age": 36}));
    assert_eq!(ask(&model).unwrap().attempts, 2);
    let again = &model.calls()[1];
    assert_eq!(again.messages.len(), 2, "providers refuse an empty message, and calls without results");
    assert!(again.messages.iter().all(|message| message.role == Role::User));
}

#[tokio::test(start_paused = true)]
async fn nothing_is_asked_again_past_the_deadline() {
    let model = ScriptedModel::new().then(Reply::text("no").usage(Usage::new(1, 1))).then("no");
    let request = Request::new().user("Who?").deadline(tokio::time::Instant::now());
    let error = model.structured::<Person>(request).await.unwrap_err();
    assert!(matches!(&error, ModelError::ReaskFailed { .. }) && error.kind() == ErrorKind::Timeout);
    assert_eq!((error.usage(), model.calls().len()), (Usage::new(1, 1), 1));
}

#[test]
fn a_value_without_a_type_is_checked_against_the_schema() {
    let schema = json!({"type": "object", "properties": {"n": {"enum": [1, 2]}}, "required": ["n"]});
    let request = Request::new().user("n?").schema(OutputSchema::new("n", schema));
    let model = ScriptedModel::new().then(json!({"n": 3})).then(json!({"n": 2}));
    let answer = block_on(model.structured_value(request)).unwrap();
    assert_eq!((answer.value, answer.attempts), (json!({"n": 2}), 2));
    assert!(model.calls()[1].messages[2].text().contains('n'));
    let error = block_on(model.structured_value(Request::new().user("n?"))).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidRequest);
}

#[cfg(feature = "validate")]
mod validated {
    use super::*;

    fn schema() -> OutputSchema {
        let word = json!({"type": "string", "maxLength": 4, "pattern": "^[a-z]+$"});
        OutputSchema::new("words", json!({"type": "array", "items": word, "uniqueItems": true}))
    }

    #[test]
    fn every_violation_is_told_with_its_place() {
        let model = ScriptedModel::new().then(json!(["Graz", "abcde", "ok"])).then(json!(["graz", "ok"]));
        let answer = block_on(model.structured_value(Request::new().user("Words!").schema(schema()))).unwrap();
        assert_eq!((answer.value, answer.attempts), (json!(["graz", "ok"]), 2));
        let complaint = model.calls()[1].messages[2].text();
        assert!(complaint.contains("at `/0`") && complaint.contains("at `/1`"), "{complaint}");
    }

    #[test]
    fn ten_violations_are_told_and_the_others_counted() {
        let words: Vec<_> = (0..25).map(|n| format!("W{n}")).collect();
        let model = ScriptedModel::new().then(json!(words)).then(json!([]));
        block_on(model.structured_value(Request::new().user("Words!").schema(schema()))).unwrap();
        let complaint = model.calls()[1].messages[2].text();
        assert_eq!(complaint.matches("at `/").count(), 10);
        assert!(complaint.contains("and 15 more"), "{complaint}");
    }

    #[test]
    fn a_schema_that_is_none_is_refused_before_anything_is_asked() {
        let model = ScriptedModel::new();
        let request = Request::new().user("?").schema(OutputSchema::new("bad", json!({"type": 7})));
        let error = block_on(model.structured_value(request)).unwrap_err();
        assert_eq!((error.kind(), model.calls().len()), (ErrorKind::InvalidRequest, 0));
    }

    #[test]
    fn a_range_that_the_type_does_not_know_is_checked_too() {
        #[derive(Debug, Deserialize, JsonSchema)]
        struct Share {
            #[schemars(range(max = 1.0))]
            share: f64,
        }
        let model = ScriptedModel::new().then(json!({"share": 40})).then(json!({"share": 0.4}));
        let answer = block_on(model.structured::<Share>(Request::new().user("?"))).unwrap();
        assert_eq!((answer.value.share, answer.attempts), (0.4, 2));
    }
}
