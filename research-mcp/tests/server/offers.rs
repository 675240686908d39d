//! Resources, prompts and completion.

use std::time::Duration;

use research_mcp::server::{HttpListen, Refusal, ServerPrompt, ServerResource, ServerResourceTemplate, ToolServer};
use research_mcp::{Content, Object, PromptMessage, ResourceContent};
use serde_json::json;

use crate::wire::{Session, request};
use crate::{ERAS, WAYS, object, reach, watched};

fn server() -> ToolServer {
    let report = ServerResourceTemplate::new("runs://{run}/report.md", "Report", |read| async move {
        match read.variable("run") {
            "7" => Ok(ResourceContent::text(read.uri(), "# Seven")),
            _ => Err(Refusal::resource_not_found(read.uri())),
        }
    });
    let greeting = ServerPrompt::new("greeting", |call| async move {
        let arguments = call.arguments();
        let style = arguments.get("style").map_or("plain", String::as_str);
        Ok(vec![
            PromptMessage::user(Content::text(format!("Greet {} in a {style} way.", arguments["name"]))),
            PromptMessage::assistant(Content::image("image/png", "AAAA")),
        ])
    });
    ToolServer::builder("offering", "1")
        .resource(ServerResource::text("note://a", "A note", "Remember."))
        .resource(ServerResource::blob("pixel://a", "A pixel", "AAAA").media_type("image/png"))
        .resource_template(report.media_type("text/markdown").description("What came out"))
        .list_resources(|| async { Ok(vec![ServerResource::new("runs://7/report.md", "Run 7")]) })
        .prompt(greeting.description("Greets.").requires("name", "Whom.").takes("style", "How."))
        .completion(|wanted| async move {
            let names = ["Ada".to_owned(), "Alan".to_owned(), "Grace".to_owned()];
            let many = (0..150).map(|number| number.to_string());
            Ok(if wanted.is_prompt {
                names.into_iter().filter(|name| name.starts_with(&wanted.value)).collect()
            } else {
                many.collect()
            })
        })
        .cache(Duration::from_secs(60), true)
        .build()
        .unwrap()
}

#[tokio::test]
async fn resources_are_listed_and_read() {
    for way in WAYS {
        for era in ERAS {
            let reached = reach(&server(), way, era, |builder| builder).await;
            let hub = &reached.hub;
            let listed = watched(hub.resources("own")).await.unwrap();
            let listed: Vec<&str> = listed.iter().map(|resource| resource.uri.as_str()).collect();
            assert_eq!(listed, ["note://a", "pixel://a", "runs://7/report.md"], "{way:?} {era:?}");
            let templates = watched(hub.resource_templates("own")).await.unwrap();
            assert_eq!(templates[0].uri_template, "runs://{run}/report.md");
            for (uri, content) in [
                ("note://a", ResourceContent::text("note://a", "Remember.").media_type("text/plain")),
                ("pixel://a", ResourceContent::blob("pixel://a", "AAAA").media_type("image/png")),
                (
                    "runs://7/report.md",
                    ResourceContent::text("runs://7/report.md", "# Seven").media_type("text/markdown"),
                ),
            ] {
                assert_eq!(watched(hub.read_resource("own", uri)).await.unwrap(), [content], "{way:?} {era:?}");
            }
            for uri in ["note://b", "runs://8/report.md", "runs://../report.md", "runs:///report.md"] {
                let error = watched(hub.read_resource("own", uri)).await.unwrap_err().to_string();
                assert!(error.contains("there is no resource"), "{uri}: {error}");
            }
            reached.end().await;
        }
    }
}

#[tokio::test]
async fn what_is_not_there_is_told_by_its_code() {
    let running = server().serve_http(HttpListen::loopback(0)).await.unwrap();
    let session = Session::begin(running.address()).await;
    let params = json!({"uri": "note://b"});
    let old = watched(session.request("resources/read", params.clone())).await;
    assert_eq!((&old["error"]["code"], &old["error"]["data"]), (&json!(-32_002), &params), "{old}");
    let new = watched(request(running.address(), "resources/read", params.clone(), json!({}))).await.message();
    assert_eq!((&new["error"]["code"], &new["error"]["data"]), (&json!(-32_602), &params), "{new}");
    let listed = watched(request(running.address(), "resources/list", json!({}), json!({}))).await.message();
    assert_eq!((&listed["result"]["ttlMs"], &listed["result"]["cacheScope"]), (&json!(60_000), &json!("public")));
    running.shutdown().await;
}

#[tokio::test]
async fn prompts_are_listed_and_written() {
    for (way, era) in WAYS.into_iter().zip(ERAS) {
        let reached = reach(&server(), way, era, |builder| builder).await;
        let hub = &reached.hub;
        let listed = watched(hub.prompts("own")).await.unwrap();
        let arguments: Vec<(&str, bool)> =
            listed[0].arguments.iter().map(|argument| (argument.name.as_str(), argument.required)).collect();
        assert_eq!(arguments, [("name", true), ("style", false)]);
        let written = watched(hub.prompt("own", "greeting", object(json!({"name": "Ada"})))).await.unwrap();
        assert_eq!(written[0], PromptMessage::user(Content::text("Greet Ada in a plain way.")));
        assert_eq!(written[1], PromptMessage::assistant(Content::image("image/png", "AAAA")));
        let error = watched(hub.prompt("own", "greeting", Object::new())).await.unwrap_err().to_string();
        assert!(error.contains("needs the argument `name`"), "{error}");
        let error = watched(hub.prompt("own", "farewell", Object::new())).await.unwrap_err().to_string();
        assert!(error.contains("no prompt `farewell`"), "{error}");
        reached.end().await;
    }
}

#[tokio::test]
async fn values_are_completed_up_to_what_mcp_allows() {
    let running = server().serve_http(HttpListen::loopback(0)).await.unwrap();
    let session = Session::begin(running.address()).await;
    let complete = async |of, value: &str| {
        let params = json!({"ref": of, "argument": {"name": "name", "value": value}});
        watched(session.request("completion/complete", params)).await["result"]["completion"].clone()
    };
    let names = complete(json!({"type": "ref/prompt", "name": "greeting"}), "A").await;
    assert_eq!(names, json!({"values": ["Ada", "Alan"], "total": 2, "hasMore": false}));
    let many = complete(json!({"type": "ref/resource", "uri": "runs://{run}/report.md"}), "").await;
    assert_eq!(many["values"].as_array().unwrap().len(), 100);
    assert_eq!((&many["total"], &many["hasMore"]), (&json!(150), &json!(true)));
    running.shutdown().await;
}

#[test]
fn a_resource_that_nobody_can_read_is_not_offered() {
    let error = ToolServer::builder("wrong", "1").resource(ServerResource::new("r://a", "a")).build().unwrap_err();
    assert!(error.to_string().contains("`r://a` cannot be read"), "{error}");
    let empty = |_| async { Ok(ResourceContent::default()) };
    let error =
        ToolServer::builder("wrong", "1").resource_template(ServerResourceTemplate::new("r://{a", "a", empty)).build();
    assert!(error.unwrap_err().to_string().contains("not closed"));
}
