//! Calls of one plan side by side: what overlaps, what waits, and that the order in which they end changes nothing. No clock
//! decides any of it: a call that is to wait is held back until the other one has come.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::StreamExt;
use research_agents::dataset::{
    CancellationToken, DatasetAgent, DatasetConfig, DatasetState, EventKind, Phase, RunEvent, Services, graph,
    standard_agents,
};
use research_agents::kernel::BudgetLimits;
use research_core::{EventKind as EngineEventKind, Modes};
use research_llm::testing::ScriptedModel;
use research_llm::{ChatModel, EventStream, ModelError, ModelInfo, Request, Response, async_trait, replay_lazily};
use research_mcp::{BoxFuture, CallOutput, McpError, Object, ToolListing, ToolSource};
use serde_json::{Value, json};
use tokio::sync::{Barrier, watch};

use crate::fake::FakeTool;
use crate::script::{DECOMPOSE, EXTRACT, PERSPECTIVES, PLAN, extraction, finding, helpful, plan};

/// A run of calls that wait for each other in vain ends, and its test fails.
fn config() -> DatasetConfig {
    let budget = BudgetLimits::default().time(Duration::from_secs(60));
    DatasetConfig { parallel_calls: 8, budget, ..DatasetConfig::default() }
}

/// Tools of which the first two calls are answered together: neither before the other has come.
struct Together {
    tools: Vec<(String, FakeTool)>,
    both: Barrier,
    calls: AtomicUsize,
}

impl Together {
    fn new(names: &[&str]) -> Self {
        let tool = |name: &&str| ((*name).to_owned(), FakeTool::new(name, 12));
        Self { tools: names.iter().map(tool).collect(), both: Barrier::new(2), calls: AtomicUsize::new(0) }
    }
}

impl ToolSource for Together {
    fn list_tools(&self) -> BoxFuture<'_, Result<ToolListing, McpError>> {
        Box::pin(async {
            let mut all = ToolListing::default();
            for (_, tool) in &self.tools {
                all.tools.extend(tool.list_tools().await?.tools);
            }
            Ok(all)
        })
    }

    fn call_tool<'a>(&'a self, name: &'a str, arguments: Object) -> BoxFuture<'a, Result<CallOutput, McpError>> {
        Box::pin(async move {
            if self.calls.fetch_add(1, Ordering::SeqCst) < 2 {
                self.both.wait().await;
            }
            let (_, tool) = self.tools.iter().find(|(own, _)| own == name).unwrap();
            tool.call_tool(name, arguments).await
        })
    }
}

#[tokio::test]
async fn both_paths_of_a_plan_are_under_way_at_once_and_meet_once() {
    let odd = json!({"group_by": "parity", "filters": "{\"parity\": \"odd\"}"});
    let model = helpful().on_task(PLAN, plan(&[("aggregator", json!({"group_by": "parity"}))], &[odd]));
    let agent = DatasetAgent::builder(model, Together::new(&["analyze_events"])).config(config()).build().unwrap();
    let mut stream = agent.run("numbers by parity").max_iterations(1).stream();
    let (mut calls, mut ends, mut joins) = (0, Vec::new(), Vec::new());
    while let Some(event) = stream.next().await {
        match event.kind {
            EventKind::Run(RunEvent::ToolCall { .. }) => calls += 1,
            EventKind::Run(RunEvent::ToolResult { .. }) => ends.push((event.seq, calls)),
            EventKind::Run(RunEvent::Progress { message, .. }) if message.contains(" records, ") => {
                joins.push(event.seq)
            }
            _ => {}
        }
    }
    let report = stream.outcome().await.unwrap();
    assert_eq!(ends.iter().map(|(_, begun)| *begun).collect::<Vec<_>>(), [2, 2], "both begin before one ends");
    assert!(joins.len() == 1 && ends.iter().all(|(end, _)| *end < joins[0]), "{joins:?} after {ends:?}");
    let filters: Vec<Value> = report.aggregations.iter().map(|table| json!(table.filters)).collect();
    assert_eq!(filters, [json!({}), json!({"parity": "odd"})], "the results of both");
}

