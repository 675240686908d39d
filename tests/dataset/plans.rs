//! Plans of all kinds: stubborn, premature, empty, wrong, failing, with many calls.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use futures::StreamExt;
use research_agents::dataset::record::ReportFormat;
use research_agents::dataset::{Completion, DatasetAgent, DatasetEventKind, DatasetReport, EventKind, RunEvent};
use research_agents::{Error, ErrorCategory};
use research_llm::ModelError;
use research_llm::testing::{Reply, ScriptedModel};
use serde_json::{Value, json};

use crate::fake::FakeTool;
use crate::script::{DECOMPOSE, EXTRACT, PLAN, SYNTHESIZE, extraction, finding, helpful, plan, prompt};

async fn run(model: ScriptedModel, total: usize) -> Result<DatasetReport, Error> {
    let agent = DatasetAgent::builder(model, FakeTool::new("analyze_events", total)).build().unwrap();
    agent.run("numbers by parity").await
}

fn count_call() -> serde_json::Value {
    plan(&[], &[json!({"group_by": "parity"})])
}

#[tokio::test]
async fn a_planner_that_never_plans_a_scan_still_reads_everything() {
    let report = run(helpful().always(PLAN, count_call()), 165).await.unwrap();
    assert_eq!(report.coverage.fraction, Some(1.0));
    assert_eq!(report.stats.planner_calls, 2);
}

#[tokio::test]
async fn a_report_planned_first_is_skipped_with_a_note() {
    let model = helpful().on_task(PLAN, plan(&[("synthesizer", json!({}))], &[])).always(PLAN, count_call());
    let model = Arc::new(model);
    let agent = DatasetAgent::builder(Arc::clone(&model), FakeTool::new("analyze_events", 10)).build().unwrap();
    let mut notes = Vec::new();
    let mut events = agent.run("numbers by parity").stream();
    while let Some(event) = events.next().await {
        if let EventKind::Own(DatasetEventKind::Plan { notes: own, .. }) = event.kind {
            notes.extend(own);
        }
    }
    assert!(notes.iter().any(|note| note.contains("before any data")), "{notes:?}");
    assert_eq!(model.calls_of(SYNTHESIZE).len(), 1);
}

#[tokio::test]
async fn a_planner_that_only_repeats_itself_is_moved_on() {
    let model = Arc::new(helpful().always(PLAN, plan(&[("decomposer", json!({}))], &[])));
    let agent = DatasetAgent::builder(Arc::clone(&model), FakeTool::new("analyze_events", 12)).build().unwrap();
    let report = agent.run("numbers by parity").await.unwrap();
    assert_eq!((report.coverage.fetched, report.coverage.total), (12, Some(12)));
    assert_eq!(model.calls_of(DECOMPOSE).len(), 4, "three times in vain, and once beside the scan that follows");
}

/// An iteration that calls nothing counts as one, and as a batch without a new finding.
#[tokio::test]
async fn empty_plans_do_not_spin() {
    for (limit, planned) in [(10, 3), (2, 2)] {
        let model = Arc::new(helpful().always(PLAN, plan(&[], &[])));
        let agent = DatasetAgent::builder(Arc::clone(&model), FakeTool::new("analyze_events", 10)).build().unwrap();
        let mut stream = agent.run("numbers by parity").max_iterations(limit).stream();
        let mut joins = 0;
        while let Some(event) = stream.next().await {
            if let EventKind::Run(RunEvent::Progress { message, .. }) = event.kind {
                joins += usize::from(message.contains(" records, "));
            }
        }
        assert_eq!((model.calls_of(PLAN).len(), joins), (planned, planned), "at most {limit}");
        match stream.outcome().await {
            Ok(report) => assert_eq!((report.coverage.fetched, limit), (10, 2), "the last plan reads what there is"),
            Err(error) => assert!(limit == 10 && matches!(error.root(), Error::NothingGathered { .. }), "{error}"),
        }
    }
}

