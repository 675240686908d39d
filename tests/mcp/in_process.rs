//! A hub over services that run in this process: naming, calling, limits, failures of one of several.

use std::time::Duration;

use research_mcp::rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CancelledNotificationParam, ContentBlock, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use research_mcp::rmcp::service::{NotificationContext, RequestContext};
use research_mcp::rmcp::{ErrorData, RoleServer, ServerHandler};
use research_mcp::{CallOptions, Content, Hub, Limits, McpError, McpErrorKind, Object, ServerState, ToolSource};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::watched;

/// What became of a call that hangs.
#[derive(Debug, PartialEq, Eq)]
enum Hanging {
    Begun,
    Cancelled,
}

/// A server whose tools echo, fail, hang, or return much.
struct Workshop {
    tools: &'static [&'static str],
    hanging: Option<mpsc::UnboundedSender<Hanging>>,
}

impl Workshop {
    fn new(tools: &'static [&'static str]) -> Self {
        Self { tools, hanging: None }
    }

    /// One that tells of the calls that hang.
    fn telling(tools: &'static [&'static str]) -> (Self, mpsc::UnboundedReceiver<Hanging>) {
        let (sender, told) = mpsc::unbounded_channel();
        (Self { tools, hanging: Some(sender) }, told)
    }

    fn tell(&self, of: Hanging) {
        if let Some(hanging) = &self.hanging {
            let _ = hanging.send(of);
        }
    }
}

