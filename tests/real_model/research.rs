//! A research run of the example program on the model, over twenty records.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Stdio;

use research_agents::kernel::resolve_citations;
use serde_json::Value;
use tokio::process::Command;

use crate::server::address;

const PROGRAM: &str = env!("CARGO_BIN_EXE_dataset_research");
const QUESTION: &str = "Which sizes of wildlife were struck, and in which phase of flight?";
const RECORDS: usize = 20;
const COLUMNS: [&str; 4] = ["Phase of flight", "Wildlife Size", "Wildlife Species", "Speed IAS in knots"];

/// A part of the shipped data in a file; removed when dropped.
struct Data {
    file: PathBuf,
    rows: Vec<Vec<String>>,
}

impl Data {
    /// Every 400th strike, so that the values differ.
    fn new() -> Self {
        let shipped = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../examples/data/birdstrikes.csv");
        let mut reader = csv::Reader::from_path(shipped).unwrap();
        let headers = reader.headers().unwrap().clone();
        let columns = COLUMNS.map(|name| headers.iter().position(|header| header == name).unwrap());
        let rows: Vec<Vec<String>> = reader
            .records()
            .step_by(400)
            .take(RECORDS)
            .map(|row| row.map(|row| columns.iter().map(|column| row[*column].to_owned()).collect()).unwrap())
            .collect();
        let file = std::env::temp_dir().join(format!("research-real-model-{}.csv", std::process::id()));
        let mut writer = csv::Writer::from_path(&file).unwrap();
        writer.write_record(COLUMNS).unwrap();
        rows.iter().for_each(|row| writer.write_record(row).unwrap());
        writer.flush().unwrap();
        Self { file, rows }
    }

    /// Every number that a sentence on this data may hold: cells, row numbers, how often a value or a pair of values occurs,
    /// and its share in per cent with one decimal.
    fn numbers(&self) -> BTreeSet<String> {
        let mut numbers: BTreeSet<String> = (0..=RECORDS).map(|count| count.to_string()).collect();
        for count in 0..=RECORDS {
            let share = 100.0 * count as f64 / RECORDS as f64;
            numbers.extend([format!("{share:.1}"), format!("{share}")]);
        }
        let cells = self.rows.iter().flatten();
        numbers.extend(cells.flat_map(|cell| numbers_of(cell)));
        let speeds: Vec<f64> = self.rows.iter().filter_map(|row| row[3].parse().ok()).collect();
        let sum: f64 = speeds.iter().sum();
        numbers.extend([
            format!("{sum}"),
            format!("{}", sum / speeds.len() as f64),
            format!("{:.1}", sum / speeds.len() as f64),
        ]);
        numbers
    }
}

impl Drop for Data {
    fn drop(&mut self) {
        drop(std::fs::remove_file(&self.file));
    }
}

/// The numbers in a text, without separators of thousands.
fn numbers_of(text: &str) -> Vec<String> {
    let is_part = |c: char| c.is_ascii_digit() || c == '.';
    let words = text.split(|c: char| !is_part(c)).map(|word| word.trim_matches('.'));
    words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

#[tokio::test]
async fn a_run_over_twenty_records_ends_with_a_report_whose_numbers_come_from_the_data() {
    let data = Data::new();
    let model = format!("{}/v1", address());
    let output = Command::new(PROGRAM)
        .args(["--model", &model, "--data"])
        .arg(&data.file)
        // What is counted and read is fixed, as a user may: the small model is not to choose what the test is about.
        .args(["--filters", "{}", "--group-by", "Wildlife Size", "--max-iterations", "3", "--json", QUESTION])
        .env_remove("RESEARCH_MODEL")
        .stdin(Stdio::null())
        .output()
        .await
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    let out = String::from_utf8(output.stdout).unwrap();
    let events: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |name: &str| events.iter().filter(|event| event["event"] == name).collect::<Vec<_>>();
    for event in of("error") {
        println!("error: {}", event["message"]);
    }
    assert!(output.status.success(), "{errors}\n{out}");
    assert!(errors.contains("runs on this machine"), "{errors}");

    let stats = &of("run_completed")[0]["stats"];
    println!("{stats}");
    assert_eq!((&stats["docs_processed"], &stats["total_docs"]), (&RECORDS.into(), &RECORDS.into()));
    assert!(stats["tokens_in"].as_u64().unwrap() > 500 && stats["tokens_out"].as_u64().unwrap() > 100, "{stats}");
    assert!(stats["llm_calls"].as_u64().unwrap() >= 3, "planned, read and reported: {stats}");

    let report = of("report_end")[0]["report"].as_str().unwrap();
    println!("{report}");
    let citations = resolve_citations(report).unwrap_or_else(|unresolved| panic!("{unresolved:?} in {report}"));
    assert!(!citations.records.is_empty() || !citations.aggregations.is_empty(), "nothing is cited in {report}");
    assert!(report.contains("The language model"), "the report says who drafted it");
    let known = data.numbers();
    let key_findings = report.split_once("## Key Findings").unwrap().1;
    let key_findings = key_findings.split_once("\n## ").map_or(key_findings, |(part, _)| part);
    for sentence in key_findings.lines().filter(|line| line.starts_with("- ")) {
        let text = sentence.split(" (").next().unwrap();
        for number in numbers_of(text) {
            assert!(known.contains(&number), "{number} is not of the data: {sentence}");
        }
    }
    for finding in of("finding") {
        let ids = finding["doc_ids"].as_array().unwrap();
        assert!(
            ids.iter().all(|id| id.as_str().unwrap().parse::<usize>().is_ok_and(|id| (1..=RECORDS).contains(&id))),
            "{finding}"
        );
    }
}
