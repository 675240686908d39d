//! A budget that is used up ends gathering; the report covers what there is and says so.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use research_agents::Error;
use research_agents::dataset::{Completion, DatasetAgent, DatasetConfig, DatasetReport, RetryPolicy};
use research_agents::kernel::{BudgetLimits, resolve_citations};
use research_llm::price::Usd;
use research_llm::testing::{Reply, ScriptedModel};
use research_llm::{ModelError, Usage};
use serde_json::json;

use crate::fake::FakeTool;
use crate::script::{EXTRACT, PLAN, SYNTHESIZE, draft, extraction, helpful, plan};

fn scanning(batch_size: usize) -> ScriptedModel {
    helpful()
        .on_task(PLAN, plan(&[], &[json!({"group_by": "parity"})]))
        .on_task(PLAN, plan(&[("scanner", json!({"batch_size": batch_size}))], &[]))
        .always(PLAN, plan(&[("scanner", json!({}))], &[]))
}

fn config(budget: BudgetLimits) -> DatasetConfig {
    DatasetConfig { budget, ..DatasetConfig::default() }
}

fn used_up(report: &DatasetReport, limit: &str) {
    assert_eq!(report.completion, Some(Completion::Budget));
    assert!(report.is_partial());
    let said = format!("budget of {limit} is used up");
    assert!(report.limitations.iter().any(|line| line.contains(&said)), "{said}: {:?}", report.limitations);
    assert!(report.markdown.contains(&said), "{}", report.markdown);
    let coverage = &report.coverage;
    let words = format!("{} of {} records read", coverage.fetched, coverage.total.unwrap());
    assert!(report.markdown.contains(&words), "{words}: {}", report.markdown);
    assert!(resolve_citations(&report.markdown).is_ok(), "{}", report.markdown);
}

fn asked(model: &ScriptedModel, name: &str) -> usize {
    model.calls().iter().filter(|call| call.task.as_ref().is_some_and(|task| task.name == name)).count()
}

#[tokio::test]
async fn calls_end_a_scan_and_leave_some_for_the_report() {
    for calls in [6, 10, 13, 20] {
        let (model, tool) = (Arc::new(scanning(10)), Arc::new(FakeTool::new("analyze_events", 300)));
        let agent = DatasetAgent::builder(Arc::clone(&model), Arc::clone(&tool));
        let agent = agent.config(config(BudgetLimits::default().calls(calls))).build().unwrap();
        let report = agent.run("numbers by parity").await.unwrap();
        used_up(&report, &format!("{calls} calls"));
        let made = model.calls().len() + tool.calls.load(Ordering::SeqCst);
        assert!(made as u64 <= calls, "{made} of {calls}");
        assert_eq!(asked(&model, SYNTHESIZE), 1, "the model drafts the report");
        let stats = &report.stats;
        assert_eq!(stats.llm_calls + stats.mcp_calls, made as u64, "each counts once: {stats:?}");
    }
}

#[tokio::test]
async fn tokens_end_gathering() {
    let reply = Reply::json(extraction(&[])).usage(Usage::new(2_000, 100));
    let model = Arc::new(scanning(10).always(EXTRACT, reply));
    let agent = DatasetAgent::builder(Arc::clone(&model), FakeTool::new("analyze_events", 300));
    let agent = agent.config(config(BudgetLimits::default().tokens(30_000))).build().unwrap();
    let report = agent.run("numbers by parity").await.unwrap();
    used_up(&report, "30000 tokens");
    assert!(report.stats.tokens_in + report.stats.tokens_out <= 30_000, "{:?}", report.stats);
}

/// Time passes when there is nothing else to do.
#[tokio::test(start_paused = true)]
async fn time_ends_a_call_that_never_comes_back() {
    let tool = FakeTool::new("analyze_events", 300)
        .delay(|call| if call < 2 { Duration::ZERO } else { Duration::from_secs(3_600) });
    let agent = DatasetAgent::builder(scanning(100), Arc::new(tool));
    let agent = agent.config(config(BudgetLimits::default().time(Duration::from_secs(2)))).build().unwrap();
    let report = agent.run("numbers by parity").await.unwrap();
    used_up(&report, "2s");
    assert_eq!(report.coverage.fetched, 100);
}

#[tokio::test(start_paused = true)]
async fn the_draft_of_the_report_is_asked_for_again_in_the_time_kept_for_it() {
    let tool = FakeTool::new("analyze_events", 300)
        .delay(|call| if call < 2 { Duration::ZERO } else { Duration::from_secs(3_600) });
    let model = Arc::new(scanning(100).on_task(SYNTHESIZE, ModelError::server(Some(503), "overloaded", None)));
    let agent = DatasetAgent::builder(Arc::clone(&model), Arc::new(tool));
    let retry = RetryPolicy::default().first_wait(Duration::from_millis(1));
    // A tenth of the time is kept for the report: one second, of which only the wait takes some.
    let config = DatasetConfig { retry, ..config(BudgetLimits::default().time(Duration::from_secs(10))) };
    let report = agent.config(config).build().unwrap().run("numbers by parity").await.unwrap();
    used_up(&report, "10s");
    assert_eq!(asked(&model, SYNTHESIZE), 2, "the first draft failed for a passing reason");
}

#[tokio::test]
async fn a_report_that_does_not_fit_the_budget_is_written_by_the_program() {
    // The draft alone would take more than is left.
    let reply = Reply::json(draft()).usage(Usage::new(100, 100));
    let model = Arc::new(scanning(100).always(SYNTHESIZE, reply));
    let agent = DatasetAgent::builder(Arc::clone(&model), FakeTool::new("analyze_events", 165));
    let agent = agent.config(config(BudgetLimits::default().tokens(14_000))).build().unwrap();
    let report = agent.run("numbers by parity").await.unwrap();
    assert!(report.markdown.contains("records read"), "{}", report.markdown);
    assert!(report.stats.tokens_in + report.stats.tokens_out <= 14_000, "{:?}", report.stats);
}

#[tokio::test]
async fn a_budget_that_allows_no_reading_leaves_nothing_to_report() {
    let agent = DatasetAgent::builder(scanning(10), FakeTool::new("analyze_events", 300));
    let agent = agent.config(config(BudgetLimits::default().calls(1))).build().unwrap();
    let error = agent.run("numbers by parity").await.unwrap_err();
    assert!(matches!(error.root(), Error::NothingGathered { .. }), "{error}");
    assert!(error.to_string().contains("budget"), "{error}");
}

#[tokio::test]
async fn a_run_within_its_budget_says_nothing_of_it() {
    let agent = DatasetAgent::builder(scanning(100), FakeTool::new("analyze_events", 165)).build().unwrap();
    let report = agent.run("numbers by parity").await.unwrap();
    assert_eq!(report.completion, Some(Completion::AllDocumentsRead));
    assert!(!report.markdown.contains("budget"), "{}", report.markdown);
}

#[tokio::test]
async fn a_budget_that_cannot_be_kept_is_refused_when_the_agent_is_built() {
    let nothing = config(BudgetLimits::default().calls(0));
    let build = |config| DatasetAgent::builder(helpful(), FakeTool::new("t", 1)).config(config).build().map(drop);
    assert!(build(nothing).unwrap_err().to_string().contains("`budget` allows no call"));
    assert!(build(config(BudgetLimits::default().usd(Usd::cents(1)))).is_ok(), "a scripted model costs nothing");
}
