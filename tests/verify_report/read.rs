//! How much was read is stated in a block, in the notes of sentences and among the limitations. Forgers who change or remove
//! any of them, and compute every hash and the Markdown again, are found.

use research_agents::dataset::record::ReportFormat::{self, ComprehensiveReport};
use research_agents::dataset::{self, DatasetAgent};
use research_agents::kernel::Bundle;
use research_agents::kernel::bundle::CheckKind;
use research_agents::offline::OfflineModel;
use research_mcp::{BoxFuture, CallOutput, McpError, Object, Tool, ToolListing, ToolSource};
use serde_json::{Value, json};

use crate::failures;
use crate::forgery::forge;
use crate::runs::file;

/// 300 of 420 records are read.
async fn partial(format: ReportFormat) -> Bundle {
    let rows: String =
        (1..=420).map(|n| format!("{n},{},{}\n", ["red", "blue", "green"][n % 3], 10 + n * 7 % 90)).collect();
    let bundle = file("colours.csv", &format!("id,colour,size\n{rows}"), "Records by colour", format).await;
    assert!(bundle.markdown.contains("300 of 420 records read"), "{}", bundle.markdown);
    bundle
}

/// Changes every block, sentence and list of lines of the report.
fn everywhere(value: &mut Value, change: &impl Fn(&mut Value)) {
    change(value);
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| everywhere(item, change)),
        Value::Object(fields) => fields.values_mut().for_each(|field| everywhere(field, change)),
        _ => {}
    }
}

fn without_notes(report: &mut Value) {
    everywhere(report, &|value| {
        if value["claims"].is_array() {
            value.as_object_mut().unwrap().remove("note");
        }
    });
}

fn without_blocks(report: &mut Value, is_left_out: impl Fn(&Value) -> bool) {
    everywhere(report, &|value| {
        if let Some(blocks) = value.get_mut("blocks").and_then(Value::as_array_mut) {
            blocks.retain(|block| !is_left_out(block));
        }
    });
}

fn without_limitation(report: &mut Value) {
    everywhere(report, &|value| {
        if value["type"] == "notes" {
            value["items"].as_array_mut().unwrap().retain(|item| !item.as_str().unwrap().contains("records read"));
        }
    });
    without_blocks(report, |block| block["items"] == json!([]));
}

fn in_coverage(report: &mut Value, change: &impl Fn(&mut Value)) {
    everywhere(report, &|value| {
        if value["type"] == "coverage" {
            change(value);
        }
    });
}

fn notes_say(report: &mut Value, words: &str) {
    everywhere(report, &|value| {
        if value["claims"].is_array() && value["note"].is_string() {
            value["note"] = words.into();
        }
    });
}

#[tokio::test]
async fn false_coverage_is_found_in_every_part_of_the_report() {
    type Change = fn(&mut Value);
    let changes: [(&str, Change); 9] = [
        ("the text says all, the fields do not", |report| {
            in_coverage(report, &|block| block["text"] = "Coverage: 420 of 420 records read.".into());
        }),
        ("the text says all in words", |report| {
            in_coverage(report, &|block| block["text"] = "All 420 matching records were read.".into());
            notes_say(report, "among all 420 records");
        }),
        ("the numbers say all", |report| in_coverage(report, &|block| block["read"] = 420.into())),
        ("nothing is said", |report| {
            without_notes(report);
            without_limitation(report);
            without_blocks(report, |block| block["type"] == "coverage");
        }),
        ("the notes are missing", without_notes),
        ("the notes say another part", |report| notes_say(report, "among 300 of 420 records")),
        ("the limitation is missing", without_limitation),
        ("the block is missing", |report| without_blocks(report, |block| block["type"] == "coverage")),
        ("the block is there twice", |report| {
            everywhere(report, &|value| {
                if let Some(blocks) = value.get_mut("blocks").and_then(Value::as_array_mut) {
                    let more = blocks.iter().find(|block| block["type"] == "coverage").cloned();
                    blocks.extend(more);
                }
            });
        }),
    ];

    // A short report is computed by the data source, which reads all records.
    for format in [ComprehensiveReport] {
        let bundle = partial(format).await;
        assert!(dataset::verify(&bundle).holds(), "{:#?}", failures(&dataset::verify(&bundle)));
        for (what, change) in &changes {
            let forged = forge(&bundle, |value| change(&mut value["report"]));
            assert!(forged != bundle, "{what}: nothing was changed");
            let verification = dataset::verify(&forged);
            assert!(verification.tally(CheckKind::Coverage).fails > 0, "{what}: {:#?}", failures(&verification));
        }
    }
}

