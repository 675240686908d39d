//! Stopping a run: it ends with a report of what it has.

use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use research_agents::Error;
use research_agents::dataset::{CancellationToken, Completion, DatasetAgent, EventKind, RunEvent};
use serde_json::json;

use crate::fake::FakeTool;
use crate::script::{PLAN, helpful, plan};

#[tokio::test]
async fn a_scan_that_is_stopped_reports_what_it_has_read() {
    // The third page never comes: without the stop this test would not end.
    let tool = FakeTool::new("analyze_events", 300)
        .delay(|call| if call < 3 { Duration::ZERO } else { Duration::from_secs(3_600) });
    let model = helpful()
        .on_task(PLAN, plan(&[("decomposer", json!({}))], &[json!({"group_by": "parity"})]))
        .on_task(PLAN, plan(&[("scanner", json!({"batch_size": 100}))], &[]));
    let token = CancellationToken::new();
    let agent = DatasetAgent::builder(model, Arc::new(tool)).build().unwrap();
    let mut events = agent.run("numbers by parity").cancel(token.clone()).stream();
    let mut calls = 0;
    while let Some(event) = events.next().await {
        calls += usize::from(matches!(event.kind, EventKind::Run(RunEvent::ToolCall { .. })));
        if calls == 4 {
            token.cancel();
        }
    }
    let report = events.outcome().await.unwrap();
    assert_eq!(report.completion, Some(Completion::Cancelled));
    assert_eq!((report.coverage.fetched, report.coverage.total), (200, Some(300)));
    assert!(report.is_partial());
    assert!(report.markdown.contains("200 of 300 records read (66.7 %)"), "{}", report.markdown);
    assert!(report.limitations.iter().any(|line| line.contains("stopped")), "{:?}", report.limitations);
}

#[tokio::test]
async fn a_run_that_is_stopped_before_it_read_anything_has_nothing_to_report() {
    let token = CancellationToken::new();
    token.cancel();
    let agent = DatasetAgent::builder(helpful(), FakeTool::new("analyze_events", 10)).build().unwrap();
    let error = agent.run("numbers by parity").cancel(token).await.unwrap_err();
    assert!(matches!(error.root(), Error::NothingGathered { .. }), "{error}");
}
