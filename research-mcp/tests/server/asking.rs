//! One function asks the client in every revision: before 2026-07-28 in the middle of a call, since then by a result.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use research_mcp::server::{
    Answer, Capability, HttpListen, Question, Sampling, ServerPrompt, ServerTool, ToolReply, ToolServer,
};
use research_mcp::{
    BoxFuture, Content, ElicitAnswer, Elicitation, Elicitor, McpErrorKind, Object, PromptMessage, ToolSource, Wanted,
};
use serde_json::{Value, json};

use crate::wire::request;
use crate::{ERAS, WAYS, reach, watched};

fn schema(name: &str) -> Value {
    json!({"type": "object", "properties": {name: {"type": "string", "minLength": 1}}, "required": [name]})
}

/// Asks for a name and then, knowing it, for a colour; and counts how often it runs.
fn paint(runs: &Arc<AtomicUsize>) -> ServerTool {
    let runs = Arc::clone(runs);
    ServerTool::new("paint", "Paints.", json!({"type": "object"}), move |call| {
        runs.fetch_add(1, Ordering::Relaxed);
        async move {
            let caller = call.caller();
            let name = match caller.elicit("name", "Whose?", schema("name")).await? {
                ElicitAnswer::Accept(answer) => answer["name"].clone(),
                _ => return Ok(ToolReply::text("nobody's")),
            };
            let colour = caller.ask("colour", Question::form(format!("{name}'s colour?"), schema("colour"))).await?;
            Ok(ToolReply::structured(json!({"name": name, "colour": colour.accepted()})))
        }
    })
}

fn gather() -> ServerTool {
    ServerTool::new("gather", "Asks for all there is.", json!({"type": "object"}), |call| async move {
        let caller = call.caller();
        let questions = [
            ("words", Question::Sample(Sampling::new("Say it.", 10).system("Be brief."))),
            ("folders", Question::Roots),
            ("page", Question::visit("Sign in", "https://sign-in.example/")),
        ];
        let offered = |question: &Question| match question {
            Question::Sample(_) => caller.offers(Capability::Sampling),
            Question::Roots => caller.offers(Capability::Roots),
            _ => caller.offers(Capability::Elicitation),
        };
        let answers = caller.ask_all(questions.into_iter().filter(|(_, question)| offered(question))).await?;
        let words = |answer: &Answer| match answer {
            Answer::Model(sampled) => format!("{}: {}", sampled.model, sampled.text()),
            Answer::Roots(roots) => roots.iter().map(|root| root.uri.as_str()).collect::<Vec<_>>().join(" "),
            other => format!("{other:?}"),
        };
        let said: BTreeMap<&str, String> = answers.iter().map(|(key, answer)| (key.as_str(), words(answer))).collect();
        Ok(ToolReply::json(&said)?)
    })
}

fn server(runs: &Arc<AtomicUsize>) -> ToolServer {
    let sampled = ServerTool::new("sampled", "Needs a model.", json!({"type": "object"}), |call| async move {
        call.caller().ask("words", Question::Sample(Sampling::new("Say it.", 10))).await?;
        Ok(ToolReply::text("said"))
    });
    let letter = ServerPrompt::new("letter", |call| async move {
        let to = call.caller().ask("to", Question::form("To whom?", schema("to"))).await?;
        let to = to.accepted().and_then(|answer| answer["to"].as_str()).unwrap_or("nobody").to_owned();
        Ok(vec![PromptMessage::user(Content::text(format!("Write to {to}.")))])
    });
    let builder = ToolServer::builder("asking", "1").tool(paint(runs)).tool(gather()).tool(sampled);
    builder.prompt(letter).build().unwrap()
}

/// Answers by what is asked, and keeps the questions.
#[derive(Default)]
struct Person(Mutex<Vec<String>>);

impl Elicitor for Person {
    fn ask(&self, question: Elicitation) -> BoxFuture<'_, ElicitAnswer> {
        self.0.lock().unwrap().push(question.message.clone());
        let answer = match question.wanted {
            Wanted::Form { schema, .. } if schema["properties"]["name"].is_object() => json!({"name": "Ada"}),
            Wanted::Form { schema, .. } if schema["properties"]["colour"].is_object() => json!({"colour": "green"}),
            _ => Value::Null,
        };
        Box::pin(async { ElicitAnswer::Accept(answer) })
    }
}

#[tokio::test]
async fn two_rounds_are_one_function_in_both_eras() {
    for way in WAYS {
        for (era, rounds) in ERAS.into_iter().zip([1, 3]) {
            let (runs, person) = (Arc::new(AtomicUsize::new(0)), Arc::new(Person::default()));
            let elicitor = Arc::clone(&person);
            let reached = reach(&server(&runs), way, era, |builder| builder.elicitor(elicitor)).await;
            let output = watched(reached.hub.call_tool("paint", Object::new())).await.unwrap();
            assert_eq!(output.structured.unwrap(), json!({"name": "Ada", "colour": {"colour": "green"}}));
            assert_eq!(*person.0.lock().unwrap(), ["Whose?", "\"Ada\"'s colour?"], "{way:?} {era:?}");
            assert_eq!(runs.load(Ordering::Relaxed), rounds, "{way:?} {era:?}");
            reached.end().await;
        }
    }
}

