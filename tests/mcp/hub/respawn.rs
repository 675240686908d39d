//! What happens when a server dies.

use std::time::Duration;

use futures::StreamExt;
use futures::future::join_all;
use research_mcp::{Hub, HubEvent, McpErrorKind, Respawn, RetryCalls, ServerPolicy, ServerState, ToolSource};
use serde_json::json;

use crate::{Scratch, bad, object, trouble, watched};

async fn hub(log: &Scratch, flags: &[&str], policy: ServerPolicy) -> Hub {
    let flags: Vec<&str> = ["--log", log.path()].iter().chain(flags).copied().collect();
    Hub::builder().stdio("bad", bad(&flags)).policy("bad", policy).connect().await.unwrap()
}

fn count(log: &Scratch, call: &str) -> usize {
    log.lines().iter().filter(|entry| entry["call"] == call).count()
}

fn starts(log: &Scratch) -> usize {
    log.lines().iter().filter(|entry| entry.get("start").is_some()).count()
}

async fn crash(hub: &Hub) -> McpErrorKind {
    hub.call_on("bad", "crash", object(json!({}))).await.unwrap_err().kind()
}

#[tokio::test]
async fn calls_wait_for_a_server_that_is_started_again() {
    watched(async {
        let log = Scratch::new();
        let hub = hub(&log, &[], ServerPolicy::new()).await;
        let mut events = hub.events();
        assert_eq!(crash(&hub).await, McpErrorKind::Closed);
        let calls = (0..8).map(|n| hub.call_on("bad", "echo", object(json!({"n": n}))));
        for (n, outcome) in join_all(calls).await.into_iter().enumerate() {
            assert_eq!(outcome.unwrap().structured, Some(json!({"n": n})));
        }
        assert_eq!(starts(&log), 2);
        let mut states = Vec::new();
        while states.len() < 3 {
            if let Some(HubEvent::State { state, .. }) = events.next().await {
                states.push(state);
            }
        }
        let ServerState::Failed { reason, .. } = &states[0] else { panic!("{states:?}") };
        assert!(reason.contains("exit status: 3"), "{reason}");
        assert!(states[1] == ServerState::Connecting && states[2].is_ready(), "{states:?}");
        hub.close().await;
    })
    .await;
}

/// Each waits for a permit while another call kills the server: it was not sent, so it is not lost.
#[tokio::test]
async fn calls_that_wait_for_their_turn_outlive_the_connection() {
    watched(async {
        let log = Scratch::new();
        let hub = hub(&log, &[], ServerPolicy::new().parallel_calls(1)).await;
        let calls = ["crash", "echo", "echo"].map(|tool| hub.call_on("bad", tool, object(json!({}))));
        let outcomes = join_all(calls).await;
        assert_eq!(outcomes.iter().map(Result::is_ok).collect::<Vec<_>>(), [false, true, true], "{outcomes:?}");
        hub.close().await;
    })
    .await;
}

/// What is left of it may be noticed before the next call is made, while it is written, or after. The call never got there.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_call_to_a_server_that_died_unnoticed_is_made_on_its_next_life() {
    use nix::sys::signal::{Signal, kill};
    use nix::unistd::Pid;

    for _ in 0..20 {
        watched(async {
            let log = Scratch::new();
            let hub = hub(&log, &[], ServerPolicy::new()).await;
            let pid = log.lines()[0]["start"].as_i64().unwrap();
            kill(Pid::from_raw(i32::try_from(pid).unwrap()), Signal::SIGKILL).unwrap();
            // The runtime hears nothing of it meanwhile.
            while crate::processes::is_alive(&pid.to_string()) {
                std::thread::sleep(Duration::from_millis(1));
            }
            let output = hub.call_on("bad", "echo", object(json!({"n": 1}))).await.unwrap();
            assert_eq!(output.structured, Some(json!({"n": 1})));
            hub.close().await;
            assert_eq!((starts(&log), count(&log, "echo")), (2, 1));
        })
        .await;
    }
}

