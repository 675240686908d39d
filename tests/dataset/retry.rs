//! Calls of tools that fail for a passing reason are made again, ask for less where that may help, and nothing is read twice
//! or left out in silence.

use std::collections::{BTreeSet, HashSet};
use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::StreamExt;
use proptest::prelude::*;
use research_agents::dataset::{
    DatasetAgent, DatasetConfig, DatasetCx, DatasetEventKind, DatasetReport, EventKind, RetryPolicy, RunEvent,
    ScannerInput, ScannerOutput, reduce,
};
use research_agents::subagent::{Card, SubAgent};
use research_agents::{Error, ErrorCategory};
use research_llm::testing::ScriptedModel;
use serde_json::{Value, json};

use crate::fake::FakeTool;
use crate::flaky::{Fault, Flaky, PASSING};
use crate::script::{PLAN, helpful, plan};

pub fn quick() -> DatasetConfig {
    let retry = RetryPolicy::default().first_wait(Duration::from_millis(1));
    DatasetConfig { retry, ..DatasetConfig::default() }
}

fn scanning(batch_size: usize) -> ScriptedModel {
    helpful()
        .on_task(PLAN, plan(&[], &[json!({"group_by": "parity"})]))
        .on_task(PLAN, plan(&[("scanner", json!({"batch_size": batch_size}))], &[]))
        .always(PLAN, plan(&[("synthesizer", json!({}))], &[]))
}

/// Runs to the end and gives the report with the events of new tries.
async fn run(agent: DatasetAgent) -> (DatasetReport, Vec<EventKind<DatasetEventKind>>) {
    let mut events = agent.run("numbers by parity").stream();
    let mut retries = Vec::new();
    while let Some(event) = events.next().await {
        if matches!(event.kind, EventKind::Run(RunEvent::Retry { .. })) {
            retries.push(event.kind);
        }
    }
    (events.outcome().await.unwrap(), retries)
}

/// Scans with these calls failing, and checks that what was read is the truth, once.
async fn scan(total: usize, batch_size: usize, fault: Fault, failing: &'static [usize]) {
    let what = format!("{total} records in batches of {batch_size}, {fault:?} at {failing:?}");
    let tool = Arc::new(Flaky::new(total, move |call| failing.contains(&call).then_some(fault)));
    let agent = DatasetAgent::builder(scanning(batch_size), Arc::clone(&tool)).config(quick()).build().unwrap();
    let (report, _) = run(agent).await;
    let expected = total.min(300);
    let seen: BTreeSet<usize> = report.sources.iter().map(|source| source.record.parse().unwrap()).collect();
    assert_eq!(report.sources.len(), expected, "{what}");
    assert_eq!(seen, (0..expected).collect(), "{what}");
    assert_eq!((report.coverage.fetched, report.coverage.total), (expected as u64, Some(total as u64)), "{what}");
    assert_eq!(report.coverage.capped, total > 300, "{what}");
    assert!(
        report.markdown.replace(',', "").contains(&format!("{expected} of {total} records read")),
        "{what}: {}",
        report.markdown
    );
    let cursors = tool.cursors();
    let distinct: HashSet<String> = cursors.iter().map(Value::to_string).collect();
    assert_eq!(distinct.len(), cursors.len(), "{what}: a page was delivered twice: {cursors:?}");
}

const TOTALS: [usize; 13] = [74, 75, 76, 100, 101, 150, 151, 225, 226, 299, 300, 301, 10_000];
const BATCHES: [usize; 4] = [70, 75, 100, 150];

#[tokio::test]
async fn a_fault_that_passes_costs_no_record_and_no_page_twice() {
    for (at, fault) in PASSING.iter().enumerate() {
        for (other, total) in TOTALS.into_iter().enumerate() {
            // The second page fails once.
            scan(total, BATCHES[(at + other) % BATCHES.len()], *fault, &[2]).await;
        }
    }
}

#[tokio::test]
async fn no_size_of_data_or_batch_matters_to_a_server_that_broke_down() {
    for total in TOTALS {
        for batch_size in BATCHES {
            scan(total, batch_size, Fault::ServerError, &[2]).await;
        }
    }
}

