//! Records of direct calls wait to be read, the newest three hundred of them.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use research_agents::dataset::{DatasetAgent, DatasetReport};
use research_mcp::{BoxFuture, CallOutput, McpError, Object, Tool, ToolListing, ToolSource};
use serde_json::{Value, json};

use crate::script::{PLAN, helpful, plan};

/// Gives a hundred records of a shelf in one call, and no more of them.
struct Shelves {
    /// Records that it says match.
    total: u64,
    /// The shelves that were asked for.
    asked: Mutex<BTreeSet<u64>>,
}

impl ToolSource for Shelves {
    fn list_tools(&self) -> BoxFuture<'_, Result<ToolListing, McpError>> {
        let schema = json!({"type": "object", "properties": {"filters": {"type": "string"}}});
        let tool = Tool::new("shelves", "analyze_events", schema.as_object().unwrap().clone());
        Box::pin(async move { Ok(ToolListing::new(vec![tool])) })
    }

    fn call_tool<'a>(&'a self, name: &'a str, arguments: Object) -> BoxFuture<'a, Result<CallOutput, McpError>> {
        let filters: Value = serde_json::from_str(arguments["filters"].as_str().unwrap()).unwrap();
        let shelf = filters["shelf"].as_u64().unwrap();
        self.asked.lock().unwrap().insert(shelf);
        let books: Vec<Value> = (0..100).map(|book| json!({"id": format!("{shelf}-{book}"), "shelf": shelf})).collect();
        let result = json!({"data_context": {"unique_ids_matched": self.total}, "documents": books, "has_more": false});
        Box::pin(async move { Ok(CallOutput::structured("shelves", name, result)) })
    }
}

fn shelf(number: u32) -> Value {
    json!({"filters": json!({"shelf": number}).to_string()})
}

async fn run(total: u64, plans: &[Value]) -> (DatasetReport, BTreeSet<u64>) {
    let tool = Arc::new(Shelves { total, asked: Mutex::default() });
    let model = plans.iter().fold(helpful(), |model, plan| model.on_task(PLAN, plan.clone()));
    let model = model.always(PLAN, plan(&[("synthesizer", json!({}))], &[]));
    let report = DatasetAgent::builder(model, Arc::clone(&tool)).build().unwrap().run("books by shelf").await.unwrap();
    let asked = tool.asked.lock().unwrap().clone();
    (report, asked)
}

fn shelves(report: &DatasetReport) -> BTreeSet<&str> {
    report.sources.iter().map(|source| source.record.split_once('-').unwrap().0).collect()
}

#[tokio::test]
async fn of_more_records_than_are_kept_the_newest_wait_to_be_read() {
    let calls = plan(&[("extractor", json!({}))], &[shelf(1), shelf(2), shelf(3), shelf(4)]);
    let (report, _) = run(100, &[calls]).await;
    assert_eq!(report.sources.len(), 300);
    assert_eq!(shelves(&report), BTreeSet::from(["2", "3", "4"]));
    let limitations = report.limitations.join("\n");
    assert!(
        limitations.contains("100 records that came first and were not read gave way to newer ones"),
        "{limitations}"
    );
    assert!(report.markdown.contains("0 of 100 records read"), "{}", report.markdown);
}

#[tokio::test]
async fn records_that_were_read_never_give_way() {
    let first = plan(&[("extractor", json!({}))], &[shelf(1), shelf(2), shelf(3)]);
    let scan = json!({"tool_args": shelf(1)});
    let (report, asked) = run(150, &[first, plan(&[("scanner", scan)], &[shelf(4)])]).await;
    assert_eq!(asked, BTreeSet::from([1, 2, 3, 4]));
    assert_eq!(shelves(&report), BTreeSet::from(["1", "2", "3"]));
    assert_eq!(report.sources.len(), 300);
}
