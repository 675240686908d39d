//! The sub-agents as a set: their names, what they can be called without, and that those that only think fetch nothing.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use futures::StreamExt;
use research_agents::dataset::{DatasetAgent, DatasetEventKind, standard_agents};
use research_llm::testing::ScriptedModel;
use serde_json::{Value, json};

use crate::fake::FakeTool;
use crate::script::{
    EXTRACT, GAPS, PERSPECTIVES, PLAN, QUESTIONS, SYNTHESIZE, VALIDATE, extraction, finding, helpful, plan, prompt,
};

///
#[test]
fn there_are_exactly_the_eight_agents() {
    let mut names = standard_agents().names();
    names.sort_unstable();
    let eight =
        ["aggregator", "decomposer", "extractor", "gap_analyzer", "perspective", "scanner", "synthesizer", "validator"];
    assert_eq!(names, eight);
    let fetching: Vec<&str> =
        standard_agents().cards().filter(|card| card.fetches_data).map(|card| card.name).collect();
    assert_eq!(fetching, ["aggregator", "scanner"]);
}

fn bare(agents: &[&str]) -> Value {
    plan(&agents.iter().map(|name| (*name, json!({}))).collect::<Vec<_>>(), &[])
}

async fn run(model: &Arc<ScriptedModel>, tool: &Arc<FakeTool>) -> Vec<DatasetEventKind> {
    let agent = DatasetAgent::builder(Arc::clone(model), Arc::clone(tool)).build().unwrap();
    agent.run("numbers by parity").stream().map(|event| event.kind).collect().await
}

/// Z-11.
#[tokio::test]
async fn every_agent_can_be_planned_with_nothing_and_those_that_think_fetch_nothing() {
    let thinking = ["decomposer", "perspective", "extractor", "validator", "gap_analyzer", "synthesizer"];
    let model = helpful()
        .on_task(PLAN, plan(&[("decomposer", json!({}))], &[json!({"group_by": "parity"})]))
        .on_task(PLAN, bare(&thinking))
        .on_task(EXTRACT, extraction(&[finding("Numbers are even", &["2"])]));
    let (model, tool) = (Arc::new(model), Arc::new(FakeTool::new("analyze_events", 12)));
    let events = run(&model, &tool).await;
    let failed: Vec<_> = events.iter().filter(|kind| matches!(kind, DatasetEventKind::Error { .. })).collect();
    assert!(failed.is_empty(), "{failed:?}");
    let finished = |kind: &DatasetEventKind| match kind {
        DatasetEventKind::AgentFinished { agent, ok: true, .. } => Some(agent.clone()),
        _ => None,
    };
    let mut done: Vec<String> = events.iter().filter_map(finished).skip(1).collect();
    assert_eq!(done.last().map(String::as_str), Some("synthesizer"), "the report waits for all others");
    let place = |name: &str| done.iter().position(|other| other == name).unwrap();
    assert!(place("extractor") < place("validator") && place("validator") < place("gap_analyzer"), "{done:?}");
    done.sort();
    let mut all = thinking.map(str::to_owned);
    all.sort();
    assert_eq!(done, all);
    assert_eq!(tool.calls.load(Ordering::SeqCst), 1, "the direct call, and nothing else");

    let first = prompt(&model, PLAN, 0);
    for name in standard_agents().names() {
        assert!(first.contains(&format!("## {name}")), "no {name} in {first}");
    }
    assert!(first.matches("use when: ").count() == 8 && !first.contains("\"documents\""), "{first}");
    for task in [PLAN, EXTRACT, VALIDATE, GAPS, SYNTHESIZE] {
        let at = usize::from(task == PLAN);
        let prompt = prompt(&model, task, at);
        assert!(QUESTIONS.iter().all(|question| prompt.contains(question)), "{task}: {prompt}");
    }
}

///
#[tokio::test]
async fn points_of_view_are_kept_once_and_shown_to_the_planner() {
    let domain = json!({"topic": "events", "domain": "enterprise software"});
    let model = helpful()
        .on_task(PLAN, plan(&[("perspective", domain)], &[json!({"group_by": "parity"})]))
        .on_task(PLAN, bare(&["perspective", "scanner"]))
        .always(PLAN, bare(&["synthesizer"]));
    let model = Arc::new(model);
    let agent = DatasetAgent::builder(Arc::clone(&model), FakeTool::new("analyze_events", 40)).build().unwrap();
    let report = agent.run("numbers by parity").await.unwrap();
    let names: Vec<&str> = report.perspectives.iter().map(|view| view.name.as_str()).collect();
    assert_eq!(names, ["Business Analyst", "Regional Expert", "Data Scientist"], "the second call brought the same");
    assert!(prompt(&model, PERSPECTIVES, 0).contains("enterprise software"));
    let next = prompt(&model, PLAN, 1);
    for word in ["Business Analyst", "Regional Expert", "Data Scientist", "revenue", "monsoon", "outlier"] {
        assert!(next.contains(word), "no `{word}` in {next}");
    }
}

#[tokio::test]
async fn as_many_points_of_view_as_asked_for_within_one_and_eight() {
    let view = |name: usize| json!({"name": format!("Expert {name}"), "focus": "x"});
    for (asked, kept, calls) in [(0, 1, 1), (2, 2, 1), (99, 8, 1)] {
        let many = json!({"perspectives": (0..12).map(view).collect::<Vec<_>>()});
        let arguments = json!({"num_perspectives": asked});
        let model = ScriptedModel::new()
            .on_task(PLAN, plan(&[("perspective", arguments)], &[json!({"group_by": "parity"})]))
            .always(PERSPECTIVES, many);
        let model = Arc::new(model.otherwise(|_| None));
        let agent = DatasetAgent::builder(Arc::clone(&model), FakeTool::new("analyze_events", 4)).build().unwrap();
        let report = agent.run("numbers by parity").max_iterations(1).await.unwrap();
        assert_eq!((report.perspectives.len(), model.calls_of(PERSPECTIVES).len()), (kept, calls), "{asked}");
        assert!(prompt(&model, PERSPECTIVES, 0).contains(&format!("Exactly {kept} points of view")));
    }
}

#[tokio::test]
async fn too_few_points_of_view_are_asked_for_once_more() {
    let one = json!({"perspectives": [{"name": "Analyst", "focus": "x"}, {"name": "analyst", "focus": "y"}]});
    let model = helpful()
        .on_task(PLAN, plan(&[("perspective", json!({}))], &[json!({"group_by": "parity"})]))
        .on_task(PERSPECTIVES, one.clone())
        .on_task(PERSPECTIVES, one);
    let (model, tool) = (Arc::new(model), Arc::new(FakeTool::new("analyze_events", 4)));
    let agent = DatasetAgent::builder(Arc::clone(&model), tool).build().unwrap();
    let events: Vec<_> = agent.run("numbers by parity").max_iterations(1).stream().collect().await;
    assert_eq!(model.calls_of(PERSPECTIVES).len(), 2);
    let warned = |kind: &DatasetEventKind| match kind {
        DatasetEventKind::Error { message, .. } => message.contains("1 points of view, fewer than 3"),
        _ => false,
    };
    assert!(events.iter().any(|event| warned(&event.kind)), "{events:?}");
}
