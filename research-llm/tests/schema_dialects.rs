//! Schemas in the dialects of providers, and answers back from them.
#![expect(clippy::unwrap_used, clippy::panic, reason = "the helpers of a test fail it")]

#[path = "schema_dialects/rules.rs"]
mod rules;
#[path = "schema_dialects/strict_answer.rs"]
mod strict_answer;
#[path = "schema_dialects/types.rs"]
mod types;

use std::fmt::Debug;

use proptest::prelude::*;
use research_llm::schema::{Dialect, into_prompt, restore};
use research_llm::{ErrorKind, Message, OutputSchema, Request, Role};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use types::{Contact, Everything, Expr, Shape};

fn adapted(dialect: Dialect, schema: Value) -> Value {
    dialect.adapt(&OutputSchema::new("test", schema)).unwrap().schema
}

fn refused(dialect: Dialect, schema: Value) -> String {
    let error = dialect.adapt(&OutputSchema::new("test", schema)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidRequest);
    error.to_string()
}

/// Sends a value through a dialect and back.
fn round_trip<T>(dialect: Dialect, value: &T) -> Result<(), TestCaseError>
where
    T: Serialize + DeserializeOwned + JsonSchema + PartialEq + Debug,
{
    let schema = OutputSchema::of::<T>();
    let adapted = dialect.adapt(&schema).unwrap();
    rules::check(dialect, &adapted.schema);
    let plain = serde_json::to_value(value).unwrap();
    let wrapped = if adapted.wrapped { json!({"value": plain}) } else { plain.clone() };
    let answer = strict_answer::of(&adapted.schema, &wrapped);
    let answer = answer.unwrap_or_else(|| panic!("{plain} cannot be said in {}", adapted.schema));
    let back: T = serde_json::from_value(restore(&schema.schema, answer.clone()))
        .map_err(|error| TestCaseError::fail(format!("{error}: {answer}")))?;
    prop_assert_eq!(&back, value);
    // A provider without a strict mode answers in the schema's own terms, which must come through as they are.
    prop_assert_eq!(restore(&schema.schema, plain.clone()), plain);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_value_survives_the_strict_dialects(value in types::everything()) {
        round_trip::<Everything>(Dialect::OpenAiStrict, &value)?;
        round_trip::<Everything>(Dialect::Anthropic, &value)?;
    }

    #[test]
    fn roots_that_are_no_objects_are_wrapped_and_unwrapped(
        list in proptest::collection::vec(types::shape(), 0..4),
        map in proptest::collection::btree_map("[a-z]{0,3}", any::<i16>(), 0..4),
        optional in proptest::option::of(types::contact()),
    ) {
        for dialect in [Dialect::OpenAiStrict, Dialect::Anthropic] {
            round_trip::<Vec<Shape>>(dialect, &list)?;
            round_trip(dialect, &map)?;
            round_trip::<Option<Contact>>(dialect, &optional)?;
            round_trip(dialect, &7_u8)?;
        }
    }

    #[test]
    fn types_that_hold_themselves_survive_the_dialect_that_takes_them(value in types::expr()) {
        round_trip::<Expr>(Dialect::OpenAiStrict, &value)?;
    }
}

#[test]
fn a_type_that_holds_itself_is_refused_where_recursion_is() {
    let error = Dialect::Anthropic.adapt(&OutputSchema::of::<Expr>()).unwrap_err();
    assert!(error.to_string().contains("holds itself"), "{error}");
}

#[test]
fn an_optional_field_becomes_nullable_and_not_silently_required() {
    let schema = json!({
        "type": "object",
        "properties": {
            "a": {"type": "string"},
            "b": {"type": "integer"},
            "c": {"type": ["string", "null"]},
            "d": {"$ref": "#/$defs/Level"},
        },
        "required": ["a"],
        "$defs": {"Level": {"type": "string", "enum": ["low", "high"]}},
    });
    let strict = adapted(Dialect::OpenAiStrict, schema.clone());
    assert_eq!(strict["required"], json!(["a", "b", "c", "d"]));
    assert_eq!(strict["properties"]["b"]["type"], json!(["integer", "null"]));
    assert_eq!(strict["properties"]["d"], json!({"anyOf": [{"$ref": "#/$defs/Level"}, {"type": "null"}]}));
    let anthropic = adapted(Dialect::Anthropic, schema.clone());
    assert_eq!(anthropic["required"], json!(["a"]));
    assert_eq!(anthropic["properties"]["c"]["type"], "string");
    let answer = json!({"a": "x", "b": null, "c": null, "d": null});
    assert_eq!(restore(&schema, answer), json!({"a": "x", "c": null}));
}