#[tokio::test]
async fn a_page_may_fail_twice_and_the_first_page_too() {
    for fault in PASSING {
        for failing in [&[1, 2][..], &[2, 3], &[1, 3], &[0, 2, 4]] {
            scan(165, 75, *fault, failing).await;
        }
    }
}

#[tokio::test]
async fn batches_of_one_record_survive_faults() {
    scan(76, 1, Fault::ServerError, &[2, 40]).await;
    scan(76, 1, Fault::Timeout, &[2, 40]).await;
}

#[tokio::test]
async fn a_fault_that_does_not_pass_leaves_what_came_and_says_so() {
    for fault in PASSING {
        let tool = Arc::new(Flaky::new(165, move |call| (call >= 2).then_some(*fault)));
        let agent = DatasetAgent::builder(scanning(75), Arc::clone(&tool)).config(quick()).build().unwrap();
        let (report, retries) = run(agent).await;
        assert_eq!((report.coverage.fetched, report.coverage.total), (75, Some(165)), "{fault:?}");
        assert!(report.markdown.contains("75 of 165 records read (45.5 %)"), "{fault:?}: {}", report.markdown);
        assert!(report.coverage.stopped_early.is_some() && report.is_partial(), "{fault:?}");
        assert!(!retries.is_empty(), "{fault:?}");
    }
}

#[tokio::test]
async fn what_will_not_pass_is_not_tried_again() {
    let tool = Arc::new(Flaky::new(165, |call| (call == 2).then_some(Fault::Refusal)));
    let agent = DatasetAgent::builder(scanning(75), Arc::clone(&tool)).config(quick()).build().unwrap();
    let (report, retries) = run(agent).await;
    assert_eq!(retries, []);
    assert_eq!(report.coverage.fetched, 75);
}

#[tokio::test]
async fn pages_stay_small_after_a_large_one_was_too_slow() {
    let tool = Arc::new(Flaky::new(300, |call| matches!(call, 1 | 2).then_some(Fault::Timeout)));
    let agent = DatasetAgent::builder(scanning(100), Arc::clone(&tool)).config(quick()).build().unwrap();
    let (report, retries) = run(agent).await;
    assert_eq!(report.coverage.fraction, Some(1.0));
    let changes: Vec<Value> = retries.iter().map(|event| serde_json::to_value(event).unwrap()).collect();
    assert_eq!(changes.len(), 2);
    for (change, attempt, sizes) in [(&changes[0], 1, [100, 50]), (&changes[1], 2, [50, 25])] {
        assert_eq!((&change["event"], &change["what"]), (&json!("retry"), &json!("analyze_events")));
        assert_eq!((&change["attempt"], &change["category"]), (&json!(attempt), &json!("timeout")));
        assert_eq!(change["changed"], json!({"page_size": sizes}));
    }
    let asked = tool.asked.lock().unwrap();
    assert!(asked.iter().skip(3).all(|arguments| arguments["page_size"].as_u64().unwrap() <= 25), "{asked:?}");
}

#[tokio::test]
async fn a_refusal_for_speed_changes_nothing_and_its_pause_is_kept() {
    let tool = Arc::new(Flaky::new(165, |call| {
        (call == 2).then_some(Fault::TooManyRequests("429 Too Many Requests. Retry-After: 0.3"))
    }));
    let agent = DatasetAgent::builder(scanning(75), Arc::clone(&tool)).config(quick()).build().unwrap();
    let (report, retries) = run(agent).await;
    assert_eq!(report.coverage.fraction, Some(1.0));
    let [EventKind::Run(RunEvent::Retry { category, changed, wait_ms, .. })] = &retries[..] else {
        panic!("{retries:?}")
    };
    assert_eq!((*category, changed.len()), (ErrorCategory::RateLimit, 0));
    assert!((300..=360).contains(wait_ms), "{wait_ms}");
    let asked = tool.asked.lock().unwrap();
    assert_eq!(asked[2], asked[3], "the same page with the same arguments");
}

#[tokio::test(start_paused = true)]
async fn a_pause_that_would_outlast_the_run_is_not_begun() {
    let tool = Flaky::new(165, |call| (call == 2).then_some(Fault::TooManyRequests("429. Retry-After: 200")));
    let mut config = quick();
    config.budget = config.budget.time(Duration::from_secs(100));
    let agent = DatasetAgent::builder(scanning(75), Arc::new(tool)).config(config).build().unwrap();
    let (report, retries) = run(agent).await;
    assert_eq!((retries.len(), report.coverage.fetched), (0, 75));
}

