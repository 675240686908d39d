//! What a call does beyond asking and answering: questions to the user, promises about results, results that are too large, and
//! lists that the SDK cannot read.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test stops at the first thing that is not as it should be")]

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::StreamExt;
use research_mcp::rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ClientRequest, ClientResult, ContentBlock, CustomResult,
    InputRequiredResult, ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, ServerRequest,
    ServerResult, Tool,
};
use research_mcp::rmcp::service::{NotificationContext, RequestContext, Service, ServiceError};
use research_mcp::rmcp::{ErrorData, RoleServer, ServerHandler};
use research_mcp::{
    ArtifactStore, BoxFuture, CallOptions, DirectoryArtifacts, ElicitAnswer, Elicitation, Elicitor, Fingerprint, Hub,
    HubBuilder, HubEvent, InputRequired, InvalidResults, Lifecycle, Limits, McpError, McpErrorKind, Object, Overflow,
    ServerPolicy, ToolSource, Wanted,
};
use serde_json::{Value, json};
use tokio::sync::mpsc;

/// A server with tools that ask the user for a colour, and tools that return what they should not.
struct Asking;

fn question() -> Value {
    let schema = json!({"type": "object", "properties": {"colour": {"type": "string"}}, "required": ["colour"]});
    json!({"method": "elicitation/create", "params": {"mode": "form", "message": "Which colour?", "requestedSchema": schema}})
}

impl ServerHandler for Asking {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let schema = |value: Value| Arc::new(value.as_object().unwrap().clone());
        let tool = |name: &'static str| Tool::new(name, "a tool", schema(json!({"type": "object"})));
        let promise = schema(json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}));
        let mut count = tool("count");
        count.output_schema = Some(promise);
        Ok(ListToolsResult::with_all_items(vec![tool("paint"), tool("endless"), tool("sample"), tool("much"), count]))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let argument = |name: &str| request.arguments.as_ref().and_then(|arguments| arguments.get(name)).cloned();
        let legacy = context.peer.peer_info().is_some_and(|info| info.protocol_version.as_str() < "2026");
        let ask = |requests: Value| -> CallToolResponse {
            let result = json!({"resultType": "input_required", "inputRequests": requests, "requestState": "half-way"});
            serde_json::from_value::<InputRequiredResult>(result).unwrap().into()
        };
        match &*request.name {
            "paint" if legacy => {
                let request: ServerRequest = serde_json::from_value(question()).unwrap();
                let answer = context
                    .peer
                    .send_request(request)
                    .await
                    .map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
                let ClientResult::ElicitResult(answer) = answer else { panic!("{answer:?}") };
                Ok(CallToolResult::structured(json!({"answer": answer})).into())
            }
            "paint" => match request.input_responses {
                None => Ok(ask(json!({"colour": question()}))),
                Some(answers) => {
                    assert_eq!(request.request_state.as_deref(), Some("half-way"));
                    Ok(CallToolResult::structured(json!({"answer": answers["colour"]})).into())
                }
            },
            "endless" => Ok(ask(json!({"again": question()}))),
            "sample" => Ok(ask(json!({"s": {"method": "sampling/createMessage",
                "params": {"messages": [], "maxTokens": 1}}}))),
            "much" => {
                let text = format!("head{}tail", "ü".repeat(20_000));
                let mut result =
                    CallToolResult::success(vec![ContentBlock::text(text), ContentBlock::image("AAAA", "image/png")]);
                result.structured_content = argument("structured");
                Ok(result.into())
            }
            "count" => match argument("n") {
                Some(n) => Ok(CallToolResult::structured(json!({"n": n})).into()),
                None => Ok(CallToolResult::error(vec![ContentBlock::text("nothing to count")]).into()),
            },
            other => Err(ErrorData::invalid_params(format!("unknown tool {other}"), None)),
        }
    }
}

/// Answers every question, and keeps it.
#[derive(Default)]
struct Painter(Mutex<Vec<Elicitation>>);

impl Elicitor for Painter {
    fn ask(&self, question: Elicitation) -> BoxFuture<'_, ElicitAnswer> {
        self.0.lock().unwrap().push(question);
        Box::pin(async { ElicitAnswer::Accept(json!({"colour": "green"})) })
    }
}

/// Never answers.
struct Silent;

impl Elicitor for Silent {
    fn ask(&self, _: Elicitation) -> BoxFuture<'_, ElicitAnswer> {
        Box::pin(std::future::pending())
    }
}

fn object(value: Value) -> Object {
    value.as_object().unwrap().clone()
}

