//! The worked example, over a server in a child process.

use std::sync::Arc;

use futures::StreamExt;
use research_agents::dataset::{Completion, DatasetAgent, EventKind, RunEvent};
use research_agents::kernel::resolve_citations;
use research_llm::testing::ScriptedModel;
use serde_json::{Value, json};

use crate::script::{EXTRACT, PLAN, QUESTIONS, SYNTHESIZE, extraction, finding, golden_start, helpful, plan, prompt};
use crate::{CallLog, fixture};

fn golden_model(second_plan: Value) -> ScriptedModel {
    let first = ["AI events lead", "Cloud events follow", "Security events are common", "Data events are fewer"];
    let second = ["Robotics events are fewest", "ai events LEAD.", "Events spread over cities"];
    // No record carries more than three findings.
    let findings = |claims: &[&str], from: usize| {
        let drafted = claims.iter().enumerate();
        extraction(&drafted.map(|(at, claim)| finding(claim, &[&format!("PAG{:03}", from + at)])).collect::<Vec<_>>())
    };
    helpful()
        .on_task(PLAN, golden_start())
        .on_task(PLAN, second_plan)
        .on_task(EXTRACT, findings(&first, 1))
        .on_task(EXTRACT, findings(&second, 150))
}

fn scan() -> Value {
    plan(&[("scanner", json!({"batch_size": 100}))], &[])
}

fn task(model: &ScriptedModel, name: &str, at: usize) -> Value {
    model.calls_of(name)[at].task.as_ref().unwrap().input.clone()
}

#[tokio::test]
async fn india_events_by_theme() {
    let log = CallLog::new();
    let hub = fixture(&["--log", log.path()]).await;
    let model = Arc::new(golden_model(scan()));
    let agent = DatasetAgent::builder(Arc::clone(&model), Arc::clone(&hub)).build().unwrap();
    let report = agent.run("India events by theme").await.unwrap();
    hub.close().await;

    assert_eq!(
        log.arguments(),
        [
            json!({"filters": "{\"country\":\"India\"}", "group_by": "event_theme"}),
            json!({"filters": "{\"country\":\"India\"}", "page_size": 100}),
            json!({"filters": "{\"country\":\"India\"}", "page_size": 100, "search_after": ["PAG090"]}),
        ]
    );
    assert_eq!(report.sub_questions.len(), 3);
    assert_eq!(report.aggregations.len(), 1);
    assert_eq!(report.aggregations[0].total_docs, 165);
    assert_eq!(
        (&report.aggregations[0].buckets[0].key, report.aggregations[0].buckets[0].doc_count),
        (&json!("AI"), 50)
    );
    assert_eq!(report.findings.len(), 6);
    assert_eq!(report.findings[0].doc_ids, ["PAG001", "PAG151"], "the repeated claim joined its records");
    assert_eq!(report.sources.len(), 165);
    assert_eq!((report.coverage.fetched, report.coverage.total, report.coverage.fraction), (165, Some(165), Some(1.0)));
    assert_eq!(report.completion, Some(Completion::AllDocumentsRead));
    assert_eq!((report.stats.iterations, report.stats.planner_calls, report.stats.mcp_calls), (2, 2, 3));
    assert_eq!(model.calls_of(SYNTHESIZE).len(), 1);

    assert!(report.markdown.contains("- AI leads with 50 of 165 events (30.3 %) (A1)."), "{}", report.markdown);
    assert!(report.markdown.contains("165 of 165 records read"), "{}", report.markdown);
    let document = report.document.as_ref().unwrap();
    assert_eq!(document.to_markdown(), report.markdown);
    let chart = document.data[0].chart.as_ref().unwrap();
    assert_eq!((chart.groups[0].label.as_str(), chart.groups[0].count), ("AI", 50));
    assert_eq!(resolve_citations(&report.markdown).unwrap().aggregations, ["A1"]);
}

