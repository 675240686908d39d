//! Promises about what is sent.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::super::report::{Broken, Outcome, ensure, same};
use super::super::samples::{request, response};
use super::super::suite::{KEY, Suite};
use crate::message::{Image, Message};
use crate::request::{OutputSchema, Request, Task, Tier};
use crate::response::Response;
use crate::structured::ChatModelExt;
use crate::testing::server::Answer;
use crate::testing::wire::turns;

/// Messages, limits, temperature, stop texts, model and key arrive, and nothing that the format does not have.
pub(super) async fn the_conversation_and_the_settings_are_sent(suite: &Suite) -> Outcome {
    let request = Request::new()
        .system("Be brief.")
        .user("Hello \"you\"\n🐝")
        .message(Message::assistant("Hello."))
        .user("What is 6 × 7?")
        .max_output_tokens(2_048)
        .temperature(0.25);
    let request = if suite.format.takes_stop() { request.stop("END").stop("FIN") } else { request };
    for (asked, _) in suite.both_ways(&request, &response()).await? {
        same("the standing instructions", asked.system.as_str(), "Be brief.")?;
        same("the conversation", &asked.turns, &turns(&request.messages))?;
        same("the limit of the answer", asked.max_output_tokens, Some(2_048))?;
        same("the temperature", asked.temperature, Some(0.25))?;
        same("the stop texts", &asked.stop, &request.stop)?;
        same("the key", asked.key.as_deref(), Some(KEY))?;
        ensure!(!asked.model.is_empty(), "no model is named");
        ensure!(asked.others.is_empty(), "fields that were not asked for: {:?}", asked.others);
    }
    Ok(())
}

/// Extra fields go into the body as they are; the task for machines, tier and deadline never leave this process.
pub(super) async fn fields_of_the_providers_own_are_sent_and_nothing_of_the_task(suite: &Suite) -> Outcome {
    let request = request()
        .extra("x_own", json!({"a": [1, 2]}))
        .extra("temperature", 0.75)
        .temperature(0.25)
        .tier(Tier::Max)
        .task(Task::new("secret.task", json!({"input": "of the task"})));
    for (asked, _) in suite.both_ways(&request, &response()).await? {
        let wanted = json!({"x_own": {"a": [1, 2]}});
        same("the other fields", Value::Object(asked.others), wanted)?;
        same("a field that the request sets twice", asked.temperature, Some(0.75))?;
    }
    Ok(())
}

/// Pictures by address and by content arrive between the texts around them.
pub(super) async fn pictures_are_sent(suite: &Suite) -> Outcome {
    let turn = Message::user("Compare")
        .image(Image::url("https://example.org/a.png?x=1&y=2"))
        .image(Image::bytes("image/png", &[0x89, b'P', b'N', b'G', 0, 255]));
    let request = Request::new().message(turn).max_output_tokens(100);
    for (asked, _) in suite.both_ways(&request, &response()).await? {
        same("the turn with pictures", &asked.turns, &turns(&request.messages))?;
    }
    Ok(())
}

#[derive(Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
struct Book {
    title: String,
    pages: Option<u32>,
    #[serde(default)]
    chapters: Vec<Chapter>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
struct Chapter {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<String>,
}

/// The schema arrives in the provider's schema mode, or in the prompt where there is none; no optional field becomes one that
/// must be filled, and an answer that leaves it out is read.
pub(super) async fn a_schema_is_sent_and_optional_stays_optional(suite: &Suite) -> Outcome {
    let (server, model) = suite.serving(suite.whole(&response())).await?;
    let text = r#"{"title": "Graz", "pages": null, "chapters": [{"name": "One", "summary": null}]}"#;
    server.otherwise({
        let format = Arc::clone(&suite.format);
        move |_| Answer::json(200, &format.answer(&Response::new("m-1", text)))
    });
    let original = OutputSchema::of::<Book>();
    let answer = model.complete(&request().schema(original.clone())).await;
    ensure!(answer.is_ok(), "a request with a schema fails: {answer:?}");
    let asked = suite.asked(&server)?;
    match &asked.schema {
        Some(schema) => check_schema(&schema.schema)?,
        None => {
            ensure!(!model.info().abilities.schema, "the schema does not arrive, although the model says it can");
            let prompt = format!("{}{:?}", asked.system, asked.turns);
            ensure!(["title", "pages", "chapters"].iter().all(|word| prompt.contains(word)), "no schema: {prompt}");
        }
    }
    let book = model.structured::<Book>(request()).await;
    let book = book.map_err(|error| Broken::new(format!("an answer with null for an optional field: {error:?}")))?;
    let chapters = vec![Chapter { name: "One".to_owned(), summary: None }];
    same("the answer", book.value, Book { title: "Graz".to_owned(), pages: None, chapters })?;
    same("the attempts", book.attempts, 1)
}

fn check_schema(schema: &Value) -> Outcome {
    for name in ["title", "pages", "chapters"] {
        ensure!(schema["properties"].get(name).is_some(), "the schema has lost `{name}`: {schema}");
    }
    let required = schema["required"].as_array().is_some_and(|names| names.iter().any(|name| name == "pages"));
    let pages = schema["properties"]["pages"].to_string();
    ensure!(!required || pages.contains("\"null\""), "an optional field must be filled: {schema}");
    Ok(())
}

/// An answer that is no object can be asked for, even where the provider takes only objects.
pub(super) async fn a_list_can_be_asked_for(suite: &Suite) -> Outcome {
    let server = suite.server().await?;
    server.otherwise({
        let format = Arc::clone(&suite.format);
        move |received| {
            let schema = format.read(received).ok().and_then(|asked| asked.schema);
            let field =
                schema.as_ref().and_then(|schema| schema.schema["properties"].as_object()?.keys().next().cloned());
            let text = match field {
                Some(field) => json!({ field: ["a", "b"] }).to_string(),
                None => r#"["a", "b"]"#.to_owned(),
            };
            Answer::json(200, &format.answer(&Response::new("m-1", text)))
        }
    });
    let answer = suite.model(&server).structured::<Vec<String>>(request()).await;
    let answer = answer.map_err(|error| Broken::new(format!("a list cannot be asked for: {error:?}")))?;
    suite.asked(&server)?;
    same("the answer", answer.value, vec!["a".to_owned(), "b".to_owned()])
}
