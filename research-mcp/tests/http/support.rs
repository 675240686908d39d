//! An HTTP server written by hand, which can misbehave.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// What a client asked.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) http: String,
    #[cfg_attr(not(feature = "oauth"), expect(dead_code, reason = "only signing in has other paths and forms"))]
    pub(crate) path: String,
    pub(crate) headers: BTreeMap<String, String>,
    #[cfg_attr(not(feature = "oauth"), expect(dead_code, reason = "only signing in has other paths and forms"))]
    pub(crate) text: String,
    pub(crate) body: Value,
}

impl Request {
    /// The method of the JSON-RPC message, or that of HTTP when there is no message.
    pub(crate) fn method(&self) -> &str {
        self.body["method"].as_str().unwrap_or(&self.http)
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(String::as_str)
    }

    /// A result for this request.
    pub(crate) fn result(&self, result: Value) -> Reply {
        Reply::json(200, &json!({"jsonrpc": "2.0", "id": self.body["id"], "result": result}))
    }
}

/// What the server does.
pub(crate) enum Reply {
    /// Answers.
    Whole { status: u16, headers: Vec<(String, String)>, body: Vec<u8> },
    /// Begins a stream of events with this, and never ends it.
    Open(String),
    /// Says nothing, with the connection open.
    Silence,
}

impl Reply {
    pub(crate) fn new(status: u16, kind: &str, body: impl Into<Vec<u8>>) -> Self {
        Self::Whole { status, headers: vec![("content-type".into(), kind.into())], body: body.into() }
    }

    pub(crate) fn json(status: u16, body: &Value) -> Self {
        Self::new(status, "application/json", body.to_string())
    }

    pub(crate) fn empty(status: u16) -> Self {
        Self::Whole { status, headers: Vec::new(), body: Vec::new() }
    }

    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        if let Self::Whole { headers, .. } = &mut self {
            headers.push((name.into(), value.into()));
        }
        self
    }
}

/// A server that runs until the test ends.
pub(crate) struct Server {
    pub(crate) url: String,
    requests: Arc<Mutex<Vec<Request>>>,
}

impl Server {
    pub(crate) async fn start(answer: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        Self::on(listener, answer)
    }

    pub(crate) fn on(listener: TcpListener, answer: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> Self {
        let url = format!("http://{}/mcp", listener.local_addr().unwrap());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (log, answer) = (Arc::clone(&requests), Arc::new(answer));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (log, answer) = (Arc::clone(&log), Arc::clone(&answer));
                tokio::spawn(async move {
                    // A client that hangs up ends its own connection only.
                    let _ = serve(stream, &log, &*answer).await;
                });
            }
        });
        Self { url, requests }
    }

    pub(crate) fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }

    pub(crate) fn count(&self, method: &str) -> usize {
        self.requests().iter().filter(|request| request.method() == method).count()
    }
}

async fn serve(
    stream: TcpStream,
    log: &Mutex<Vec<Request>>,
    answer: &(dyn Fn(&Request) -> Reply + Send + Sync),
) -> std::io::Result<()> {
    let mut stream = BufReader::new(stream);
    let mut line = String::new();
    stream.read_line(&mut line).await?;
    let mut words = line.split_whitespace().map(str::to_owned);
    let (http, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let mut headers = BTreeMap::new();
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).await?;
        let Some((name, value)) = line.split_once(':') else { break };
        headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
    }
    let length = headers.get("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await?;
    let text = String::from_utf8_lossy(&body).into_owned();
    let request = Request { http, path, headers, body: serde_json::from_str(&text).unwrap_or_default(), text };
    log.lock().unwrap().push(request.clone());
    match answer(&request) {
        Reply::Whole { status, headers, body } => {
            let mut head = format!("HTTP/1.1 {status} X\r\ncontent-length: {}\r\nconnection: close\r\n", body.len());
            for (name, value) in headers {
                head.push_str(&format!("{name}: {value}\r\n"));
            }
            stream.write_all(format!("{head}\r\n").as_bytes()).await?;
            stream.write_all(&body).await?;
            stream.flush().await
        }
        Reply::Open(begin) => {
            let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
            stream.write_all(format!("{head}{begin}").as_bytes()).await?;
            stream.flush().await?;
            std::future::pending().await
        }
        Reply::Silence => std::future::pending().await,
    }
}

/// The answers of a server of 2025 without sessions; nothing for what it does not know.
pub(crate) fn old(request: &Request) -> Option<Reply> {
    Some(match request.method() {
        "server/discover" => Reply::json(
            200,
            &json!({"jsonrpc": "2.0", "id": request.body["id"], "error": {"code": -32601, "message": "no"}}),
        ),
        "initialize" => request.result(json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
            "serverInfo": {"name": "old", "version": "1"}})),
        "notifications/initialized" | "notifications/cancelled" => Reply::empty(202),
        "tools/list" => request.result(json!({"tools": [
            {"name": "echo", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true}}]})),
        "GET" => Reply::empty(405),
        "DELETE" => Reply::empty(200),
        _ => return None,
    })
}

/// A result with this text.
pub(crate) fn says(text: &str) -> Value {
    json!({"content": [{"type": "text", "text": text}]})
}