#[tokio::test]
async fn the_planner_sees_what_the_first_iteration_brought() {
    let hub = fixture(&[]).await;
    let model = Arc::new(golden_model(scan()));
    let agent = DatasetAgent::builder(Arc::clone(&model), Arc::clone(&hub)).build().unwrap();
    agent.run("India events by theme").await.unwrap();
    hub.close().await;

    let (first, second) = (prompt(&model, PLAN, 0), prompt(&model, PLAN, 1));
    assert!(first.contains("Sub-questions: 0") && second.contains("Sub-questions: 3"), "{second}");
    assert!(!first.contains("UNFETCHED DOCS:") && second.contains("UNFETCHED DOCS:"), "{second}");
    for part in ["use when: in iteration 1", "speed: ", "cost: ", "## scanner", "- event_theme"] {
        assert!(first.contains(part), "no `{part}` in {first}");
    }
    let state = task(&model, PLAN, 1)["state"].clone();
    assert_eq!(
        (&state["sources"], &state["total_docs"], &state["needs_full_scan"]),
        (&json!(10), &json!(165), &json!(true))
    );
    assert_eq!(state["aggregations"].as_array().map(Vec::len), Some(1));
    for task in [EXTRACT, SYNTHESIZE] {
        let prompt = prompt(&model, task, 0);
        assert!(QUESTIONS.iter().all(|question| prompt.contains(&format!("- {question}"))), "{prompt}");
    }
    let report = prompt(&model, SYNTHESIZE, 0);
    let blocks: Vec<Option<usize>> =
        ["# Query", "# Data", "# Research Questions", "# Guidelines"].iter().map(|block| report.find(block)).collect();
    assert!(blocks.iter().all(Option::is_some) && blocks.is_sorted(), "{report}");
    assert!(report.contains("Distribution by event_theme: AI: 50, Cloud: 40"), "{report}");
    assert!(report.contains("Write report with: Summary, Key Findings, Analysis, Conclusion"), "{report}");
}

#[tokio::test]
async fn the_planner_may_choose_the_report_itself() {
    let hub = fixture(&[]).await;
    let together = plan(&[("synthesizer", json!({})), ("scanner", json!({"batch_size": 100}))], &[]);
    let model = Arc::new(helpful().on_task(PLAN, golden_start()).on_task(PLAN, together));
    let agent = DatasetAgent::builder(Arc::clone(&model), Arc::clone(&hub)).build().unwrap();
    let report = agent.run("India events by theme").await.unwrap();
    hub.close().await;

    assert_eq!(report.completion, Some(Completion::Planner));
    assert_eq!(model.calls_of(SYNTHESIZE).len(), 1);
    assert_eq!(task(&model, SYNTHESIZE, 0)["coverage"]["fetched"], 165, "it waited for the scan of its own plan");
}

/// Whether the code or the planner ends the reading, the report is the same.
#[tokio::test]
async fn both_ways_to_the_report_give_the_same_one() {
    let mut reports = Vec::new();
    for planned in [false, true] {
        let hub = fixture(&[]).await;
        let both = plan(&[("scanner", json!({"batch_size": 100})), ("synthesizer", json!({}))], &[]);
        let model = golden_model(if planned { both } else { scan() });
        let agent = DatasetAgent::builder(model, Arc::clone(&hub)).build().unwrap();
        let report = agent.run("India events by theme").await.unwrap();
        hub.close().await;
        assert_eq!(report.completion == Some(Completion::Planner), planned);
        reports.push(report.markdown);
    }
    assert_eq!(reports[0], reports[1]);
}

#[tokio::test]
async fn the_default_batch_takes_three_calls() {
    let log = CallLog::new();
    let hub = fixture(&["--log", log.path()]).await;
    let model = helpful().on_task(PLAN, golden_start()).on_task(PLAN, plan(&[("scanner", json!({}))], &[]));
    let agent = DatasetAgent::builder(model, Arc::clone(&hub)).build().unwrap();
    let report = agent.run("India events by theme").await.unwrap();
    hub.close().await;

    let sizes: Vec<Value> = log.arguments()[1..].iter().map(|arguments| arguments["page_size"].clone()).collect();
    assert_eq!(sizes, [75, 75, 75]);
    assert_eq!(report.coverage.fetched, 165);
}

#[tokio::test]
async fn events_tell_the_walk_in_order() {
    let hub = fixture(&[]).await;
    let agent = DatasetAgent::builder(golden_model(scan()), Arc::clone(&hub)).build().unwrap();
    let events: Vec<_> = agent.run("India events by theme").stream().collect().await;
    hub.close().await;

    let names: Vec<String> =
        events.iter().map(|event| serde_json::to_value(event).unwrap()["event"].as_str().unwrap().to_owned()).collect();
    let first =
        |name: &str| names.iter().position(|other| other == name).unwrap_or_else(|| panic!("no {name}: {names:?}"));
    let order =
        ["run_started", "plan", "sources", "finding", "report_start", "report_delta", "report_end", "run_completed"];
    assert!(order.iter().map(|name| first(name)).is_sorted(), "{names:?}");
    let mut ids: Vec<String> = Vec::new();
    for event in &events {
        if let EventKind::Run(RunEvent::Sources { sources }) = &event.kind {
            ids.extend(sources.iter().map(|source| source.id.clone()));
        }
    }
    assert_eq!(ids.len(), 165);
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 165, "each source comes once");
}
