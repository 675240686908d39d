//! Servers whose streams of events end as soon as they begin, or bring what cannot be read.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use research_mcp::{HttpServer, Hub, McpErrorKind, Object};
use serde_json::json;

use crate::support::{Reply, Request, Server, old, says};

const EVENTS: &str = "text/event-stream";

/// A server with a session, whose streams are these.
async fn serving(stream: impl Fn(usize) -> String + Send + Sync + 'static) -> Server {
    let count = Arc::new(AtomicUsize::new(0));
    Server::start(move |request| match request.method() {
        "GET" => Reply::new(200, EVENTS, stream(count.fetch_add(1, Ordering::Relaxed))),
        "initialize" => old(request).unwrap().with("mcp-session-id", "s"),
        "tools/call" => request.result(says("done")),
        _ => old(request).unwrap_or_else(|| Reply::empty(202)),
    })
    .await
}

#[tokio::test]
async fn a_server_cannot_make_its_client_come_back_without_a_pause() {
    let streams: [fn(usize) -> String; 4] = [
        |_| "retry: 0\n\n".to_owned(),
        |number| format!("id: {number}\nretry: 0\ndata:\n\n"),
        |number| format!("id: {number}\nretry: 0\ndata: {{\"jsonrpc\":\"2.0\",\"method\":\"n\"}}\n\n"),
        |_| String::new(),
    ];
    for stream in streams {
        let server = serving(stream).await;
        let hub = Hub::builder().http("web", HttpServer::new(&server.url)).connect().await.unwrap();
        tokio::time::sleep(Duration::from_secs(3)).await;

        let output = hub.call_on("web", "echo", Object::new()).await.unwrap();
        assert_eq!(output.text, "done");
        let count = server.count("GET");
        assert!((1..=10).contains(&count), "{count} in three seconds: {}", stream(0));
        hub.close().await;
    }
}

/// A stream of events that stays open after an answer that cannot be read.
#[tokio::test]
async fn an_unreadable_answer_in_a_stream_ends_its_call() {
    let answer = |request: &Request, text: &str| {
        Reply::Open(format!("event: message\ndata: {}\n\n", text.replace("{id}", &request.body["id"].to_string())))
    };
    for text in [
        r#"{"jsonrpc":"2.0","id":{id},"result":{{{"#.to_owned(),
        r#"{"jsonrpc":"2.0","id":5.5,"result":{}}"#.to_owned(),
        format!(r#"{{"jsonrpc":"2.0","id":{{id}},"result":{}{}}}"#, "[".repeat(200), "]".repeat(200)),
    ] {
        let server = Server::start(move |request| match request.method() {
            "tools/call" => answer(request, &text),
            _ => old(request).unwrap_or_else(|| Reply::empty(202)),
        })
        .await;
        let hub = Hub::builder().http("web", HttpServer::new(&server.url)).connect().await.unwrap();

        let call = hub.call_on("web", "echo", json!({"n": 1}).as_object().unwrap().clone());
        let error = tokio::time::timeout(Duration::from_secs(50), call).await.unwrap().unwrap_err();
        assert_eq!(error.kind(), McpErrorKind::Protocol, "{error}");
        assert!(error.to_string().contains("not a message of MCP"), "{error}");
        hub.close().await;
    }
}
