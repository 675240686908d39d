//! What code can compute does not depend on the model: plans start from the question as code reads it.

use std::sync::Arc;

use research_agents::dataset::record::ReportFormat;
use research_agents::dataset::{DatasetAgent, DatasetConfig, DatasetReport};
use research_llm::testing::ScriptedModel;
use research_mcp::{Hub, StdioServer};
use serde_json::{Value, json};

use crate::script::{PLAN, helpful, plan, prompt};

/// 400 stones of three kinds; the mean mass of granite is 10, of basalt 20, of marble 30.
fn stones() -> String {
    let kinds = ["granite", "basalt", "marble"];
    let line = |at: usize| format!("s{at},{},{}\n", kinds[at % 3], 10 * (at % 3 + 1) + [0, 1, 0, 7][at % 4] - 2);
    let lines: String = (0..400).map(line).collect();
    format!("id,kind,mass\n{lines}")
}

/// The mean mass of a kind, two decimals at most.
fn mean(kind: &str) -> String {
    let rows: Vec<f64> = stones()
        .lines()
        .filter(|line| line.contains(kind))
        .map(|line| line.rsplit(',').next().unwrap().parse().unwrap())
        .collect();
    let text = format!("{:.2}", rows.iter().sum::<f64>() / rows.len() as f64);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Asks a model with these plans, of which the last is repeated.
async fn ask(plans: &[Value]) -> (DatasetReport, Arc<ScriptedModel>) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("stones.csv");
    std::fs::write(&file, stones()).unwrap();
    let server = StdioServer::new(env!("CARGO_BIN_EXE_dataset_server")).args([file.to_str().unwrap()]);
    let hub = Arc::new(Hub::builder().stdio("stones", server).connect().await.unwrap());

    let (last, first) = plans.split_last().unwrap();
    let model = first.iter().fold(helpful(), |model, plan| model.on_task(PLAN, plan.clone()));
    let model = Arc::new(model.always(PLAN, last.clone()));
    let config = DatasetConfig { format: ReportFormat::ExecutiveSummary, ..DatasetConfig::default() };
    let agent = DatasetAgent::builder(Arc::clone(&model), Arc::clone(&hub)).config(config).build().unwrap();
    let report = agent.run("What is the average mass by kind?").await.unwrap();
    hub.close().await;
    (report, model)
}

/// The answer names the mean of each kind.
fn assert_answered(report: &DatasetReport) {
    let answer = report.markdown.split("## Answer").nth(1).unwrap_or_default();
    let first = answer.trim_start().lines().next().unwrap_or_default();
    for kind in ["granite", "basalt", "marble"] {
        assert!(first.contains(&mean(kind)), "no {} of {kind} in\n{}", mean(kind), report.markdown);
    }
    assert_eq!(report.stats.confidence, 1.0, "{}", report.markdown);
}

fn report_only() -> Value {
    plan(&[("synthesizer", json!({}))], &[])
}

#[tokio::test]
async fn the_planner_is_shown_what_code_reads_and_would_call() {
    let (_, model) = ask(&[report_only()]).await;

    let shown = prompt(&model, PLAN, 0);
    let block = shown.split("# The question as code reads it").nth(1).unwrap();
    let block = block.split("# State").next().unwrap();
    for part in ["measures: mean of mass", "groups: kind", "call of aggregator: {", "\"group_by\":\"kind\""] {
        assert!(block.contains(part), "no `{part}` in {block}");
    }
}

#[tokio::test]
async fn plans_that_gather_nothing_are_replaced_by_the_computed_one_at_once() {
    let decomposer = plan(&[("decomposer", json!({}))], &[]);
    for idle in [decomposer, plan(&[], &[]), report_only(), plan(&[("validator", json!({}))], &[])] {
        let (report, _) = ask(std::slice::from_ref(&idle)).await;
        assert_answered(&report);
        assert!(report.stats.planner_calls <= 3, "{idle}: {:?}", report.stats);
    }
}

#[tokio::test]
async fn a_plan_that_repeats_a_call_is_replaced_by_the_computed_one() {
    let count = plan(&[("aggregator", json!({"group_by": "kind"}))], &[]);
    let (report, _) = ask(std::slice::from_ref(&count)).await;

    assert_answered(&report);
    assert!(report.stats.planner_calls <= 3, "{:?}", report.stats);
}

#[tokio::test]
async fn a_plan_that_misses_the_question_costs_the_answer_nothing() {
    let beside = json!({"filters": "{\"kind\": \"basalt\"}", "group_by": "kind"});
    let (report, _) = ask(&[plan(&[("aggregator", beside)], &[]), report_only()]).await;

    assert_answered(&report);
}
