//! Foreign tools that compute under other names are asked to, and of those that compute nothing the records that were read
//! are described as what they are.

use std::sync::{Arc, Mutex};

use research_agents::dataset::record::ReportFormat;
use research_agents::dataset::{DatasetAgent, DatasetConfig, DatasetReport};
use research_agents::offline::OfflineModel;
use research_mcp::{BoxFuture, CallOutput, McpError, Object, Tool, ToolListing, ToolSource};
use serde_json::{Value, json};

/// A tool over stones of three kinds. It refuses arguments that it does not list, and keeps those of its calls.
struct Stones {
    schema: Value,
    total: u64,
    calls: Mutex<Vec<Value>>,
}

fn kind(n: u64) -> &'static str {
    ["granite", "basalt", "marble"][(n % 3) as usize]
}

fn mass(n: u64) -> f64 {
    f64::from(u32::try_from(n % 7).unwrap()) + 10.0 * f64::from(u32::try_from(n % 3).unwrap())
}

fn mean(of: &[u64]) -> f64 {
    of.iter().map(|n| mass(*n)).sum::<f64>() / of.len() as f64
}

impl Stones {
    fn new(total: u64, schema: Value) -> Arc<Self> {
        Arc::new(Self { schema, total, calls: Mutex::default() })
    }

    /// A tool that computes, with these names of its arguments.
    fn computing(total: u64, group: &str, metrics: &str, metric: Value) -> Arc<Self> {
        let mut schema = records();
        schema[group] = json!({"type": "string", "enum": ["kind"]});
        schema[metrics] = metric;
        Self::new(total, schema)
    }

    /// What is asked of each group or of all: functions by their field.
    fn metrics(&self, arguments: &Object) -> Vec<(String, String)> {
        let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        if let Some(entries) = arguments.get("aggs").and_then(Value::as_array) {
            return entries.iter().map(|one| (word(&one["op"]), word(&one["column"]))).collect();
        }
        let functions = arguments.get("metric").map(word);
        functions.map(|function| (function, word(&arguments["metric_field"]))).into_iter().collect()
    }

    fn answer(&self, arguments: &Object) -> Result<Value, String> {
        if let Some(name) = arguments.keys().find(|name| self.schema.get(name).is_none()) {
            return Err(format!("there is no argument {name}"));
        }
        let wanted = arguments.get("where").and_then(|filters| filters.get("kind"));
        let matching: Vec<u64> = (0..self.total).filter(|n| wanted.is_none_or(|wanted| wanted == kind(*n))).collect();
        let number = |name: &str, default: usize| arguments.get(name).map_or(default, |n| n.as_u64().unwrap() as usize);
        let skip = number("skip", 0).min(matching.len());
        let page = matching[skip..].iter().take(number("rows", 10).min(50));
        let rows = page.map(|n| json!({"id": format!("S-{n}"), "kind": kind(*n), "mass": mass(*n)}));
        let mut result = json!({"total": matching.len(), "rows": rows.collect::<Vec<_>>()});

        let asked = self.metrics(arguments);
        let values = |of: &[u64]| {
            let value = |(function, field): &(String, String)| {
                assert_eq!((function.as_str(), field.as_str()), ("avg", "mass"));
                (format!("avg_{field}"), json!(mean(of)))
            };
            asked.iter().map(value).collect::<Object>()
        };
        if arguments.contains_key("group") || arguments.contains_key("facet") {
            let group = |name: &&str| {
                let of: Vec<u64> = matching.iter().copied().filter(|n| kind(*n) == *name).collect();
                let mut group = json!({"kind": name, "count": of.len()}).as_object().unwrap().clone();
                group.extend(values(&of));
                Value::Object(group)
            };
            result["groups"] = ["granite", "basalt", "marble"].iter().map(group).collect();
        } else if !asked.is_empty() {
            result["metrics"] = Value::Object(values(&matching));
        }
        Ok(result)
    }
}

/// The arguments that select records and page.
fn records() -> Value {
    json!({
        "where": {"type": "object", "properties": {
            "kind": {"type": "string", "enum": ["granite", "basalt", "marble"]}, "mass": {"type": "number"}
        }},
        "skip": {"type": "integer"}, "rows": {"type": "integer", "maximum": 50}
    })
}

impl ToolSource for Stones {
    fn list_tools(&self) -> BoxFuture<'_, Result<ToolListing, McpError>> {
        let schema = json!({"type": "object", "properties": self.schema});
        let tool = Tool::new("quarry", "stones", schema.as_object().unwrap().clone());
        Box::pin(async move { Ok(ToolListing::new(vec![tool])) })
    }

    fn call_tool<'a>(&'a self, name: &'a str, arguments: Object) -> BoxFuture<'a, Result<CallOutput, McpError>> {
        self.calls.lock().unwrap().push(arguments.clone().into());
        let output = match self.answer(&arguments) {
            Ok(result) => CallOutput::structured("quarry", name, result),
            Err(reason) => CallOutput::error("quarry", name, reason),
        };
        Box::pin(async move { Ok(output) })
    }
}

async fn ask(tool: &Arc<Stones>, question: &str) -> DatasetReport {
    let config = DatasetConfig { format: ReportFormat::ExecutiveSummary, ..DatasetConfig::default() };
    let agent = DatasetAgent::builder(OfflineModel::new(), Arc::clone(tool)).config(config).build().unwrap();
    agent.run(question).await.unwrap()
}

