//! The other options: help, the list of fields, the report file, the limit on plans; and the server's own command line.

use std::process::Command;

use research_agents::kernel::{Report, resolve_citations};
use serde_json::Value;

use crate::program::{SERVER, events, fixture, research};
use crate::report::{citations_resolve, coverage};
use crate::scratch::Scratch;
use crate::table::{delimited, orders, shipped_file, strikes};
use crate::{QUESTION, counts, distinct};

#[test]
fn help_shows_every_option_and_examples() {
    let ran = research(&["--help"]);
    assert_eq!(ran.code, Some(0));
    for option in [
        "[QUESTION]",
        "--data",
        "--filters",
        "--group-by",
        "--mcp-command",
        "--mcp-url",
        "--mcp-header",
        "--mcp-bearer-env",
        "--mcp-config",
        "--tool",
        "--model",
        "--budget",
        "--language",
        "--max-iterations",
        "--list-fields",
        "--json",
        "--report",
        "RESEARCH_MODEL",
        "Examples:",
        "--data sales.csv",
    ] {
        assert!(ran.stdout.contains(option), "{option}:\n{}", ran.stdout);
    }
}

#[test]
fn a_language_is_known_by_its_code() {
    let ran = research(&["--language", "german"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("`german` is no language code; give one of two letters, such as de"), "{}", ran.stderr);

    let ran = research(&["--language", "es", QUESTION]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let both = "El modelo sin conexión solo escribe en inglés; un modelo de lenguaje redactaría este informe en español. The \
                offline model writes English only; a language model would write this report in Spanish.";
    assert!(ran.stdout.contains(both), "{}", ran.stdout);
}

#[test]
fn the_list_of_fields_is_that_of_the_file() {
    let ran = research(&["--list-fields"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    let headers = csv::Reader::from_path(shipped_file()).unwrap().headers().unwrap().clone();
    let listed: Vec<&str> = ran.stdout.lines().skip(1).map(|line| line.trim().split("  ").next().unwrap()).collect();
    assert_eq!(listed, headers.iter().collect::<Vec<_>>());
    assert!(ran.stdout.contains("Large, Medium, Small"), "{}", ran.stdout);
    assert!(ran.stdout.lines().all(|line| line.chars().count() <= 120), "{}", ran.stdout);
}

#[test]
fn the_list_of_fields_as_json_holds_values_and_ranges() {
    let ran = research(&["--list-fields", "--json"]);
    let tool: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!((ran.code, ran.stdout.lines().count(), &tool["tool"]), (Some(0), 1, &"analyze_events".into()));
    let field = |name: &str| tool["fields"].as_array().unwrap().iter().find(|field| field["name"] == name).unwrap();
    let rows = strikes(|_| true);
    let mut sizes: Vec<&str> = rows.iter().map(|(_, row)| row["Wildlife Size"].as_str()).collect();
    sizes.sort_unstable();
    sizes.dedup();
    sizes.retain(|size| !size.is_empty());
    assert_eq!(field("Wildlife Size")["values"], serde_json::json!(sizes));
    let knots = || rows.iter().filter_map(|(_, row)| row["Speed IAS in knots"].parse::<i64>().ok());
    let range: Vec<Option<i64>> =
        field("Speed IAS in knots")["range"].as_array().unwrap().iter().map(Value::as_i64).collect();
    assert_eq!(range, [knots().min(), knots().max()]);
}

#[test]
fn the_fields_of_a_server_are_listed_too() {
    let ran = research(&["--list-fields", "--mcp-command", &fixture("--tool meetings")]);
    assert_eq!(ran.code, Some(0));
    assert!(ran.stdout.starts_with("meetings\n") && ran.stdout.contains("event_theme"), "{}", ran.stdout);
}

#[test]
fn the_report_file_holds_what_standard_output_shows() {
    let scratch = Scratch::new();
    let file = scratch.write("report.md", "a longer text than any report\n".repeat(10_000));
    let ran = research(&["--report", &file, QUESTION]);
    assert_eq!(ran.code, Some(0));
    assert!(ran.stdout.ends_with('\n'));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), ran.stdout);
}

#[test]
fn the_report_file_is_a_page_or_a_document_by_its_ending() {
    let scratch = Scratch::new();
    let json_file = scratch.file("report.JSON");
    let run = events(&["--report", &json_file, QUESTION]);
    let document = Report::from_json(&std::fs::read_to_string(&json_file).unwrap()).unwrap();
    assert_eq!(document.to_markdown(), run.report());
    assert_eq!(document.resolve().unwrap(), resolve_citations(run.report()).unwrap());

    let html_file = scratch.file("report.html");
    let ran = research(&["--report", &html_file, QUESTION]);
    assert_eq!(ran.code, Some(0));
    let html = std::fs::read_to_string(&html_file).unwrap();
    assert_eq!(html, document.to_html().unwrap());
    let rows = strikes(|row| row["Phase of flight"] == "Approach" && row["Speed IAS in knots"] == "120");
    for (size, count) in counts(rows.iter().map(|(_, row)| row["Wildlife Size"].clone())) {
        assert!(html.contains(&format!("<td>{size}</td><td class=\"number\">{count}</td>")), "{size} {count}: {html}");
        let drawn = document
            .data
            .iter()
            .filter_map(|table| table.chart.as_ref())
            .any(|chart| chart.groups.iter().any(|group| group.label.as_str() == size && group.count == count));
        assert!(drawn && html.contains(&format!("{size}: {count}")), "{size} {count}: {html}");
    }
}

#[test]
fn a_report_of_a_kind_that_there_is_not_is_refused_before_the_run() {
    let scratch = Scratch::new();
    let ran = research(&["--report", &scratch.file("report.pdf")]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""));
    assert!(ran.stderr.contains("--report") && ran.stderr.contains(".html or .json"), "{}", ran.stderr);
}

#[test]
fn each_statistic_comes_with_its_chart() {
    let run = events(&["Strikes by state and year"]);
    let charts = run.of("chart");
    assert!(!charts.is_empty());
    for chart in charts {
        let config = &chart["config"];
        let aggregation = run.of("aggregation").into_iter().find(|event| event["id"] == config["aggregation"]).unwrap();
        let sum = |list: &Value, name: &str| {
            list.as_array().unwrap().iter().map(|at| at[name].as_u64().unwrap()).sum::<u64>()
        };
        assert_eq!(sum(&config["groups"], "count"), sum(&aggregation["buckets"], "doc_count"));
    }
}

#[test]
fn one_plan_is_enough_for_a_report() {
    let run = events(&["--max-iterations", "1", QUESTION]);
    assert_eq!((run.of("plan").len(), &run.stats()["iterations"]), (1, &1.into()));
    let read = distinct(&run.sources()).len();
    assert!(read < 165, "{read}");
    let percent = 100.0 * read as f64 / 165.0;
    assert_eq!(coverage(run.report()), format!("{read} of 165 records read ({percent:.1} %), in the tool's order"));
    citations_resolve(&run);
}

#[test]
fn a_reader_that_goes_away_is_no_error_to_talk_about() {
    let program = env!("CARGO_BIN_EXE_dataset_research");
    let run = |script: &str| {
        let output = Command::new("sh").args(["-c", script]).env_remove("RESEARCH_MODEL").output().unwrap();
        assert_eq!(String::from_utf8(output.stdout).unwrap().lines().count(), 1);
        String::from_utf8(output.stderr).unwrap()
    };
    let said = run(&format!("'{program}' | head -n 1"));
    assert!(!said.contains("error") && !said.contains("panicked"), "{said}");

    // Who does not want to see the progress still gets the report.
    let scratch = Scratch::new();
    let file = scratch.file("report.md");
    run(&format!("'{program}' --report '{file}' 2>&1 >/dev/null | head -n 1"));
    assert!(std::fs::read_to_string(file).is_ok_and(|report| report.contains("## Answer")));
}

#[test]
fn the_server_takes_a_file_and_a_name_and_explains_itself() {
    let scratch = Scratch::new();
    let file = scratch.write("my orders.csv", delimited(&orders(90), b',', true));
    let command = format!("'{SERVER}' '{file}' --tool-name find_orders");
    let served = events(&["--mcp-command", &command, "Orders by region"]);
    assert!(served.of("tool_call").iter().all(|event| event["tool"] == "find_orders"));
    let in_process = events(&["--data", &file, "--tool", "find_orders", "Orders by region"]);
    assert_eq!(served.report(), in_process.report());

    let help = Command::new(SERVER).arg("--help").output().unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    assert!(help.contains("Examples:") && help.contains("--tool-name"), "{help}");
    let wrong = Command::new(SERVER).arg(scratch.file("nothing.csv")).output().unwrap();
    let said = String::from_utf8(wrong.stderr).unwrap();
    assert_eq!(wrong.status.code(), Some(1));
    assert!(said.contains("nothing.csv") && said.lines().count() == 1, "{said}");
}
