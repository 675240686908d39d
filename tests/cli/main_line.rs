//! The main line: the question of the README, in process and through a server, with every number from the file itself.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use serde_json::{Value, json};

use crate::events::Events;
use crate::program::{events, events_in, research, shipped_in_a_process};
use crate::report::{citations_resolve, coverage, sub_questions};
use crate::scratch::Scratch;
use crate::table::{Row, strikes};
use crate::{QUESTION, counts, distinct};

/// The run that most tests look at.
fn run() -> &'static Events {
    static RUN: OnceLock<Events> = OnceLock::new();
    RUN.get_or_init(|| events(&[QUESTION]))
}

fn matching() -> Vec<(String, Row)> {
    strikes(|row| row["Phase of flight"] == "Approach" && row["Speed IAS in knots"] == "120")
}

#[test]
fn filters_and_grouping_follow_from_the_question() {
    let wanted = json!({"Phase of flight": "Approach", "Speed IAS in knots": 120});
    let run = run();
    // Words are looked up over all records.
    let queries = run.calls().into_iter().filter(|call| !call.contains_key("lookup"));
    assert!(queries.clone().all(|call| Events::filters(call) == wanted), "{:?}", run.calls());
    assert!(run.calls().iter().any(|call| call.get("group_by") == Some(&json!("Wildlife Size"))));
}

#[test]
fn every_matching_record_is_read_exactly_once() {
    let ids = run().sources();
    let truth = matching();
    assert_eq!(truth.len(), 165);
    assert_eq!(distinct(&ids), truth.iter().map(|(id, _)| id.as_str()).collect());
    let stats = run().stats();
    assert_eq!((&stats["docs_processed"], &stats["total_docs"]), (&json!(165), &json!(165)));
    assert_eq!(stats["coverage"].as_f64(), Some(1.0));
    assert_eq!(coverage(run().report()), "165 of 165 records read");
}

#[test]
fn sizes_in_the_report_are_those_of_the_file() {
    let truth = counts(matching().into_iter().map(|(_, row)| row["Wildlife Size"].clone()));
    assert_eq!(truth, [("Large", 17), ("Medium", 49), ("Small", 99)].map(|(k, n)| (k.to_string(), n)).into());
    let told =
        run().buckets("Wildlife Size").into_iter().map(|(key, count)| (key.as_str().unwrap().to_string(), count));
    assert_eq!(told.collect::<std::collections::BTreeMap<_, _>>(), truth);
    let report = run().report();
    for (size, count) in truth {
        assert!(report.contains(&format!("{size} in {count} ")), "{size} {count}:\n{report}");
    }
}

#[test]
fn each_other_count_that_was_computed_is_the_one_of_the_file() {
    let rows = matching();
    for event in run().of("aggregation").iter().filter(|event| event["type"] == "group_by") {
        let field = event["field"].as_str().unwrap();
        // Groups inside groups are counted by both fields.
        let (outer, inner) = field.split_once(',').unwrap_or((field, field));
        let truth = counts(rows.iter().map(|(_, row)| row[outer].as_str()));
        let pairs = counts(rows.iter().map(|(_, row)| (row[outer].as_str(), row[inner].as_str())));
        for bucket in event["buckets"].as_array().unwrap() {
            let text = |key: &Value| key.as_str().unwrap_or_default().to_owned();
            let actual = match bucket["key"].as_array() {
                Some(keys) => {
                    let pair = (text(&keys[0]), text(&keys[1]));
                    pairs.get(&(pair.0.as_str(), pair.1.as_str())).copied()
                }
                None => truth.get(text(&bucket["key"]).as_str()).copied(),
            };
            assert_eq!(actual, bucket["doc_count"].as_u64(), "{field}: {bucket}");
        }
        assert_eq!(event["total_docs"], rows.len(), "{event:?}");
    }
}

#[test]
fn every_finding_names_records_that_match() {
    let rows = matching();
    let known: BTreeSet<&str> = rows.iter().map(|(id, _)| id.as_str()).collect();
    let findings = run().of("finding");
    // A finding comes again when more records have joined it.
    let ids: BTreeSet<&str> = findings.iter().map(|finding| finding["id"].as_str().unwrap()).collect();
    assert_eq!(run().stats()["findings_count"], ids.len());
    let mut drawn: std::collections::BTreeMap<&str, u64> = std::collections::BTreeMap::new();
    for finding in &findings {
        let count = finding["evidence_count"].as_u64().unwrap();
        let before = drawn.insert(finding["id"].as_str().unwrap(), count);
        assert!(before.is_none_or(|before| before < count), "{finding:?}");
    }
    for finding in findings {
        let ids: Vec<&str> = finding["doc_ids"].as_array().unwrap().iter().map(|id| id.as_str().unwrap()).collect();
        assert!(!ids.is_empty() && ids.iter().all(|id| known.contains(id)), "{finding:?}");
        assert!(finding["evidence_count"].as_u64().unwrap() >= 1 && !finding["claim"].as_str().unwrap().is_empty());
    }
}

