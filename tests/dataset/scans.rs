//! Scans over servers that hold much, little or nothing, and over servers that misbehave.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use futures::StreamExt;
use research_agents::dataset::{
    Completion, DatasetAgent, DatasetConfig, DatasetCx, DatasetReport, EventKind, RunEvent, Scanner, ScannerInput,
    ScannerOutput,
};
use research_agents::kernel::resolve_citations;
use research_agents::subagent::{Card, SubAgent};
use research_agents::{Error, ErrorCategory};
use research_mcp::{BoxFuture, CallOutput, McpError, Object, Tool, ToolListing, ToolSource};
use serde_json::{Value, json};

use crate::fake::FakeTool;
use crate::flaky::{Fault, Flaky};
use crate::retry::quick;
use crate::script::{EXTRACT, PLAN, extraction, finding, golden_start, helpful, plan, prompt};
use crate::{CallLog, fixture};

/// Plans the golden start, then a scan, then the report.
async fn scan(flags: &[&str], arguments: Value) -> DatasetReport {
    let hub = fixture(flags).await;
    let model = helpful()
        .on_task(PLAN, golden_start())
        .on_task(PLAN, plan(&[("scanner", arguments)], &[]))
        .always(PLAN, plan(&[("synthesizer", json!({}))], &[]));
    let agent = DatasetAgent::builder(model, Arc::clone(&hub)).build().unwrap();
    let report = agent.run("India events by theme").await.unwrap();
    hub.close().await;
    assert!(resolve_citations(&report.markdown).is_ok(), "{}", report.markdown);
    report
}

#[tokio::test]
async fn documents_that_come_again_are_read_once() {
    let report = scan(&["--overlap", "10"], json!({"batch_size": 100})).await;
    assert_eq!(report.sources.len(), 165);
    assert_eq!(report.coverage.fraction, Some(1.0));
}

#[tokio::test]
async fn a_server_that_dies_in_the_middle_is_started_again_and_read_to_its_end() {
    let log = CallLog::new();
    let report = scan(&["--die-after-calls", "2", "--log", log.path()], json!({"batch_size": 100})).await;
    assert_eq!((report.coverage.fetched, report.coverage.total), (165, Some(165)));
    assert_eq!(report.sources.len(), 165);
    assert!(report.markdown.contains("165 of 165 records read"), "{}", report.markdown);
    let is_first = |arguments: &&Value| arguments["page_size"] == 100 && arguments["search_after"].is_null();
    assert_eq!(log.arguments().iter().filter(is_first).count(), 1, "the page that had come is not fetched again");
}

#[tokio::test]
async fn a_server_that_dies_again_and_again_gives_a_partial_report() {
    let report = scan(&["--die-after-calls", "1"], json!({"batch_size": 40})).await;
    let (fetched, total) = (report.coverage.fetched, report.coverage.total);
    assert!((40..165).contains(&fetched) && total == Some(165), "{:?}", report.coverage);
    assert!(report.is_partial());
    let share = 100.0 * fetched as f64 / 165.0;
    let words = format!("{fetched} of 165 records read ({share:.1} %), in the tool's order");
    assert!(report.markdown.contains(&words), "{}", report.markdown);
    let reason = report.coverage.stopped_early.unwrap();
    assert_eq!(reason, "a server could not be reached, or the connection broke");
    assert!(!report.markdown.contains("out of memory"), "the server's own words: {}", report.markdown);
    assert!(report.notes.iter().any(|note| note.contains("fixture: out of memory")), "{:?}", report.notes);
}

#[tokio::test]
async fn a_cursor_that_never_changes_ends_the_scan() {
    let report = scan(&["--repeat-cursor"], json!({"batch_size": 50})).await;
    assert!(report.coverage.stopped_early.as_ref().unwrap().contains("same cursor"), "{:?}", report.coverage);
    assert!(report.stats.mcp_calls <= 4, "{:?}", report.stats);
}

