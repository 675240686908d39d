//! Two tools side by side whose records overlap: what is one source, what are two, and what is said of each tool.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::StreamExt;
use research_agents::dataset::{DatasetAgent, DatasetConfig, DatasetReport, EventKind, RunEvent, verify};
use research_agents::kernel::resolve_citations;
use research_core::checkpoint::MemoryCheckpointer;
use research_mcp::{BoxFuture, CallOutput, Hub, Limits, McpError, Object, StdioServer, Tool, ToolListing, ToolSource};
use serde_json::{Value, json};

use crate::replay::bundle_of;
use crate::retry::quick;
use crate::script::{PLAN, helpful, plan};

/// Papers with these numbers; `host` is where their addresses lead to.
fn papers(numbers: std::ops::RangeInclusive<usize>, host: &str) -> String {
    let field = |number: usize| ["physics", "biology"][number % 2];
    let rows = numbers.map(|number| format!("P{number},Paper {number},https://{host}/{number},{}\n", field(number)));
    format!("id,title,url,field\n{}", rows.collect::<String>())
}

/// Runs a plan over papers 1 to 40 in a library and 21 to 60 in an archive, each a process of its own.
async fn run(archive_host: &str, first: Value) -> DatasetReport {
    run_up_to(300, archive_host, &[first]).await
}

/// The same with these plans and this limit on records.
async fn run_up_to(max_docs: usize, archive_host: &str, plans: &[Value]) -> DatasetReport {
    let folder = tempfile::tempdir().unwrap();
    let served = |tool: &str, text: String| {
        let file = folder.path().join(format!("{tool}.csv"));
        std::fs::write(&file, text).unwrap();
        StdioServer::new(env!("CARGO_BIN_EXE_dataset_server")).args(["--tool-name", tool, file.to_str().unwrap()])
    };
    // Both are there, or the test is about something else.
    let hub = Hub::builder()
        .limits(Limits::default().settle(Duration::from_secs(60)).connect(Duration::from_secs(60)))
        .stdio("one", served("library", papers(1..=40, "papers.example")))
        .stdio("two", served("archive", papers(21..=60, archive_host)));
    let hub = Arc::new(hub.connect().await.unwrap());
    let model = plans.iter().fold(helpful(), |model, plan| model.on_task(PLAN, plan.clone()));
    let model = model.always(PLAN, plan(&[("synthesizer", json!({}))], &[]));
    let config = DatasetConfig { max_docs, ..DatasetConfig::default() };
    let agent = DatasetAgent::builder(model, Arc::clone(&hub)).config(config).build().unwrap();
    let report = agent.run("papers by field").await.unwrap();
    hub.close().await;
    assert!(resolve_citations(&report.markdown).is_ok(), "{}", report.markdown);
    report
}

fn scan() -> Value {
    plan(&[("scanner", json!({"tool_names": ["library", "archive"]}))], &[])
}

#[tokio::test]
async fn a_record_is_one_source_where_both_tools_agree_on_its_id_and_address() {
    let report = run("papers.example", scan()).await;
    assert_eq!(report.sources.len(), 60);
    let shared = report.sources.of_record("archive", "P30").unwrap();
    assert_eq!(shared.id, "P30");
    assert!(shared.tools().eq(["library", "archive"]));
    assert_eq!((report.coverage.fetched, report.coverage.total), (80, Some(80)), "each tool counts its own");
    assert_eq!(report.stats.docs_processed, 60, "a record that both have was read once");
}

#[tokio::test]
async fn the_same_id_at_another_address_is_another_source() {
    let report = run("archive.example", scan()).await;
    assert_eq!(report.sources.len(), 80);
    assert_eq!(report.sources.of_record("archive", "P30").unwrap().id, "archive:P30");
}

#[tokio::test]
async fn coverage_is_said_for_each_tool() {
    let first =
        plan(&[("scanner", json!({"tool_names": ["library", "archive"], "batch_size": 30, "max_batches": 1}))], &[]);
    let report = run("archive.example", first).await;
    for tool in ["library", "archive"] {
        let said = format!("30 of 40 records read (75.0 %), in the tool's order ({tool})");
        assert!(report.markdown.contains(&said), "{}", report.markdown);
    }
}

