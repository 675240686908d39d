//! Thousands of calls on one session cost no memory and no file descriptors, over stdio and over HTTP: 4,000, and 10,000 with
//! `SOAK_FULL=1`.
//!
//! A program of its own: what other tests do in the same process would be counted too.

#![cfg(target_os = "linux")]

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use research_mcp::{HttpServer, Hub, StdioServer};
use serde_json::json;

const SERVER: &str = env!("CARGO_BIN_EXE_bad_server");

/// Windows; the first one fills caches and pools.
const WINDOWS: usize = 4;
/// What the allocator may keep more in the last window than in the second, in KiB. That is less than the arguments of a call and
/// its answer together, for each call between them.
const SLACK: usize = 4 * 1_024;

/// Calls in one window.
fn calls() -> usize {
    let is_full = std::env::var("SOAK_FULL").is_ok_and(|value| value == "1");
    if is_full { 2_500 } else { 1_000 }
}

/// Resident memory of this process in KiB.
fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// Open file descriptors of this process.
fn descriptors() -> usize {
    std::fs::read_dir("/proc/self/fd").unwrap().count()
}

async fn soak(hub: &Hub) {
    let (mut memory, mut files) = (Vec::new(), Vec::new());
    for window in 0..WINDOWS {
        let mut most = 0;
        for number in 0..calls() {
            let arguments = json!({"window": window, "number": number, "text": "x".repeat(1_000)});
            let output = hub.call_on("server", "echo", arguments.as_object().unwrap().clone()).await.unwrap();
            assert_eq!(output.structured.as_ref(), Some(&arguments));
            if number % 50 == 0 {
                most = most.max(resident());
            }
        }
        memory.push(most);
        files.push(descriptors());
    }
    assert!(memory[WINDOWS - 1] <= memory[1] + SLACK, "resident memory of the windows in KiB: {memory:?}");
    // A leak would be one for each call. A pool may hold a connection more, where an answer was slow to end.
    assert!(files[WINDOWS - 1] <= files[1] + 2, "open files after the windows: {files:?}");
}

#[tokio::test]
async fn thousands_of_calls_leave_no_trace() {
    let hub = Hub::builder().stdio("server", StdioServer::new(SERVER)).connect().await.unwrap();
    soak(&hub).await;
    hub.close().await;

    let mut command = Command::new(SERVER);
    let mut child = command.arg("--http").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut url = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut url).unwrap();
    let hub = Hub::builder().http("server", HttpServer::new(url.trim())).connect().await.unwrap();
    soak(&hub).await;
    hub.close().await;
    // The server ends with its standard input.
    drop(child.stdin.take());
    assert!(child.wait().unwrap().success());
}