#[tokio::test]
async fn a_plans_own_call_asks_for_less_and_the_report_says_so() {
    let model = Arc::new(
        helpful()
            .on_task(PLAN, plan(&[], &[json!({"group_by": "parity", "top_n": 40, "samples_per_bucket": 0})]))
            .always(PLAN, plan(&[("synthesizer", json!({}))], &[])),
    );
    let tool = Arc::new(SizedTool(Flaky::new(20, |call| (call == 0).then_some(Fault::Timeout))));
    let agent = DatasetAgent::builder(Arc::clone(&model), Arc::clone(&tool)).config(quick()).build().unwrap();
    let (report, retries) = run(agent).await;
    let EventKind::Run(RunEvent::Retry { changed, .. }) = &retries[0] else { unreachable!() };
    assert_eq!(json!(changed), json!({"top_n": [40, 20]}));
    let limits = report.limitations.join(" ");
    assert!(limits.contains("ess was asked for: top_n 20 instead of 40"), "{limits}");
    let sent = tool.0.served.lock().unwrap()[0].clone();
    assert_eq!(json!(sent), json!({"group_by": "parity", "top_n": 20, "samples_per_bucket": 0}));
    // The next plan is told the arguments that had success.
    let prompts: Vec<String> = model.calls().iter().map(|call| call.messages[0].text()).collect();
    assert!(prompts.iter().any(|prompt| prompt.contains("\"top_n\":20")), "{prompts:?}");
    assert!(!prompts.iter().any(|prompt| prompt.contains("\"top_n\":40")));
}

#[tokio::test]
async fn an_aggregator_asks_for_less_and_says_so() {
    let model = helpful()
        .on_task(PLAN, plan(&[("aggregator", json!({"group_by": "parity", "top_n": 12}))], &[]))
        .always(PLAN, plan(&[("synthesizer", json!({}))], &[]));
    let tool = SizedTool(Flaky::new(20, |call| (call < 2).then_some(Fault::ServerError)));
    let agent = DatasetAgent::builder(model, Arc::new(tool)).config(quick()).build().unwrap();
    let (report, retries) = run(agent).await;
    let changes: Vec<Value> = retries
        .iter()
        .map(|event| match event {
            EventKind::Run(RunEvent::Retry { changed, .. }) => json!(changed),
            _ => unreachable!(),
        })
        .collect();
    assert_eq!(changes, [json!({"top_n": [12, 6]}), json!({"top_n": [6, 5]})]);
    let limits = report.limitations.join(" ");
    assert!(limits.contains("top_n 5 instead of 12"), "{limits}");
}

/// The same tool, which says that it takes a number of groups and of their samples.
struct SizedTool(Flaky);

impl research_mcp::ToolSource for SizedTool {
    fn list_tools(&self) -> research_mcp::BoxFuture<'_, Result<research_mcp::ToolListing, research_mcp::McpError>> {
        Box::pin(async {
            let mut listing = self.0.list_tools().await?;
            let properties = listing.tools[0].input_schema["properties"].as_object_mut().unwrap();
            properties.insert("top_n".to_owned(), json!({"type": "integer"}));
            properties.insert("samples_per_bucket".to_owned(), json!({"type": "integer"}));
            Ok(listing)
        })
    }

    fn call_tool<'a>(
        &'a self,
        name: &'a str,
        arguments: research_mcp::Object,
    ) -> research_mcp::BoxFuture<'a, Result<research_mcp::CallOutput, research_mcp::McpError>> {
        self.0.call_tool(name, arguments)
    }
}

/// Batch size and number of batches of each call.
type Calls = Vec<(usize, Option<usize>)>;

/// A scanner of the host that fails as a whole the first two times.
struct HostScanner(Arc<Mutex<Calls>>);

impl SubAgent<DatasetCx> for HostScanner {
    type Input = ScannerInput;
    type Output = ScannerOutput;

    fn card(&self) -> Card {
        Card::new("scanner", "Reads.").fetches_data()
    }