#[tokio::test]
async fn groups_of_both_tools_keep_the_name_of_their_tool() {
    let aggregator = json!({"tool_names": ["library", "archive"], "group_by": "field"});
    let report = run("papers.example", plan(&[("aggregator", aggregator)], &[])).await;
    let tables: Vec<(&str, u64, Vec<u64>)> = report
        .aggregations
        .iter()
        .map(|table| {
            (table.source_tool.as_str(), table.total_docs, table.buckets.iter().map(|b| b.doc_count).collect())
        })
        .collect();
    assert_eq!(tables, [("library", 40, vec![20, 20]), ("archive", 40, vec![20, 20])]);
}

#[tokio::test]
async fn a_record_that_another_tool_brought_needs_no_room_of_its_own() {
    let mut calls = plan(&[], &[json!({"page_size": 40}), json!({"page_size": 20})]);
    calls["tool_calls"][0]["tool"] = json!("library");
    calls["tool_calls"][1]["tool"] = json!("archive");
    let report = run_up_to(40, "papers.example", &[calls]).await;
    assert_eq!(report.sources.len(), 40);
    assert!(report.sources.of_record("archive", "P30").unwrap().tools().eq(["library", "archive"]));
    for said in ["40 of 40 records read (library)", "20 of 40 records read (50.0 %)"] {
        assert!(report.markdown.contains(said), "{}", report.markdown);
    }
}

/// Two tools in this process, which answer by their name, the number of the call, and its arguments.
struct Pair<F> {
    answer: F,
    calls: Mutex<BTreeMap<String, usize>>,
}

impl<F: Fn(&str, usize, &Object) -> CallOutput + Send + Sync> ToolSource for Pair<F> {
    fn list_tools(&self) -> BoxFuture<'_, Result<ToolListing, McpError>> {
        let schema = json!({"type": "object", "properties": {
            "filters": {"type": "string"}, "page_size": {"type": "integer"}, "search_after": {"type": "array"},
            "group_by": {"type": "string"}, "samples_per_bucket": {"type": "integer"}
        }});
        let tool = |name| Tool::new("shelf", name, schema.as_object().unwrap().clone());
        let tools = ["library", "archive"].map(tool).to_vec();
        Box::pin(async move { Ok(ToolListing::new(tools)) })
    }

    fn call_tool<'a>(&'a self, name: &'a str, arguments: Object) -> BoxFuture<'a, Result<CallOutput, McpError>> {
        let call = {
            let mut calls = self.calls.lock().unwrap();
            let calls = calls.entry(name.to_owned()).or_default();
            *calls += 1;
            *calls - 1
        };
        let answer = (self.answer)(name, call, &arguments);
        Box::pin(async move { Ok(answer) })
    }
}

/// A page of a tool over so many papers of its own, which says how many match if it is to.
fn page(tool: &str, total: usize, is_told: bool, size: usize, arguments: &Object) -> CallOutput {
    let from = arguments.get("search_after").and_then(|cursor| cursor[0].as_u64()).unwrap_or(0) as usize;
    let to = (from + size).min(total);
    let papers: Vec<Value> = (from..to).map(|at| json!({"id": format!("{tool}-{at}"), "at": at})).collect();
    let mut result = json!({"documents": papers, "has_more": to < total, "search_after": [to]});
    if is_told {
        result["data_context"] = json!({"unique_ids_matched": total});
    }
    CallOutput::structured("shelf", tool, result)
}

fn asked(arguments: &Object) -> usize {
    arguments.get("page_size").and_then(Value::as_u64).map_or(20, |size| usize::try_from(size).unwrap())
}

/// Scans both in this order. What is said of it must hold against the recorded answers.
async fn both(
    order: [&str; 2],
    answer: impl Fn(&str, usize, &Object) -> CallOutput + Send + Sync + 'static,
) -> DatasetReport {
    let tools = Pair { answer, calls: Mutex::default() };
    let scan = plan(&[("scanner", json!({"tool_names": order}))], &[]);
    let model = helpful().on_task(PLAN, scan).always(PLAN, plan(&[("synthesizer", json!({}))], &[]));
    let agent = DatasetAgent::builder(model, tools).config(quick()).build().unwrap();
    let report = agent.run("papers").record().await.unwrap();
    let verification = verify(&bundle_of(&report));
    let failures: Vec<_> = verification.failures().collect();
    assert!(verification.holds(), "{failures:?}\n{}", report.markdown);
    report
}

const ORDERS: [[&str; 2]; 2] = [["library", "archive"], ["archive", "library"]];