async fn hub(lifecycle: Lifecycle, with: impl FnOnce(HubBuilder) -> HubBuilder) -> Hub {
    let builder = Hub::builder().in_process("shop", Asking).policy("shop", ServerPolicy::new().lifecycle(lifecycle));
    let hub = with(builder).connect().await.unwrap();
    assert!(hub.servers()[0].state.is_ready(), "{hub:?}");
    hub
}

const ERAS: [Lifecycle; 2] = [Lifecycle::Initialize, Lifecycle::Discover];

#[tokio::test]
async fn a_question_is_put_to_the_elicitor_in_both_eras() {
    for era in ERAS {
        let painter = Arc::new(Painter::default());
        let elicitor = Arc::clone(&painter);
        let hub = hub(era, |builder| builder.elicitor(elicitor)).await;
        let output = hub.call_tool("paint", Object::new()).await.unwrap();
        assert_eq!(
            output.structured.unwrap(),
            json!({"answer": {"action": "accept", "content": {"colour": "green"}}}),
            "{era:?}"
        );
        let asked = painter.0.lock().unwrap();
        assert_eq!((asked[0].server.as_str(), asked[0].message.as_str()), ("shop", "Which colour?"));
        assert_eq!(asked[0].tool.as_deref(), Some("paint"));
        let Wanted::Form { schema, .. } = &asked[0].wanted else { panic!("{asked:?}") };
        assert_eq!(schema["properties"]["colour"]["type"], "string");
    }
}

#[tokio::test]
async fn without_anybody_to_ask_the_question_is_declined_or_comes_back() {
    let old = hub(Lifecycle::Initialize, |builder| builder).await;
    let output = old.call_tool("paint", Object::new()).await.unwrap();
    assert_eq!(output.structured.unwrap()["answer"]["action"], "decline");
    let new = hub(Lifecycle::Discover, |builder| builder).await;
    let error = new.call_tool("paint", Object::new()).await.unwrap_err();
    // The SDK's server does not ask a client that does not say that it can be asked.
    assert!(matches!(error.kind(), McpErrorKind::InputRequired | McpErrorKind::Protocol), "{error}");
}

#[tokio::test]
async fn a_call_goes_on_later_with_the_answers() {
    let hub = hub(Lifecycle::Discover, HubBuilder::answer_later).await;
    let error = hub.call_tool("paint", Object::new()).await.unwrap_err();
    assert_eq!(
        (error.kind(), error.server(), error.tool()),
        (McpErrorKind::InputRequired, Some("shop"), Some("paint"))
    );
    assert!(error.to_string().contains("Which colour?"), "{error}");
    let McpError::InputRequired { required, .. } = error else { panic!() };
    // A host may keep it for days.
    let stored = serde_json::to_string(&required).unwrap();
    let required: InputRequired = serde_json::from_str(&stored).unwrap();
    let answers = BTreeMap::from([("colour".to_owned(), ElicitAnswer::Accept(json!({"colour": "blue"})))]);
    let options = CallOptions::new().answers(required.answered(answers));
    let output = hub.call_with("paint", Object::new(), &options).await.unwrap();
    assert_eq!(output.structured.unwrap()["answer"]["content"]["colour"], "blue");
    let options = CallOptions::new().answers(required.answered(BTreeMap::new()));
    let output = hub.call_with("paint", Object::new(), &options).await.unwrap();
    assert_eq!(output.structured.unwrap()["answer"]["action"], "decline");
}

#[tokio::test]
async fn a_server_cannot_ask_for_ever_or_for_anything_else() {
    let painter = Arc::new(Painter::default());
    let elicitor = Arc::clone(&painter);
    let hub = hub(Lifecycle::Discover, |builder| builder.elicitor(elicitor)).await;
    let error = hub.call_tool("endless", Object::new()).await.unwrap_err();
    assert_eq!(error.kind(), McpErrorKind::Protocol);
    assert!(error.to_string().contains("again and again"), "{error}");
    assert_eq!(painter.0.lock().unwrap().len(), 10);
    let error = hub.call_tool("sample", Object::new()).await.unwrap_err();
    assert_eq!(error.kind(), McpErrorKind::Protocol);
}

#[tokio::test(start_paused = true)]
async fn while_a_question_is_open_only_the_hard_limit_counts() {
    for era in ERAS {
        let hub = hub(era, |builder| builder.elicitor(Arc::new(Silent))).await;
        let options = CallOptions::new().limit(Duration::from_millis(20)).total(Duration::from_millis(200));
        let error = hub.call_with("paint", Object::new(), &options).await.unwrap_err();
        let McpError::Timeout { limit, .. } = error else { panic!("{error}") };
        assert_eq!(limit, Duration::from_millis(200), "{era:?}");
    }
}