#[tokio::test]
async fn pages_of_known_documents_only_end_the_scan() {
    let report = scan(&["--repeat-docs"], json!({"batch_size": 50})).await;
    assert_eq!(report.coverage.fetched, 50);
    assert!(report.coverage.stopped_early.is_some());
}

#[tokio::test]
async fn an_endless_server_is_read_up_to_the_limit() {
    let log = CallLog::new();
    let report = scan(&["--endless", "--events", "100000", "--log", log.path()], json!({"batch_size": 70})).await;
    assert_eq!(report.sources.len(), 300);
    assert!(report.coverage.capped);
    assert!(report.markdown.contains("300 of 100,000 records read (0.3 %), in the tool's order, scan limit 300"));
}

async fn read(total: usize, batch_size: usize) -> (DatasetReport, usize) {
    let tool = Arc::new(FakeTool::new("analyze_events", total));
    let model = helpful()
        .on_task(PLAN, plan(&[("decomposer", json!({}))], &[json!({"group_by": "parity"})]))
        .always(PLAN, plan(&[("synthesizer", json!({}))], &[]));
    let config = DatasetConfig { batch_size, ..DatasetConfig::default() };
    let agent = DatasetAgent::builder(model, Arc::clone(&tool)).config(config).build().unwrap();
    let report = agent.run("numbers by parity").await.unwrap();
    let listings = tool.listings.load(std::sync::atomic::Ordering::SeqCst);
    (report, listings)
}

#[tokio::test]
async fn never_more_than_three_hundred_and_coverage_is_exact() {
    for (total, fetched) in
        [(1, 1), (19, 19), (20, 20), (21, 21), (75, 75), (299, 299), (300, 300), (301, 300), (10_000, 300)]
    {
        let (report, listings) = read(total, 75).await;
        assert_eq!((report.sources.len(), report.coverage.fetched), (fetched, fetched as u64), "{total}");
        assert_eq!(report.coverage.total, Some(total as u64));
        assert_eq!(report.coverage.capped, fetched < total, "{total}");
        assert_eq!(report.is_partial(), fetched < total, "{total}");
        assert!(
            report.markdown.replace(',', "").contains(&format!("{fetched} of {total} records read")),
            "{}",
            report.markdown
        );
        assert_eq!(listings, 1, "tools are discovered once");
        assert!(report.stats.planner_calls <= 3, "{total}: {:?}", report.stats);
    }
}

#[tokio::test]
async fn nothing_matches_and_the_report_says_so() {
    let (report, _) = read(0, 75).await;
    assert_eq!((report.coverage.fetched, report.coverage.total), (0, Some(0)));
    assert_eq!(report.sources.len(), 0);
    assert!(report.markdown.contains("0 of 0 records read; no record matches"), "{}", report.markdown);
    assert_eq!(report.completion, Some(Completion::Planner));
}

#[tokio::test]
async fn batches_larger_than_a_page_are_filled_by_several() {
    let hub = FakeTool::new("analyze_events", 165);
    let tool = Arc::new(hub);
    let model = helpful()
        .on_task(PLAN, plan(&[], &[json!({"group_by": "parity"})]))
        .on_task(PLAN, plan(&[("scanner", json!({"batch_size": 150}))], &[]));
    let agent = DatasetAgent::builder(model, Arc::clone(&tool)).build().unwrap();
    let report = agent.run("numbers by parity").await.unwrap();
    assert_eq!(report.coverage.fetched, 165);
    assert_eq!(report.stats.mcp_calls, 4, "one grouping, then 100 and 50, then 15");
}

#[tokio::test]
async fn a_server_that_answers_nothing_leaves_nothing_to_report() {
    let hub = fixture(&["--die-after-calls", "0"]).await;
    let model = helpful()
        .on_task(PLAN, golden_start())
        .on_task(PLAN, plan(&[("scanner", json!({}))], &[]))
        .always(PLAN, plan(&[("synthesizer", json!({}))], &[]));
    let agent = DatasetAgent::builder(model, Arc::clone(&hub)).build().unwrap();
    let error = agent.run("India events by theme").await.unwrap_err();
    hub.close().await;
    assert!(matches!(error.root(), Error::NothingGathered { .. }), "{error:?}");
    assert_eq!(error.category(), ErrorCategory::Connection, "{error}");
}