    async fn run(&self, _: &DatasetCx, input: ScannerInput) -> Result<ScannerOutput, Error> {
        let mut seen = self.0.lock().unwrap();
        seen.push((input.batch_size, input.max_batches));
        if seen.len() < 3 {
            return Err(Error::other(io::Error::new(io::ErrorKind::TimedOut, "the archive is slow")));
        }
        Ok(ScannerOutput::default())
    }
}

#[tokio::test]
async fn an_agent_that_failed_as_a_whole_runs_again_over_as_many_records() {
    let model = helpful()
        .on_task(PLAN, plan(&[], &[json!({"group_by": "parity"})]))
        .on_task(PLAN, plan(&[("scanner", json!({"batch_size": 75, "max_batches": 3}))], &[]))
        .always(PLAN, plan(&[("synthesizer", json!({}))], &[]));
    let seen = Arc::new(Mutex::default());
    let agent = DatasetAgent::builder(model, FakeTool::new("analyze_events", 165));
    let agent = agent.agent(HostScanner(Arc::clone(&seen))).config(quick()).build().unwrap();
    let (_, retries) = run(agent).await;
    assert_eq!(seen.lock().unwrap()[..3], [(75, Some(3)), (37, Some(7)), (18, Some(15))]);
    let EventKind::Run(RunEvent::Retry { what, category, .. }) = &retries[0] else { unreachable!() };
    assert_eq!((what.as_str(), *category), ("scanner", ErrorCategory::Timeout));
}

fn arguments() -> impl Strategy<Value = serde_json::Map<String, Value>> {
    const SIZES: &[&str] =
        &["batch_size", "page_size", "samples_per_bucket", "top_n", "top_n_per_group", "max_batches"];
    let size = (proptest::sample::select(SIZES), 0_u64..5_000).prop_map(|(name, size)| (name, json!(size)));
    const OTHERS: &[&str] = &["filters", "group_by", "limit", "search_after", "page", "top", "Batch_Size"];
    let value = prop_oneof![
        any::<i64>().prop_map(|number| json!(number)),
        any::<bool>().prop_map(|flag| json!(flag)),
        "[a-z]{0,5}".prop_map(|text| json!(text)),
        Just(json!(null)),
        Just(json!({"top_n": 40})),
    ];
    let other = (proptest::sample::select(OTHERS), value.clone());
    let odd = (proptest::sample::select(SIZES), prop_oneof![Just(json!("20")), Just(json!(12.5)), Just(json!(-4))]);
    let pair = prop_oneof![3 => size, 2 => other, 1 => odd];
    proptest::collection::vec(pair, 0..8)
        .prop_map(|pairs| pairs.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}

proptest! {
    #[test]
    fn every_reduced_value_is_smaller_and_not_below_its_floor(before in arguments()) {
        let floor = |name: &str| match name {
            "batch_size" | "page_size" => Some(10),
            "top_n" => Some(5),
            "top_n_per_group" => Some(2),
            "samples_per_bucket" => Some(1),
            _ => None,
        };
        let mut after = before.clone();
        let changed = reduce(&mut after);
        prop_assert_eq!(before.len(), after.len());
        for (name, old) in &before {
            let new = &after[name];
            match (floor(name), old.as_u64()) {
                (Some(floor), Some(old)) => {
                    let new = new.as_u64().unwrap();
                    prop_assert!(new <= old && new >= old.min(floor), "{name}: {old} became {new}");
                    prop_assert!(old == new || new >= old / 2, "{name}: {old} became {new}");
                    prop_assert_eq!(changed.get(name).copied(), (old != new).then_some([old, new]));
                }
                _ if name == "max_batches" => {}
                _ => prop_assert_eq!(old, new, "{} is no size", name),
            }
        }
        let covered = |arguments: &serde_json::Map<String, Value>| {
            Some(arguments.get("batch_size")?.as_u64()? * arguments.get("max_batches")?.as_u64()?)
        };
        prop_assert!(covered(&after) >= covered(&before), "{:?} covers less than {:?}", after, before);
        if before.get("samples_per_bucket") == Some(&json!(0)) {
            prop_assert_eq!(&after["samples_per_bucket"], &json!(0));
        }
        let mut last = after.clone();
        (0..20).for_each(|_| drop(reduce(&mut last)));
        prop_assert!(reduce(&mut last).is_empty(), "it comes to an end");
    }
}