#[test]
fn limits_outside_of_the_subset_become_words() {
    let schema = json!({
        "type": "object",
        "properties": {
            "text": {"type": "string", "description": "A title", "maxLength": 80, "pattern": "^(?=x)"},
            "share": {"type": "number", "minimum": 0, "maximum": 1},
            "tags": {"type": "array", "items": {"type": "string"}, "uniqueItems": true, "minItems": 2, "maxItems": 5},
        },
        "required": ["text", "share", "tags"],
    });
    let strict = adapted(Dialect::OpenAiStrict, schema.clone());
    let text = &strict["properties"]["text"];
    assert_eq!(text["description"], "A title. At most 80 characters. Matches the regular expression \"^(?=x)\".");
    assert_eq!(strict["properties"]["share"]["maximum"], 1);
    assert_eq!(strict["properties"]["tags"]["maxItems"], 5);
    assert_eq!(strict["properties"]["tags"]["description"], "No two items are alike.");
    let anthropic = adapted(Dialect::Anthropic, schema);
    assert_eq!(anthropic["properties"]["share"]["description"], "Not above 1. Not below 0.");
    assert_eq!(
        anthropic["properties"]["tags"]["description"],
        "At least 2 items. At most 5 items. No two items are alike."
    );
}

#[test]
fn the_plain_dialect_changes_nothing_but_what_cuts_words() {
    let schema = json!({
        "type": "object",
        "properties": {"maxLength": {"type": "string", "maxLength": 12, "minLength": 1}},
        "additionalProperties": {"anyOf": [{"type": "string", "maxLength": 3}, {"type": "null"}]},
    });
    assert_eq!(
        adapted(Dialect::Plain, schema),
        json!({
            "type": "object",
            "properties": {"maxLength": {"type": "string", "minLength": 1, "description": "At most 12 characters."}},
            "additionalProperties": {
                "anyOf": [{"type": "string", "description": "At most 3 characters."}, {"type": "null"}],
            },
        })
    );
}

#[test]
fn what_a_dialect_cannot_say_is_refused_with_its_place() {
    let any = json!({"type": "object", "properties": {"a": {"type": "array", "items": true}}});
    assert!(refused(Dialect::OpenAiStrict, any).contains("at `a.[]`, any JSON"));
    let open =
        json!({"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": {"type": "string"}});
    assert!(refused(Dialect::Anthropic, open).contains("names are not known"));
    let nowhere = json!({"type": "array", "items": {"$ref": "#/$defs/Gone"}});
    assert!(refused(Dialect::OpenAiStrict, nowhere).contains("leads nowhere"));
    let deep = (0..11).fold(
        json!({"type": "object", "properties": {}}),
        |inner, _| json!({"type": "object", "properties": {"a": inner}}),
    );
    assert!(refused(Dialect::OpenAiStrict, deep).contains("levels"));
    let optional: serde_json::Map<_, _> = (0..25).map(|n| (format!("f{n}"), json!({"type": "string"}))).collect();
    let many = json!({"type": "object", "properties": optional});
    assert!(refused(Dialect::Anthropic, many.clone()).contains("25 optional properties"));
    assert!(Dialect::OpenAiStrict.adapt(&OutputSchema::new("test", many)).is_ok());
}

#[test]
fn an_answer_that_fits_nothing_stays_as_it_is() {
    let schema = OutputSchema::of::<Shape>().schema;
    for answer in [json!({"kind": "triangle"}), json!([]), json!("x"), json!({"value": 1, "more": 2}), Value::Null] {
        assert_eq!(restore(&schema, answer.clone()), answer);
    }
}

#[test]
fn a_map_with_a_key_twice_is_not_guessed() {
    let schema = json!({"type": "object", "additionalProperties": {"type": "integer"}});
    let twice = json!([{"key": "a", "value": 1}, {"key": "a", "value": 2}]);
    assert_eq!(restore(&schema, json!({"value": twice})), twice);
}

#[test]
fn the_schema_goes_into_the_last_message_of_the_user_or_into_one_of_its_own() {
    let schema = OutputSchema::new("answer", json!({"type": "boolean"}));
    let request = Request::new().system("s").user("Is it?").schema(schema.clone());
    let prompt = into_prompt(&request);
    assert_eq!((prompt.messages.len(), prompt.schema), (2, None));
    assert!(
        prompt.messages[1].text().starts_with("Is it?") && prompt.messages[1].text().contains(r#"{"type":"boolean"}"#)
    );
    let prompt = into_prompt(&Request::new().message(Message::assistant("Hm.")).schema(schema));
    assert_eq!(prompt.messages[1].role, Role::User);
    assert_eq!(into_prompt(&Request::new().user("u")), Request::new().user("u"));
}