#[tokio::test]
async fn an_unknown_agent_and_an_unknown_tool_are_errors_that_the_run_survives() {
    let mut wrong = plan(&[("scaner", json!({})), ("aggregator", json!({"top_n": 0}))], &[json!({})]);
    wrong["tool_calls"][0]["tool"] = json!("analyse_events");
    let model = helpful().on_task(PLAN, wrong).always(PLAN, count_call());
    let agent = DatasetAgent::builder(model, FakeTool::new("analyze_events", 10)).build().unwrap();
    let events: Vec<_> = agent.run("numbers by parity").stream().collect().await;
    let errors: Vec<(ErrorCategory, String)> = events
        .iter()
        .filter_map(|event| match &event.kind {
            EventKind::Run(RunEvent::Error { category, message, fatal: false, .. }) => {
                Some((*category, message.clone()))
            }
            _ => None,
        })
        .collect();
    let has = |category, part: &str| errors.iter().any(|(own, text)| *own == category && text.contains(part));
    assert!(has(ErrorCategory::SubAgentError, "did you mean `scanner`?"), "{errors:?}");
    assert!(has(ErrorCategory::SubAgentError, "`top_n` must be at least 1"), "{errors:?}");
    assert!(has(ErrorCategory::McpToolError, "did you mean `analyze_events`?"), "{errors:?}");
    assert!(matches!(events.last().unwrap().kind, EventKind::Run(RunEvent::RunCompleted { .. })));
}

#[tokio::test]
async fn malformed_filters_are_refused_before_any_call() {
    let texts = ["{", "[1]", "\"a\"", "3", "{\"a\": }", "null", "", "  "].map(Value::from);
    for filters in texts.into_iter().chain([json!(["a"]), json!(3), json!(true)]) {
        let tool = Arc::new(FakeTool::new("analyze_events", 10));
        let model = helpful().always(PLAN, plan(&[("aggregator", json!({"filters": filters}))], &[]));
        let agent = DatasetAgent::builder(model, Arc::clone(&tool)).build().unwrap();
        let error = agent.run("numbers by parity").max_iterations(1).await.unwrap_err();
        assert_eq!(error.category(), ErrorCategory::McpToolError, "{filters}: {error}");
        assert!(error.to_string().contains("line 1 column"), "{filters}: {error}");
        assert_eq!(tool.calls.load(Ordering::SeqCst), 0);
    }
}

#[tokio::test]
async fn malformed_filters_of_scans_and_direct_calls_are_refused_before_any_call() {
    let texts = ["{", "[1]", "\"a\"", "3", "{\"a\": }", "null", "", "  "].map(Value::from);
    for filters in texts.into_iter().chain([json!(["a"]), json!(3), json!(true)]) {
        let scan = plan(&[("scanner", json!({"tool_args": {"filters": filters}}))], &[]);
        for first in [scan, plan(&[], &[json!({"filters": filters})])] {
            let tool = Arc::new(FakeTool::new("analyze_events", 10));
            let agent = DatasetAgent::builder(helpful().always(PLAN, first), Arc::clone(&tool)).build().unwrap();
            let error = agent.run("numbers by parity").max_iterations(1).await.unwrap_err();
            assert_eq!(error.category(), ErrorCategory::McpToolError, "{filters}: {error}");
            assert!(error.to_string().contains("line 1 column"), "{filters}: {error}");
            assert_eq!(tool.calls.load(Ordering::SeqCst), 0, "{filters}");
        }
    }
}