#[test]
fn every_citation_resolves() {
    citations_resolve(run());
}

#[test]
fn it_takes_few_plans_one_report_and_three_to_seven_sub_questions() {
    let run = run();
    let stats = run.stats();
    let plans = run.of("plan").len();
    assert!((1..=3).contains(&plans), "{plans} plans");
    assert_eq!((&stats["planner_calls"], &stats["iterations"]), (&json!(plans), &json!(plans)));
    assert_eq!(stats["mcp_calls"], run.calls().len());
    assert_eq!(stats["model"], "offline:extractive");
    run.one("report_start");
    let written = run.of("agent_started").into_iter().filter(|event| event["agent"] == "synthesizer").count();
    assert_eq!(written, 1);
    let questions = sub_questions(run.report());
    assert!((3..=7).contains(&questions.len()), "{questions:?}");
}

#[test]
fn the_parts_of_the_report_are_the_report() {
    let parts: String = run().of("report_delta").iter().map(|event| event["text"].as_str().unwrap()).collect();
    assert_eq!(parts, run().report());
    assert!(run().report().ends_with('\n') && !run().report().ends_with("\n\n"));
    let names: Vec<&str> = run().all.iter().map(|event| event["event"].as_str().unwrap()).collect();
    let place = |name: &str| names.iter().position(|other| *other == name).unwrap();
    assert_eq!(place("run_started"), 0);
    assert!(place("report_start") < place("report_delta") && place("report_delta") < place("report_end"));
    for key_finding in run().one("key_findings")["key_findings"].as_array().unwrap() {
        // In the report the citation stands before the full stop.
        let text = key_finding.as_str().unwrap().trim_end_matches('.');
        assert!(run().report().contains(text), "{text}");
    }
}

#[test]
fn each_call_has_one_answer_and_each_start_one_end() {
    let run = run();
    assert_eq!(run.of("tool_call").len(), run.of("tool_result").len());
    assert!(run.of("tool_result").iter().all(|event| event["ok"] == true));
    let agents = |name: &str| counts(run.of(name).into_iter().map(|event| event["agent"].to_string()));
    assert_eq!(agents("agent_started"), agents("agent_finished"));
}

#[test]
fn standard_output_is_the_report_and_nothing_else() {
    let ran = research(&[QUESTION]);
    assert_eq!(ran.code, Some(0));
    assert_eq!(ran.stdout, run().report());
    for said in ["plan 1", "Wildlife Size", "writing the report", "165 of 165 matching records read"] {
        assert!(ran.stderr.contains(said), "{said}: {}", ran.stderr);
    }
    assert!(
        !ran.stderr.contains('\u{1b}') && !ran.stderr.contains("{\""),
        "no colours and no raw JSON: {}",
        ran.stderr
    );
}

#[test]
fn without_a_question_it_asks_the_one_of_the_readme() {
    let ran = research(&[]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), run().report()));
}

#[test]
fn a_server_in_a_process_of_its_own_gives_the_same_report() {
    let scratch = Scratch::new();
    let server = ["--mcp-config", &shipped_in_a_process(&scratch), QUESTION];
    let served = events(&server);
    assert_eq!(served.report(), run().report());
    assert_eq!(served.sources(), run().sources());
    let elsewhere = Scratch::new();
    let moved = events_in(&server, Some(elsewhere.path()));
    assert_eq!(moved.report(), run().report());
    assert_eq!(events_in(&[QUESTION], Some(elsewhere.path())).report(), run().report());
}

#[test]
fn the_same_question_gives_the_same_report_and_the_same_events() {
    let again = events(&[QUESTION]);
    assert_eq!(again.report(), run().report());
    let findings = |events: &Events| -> Vec<Value> {
        events.of("finding").iter().map(|event| json!([event["id"], event["claim"], event["doc_ids"]])).collect()
    };
    assert_eq!(findings(&again), findings(run()));
}
