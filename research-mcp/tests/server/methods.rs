//! What was not declared is refused, in every revision and also where the SDK would answer with an empty list.

use research_mcp::server::{HttpListen, ServerTool, ToolReply, ToolServer};
use serde_json::{Value, json};

use crate::watched;
use crate::wire::{Session, request};

fn bare() -> ToolServer {
    let tool = ServerTool::new("t", "A tool.", json!({"type": "object"}), |_| async { Ok(ToolReply::text("done")) });
    ToolServer::builder("bare", "1").tool(tool).build().unwrap()
}

fn requests() -> Vec<(&'static str, Value)> {
    vec![
        ("prompts/list", json!({})),
        ("prompts/get", json!({"name": "p"})),
        ("resources/list", json!({})),
        ("resources/templates/list", json!({})),
        ("resources/read", json!({"uri": "r://a"})),
        ("resources/subscribe", json!({"uri": "r://a"})),
        ("resources/unsubscribe", json!({"uri": "r://a"})),
        (
            "completion/complete",
            json!({"ref": {"type": "ref/prompt", "name": "p"}, "argument": {"name": "a", "value": ""}}),
        ),
        ("logging/setLevel", json!({"level": "info"})),
        ("subscriptions/listen", json!({"notifications": {"toolsListChanged": true}})),
        ("tasks/get", json!({"taskId": "t"})),
        ("no/such/method", json!({})),
    ]
}

#[tokio::test]
async fn methods_that_were_not_declared_are_not_found() {
    let running = bare().serve_http(HttpListen::loopback(0)).await.unwrap();
    let session = Session::begin(running.address()).await;
    for (method, params) in requests() {
        let answer = watched(session.request(method, params.clone())).await;
        assert_eq!(answer["error"]["code"], -32_601, "2025-11-25 {method}: {answer}");
        let answer = watched(request(running.address(), method, params, json!({}))).await;
        assert_eq!(answer.message()["error"]["code"], -32_601, "2026-07-28 {method}: {answer:?}");
        assert_eq!(answer.status, 404, "{method}: {answer:?}");
    }
    running.shutdown().await;
}

#[tokio::test]
async fn nothing_more_is_declared_than_what_is_offered() {
    let running = bare().serve_http(HttpListen::loopback(0)).await.unwrap();
    let discovered = watched(request(running.address(), "server/discover", json!({}), json!({}))).await.message();
    assert_eq!(discovered["result"]["capabilities"], json!({"tools": {}}), "{discovered}");
    running.shutdown().await;
}

#[tokio::test]
async fn a_server_without_tools_has_no_tools() {
    let server = ToolServer::builder("empty", "1").build().unwrap();
    let running = server.serve_http(HttpListen::loopback(0)).await.unwrap();
    let session = Session::begin(running.address()).await;
    for (method, params) in [("tools/list", json!({})), ("tools/call", json!({"name": "t"}))] {
        let answer = watched(session.request(method, params)).await;
        assert_eq!(answer["error"]["code"], -32_601, "{method}: {answer}");
    }
    assert_eq!(watched(session.request("ping", json!({}))).await["result"], json!({}));
    running.shutdown().await;
}

#[tokio::test]
async fn a_list_has_one_page() {
    let running = bare().serve_http(HttpListen::loopback(0)).await.unwrap();
    let session = Session::begin(running.address()).await;
    let listed = watched(session.request("tools/list", json!({}))).await;
    assert_eq!(
        (listed["result"]["tools"].as_array().unwrap().len(), &listed["result"]["nextCursor"]),
        (1, &Value::Null)
    );
    let refused = watched(session.request("tools/list", json!({"cursor": "next"}))).await;
    assert_eq!(refused["error"]["code"], -32_602, "{refused}");
    running.shutdown().await;
}