#[tokio::test]
async fn what_is_too_large_is_refused_or_kept() {
    let directory = tempfile::tempdir().unwrap();
    let store = Arc::new(DirectoryArtifacts::new(directory.path()).unwrap());
    let artifacts = Arc::clone(&store);
    let hub = Hub::builder()
        .in_process("shop", Asking)
        .limits(Limits::default().result_bytes(1_000))
        .artifacts(artifacts)
        .connect()
        .await
        .unwrap();
    assert_eq!(hub.call_tool("much", Object::new()).await.unwrap_err().kind(), McpErrorKind::TooLarge);
    let options = CallOptions::new().overflow(Overflow::Keep);
    let output = hub.call_with("much", object(json!({"structured": {"n": 1}})), &options).await.unwrap();
    assert!(output.text.len() <= 1_000 && output.text.starts_with("headü") && output.text.ends_with("ütail"));
    assert_eq!((output.structured.clone(), output.content.len()), (None, 1));
    let artifact = output.artifact.unwrap();
    let whole = store.get(artifact.id).await.unwrap();
    assert_eq!(whole.len(), artifact.bytes);
    let whole: Value = serde_json::from_slice(&whole).unwrap();
    assert_eq!(whole["content"][0]["text"].as_str().unwrap().chars().count(), 20_008);
    assert_eq!((&whole["content"][1]["type"], &whole["structured"]["n"]), (&json!("image"), &json!(1)));
    assert!(output.text.contains(&artifact.id.to_string()));
    assert_eq!(output.json().unwrap_err().kind(), McpErrorKind::TooLarge, "a part is not taken for the whole");
    directory.close().unwrap();
    // A store that takes nothing is no reason to lose the limit.
    assert_eq!(hub.call_with("much", Object::new(), &options).await.unwrap_err().kind(), McpErrorKind::TooLarge);
}

#[tokio::test]
async fn a_policy_that_keeps_needs_a_store() {
    let policy = ServerPolicy::new().overflow(Overflow::Keep);
    let error = Hub::builder().in_process("shop", Asking).policy("shop", policy).build().unwrap_err();
    assert_eq!(error.kind(), McpErrorKind::Configuration);
}

#[cfg(feature = "validate")]
#[tokio::test]
async fn a_result_that_breaks_its_promise_is_reported_or_refused() {
    let hub = hub(Lifecycle::Auto, |builder| builder).await;
    let fits = hub.call_tool("count", object(json!({"n": 3}))).await.unwrap();
    assert_eq!(fits.invalid, None);
    let output = hub.call_tool("count", object(json!({"n": "three"}))).await.unwrap();
    assert!(output.invalid.as_ref().is_some_and(|reason| reason.contains("/n")), "{output:?}");
    assert_eq!(output.structured, Some(json!({"n": "three"})));
    assert_eq!(hub.call_tool("count", Object::new()).await.unwrap().invalid, None, "an error promises nothing");
    let policy = ServerPolicy::new().invalid_results(InvalidResults::Refuse);
    let strict = Hub::builder().in_process("shop", Asking).policy("shop", policy).connect().await.unwrap();
    let error = strict.call_tool("count", object(json!({"n": "three"}))).await.unwrap_err();
    assert_eq!((error.kind(), error.tool()), (McpErrorKind::InvalidResult, Some("count")));
    assert!(strict.call_tool("count", object(json!({"n": 3}))).await.is_ok());
}

/// Without the feature nothing is checked, and nobody is left to think so.
#[cfg(not(feature = "validate"))]
#[tokio::test]
async fn a_policy_that_cannot_be_kept_is_refused() {
    let policy = ServerPolicy::new().invalid_results(InvalidResults::Refuse);
    let error = Hub::builder().in_process("shop", Asking).policy("shop", policy).build().unwrap_err();
    assert_eq!(error.kind(), McpErrorKind::Configuration);
    let hub = hub(Lifecycle::Auto, |builder| builder).await;
    assert_eq!(hub.call_tool("count", object(json!({"n": "three"}))).await.unwrap().invalid, None);
}

/// A server of before 2026 that asks twice in one call, and tells how its questions ended.
struct Twice(mpsc::UnboundedSender<Result<ClientResult, ServiceError>>);

