//! Runs over data that is like no other: counts beyond 64 bits, records that nest as deep as a message may.

use research_agents::dataset::record::ReportFormat::ComprehensiveReport;
use research_agents::dataset::{self, DatasetAgent, replay};
use research_agents::kernel::Bundle;
use research_agents::offline::OfflineModel;
use research_mcp::{BoxFuture, CallOutput, McpError, Object, Tool, ToolListing, ToolSource};
use serde_json::{Value, json};

use crate::failures;
use crate::runs::file;

/// A tool that counts three records by zip code as it likes.
struct Counts(Value);

impl ToolSource for Counts {
    fn list_tools(&self) -> BoxFuture<'_, Result<ToolListing, McpError>> {
        let fields = json!({"zip": {"type": "integer"}, "id": {"type": "integer"}});
        let schema = json!({"type": "object", "properties": {
            "filters": {"type": "string", "contentSchema": {"type": "object", "properties": fields}},
            "group_by": {"type": "string"}, "page_size": {"type": "integer"}, "search_after": {"type": "array"}
        }});
        let tool = Tool::new("odd", "count", schema.as_object().unwrap().clone());
        Box::pin(async move { Ok(ToolListing::new(vec![tool])) })
    }

    fn call_tool<'a>(&'a self, name: &'a str, arguments: Object) -> BoxFuture<'a, Result<CallOutput, McpError>> {
        let documents: Vec<Value> = (1..=3).map(|id| json!({"id": id, "zip": 8000 + id})).collect();
        let mut answer = json!({"documents": documents, "has_more": false});
        if arguments.contains_key("group_by") {
            answer["aggregations"] = json!({"group_by": {"field": "zip", "buckets": self.0}});
        }
        Box::pin(async move { Ok(CallOutput::structured("odd", name, answer)) })
    }
}

async fn recorded(buckets: Value) -> Bundle {
    let agent = DatasetAgent::builder(OfflineModel::new(), Counts(buckets)).build().unwrap();
    let report = agent.run("Records by zip").format(ComprehensiveReport).record().await.unwrap();
    let bundle = report.bundle().unwrap();
    let in_memory = dataset::verify(bundle);
    assert!(in_memory.holds(), "before it was written: {:#?}", failures(&in_memory));
    Bundle::from_json(&bundle.to_json().unwrap()).unwrap()
}

#[tokio::test]
async fn counts_that_leave_64_bits_end_in_a_report_that_holds_and_replays() {
    let most = 1_u64 << 53;
    let absurd =
        json!([{"key": 8001, "doc_count": u64::MAX}, {"key": 8002, "doc_count": 1}, {"key": 8003, "doc_count": 2}]);
    let many: Vec<Value> = (0..2_100).map(|zip| json!({"key": zip, "doc_count": most})).collect();
    for buckets in [absurd, many.into()] {
        let bundle = recorded(buckets).await;
        assert!(!bundle.evidence.tables.is_empty(), "{}", bundle.markdown);
        let verification = dataset::verify(&bundle);
        assert!(verification.holds(), "{:#?}", failures(&verification));
        assert_eq!(replay(&bundle).unwrap().await.unwrap().markdown, bundle.markdown);
    }
}

/// Every count of a value becomes the largest number.
fn inflate(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(inflate),
        Value::Object(fields) => {
            let is_claim = fields.contains_key("type");
            for (name, value) in fields {
                let is_count = ["count", "doc_count", "total", "read", "total_docs"].contains(&name.as_str());
                if (is_count || (is_claim && name == "number")) && value.is_u64() {
                    *value = u64::MAX.into();
                }
                inflate(value);
            }
        }
        _ => {}
    }
}

#[tokio::test]
async fn a_bundle_of_such_counts_is_checked_and_replayed_without_a_panic() {
    let buckets = json!([{"key": 8001, "doc_count": 1}, {"key": 8002, "doc_count": 1}, {"key": 8003, "doc_count": 1}]);
    let whole = serde_json::to_value(recorded(buckets).await).unwrap();
    for parts in [vec!["evidence"], vec!["report"], vec!["effects"], vec!["evidence", "report", "effects", "journal"]] {
        let mut changed = whole.clone();
        parts.iter().for_each(|part| inflate(&mut changed[*part]));
        let mut bundle: Bundle = serde_json::from_value(changed).unwrap();
        bundle.seal().unwrap();
        assert!(!dataset::verify(&bundle).holds(), "{parts:?}");
        // It goes another way than the recording, or the recorded one.
        drop(replay(&bundle).unwrap().await);
    }
}

#[tokio::test]
async fn a_record_that_nests_as_deep_as_a_message_may_is_exported() {
    let deep = |n: usize| format!("{}{n}{}", "[".repeat(116), "]".repeat(116));
    let line =
        |n: usize| format!("{{\"id\": {n}, \"colour\": \"{}\", \"more\": {}}}\n", ["red", "blue"][n % 2], deep(n));
    let content: String = (1..=4).map(line).collect();
    // The bundle is written and read again on the way.
    let bundle = file("deep.jsonl", &content, "Records by colour", ComprehensiveReport).await;
    assert_eq!(bundle.evidence.sources.len(), 4);
    let verification = dataset::verify(&bundle);
    assert!(verification.holds(), "{:#?}", failures(&verification));
    assert_eq!(replay(&bundle).unwrap().await.unwrap().markdown, bundle.markdown);
}

#[tokio::test]
async fn numbers_whose_sum_is_too_large_end_in_a_report_that_holds_and_replays() {
    let row = |n: usize| format!("{n},{},{}1e308\n", ["red", "blue"][n % 2], ["", "-"][usize::from(n == 9)]);
    for rows in [2, 12] {
        let content: String = (1..=rows).map(row).collect();
        let content = format!("id,colour,size\n{content}");
        for question in ["Size by colour", "What is the total size?", "What does this data set show?"] {
            let bundle = file("huge.csv", &content, question, ComprehensiveReport).await;
            assert!(!bundle.markdown.contains("refused"), "{}", bundle.markdown);
            assert!(!["inf", "NaN"].iter().any(|no| bundle.markdown.contains(no)), "{}", bundle.markdown);
            let verification = dataset::verify(&bundle);
            assert!(verification.holds(), "{:#?}\n{}", failures(&verification), bundle.markdown);
            assert_eq!(replay(&bundle).unwrap().await.unwrap().markdown, bundle.markdown);
        }
    }
}