/// A tool that answers with what it is told to, by the number of the call and its arguments.
struct Answers<F>(F, AtomicUsize);

impl<F: Fn(usize, &Object) -> Value + Send + Sync> ToolSource for Answers<F> {
    fn list_tools(&self) -> BoxFuture<'_, Result<ToolListing, McpError>> {
        let schema = json!({"type": "object", "properties": {
            "filters": {"type": "string"}, "page_size": {"type": "integer"}, "search_after": {"type": "array"}
        }});
        let tool = Tool::new("fake", "analyze_events", schema.as_object().unwrap().clone());
        Box::pin(async move { Ok(ToolListing::new(vec![tool])) })
    }

    fn call_tool<'a>(&'a self, name: &'a str, arguments: Object) -> BoxFuture<'a, Result<CallOutput, McpError>> {
        let call = self.1.fetch_add(1, Ordering::SeqCst);
        let answer = (self.0)(call, &arguments);
        Box::pin(async move { Ok(CallOutput::structured("fake", name, answer)) })
    }
}

/// A page of so many numbered records.
fn page(total: usize, arguments: &Object) -> Value {
    let size = arguments.get("page_size").and_then(Value::as_u64).unwrap_or(20).min(100) as usize;
    let from = arguments.get("search_after").and_then(|cursor| cursor[0].as_u64()).unwrap_or(0) as usize;
    let to = (from + size).min(total);
    let documents: Vec<Value> = (from..to).map(|id| json!({"id": id, "even": id % 2 == 0})).collect();
    json!({"documents": documents, "has_more": to < total, "search_after": [to]})
}

fn scanner(arguments: Value) -> Value {
    plan(&[("scanner", arguments)], &[])
}

fn only_report() -> Value {
    plan(&[("synthesizer", json!({}))], &[])
}

#[tokio::test]
async fn an_answer_that_cannot_be_read_is_never_taken_for_no_match() {
    for said in [
        json!({"error": "index unavailable"}),
        json!({"error": {"code": 3, "message": "index unavailable"}, "documents": []}),
        json!({"result": "Error: backend unavailable"}),
        json!({"result": "{\"documents\": [{\"id\": 1}, {\"i"}),
        json!({"result": {"content": [{"type": "text", "text": "{\"documents\": [{\"id\": 1}, {\"i"}]}}),
        json!({"status": "failed"}),
    ] {
        let what = said.to_string();
        let tool = Answers(move |_: usize, _: &Object| said.clone(), AtomicUsize::new(0));
        let model = helpful().on_task(PLAN, scanner(json!({}))).always(PLAN, only_report());
        let agent = DatasetAgent::builder(model, tool).config(quick()).build().unwrap();
        let error = agent.run("numbers").await.unwrap_err();
        assert!(matches!(error.root(), Error::NothingGathered { .. }), "{what}: {error:?}");
    }
}

#[tokio::test]
async fn an_error_in_place_of_a_result_is_met_like_any_other() {
    let answers = |call: usize, arguments: &Object| match call {
        1 => json!({"error": "HTTP 503 Service Unavailable"}),
        _ => page(165, arguments),
    };
    let model = helpful().on_task(PLAN, scanner(json!({}))).always(PLAN, only_report());
    let tool = Answers(answers, AtomicUsize::new(0));
    let agent = DatasetAgent::builder(model, tool).config(quick()).build().unwrap();
    let report = agent.run("numbers").await.unwrap();
    assert_eq!((report.coverage.fetched, report.coverage.total), (165, Some(165)));
}

