//! Servers that misbehave when a tool is called.

use std::time::Duration;

use futures::StreamExt;
use research_mcp::{
    Content, HubEvent, Limits, McpError, McpErrorKind, Object, ServerState, ToolChangeKind, ToolSource,
};
use serde_json::json;

use super::{beside, call, call_within, echoes, meanwhile, patient, short};
use crate::{Scratch, object, watched};

#[tokio::test]
async fn a_crash_in_mid_call_is_told_with_its_last_words_and_the_server_comes_back() {
    watched(async {
        let log = Scratch::new();
        let hub = beside(&["--log", log.path()], short()).await;
        let error = call(&hub, "crash", json!({})).await.unwrap_err();
        assert_eq!(error.kind(), McpErrorKind::Closed);
        let text = error.to_string();
        assert!(text.contains("exit status: 3") && text.contains("out of memory"), "{text}");
        assert!(text.contains("`bad`") && text.contains("`crash`"), "{text}");
        echoes(&hub).await;
        let entries = log.lines();
        assert_eq!(entries.iter().filter(|entry| entry.get("start").is_some()).count(), 2);
        assert_eq!(entries.iter().filter(|entry| entry["call"] == "crash").count(), 1, "no call is made twice");
        hub.close().await;
    })
    .await;
}

#[tokio::test]
async fn a_call_that_hangs_ends_at_its_limit_and_is_cancelled() {
    watched(async {
        let log = Scratch::new();
        let hub = beside(&["--log", log.path()], short()).await;
        let error = call_within(&hub, Duration::from_millis(200), "hang").await.unwrap_err();
        assert!(error.is_timeout() && error.tool() == Some("hang"), "{error}");
        echoes(&hub).await;
        hub.close().await;
        assert!(log.lines().iter().any(|entry| entry.get("cancelled").is_some()), "{}", log.text());
    })
    .await;
}

#[tokio::test]
async fn a_line_of_20_megabytes_fails_its_own_call_alone() {
    watched(async {
        let hub = beside(&[], patient()).await;
        let error = call(&hub, "long", json!({"count": 20_000_000})).await.unwrap_err();
        let McpError::TooLarge { bytes, limit, .. } = error else { panic!("{error}") };
        assert!(bytes > 20_000_000 && limit == 1 << 20, "{bytes} {limit}");
        echoes(&hub).await;
        hub.close().await;
    })
    .await;
}

#[tokio::test]
async fn unknown_and_malformed_blocks_are_kept_beside_the_known_ones() {
    watched(async {
        let hub = beside(&[], short()).await;
        for meta in [false, true] {
            let output = call(&hub, "hologram", json!({"meta": meta})).await.unwrap();
            assert_eq!(output.text, "beside it");
            let kinds: Vec<_> = output
                .content
                .iter()
                .filter_map(|block| match block {
                    Content::Unknown { kind, .. } => Some(kind.as_str()),
                    _ => None,
                })
                .collect();
            assert_eq!(kinds, ["hologram", "image"], "with _meta: {meta}");
        }
        hub.close().await;
    })
    .await;
}

#[tokio::test]
async fn an_answer_that_is_no_answer_ends_the_call() {
    watched(async {
        let hub = beside(&[], short()).await;
        let error = call(&hub, "no_result", json!({})).await.unwrap_err();
        assert_eq!(error.kind(), McpErrorKind::Protocol, "{error}");
        // Other text may be debug output: the call ends at its limit, if that comes soon.
        let error = call_within(&hub, Duration::from_millis(300), "garbage").await.unwrap_err();
        assert_eq!(error.kind(), McpErrorKind::Timeout, "{error}");
        echoes(&hub).await;
        hub.close().await;
    })
    .await;
}

