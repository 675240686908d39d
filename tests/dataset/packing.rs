//! Requests fit the model: records are packed by tokens, listings shrink, and what is refused is asked in smaller parts.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use research_agents::dataset::{DatasetAgent, DatasetReport, verify};
use research_agents::kernel::Bundle;
use research_llm::testing::{Reply, ScriptedModel};
use research_llm::tokens::estimate_request;
use research_llm::{
    ChatModel, EventStream, ModelError, ModelInfo, ModelKind, Request, Response, async_trait, replay_lazily,
};
use research_mcp::{BoxFuture, CallOutput, McpError, Object, Tool, ToolListing, ToolSource};
use serde_json::{Value, json};

use crate::script::{
    DECOMPOSE, EXTRACT, GAPS, PERSPECTIVES, PLAN, SYNTHESIZE, VALIDATE, decomposition, draft, perspectives, plan,
};

/// A language model that holds so many tokens and refuses what is longer, as servers do.
pub struct Small {
    inner: ScriptedModel,
    info: ModelInfo,
    holds: u64,
    /// Its refusals say how much it holds.
    tells: bool,
    refusals: AtomicUsize,
}

impl Small {
    pub fn new(holds: u32) -> Self {
        let info = ModelInfo::new("test", "small", ModelKind::Language);
        let inner = ScriptedModel::new()
            .always(DECOMPOSE, decomposition())
            .always(SYNTHESIZE, draft())
            .always(PERSPECTIVES, perspectives())
            .always(VALIDATE, json!({}))
            .always(GAPS, json!({}))
            .otherwise(|request| Some(Reply::json(one_finding_for_each_record(request)?)));
        Self { inner, info, holds: u64::from(holds), tells: true, refusals: AtomicUsize::new(0) }
    }

    /// Its provider says beforehand how much it holds.
    pub fn known(mut self) -> Self {
        self.info = self.info.context_tokens(u32::try_from(self.holds).unwrap());
        self
    }

    pub fn silent(mut self) -> Self {
        self.tells = false;
        self
    }

    pub fn plans(mut self, plans: [Value; 2]) -> Self {
        let [first, then] = plans;
        self.inner = self.inner.on_task(PLAN, first).always(PLAN, then);
        self
    }

    /// How often each record was read with an answer.
    fn read(&self) -> BTreeMap<String, usize> {
        let mut read = BTreeMap::new();
        for call in self.inner.calls_of(EXTRACT) {
            documents(&call).into_iter().for_each(|(id, _)| *read.entry(id).or_default() += 1);
        }
        read
    }
}

fn documents(request: &Request) -> Vec<(String, String)> {
    let documents = request.task.as_ref().unwrap().input["documents"].as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    documents.iter().map(|document| (text(&document["id"]), text(&document["text"]))).collect()
}

fn one_finding_for_each_record(request: &Request) -> Option<Value> {
    (request.task_name() == Some(EXTRACT)).then(|| {
        let finding = |(id, _): (String, String)| json!({"claim": "a record was kept", "doc_ids": [id], "themes": []});
        json!({"findings": documents(request).into_iter().map(finding).collect::<Vec<_>>()})
    })
}

#[async_trait]
impl ChatModel for Small {
    fn info(&self) -> &ModelInfo {
        &self.info
    }

    async fn complete(&self, request: &Request) -> Result<Response, ModelError> {
        let needed = estimate_request(request) + u64::from(request.max_output_tokens.unwrap_or(0));
        if needed > self.holds {
            self.refusals.fetch_add(1, Ordering::SeqCst);
            let (limit, requested) = if self.tells { (Some(self.holds), Some(needed)) } else { (None, None) };
            return Err(ModelError::token_limit("the request exceeds the context size", limit, requested));
        }
        self.inner.complete(request).await
    }

    fn stream(&self, request: Request) -> EventStream<'_> {
        replay_lazily(async move { self.complete(&request).await })
    }
}

/// A tool over records of prose, with many fields of many values.
pub struct Prose {
    /// Length of each record, in words.
    words: Vec<usize>,
}

impl Prose {
    pub fn even(records: usize, words: usize) -> Self {
        Self { words: vec![words; records] }
    }
}

impl ToolSource for Prose {
    fn list_tools(&self) -> BoxFuture<'_, Result<ToolListing, McpError>> {
        let values: Vec<String> = (0..100).map(|value| format!("a rather long value {value}")).collect();
        let fields: serde_json::Map<String, Value> =
            (0..30).map(|field| (format!("field_{field}"), json!({"type": "string", "enum": values}))).collect();
        let schema = json!({"type": "object", "properties": {
            "filters": {"type": "string", "contentSchema": {"type": "object", "properties": fields}},
            "page_size": {"type": "integer"}, "search_after": {"type": "array"}
        }});
        let tool = Tool::new("fake", "analyze_events", schema.as_object().unwrap().clone());
        Box::pin(async move { Ok(ToolListing::new(vec![tool])) })
    }

    fn call_tool<'a>(&'a self, name: &'a str, arguments: Object) -> BoxFuture<'a, Result<CallOutput, McpError>> {
        let size = arguments.get("page_size").and_then(Value::as_u64).unwrap_or(20) as usize;
        let from = arguments.get("search_after").and_then(|cursor| cursor[0].as_u64()).unwrap_or(0) as usize;
        let to = (from + size.min(100)).min(self.words.len());
        let record = |at: usize| json!({"id": at, "note": format!("note {at}: {}", "bees and gulls ".repeat(self.words[at] / 3))});
        let result = json!({
            "data_context": {"unique_ids_matched": self.words.len()},
            "documents": (from..to).map(record).collect::<Vec<_>>(),
            "has_more": to < self.words.len(), "search_after": [to]
        });
        Box::pin(async move { Ok(CallOutput::structured("fake", name, result)) })
    }
}

