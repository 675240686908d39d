//! The events as a user interface reads them.

use std::sync::Arc;

use futures::StreamExt;
use research_agents::dataset::DatasetAgent;
use research_agents::kernel::Report;
use serde_json::{Value, json};

use crate::fake::FakeTool;
use crate::script::{EXTRACT, INSIGHTS, PLAN, extraction, finding, helpful, plan};

async fn events(total: usize) -> Vec<Value> {
    let insight = |number| {
        json!({"text": format!("{number} numbers are even."), "claims": [
            {"type": "count", "over": {"aggregation": "A1"}, "field": "parity", "value": "even", "number": number}
        ]})
    };
    let first = plan(&[("decomposer", json!({})), ("aggregator", json!({"group_by": "parity"}))], &[]);
    let model = helpful()
        .on_task(INSIGHTS, json!({"insights": [insight(20), insight(21)]}))
        .on_task(PLAN, first)
        .on_task(EXTRACT, extraction(&[finding("Numbers are even", &["2"])]))
        .always(PLAN, plan(&[("scanner", json!({}))], &[]));
    let agent = DatasetAgent::builder(model, Arc::new(FakeTool::new("analyze_events", total))).build().unwrap();
    let events: Vec<_> = agent.run("numbers by parity").stream().collect().await;
    events.iter().map(|event| serde_json::to_value(event).unwrap()).collect()
}

fn named<'a>(events: &'a [Value], name: &str) -> Vec<&'a Value> {
    events.iter().filter(|event| event["event"] == name).collect()
}

#[tokio::test]
async fn every_event_is_flat_and_has_its_place() {
    let events = events(40).await;
    for (at, event) in events.iter().enumerate() {
        assert_eq!(event["seq"], at);
        assert_eq!(event["run_id"], events[0]["run_id"]);
        let ts = event["ts"].as_str().unwrap();
        assert!(ts.len() == 24 && ts.ends_with('Z'), "{ts}");
    }
    assert!(events[0]["run_id"].as_str().unwrap().len() >= 32);
    assert_eq!(events[0]["event"], "run_started");
    assert_eq!(named(&events, "run_completed").len(), 1);
    assert_eq!(events.last().unwrap()["event"], "run_completed");
}

#[tokio::test]
async fn progress_never_decreases_and_ends_at_a_hundred() {
    let events = events(300).await;
    let percents: Vec<u64> =
        named(&events, "progress").iter().map(|event| event["percent"].as_u64().unwrap()).collect();
    assert!(percents.is_sorted(), "{percents:?}");
    assert_eq!(percents.last(), Some(&100));
}

#[tokio::test]
async fn the_deltas_are_the_report_and_the_statistics_are_those_of_the_run() {
    let events = events(40).await;
    let deltas: String = named(&events, "report_delta").iter().map(|event| event["text"].as_str().unwrap()).collect();
    assert_eq!(named(&events, "report_end")[0]["report"], deltas);
    let document: Report = serde_json::from_value(named(&events, "report_end")[0]["document"].clone()).unwrap();
    assert_eq!(document.to_markdown(), deltas);
    let stats = &events.last().unwrap()["stats"];
    for (name, value) in [
        ("iterations", json!(2)),
        ("planner_calls", json!(2)),
        ("docs_processed", json!(40)),
        ("total_docs", json!(40)),
        ("coverage", json!(1.0)),
        ("findings_count", json!(1)),
        ("confidence", json!(1.0)),
        ("mcp_calls", json!(2)),
        ("llm_calls", json!(7)),
        ("cost", json!(0.0)),
    ] {
        assert_eq!(stats[name], value, "{name}: {stats}");
    }
    assert!(stats["model"].is_string() && stats["elapsed_ms"].is_u64());
    let usage = named(&events, "usage");
    let left: Vec<u64> = usage.iter().map(|event| event["budget_left"]["calls"].as_u64().unwrap()).collect();
    assert!(left.is_sorted_by(|a, b| a >= b) && left.last() < Some(&1_000), "{left:?}");
    assert_eq!(usage.last().unwrap()["cost"], 0.0);
}

#[tokio::test]
async fn what_was_found_comes_with_ids_and_false_insights_do_not_come() {
    let events = events(40).await;
    assert_eq!(named(&events, "aggregation")[0]["id"], "A1");
    let chart = &named(&events, "chart")[0]["config"];
    assert_eq!((&chart["aggregation"], &chart["kind"]), (&json!("A1"), &json!("bars")));
    assert_eq!(chart["groups"], json!([{"label": "even", "count": 20}, {"label": "odd", "count": 20}]));
    let insights: Vec<&Value> = named(&events, "insight").iter().map(|event| &event["text"]).collect();
    assert_eq!(insights, ["20 numbers are even."]);
    let report = named(&events, "report_end")[0]["report"].as_str().unwrap();
    let told = "1 insight into the statistics was withheld: 1 with a number that the evidence does not give.";
    assert!(report.contains(told), "{report}");
    assert!(!report.contains("21 was claimed") && !report.contains("21 numbers"), "{report}");
    let findings = named(&events, "finding");
    assert_eq!((findings.len(), &findings[0]["doc_ids"]), (1, &json!(["2"])));
    let source = &named(&events, "sources")[0]["sources"][0];
    for key in ["id", "title", "url", "snippet", "tool", "record"] {
        assert!(source.get(key).is_some(), "{source}");
    }
    let calls = named(&events, "tool_call").len();
    assert_eq!((calls, named(&events, "tool_result").len()), (2, 2));
    assert_eq!(named(&events, "agent_started").len(), named(&events, "agent_finished").len());
}

#[tokio::test]
async fn a_failed_run_ends_with_one_fatal_error() {
    let agent = DatasetAgent::builder(helpful(), FakeTool::new("analyze_events", 1)).build().unwrap();
    let events: Vec<_> = agent.run(" ").stream().collect().await;
    let events: Vec<Value> = events.iter().map(|event| serde_json::to_value(event).unwrap()).collect();
    assert_eq!(events.len(), 1);
    assert_eq!((&events[0]["event"], &events[0]["fatal"]), (&json!("error"), &json!(true)));
    assert!(agent.run(" ").stream().outcome().await.is_err());
}