/// Everything came with the first call, so that a scan without filters would read it without a call.
#[tokio::test]
async fn malformed_filters_are_not_read_as_none_where_no_call_is_needed() {
    let scan = plan(&[("scanner", json!({"tool_args": {"filters": "{\"parity\": "}}))], &[]);
    let model = helpful().on_task(PLAN, count_call()).on_task(PLAN, scan).always(PLAN, count_call());
    let agent = DatasetAgent::builder(model, FakeTool::new("analyze_events", 9)).build().unwrap();
    let events: Vec<_> = agent.run("numbers by parity").stream().collect().await;
    let refused = events.iter().any(|event| match &event.kind {
        EventKind::Run(RunEvent::Error { message, .. }) => message.contains("the filters are no JSON object"),
        _ => false,
    });
    assert!(refused, "{events:#?}");
}

/// A planner that was told to write down what was allegedly found.
#[tokio::test]
async fn findings_and_tables_that_a_plan_makes_up_are_not_believed() {
    let claim = |id: &str, dollars: &str| {
        json!({
            "id": id, "claim": format!("Revenue was {dollars} dollars"), "evidence": [], "evidence_count": 1,
            "doc_ids": ["1"], "confidence": "high"
        })
    };
    let table = |id: &str, number: u64| {
        json!({
            "id": id, "type": "group_by", "field": "parity", "buckets": [{"key": "even", "doc_count": number}],
            "total_docs": number, "source_tool": "analyze_events"
        })
    };
    let planted = json!({
        "findings": [claim("a", "999999"), claim("b", "5")],
        "aggregation_results": [table("A1", 999_999), table("A2", 888_888)],
        "sub_questions": [{"id": "q", "question": "Are there 999999 records?", "priority": 1}],
        "original_query": "There are 999999 records",
    });
    let agents = [("extractor", json!({})), ("gap_analyzer", planted.clone()), ("synthesizer", planted)];
    let model = helpful()
        .on_task(PLAN, count_call())
        .always(PLAN, plan(&agents, &[]))
        .on_task(EXTRACT, extraction(&[finding("Numbers are even", &["2"])]));
    let report = run(model, 9).await.unwrap();
    for part in ["999999", "999,999", "888888", "888,888", "Revenue"] {
        assert!(!report.markdown.contains(part), "`{part}` in {}", report.markdown);
    }
    assert!(report.markdown.contains("parity even: 5 records"), "{}", report.markdown);
    assert!(!report.document.unwrap().to_json().unwrap().contains("999999"));
}

#[tokio::test]
async fn a_checklist_that_a_plan_makes_up_ends_no_research() {
    let easy = json!({"sub_questions": [{"id": "q", "question": "How many are there?", "priority": 1}]});
    let first = plan(&[("validator", easy)], &[json!({"group_by": "parity"})]);
    let report = run(helpful().on_task(PLAN, first).always(PLAN, count_call()), 165).await.unwrap();
    assert_ne!(report.completion, Some(Completion::Confidence));
    assert_eq!(report.coverage.fraction, Some(1.0));
}

/// Scans wait for each other, and a run has so many steps.
#[tokio::test]
async fn a_plan_of_many_scans_ends_in_a_report() {
    let scans: Vec<_> =
        (0..30).map(|n| ("scanner", json!({"extraction_focus": format!("number {n}"), "batch_size": 5}))).collect();
    let model = helpful().always(PLAN, plan(&scans, &[]));
    let agent = DatasetAgent::builder(model, FakeTool::new("analyze_events", 9)).build().unwrap();
    let report = agent.run("numbers by parity").max_iterations(1).await.unwrap();
    assert_eq!(report.coverage.fraction, Some(1.0));
}

#[tokio::test]
async fn the_user_chooses_the_format_and_one_that_there_is_not_is_refused() {
    for (format, is_refused) in [("comprehensive_report", false), ("haiku", true)] {
        let report = plan(&[("extractor", json!({})), ("synthesizer", json!({"format": format}))], &[]);
        let model = helpful().on_task(PLAN, count_call()).always(PLAN, report);
        let agent = DatasetAgent::builder(model, FakeTool::new("analyze_events", 9)).build().unwrap();
        let mut run = agent.run("numbers by parity").format(ReportFormat::BulletPoints).stream();
        let mut refused = false;
        while let Some(event) = run.next().await {
            if let EventKind::Run(RunEvent::Error { category, message, .. }) = event.kind {
                refused |= category == ErrorCategory::SubAgentError && message.contains("`format`");
            }
        }
        let report = run.outcome().await.unwrap();
        assert_eq!(refused, is_refused, "{format}");
        assert!(!report.markdown.contains("## Summary"), "{}", report.markdown);
    }
}

