//! `dataset_research` through a server that names everything in its own way: the numbers of its report are those of the file.

use std::collections::{BTreeMap, BTreeSet};
use std::process::{Command, Output};

use research_mcp::StdioServer;
use serde_json::{Value, json};

use crate::web::Listening;
use crate::{servers, watched};

/// Filters by which 165 strikes match, in the words of the server.
const FILTERS: &str = r#"{"phase": "Approach", "speed_knots": 120}"#;

/// The program, without a model of the environment.
fn research(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dataset_research"));
    let output = command.args(arguments).env_remove("RESEARCH_MODEL").output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    output
}

/// The command line that starts the server.
fn command() -> String {
    let StdioServer { command, args, .. } = servers::fastmcp();
    std::iter::once(command).chain(args).map(|word| format!("'{word}'")).collect::<Vec<_>>().join(" ")
}

/// The numbers of the rows that match, and the rows.
fn truth(fits: impl Fn(&BTreeMap<String, String>) -> bool) -> Vec<(String, BTreeMap<String, String>)> {
    let mut reader = csv::Reader::from_path(servers::strikes()).unwrap();
    let rows = reader.deserialize().map(Result::unwrap).zip(1..);
    rows.filter(|(row, _)| fits(row)).map(|(row, number)| (format!("BS-{number:05}"), row)).collect()
}

/// The events of a run.
struct Run(Vec<Value>);

impl Run {
    fn of(arguments: &[&str]) -> Self {
        let output = research(&[arguments, &["--json"]].concat());
        Self(
            String::from_utf8(output.stdout).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect(),
        )
    }

    fn of_name(&self, name: &str) -> impl Iterator<Item = &Value> {
        self.0.iter().filter(move |event| event["event"] == name)
    }

    fn report(&self) -> &str {
        self.of_name("report_end").next().unwrap()["report"].as_str().unwrap()
    }

    fn records(&self) -> BTreeSet<String> {
        let sources = self.of_name("sources").flat_map(|event| event["sources"].as_array().unwrap());
        sources.map(|source| source["id"].as_str().unwrap().to_owned()).collect()
    }

    fn groups(&self, field: &str) -> BTreeMap<String, u64> {
        let table = self.of_name("aggregation").find(|event| event["field"] == field).unwrap();
        let group = |bucket: &Value| (bucket["key"].to_string(), bucket["doc_count"].as_u64().unwrap());
        table["buckets"].as_array().unwrap().iter().map(group).collect()
    }
}

/// What was found out about the strikes on approach at 120 knots is what the file holds.
fn is_true(run: &Run) {
    let rows = truth(|row| row["Phase of flight"] == "Approach" && row["Speed IAS in knots"] == "120");
    let stats = &run.of_name("run_completed").next().unwrap()["stats"];
    assert_eq!((&stats["total_docs"], &stats["docs_processed"]), (&json!(rows.len()), &json!(rows.len())));
    assert_eq!(stats["coverage"].as_f64(), Some(1.0));
    let coverage = format!("Coverage: {0} of {0} records read.", rows.len());
    assert!(run.report().contains(&coverage), "{}", run.report());
    assert_eq!(run.records(), rows.iter().map(|(id, _)| id.clone()).collect());

    let mut sizes: BTreeMap<String, u64> = BTreeMap::new();
    for (_, row) in &rows {
        *sizes.entry(json!(row["Wildlife Size"]).to_string()).or_default() += 1;
    }
    assert_eq!(run.groups("animal_size"), sizes);
    let (largest, count) = sizes.iter().max_by_key(|(_, count)| **count).unwrap();
    let largest: String = serde_json::from_str(largest).unwrap();
    let stands = |line: &str| line.contains(&largest) && line.contains(&count.to_string());
    assert!(run.report().lines().any(stands), "{largest} {count}: {}", run.report());
}

#[test]
fn the_report_over_fastmcp_holds_the_numbers_of_the_file() {
    let question = ["--filters", FILTERS, "--group-by", "animal_size", "Strikes by animal size"];
    let command = command();
    let run = Run::of(&[&["--mcp-command", &command][..], &question].concat());
    is_true(&run);
    // The server refuses arguments that it does not list, and pages by offset: whoever asks must speak its language.
    let offsets: Vec<Option<u64>> =
        run.of_name("tool_call").map(|event| event["arguments"].get("offset").and_then(Value::as_u64)).collect();
    assert!(offsets.contains(&None) && offsets.iter().flatten().next().is_some(), "{offsets:?}");
    assert!(run.of_name("tool_result").all(|event| event["ok"] == true));

    let named = research(&[&["--mcp-command", &command, "--tool", "search_reports"][..], &question].concat());
    let report = String::from_utf8(named.stdout).unwrap();
    assert_eq!(report.trim_end(), run.report().trim_end());
}

#[tokio::test]
async fn the_report_over_http_is_the_same_one() {
    watched(async {
        let server = Listening::start(|port| servers::fastmcp().args(["--http", &port.to_string()])).await;
        let question = ["--filters", FILTERS, "--group-by", "animal_size", "Strikes by animal size"];
        let url = server.mcp();
        let run = move || is_true(&Run::of(&[&["--mcp-url", &url][..], &question].concat()));
        tokio::task::spawn_blocking(run).await.unwrap();
    })
    .await;
}

#[test]
fn a_tool_that_takes_fields_instead_of_filters_is_asked_by_them() {
    let rows = truth(|row| row["Origin State"] == "Nebraska");
    assert!((50..=300).contains(&rows.len()), "{}", rows.len());
    let arguments = ["--mcp-command", &command(), "--tool", "browse_reports", "--filters", r#"{"state": "Nebraska"}"#];
    let run = Run::of(&[&arguments[..], &["Reports of one state"]].concat());
    assert_eq!(run.records(), rows.into_iter().map(|(id, _)| id).collect());
    let stats = &run.of_name("run_completed").next().unwrap()["stats"];
    assert_eq!(stats["coverage"].as_f64(), Some(1.0));
}