#[tokio::test]
async fn a_client_that_cannot_be_asked_is_not() {
    for (way, era) in WAYS.into_iter().zip(ERAS) {
        let reached = reach(&server(&Arc::default()), way, era, |builder| builder).await;
        let error = watched(reached.hub.call_tool("paint", Object::new())).await.unwrap_err();
        assert_ne!(error.kind(), McpErrorKind::Timeout, "{error}");
        let output = watched(reached.hub.call_tool("gather", Object::new())).await.unwrap();
        assert_eq!(output.structured.unwrap(), json!({}));
        reached.end().await;
    }
}

#[tokio::test]
async fn a_missing_capability_is_named() {
    let running = server(&Arc::default()).serve_http(HttpListen::loopback(0)).await.unwrap();
    let call = json!({"name": "sampled", "arguments": {}});
    let answer = watched(request(running.address(), "tools/call", call, json!({"elicitation": {}}))).await;
    let error = &answer.message()["error"];
    assert_eq!((answer.status, &error["code"]), (400, &json!(-32_021)), "{answer:?}");
    assert_eq!(error["data"]["requiredCapabilities"], json!({"sampling": {}}), "{error}");
    running.shutdown().await;
}

#[tokio::test]
async fn answers_are_read_and_asked_for_again_when_they_do_not_fit() {
    let running = server(&Arc::default()).serve_http(HttpListen::loopback(0)).await.unwrap();
    let address = running.address();
    let ask = async |params: Value| {
        let all = json!({"elicitation": {"form": {}, "url": {}}, "sampling": {}, "roots": {}});
        watched(request(address, "tools/call", params, all)).await.message()
    };
    let first = ask(json!({"name": "gather", "arguments": {}})).await;
    let wanted = &first["result"]["inputRequests"];
    assert_eq!(first["result"]["resultType"], "input_required", "{first}");
    assert_eq!(wanted["words"]["method"], "sampling/createMessage");
    assert_eq!(wanted["words"]["params"]["systemPrompt"], "Be brief.");
    assert_eq!(wanted["folders"]["method"], "roots/list");
    assert_eq!(wanted["page"]["params"]["url"], "https://sign-in.example/");
    let good = json!({
        "words": {"role": "assistant", "model": "m", "content": {"type": "text", "text": "it"}},
        "folders": {"roots": [{"uri": "file:///a"}, {"uri": "file:///b", "name": "b"}]},
        "page": {"action": "accept"},
        "nobody asked": {"action": "accept"},
    });
    let last = ask(json!({"name": "gather", "arguments": {}, "inputResponses": good,
        "requestState": first["result"]["requestState"]}))
    .await;
    assert_eq!(
        last["result"]["structuredContent"],
        json!({"words": "m: it", "folders": "file:///a file:///b", "page": "User(Accept(Null))"}),
        "{last}"
    );
    for bad in [
        json!(3),
        json!({"action": "accept"}),
        json!({"action": "maybe"}),
        json!({"action": "accept", "content": {"name": ""}}),
    ] {
        let again = ask(json!({"name": "paint", "arguments": {}, "inputResponses": {"name": bad}})).await;
        assert!(again["result"]["inputRequests"]["name"].is_object(), "{bad}: {again}");
    }
    let declined = json!({"name": "paint", "arguments": {}, "inputResponses": {"name": {"action": "decline"}}});
    assert_eq!(ask(declined).await["result"]["content"][0]["text"], "nobody's");
    running.shutdown().await;
}

#[tokio::test]
async fn a_state_is_good_for_its_own_request_only() {
    let (one, other) = (server(&Arc::default()), server(&Arc::default()));
    let one = one.serve_http(HttpListen::loopback(0)).await.unwrap();
    let other = other.serve_http(HttpListen::loopback(0)).await.unwrap();
    let ask = async |server: &research_mcp::server::RunningServer, params: Value| {
        watched(request(server.address(), "tools/call", params, json!({"elicitation": {}}))).await.message()
    };
    let first = ask(&one, json!({"name": "paint", "arguments": {"a": 1}})).await;
    let state = first["result"]["requestState"].as_str().unwrap().to_owned();
    let again = |state: &str, arguments: Value| {
        json!({"name": "paint", "arguments": arguments, "requestState": state,
            "inputResponses": {"name": {"action": "accept", "content": {"name": "Ada"}}}})
    };
    let good = ask(&one, again(&state, json!({"a": 1}))).await;
    assert!(good["result"]["inputRequests"]["colour"].is_object(), "{good}");
    let tampered = format!("{state}x");
    for (server, params) in [
        (&one, again(&tampered, json!({"a": 1}))),
        (&one, again("made up", json!({"a": 1}))),
        (&one, again(&state, json!({"a": 2}))),
        (&other, again(&state, json!({"a": 1}))),
    ] {
        let refused = ask(server, params.clone()).await;
        assert_eq!(refused["error"]["code"], -32_602, "{params}: {refused}");
    }
    one.shutdown().await;
    other.shutdown().await;
}

#[tokio::test]
async fn a_prompt_asks_too() {
    let running = server(&Arc::default()).serve_http(HttpListen::loopback(0)).await.unwrap();
    let ask = async |params: Value| {
        watched(request(running.address(), "prompts/get", params, json!({"elicitation": {}}))).await.message()
    };
    let first = ask(json!({"name": "letter"})).await;
    assert!(first["result"]["inputRequests"]["to"].is_object(), "{first}");
    let last = ask(json!({"name": "letter", "requestState": first["result"]["requestState"],
        "inputResponses": {"to": {"action": "accept", "content": {"to": "Bob"}}}}))
    .await;
    assert_eq!(last["result"]["messages"][0]["content"]["text"], "Write to Bob.", "{last}");
    running.shutdown().await;
}
