//! The example server as a process of its own, over standard input and output and over HTTP.

use std::process::Stdio;
use std::time::Duration;

use research_mcp::{HttpServer, Hub, HubBuilder, Lifecycle, Limits, ServerPolicy, StdioServer, ToolSource};
use serde_json::json;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::net::TcpStream;
use tokio::process::{Child, ChildStderr, Command};

use crate::{object, watched};

const SERVER: &str = env!("CARGO_BIN_EXE_dataset_server");
const TOOL: &str = "analyze_events";
const ERAS: [Lifecycle; 2] = [Lifecycle::Initialize, Lifecycle::Discover];

async fn hub(era: Lifecycle, with: impl FnOnce(HubBuilder) -> HubBuilder) -> Hub {
    // The server reads its file before it answers, which takes a slow machine long.
    let limits = Limits::default().connect(Duration::from_secs(300));
    let builder = Hub::builder().limits(limits).policy("data", ServerPolicy::new().lifecycle(era));
    let hub = with(builder).connect().await.unwrap();
    assert!(hub.servers()[0].state.is_ready(), "{era:?} {hub:?}");
    hub
}

async fn check(hub: &Hub) {
    let tool = hub.tools().await.unwrap().remove(0);
    assert_eq!((tool.name.as_str(), tool.hints.read_only, tool.hints.open_world), (TOOL, Some(true), Some(false)));
    let asked = object(json!({"group_by": "Wildlife Size", "page_size": 1}));
    let answer = hub.call_tool(TOOL, asked).await.unwrap().into_json().unwrap();
    assert_eq!(answer["documents"].as_array().unwrap().len(), 1, "{answer}");
    let refused = hub.call_tool(TOOL, object(json!({"group_by": "Siez"}))).await.unwrap();
    assert!(refused.is_error && refused.text.contains("its fields are"), "{refused:?}");
}

/// A server over HTTP on a free port, its address, and what it says from then on.
pub(crate) async fn serving() -> (Child, String, Lines<BufReader<ChildStderr>>) {
    let mut child =
        Command::new(SERVER).args(["--http", "0"]).kill_on_drop(true).stderr(Stdio::piped()).spawn().unwrap();
    let mut said = BufReader::new(child.stderr.take().unwrap()).lines();
    while let Some(line) = said.next_line().await.unwrap() {
        if let Some(url) = line.strip_prefix("listening on ") {
            return (child, url.to_owned(), said);
        }
    }
    panic!("the server does not say where it listens");
}

#[tokio::test]
async fn it_serves_over_standard_streams_in_both_eras() {
    for era in ERAS {
        let hub = watched(hub(era, |builder| builder.stdio("data", StdioServer::new(SERVER)))).await;
        watched(check(&hub)).await;
        hub.close().await;
    }
}

#[tokio::test]
async fn it_serves_over_http_in_both_eras_and_ends_with_ctrl_c() {
    let (mut child, url, _said) = watched(serving()).await;
    assert!(url.starts_with("http://127.0.0.1:") && url.ends_with("/mcp"), "{url}");
    for era in ERAS {
        let hub = watched(hub(era, |builder| builder.http("data", HttpServer::new(&url)))).await;
        watched(check(&hub)).await;
        hub.close().await;
    }
    #[cfg(unix)]
    {
        let pid = nix::unistd::Pid::from_raw(i32::try_from(child.id().unwrap()).unwrap());
        nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGINT).unwrap();
        assert!(watched(child.wait()).await.unwrap().success());
    }
    #[cfg(not(unix))]
    child.kill().await.unwrap();
}

#[tokio::test]
async fn it_answers_nobody_who_calls_it_by_another_name() {
    let (_child, url, _said) = watched(serving()).await;
    let address = url.trim_start_matches("http://").trim_end_matches("/mcp");
    let status = async |host: &str, origin: &str| {
        let mut stream = TcpStream::connect(address).await.unwrap();
        let request =
            format!("POST /mcp HTTP/1.1\r\nhost: {host}\r\n{origin}content-length: 0\r\nconnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        answer.split(' ').nth(1).unwrap().to_owned()
    };
    assert_eq!(watched(status("evil.example", "")).await, "403");
    assert_eq!(watched(status(address, "origin: http://evil.example\r\n")).await, "403");
    // Past the gate it is told that it does not speak MCP.
    assert_ne!(watched(status(address, "")).await, "403");
}

#[tokio::test]
async fn it_ends_when_its_standard_input_does() {
    let mut child = Command::new(SERVER)
        .kill_on_drop(true)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    drop(child.stdin.take());
    assert!(watched(child.wait()).await.unwrap().success());
}

/// A request that is too long is answered as such, and the session goes on; a line without an end ends it.
#[tokio::test]
async fn its_input_is_bounded() {
    let mut child = Command::new(SERVER)
        .kill_on_drop(true)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let (mut write, read) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let mut answers = BufReader::new(read).lines();
    let mut ask = async |message: serde_json::Value| {
        write.write_all(format!("{message}\n").as_bytes()).await.unwrap();
        let answer = answers.next_line().await.unwrap().unwrap();
        serde_json::from_str::<serde_json::Value>(&answer).unwrap()
    };
    let client = json!({"protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "long", "version": "1"}});
    let begun = watched(ask(json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": client}))).await;
    assert_eq!(begun["id"], 1, "{begun}");

    for length in [4_200_000, 10_000_000] {
        let long = json!({"jsonrpc": "2.0", "method": "tools/call", "params": {"name": TOOL, "id": 5,
            "arguments": {"group_by": "x".repeat(length)}}, "id": "long"});
        let refused = watched(ask(long)).await;
        assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!("long"), &json!(-32_600)), "{refused}");
        let pong = watched(ask(json!({"jsonrpc": "2.0", "id": 3, "method": "ping"}))).await;
        assert_eq!((&pong["id"], &pong["result"]), (&json!(3), &json!({})), "{pong}");
    }

    let endless = async {
        let chunk = vec![b'x'; 1 << 20];
        // 300 MB, unless the server ends before.
        for _ in 0..300 {
            if write.write_all(&chunk).await.is_err() {
                return true;
            }
        }
        false
    };
    assert!(watched(endless).await, "it reads for ever");
    assert!(!watched(child.wait()).await.unwrap().success());
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).await.unwrap();
    assert!(said.contains("a line of more than 16 MiB"), "{said}");
}
