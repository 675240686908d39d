//! A hub against servers written by hand, line by line: old ones, sloppy ones and hostile ones.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use research_mcp::{Content, Hub, Lifecycle, Limits, McpErrorKind, Object, ServerPolicy, ServerState, ToolSource};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream};

/// What to do with a request: answer with a result, with an error, with a raw line, or hang up.
enum Reply {
    Result(Value),
    Error(i64),
    Silence,
    HangUp,
}

type Requests = Arc<Mutex<Vec<Value>>>;

/// Runs a server that answers by this function; returns our end of the pipe and the requests it got.
fn server(answer: impl Fn(&str, &Value) -> Reply + Send + 'static) -> (DuplexStream, Requests) {
    let (ours, theirs) = tokio::io::duplex(1 << 20);
    let requests = Requests::default();
    let log = Arc::clone(&requests);
    tokio::spawn(async move {
        let (read, mut write) = tokio::io::split(theirs);
        let mut lines = BufReader::new(read).lines();
        while let Ok(Some(line)) = lines.next_line().await {
            let request: Value = serde_json::from_str(&line).unwrap();
            log.lock().unwrap().push(request.clone());
            let Some(id) = request.get("id") else { continue };
            let answer = match answer(request["method"].as_str().unwrap(), &request["params"]) {
                Reply::Result(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
                Reply::Error(code) => json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": "no"}}),
                Reply::Silence => continue,
                Reply::HangUp => break,
            };
            write.write_all(format!("{answer}\n").as_bytes()).await.unwrap();
        }
    });
    (ours, requests)
}

fn initialized() -> Reply {
    Reply::Result(json!({
        "protocolVersion": "2024-11-05", "capabilities": {"tools": {}}, "serverInfo": {"name": "old", "version": "0.1"}
    }))
}

/// A server of 2024: it knows `initialize`, and these answers.
fn old(answer: impl Fn(&str, &Value) -> Reply + Send + 'static) -> (DuplexStream, Requests) {
    server(move |method, params| match method {
        "initialize" => initialized(),
        "server/discover" => Reply::Error(-32601),
        _ => answer(method, params),
    })
}

async fn hub(pipe: DuplexStream) -> Hub {
    Hub::builder().transport("raw", tokio::io::split(pipe)).connect().await.unwrap()
}

fn tool(name: &str) -> Value {
    json!({"name": name, "inputSchema": {"type": "object"}})
}

async fn names(hub: &Hub) -> Vec<String> {
    hub.list_tools().await.unwrap().tools.into_iter().map(|tool| tool.exposed_name).collect()
}

#[tokio::test]
async fn a_server_of_2024_is_understood() {
    let (pipe, requests) = old(|_, _| Reply::Result(json!({"tools": [tool("a")]})));
    let hub = hub(pipe).await;
    let ServerState::Ready { implementation, protocol } = &hub.servers()[0].state else { panic!("{hub:?}") };
    assert_eq!((implementation.as_deref(), protocol.as_str()), (Some("old 0.1"), "2024-11-05"));
    assert_eq!(names(&hub).await, ["a"]);
    let methods: Vec<_> = requests.lock().unwrap().iter().map(|request| request["method"].clone()).collect();
    assert_eq!(methods, ["server/discover", "initialize", "notifications/initialized", "tools/list"]);
}

#[tokio::test]
async fn the_old_handshake_can_be_demanded() {
    let (pipe, requests) = old(|_, _| Reply::Silence);
    let builder = Hub::builder()
        .transport("raw", tokio::io::split(pipe))
        .policy("raw", ServerPolicy::new().lifecycle(Lifecycle::Initialize));
    let hub = builder.connect().await.unwrap();
    assert!(hub.servers()[0].state.is_ready());
    assert_eq!(requests.lock().unwrap()[0]["method"], "initialize");
}

#[tokio::test]
async fn a_server_that_never_answers_costs_no_more_than_the_limit() {
    let (silent, _) = server(|_, _| Reply::Silence);
    let (good, _) = old(|_, _| Reply::Result(json!({"tools": [tool("a")]})));
    let hub = Hub::builder()
        .transport("silent", tokio::io::split(silent))
        .transport("good", tokio::io::split(good))
        .policy("silent", ServerPolicy::new().limits(Limits::default().connect(Duration::from_millis(200))))
        .connect()
        .await
        .unwrap();
    let listing = hub.list_tools().await.unwrap();
    assert_eq!(listing.tools.len(), 1);
    assert!(listing.failed[0].reason.contains("connecting took longer than 200ms"), "{:?}", listing.failed);
}

#[tokio::test]
async fn a_list_with_a_repeated_cursor_ends() {
    let (pipe, requests) = old(|_, params| {
        let name = if params.get("cursor").is_some() { "b" } else { "a" };
        Reply::Result(json!({"tools": [tool(name)], "nextCursor": "again"}))
    });
    let hub = hub(pipe).await;
    assert_eq!(names(&hub).await, ["a", "b"]);
    assert_eq!(requests.lock().unwrap().iter().filter(|request| request["method"] == "tools/list").count(), 2);
}

#[tokio::test]
async fn a_list_without_an_end_meets_the_page_cap() {
    let (pipe, requests) = old(|_, params| {
        let page: u64 = params["cursor"].as_str().map_or(0, |cursor| cursor.parse().unwrap());
        Reply::Result(json!({"tools": [tool(&format!("t{page}"))], "nextCursor": (page + 1).to_string()}))
    });
    let hub = hub(pipe).await;
    assert_eq!(names(&hub).await.len(), Limits::default().list_pages);
    assert_eq!(requests.lock().unwrap().len(), 3 + Limits::default().list_pages);
}

#[tokio::test]
async fn an_empty_cursor_is_followed() {
    let (pipe, _) = old(|_, params| match params.get("cursor") {
        None => Reply::Result(json!({"tools": [tool("a")], "nextCursor": ""})),
        Some(cursor) => {
            assert_eq!(cursor, "");
            Reply::Result(json!({"tools": [tool("b")]}))
        }
    });
    assert_eq!(names(&hub(pipe).await).await, ["a", "b"]);
}

#[tokio::test]
async fn a_bad_tool_is_quarantined_and_the_rest_is_kept() {
    let (pipe, _) = old(|_, _| {
        Reply::Result(json!({"tools": [
            tool("good"), {"name": "no schema"}, tool("good"), {"inputSchema": {"type": "object"}},
            {"name": "list", "inputSchema": []}, {"name": "string", "inputSchema": {"type": "string"}},
            {"name": "last", "title": "T", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true, "x": 1}}
        ]}))
    });
    let hub = hub(pipe).await;
    let listing = hub.list_tools().await.unwrap();
    assert_eq!(listing.tools.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>(), ["good", "last"]);
    assert_eq!((listing.tools[1].title.as_deref(), listing.tools[1].hints.read_only), (Some("T"), Some(true)));
    let bad: Vec<_> = listing.quarantined.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(bad, ["no schema", "good", "", "list", "string"]);
    assert!(listing.quarantined[0].reason.contains("no input schema"));
}

