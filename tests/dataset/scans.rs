//! Scans over servers that hold much, little or nothing, and over servers that misbehave.

use std::sync::Arc;

use research_agents::dataset::{Completion, DatasetAgent, DatasetConfig, DatasetReport};
use research_agents::kernel::resolve_citations;
use research_agents::{Error, ErrorCategory};
use serde_json::{Value, json};

use crate::fake::FakeTool;
use crate::script::{PLAN, golden_start, helpful, plan};
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
    assert!(report.markdown.contains("300 of 100000 records read (0.3 %), in the tool's order, scan limit 300"));
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
        assert!(report.markdown.contains(&format!("{fetched} of {total} records read")), "{}", report.markdown);
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
