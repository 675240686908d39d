//! The gap analyzer: gaps and the recommendation are computed; a model's are advice.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use futures::StreamExt;
use research_agents::dataset::review::Recommendation;
use research_agents::dataset::{Completion, DatasetAgent, DatasetConfig, DatasetEventKind, EventKind, RunEvent};
use research_agents::kernel::BudgetLimits;
use research_llm::testing::ScriptedModel;
use serde_json::{Value, json};

use crate::fake::FakeTool;
use crate::fixture;
use crate::script::{DECOMPOSE, GAPS, PLAN, golden_start, helpful, plan, prompt};

fn golden_gap() -> Value {
    json!({
        "reasoning": "The themes need records.",
        "gaps": [
            {"description": "No data on AI theme", "importance": "high", "suggested_agent": "scanner"},
            {"description": "No prophecy", "suggested_agent": "oracle"}
        ],
        "recommendation": "CONTINUE_RESEARCH"
    })
}

fn with_gaps(mut start: Value) -> Value {
    let call = json!({"id": "g", "agent": "gap_analyzer", "arguments": {}});
    start["sub_agent_calls"].as_array_mut().unwrap().push(call);
    start
}

#[tokio::test]
async fn gaps_and_recommendation_stand_in_the_next_plan() {
    let hub = fixture(&[]).await;
    let open = json!({"sub_questions": [
        {"id": "sq_1", "question": "Who organises them?", "priority": 1},
        {"id": "sq_2", "question": "How are events distributed across themes?", "priority": 2},
        {"id": "sq_3", "question": "Which organisers return?", "priority": 3}
    ]});
    let model = ScriptedModel::new()
        .on_task(DECOMPOSE, open)
        .on_task(PLAN, with_gaps(golden_start()))
        .on_task(PLAN, plan(&[("scanner", json!({"batch_size": 100}))], &[]))
        .on_task(GAPS, golden_gap());
    let model = Arc::new(with_help(model));
    let agent = DatasetAgent::builder(Arc::clone(&model), Arc::clone(&hub)).build().unwrap();
    let events: Vec<_> = agent.run("India events by theme").stream().collect().await;
    hub.close().await;

    let asked = prompt(&model, GAPS, 0);
    let blocks = [
        "# Well-answered questions",
        "# Questions that need data",
        "# Unexplored themes",
        "# Data coverage",
        "# Statistics",
    ];
    let places: Vec<usize> =
        blocks.iter().map(|block| asked.find(block).unwrap_or_else(|| panic!("{asked}"))).collect();
    assert!(places.is_sorted());
    let block = |at: usize| &asked[places[at]..places[at + 1]];
    assert!(block(0).contains("sq_2 (90 %)") && !block(0).contains("sq_1"), "{asked}");
    assert!(block(1).contains("sq_1 (0 %)") && block(1).contains("sq_3 (0 %)"), "{asked}");
    assert!(block(2).contains("event_theme AI (50 records)") && block(3).contains("10 of 165 records read"), "{asked}");

    let next = prompt(&model, PLAN, 1);
    assert!(next.contains("recommendation: CONTINUE_RESEARCH"), "{next}");
    for line in ["gap (high): No data on AI theme (suggested: scanner)", "gap (high): No data on “Who organises them?”"]
    {
        assert!(next.contains(line), "no `{line}` in {next}");
    }
    let gaps: Vec<_> = events
        .iter()
        .filter_map(|event| match &event.kind {
            EventKind::Own(DatasetEventKind::Gap { gap }) => {
                Some((gap.description.clone(), gap.suggested_agent.clone(), gap.advisory))
            }
            _ => None,
        })
        .collect();
    let scanner = Some("scanner".to_owned());
    assert_eq!(gaps[0], ("No data on “Who organises them?”".to_owned(), scanner.clone(), false));
    assert!(gaps.contains(&("No data on AI theme".to_owned(), scanner, true)), "{gaps:?}");
    assert!(gaps.contains(&("No prophecy".to_owned(), None, true)), "an agent must be registered: {gaps:?}");
}