#[tokio::test]
async fn an_aggregator_asks_its_tools_at_once() {
    let aggregator = json!({"tool_names": ["library", "archive"], "group_by": "parity"});
    let model = helpful().on_task(PLAN, plan(&[("aggregator", aggregator)], &[]));
    let tools = Together::new(&["library", "archive"]);
    let agent = DatasetAgent::builder(model, tools).config(config()).build().unwrap();
    let report = agent.run("numbers by parity").max_iterations(1).await.unwrap();
    let tools: Vec<(&str, u64)> =
        report.aggregations.iter().map(|table| (table.source_tool.as_str(), table.total_docs)).collect();
    assert_eq!(tools, [("library", 12), ("archive", 12)]);
}

/// The order in which named calls end, whichever began first. Calls without a place in it end as they come.
#[derive(Clone)]
struct Order {
    names: Arc<Vec<String>>,
    turn: Arc<watch::Sender<usize>>,
    ended: Arc<Mutex<Vec<String>>>,
}

impl Order {
    fn new(names: Vec<String>) -> Self {
        Self { names: Arc::new(names), turn: Arc::new(watch::Sender::new(0)), ended: Arc::default() }
    }

    /// Waits until all calls with an earlier place have ended.
    async fn end(&self, name: &str) {
        let Some(place) = self.names.iter().position(|own| own == name) else { return };
        let mut turn = self.turn.subscribe();
        if turn.wait_for(|turn| *turn >= place).await.is_ok_and(|turn| *turn == place) {
            self.ended.lock().unwrap().push(name.to_owned());
        }
        self.turn.send_modify(|turn| *turn += usize::from(*turn == place));
    }
}

/// A tool or a model whose calls end in a given order.
struct Ordered<T>(T, Order);

impl ToolSource for Ordered<FakeTool> {
    fn list_tools(&self) -> BoxFuture<'_, Result<ToolListing, McpError>> {
        self.0.list_tools()
    }

    fn call_tool<'a>(&'a self, name: &'a str, arguments: Object) -> BoxFuture<'a, Result<CallOutput, McpError>> {
        Box::pin(async move {
            let call = json!(arguments).to_string();
            let answer = self.0.call_tool(name, arguments).await;
            self.1.end(&call).await;
            answer
        })
    }
}

#[async_trait]
impl ChatModel for Ordered<ScriptedModel> {
    fn info(&self) -> &ModelInfo {
        self.0.info()
    }

    async fn complete(&self, request: &Request) -> Result<Response, ModelError> {
        let answer = self.0.complete(request).await;
        self.1.end(request.task_name().unwrap_or_default()).await;
        answer
    }

    fn stream(&self, request: Request) -> EventStream<'_> {
        replay_lazily(async move { self.complete(&request).await })
    }
}

fn services(model: impl ChatModel + 'static, tools: impl ToolSource + 'static) -> Services {
    let (config, stop) = (Arc::new(config()), CancellationToken::new());
    Services::new(Arc::new(model), Arc::new(tools), standard_agents(), config, stop)
}

fn question() -> DatasetState {
    DatasetState { question: "numbers by parity".into(), ..DatasetState::default() }
}

/// The items in an order that follows from a number.
fn shuffled(items: &[String], seed: u64) -> Vec<String> {
    let mut random = seed.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mut items = items.to_vec();
    for at in (1..items.len()).rev() {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        items.swap(at, (random % (at as u64 + 1)) as usize);
    }
    items
}

/// The state without a word of how long anything took.
fn timeless(mut state: Value) -> Value {
    match &mut state {
        Value::Object(fields) => {
            fields.retain(|name, _| !matches!(name.as_str(), "elapsed_ms" | "active_ms"));
            fields.values_mut().for_each(|value| *value = timeless(value.take()));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| *item = timeless(item.take())),
        _ => {}
    }
    state
}

