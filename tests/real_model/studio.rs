//! Research Studio on the model: questions about the shipped documents, beside the same ones without a model.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::program::{Finished, run};
use crate::server::address;

const STUDIO: &str = env!("CARGO_BIN_EXE_studio_research");
const VERIFY: &str = env!("CARGO_BIN_EXE_verify_report");

/// Questions, and what an answer has in it; nothing where the documents have no answer.
const QUESTIONS: [(&str, &[&str]); 8] = [
    ("What is the default page size?", &["4096"]),
    ("Which version of SQLite added upserts?", &["3.24.0"]),
    ("What is the maximum size of a database?", &["281 terabytes", "140 terabytes"]),
    ("Does WAL work over a network filesystem?", &["does not work over a network filesystem", "same host computer"]),
    ("Since when can a statement return the rows that it inserts?", &["3.35.0"]),
    ("When should one choose a client/server database instead?", &["Client/Server", "client/server"]),
    ("How many attached databases are possible?", &["125"]),
    ("What does a support contract cost?", &[]),
];

/// What a report says to a question.
struct Said {
    report: String,
    claims: Vec<String>,
    stats: Value,
}

impl Said {
    fn of(output: &Finished) -> Self {
        let events = output.events();
        let texts = |name: &str, key: &str| -> Vec<String> {
            let of = events.iter().filter(|event| event["event"] == name);
            of.filter_map(|event| Some(event[key].as_str()?.to_owned())).collect()
        };
        let verified = events.iter().filter(|event| event["event"] == "claim" && event["status"] == "verified");
        let claims = verified.filter_map(|event| Some(event["text"].as_str()?.to_owned())).collect();
        let stats =
            events.iter().find(|event| event["event"] == "run_completed").expect("the run ends")["stats"].clone();
        Self { report: texts("report_end", "report").concat(), claims, stats }
    }

    /// Whether the report answers: a verified sentence has an answer, or there is none to be had.
    fn is_right(&self, answers: &[&str]) -> bool {
        match answers {
            [] => self.claims.is_empty(),
            _ => self.claims.iter().any(|claim| answers.iter().any(|answer| claim.contains(answer))),
        }
    }
}

#[test]
fn eight_questions_end_with_reports_that_are_verified_and_replay() {
    let folder = tempfile::tempdir().unwrap();
    let model = format!("{}/v1", address());
    let mut table =
        String::from("| question | without a model | with it | claims | tokens |\n|---|---|---|---:|---:|\n");

    for (at, (question, answers)) in QUESTIONS.iter().enumerate() {
        let bundle = folder.path().join(format!("{at}.json"));
        let limits = ["--max-iterations", "1", "--budget", "calls=60,time=25m"];
        let offline = Said::of(&run(STUDIO, &["--json", "--max-iterations", "1", question]));
        let with =
            run(STUDIO, &[&["--model", &model, "--json", "--export", path(&bundle), question][..], &limits].concat());
        let with = Said::of(&with);
        println!("{question}\n{}", with.report);

        // Whatever the model writes: what the report says is in the documents, and nothing was lost.
        assert!(with.stats["tokens_in"].as_u64().unwrap() > 500, "{}", with.stats);
        assert!(with.stats["llm_calls"].as_u64().unwrap() >= 3, "planned, read and wrote: {}", with.stats);
        let verified = run(VERIFY, &[path(&bundle)]).out();
        assert!(verified.contains("Everything holds"), "{verified}");
        assert_eq!(run(STUDIO, &["--replay", path(&bundle)]).out().trim_end(), with.report.trim_end());
        let page = fs::read_to_string(&bundle).unwrap();
        assert!(!page.contains("127.0.0.1"), "the bundle does not tell where the model was");

        let word = |said: &Said| if said.is_right(answers) { "right" } else { "–" };
        let tokens = with.stats["tokens_in"].as_u64().unwrap() + with.stats["tokens_out"].as_u64().unwrap();
        let row = (word(&offline), word(&with), with.claims.len());
        table += &format!("| {question} | {} | {} | {} | {tokens} |\n", row.0, row.1, row.2);
    }
    println!("{table}");
}

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}