impl ServerHandler for Twice {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn call_tool(
        &self,
        _: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        for _ in 0..2 {
            let request: ServerRequest = serde_json::from_value(question()).unwrap();
            let outcome = context.peer.send_request(request).await;
            let goes_on = outcome.is_ok();
            self.0.send(outcome).unwrap();
            if !goes_on {
                break;
            }
        }
        Ok(CallToolResult::success(vec![]).into())
    }
}

/// Hands every question on, and never answers.
struct Handing(mpsc::UnboundedSender<Elicitation>);

impl Elicitor for Handing {
    fn ask(&self, question: Elicitation) -> BoxFuture<'_, ElicitAnswer> {
        self.0.send(question).unwrap();
        Box::pin(std::future::pending())
    }
}

/// Else the server would go on with it, and ask what the next call of the tool would be taken to ask.
#[tokio::test]
async fn a_question_whose_call_is_cancelled_gets_an_error_also_when_the_next_call_follows_at_once() {
    let (sender, mut outcomes) = mpsc::unbounded_channel();
    let (asks, mut asked) = mpsc::unbounded_channel();
    let policy = ServerPolicy::new().lifecycle(Lifecycle::Initialize);
    let builder = Hub::builder().in_process("shop", Twice(sender)).policy("shop", policy);
    let hub = builder.elicitor(Arc::new(Handing(asks))).connect().await.unwrap();
    let call = || hub.call_on("shop", "paint", Object::new());
    tokio::select! {
        outcome = call() => panic!("{outcome:?}"),
        question = asked.recv() => assert_eq!(question.unwrap().tool.as_deref(), Some("paint")),
    }
    let first = async {
        tokio::select! {
            outcome = call() => panic!("{outcome:?}"),
            first = outcomes.recv() => first.unwrap(),
        }
    };
    let first = tokio::time::timeout(Duration::from_secs(600), first).await.expect("the first question ends");
    assert!(matches!(first, Err(ServiceError::McpError(_))), "{first:?}");
}

/// What is spawned then is dropped at once; spawning it anew would overflow the stack.
#[test]
fn a_runtime_may_end_with_a_call_that_was_dropped_just_before() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let hub = runtime.block_on(async {
        let (asks, mut asked) = mpsc::unbounded_channel();
        let hub = hub(Lifecycle::Initialize, |builder| builder.elicitor(Arc::new(Handing(asks)))).await;
        tokio::select! {
            outcome = hub.call_tool("paint", Object::new()) => panic!("{outcome:?}"),
            _ = asked.recv() => {}
        }
        hub
    });
    drop(runtime);
    drop(hub);
}

/// A server that answers every list with the same result, whatever is in it.
struct Sloppy(Value);

impl Service<RoleServer> for Sloppy {
    async fn handle_request(
        &self,
        request: ClientRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<ServerResult, ErrorData> {
        match request {
            ClientRequest::InitializeRequest(_) => {
                let result = json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                    "serverInfo": {"name": "sloppy", "version": "1"}});
                Ok(ServerResult::InitializeResult(serde_json::from_value(result).unwrap()))
            }
            ClientRequest::ListToolsRequest(_)
            | ClientRequest::ListResourcesRequest(_)
            | ClientRequest::ListResourceTemplatesRequest(_)
            | ClientRequest::ListPromptsRequest(_) => Ok(ServerResult::CustomResult(CustomResult::new(self.0.clone()))),
            other => Err(ErrorData::new(
                research_mcp::rmcp::model::ErrorCode::METHOD_NOT_FOUND,
                other.method().to_owned(),
                None,
            )),
        }
    }

    async fn handle_notification(
        &self,
        _: research_mcp::rmcp::model::ClientNotification,
        _: NotificationContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }
}

#[tokio::test]
async fn a_bad_tool_is_quarantined_whatever_stands_beside_the_list() {
    let tools = json!([{"name": "good", "inputSchema": {"type": "object"}}, {"name": "bad"}, 7]);
    for beside in [json!({}), json!({"_meta": {"k": 1}}), json!({"resultType": "complete", "_meta": {}, "ttlMs": 0})] {
        let mut result = json!({"tools": tools});
        result.as_object_mut().unwrap().extend(beside.as_object().unwrap().clone());
        let hub = Hub::builder().in_process("sloppy", Sloppy(result)).connect().await.unwrap();
        let listing = hub.list_tools().await.unwrap();
        let names: Vec<_> = listing.tools.iter().map(|tool| tool.name.as_str()).collect();
        assert_eq!(names, ["good"], "{beside}");
        assert_eq!(listing.quarantined.len(), 2, "{beside}");
    }
}

