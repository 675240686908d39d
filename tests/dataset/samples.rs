//! Samples of groups: read by a scan whose plan names a grouping, kept from an aggregation, and never taken for all records.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures::StreamExt;
use research_agents::dataset::{DatasetAgent, DatasetConfig, DatasetReport, EventKind, Phase, RunEvent};
use research_agents::kernel::resolve_citations;
use research_llm::testing::ScriptedModel;
use research_mcp::{Hub, StdioServer};
use serde_json::{Value, json};

use crate::fake::FakeTool;
use crate::script::{EXTRACT, PLAN, helpful, plan, prompt};

/// Readings of three kinds, by far the most of the first; the rare ones come last.
fn readings(count: usize) -> String {
    let kind = |number: usize| match count - number {
        0..30 => "rare",
        30..90 => "some",
        _ => "many",
    };
    let rows = (1..=count).map(|number| format!("R{number},{},{}\n", kind(number), number * 7 % 40));
    format!("id,kind,level\n{}", rows.collect::<String>())
}

/// The number of readings of each kind among the sources.
fn kinds(report: &DatasetReport) -> BTreeMap<String, usize> {
    let mut kinds = BTreeMap::new();
    for source in report.sources.iter() {
        *kinds.entry(source.field("kind").and_then(Value::as_str).unwrap().to_owned()).or_default() += 1;
    }
    kinds
}

/// Runs these plans over so many readings, which a server in a process of its own serves.
async fn run(count: usize, plans: &[Value]) -> (DatasetReport, Arc<ScriptedModel>) {
    let (report, model, _) = run_as(DatasetConfig::default(), count, plans).await;
    (report, model)
}

/// The same with these settings; gives the phases too.
async fn run_as(
    config: DatasetConfig,
    count: usize,
    plans: &[Value],
) -> (DatasetReport, Arc<ScriptedModel>, Vec<Phase>) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("readings.csv");
    std::fs::write(&file, readings(count)).unwrap();
    let server = StdioServer::new(env!("CARGO_BIN_EXE_dataset_server")).args([file.to_str().unwrap()]);
    let hub = Arc::new(Hub::builder().stdio("readings", server).connect().await.unwrap());
    let model = plans.iter().fold(helpful(), |model, plan| model.on_task(PLAN, plan.clone()));
    let model = Arc::new(model.always(PLAN, plan(&[("synthesizer", json!({}))], &[])));
    let agent = DatasetAgent::builder(Arc::clone(&model), Arc::clone(&hub)).config(config).build().unwrap();
    let mut stream = agent.run("readings by kind").stream();
    let mut phases = Vec::new();
    while let Some(event) = stream.next().await {
        if let EventKind::Run(RunEvent::Phase { phase }) = event.kind {
            phases.extend(Phase::from_name(&phase));
        }
    }
    let report = stream.outcome().await.unwrap();
    hub.close().await;
    assert!(resolve_citations(&report.markdown).is_ok(), "{}", report.markdown);
    (report, model, phases)
}

fn scanner(arguments: Value) -> Value {
    plan(&[("scanner", json!({"tool_args": arguments}))], &[])
}

#[tokio::test]
async fn a_grouping_that_the_plan_names_reads_samples_of_each_group_in_one_call() {
    let (report, model) = run(1_000, &[scanner(json!({"group_by": "kind"}))]).await;
    // The lookup of “readings”, and the samples.
    assert_eq!(report.stats.mcp_calls, 2);
    assert_eq!(model.calls_of(EXTRACT).len(), 1, "one batch");
    let each = ["many", "rare", "some"].map(|kind| (kind.to_owned(), 20));
    assert_eq!(kinds(&report), BTreeMap::from(each));
    assert_eq!((report.coverage.fetched, report.coverage.total), (60, Some(1_000)));
    assert_eq!((report.coverage.fraction, report.coverage.capped), (Some(0.06), false));
    assert!(report.is_partial());
    let said = "Coverage: 60 of 1,000 records read (6.0 %), up to 20 of each kind.";
    assert!(report.markdown.contains(said), "{}", report.markdown);
    let counted: Vec<(&Value, u64)> =
        report.aggregations[0].buckets.iter().map(|bucket| (&bucket.key, bucket.doc_count)).collect();
    assert_eq!(counted, [(&json!("many"), 910), (&json!("some"), 60), (&json!("rare"), 30)]);
}

#[tokio::test]
async fn groups_with_fewer_records_are_read_whole_and_all_samples_may_be_all_there_is() {
    let (report, _) = run(100, &[scanner(json!({"group_by": "kind", "samples_per_bucket": 70}))]).await;
    assert_eq!(report.coverage.fraction, Some(1.0));
    assert!(report.markdown.contains("Coverage: 100 of 100 records read."), "{}", report.markdown);
    assert!(!report.is_partial());
}