/// What is merged follows the plan, whichever call ends first.
#[tokio::test]
async fn a_hundred_orders_of_ending_give_the_same_state() {
    let grouped = json!({"group_by": "parity"});
    let tools = [
        json!({"group_by": "parity", "filters": "{\"parity\":\"odd\"}"}),
        json!({"page_size": 33}),
        json!({"page_size": 7, "filters": "{\"parity\":\"even\"}"}),
    ];
    let agents = [("aggregator", grouped.clone()), ("decomposer", json!({})), ("perspective", json!({}))];
    let names: Vec<String> = tools.iter().chain([&grouped]).map(Value::to_string).collect();
    let names: Vec<String> = names.into_iter().chain([DECOMPOSE, PERSPECTIVES].map(str::to_owned)).collect();
    let (mut orders, mut states) = (BTreeSet::new(), BTreeSet::new());
    for seed in 0..100 {
        let order = Order::new(shuffled(&names, seed));
        let model = helpful()
            .on_task(PLAN, plan(&agents, &tools))
            .always(PLAN, plan(&[], &[json!({"group_by": "parity"})]))
            .on_task(EXTRACT, extraction(&[finding("Numbers are even", &["2"]), finding("Numbers are odd", &["3"])]));
        let tool = Ordered(FakeTool::new("analyze_events", 90), order.clone());
        let resources = services(Ordered(model, order.clone()), tool);
        let done = graph().unwrap().run(question()).resources(resources).step_limit(500).await.unwrap();
        assert_eq!(*order.ended.lock().unwrap(), *order.names, "they ended in this order");
        let calls: Vec<&str> = done.state.completed_calls.iter().take(6).map(|call| call.name.as_str()).collect();
        let planned = ["aggregator", "decomposer", "perspective", "analyze_events", "analyze_events", "analyze_events"];
        assert_eq!(calls, planned, "{:?}", order.names);
        assert_eq!(done.state.current_phase, Phase::Complete);
        states.insert(timeless(serde_json::to_value(&done.state).unwrap()).to_string());
        orders.insert(order.names.to_vec());
    }
    assert!(orders.len() > 60, "only {} different orders", orders.len());
    assert_eq!(states.len(), 1, "{states:#?}");
}

#[tokio::test]
async fn the_nodes_of_a_run_follow_the_picture() {
    let model = helpful()
        .on_task(PLAN, plan(&[("decomposer", json!({}))], &[json!({"group_by": "parity"})]))
        .on_task(PLAN, plan(&[("scanner", json!({}))], &[]));
    let resources = services(model, FakeTool::new("analyze_events", 40));
    let mut events = graph().unwrap().run(question()).resources(resources).stream_modes(Modes::TASKS);
    let mut begun: Vec<(u64, usize, String)> = Vec::new();
    while let Some(event) = events.next().await {
        if let (EngineEventKind::TaskStarted, Some(task)) = (&event.kind, &event.task) {
            begun.push((event.step, task.index, task.node.to_string()));
        }
    }
    assert!(begun.is_sorted_by_key(|(step, ..)| *step), "{begun:?}");
    begun.sort();
    let steps: Vec<Vec<&str>> = begun
        .chunk_by(|(one, ..), (other, ..)| one == other)
        .map(|tasks| tasks.iter().map(|(.., node)| node.as_str()).collect())
        .collect();
    let expected: [&[&str]; 11] = [
        &["initialize"],
        &["planner"],
        &["execute_agents", "execute_tools"],
        &["accumulate"],
        &["check_complete"],
        &["planner"],
        &["execute_agents"],
        &["accumulate"],
        &["check_complete"],
        &["synthesizer"],
        &["stream_report"],
    ];
    assert_eq!(steps, expected);
}
