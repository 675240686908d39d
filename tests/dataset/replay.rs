//! Recorded runs, gone through again from their bundles: the same bytes without a model and without a tool, whatever went
//! wrong on the way, and a typed error where a replay takes another way.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures::StreamExt;
use research_agents::Error;
use research_agents::dataset::record::ReportFormat;
use research_agents::dataset::{
    CancellationToken, Completion, DatasetAgent, DatasetConfig, DatasetCx, DatasetReport, DatasetRun, RetryPolicy,
    ScannerInput, ScannerOutput, replay,
};
use research_agents::kernel::tape::Exchange;
use research_agents::kernel::{BudgetLimits, Bundle};
use research_agents::offline::OfflineModel;
use research_agents::subagent::{Card, SubAgent};
use research_core::checkpoint::MemoryCheckpointer;
use research_llm::testing::{Reply, ScriptedModel};
use research_llm::{ModelError, Usage};
use research_mcp::{BoxFuture, CallOutput, McpError, Object, ToolListing, ToolSource};
use serde_json::json;
use tokio::time::Instant;

use crate::fake::FakeTool;
use crate::flaky::{Fault, Flaky, PASSING};
use crate::packing::{Prose, Small};
use crate::retry::quick;
use crate::script::{DECOMPOSE, EXTRACT, PLAN, SYNTHESIZE, draft, extraction, finding, helpful, plan};

const QUESTION: &str = "numbers by parity";

/// What is known of a report beside its text, without the time that it took.
fn told(report: &DatasetReport) -> String {
    let mut stats = serde_json::to_value(&report.stats).unwrap();
    stats["elapsed_ms"] = 0.into();
    let parts = (stats, &report.notes, &report.limitations, &report.findings, report.completion);
    serde_json::to_string(&parts).unwrap()
}

/// The bundle as it is written and read again.
pub fn bundle_of(report: &DatasetReport) -> Bundle {
    let text = report.bundle().expect("a recorded run has a bundle").to_json().unwrap();
    let bundle = Bundle::from_json(&text).unwrap();
    assert_eq!(bundle.to_json().unwrap(), text, "a bundle is the same bytes when it is written again");
    bundle
}

/// The recorded run must replay, several times, to the same.
async fn replays(report: DatasetReport) -> (DatasetReport, Bundle) {
    let bundle = bundle_of(&report);
    assert_eq!(bundle.markdown, report.markdown);
    for _ in 0..3 {
        let again = replay(&bundle).unwrap().await.unwrap_or_else(|error| panic!("{error}\n{}", report.markdown));
        assert_eq!(again.markdown, report.markdown);
        assert_eq!(told(&again), told(&report));
        assert_eq!(again.document, report.document);
        assert!(again.bundle().is_none());
    }
    (report, bundle)
}

async fn recorded(run: DatasetRun) -> (DatasetReport, Bundle) {
    replays(run.record().await.unwrap()).await
}

fn scanning(batch: usize) -> ScriptedModel {
    helpful()
        .on_task(PLAN, plan(&[("decomposer", json!({}))], &[json!({"group_by": "parity"})]))
        .on_task(PLAN, plan(&[("scanner", json!({"batch_size": batch}))], &[]))
        .always(PLAN, plan(&[("scanner", json!({})), ("validator", json!({}))], &[]))
}

