//! Two tools side by side whose records overlap: what is one source, what are two, and what is said of each tool.

use std::sync::Arc;

use research_agents::dataset::{DatasetAgent, DatasetReport};
use research_agents::kernel::resolve_citations;
use research_mcp::{Hub, StdioServer};
use serde_json::{Value, json};

use crate::script::{PLAN, helpful, plan};

/// Papers with these numbers; `host` is where their addresses lead to.
fn papers(numbers: std::ops::RangeInclusive<usize>, host: &str) -> String {
    let field = |number: usize| ["physics", "biology"][number % 2];
    let rows = numbers.map(|number| format!("P{number},Paper {number},https://{host}/{number},{}\n", field(number)));
    format!("id,title,url,field\n{}", rows.collect::<String>())
}

/// Runs a plan over papers 1 to 40 in a library and 21 to 60 in an archive, each a process of its own.
async fn run(archive_host: &str, first: Value) -> DatasetReport {
    let folder = tempfile::tempdir().unwrap();
    let served = |tool: &str, text: String| {
        let file = folder.path().join(format!("{tool}.csv"));
        std::fs::write(&file, text).unwrap();
        StdioServer::new(env!("CARGO_BIN_EXE_dataset_server")).args(["--tool-name", tool, file.to_str().unwrap()])
    };
    let hub = Hub::builder()
        .stdio("one", served("library", papers(1..=40, "papers.example")))
        .stdio("two", served("archive", papers(21..=60, archive_host)));
    let hub = Arc::new(hub.connect().await.unwrap());
    let model = helpful().on_task(PLAN, first).always(PLAN, plan(&[("synthesizer", json!({}))], &[]));
    let agent = DatasetAgent::builder(model, Arc::clone(&hub)).build().unwrap();
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