/// Counts first, then reads everything.
async fn research(model: Small, tool: Prose) -> (Arc<Small>, DatasetReport) {
    let scan = plan(&[("scanner", json!({"tool_args": {}}))], &[]);
    let model = Arc::new(model.plans([plan(&[("decomposer", json!({"query": "notes"}))], &[json!({})]), scan]));
    let agent = DatasetAgent::builder(Arc::clone(&model), tool).build().unwrap();
    let report = agent.run("What do the notes say?").await.unwrap();
    (model, report)
}

fn assert_each_read_once(model: &Small, records: usize) {
    let read = model.read();
    assert_eq!(read.len(), records);
    assert!(read.values().all(|times| *times == 1), "what was answered is not asked again: {read:?}");
}

#[tokio::test]
async fn a_model_of_8192_tokens_reads_165_records_in_more_calls() {
    let (model, report) = research(Small::new(8_192).known(), Prose::even(165, 120)).await;
    assert_eq!(model.refusals.load(Ordering::SeqCst), 0, "every request of every task fits");
    assert_each_read_once(&model, 165);
    let calls = model.inner.calls_of(EXTRACT).len();
    assert!(calls > 3, "three batches take more than {calls} calls");
    assert_eq!((report.coverage.fetched, report.coverage.fraction), (165, Some(1.0)));
    assert_eq!(report.findings[0].evidence_count, 165, "every record was read for findings");
}

#[tokio::test]
async fn requests_of_the_reviewing_agents_fit_too() {
    let first = plan(&[("decomposer", json!({"query": "notes"})), ("perspective", json!({}))], &[json!({})]);
    let scan = plan(&[("scanner", json!({})), ("validator", json!({})), ("gap_analyzer", json!({}))], &[]);
    let model = Arc::new(Small::new(8_192).known().plans([first, scan]));
    let agent = DatasetAgent::builder(Arc::clone(&model), Prose::even(165, 120)).build().unwrap();
    agent.run("What do the notes say?").await.unwrap();
    assert_eq!(model.refusals.load(Ordering::SeqCst), 0);
    for task in [PERSPECTIVES, VALIDATE, GAPS] {
        assert!(!model.inner.calls_of(task).is_empty(), "{task}");
    }
}

#[tokio::test]
async fn a_limit_that_only_a_refusal_tells_is_learned() {
    let (model, report) = research(Small::new(8_192), Prose::even(165, 120)).await;
    assert_each_read_once(&model, 165);
    assert_eq!(report.findings[0].evidence_count, 165);
    let refusals = model.refusals.load(Ordering::SeqCst);
    assert!((1..=8).contains(&refusals), "{refusals} refusals: it is learned once, not with every request");
}

#[tokio::test]
async fn refusals_without_a_number_halve_the_packs() {
    // Long enough for every prompt but those with many records.
    let (model, report) = research(Small::new(24_000).silent(), Prose::even(165, 300)).await;
    assert!(model.refusals.load(Ordering::SeqCst) >= 1);
    assert_each_read_once(&model, 165);
    assert_eq!(report.findings[0].evidence_count, 165);
}

#[tokio::test]
async fn a_record_that_no_request_can_hold_is_read_in_part_and_the_report_says_so() {
    let tool = Prose { words: vec![60, 3_000, 60] };
    let (model, report) = research(Small::new(8_192).known(), tool).await;
    assert_each_read_once(&model, 3);
    let long = model.inner.calls_of(EXTRACT).iter().flat_map(documents).find(|(id, _)| id == "1").unwrap().1;
    assert!(long.ends_with("(cut)"), "{} characters", long.len());
    let says = |text: &str| text.contains("1 records are too long for the model");
    assert!(report.limitations.iter().any(|limitation| says(limitation)), "{:?}", report.limitations);
    assert_eq!(report.findings[0].evidence_count, 3, "it is not lost");
}

#[tokio::test]
async fn of_a_record_that_is_longer_than_what_is_kept_the_report_says_what_was_read() {
    let scan = plan(&[("scanner", json!({}))], &[]);
    let model = Small::new(200_000).known().plans([plan(&[], &[json!({})]), scan]);
    let agent = DatasetAgent::builder(model, Prose { words: vec![60, 9_000, 60] }).build().unwrap();
    let report = agent.run("What do the notes say?").record().await.unwrap();
    assert!(report.sources.iter().map(|source| source.cut).eq([false, true, false]));
    let note = "1 records have more than 20000 characters";
    assert!(report.limitations.iter().any(|line| line.starts_with(note)), "{:?}", report.limitations);
    let coverage = "3 of 3 records read; only the first 20,000 characters of 1 of them";
    assert!(report.markdown.contains(coverage), "{}", report.markdown);
    let bundle = Bundle::from_json(&report.bundle().unwrap().to_json().unwrap()).unwrap();
    let verification = verify(&bundle);
    assert!(verification.holds(), "{:?}", verification.failures().collect::<Vec<_>>());
}
