//! Calls of tools: arguments, results, failures, progress and cancellation.

use std::sync::{Arc, Mutex};

use futures::StreamExt;
use research_mcp::server::{LogLevel, Refusal, ServerTool, ToolFailure, ToolReply, ToolServer};
use research_mcp::{Content, HubEvent, Lifecycle, McpError, Object, ResourceContent, ToolSource};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::sync::Notify;

use crate::{ERAS, WAYS, Way, object, reach, watched};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Find {
    /// What to look for.
    words: Vec<String>,
    /// How many at most.
    limit: Option<u8>,
}

#[derive(Serialize, JsonSchema)]
struct Found {
    total: usize,
    limit: Option<u8>,
}

fn finder() -> ServerTool {
    ServerTool::typed("find", "Finds words.", |find: Find, _| async move {
        Ok(ToolReply::json(&Found { total: find.words.len(), limit: find.limit })?)
    })
    .returns::<Found>()
    .read_only(true)
}

fn server() -> ToolServer {
    let blocks = || {
        [
            Content::text("seen"),
            Content::image("image/png", "AAAA"),
            Content::audio("audio/wav", "BBBB"),
            Content::link("r://a", "a"),
            Content::Resource(ResourceContent::text("r://b", "inside").media_type("text/plain")),
            Content::Resource(ResourceContent::blob("r://c", "CCCC")),
        ]
    };
    let any = || json!({"type": "object"});
    ToolServer::builder("calls", "1")
        .instructions("Look first.")
        .logging()
        .tool(finder())
        .tool(ServerTool::new("blocks", "All kinds.", any(), move |_| async move { Ok(ToolReply::content(blocks())) }))
        .tool(ServerTool::new("report", "Fails in words.", any(), |_| async {
            let number: u32 = "many".parse()?;
            Ok(ToolReply::text(number.to_string()))
        }))
        .tool(ServerTool::new("refuse", "Refuses.", any(), |_| async {
            Err(Refusal::custom(7, "not today", Some(json!({"day": "Sunday"}))).into())
        }))
        .tool(ServerTool::new("panic", "Fails badly.", any(), |call| async move {
            assert!(call.arguments().is_empty(), "on purpose");
            Ok(ToolReply::text("well"))
        }))
        .tool(ServerTool::new("steps", "Reports.", any(), |call| async move {
            let caller = call.caller();
            caller.log(LogLevel::Debug, "not wanted").await;
            caller.log(LogLevel::Warning, json!({"low": "disk"})).await;
            caller.progress(1.0, 2.0, "half").await;
            caller.progress(2.0, None, None).await;
            Ok(ToolReply::text(caller.protocol().unwrap()))
        }))
        .build()
        .unwrap()
}

#[tokio::test]
async fn arguments_that_do_not_fit_never_reach_the_function() {
    for (way, era) in WAYS.into_iter().zip(ERAS) {
        let reached = reach(&server(), way, era, |builder| builder).await;
        for (arguments, named) in [
            (json!({}), "\"words\" is a required property"),
            (json!({"words": "a"}), "`words`: \"a\" is not of type \"array\""),
            (json!({"words": ["a", 3]}), "`words/1`: 3 is not of type \"string\""),
            (json!({"words": [], "limit": 300}), "`limit`: 300"),
            (json!({"words": null}), "`words`: null"),
            (json!({"words": [], "word": "a"}), "'word' was unexpected"),
        ] {
            let output = watched(reached.hub.call_tool("find", object(arguments.clone()))).await.unwrap();
            assert!(output.is_error && output.text.contains(named), "{arguments}: {}", output.text);
        }
        for (arguments, limit) in
            [(json!({"words": ["a"]}), None::<u8>), (json!({"words": ["a"], "limit": null}), None)]
        {
            let output = watched(reached.hub.call_tool("find", object(arguments))).await.unwrap();
            assert_eq!(output.structured.unwrap(), json!({"total": 1, "limit": limit}));
            assert_eq!(output.invalid, None);
        }
        reached.end().await;
    }
}