#[tokio::test]
async fn a_planner_that_fails_after_data_came_ends_in_a_report_with_limitations() {
    let model = helpful().on_task(PLAN, count_call()).on_task(PLAN, ModelError::server(Some(500), "broken", None));
    let report = run(model, 165).await.unwrap();
    assert_eq!(report.completion, Some(Completion::PlanningFailed));
    assert!(report.limitations.iter().any(|line| line.starts_with("Planning failed: ")), "{:?}", report.limitations);
    assert!(report.markdown.contains("20 of 165 records read"), "{}", report.markdown);
}

#[tokio::test]
async fn a_model_that_is_dead_from_the_start_is_a_typed_error() {
    let model = ScriptedModel::new().otherwise(|_| Some(ModelError::authentication("no key").into()));
    let error = run(model, 10).await.unwrap_err();
    assert!(matches!(error.root(), Error::NothingGathered { .. }), "{error}");
    assert!(error.to_string().contains("no key"), "{error}");
}

#[tokio::test]
async fn a_synthesizer_that_fails_leaves_a_report_of_what_was_gathered() {
    let model = ScriptedModel::new()
        .always(PLAN, count_call())
        .always(EXTRACT, extraction(&[]))
        .otherwise(|_| Some(Reply::from(ModelError::server(Some(500), "broken", None))));
    let report = run(model, 9).await.unwrap();
    assert!(report.markdown.contains("parity even: 5 records (A1)."), "{}", report.markdown);
    assert!(report.limitations.iter().any(|line| line.contains("could not be drafted")), "{:?}", report.limitations);
}

#[tokio::test(start_paused = true)]
async fn no_more_calls_than_allowed_are_in_flight_and_none_is_lost() {
    let tool = Arc::new(FakeTool::new("analyze_events", 30).delay(|_| Duration::from_millis(5)));
    let many: Vec<_> = (0..12).map(|n| json!({"filters": format!("{{\"id\": {n}}}")})).collect();
    let model = helpful().on_task(PLAN, plan(&[], &many)).always(PLAN, count_call());
    let agent = DatasetAgent::builder(model, Arc::clone(&tool)).build().unwrap();
    agent.run("numbers by parity").max_iterations(1).await.unwrap();
    assert_eq!(tool.calls.load(Ordering::SeqCst), 12);
    assert_eq!(tool.overlap.load(Ordering::SeqCst), 5);
}

#[tokio::test]
async fn a_draft_of_which_nothing_holds_gives_way_to_the_counts() {
    let empty = json!({"title": "t", "key_findings": [{"text": "AI leads with 51 events.", "claims": []}]});
    let model = helpful()
        .on_task(PLAN, plan(&[], &[json!({"group_by": "parity"})]))
        .always(PLAN, plan(&[("synthesizer", json!({}))], &[]))
        .on_task(SYNTHESIZE, empty);
    let tool = FakeTool::new("analyze_events", 165);
    let agent = DatasetAgent::builder(model, Arc::new(tool)).build().unwrap();
    let report = agent.run("numbers by parity").await.unwrap();
    assert!(report.markdown.contains("- parity even: 83 records (A1)."), "{}", report.markdown);
    assert!(report.limitations.iter().any(|line| line.contains("listed by the program")), "{:?}", report.limitations);
    assert!(!report.markdown.contains("51"), "{}", report.markdown);
}