#[tokio::test]
async fn records_that_cannot_be_read_are_told_and_not_taken_for_none() {
    let bare =
        |_: usize, _: &Object| json!({"documents": [{"id": 1, "even": false}, {"id": 2}, "three"], "has_more": false});
    let model = helpful().on_task(PLAN, scanner(json!({}))).always(PLAN, only_report());
    let agent = DatasetAgent::builder(model, Answers(bare, AtomicUsize::new(0))).build().unwrap();
    let report = agent.run("numbers").await.unwrap();
    assert_eq!((report.coverage.fetched, report.coverage.total, report.coverage.fraction), (1, None, None));
    let reason = report.coverage.stopped_early.as_ref().unwrap();
    assert!(reason.contains("2 of what the tool gave could not be read"), "{reason}");
    assert!(report.markdown.contains("how many match is not known"), "{}", report.markdown);
}

#[tokio::test]
async fn a_total_that_grows_while_it_is_read_leaves_nothing_unread() {
    let answers = |call: usize, arguments: &Object| {
        let mut page = page(500, arguments);
        page["data_context"] = json!({"unique_ids_matched": if call == 0 { 100 } else { 500 }});
        page
    };
    let model = helpful().on_task(PLAN, plan(&[], &[json!({})])).always(PLAN, only_report());
    let agent = DatasetAgent::builder(model, Answers(answers, AtomicUsize::new(0))).build().unwrap();
    let report = agent.run("numbers").await.unwrap();
    assert_eq!((report.coverage.fetched, report.coverage.total, report.coverage.capped), (300, Some(500), true));
}

#[tokio::test]
async fn where_nobody_knows_how_many_match_cap_and_order_are_told() {
    let answers = |_: usize, arguments: &Object| page(1_000, arguments);
    let even = json!({
        "text": "Some numbers are even.", "claims": [{"type": "quote", "source": "2", "text": "even: true"}]
    });
    let draft = json!({"title": "Numbers", "summary": [even], "key_findings": [even], "confidence": 0.5});
    let model = helpful()
        .on_task(PLAN, scanner(json!({})))
        .always(PLAN, only_report())
        .always(crate::script::SYNTHESIZE, draft);
    let agent = DatasetAgent::builder(model, Answers(answers, AtomicUsize::new(0))).build().unwrap();
    let report = agent.run("numbers").await.unwrap();
    assert_eq!((report.coverage.fetched, report.coverage.total, report.coverage.capped), (300, None, true));
    let said = "300 records read, in the tool's order; how many match is not known, scan limit 300";
    assert!(report.markdown.contains(said), "{}", report.markdown);
    assert!(report.markdown.contains("among the first 300 records"), "{}", report.markdown);
}

#[tokio::test]
async fn records_that_came_are_read_in_the_batches_of_the_plan() {
    for (arguments, batches) in [
        (json!({"batch_size": 40}), 3),
        (json!({"batch_size": 40, "max_batches": 1}), 1),
        (json!({"batch_size": 100}), 1),
    ] {
        let model = helpful()
            .on_task(PLAN, plan(&[], &[json!({"page_size": 100})]))
            .on_task(PLAN, scanner(arguments.clone()))
            .always(PLAN, only_report());
        let model = Arc::new(model);
        let agent = DatasetAgent::builder(Arc::clone(&model), FakeTool::new("analyze_events", 100)).build().unwrap();
        let report = agent.run("numbers by parity").await.unwrap();
        assert_eq!((model.calls_of(EXTRACT).len(), report.stats.mcp_calls), (batches, 1), "{arguments}");
        let unread = report.limitations.join("\n").contains("60 records that came were not read for findings");
        assert_eq!(unread, arguments["max_batches"] == 1, "{:?}", report.limitations);
    }
}