/// A mean as a report writes it.
fn written(number: f64) -> String {
    let text = format!("{number:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn of_kind(total: u64, name: &str) -> f64 {
    mean(&(0..total).filter(|n| kind(*n) == name).collect::<Vec<_>>())
}

#[tokio::test]
async fn a_list_of_metrics_under_other_names_is_asked_for() {
    let entries = json!({"type": "array", "items": {"type": "object", "properties": {
        "op": {"type": "string", "enum": ["avg", "total", "lowest"]}, "column": {"type": "string"}
    }}});
    let tool = Stones::computing(500, "group", "aggs", entries);

    let report = ask(&tool, "What is the average mass by kind?").await;
    for name in ["granite", "basalt", "marble"] {
        let mean = written(of_kind(500, name));
        assert!(report.markdown.contains(&mean), "no {mean} of {name} in\n{}", report.markdown);
    }
    let calls = tool.calls.lock().unwrap().clone();
    let asked = |call: &Value| call["aggs"] == json!([{"op": "avg", "column": "mass"}]) && call["group"] == "kind";
    assert!(calls.iter().any(asked), "{calls:?}");
    assert!(!report.markdown.contains("records read"), "all records are computed over:\n{}", report.markdown);
}

#[tokio::test]
async fn a_metric_with_its_field_apart_is_asked_for() {
    let function = json!({"type": "string", "enum": ["avg", "min", "max"]});
    let mut schema = records();
    (schema["metric"], schema["metric_field"]) = (function, json!({"type": "string"}));
    let tool = Stones::new(500, schema);

    let report = ask(&tool, "What is the average mass?").await;
    let mean = written(mean(&(0..500).collect::<Vec<_>>()));
    assert!(report.markdown.contains(&mean), "no {mean} in\n{}", report.markdown);
    let calls = tool.calls.lock().unwrap().clone();
    assert!(calls.iter().any(|call| call["metric"] == "avg" && call["metric_field"] == "mass"), "{calls:?}");
}

/// The first sentence of the answer.
fn first(report: &DatasetReport) -> &str {
    let answer = report.markdown.split("## Answer").nth(1).unwrap_or_default();
    answer.trim_start().lines().next().unwrap_or_default()
}

#[tokio::test]
async fn what_a_tool_cannot_compute_is_said_of_the_records_that_were_read() {
    let report = ask(&Stones::new(1_000, records()), "What is the average mass?").await;
    let mean = written(mean(&(0..300).collect::<Vec<_>>()));
    assert!(first(&report).contains(&format!("mean mass is {mean}")), "{}", report.markdown);
    assert!(first(&report).contains("300 of 1,000 records"), "{}", report.markdown);
    assert!((0.3..1.0).contains(&report.stats.confidence), "{}", report.stats.confidence);

    let grouping = json!({"type": "string", "enum": ["kind"]});
    let mut schema = records();
    schema["facet"] = grouping;
    let report = ask(&Stones::new(1_000, schema), "What is the average mass by kind?").await;
    for name in ["granite", "basalt", "marble"] {
        let mean = written(of_kind(300, name));
        assert!(first(&report).contains(&format!("{mean} for {name}")), "{}", report.markdown);
    }
    assert!(first(&report).contains("300 of 1,000 records"), "{}", report.markdown);
}

#[tokio::test]
async fn records_that_were_all_read_give_every_statistic() {
    let of_all: Vec<u64> = (0..120).collect();
    let sum: f64 = of_all.iter().map(|n| mass(*n)).sum();
    for (question, number) in [
        ("What is the total mass?", language_number(sum)),
        ("What is the highest mass?", "26".to_owned()),
        ("What is the average mass?", written(mean(&of_all))),
    ] {
        let report = ask(&Stones::new(120, records()), question).await;
        assert!(first(&report).contains(&format!("is {number}")), "{question}: {}", report.markdown);
        assert_eq!(report.stats.confidence, 1.0, "{question}");
    }
}

/// A whole number with thousands separators.
fn language_number(number: f64) -> String {
    let whole = number as u64;
    if whole < 1_000 { whole.to_string() } else { format!("{},{:03}", whole / 1_000, whole % 1_000) }
}

#[tokio::test]
async fn a_sample_stands_for_no_sum_and_no_extreme_of_the_whole() {
    for question in ["What is the total mass?", "What is the highest mass?", "What is the lowest mass?"] {
        let tool = Stones::new(1_000, records());
        let report = ask(&tool, question).await;
        let document = report.document.as_ref().unwrap();
        assert!(report.stats.confidence <= 0.3, "{question}: {}\n{}", report.stats.confidence, report.markdown);
        let sum: f64 = (0..300).map(mass).sum();
        for number in [sum.to_string(), "3,000".into()] {
            assert!(!document.title.as_str().contains(&number), "{question}: {}", report.markdown);
        }
        let answer = report.markdown.split("## How I read this").next().unwrap().to_owned();
        for wrong in ["highest mass is", "lowest mass is", "total mass is", "maximum is", "minimum is", "sum is"] {
            assert!(!answer.to_lowercase().contains(wrong), "{question}: {answer}");
        }
    }
}
