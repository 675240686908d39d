//! Clients that take connections, streams and sessions and do nothing with them: others are answered meanwhile.

use std::net::SocketAddr;

use research_mcp::server::{HttpListen, RunningServer, ServerTool, ToolReply, ToolServer};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::watched;
use crate::wire::{initialize, post};

/// Bytes of a text that no buffer of the system takes as a whole.
const MUCH: usize = 24 << 20;

async fn running(listen: HttpListen) -> RunningServer {
    let tool = ServerTool::new("much", "Returns much.", json!({"type": "object"}), |_| async {
        Ok(ToolReply::text("x".repeat(MUCH)))
    });
    let server = ToolServer::builder("crowded", "1").tool(tool).changes().build().unwrap();
    server.serve_http(listen).await.unwrap()
}

/// Opens a connection, writes this, and leaves it so.
async fn left(address: SocketAddr, text: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(text.as_bytes()).await.unwrap();
    stream
}

/// The same, and waits until an answer begins, whose status is returned.
async fn begun(address: SocketAddr, text: &str) -> (TcpStream, String) {
    let mut stream = left(address, text).await;
    let mut head = [0; 12];
    stream.read_exact(&mut head).await.unwrap();
    (stream, String::from_utf8_lossy(&head[9..]).into_owned())
}

fn request(address: SocketAddr, method: &str, headers: &str, body: &str) -> String {
    let kinds = "content-type: application/json\r\naccept: application/json, text/event-stream";
    let length = body.len();
    format!("{method} /mcp HTTP/1.1\r\nhost: {address}\r\n{kinds}\r\n{headers}content-length: {length}\r\n\r\n{body}")
}

async fn is_answered(address: SocketAddr) -> Option<String> {
    let answer = watched(post(address, &[], &initialize())).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.header("mcp-session-id").map(str::to_owned)
}

#[tokio::test]
async fn bodies_and_heads_that_never_end_take_no_connection_for_long() {
    let running = running(HttpListen::loopback(0).connections(8)).await;
    let address = running.address();
    let beginnings = [
        String::new(),
        "POST /mcp HTTP/1.1\r\nhost: ".to_owned(),
        format!("POST /mcp HTTP/1.1\r\nhost: {address}\r\ncontent-length: 1000\r\n\r\n{{"),
        format!("POST /mcp HTTP/1.1\r\nhost: {address}\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{{"),
    ];

    for beginning in &beginnings {
        let mut open = Vec::new();
        for _ in 0..24 {
            open.push(left(address, beginning).await);
        }
        is_answered(address).await;
        drop(open);
    }
    running.shutdown().await;
}

#[tokio::test]
async fn clients_that_do_not_read_take_no_connection_for_long() {
    let running = running(HttpListen::loopback(0).connections(3)).await;
    let address = running.address();
    let session = is_answered(address).await.unwrap();
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "much", "arguments": {}}});
    let call = request(address, "POST", &format!("mcp-session-id: {session}\r\n"), &call.to_string());

    let mut open = Vec::new();
    for _ in 0..3 {
        open.push(watched(begun(address, &call)).await);
    }
    is_answered(address).await;
    drop(open);
    running.shutdown().await;
}

#[tokio::test]
async fn streams_of_events_leave_connections_to_others() {
    let running = running(HttpListen::loopback(0).connections(8)).await;
    let address = running.address();
    let mut open = Vec::new();
    for number in 0..12 {
        let session = is_answered(address).await.unwrap();
        let get = request(address, "GET", &format!("mcp-session-id: {session}\r\n"), "");
        let (stream, status) = watched(begun(address, &get)).await;
        assert_eq!(status, if number < 4 { "200" } else { "503" }, "stream {number}");
        open.push(stream);
    }

    is_answered(address).await;
    // A stream that ends leaves its place to another one.
    open.clear();
    let session = is_answered(address).await.unwrap();
    let get = request(address, "GET", &format!("mcp-session-id: {session}\r\n"), "");
    for attempt in 0.. {
        let (_, status) = watched(begun(address, &get)).await;
        if status == "200" {
            break;
        }
        assert!(attempt < 1_000, "{status}");
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    running.shutdown().await;
}

/// Those of MCP 2026-07-28 listen by a request that is answered without an end.
#[tokio::test]
async fn so_do_clients_that_listen() {
    let running = running(HttpListen::loopback(0).connections(8)).await;
    let address = running.address();
    let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {}});
    let params = json!({"_meta": meta, "notifications": {"toolsListChanged": true}});
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen", "params": params}).to_string();
    let headers = "mcp-protocol-version: 2026-07-28\r\nmcp-method: subscriptions/listen\r\n";

    let mut open = Vec::new();
    for number in 0..12 {
        let listen = request(address, "POST", headers, &body);
        let (stream, status) = watched(begun(address, &listen)).await;
        assert_eq!(status, if number < 4 { "200" } else { "503" }, "stream {number}");
        open.push(stream);
    }
    is_answered(address).await;

    // It cannot be asked for without the header that tells it from others.
    let unnamed = request(address, "POST", "mcp-protocol-version: 2026-07-28\r\n", &body);
    let (_, status) = watched(begun(address, &unnamed)).await;
    assert_eq!(status, "400");
    drop(open);
    running.shutdown().await;
}

#[tokio::test]
async fn the_session_that_was_used_least_recently_goes() {
    let running = running(HttpListen::loopback(0).sessions(10)).await;
    let address = running.address();
    let ping = async |session: &str| {
        let ping = json!({"jsonrpc": "2.0", "id": 2, "method": "ping"});
        watched(post(address, &[("mcp-session-id", session)], &ping)).await.status
    };
    let used = is_answered(address).await.unwrap();
    let listening = is_answered(address).await.unwrap();
    let get = request(address, "GET", &format!("mcp-session-id: {listening}\r\n"), "");
    let (stream, status) = watched(begun(address, &get)).await;
    assert_eq!(status, "200");
    let idle = is_answered(address).await.unwrap();

    let mut newest = String::new();
    for _ in 0..100 {
        newest = is_answered(address).await.unwrap();
        assert_eq!(ping(&used).await, 200);
    }
    assert_eq!([ping(&newest).await, ping(&listening).await, ping(&idle).await], [200, 200, 404]);
    drop(stream);
    running.shutdown().await;
}
