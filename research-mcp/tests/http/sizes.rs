//! What is too large ends its own call, and what cannot be read is told apart from it.

use std::time::Duration;

use research_mcp::{HttpServer, Hub, Limits, McpError, McpErrorKind, Object, ToolSource};
use serde_json::{Value, json};

use crate::support::{Reply, Request, Server, old, says};

async fn hub(server: &Server) -> Hub {
    // Millions of bytes take a processor long.
    let limits = Limits::default().call(Duration::from_secs(600));
    let hub = Hub::builder().http("web", HttpServer::new(&server.url)).limits(limits).connect().await.unwrap();
    assert!(hub.servers()[0].state.is_ready(), "{hub:?}");
    hub
}

fn event(request: &Request, result: &Value) -> String {
    let message = json!({"jsonrpc": "2.0", "id": request.body["id"], "result": result});
    format!("event: message\r\nid: 1\r\ndata: {message}\r\n\r\n")
}

#[tokio::test]
async fn a_body_of_40_mb_and_an_event_of_20_mb_end_their_own_calls() {
    let server = Server::start(|request| {
        old(request).unwrap_or_else(|| match request.body["params"]["arguments"]["as"].as_str() {
            Some("body") => request.result(says(&"x".repeat(40_000_000))),
            Some("event") => Reply::new(200, "text/event-stream", event(request, &says(&"x".repeat(20_000_000)))),
            Some("lines") => {
                let line = format!("data: {}\n", " ".repeat(1_000));
                let id = &request.body["id"];
                let body = format!(
                    "data: {{\"jsonrpc\":\"2.0\",\"id\":{id},\n{}data: \"result\":{{}}}}\n\n",
                    line.repeat(10_000)
                );
                Reply::new(200, "text/event-stream", body)
            }
            _ => request.result(says("small")),
        })
    })
    .await;
    let hub = hub(&server).await;
    let argument = |kind: &str| Object::from_iter([("as".to_owned(), kind.into())]);
    for kind in ["body", "event", "lines"] {
        let (large, small) = tokio::join!(hub.call_tool("echo", argument(kind)), hub.call_tool("echo", Object::new()));
        let McpError::TooLarge { bytes, limit, .. } = large.unwrap_err() else { panic!("{kind}") };
        assert!(bytes > 4 << 20 && limit == 1 << 20, "{kind}: {bytes} {limit}");
        assert_eq!(small.unwrap().text, "small", "{kind}");
    }
    assert_eq!(hub.call_tool("echo", Object::new()).await.unwrap().text, "small");
}

#[tokio::test]
async fn a_bad_tool_is_quarantined_in_a_body_and_in_an_event() {
    for events in [false, true] {
        let server = Server::start(move |request| {
            if request.method() != "tools/list" {
                return old(request).unwrap();
            }
            let list = json!({"_meta": {"a": 1}, "tools": [
                {"name": "bad"}, {"name": "good", "inputSchema": {"type": "object"}}]});
            if events { Reply::new(200, "text/event-stream", event(request, &list)) } else { request.result(list) }
        })
        .await;
        let listing = hub(&server).await.list_tools().await.unwrap();
        let names: Vec<_> = listing.tools.iter().map(|tool| tool.name.as_str()).collect();
        assert_eq!((names, listing.quarantined[0].name.as_str()), (vec!["good"], "bad"), "events: {events}");
    }
}

#[tokio::test]
async fn an_answer_that_is_no_message_is_an_error_of_its_call() {
    let server = Server::start(|request| {
        old(request).unwrap_or_else(|| match request.body["params"]["arguments"]["as"].as_str() {
            Some("html") => Reply::new(200, "text/html", "<p>Welcome"),
            Some("garbage") => Reply::new(200, "application/json", "{\"almost\": json"),
            Some("500") => Reply::new(500, "text/plain", "out of memory"),
            Some("429") => Reply::empty(429).with("retry-after", "30"),
            Some("400") => Reply::new(400, "text/plain", "what?"),
            _ => request.result(says("fine")),
        })
    })
    .await;
    let hub = hub(&server).await;
    for (kind, expected, words) in [
        ("html", McpErrorKind::Closed, "text/html"),
        ("garbage", McpErrorKind::Protocol, "no JSON-RPC message"),
        ("500", McpErrorKind::Protocol, "the server answers HTTP 500"),
        ("429", McpErrorKind::Protocol, "the server answers HTTP 429, Retry-After: 30"),
        ("400", McpErrorKind::Protocol, "HTTP 400"),
    ] {
        let error = hub.call_tool("echo", Object::from_iter([("as".to_owned(), kind.into())])).await.unwrap_err();
        assert_eq!(error.kind(), expected, "{error}");
        assert!(error.to_string().contains(words) && !error.to_string().contains("rmcp"), "{error}");
        assert_eq!(hub.call_tool("echo", Object::new()).await.unwrap().text, "fine");
    }
}
