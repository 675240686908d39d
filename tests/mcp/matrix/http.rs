//! Servers that misbehave at the other end of HTTP.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use research_mcp::{HttpServer, Hub, Limits, McpError, McpErrorKind, ServerPolicy, ServerState};
use serde_json::json;

use super::{call, call_within, echoes, good, meanwhile, patient, short};
use crate::watched;

/// A server that runs as long as this lives.
pub(crate) struct Served {
    child: Child,
    pub(crate) url: String,
}

impl Served {
    pub(crate) fn start(flags: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bad_server"));
        command.arg("--http").args(flags).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let mut url = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut url).unwrap();
        Self { child, url: url.trim().to_owned() }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

async fn beside(server: &Served, limits: Limits) -> Hub {
    let policy = ServerPolicy::new().limits(limits);
    good().http("bad", HttpServer::new(&server.url)).policy("bad", policy).connect().await.unwrap()
}

#[tokio::test]
async fn a_body_of_40_megabytes_fails_its_own_call_alone() {
    watched(async {
        let server = Served::start(&[]);
        let hub = beside(&server, patient()).await;
        echoes(&hub).await;
        let error = call(&hub, "long", json!({"count": 40_000_000})).await.unwrap_err();
        let McpError::TooLarge { limit, .. } = error else { panic!("{error}") };
        assert_eq!(limit, 1 << 20);
        echoes(&hub).await;
        hub.close().await;
    })
    .await;
}

#[tokio::test]
async fn a_server_that_hangs_at_connect_is_given_up() {
    watched(async {
        let server = Served::start(&["--hang-connect"]);
        let hub = beside(&server, short().connect(Duration::from_millis(400))).await;
        let error = meanwhile(&hub, hub.reconnect("bad")).await.unwrap_err();
        assert!(error.to_string().contains("400ms"), "{error}");
        assert!(matches!(hub.servers()[1].state, ServerState::Failed { .. }));
        hub.close().await;
    })
    .await;
}

#[tokio::test]
async fn calls_that_hang_or_get_garbage_end_and_others_go_on() {
    watched(async {
        let server = Served::start(&[]);
        let hub = beside(&server, short()).await;
        let error = call_within(&hub, Duration::from_millis(300), "hang").await.unwrap_err();
        assert_eq!(error.kind(), McpErrorKind::Timeout, "{error}");
        let error = call(&hub, "garbage", json!({})).await.unwrap_err();
        assert!(matches!(error.kind(), McpErrorKind::Closed | McpErrorKind::Protocol), "{error}");
        echoes(&hub).await;
        hub.close().await;
    })
    .await;
}

#[tokio::test]
async fn a_server_that_dies_in_mid_call_ends_the_call() {
    watched(async {
        let server = Served::start(&[]);
        let hub = beside(&server, short()).await;
        let error = call(&hub, "crash", json!({})).await.unwrap_err();
        assert_eq!(error.kind(), McpErrorKind::Closed, "{error}");
        hub.close().await;
    })
    .await;
}
