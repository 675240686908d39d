//! Calls that take long: progress, limits, and what the server is told when a call is given up.

use std::time::Duration;

use futures::StreamExt;
use research_mcp::{CallOptions, Hub, HubEvent, Lifecycle, McpErrorKind, StdioServer};
use serde_json::{Value, json};
use tempfile::NamedTempFile;

use super::over_both;
use crate::processes::Mark;
use crate::{call, connected, object, servers, watched};

const LONG: &str = "trigger-long-running-operation";

#[tokio::test]
async fn progress_is_told_step_by_step() {
    over_both(async |hub| {
        let events = hub.events();
        let done = call(hub, LONG, json!({"duration": 1, "steps": 4})).await;
        assert!(done.text.contains("completed"), "{}", done.text);
        let steps = events.filter_map(async |event| match event {
            HubEvent::Progress { tool, progress, total, .. } if tool == LONG => Some((progress, total)),
            _ => None,
        });
        let steps: Vec<_> = steps.take(4).collect().await;
        assert_eq!(steps, [1.0, 2.0, 3.0, 4.0].map(|step| (step, Some(4.0))));
    })
    .await;
}

#[tokio::test]
async fn progress_keeps_a_call_alive_but_not_beyond_the_hard_limit() {
    over_both(async |hub| {
        let long = |duration: u64, steps: u64| object(json!({"duration": duration, "steps": steps}));
        let quiet = Duration::from_secs(10);
        // In all longer than the limit; each step is much shorter.
        hub.call_with(LONG, long(12, 24), &CallOptions::new().limit(quiet)).await.unwrap();
        let options = CallOptions::new().limit(quiet).total(Duration::from_secs(1));
        let hard = hub.call_with(LONG, long(600, 1_200), &options).await.unwrap_err();
        assert!(hard.is_timeout(), "{hard}");
        let silent = CallOptions::new().limit(Duration::from_secs(1));
        let silence = hub.call_with(LONG, long(600, 1), &silent).await.unwrap_err();
        assert!(silence.kind() == McpErrorKind::Timeout && silence.to_string().contains("took longer than 1s"));
        assert_eq!(call(hub, "echo", json!({"message": "still here"})).await.text, "Echo: still here");
    })
    .await;
}

/// The messages that a server was sent, as `tee` wrote them down.
fn sent(log: &NamedTempFile) -> Vec<Value> {
    let text = std::fs::read_to_string(log.path()).unwrap();
    // The last line may not be complete yet.
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

async fn wait_for(log: &NamedTempFile, wanted: impl Fn(&Value) -> bool) -> Value {
    loop {
        if let Some(found) = sent(log).into_iter().find(|message| wanted(message)) {
            return found;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[cfg(unix)]
#[tokio::test]
async fn the_server_is_told_of_a_call_that_is_given_up() {
    watched(async {
        let log = NamedTempFile::new().unwrap();
        let StdioServer { command, .. } = servers::everything();
        let logged = StdioServer::new("sh").args(["-c", "tee \"$0\" | \"$1\"", log.path().to_str().unwrap(), &command]);
        let (logged, mark) = Mark::on(logged);
        let hub = connected(Hub::builder().stdio("server", logged), Lifecycle::Auto).await;
        for tool_time in [600, 700] {
            let arguments = json!({"duration": tool_time, "steps": 1});
            let is_call = |message: &Value| message["params"]["arguments"] == arguments;
            if tool_time == 600 {
                let options = CallOptions::new().limit(Duration::from_secs(1));
                assert!(hub.call_with(LONG, object(arguments.clone()), &options).await.unwrap_err().is_timeout());
            } else {
                tokio::select! {
                    ended = hub.call_on("server", LONG, object(arguments.clone())) => panic!("{ended:?}"),
                    _ = wait_for(&log, is_call) => {}
                }
            }
            let id = wait_for(&log, is_call).await["id"].clone();
            assert!(!id.is_null());
            wait_for(&log, |message| {
                message["method"] == "notifications/cancelled" && message["params"]["requestId"] == id
            })
            .await;
        }
        assert_eq!(call(&hub, "echo", json!({"message": "still here"})).await.text, "Echo: still here");
        hub.close().await;
        mark.gone().await;
    })
    .await;
}