#[tokio::test]
async fn what_was_read_is_told_beside_the_number_that_it_is_of() {
    let hub = fixture(&[]).await;
    let of = |country: &str| json!({"filters": json!({"country": country}).to_string(), "group_by": "event_theme"});
    let model = helpful()
        .on_task(PLAN, plan(&[], &[of("India"), of("Japan")]))
        .on_task(PLAN, scanner(json!({"tool_args": {"filters": "{\"country\":\"India\"}"}})))
        .always(PLAN, only_report());
    let model = Arc::new(model);
    let agent = DatasetAgent::builder(Arc::clone(&model), Arc::clone(&hub)).build().unwrap();
    let mut stream = agent.run("events by theme").stream();
    let mut told = 0;
    while let Some(event) = stream.next().await {
        let EventKind::Run(RunEvent::Progress { message, .. }) = event.kind else { continue };
        let words: Vec<&str> = message.split(' ').collect();
        let ["of", total] = words[1..].first_chunk().copied().unwrap_or_default() else { continue };
        let (read, total): (u64, u64) = (words[0].parse().unwrap(), total.parse().unwrap());
        assert!(read <= total, "{message}");
        told += 1;
    }
    let report = stream.outcome().await.unwrap();
    hub.close().await;
    assert!(told >= 3, "{told}");
    assert!(prompt(&model, PLAN, 1).contains("Records read: 10"), "{}", prompt(&model, PLAN, 1));
    assert_eq!((report.coverage.fetched, report.coverage.total), (165, Some(165)));
    assert_eq!((report.stats.docs_processed, report.sources.len()), (175, 175), "ten of Japan beside those of India");
}

/// The scanner, and what it gave.
struct Kept(Arc<Mutex<Vec<ScannerOutput>>>);

impl SubAgent<DatasetCx> for Kept {
    type Input = ScannerInput;
    type Output = ScannerOutput;

    fn card(&self) -> Card {
        SubAgent::<DatasetCx>::card(&Scanner)
    }

    async fn run(&self, cx: &DatasetCx, input: ScannerInput) -> Result<ScannerOutput, Error> {
        let output = Scanner.run(cx, input).await?;
        self.0.lock().unwrap().push(output.clone());
        Ok(output)
    }
}

/// What a scan in batches of this size gives.
async fn output(tool: impl ToolSource + 'static, batch_size: usize) -> ScannerOutput {
    let kept = Arc::new(Mutex::default());
    let model = helpful()
        .on_task(PLAN, scanner(json!({"batch_size": batch_size})))
        .always(PLAN, only_report())
        .always(EXTRACT, extraction(&[finding("Numbers are even", &["2"])]));
    let agent = DatasetAgent::builder(model, tool).agent(Kept(Arc::clone(&kept))).config(quick()).build().unwrap();
    agent.run("numbers by parity").await.unwrap();
    let outputs = kept.lock().unwrap();
    assert_eq!(outputs.len(), 1);
    outputs[0].clone()
}

#[tokio::test]
async fn the_output_of_a_scan_is_exact() {
    for (batch_size, batches) in [(75, 3), (100, 2)] {
        let output = output(FakeTool::new("analyze_events", 165), batch_size).await;
        assert_eq!((output.docs_scanned, output.batches_processed, output.sources.len()), (165, batches, 165));
        assert_eq!(output.coverage_percentage, Some(100.0));
        assert!(output.unique_themes.iter().eq(["themes"]), "{:?}", output.unique_themes);
        assert_eq!(output.findings.len(), 1);
    }
    let broken = output(Flaky::new(165, |call| (call >= 1).then_some(Fault::Refusal)), 75).await;
    assert_eq!((broken.docs_scanned, broken.batches_processed), (75, 1));
    assert_eq!(broken.coverage_percentage, Some(100.0 * 75.0 / 165.0));
}

#[tokio::test]
async fn a_scan_of_more_than_the_tool_says_or_of_nobody_knows_how_much_has_no_percentage() {
    let lying = |call: usize, arguments: &Object| match call {
        0 => {
            let mut page = page(165, arguments);
            page["data_context"] = json!({"unique_ids_matched": 20});
            page
        }
        _ => json!({"error": "no such field `x`"}),
    };
    let output_of_lies = output(Answers(lying, AtomicUsize::new(0)), 75).await;
    assert_eq!((output_of_lies.docs_scanned, output_of_lies.coverage_percentage), (75, None));
    for (total, expected) in [(165, Some(100.0)), (300, Some(100.0)), (301, None)] {
        let untold = Answers(move |_: usize, arguments: &Object| page(total, arguments), AtomicUsize::new(0));
        assert_eq!(output(untold, 75).await.coverage_percentage, expected, "{total}");
    }
}