/// Answers what the script leaves open.
fn with_help(model: ScriptedModel) -> ScriptedModel {
    model.otherwise(|request| {
        let answer = match request.task_name()? {
            "dataset.extract" => json!({"findings": []}),
            "dataset.synthesize" => crate::script::draft(),
            _ => return None,
        };
        Some(research_llm::testing::Reply::json(answer))
    })
}

/// The model's word is advice.
#[tokio::test]
async fn the_rules_decide_and_another_recommendation_is_logged() {
    let model = helpful()
        .on_task(PLAN, plan(&[("decomposer", json!({}))], &[json!({})]))
        .on_task(PLAN, plan(&[("scanner", json!({"max_batches": 1})), ("gap_analyzer", json!({}))], &[]))
        .always(PLAN, plan(&[("synthesizer", json!({}))], &[]))
        .on_task(GAPS, json!({"reasoning": "", "gaps": [], "recommendation": "SUFFICIENT_COVERAGE"}));
    let tool = Arc::new(FakeTool::new("analyze_events", 400));
    let agent = DatasetAgent::builder(model, Arc::clone(&tool)).build().unwrap();
    let mut stream = agent.run("numbers by parity").stream();
    let mut thinking = Vec::new();
    while let Some(event) = stream.next().await {
        if let EventKind::Run(RunEvent::Thinking { text }) = event.kind {
            thinking.push(text);
        }
    }
    let report = stream.outcome().await.unwrap();
    assert_eq!(report.recommendation, Some(Recommendation::ContinueResearch));
    assert_eq!(thinking, ["the model recommends SUFFICIENT_COVERAGE, the rules CONTINUE_RESEARCH"]);
    assert_eq!(report.gaps.iter().filter(|gap| gap.importance == "high").count(), 1, "{:?}", report.gaps);
    assert_eq!(tool.calls.load(Ordering::SeqCst), 2, "the direct call and a page of the scan");
    let further = report.markdown.find("## Further Research").unwrap_or_else(|| panic!("{}", report.markdown));
    assert!(
        report.markdown[further..].contains("No data on “What are the main event themes in India?”"),
        "{}",
        report.markdown
    );
}

#[tokio::test]
async fn a_spent_run_is_said_to_bring_little() {
    let model = helpful().on_task(PLAN, plan(&[("decomposer", json!({})), ("gap_analyzer", json!({}))], &[json!({})]));
    let agent = DatasetAgent::builder(model, FakeTool::new("analyze_events", 400)).build().unwrap();
    let report = agent.run("numbers by parity").max_iterations(1).await.unwrap();
    assert_eq!(report.recommendation, Some(Recommendation::DiminishingReturns));
}

/// What the analysis itself uses up is not there for further reading.
#[tokio::test]
async fn an_analysis_that_takes_the_last_of_the_budget_does_not_advise_to_go_on() {
    let first = plan(&[("decomposer", json!({})), ("gap_analyzer", json!({}))], &[json!({})]);
    for calls in [5, 50] {
        // One call each for the plan, the checklist, the records and the analysis; one is kept for the report.
        let budget = BudgetLimits::default().calls(calls);
        let model = helpful().on_task(PLAN, first.clone()).always(PLAN, plan(&[("synthesizer", json!({}))], &[]));
        let model = Arc::new(model);
        let agent = DatasetAgent::builder(Arc::clone(&model), FakeTool::new("analyze_events", 400));
        let agent = agent.config(DatasetConfig { budget, ..DatasetConfig::default() }).build().unwrap();
        let report = agent.run("numbers by parity").await.unwrap();
        assert_eq!(model.calls_of(GAPS).len(), 1, "{calls}");
        if calls == 5 {
            let ended = (report.completion, report.recommendation);
            assert_eq!(ended, (Some(Completion::Budget), Some(Recommendation::DiminishingReturns)));
        } else {
            assert!(prompt(&model, PLAN, 1).contains("recommendation: CONTINUE_RESEARCH"));
        }
    }
}