#[tokio::test]
async fn a_bad_resource_or_prompt_costs_only_itself() {
    let lists = [
        ("resources", json!([{"uri": "a://1"}, {"name": "lost"}, {"uri": "a://2", "name": "two", "size": -3}])),
        ("resourceTemplates", json!([{"uriTemplate": "a://{n}", "name": "all"}, {"uriTemplate": 5, "name": "lost"}])),
        ("prompts", json!([{"name": "good", "arguments": [{"name": "n"}]}, {"name": "lost", "arguments": [{}]}])),
    ];
    for (list, entries) in lists {
        let result = json!({list: entries, "_meta": {"k": 1}});
        let hub = Hub::builder().in_process("sloppy", Sloppy(result)).connect().await.unwrap();
        let mut events = hub.events();
        let names: Vec<String> = match list {
            "resources" => hub.resources("sloppy").await.unwrap().into_iter().map(|resource| resource.name).collect(),
            "prompts" => hub.prompts("sloppy").await.unwrap().into_iter().map(|prompt| prompt.name).collect(),
            _ => hub.resource_templates("sloppy").await.unwrap().into_iter().map(|template| template.name).collect(),
        };
        let expected: &[&str] = match list {
            "resources" => &["a://1", "two"],
            "prompts" => &["good"],
            _ => &["all"],
        };
        assert_eq!(names, expected);
        let told = async {
            loop {
                if let Some(HubEvent::Quarantined { list, name, reason, .. }) = events.next().await {
                    return (list, name, reason);
                }
            }
        };
        let (of, name, reason) = tokio::time::timeout(Duration::from_secs(60), told).await.unwrap();
        assert_eq!((of, name.as_str()), (list, "lost"), "{reason}");
    }
}

#[tokio::test]
async fn a_pinned_tool_is_called_only_as_it_was() {
    let shop = hub(Lifecycle::Discover, |builder| builder).await;
    let listing = shop.list_tools().await.unwrap();
    let tool = listing.get("count").unwrap();
    let call = |tool: &research_mcp::Tool| {
        let (name, options) = (tool.name.clone(), CallOptions::new().pinned(Fingerprint::of(tool)));
        let shop = &shop;
        async move { shop.call_on_with("shop", &name, object(json!({"n": 3})), &options).await }
    };
    assert_eq!(call(tool).await.unwrap().structured, Some(json!({"n": 3})));
    let error = call(&tool.clone().with_description("another tool")).await.unwrap_err();
    assert_eq!(error.kind(), McpErrorKind::ToolChanged);
    let gone = research_mcp::Tool::new("shop", "gone", Object::new());
    assert_eq!(call(&gone).await.unwrap_err().kind(), McpErrorKind::Refused);
}

#[tokio::test]
async fn with_both_the_elicitor_is_asked_only_by_those_that_cannot_wait() {
    for era in ERAS {
        let painter = Arc::new(Painter::default());
        let elicitor = Arc::clone(&painter);
        let hub = hub(era, |builder| builder.answer_later().elicitor(elicitor)).await;
        let outcome = hub.call_tool("paint", Object::new()).await;
        match era {
            Lifecycle::Initialize => assert_eq!(outcome.unwrap().structured.unwrap()["answer"]["action"], "accept"),
            _ => assert_eq!(outcome.unwrap_err().kind(), McpErrorKind::InputRequired),
        }
        assert_eq!(painter.0.lock().unwrap().len(), usize::from(era == Lifecycle::Initialize));
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_bad_tool_of_a_child_process_is_quarantined_too() {
    use research_mcp::StdioServer;
    let script = r#"while read -r line; do case "$line" in
        *'"initialize"'*) echo '{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}}';;
        *tools/list*) echo '{"jsonrpc":"2.0","id":1,"result":{"_meta":{"a":1},"tools":[{"name":"bad","inputSchema":null},{"name":"good","inputSchema":{"type":"object"}}]}}';;
        esac; done"#;
    let server = StdioServer::new("sh").arg("-c").arg(script);
    let policy = ServerPolicy::new().lifecycle(Lifecycle::Initialize);
    let hub = Hub::builder().stdio("sh", server).policy("sh", policy).connect().await.unwrap();
    let listing = hub.list_tools().await.unwrap();
    assert_eq!((listing.tools[0].name.as_str(), listing.quarantined[0].name.as_str()), ("good", "bad"));
    hub.close().await;
}
