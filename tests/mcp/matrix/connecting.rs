//! Servers that misbehave while they start.

use std::time::Duration;

use research_mcp::{Limits, McpErrorKind, ServerState, ToolSource};
use serde_json::json;

use super::{beside, call, echoes, meanwhile, short};
use crate::{trouble, watched};

#[tokio::test]
async fn a_banner_and_debug_output_are_passed_over() {
    watched(async {
        let hub = beside(&["--chatty"], short()).await;
        meanwhile(&hub, echoes(&hub)).await;
        assert!(hub.list_tools().await.unwrap().failed.is_empty());
        hub.close().await;
    })
    .await;
}

#[tokio::test]
async fn a_server_that_hangs_at_connect_is_given_up_and_says_so() {
    watched(async {
        let hub = beside(&["--hang-connect"], short().connect(Duration::from_millis(400))).await;
        let error = meanwhile(&hub, hub.reconnect("bad")).await.unwrap_err();
        let reason = trouble(&hub, "bad").unwrap();
        assert!(reason.contains("connecting took longer than 400ms"), "{reason}");
        assert!(error.to_string().contains("`bad`") && error.to_string().contains("400ms"), "{error}");
        let listing = hub.list_tools().await.unwrap();
        assert_eq!((listing.failed.len(), listing.failed[0].server.as_str()), (1, "bad"));
        hub.close().await;
    })
    .await;
}

#[tokio::test]
async fn a_server_that_ignores_discovery_is_asked_in_the_old_way() {
    watched(async {
        let hub = beside(&["--ignore-discover"], Limits::default()).await;
        // The good server is ready long before: nobody has to wait for the other one.
        meanwhile(&hub, echoes(&hub)).await;
        let ServerState::Ready { protocol, .. } = &hub.servers()[1].state else { panic!("{:?}", hub.servers()) };
        assert_eq!(protocol, "2025-11-25");
        hub.close().await;
    })
    .await;
}

#[tokio::test]
async fn a_server_that_turns_ids_into_strings_is_understood() {
    watched(async {
        let hub = beside(&["--string-ids"], short()).await;
        meanwhile(&hub, echoes(&hub)).await;
        hub.close().await;
    })
    .await;
}

#[tokio::test]
async fn a_request_of_the_server_under_a_string_is_answered_under_it() {
    watched(async {
        let hub = beside(&[], short()).await;
        let output = call(&hub, "ping", json!({})).await.unwrap();
        assert_eq!(output.structured, Some(json!({"id": "ping-1"})));
        hub.close().await;
    })
    .await;
}

#[tokio::test]
async fn a_server_that_does_not_read_ends_the_call_at_its_limit_and_is_closed_all_the_same() {
    watched(async {
        let hub = beside(&["--deaf"], short().call(Duration::from_millis(300))).await;
        // More than any pipe holds, so that the request is never written to its end.
        let error = call(&hub, "echo", json!({"much": "x".repeat(1 << 20)})).await.unwrap_err();
        assert_eq!(error.kind(), McpErrorKind::Timeout, "{error}");
        hub.close().await;
        assert_eq!(hub.servers()[1].state, ServerState::Closed);
    })
    .await;
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn what_outlives_its_parent_ends_with_the_hub() {
    use crate::Scratch;
    use crate::processes::{is_alive, wait_until_dead};

    watched(async {
        let pid = Scratch::new();
        let hub = beside(&["--orphan", pid.path()], short()).await;
        // The server dies and its child stays; another server is started, with another child.
        meanwhile(&hub, echoes(&hub)).await;
        let first = pid.text();
        assert!(is_alive(&first));
        call(&hub, "crash", json!({})).await.unwrap_err();
        echoes(&hub).await;
        wait_until_dead(&first).await;
        let second = pid.text();
        assert!(second != first && is_alive(&second));
        hub.close().await;
        wait_until_dead(&second).await;
    })
    .await;
}