/// An answer that cannot be read, with an id that can be and without one.
#[tokio::test]
async fn an_answer_that_cannot_be_read_ends_its_call_at_once() {
    watched(async {
        let hub = beside(&[], endless()).await;
        let deep = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        for line in [
            r#"{"jsonrpc":"2.0","id":{id},"result":{{{{"#.to_owned(),
            r#"{"jsonrpc":"2.0","id":{id},"result""#.to_owned(),
            r#"{"jsonrpc":"2.0","id":{id},"result":{"n":1e999}}"#.to_owned(),
            r#"{"jsonrpc":"2.0","id":{id},"result":{"t":"\ud800"}}"#.to_owned(),
            r#"{"jsonrpc":"2.0","id":{id}}"#.to_owned(),
            format!(r#"{{"jsonrpc":"2.0","id":{{id}},"result":{{"structuredContent":{}}}}}"#, deep(200)),
            r#"{"jsonrpc":"2.0","id":{"#.to_owned(),
            r#"[{"jsonrpc":"2.0","id":{id},"result":{"content":[]}}]"#.to_owned(),
        ] {
            let error = call(&hub, "raw", json!({"line": line})).await.unwrap_err();
            assert_eq!((error.kind(), error.tool()), (McpErrorKind::Protocol, Some("raw")), "{line}: {error}");
            assert!(error.to_string().contains("not a message of MCP"), "{line}: {error}");
            echoes(&hub).await;
        }
        let output = call(&hub, "raw", json!({"line": format!(r#"{{"jsonrpc":"2.0","id":{{id}},"result":{{"content":[],"structuredContent":{{"a":{}}}}}}}"#, deep(100))})).await;
        assert!(output.is_ok(), "{output:?}");
        hub.close().await;
    })
    .await;
}

/// Other text may be debug output before the answer; after a while in which nothing else comes it is taken for the answer.
#[tokio::test]
async fn a_call_that_gets_other_text_and_nothing_more_does_not_wait_for_its_limit() {
    watched(async {
        let hub = beside(&[], endless()).await;
        let error = hub.call_on("bad", "garbage", Object::new()).await.unwrap_err();
        assert_eq!(error.kind(), McpErrorKind::Protocol, "{error}");
        assert!(error.to_string().contains("garbage"), "{error}");
        echoes(&hub).await;
        hub.close().await;
    })
    .await;
}

/// Without an id any of the calls may be meant: all of them end.
#[tokio::test]
async fn an_answer_to_an_unknown_call_ends_all_that_wait() {
    watched(async {
        let hub = beside(&[], endless()).await;
        let waiting = futures::future::join(hub.call_on("bad", "hang", Object::new()), async {
            echoes(&hub).await;
            hub.call_on("bad", "raw", object(json!({"line": r#"{"jsonrpc":"2.0","result":{{"#}))).await
        });
        let (hanging, asked) = waiting.await;
        for error in [hanging.unwrap_err(), asked.unwrap_err()] {
            assert_eq!(error.kind(), McpErrorKind::Protocol, "{error}");
        }
        echoes(&hub).await;
        hub.close().await;
    })
    .await;
}

/// Limits that nothing reaches.
fn endless() -> Limits {
    let hour = Duration::from_secs(3_600);
    short().call(hour).list(hour)
}

#[tokio::test]
async fn a_flood_of_notifications_costs_events_but_no_answer() {
    watched(async {
        let hub = beside(&[], patient()).await;
        hub.list_tools().await.unwrap();
        let events = hub.events();
        let output = call(&hub, "flood", json!({"count": 5_000})).await.unwrap();
        assert_eq!(output.text, "that was all");
        echoes(&hub).await;
        hub.close().await;
        // The watcher was not read meanwhile: it holds no more than it may, and says how much is missing.
        let events: Vec<_> = events.take_while(|event| futures::future::ready(!is_closed(event))).collect().await;
        let dropped: u64 = events
            .iter()
            .map(|event| match event {
                HubEvent::Dropped { count, .. } => *count,
                _ => 0,
            })
            .sum();
        let logged = events.iter().filter(|event| matches!(event, HubEvent::Log { .. })).count();
        assert!(dropped > 0 && logged < 5_000, "{dropped} dropped, {logged} logged");
    })
    .await;
}

fn is_closed(event: &HubEvent) -> bool {
    matches!(event, HubEvent::State { server, state: ServerState::Closed, .. } if server == "bad")
}

#[tokio::test]
async fn the_environment_of_a_server_holds_nothing_of_ours() {
    watched(async {
        assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some(), "cargo sets it for tests");
        let hub = beside(&[], short()).await;
        let output = call(&hub, "environment", json!({})).await.unwrap();
        let known = ["HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"];
        let variables = object(output.structured.unwrap());
        assert!(variables.contains_key("PATH"));
        let others: Vec<_> = variables.keys().filter(|name| !known.contains(&name.as_str())).collect();
        assert!(others.is_empty(), "{others:?}");
        hub.close().await;
    })
    .await;
}

async fn change(hub: &research_mcp::Hub, how: &str) -> Vec<(String, ToolChangeKind)> {
    hub.list_tools().await.unwrap();
    let mut events = hub.events();
    call(hub, "change", json!({"how": how})).await.unwrap();
    loop {
        if let Some(HubEvent::ToolsChanged { changes, .. }) = events.next().await {
            return changes.into_iter().map(|change| (change.tool, change.kind)).collect();
        }
    }
}

#[tokio::test]
async fn a_tool_that_is_renamed_after_its_approval_is_not_called_by_either_name_in_silence() {
    watched(async {
        let hub = beside(&[], short()).await;
        assert!(hub.list_tools().await.unwrap().get("echo").is_some());
        let changes = change(&hub, "rename").await;
        assert!(changes.contains(&("echo".to_owned(), ToolChangeKind::Removed)), "{changes:?}");
        assert!(changes.contains(&("echo_2".to_owned(), ToolChangeKind::Added)), "{changes:?}");
        let error = meanwhile(&hub, hub.call_tool("echo", object(json!({})))).await.unwrap_err();
        assert_eq!(error.kind(), McpErrorKind::UnknownTool);
        assert!(error.to_string().contains("did you mean `echo_2`?"), "{error}");
        hub.close().await;
    })
    .await;
}

#[tokio::test]
async fn a_tool_that_says_something_else_of_itself_is_refused_until_it_is_approved_again() {
    watched(async {
        let hub = beside(&[], short()).await;
        assert_eq!(change(&hub, "describe").await, [("echo".to_owned(), ToolChangeKind::Changed)]);
        let error = call(&hub, "echo", json!({})).await.unwrap_err();
        assert_eq!(error.kind(), McpErrorKind::ToolChanged, "{error}");
        let error = hub.call_tool("echo", object(json!({}))).await.unwrap_err();
        assert_eq!(error.kind(), McpErrorKind::ToolChanged, "{error}");
        hub.approve("echo").await.unwrap();
        echoes(&hub).await;
        hub.close().await;
    })
    .await;
}