fn agent(model: ScriptedModel, tool: FakeTool, config: DatasetConfig) -> DatasetAgent {
    DatasetAgent::builder(model, tool).config(config).build().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_of_the_program_that_computes_replays_to_the_same_bytes() {
    for (total, format) in [
        (0, ReportFormat::default()),
        (7, ReportFormat::BulletPoints),
        (165, ReportFormat::ExecutiveSummary),
        (300, ReportFormat::ComprehensiveReport),
        (1_000, ReportFormat::ComprehensiveReport),
    ] {
        let agent = DatasetAgent::builder(OfflineModel::new(), FakeTool::new("analyze_events", total)).build().unwrap();
        let Ok(report) = agent.run(QUESTION).format(format).record().await else { continue };
        let (_, bundle) = replays(report).await;
        assert!(bundle.effects.iter().any(|effect| effect.what == "tool analyze_events"), "{total}");
        assert_eq!(bundle.evidence.sources.len(), total.min(300));
        assert!(bundle.journal.iter().any(|event| event["event"] == "plan"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn faults_of_a_tool_replay() {
    for (at, fault) in PASSING.iter().copied().chain([Fault::Refusal]).enumerate() {
        let tool = Flaky::new(165, move |call| (call % 3 == at % 3).then_some(fault));
        let agent = DatasetAgent::builder(scanning(40), Arc::new(tool)).config(quick()).build().unwrap();
        if let Ok(report) = agent.run(QUESTION).record().await {
            let (_, bundle) = replays(report).await;
            assert!(bundle.effects.iter().any(|effect| effect.what.starts_with("pause ")) || fault == Fault::Refusal);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_that_stays_down_replays_as_it_was() {
    let tool = Flaky::new(165, |call| (call > 1).then_some(Fault::ServerError));
    let agent = DatasetAgent::builder(scanning(40), Arc::new(tool)).config(quick()).build().unwrap();
    let (report, _) = recorded(agent.run(QUESTION)).await;
    assert!(report.is_partial());
}

#[tokio::test(flavor = "multi_thread")]
async fn faults_of_a_model_replay() {
    let too_long = || ModelError::token_limit("prompt is too long", Some(8_000), Some(9_000));
    let models = [
        scanning(30).on_task(EXTRACT, ModelError::rate_limit("slow", Some(Duration::from_millis(3)))),
        scanning(30).on_task(EXTRACT, ModelError::server(Some(500), "broke", None)).on_task(EXTRACT, extraction(&[])),
        scanning(30).on_task(EXTRACT, ModelError::timeout(Duration::from_secs(30))),
        scanning(30).on_task(EXTRACT, too_long()).on_task(SYNTHESIZE, too_long()).on_task(SYNTHESIZE, too_long()),
        scanning(30).on_task(EXTRACT, "no JSON").on_task(EXTRACT, "{\"findings\": 7}").on_task(DECOMPOSE, "[]"),
        scanning(30).always(EXTRACT, "never JSON"),
        scanning(30).always(SYNTHESIZE, ModelError::authentication("no")),
        scanning(30).always(SYNTHESIZE, "no JSON").always(DECOMPOSE, ModelError::withheld(None, Usage::new(3, 4))),
    ];
    for model in models {
        let (_, bundle) = recorded(agent(model, FakeTool::new("analyze_events", 100), quick()).run(QUESTION)).await;
        assert!(bundle.effects.iter().any(|effect| effect.exchanges.len() > 1 || effect.what == SYNTHESIZE));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_whose_limit_is_learned_on_the_way_replays() {
    for holds in [3_000, 6_000] {
        for model in [Small::new(holds), Small::new(holds).silent(), Small::new(holds).known()] {
            let plans =
                [plan(&[], &[json!({"group_by": "parity"})]), plan(&[("scanner", json!({"batch_size": 75}))], &[])];
            let agent = DatasetAgent::builder(model.plans(plans), Prose::even(120, 60));
            let agent = agent.config(quick()).build().unwrap();
            if let Ok(report) = agent.run(QUESTION).record().await {
                replays(report).await;
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_its_budget_ends_replays() {
    for calls in [6, 10, 13, 20] {
        let budget = BudgetLimits::default().calls(calls);
        let config = DatasetConfig { budget, ..DatasetConfig::default() };
        let (report, _) =
            recorded(agent(scanning(10), FakeTool::new("analyze_events", 300), config).run(QUESTION)).await;
        assert_eq!(report.completion, Some(Completion::Budget));
    }
    let reply = Reply::json(extraction(&[])).usage(Usage::new(2_000, 100));
    let config = DatasetConfig { budget: BudgetLimits::default().tokens(30_000), ..DatasetConfig::default() };
    let model = scanning(10).always(EXTRACT, reply);
    let (report, _) = recorded(agent(model, FakeTool::new("analyze_events", 300), config).run(QUESTION)).await;
    assert_eq!(report.completion, Some(Completion::Budget));
}

/// Time passes when there is nothing else to do: what the run waited for, a replay does not wait for.
#[tokio::test(start_paused = true)]
async fn a_run_that_its_limit_on_time_ends_replays_at_once() {
    let tool = FakeTool::new("analyze_events", 300)
        .delay(|call| if call < 2 { Duration::ZERO } else { Duration::from_secs(3_600) });
    let config =
        DatasetConfig { budget: BudgetLimits::default().time(Duration::from_secs(2)), ..DatasetConfig::default() };
    let (begin, limit) = (Instant::now(), config.budget.time);
    let report = agent(scanning(100), tool, config).run(QUESTION).record().await.unwrap();
    let end = Instant::now();
    assert!(end - begin <= limit, "{:?}", end - begin);
    let (report, _) = replays(report).await;
    assert_eq!(end.elapsed(), Duration::ZERO);
    assert_eq!(report.completion, Some(Completion::Budget));
    // A pause that would be over too late is not begun.
    let retry = RetryPolicy::default().first_wait(Duration::from_secs(50));
    let tool = Flaky::new(165, |call| (call > 1).then_some(Fault::ServerError));
    let config = DatasetConfig { budget: BudgetLimits::default().time(Duration::from_secs(30)), retry, ..quick() };
    let agent = DatasetAgent::builder(scanning(40), Arc::new(tool)).config(config).build().unwrap();
    recorded(agent.run(QUESTION)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_was_stopped_replays_from_every_place() {
    for stop_at in 1..9 {
        let token = CancellationToken::new();
        let tool = FakeTool::new("analyze_events", 300).delay(|_| Duration::from_millis(5));
        let agent = agent(scanning(50), tool, DatasetConfig::default());
        let mut events = agent.run(QUESTION).cancel(token.clone()).record().stream();
        let mut seen = 0;
        while let Some(event) = events.next().await {
            let name = serde_json::to_value(&event).unwrap()["event"].as_str().unwrap().to_owned();
            seen += usize::from(["tool_call", "tool_result", "agent_started"].contains(&name.as_str()));
            if seen == stop_at {
                token.cancel();
            }
        }
        let Ok(report) = events.outcome().await else { continue };
        let (report, bundle) = replays(report).await;
        if report.completion == Some(Completion::Cancelled) {
            let stopped = |exchange: &Exchange| matches!(exchange, Exchange::Stopped { limit: None, .. });
            assert!(bundle.effects.iter().any(|effect| effect.exchanges.iter().any(stopped)), "{stop_at}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_is_cut_off_and_gone_on_with_replays() {
    let mut resumed = 0;
    for cut in 1..14 {
        let store = MemoryCheckpointer::new();
        let begin = |tool: Arc<Flaky>, limit: usize| {
            let (count, model) = (Arc::new(AtomicUsize::new(0)), scanning(40));
            let agent = DatasetAgent::builder(model, tool).config(quick()).checkpointer(store.clone()).build().unwrap();
            let mut events = agent.run(QUESTION).record().thread("t").stream();
            async move {
                while let Some(_event) = events.next().await {
                    if count.fetch_add(1, Ordering::Relaxed) == limit {
                        return None;
                    }
                }
                Some(events.outcome().await)
            }
        };
        let flaky = || Arc::new(Flaky::new(165, |call| (call % 2 == 1).then_some(Fault::ServerError)));
        let Some(report) = begin(flaky(), cut * 4).await else {
            let report = begin(flaky(), usize::MAX).await.unwrap().unwrap();
            resumed += 1;
            replays(report).await;
            continue;
        };
        replays(report.unwrap()).await;
    }
    assert!(resumed > 5, "{resumed}");
}

#[tokio::test]
async fn a_finished_thread_gives_its_bundle_again() {
    let store = MemoryCheckpointer::new();
    let agent = || {
        let agent = DatasetAgent::builder(OfflineModel::new(), FakeTool::new("analyze_events", 20));
        agent.checkpointer(store.clone()).build().unwrap()
    };
    let first = agent().run(QUESTION).thread("t").record().await.unwrap();
    let again = agent().run(QUESTION).thread("t").record().await.unwrap();
    assert_eq!(bundle_of(&first), bundle_of(&again));
    replays(again).await;
}

#[tokio::test]
async fn a_thread_that_was_begun_without_a_recording_is_not_exported() {
    let store = MemoryCheckpointer::new();
    let agent = DatasetAgent::builder(OfflineModel::new(), FakeTool::new("analyze_events", 20));
    let agent = agent.checkpointer(store.clone()).build().unwrap();
    let report = agent.run(QUESTION).thread("t").await.unwrap();
    assert!(report.bundle().is_none());
    let error = agent.run(QUESTION).thread("t").record().await.unwrap_err();
    assert!(matches!(&error, Error::NotRecorded { thread } if thread == "t"), "{error}");
}

#[tokio::test]
async fn a_recording_changes_nothing_of_a_run() {
    let run = || agent(scanning(30), FakeTool::new("analyze_events", 100), quick()).run(QUESTION);
    assert_eq!(told(&run().await.unwrap()), told(&run().record().await.unwrap()));
}

#[tokio::test]
async fn a_replay_that_takes_another_way_says_where() {
    let report =
        agent(scanning(30), FakeTool::new("analyze_events", 100), quick()).run(QUESTION).record().await.unwrap();
    let whole = bundle_of(&report);
    // A call of a tool is missing.
    let mut bundle = whole.clone();
    let at = bundle.effects.iter().position(|effect| effect.what == "tool analyze_events").unwrap();
    bundle.effects.remove(at);
    let error = replay(&bundle).unwrap().await.unwrap_err();
    assert!(matches!(&error, Error::Diverged { what } if what.contains("`tool analyze_events`")), "{error}");
    // An answer is missing.
    let mut bundle = whole.clone();
    bundle.effects[at].exchanges.clear();
    let error = replay(&bundle).unwrap().await.unwrap_err();
    assert!(matches!(&error, Error::Diverged { .. }), "{error}");
    // Another question was asked.
    let mut bundle = whole.clone();
    bundle.input["question"] = "something else".into();
    let error = replay(&bundle).unwrap().await.unwrap_err();
    assert!(matches!(&error, Error::Diverged { .. }), "{error}");
    // Another report stands there.
    let mut bundle = whole.clone();
    bundle.markdown = bundle.markdown.replacen("even", "odd", 1);
    let error = replay(&bundle).unwrap().await.unwrap_err();
    assert!(matches!(&error, Error::Diverged { what } if what.contains("line ")), "{error}");
    // It is a run of another system, or of a program with other settings.
    let mut bundle = whole.clone();
    bundle.system = "deep".to_owned();
    assert!(matches!(replay(&bundle).unwrap_err(), Error::NotReplayable { .. }));
    let mut bundle = whole;
    bundle.settings["config"]["batch_size"] = "many".into();
    let error = replay(&bundle).unwrap_err().to_string();
    assert!(error.contains("config.batch_size"), "{error}");
}

#[tokio::test]
async fn a_bundle_holds_no_clock_no_id_of_a_run_and_no_secret() {
    let key = "sk-proj-abcdefghijklmnop1234";
    let model = scanning(30).on_task(EXTRACT, ModelError::server(Some(500), format!("key {key} broke"), None));
    let report = agent(model, FakeTool::new("analyze_events", 60), quick()).run(QUESTION).record().await.unwrap();
    let text = bundle_of(&report).to_json().unwrap();
    assert!(!text.contains(key) && text.contains("[redacted]"));
    assert!(!text.contains(&report.run_id));
    for word in ["\"elapsed_ms\":", "\"ts\":", "\"wait_ms\":", "\"run_id\":"] {
        assert!(!text.contains(word), "{word}");
    }
}

/// A tool whose server dies in the middle of a call with words on standard error, then reports an error with a path in it, and
/// then works; a second server cannot be listed.
struct Leaky(FakeTool, AtomicUsize);

const LEAKS: [&str; 4] = ["/home/ada", "server.py", "sk-proj-", "/srv/events"];
const STDERR: &str = "Traceback: /home/ada/server.py, TOKEN=sk-proj-abcdefghijklmnop1234";

impl ToolSource for Leaky {
    fn list_tools(&self) -> BoxFuture<'_, Result<ToolListing, McpError>> {
        Box::pin(async {
            let mut listing = self.0.list_tools().await?;
            let failed =
                json!({"server": "second", "reason": format!("it died (its standard error ends with: {STDERR})")});
            listing.failed.push(serde_json::from_value(failed).unwrap());
            Ok(listing)
        })
    }

    fn call_tool<'a>(&'a self, name: &'a str, arguments: Object) -> BoxFuture<'a, Result<CallOutput, McpError>> {
        let (server, tool) = ("fake".to_owned(), Some(name.to_owned()));
        match self.1.fetch_add(1, Ordering::SeqCst) {
            1 => {
                let reason = "the server ended with exit status: 1".to_owned();
                Box::pin(async move { Err(McpError::Closed { server, tool, reason, stderr: STDERR.to_owned() }) })
            }
            2 => {
                let words = "HTTP 503 while reading /srv/events with sk-proj-abcdefghijklmnop1234";
                Box::pin(async move { Ok(CallOutput::error(server, name, words)) })
            }
            _ => self.0.call_tool(name, arguments),
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bundle_holds_nothing_of_the_machine_that_a_server_tells_of() {
    let run = || {
        let tool = Leaky(FakeTool::new("analyze_events", 100), AtomicUsize::new(0));
        DatasetAgent::builder(scanning(30), tool).config(quick()).build().unwrap().run(QUESTION)
    };
    let (report, bundle) = recorded(run()).await;
    assert_eq!(report.coverage.fraction, Some(1.0), "what failed was tried again");
    let text = bundle.to_json().unwrap();
    assert!(text.contains("exit status: 1") && text.contains("HTTP 503 while reading [path] with [redacted]"));
    for leak in LEAKS {
        assert!(!text.contains(leak), "{leak}");
    }
    let report = run().await.unwrap();
    assert!(report.notes.iter().any(|note| note.contains("server.py")), "who ran it is told all: {:?}", report.notes);
    assert!(LEAKS.iter().all(|leak| !report.markdown.contains(leak)), "{}", report.markdown);
    assert!(report.limitations.contains(&"Server second cannot be used.".to_owned()), "{:?}", report.limitations);
}

#[tokio::test(flavor = "multi_thread")]
async fn any_recorded_run_replays() {
    let mut seed = 7_u64;
    let mut next = |most: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % most
    };
    let mut done = 0;
    for _ in 0..6 {
        let (total, batch, every) = (next(200) as usize, 10 + next(120) as usize, 2 + next(6) as usize);
        let fault = PASSING[next(PASSING.len() as u64) as usize];
        let budget = BudgetLimits::default().calls(8 + next(60));
        let config = DatasetConfig {
            budget,
            batch_size: batch,
            parallel_extractions: 1 + next(4) as usize,
            extraction_tokens: 500 + next(4_000) as usize,
            exhaustive: next(2) == 0,
            ..quick()
        };
        let claims = [finding("Some numbers are even", &["0", "2"]), finding("One is odd", &["1"])];
        let model = scanning(batch).always(EXTRACT, extraction(&claims)).always(SYNTHESIZE, draft());
        let tool = Flaky::new(total, move |call| (call % every == every - 1).then_some(fault));
        let agent = DatasetAgent::builder(model, Arc::new(tool)).config(config).build().unwrap();
        if let Ok(report) = agent.run(QUESTION).max_iterations(1 + next(5) as u32).record().await {
            replays(report).await;
            done += 1;
        }
    }
    assert!(done > 2, "{done}");
}

/// A scanner of the host: it reads one page by itself.
struct HostScanner;

impl SubAgent<DatasetCx> for HostScanner {
    type Input = ScannerInput;
    type Output = ScannerOutput;

    fn card(&self) -> Card {
        Card::new("scanner", "Reads one page.").fetches_data()
    }

    async fn run(&self, cx: &DatasetCx, input: ScannerInput) -> Result<ScannerOutput, Error> {
        let arguments = json!({"page_size": input.batch_size}).as_object().unwrap().clone();
        let page = cx.call_tool("analyze_events", arguments).await?;
        let note = format!("the host saw {} records", page["documents"].as_array().unwrap().len());
        Ok(ScannerOutput { notes: vec![note.into()], ..ScannerOutput::default() })
    }
}

#[tokio::test]
async fn agents_of_the_host_are_part_of_a_replay() {
    let builder = DatasetAgent::builder(scanning(30), FakeTool::new("analyze_events", 100)).agent(HostScanner);
    let report = builder.config(quick()).build().unwrap().run(QUESTION).record().await.unwrap();
    assert!(report.notes.iter().any(|note| note == "the host saw 30 records"), "{:?}", report.notes);
    let bundle = bundle_of(&report);
    let again = replay(&bundle).unwrap().agent(HostScanner).await.unwrap();
    assert_eq!((again.markdown.as_str(), told(&again)), (report.markdown.as_str(), told(&report)));
    let error = replay(&bundle).unwrap().await.unwrap_err();
    assert!(matches!(&error, Error::Diverged { .. }), "{error}");
}