#[tokio::test]
async fn settings_that_a_run_refuses_are_those_of_no_run() {
    let bundle = partial(ComprehensiveReport).await;
    for (setting, value) in [
        ("max_docs", json!(1_000_000)),
        ("max_docs", json!(0)),
        ("batch_size", json!(0)),
        ("parallel_calls", json!("many")),
    ] {
        let forged = forge(&bundle, |whole| {
            let text = format!("scan limit {value}");
            whole["settings"]["config"][setting] = value.clone();
            in_coverage(&mut whole["report"], &|block| {
                block["text"] = block["text"].as_str().unwrap().replace("scan limit 300", &text).into();
            });
        });
        let verification = dataset::verify(&forged);
        let failures = failures(&verification);
        assert!(failures.iter().any(|failure| failure.contains("settings")), "{setting}: {failures:#?}");
    }
}

/// A tool that never says how many records match, and always that there are more.
struct Endless;

impl ToolSource for Endless {
    fn list_tools(&self) -> BoxFuture<'_, Result<ToolListing, McpError>> {
        let fields = json!({"zip": {"type": "integer"}, "id": {"type": "integer"}});
        let schema = json!({"type": "object", "properties": {
            "filters": {"type": "string", "contentSchema": {"type": "object", "properties": fields}},
            "page_size": {"type": "integer"}, "search_after": {"type": "array"}
        }});
        let tool = Tool::new("endless", "list", schema.as_object().unwrap().clone());
        Box::pin(async move { Ok(ToolListing::new(vec![tool])) })
    }

    fn call_tool<'a>(&'a self, name: &'a str, arguments: Object) -> BoxFuture<'a, Result<CallOutput, McpError>> {
        let start = arguments.get("search_after").and_then(|after| after[0].as_u64()).unwrap_or(0);
        let size = arguments.get("page_size").and_then(Value::as_u64).unwrap_or(20);
        let documents: Vec<Value> =
            (start + 1..=start + size).map(|id| json!({"id": id, "zip": 8000 + id % 3})).collect();
        let after = json!({"search_after": [start + size]});
        let answer = json!({"documents": documents, "has_more": true, "data_context": after});
        Box::pin(async move { Ok(CallOutput::structured("endless", name, answer)) })
    }
}

#[tokio::test]
async fn a_tool_that_says_there_is_more_was_not_read_to_its_end() {
    let agent = DatasetAgent::builder(OfflineModel::new(), Endless).build().unwrap();
    let report = agent.run("Records by zip").format(ComprehensiveReport).record().await.unwrap();
    let bundle = Bundle::from_json(&report.bundle().unwrap().to_json().unwrap()).unwrap();
    assert!(dataset::verify(&bundle).holds(), "{:#?}\n{}", failures(&dataset::verify(&bundle)), bundle.markdown);
    let read = report.coverage.fetched;
    assert!(read > 0 && report.coverage.total.is_none(), "{:?}", report.coverage);

    let forged = forge(&bundle, |whole| {
        let report = &mut whole["report"];
        in_coverage(report, &|block| {
            let text = block["text"].as_str().unwrap().to_owned();
            let rest = text.split_once("; confidence").or_else(|| text.split_once(". Confidence"));
            let all = format!("Coverage: {read} of {read} records read");
            block["text"] = rest.map_or(all.clone(), |(_, rest)| format!("{all}; confidence{rest}")).into();
            block["total"] = read.into();
        });
        without_notes(report);
        without_limitation(report);
    });

    let verification = dataset::verify(&forged);
    assert!(verification.tally(CheckKind::Coverage).fails > 0, "{:#?}", failures(&verification));
}