#[tokio::test]
async fn a_tool_is_listed_with_all_that_was_said_of_it() {
    let reached = reach(&server(), Way::Http, Lifecycle::Auto, |builder| builder).await;
    let tools = reached.hub.tools().await.unwrap();
    let find = tools.iter().find(|tool| tool.name == "find").unwrap();
    assert_eq!((find.description.as_str(), find.hints.read_only), ("Finds words.", Some(true)));
    assert_eq!(find.input_schema["properties"]["limit"]["type"], "integer");
    assert_eq!(find.output_schema.as_ref().unwrap()["properties"]["total"]["type"], "integer");
    reached.end().await;
}

#[tokio::test]
async fn every_kind_of_content_arrives_as_it_was_given() {
    for era in ERAS {
        let reached = reach(&server(), Way::InProcess, era, |builder| builder).await;
        let output = watched(reached.hub.call_tool("blocks", Object::new())).await.unwrap();
        assert_eq!(output.content.len(), 6, "{output:?}");
        assert_eq!(output.content[1], Content::image("image/png", "AAAA"));
        assert_eq!(output.content[2], Content::audio("audio/wav", "BBBB"));
        assert_eq!(output.content[3], Content::link("r://a", "a"));
        assert_eq!(
            output.content[4],
            Content::Resource(ResourceContent::text("r://b", "inside").media_type("text/plain"))
        );
        assert_eq!(output.content[5], Content::Resource(ResourceContent::blob("r://c", "CCCC")));
        reached.end().await;
    }
}

#[tokio::test]
async fn reports_and_refusals_are_told_apart() {
    for (way, era) in WAYS.into_iter().zip(ERAS) {
        let reached = reach(&server(), way, era, |builder| builder).await;
        let hub = &reached.hub;
        let reported = watched(hub.call_tool("report", Object::new())).await.unwrap();
        assert!(reported.is_error && reported.text == "invalid digit found in string", "{reported:?}");
        let refused = watched(hub.call_tool("refuse", Object::new())).await.unwrap_err();
        assert!(refused.to_string().contains("not today"), "{refused}");
        let unknown = watched(hub.call_on("own", "nothing", Object::new())).await.unwrap_err();
        assert!(!matches!(unknown, McpError::Timeout { .. }), "{unknown}");
        reached.end().await;
    }
}

#[tokio::test]
async fn a_function_that_panics_ends_its_call_only() {
    let reached = reach(&server(), Way::Http, Lifecycle::Auto, |builder| builder).await;
    let error = watched(reached.hub.call_tool("panic", object(json!({"x": 1})))).await.unwrap_err();
    assert!(error.to_string().contains("panicked"), "{error}");
    assert_eq!(watched(reached.hub.call_tool("panic", Object::new())).await.unwrap().text, "well");
    reached.end().await;
}

#[tokio::test]
async fn progress_and_log_reach_the_client() {
    for way in WAYS {
        for era in ERAS {
            let reached = reach(&server(), way, era, |builder| builder).await;
            let events = reached.hub.events();
            let output = watched(reached.hub.call_tool("steps", Object::new())).await.unwrap();
            let version = if era == Lifecycle::Initialize { "2025-11-25" } else { "2026-07-28" };
            assert_eq!(output.text, version);
            let said = events.filter_map(async |event| match event {
                HubEvent::Progress { progress, total, message, .. } => {
                    Some(format!("{progress} {total:?} {message:?}"))
                }
                HubEvent::Log { level, data, .. } => Some(format!("{level} {data}")),
                _ => None,
            });
            // Later clients say with each request whether they want a log; this one does not.
            let mut expected = vec!["1 Some(2.0) Some(\"half\")", "2 None None"];
            if era == Lifecycle::Initialize {
                expected.insert(0, "warning {\"low\":\"disk\"}");
            }
            let mut said: Vec<String> = watched(said.take(expected.len()).collect()).await;
            said.sort();
            expected.sort();
            assert_eq!(said, expected, "{way:?} {era:?}");
            reached.end().await;
        }
    }
}