/// A failure stops the tool that fails, and no other.
#[tokio::test]
async fn a_tool_that_fails_stops_itself_alone() {
    for order in ORDERS {
        for pages in [0, 1] {
            let report = both(order, move |tool, call, arguments| match tool {
                "archive" if call >= pages => CallOutput::error("shelf", tool, "no such field `x`"),
                "archive" => page(tool, 150, true, asked(arguments), arguments),
                _ => page(tool, 120, true, asked(arguments), arguments),
            })
            .await;
            let of = |tool: &str| report.sources.iter().filter(|source| source.tool == tool).count();
            assert_eq!((of("library"), of("archive")), (120, pages * 75), "{order:?}");
            let total = (pages > 0).then_some(270);
            assert_eq!((report.coverage.fetched, report.coverage.total), (120 + pages as u64 * 75, total), "{order:?}");
            assert!(report.is_partial() && report.coverage.stopped_early.is_some(), "{:?}", report.coverage);
            let archive = match pages {
                0 => "no record was read (archive)",
                _ => "75 of 150 records read (50.0 %), in the tool's order (archive)",
            };
            for said in ["120 of 120 records read (library)", archive, "Reading ended early"] {
                assert!(report.markdown.contains(said), "{order:?}: {}", report.markdown);
            }
        }
    }
}

#[tokio::test]
async fn what_a_tool_says_counts_though_another_fails_and_no_record_came() {
    for order in ORDERS {
        let report = both(order, |tool, _, arguments| match tool {
            "archive" => CallOutput::error("shelf", tool, "no such field `x`"),
            _ => page(tool, 0, true, 20, arguments),
        })
        .await;
        assert_eq!((report.coverage.fetched, report.coverage.total), (0, None), "{order:?}");
        for said in ["0 of 0 records read (library)", "no record was read (archive)"] {
            assert!(report.markdown.contains(said), "{order:?}: {}", report.markdown);
        }
    }
}

#[tokio::test]
async fn records_beyond_the_limit_are_not_forgotten_by_a_tool_that_tells_no_total() {
    let report = both(["library", "archive"], |tool, _, arguments| match tool {
        "archive" => page(tool, 150, false, 150, arguments),
        _ => page(tool, 200, true, asked(arguments), arguments),
    })
    .await;
    assert_eq!((report.coverage.fetched, report.coverage.total, report.coverage.capped), (300, None, true));
    let said = "100 records read, in the tool's order; how many match is not known, scan limit 300 (archive)";
    assert!(report.markdown.contains(said), "{}", report.markdown);
    assert!(report.is_partial());
}

/// An id that a question before gave to another tool's record is announced as it stands in the report, once.
#[tokio::test]
async fn samples_of_a_follow_up_are_announced_under_their_own_ids() {
    let answer = |tool: &str, _: usize, _: &Object| {
        let records = json!([{"id": 7, "kind": "a"}, {"id": 8, "kind": "a"}]);
        let mut result = json!({"data_context": {"unique_ids_matched": 2}, "documents": records, "has_more": false});
        if tool == "archive" {
            let buckets = json!([{"key": "a", "doc_count": 2, "samples": result["documents"].take()}]);
            result["aggregations"] = json!({"group_by": {"field": "kind", "buckets": buckets}});
        }
        CallOutput::structured("shelf", tool, result)
    };
    let scan = |arguments: Value| plan(&[("scanner", arguments)], &[]);
    let model = helpful()
        .on_task(PLAN, scan(json!({"tool_name": "library"})))
        .on_task(PLAN, scan(json!({"tool_name": "archive", "tool_args": {"group_by": "kind"}})))
        .always(PLAN, plan(&[("synthesizer", json!({}))], &[]));
    let tools = Pair { answer, calls: Mutex::default() };
    let agent = DatasetAgent::builder(model, tools).checkpointer(MemoryCheckpointer::new()).build().unwrap();
    agent.run("papers of the library").tools(["library"]).thread("t").await.unwrap();
    let mut stream = agent.run("papers of the archive").tools(["archive"]).thread("t").stream();
    let mut announced = Vec::new();
    while let Some(event) = stream.next().await {
        if let EventKind::Run(RunEvent::Sources { sources }) = event.kind {
            announced.extend(sources.into_iter().map(|source| source.id));
        }
    }
    let report = stream.outcome().await.unwrap();
    assert_eq!(report.turn, 2);
    assert_eq!(announced, ["archive:7", "archive:8"]);
    assert!(report.sources.iter().map(|source| &source.id).eq(&announced));
}