impl ServerHandler for Workshop {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let schema = json!({"type": "object", "properties": {"z": {}, "a": {}}}).as_object().unwrap().clone();
        let tool = |name: &&'static str| Tool::new(*name, "a tool", schema.clone());
        Ok(ListToolsResult::with_all_items(self.tools.iter().map(tool).collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        let result = match &*request.name {
            "echo" => CallToolResult::structured(arguments),
            "text" => CallToolResult::success(vec![
                ContentBlock::text(arguments.to_string()),
                ContentBlock::image("AAAA", "image/png"),
            ]),
            "fail" => CallToolResult::error(vec![ContentBlock::text("the index is closed")]),
            "refuse" => return Err(ErrorData::invalid_params("no such argument", None)),
            "hang" => {
                self.tell(Hanging::Begun);
                std::future::pending().await
            }
            "huge" => CallToolResult::success(vec![ContentBlock::text("\"id\":1,".repeat(1_000_000))]),
            "much" => CallToolResult::success(vec![ContentBlock::text("x".repeat(10_000))]),
            other => return Err(ErrorData::invalid_params(format!("unknown tool {other}"), None)),
        };
        Ok(result.into())
    }

    async fn on_cancelled(&self, _: CancelledNotificationParam, _: NotificationContext<RoleServer>) {
        self.tell(Hanging::Cancelled);
    }
}

fn object(value: Value) -> Object {
    value.as_object().unwrap().clone()
}

async fn kind_of(hub: &Hub, tool: &str) -> (McpErrorKind, String) {
    let error = hub.call_tool(tool, Object::new()).await.unwrap_err();
    (error.kind(), error.to_string())
}

#[tokio::test]
async fn arguments_arrive_as_they_were_sent_and_results_come_back_whole() {
    let hub = Hub::builder().in_process("shop", Workshop::new(&["echo", "text"])).connect().await.unwrap();
    assert!(matches!(&hub.servers()[0].state, ServerState::Ready { protocol, .. } if protocol == "2026-07-28"));
    let sent = r#"{"z":1,"a":{"y":[1.2345678901234567,null],"b":"ü"}}"#;
    let output = hub.call_tool("echo", serde_json::from_str(sent).unwrap()).await.unwrap();
    assert_eq!(output.json().unwrap().to_string(), sent, "byte-equal, in the same order");
    let output = hub.call_tool("text", object(json!({"n": 1}))).await.unwrap();
    assert_eq!(output.structured, None);
    assert!(
        output
            .content
            .iter()
            .any(|block| matches!(block, Content::Image { media_type, .. } if media_type == "image/png"))
    );
    assert_eq!(output.into_json().unwrap(), json!({"n": 1}));
    hub.close().await;
    assert_eq!(hub.servers()[0].state, ServerState::Closed);
    assert_eq!(kind_of(&hub, "echo").await.0, McpErrorKind::Closed);
}

#[tokio::test]
async fn failures_are_told_apart() {
    let limits = Limits::default().result_bytes(5_000);
    let service = Workshop::new(&["echo", "fail", "refuse", "much"]);
    let hub = Hub::builder().in_process("shop", service).limits(limits).connect().await.unwrap();
    let output = hub.call_tool("fail", Object::new()).await.unwrap();
    assert!(output.is_error);
    assert_eq!(output.json().unwrap_err().kind(), McpErrorKind::Tool);
    let (kind, text) = kind_of(&hub, "refuse").await;
    assert_eq!(kind, McpErrorKind::Protocol);
    assert!(text.contains("`shop`") && text.contains("`refuse`") && text.contains("no such argument"), "{text}");
    assert_eq!(kind_of(&hub, "much").await.0, McpErrorKind::TooLarge);
    let (kind, text) = kind_of(&hub, "ecko").await;
    assert_eq!(kind, McpErrorKind::UnknownTool);
    assert!(text.contains("did you mean `echo`?"), "{text}");
    assert!(hub.call_tool("echo", Object::new()).await.is_ok(), "the connection survives all of them");
}

#[tokio::test]
async fn a_message_that_is_never_held_in_memory_still_ends_its_call() {
    let hub = Hub::builder().in_process("shop", Workshop::new(&["huge", "echo"])).connect().await.unwrap();
    let error = hub.call_tool("huge", Object::new()).await.unwrap_err();
    let McpError::TooLarge { bytes, limit, .. } = error else { panic!("{error}") };
    assert!(bytes > 7_000_000 && limit == 1 << 20, "{bytes} {limit}");
    assert!(hub.call_tool("echo", Object::new()).await.is_ok());
}

#[tokio::test]
async fn a_call_without_an_answer_ends_and_is_cancelled_at_the_server() {
    watched(async {
        let (service, mut told) = Workshop::telling(&["hang", "echo"]);
        let hub = Hub::builder().in_process("shop", service).connect().await.unwrap();
        hub.tools().await.unwrap();
        let options = CallOptions::new().limit(Duration::from_millis(50));
        let error = hub.call_with("hang", Object::new(), &options).await.unwrap_err();
        assert_eq!(error.kind(), McpErrorKind::Timeout);
        let text = error.to_string();
        assert!(text.contains("50ms") && text.contains("`hang`"), "{text}");
        while told.recv().await.unwrap() != Hanging::Cancelled {}
        assert!(hub.call_tool("echo", Object::new()).await.is_ok());
    })
    .await;
}

#[tokio::test]
async fn dropping_a_call_cancels_it_at_the_server() {
    watched(async {
        let (service, mut told) = Workshop::telling(&["hang"]);
        let hub = Hub::builder().in_process("shop", service).connect().await.unwrap();
        tokio::select! {
            outcome = hub.call_tool("hang", Object::new()) => panic!("{outcome:?}"),
            begun = told.recv() => assert_eq!(begun, Some(Hanging::Begun)),
        }
        assert_eq!(told.recv().await, Some(Hanging::Cancelled));
    })
    .await;
}

#[tokio::test]
async fn names_are_unique_over_servers_and_one_dead_server_does_not_matter() {
    let (ours, theirs) = tokio::io::duplex(64);
    drop(theirs);
    let hub = Hub::builder()
        .in_process("b", Workshop::new(&["echo", "text"]))
        .transport("dead", tokio::io::split(ours))
        .in_process("a", Workshop::new(&["echo"]))
        .connect()
        .await
        .unwrap();
    let listing = hub.list_tools().await.unwrap();
    let names: Vec<_> = listing.tools.iter().map(|tool| tool.exposed_name.as_str()).collect();
    assert_eq!(names, ["b__echo", "text", "a__echo"]);
    assert_eq!(listing.failed[0].server, "dead");
    assert!(matches!(hub.servers()[1].state, ServerState::Failed { .. }));
    assert_eq!(hub.call_tool("a__echo", Object::new()).await.unwrap().server, "a");
    let keys: Vec<_> = listing.tools[0].input_schema["properties"].as_object().unwrap().keys().collect();
    assert_eq!(keys, ["z", "a"], "a schema keeps its order");
}

#[tokio::test]
async fn a_hub_without_any_server_says_why() {
    let (ours, theirs) = tokio::io::duplex(64);
    drop(theirs);
    let hub = Hub::builder().transport("dead", tokio::io::split(ours)).connect().await.unwrap();
    let error = hub.list_tools().await.unwrap_err();
    assert_eq!(error.kind(), McpErrorKind::NoServer);
    assert!(error.to_string().contains("`dead`"), "{error}");
}

#[tokio::test]
async fn wrong_configurations_are_refused() {
    let twice = Hub::builder().in_process("a", Workshop::new(&[])).in_process("a", Workshop::new(&[]));
    assert_eq!(twice.build().unwrap_err().kind(), McpErrorKind::Configuration);
    assert!(Hub::builder().in_process(" ", Workshop::new(&[])).build().is_err());
    assert!(Hub::builder().policy("a", research_mcp::ServerPolicy::new()).build().is_err());
}

#[test]
fn a_hub_may_be_dropped_outside_of_a_runtime() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let hub = runtime.block_on(Hub::builder().in_process("a", Workshop::new(&["echo"])).connect()).unwrap();
    assert!(hub.servers()[0].state.is_ready());
    drop(runtime);
    drop(hub);
}