#[tokio::test]
async fn a_listing_that_hangs_ends_at_its_limit() {
    let (pipe, _) = old(|_, _| Reply::Silence);
    let hub = Hub::builder()
        .transport("raw", tokio::io::split(pipe))
        .limits(Limits::default().list(Duration::from_millis(50)))
        .connect()
        .await
        .unwrap();
    let error = hub.list_tools().await.unwrap_err();
    assert!(error.to_string().contains("listing took longer than 50ms"), "{error}");
}

#[tokio::test]
async fn unknown_content_blocks_are_passed_over() {
    let (pipe, _) = old(|method, _| match method {
        "tools/list" => Reply::Result(json!({"tools": [tool("a")]})),
        _ => {
            Reply::Result(json!({"content": [{"type": "hologram", "data": 1}, {"type": "text", "text": "{\"n\": 1}"}]}))
        }
    });
    let output = hub(pipe).await.call_tool("a", Object::new()).await.unwrap();
    assert!(output.content.iter().any(|block| matches!(block, Content::Unknown { kind, .. } if kind == "hologram")));
    assert_eq!(output.json().unwrap(), json!({"n": 1}));
}

#[tokio::test]
async fn a_server_that_hangs_up_in_a_call_is_reported_and_remembered() {
    let (pipe, requests) = old(|method, _| match method {
        "tools/list" => Reply::Result(json!({"tools": [tool("a")]})),
        _ => Reply::HangUp,
    });
    let hub = hub(pipe).await;
    let error = hub.call_tool("a", Object::new()).await.unwrap_err();
    assert_eq!(error.kind(), McpErrorKind::Closed);
    assert!(matches!(hub.servers()[0].state, ServerState::Failed { .. }));
    assert_eq!(hub.call_tool("a", Object::new()).await.unwrap_err().kind(), McpErrorKind::Closed);
    let calls = requests.lock().unwrap().iter().filter(|request| request["method"] == "tools/call").count();
    assert_eq!(calls, 1, "a tool call is never repeated");
}

#[tokio::test]
async fn nothing_is_listed_from_a_server_without_tools() {
    let (pipe, _) = old(|_, _| Reply::Error(-32601));
    assert!(names(&hub(pipe).await).await.is_empty());
}