#[tokio::test]
async fn cancellation_reaches_the_function() {
    for way in WAYS {
        for era in ERAS {
            let (begun, told) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
            let log = Arc::new(Mutex::new(Vec::new()));
            let wait = {
                let (begun, told, log) = (Arc::clone(&begun), Arc::clone(&told), Arc::clone(&log));
                ServerTool::new("wait", "Waits.", json!({"type": "object"}), move |call| {
                    let (begun, told, log) = (Arc::clone(&begun), Arc::clone(&told), Arc::clone(&log));
                    async move {
                        begun.notify_one();
                        call.caller().cancelled().cancelled().await;
                        log.lock().unwrap().push("cancelled");
                        told.notify_one();
                        Err(ToolFailure::new("given up"))
                    }
                })
            };
            let server = ToolServer::builder("waiting", "1").tool(wait).build().unwrap();
            let reached = reach(&server, way, era, |builder| builder).await;
            let call = reached.hub.call_tool("wait", Object::new());
            tokio::select! {
                outcome = call => panic!("{outcome:?}"),
                () = watched(begun.notified()) => {}
            }
            watched(told.notified()).await;
            assert_eq!(*log.lock().unwrap(), ["cancelled"], "{way:?} {era:?}");
            reached.end().await;
        }
    }
}

#[tokio::test]
async fn a_client_of_before_says_what_it_wants_to_read_of_the_log() {
    let server = server();
    let running = server.serve_http(research_mcp::server::HttpListen::loopback(0)).await.unwrap();
    let session = crate::wire::Session::begin(running.address()).await;
    assert_eq!(watched(session.request("logging/setLevel", json!({"level": "error"}))).await["result"], json!({}));
    let refused = watched(session.request("logging/setLevel", json!({"level": "loud"}))).await;
    assert!(refused["error"]["code"].is_i64(), "{refused}");
    running.shutdown().await;
}

#[test]
fn a_server_that_does_not_fit_together_is_not_built() {
    let any = |name: &str, schema| ServerTool::new(name, "", schema, |_| async { Ok(ToolReply::default()) });
    let error = ToolServer::builder("wrong", "1")
        .tool(any("two words", json!({"type": "object"})))
        .tool(any("list", json!({"type": "array"})))
        .tool(any("odd", json!({"type": "object", "properties": {"a": {"type": "thing"}}})))
        .tool(any("same", json!({"type": "object"})))
        .tool(any("same", json!({"type": "object"})))
        .state_key("short")
        .build()
        .unwrap_err()
        .to_string();
    for part in ["`wrong`", "`two words`", "tool `list`", "tool `odd`", "`same`", "key"] {
        assert!(error.contains(part), "{part}: {error}");
    }
}

/// What is wrong with each of many values is not looked for.
#[tokio::test]
async fn large_arguments_are_checked_up_to_the_first_problem() {
    for way in WAYS {
        let reached = reach(&server(), way, Lifecycle::Initialize, |builder| builder).await;
        let wrong = object(json!({"words": vec![json!(1); 300_000]}));
        let refused = watched(reached.hub.call_tool("find", wrong)).await.unwrap();
        assert!(refused.is_error && refused.text.contains("`words/0`"), "{way:?}: {}", refused.text);
        assert_eq!(refused.text.matches("is not of type").count(), 1, "{way:?}: {}", refused.text);

        let right = object(json!({"words": vec!["a"; 300_000]}));
        let output = watched(reached.hub.call_tool("find", right)).await.unwrap();
        assert_eq!(output.json().unwrap()["total"], 300_000, "{way:?}");
        reached.end().await;
    }
}
