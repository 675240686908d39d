//! Behaviour of structured answers over a scripted model.

use std::sync::Arc;
use std::time::Duration;

use futures::executor::block_on;
use serde::Deserialize;
use serde_json::json;

use super::*;
use crate::error::ErrorKind;
use crate::message::Role;
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
