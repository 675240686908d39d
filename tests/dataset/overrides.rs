//! What the user fixes wins over the plan, and what cannot be is refused before anything is planned.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use research_agents::Error;
use research_agents::dataset::{DatasetAgent, parse_filters};
use serde_json::json;

use crate::fake::FakeTool;
use crate::script::{PLAN, golden_start, helpful, plan};
use crate::{CallLog, fixture};

#[tokio::test]
async fn the_users_filters_and_grouping_reach_every_call() {
    let log = CallLog::new();
    let hub = fixture(&["--log", log.path()]).await;
    let model = helpful().on_task(PLAN, golden_start()).always(PLAN, plan(&[("scanner", json!({}))], &[]));
    let agent = DatasetAgent::builder(model, Arc::clone(&hub)).build().unwrap();
    let filters = parse_filters(r#"{"Country": "Japan"}"#).unwrap();
    let report = agent.run("events by theme").filters(filters).group_by(["CITY"]).await.unwrap();
    hub.close().await;

    let calls = log.arguments();
    assert!(calls.iter().all(|call| call["filters"] == "{\"country\":\"Japan\"}"), "{calls:?}");
    assert_eq!(calls[0]["group_by"], "city", "the tool's own spelling");
    assert!(calls[1..].iter().all(|call| call.get("group_by").is_none()), "{calls:?}");
    assert_eq!((report.coverage.fetched, report.coverage.total), (35, Some(35)));
}

#[tokio::test]
async fn an_unknown_field_is_refused_before_anything_is_planned() {
    let tool = Arc::new(FakeTool::new("analyze_events", 10));
    let model = Arc::new(helpful());
    let agent = DatasetAgent::builder(Arc::clone(&model), Arc::clone(&tool)).build().unwrap();
    let error = agent.run("numbers").filters(parse_filters(r#"{"party": 1}"#).unwrap()).await.unwrap_err();
    assert!(matches!(error.root(), Error::UnknownField { .. }), "{error:?}");
    assert!(
        error.to_string().contains("did you mean `parity`?") && error.to_string().contains("parity, id"),
        "{error}"
    );
    let error = agent.run("numbers").group_by(["colour"]).await.unwrap_err();
    assert!(error.to_string().contains("`colour`"), "{error}");
    assert_eq!((tool.calls.load(Ordering::SeqCst), model.calls().len()), (0, 0));
}

#[tokio::test]
async fn a_blank_or_endless_question_is_refused_before_any_call() {
    let tool = Arc::new(FakeTool::new("analyze_events", 10));
    let model = Arc::new(helpful());
    let agent = DatasetAgent::builder(Arc::clone(&model), Arc::clone(&tool)).build().unwrap();
    for blank in ["", "  \n\t"] {
        assert!(matches!(agent.run(blank).await, Err(Error::BlankQuestion)));
    }
    let long = "strikes ".repeat(12_500);
    let error = agent.run(long.as_str()).await.unwrap_err();
    assert!(matches!(error, Error::LongQuestion { bytes: 100_000, .. }), "{error}");
    assert_eq!((tool.listings.load(Ordering::SeqCst), model.calls().len()), (0, 0));
}

#[tokio::test]
async fn an_unknown_tool_is_refused_with_the_closest() {
    let agent = DatasetAgent::builder(helpful(), FakeTool::new("analyze_events", 10)).build().unwrap();
    let error = agent.run("numbers").tools(["analyze_event"]).await.unwrap_err();
    assert!(error.to_string().contains("did you mean `analyze_events`?"), "{error}");
}

#[tokio::test]
async fn a_server_that_cannot_start_leaves_no_data_source() {
    let hub = fixture(&["--crash-at-start"]).await;
    let agent = DatasetAgent::builder(helpful(), hub).build().unwrap();
    let error = agent.run("numbers").await.unwrap_err();
    assert!(matches!(error.root(), Error::NoDataSource { .. }), "{error:?}");
    assert!(error.to_string().contains("fixture: the index is corrupt"), "{error}");
}
