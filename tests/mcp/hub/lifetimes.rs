//! How a hub starts, waits, tells, and ends.

use std::time::Duration;

use futures::StreamExt;
use research_mcp::{CallOptions, Hub, HubEvent, Limits, McpErrorKind, ServerState, ToolChangeKind, ToolSource};
use serde_json::json;

use crate::{Scratch, bad, fixture, object, watched};

fn patient() -> Limits {
    Limits::default().connect(Duration::from_secs(3_600)).close(Duration::from_millis(300))
}

#[tokio::test]
async fn connect_does_not_wait_for_a_dead_server_once_another_is_ready() {
    watched(async {
        let hub = Hub::builder()
            .stdio("dead", bad(&["--hang-connect"]))
            .stdio("good", fixture(&[]))
            .limits(patient().settle(Duration::from_millis(100)))
            .connect()
            .await
            .unwrap();
        let states = hub.servers();
        assert!(states[0].state == ServerState::Connecting && states[1].state.is_ready(), "{states:?}");
        hub.close().await;
    })
    .await;
}

#[tokio::test]
async fn a_hub_that_was_not_started_says_so_at_once() {
    watched(async {
        let hub = Hub::builder().stdio("good", fixture(&[])).limits(patient().settle(Duration::from_secs(3_600)));
        let hub = hub.build().unwrap();
        assert_eq!(hub.list_tools().await.unwrap_err().kind(), McpErrorKind::NoServer);
        hub.start().await;
        assert_eq!(hub.list_tools().await.unwrap().tools.len(), 1);
        hub.close().await;
    })
    .await;
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn nothing_is_left_of_a_connect_that_is_dropped_or_a_hub_that_is_closed_meanwhile() {
    use crate::processes::{is_alive, wait_until_dead};

    watched(async {
        for drops in [true, false] {
            let log = Scratch::new();
            let server = bad(&["--hang-connect", "--log", log.path()]);
            let hub = Hub::builder().stdio("dead", server).limits(patient()).build().unwrap();
            let started = async {
                while log.lines().is_empty() {
                    tokio::time::sleep(Duration::from_millis(10)).await;
                }
            };
            tokio::select! {
                () = hub.connect() => panic!("it hangs"),
                () = started => {}
            }
            let pid = log.lines()[0]["start"].to_string();
            assert!(is_alive(&pid));
            if !drops {
                hub.close().await;
                assert_eq!(hub.servers()[0].state, ServerState::Closed);
            }
            drop(hub);
            wait_until_dead(&pid).await;
        }
    })
    .await;
}

#[tokio::test]
async fn what_is_closed_stays_closed() {
    watched(async {
        let hub = Hub::builder().stdio("bad", bad(&[])).stdio("no", bad(&["--starts", "0", "--log", "/dev/null"]));
        let hub = hub.limits(patient().settle(Duration::from_secs(3_600))).connect().await.unwrap();
        hub.close().await;
        hub.connect().await;
        assert_eq!(hub.servers()[0].state, ServerState::Closed);
        assert!(matches!(hub.servers()[1].state, ServerState::Failed { .. }), "{:?}", hub.servers());
        assert!(hub.reconnect("bad").await.is_err() && hub.reconnect("no").await.is_err());
        assert_eq!(hub.reconnect("other").await.unwrap_err().kind(), McpErrorKind::Configuration);
    })
    .await;
}

#[tokio::test]
async fn a_changed_list_is_listed_anew_and_told() {
    watched(async {
        let hub = Hub::builder().stdio("bad", bad(&[])).connect().await.unwrap();
        let before = hub.tools().await.unwrap().len();
        let mut events = hub.events();
        hub.call_on("bad", "change", object(json!({"how": "add"}))).await.unwrap();
        let changes = loop {
            if let Some(HubEvent::ToolsChanged { server, changes, .. }) = events.next().await {
                assert_eq!(server, "bad");
                break changes;
            }
        };
        assert_eq!((changes[0].tool.as_str(), changes[0].kind), ("extra", ToolChangeKind::Added));
        assert_eq!(hub.tools().await.unwrap().len(), before + 1);
        assert!(hub.call_tool("extra", object(json!({}))).await.is_ok());
        hub.close().await;
    })
    .await;
}

#[tokio::test]
async fn progress_and_log_messages_are_events_and_progress_gives_more_time() {
    watched(async {
        let hub = Hub::builder().stdio("bad", bad(&[])).connect().await.unwrap();
        let mut events = hub.events();
        // Longer in all than the limit without progress.
        let arguments = object(json!({"count": 12, "pause_ms": 1_000}));
        let options = CallOptions::new().limit(Duration::from_secs(10)).total(Duration::from_secs(3_600));
        let output = hub.call_with("progress", arguments, &options).await.unwrap();
        assert_eq!(output.text, "done");
        let mut heard = Vec::new();
        while heard.len() < 12 {
            if let Some(HubEvent::Progress { tool, progress, total, message, .. }) = events.next().await {
                assert_eq!((tool.as_str(), total, message.as_deref()), ("progress", Some(12.0), Some("reading")));
                heard.push(progress);
            }
        }
        assert_eq!(heard, (1..=12).map(f64::from).collect::<Vec<_>>());
        let arguments = object(json!({"count": 50, "pause_ms": 50}));
        let options = CallOptions::new().limit(Duration::from_secs(30)).total(Duration::from_millis(500));
        let error = hub.call_with("progress", arguments, &options).await.unwrap_err();
        assert!(error.is_timeout() && error.to_string().contains("500ms"), "{error}");
        hub.call_on("bad", "flood", object(json!({"count": 1}))).await.unwrap();
        loop {
            if let Some(HubEvent::Log { level, logger, data, .. }) = events.next().await {
                assert_eq!((level.as_str(), logger.as_deref()), ("info", Some("flood")));
                assert_eq!(data, json!({"number": 0}));
                break;
            }
        }
        hub.close().await;
    })
    .await;
}