#[tokio::test]
async fn samples_and_the_first_records_share_the_limit_and_each_is_read_once() {
    let samples = json!({"tool_args": {"group_by": "kind"}});
    let plans = [plan(&[("scanner", samples), ("scanner", json!({"tool_args": {}}))], &[])];
    let (report, model) = run(1_000, &plans).await;
    assert_eq!((report.coverage.fetched, report.coverage.capped), (300, true));
    assert_eq!(report.sources.len(), 300);
    // Twenty of the first kind are samples and among the first records too.
    let expected = [("many", 260), ("rare", 20), ("some", 20)].map(|(kind, count)| (kind.to_owned(), count));
    assert_eq!(kinds(&report), BTreeMap::from(expected));
    let said = "300 of 1,000 records read (30.0 %), the first 260 in the tool's order and up to 20 of each kind, scan limit 300";
    assert!(report.markdown.contains(said), "{}", report.markdown);
    let read: usize =
        (0..model.calls_of(EXTRACT).len()).map(|at| prompt(&model, EXTRACT, at).matches("[record ").count()).sum();
    assert!(read >= 300, "{read}");
}

#[tokio::test]
async fn more_samples_than_the_limit_cut_no_group_more_than_another() {
    let arguments = json!({"group_by": "level", "top_n": 40});
    let (report, _) = run(1_000, &[scanner(arguments)]).await;
    assert_eq!((report.coverage.fetched, report.coverage.capped), (300, true));
    let mut levels: BTreeMap<u64, usize> = BTreeMap::new();
    for source in report.sources.iter() {
        *levels.entry(source.field("level").and_then(Value::as_u64).unwrap()).or_default() += 1;
    }
    assert_eq!(levels.len(), 40);
    assert!(levels.values().all(|count| [7, 8].contains(count)), "{levels:?}");
    let said =
        "300 of 1,000 records read (30.0 %), the first 1 in the tool's order and up to 8 of each level, scan limit 300";
    assert!(report.markdown.contains(said), "{}", report.markdown);
}

#[tokio::test]
async fn groups_without_samples_are_told() {
    let arguments = json!({"group_by": "level", "top_n": 3, "samples_per_bucket": 2});
    let (report, _) = run(1_000, &[scanner(arguments)]).await;
    let said =
        "7 of 1,000 records read (0.7 %), the first 1 in the tool's order and up to 2 of each of 3 groups by level";
    assert!(report.markdown.contains(said), "{}", report.markdown);
}

#[tokio::test]
async fn samples_of_an_aggregation_are_sources_beside_its_page() {
    let aggregator = json!({"group_by": "kind", "samples_per_bucket": 3});
    let (report, _) = run(1_000, &[plan(&[("aggregator", aggregator)], &[]), scanner(json!({}))]).await;
    assert_eq!(report.sources.len(), 300);
    let said = "the first 294 in the tool's order and up to 3 of each kind, scan limit 300";
    assert!(report.markdown.contains(said), "{}", report.markdown);
}

#[tokio::test]
async fn an_inherited_grouping_is_stripped_and_its_filters_are_kept() {
    let direct = plan(&[], &[json!({"group_by": "kind", "filters": "{\"kind\": \"some\"}", "samples_per_bucket": 5})]);
    let (report, _) = run(1_000, &[direct, scanner(json!({}))]).await;
    assert_eq!((report.coverage.fetched, report.coverage.fraction), (60, Some(1.0)));
}

#[tokio::test]
async fn a_tool_that_gives_no_samples_is_read_page_by_page() {
    let model = helpful()
        .on_task(PLAN, scanner(json!({"group_by": "parity"})))
        .always(PLAN, plan(&[("synthesizer", json!({}))], &[]));
    let agent = DatasetAgent::builder(model, FakeTool::new("analyze_events", 165)).build().unwrap();
    let report = agent.run("numbers by parity").await.unwrap();
    assert_eq!(report.coverage.fraction, Some(1.0));
    assert_eq!(report.stats.mcp_calls, 3);
}

#[tokio::test]
async fn the_planner_is_told_how_to_sample_when_more_match_than_a_run_reads() {
    let first = plan(&[], &[json!({"group_by": "kind"})]);
    let (_, model) = run(1_000, &[first.clone(), scanner(json!({}))]).await;
    let told = prompt(&model, PLAN, 1);
    assert!(told.contains("1000 records match and a run reads 300 of them: a scanner call with `group_by`"), "{told}");
    let (_, model) = run(300, &[first, scanner(json!({}))]).await;
    assert!(!prompt(&model, PLAN, 1).contains("a run reads 300 of them"));
}

#[tokio::test]
async fn reading_samples_is_a_phase_of_its_own() {
    let samples = scanner(json!({"group_by": "kind"}));
    let (_, _, phases) = run_as(DatasetConfig::default(), 1_000, &[samples, scanner(json!({}))]).await;
    let reads = |phase: &Phase| matches!(phase, Phase::Sampling | Phase::Scanning);
    assert_eq!(phases.into_iter().filter(reads).collect::<Vec<_>>(), [Phase::Sampling, Phase::Scanning]);
}

#[tokio::test]
async fn samples_are_not_enough_for_a_run_that_is_to_read_everything() {
    let samples = [scanner(json!({"group_by": "kind"}))];
    let exhaustive = || DatasetConfig { exhaustive: true, ..DatasetConfig::default() };
    let (report, _, _) = run_as(exhaustive(), 200, &samples).await;
    assert_eq!((report.coverage.fetched, report.coverage.fraction), (200, Some(1.0)));
    let (report, _, _) = run_as(exhaustive(), 1_000, &samples).await;
    assert_eq!((report.coverage.fetched, report.coverage.capped), (300, true));
    let (report, _) = run(200, &samples).await;
    assert_eq!(report.coverage.fetched, 60, "samples end the reading otherwise");
}
