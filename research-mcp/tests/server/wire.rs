//! Requests that are written by hand, each on a connection of its own.

use std::net::SocketAddr;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// What a server answered.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }

    /// The last message in it: of a stream of events, or the whole.
    pub(crate) fn message(&self) -> Value {
        let data = self.body.lines().filter_map(|line| line.strip_prefix("data:"));
        let last = data.map(str::trim).rfind(|data| !data.is_empty());
        serde_json::from_str(last.unwrap_or(&self.body)).unwrap_or_else(|_| panic!("no message in {self:?}"))
    }
}

/// A request, sent as it is. The answer is read until it is whole, whether the connection ends or not.
pub(crate) async fn send(
    address: SocketAddr,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &[u8],
) -> Answer {
    let mut head = format!("{method} {path} HTTP/1.1\r\nconnection: close\r\ncontent-length: {}\r\n", body.len());
    if !headers.iter().any(|(name, _)| *name == "host") {
        head.push_str(&format!("host: {address}\r\n"));
    }
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(format!("{head}\r\n").as_bytes()).await.unwrap();
    // A server that refuses the request need not read it.
    let _ = stream.write_all(body).await;
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer).await;
    let answer = String::from_utf8(answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no answer: {answer:?}"));
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let chunked = head.to_ascii_lowercase().contains("transfer-encoding: chunked");
    let body = if chunked { unchunked(body) } else { body.to_owned() };
    Answer { status, head: head.to_owned(), body }
}

fn unchunked(mut body: &str) -> String {
    let mut whole = String::new();
    while let Some((size, rest)) = body.split_once("\r\n") {
        let size = usize::from_str_radix(size, 16).unwrap();
        whole.push_str(&rest[..size]);
        body = rest[size..].trim_start_matches("\r\n");
        if size == 0 {
            break;
        }
    }
    whole
}

const KINDS: [(&str, &str); 2] =
    [("content-type", "application/json"), ("accept", "application/json, text/event-stream")];

/// A JSON-RPC message, with these headers besides the usual ones.
pub(crate) async fn post(address: SocketAddr, headers: &[(&str, &str)], message: &Value) -> Answer {
    let headers: Vec<(&str, &str)> = KINDS.into_iter().chain(headers.iter().copied()).collect();
    send(address, "POST", "/mcp", &headers, message.to_string().as_bytes()).await
}

/// The first message of a client of MCP 2025-11-25.
pub(crate) fn initialize() -> Value {
    json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "2025-11-25",
        "capabilities": {}, "clientInfo": {"name": "by hand", "version": "1"}}})
}

/// A client of MCP 2025-11-25, with its session.
pub(crate) struct Session {
    address: SocketAddr,
    id: String,
}

impl Session {
    pub(crate) async fn begin(address: SocketAddr) -> Self {
        let answer = post(address, &[], &initialize()).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        let id = answer.header("mcp-session-id").unwrap().to_owned();
        let session = Self { address, id };
        let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        assert_eq!(session.post(&initialized).await.status, 202);
        session
    }

    pub(crate) async fn request(&self, method: &str, params: Value) -> Value {
        self.post(&json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})).await.message()
    }

    async fn post(&self, message: &Value) -> Answer {
        let headers = [("mcp-session-id", self.id.as_str()), ("mcp-protocol-version", "2025-11-25")];
        post(self.address, &headers, message).await
    }
}

/// A request of MCP 2026-07-28 by a client with these capabilities.
pub(crate) async fn request(address: SocketAddr, method: &str, mut params: Value, capabilities: Value) -> Answer {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "by hand", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": capabilities,
    });
    let name = ["name", "uri", "taskId"]
        .iter()
        .find_map(|key| params.get(key))
        .and_then(Value::as_str)
        .unwrap_or_default()
        .to_owned();
    let mut headers = vec![("mcp-protocol-version", "2026-07-28"), ("mcp-method", method)];
    if !name.is_empty() {
        headers.push(("mcp-name", &name));
    }
    post(address, &headers, &json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})).await
}