#[tokio::test]
async fn a_server_that_dies_too_often_stays_dead_until_it_is_asked_for() {
    watched(async {
        let log = Scratch::new();
        let policy = ServerPolicy::new().respawn(Respawn::on_failure(2, Duration::from_secs(3_600)));
        let hub = hub(&log, &[], policy).await;
        for _ in 0..3 {
            assert_eq!(crash(&hub).await, McpErrorKind::Closed);
        }
        let error = hub.call_on("bad", "echo", object(json!({}))).await.unwrap_err();
        assert_eq!(error.kind(), McpErrorKind::Closed);
        assert!(trouble(&hub, "bad").unwrap().contains("exit status: 3"));
        assert_eq!(starts(&log), 3);
        hub.reconnect("bad").await.unwrap();
        assert!(hub.call_on("bad", "echo", object(json!({}))).await.is_ok());
        assert_eq!(starts(&log), 4);
        hub.close().await;
    })
    .await;
}

#[tokio::test]
async fn a_server_that_does_not_come_back_is_tried_as_often_as_the_policy_says() {
    watched(async {
        let log = Scratch::new();
        let policy = ServerPolicy::new().respawn(Respawn::on_failure(2, Duration::from_secs(3_600)));
        let hub = hub(&log, &["--starts", "1"], policy).await;
        let events = hub.events();
        crash(&hub).await;
        let error = hub.call_on("bad", "echo", object(json!({}))).await.unwrap_err();
        assert!(error.to_string().contains("the index is corrupt"), "{error}");
        assert!(trouble(&hub, "bad").is_some());
        hub.close().await;
        drop(hub);
        let tries = events.filter(|event| {
            let tries = matches!(event, HubEvent::State { state: ServerState::Connecting, .. });
            std::future::ready(tries)
        });
        assert_eq!(tries.count().await, 2);
    })
    .await;
}

#[tokio::test]
async fn never_means_never() {
    watched(async {
        let log = Scratch::new();
        let hub = hub(&log, &[], ServerPolicy::new().respawn(Respawn::Never)).await;
        hub.list_tools().await.unwrap();
        crash(&hub).await;
        // By its exposed name too: the caller has seen it, and is told why it is gone.
        for error in [
            hub.call_on("bad", "echo", object(json!({}))).await.unwrap_err(),
            hub.call_tool("echo", object(json!({}))).await.unwrap_err(),
        ] {
            assert_eq!(error.kind(), McpErrorKind::Closed);
            assert!(error.to_string().contains("exit status: 3"), "{error}");
        }
        assert_eq!(hub.list_tools().await.unwrap_err().kind(), McpErrorKind::NoServer);
        assert_eq!(starts(&log), 1);
        hub.close().await;
    })
    .await;
}

#[tokio::test]
async fn only_a_safe_call_is_made_again_and_only_if_the_policy_says_so() {
    for (retry, tool, calls) in [
        (RetryCalls::Never, "crash_once_safe", 1),
        (RetryCalls::Safe, "crash_once", 1),
        (RetryCalls::Safe, "crash_once_safe", 2),
    ] {
        watched(async {
            let log = Scratch::new();
            let hub = hub(&log, &[], ServerPolicy::new().retry(retry)).await;
            let outcome = hub.call_on("bad", tool, object(json!({}))).await;
            match outcome {
                Ok(output) => assert_eq!((calls, output.text.as_str()), (2, "survived")),
                Err(error) => assert_eq!((calls, error.kind()), (1, McpErrorKind::Closed)),
            }
            hub.close().await;
            assert_eq!(count(&log, tool), calls, "{retry:?} {tool}: {}", log.text());
        })
        .await;
    }
}

#[tokio::test]
async fn a_call_that_kills_its_server_every_time_is_made_twice_and_no_more() {
    watched(async {
        let log = Scratch::new();
        let hub = hub(&log, &["--always-crash"], ServerPolicy::new().retry(RetryCalls::Safe)).await;
        let error = hub.call_on("bad", "crash_once_safe", object(json!({}))).await.unwrap_err();
        assert_eq!(error.kind(), McpErrorKind::Closed);
        hub.close().await;
        assert_eq!(count(&log, "crash_once_safe"), 2);
    })
    .await;
}