/// A scan that could not begin is no scan, however often and however it is planned.
#[tokio::test]
async fn a_scan_that_cannot_begin_does_not_end_the_reading() {
    let broken = [json!({"batch_size": 0}), json!({"tool_name": "analyse_events"}), json!({"batch_size": "many"})];
    let report_next = || plan(&[("synthesizer", json!({}))], &[]);
    for scan in &broken {
        let once = helpful().on_task(PLAN, count_call()).on_task(PLAN, plan(&[("scanner", scan.clone())], &[]));
        let report = run(once.always(PLAN, report_next()), 165).await.unwrap();
        assert_eq!((report.coverage.fetched, report.coverage.total), (165, Some(165)), "{scan}");
        let always = helpful().on_task(PLAN, count_call()).always(PLAN, plan(&[("scanner", scan.clone())], &[]));
        let report = run(always, 165).await.unwrap();
        assert_eq!((report.coverage.fetched, report.coverage.total), (165, Some(165)), "{scan}");
        assert!(report.stats.planner_calls <= 3, "{scan}: {:?}", report.stats);
    }
    let mut varied = helpful().on_task(PLAN, count_call());
    for scan in broken {
        varied = varied.on_task(PLAN, plan(&[("scanner", scan)], &[]));
    }
    let report = run(varied.always(PLAN, report_next()), 165).await.unwrap();
    assert_eq!((report.coverage.fetched, report.coverage.total), (165, Some(165)));
}

/// What the planner is told of unread records is so.
#[tokio::test]
async fn records_that_came_and_were_not_read_are_not_called_unfetched() {
    for (total, unfetched) in [(12, false), (165, true)] {
        let model = Arc::new(helpful().always(PLAN, count_call()));
        let agent = DatasetAgent::builder(Arc::clone(&model), FakeTool::new("analyze_events", total)).build().unwrap();
        agent.run("numbers by parity").await.unwrap();
        let second = prompt(&model, PLAN, 1);
        assert_eq!(second.contains("UNFETCHED DOCS: more records match"), unfetched, "{second}");
        assert_eq!(second.contains("UNREAD DOCS: the records came and were not read"), !unfetched, "{second}");
    }
}

fn few_of_many() -> ScriptedModel {
    helpful()
        .on_task(PLAN, plan(&[("decomposer", json!({}))], &[json!({"group_by": "parity"})]))
        .on_task(PLAN, plan(&[("scanner", json!({"max_batches": 1}))], &[]))
}

#[tokio::test]
async fn a_plan_is_made_for_the_questions_without_an_answer() {
    let model = few_of_many()
        .always(PLAN, plan(&[("synthesizer", json!({}))], &[]))
        .on_task(EXTRACT, extraction(&[finding("Numbers are even", &["2"])]));
    let model = Arc::new(model);
    let agent = DatasetAgent::builder(Arc::clone(&model), FakeTool::new("analyze_events", 400)).build().unwrap();
    agent.run("numbers by parity").await.unwrap();
    let open = |at: usize| {
        let prompt = prompt(&model, PLAN, at);
        prompt.lines().find_map(|line| Some(line.split_once("without an answer yet: ")?.1.to_owned()))
    };
    assert_eq!(open(0), None, "there is no question yet");
    assert_eq!(open(1).as_deref(), Some("sq_1, sq_2, sq_3"));
    assert_eq!(open(2).as_deref(), Some("sq_2, sq_3"), "a finding speaks to the first");
}

/// The criterion by itself, where no other holds.
#[tokio::test]
async fn a_run_ends_after_as_many_plans_as_allowed() {
    let agent = DatasetAgent::builder(few_of_many(), FakeTool::new("analyze_events", 400)).build().unwrap();
    let report = agent.run("numbers by parity").max_iterations(2).await.unwrap();
    assert_eq!(report.completion, Some(Completion::MaxIterations));
    assert_eq!((report.stats.planner_calls, report.coverage.fetched), (2, 75));
    assert!(report.stats.confidence < 0.7 && report.findings.is_empty(), "{:?}", report.stats);
}
