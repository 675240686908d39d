//! The example server under a crowd of clients: whatever they hold or ask, another client is answered.

use std::fmt::Write as _;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

use crate::dataset_server::serving;
use crate::watched;

/// Clients that hold on, or sessions, of a sample; with `CROWD_FULL` set all of them.
fn scaled(sample: usize, full: usize) -> usize {
    if std::env::var_os("CROWD_FULL").is_some() { full } else { sample }
}

fn head(address: SocketAddr, method: &str, more: &str, length: usize) -> String {
    let kinds = "content-type: application/json\r\naccept: application/json, text/event-stream";
    format!("{method} /mcp HTTP/1.1\r\nhost: {address}\r\n{kinds}\r\n{more}content-length: {length}\r\n\r\n")
}

/// Sends a message on a connection of its own; status, session and the answer.
async fn post(address: SocketAddr, session: Option<&str>, message: &Value) -> (String, Option<String>, String) {
    let mut more = "connection: close\r\n".to_owned();
    if let Some(session) = session {
        write!(more, "mcp-session-id: {session}\r\n").unwrap();
    }
    let body = message.to_string();
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(head(address, "POST", &more, body.len()).as_bytes()).await.unwrap();
    stream.write_all(body.as_bytes()).await.unwrap();
    let mut answer = String::new();
    BufReader::new(stream).read_to_string(&mut answer).await.unwrap();
    let status = answer.split(' ').nth(1).unwrap_or_default().to_owned();
    let session = answer.lines().find_map(|line| line.strip_prefix("mcp-session-id: ")).map(str::to_owned);
    (status, session, answer)
}

async fn session(address: SocketAddr) -> String {
    let initialize = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "one of many", "version": "1"}}});
    let (status, session, answer) = post(address, None, &initialize).await;
    assert_eq!(status, "200", "{answer}");
    session.unwrap()
}

async fn ask(address: SocketAddr, session: &str, arguments: Value) -> String {
    let params = json!({"name": "analyze_events", "arguments": arguments});
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    let (status, _, answer) = post(address, Some(session), &call).await;
    assert_eq!(status, "200", "{answer}");
    answer
}

/// A whole conversation of a client; how long it took.
async fn is_answered(address: SocketAddr) -> Duration {
    let started = Instant::now();
    let session = session(address).await;
    let answer = ask(address, &session, json!({"page_size": 1, "group_by": "Wildlife Size"})).await;
    assert!(answer.contains("unique_ids_matched"), "{answer}");
    started.elapsed()
}

/// Opens a connection, writes this, and leaves it so.
async fn left(address: SocketAddr, text: String) -> TcpStream {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(text.as_bytes()).await.unwrap();
    stream
}

fn address(url: &str) -> SocketAddr {
    url.trim_start_matches("http://").trim_end_matches("/mcp").parse().unwrap()
}

/// Resident memory of a process in kilobytes, where the system tells it.
fn memory(process: Option<u32>) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", process?)).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().trim_end_matches(" kB").parse().ok()
}

#[tokio::test]
async fn slow_bodies_and_idle_streams_shut_nobody_out() {
    let (child, url, _said) = watched(serving()).await;
    let address = address(&url);
    let before = watched(is_answered(address)).await;

    let mut open = Vec::new();
    for _ in 0..scaled(300, 1_000) {
        open.push(watched(left(address, head(address, "POST", "", 1_000) + "{")).await);
    }
    let under_bodies = watched(is_answered(address)).await;

    let own = watched(session(address)).await;
    for _ in 0..scaled(300, 1_000) {
        let get = head(address, "GET", &format!("mcp-session-id: {own}\r\n"), 0);
        open.push(watched(left(address, get)).await);
    }
    let under_streams = watched(is_answered(address)).await;
    println!(
        "a conversation: {before:?} alone, {under_bodies:?} under slow bodies, {under_streams:?} under streams; {:?} kB",
        memory(child.id())
    );
    drop(open);
}

#[tokio::test]
async fn sessions_go_and_memory_stays() {
    let (child, url, _said) = watched(serving()).await;
    let address = address(&url);
    let own = watched(session(address)).await;
    let sessions = scaled(2_500, 20_000);
    let before = memory(child.id());
    let mut at_the_limit = None;
    for number in 0..sessions {
        watched(session(address)).await;
        if number % 500 == 0 {
            // One that is used stays.
            watched(ask(address, &own, json!({"page_size": 1}))).await;
        }
        if number == 1_200 {
            at_the_limit = memory(child.id());
        }
    }

    let after = memory(child.id());
    println!("{before:?} kB before, {at_the_limit:?} kB at the limit, {after:?} kB after {sessions} sessions");
    if let (Some(at_the_limit), Some(after)) = (at_the_limit, after) {
        // What is freed leaves gaps, ever fewer; a session that stayed would keep 53 kB.
        let gaps = if sessions > 10_000 { 120_000 } else { 40_000 };
        assert!(after < at_the_limit + gaps, "{at_the_limit} kB grew to {after} kB");
    }
    watched(is_answered(address)).await;
}

/// The largest requests that are taken, several at a time, and others beside them.
#[tokio::test]
async fn a_large_request_is_answered_and_so_is_another_client() {
    let (child, url, _said) = watched(serving()).await;
    let address = address(&url);
    let values: Vec<String> = (0..100_000).map(|number| format!("unknown {number}")).collect();
    let fields = vec!["Wildlife Size"; 200_000];
    let long = "x".repeat(4_000_000);
    let most: Vec<String> = (0..1_000).map(|number| format!("unknown {number}")).collect();
    let requests = [
        (json!({"filters": {"Wildlife Size": values}}), "at most 1000 values"),
        (json!({"group_by": fields}), "at most 100 fields"),
        (json!({"group_by": long}), "its fields are"),
        (json!({"filters": {"Wildlife Size": most}}), "more values are in no record"),
        (json!({"group_by": "Flight Date", "top_n": 10_000, "samples_per_bucket": 100}), "at most 10000 together"),
    ];

    let calls = requests.iter().map(|(arguments, said)| async move {
        let answer = ask(address, &session(address).await, arguments.clone()).await;
        assert!(answer.contains(said), "{said}: {}", &answer[..answer.len().min(2_000)]);
    });
    let others = async {
        let mut slowest = Duration::ZERO;
        for _ in 0..5 {
            slowest = slowest.max(is_answered(address).await);
        }
        slowest
    };
    let (_, slowest) = watched(futures::future::join(futures::future::join_all(calls), others)).await;
    println!("another client: {slowest:?}; {:?} kB", memory(child.id()));
}
