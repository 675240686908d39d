//! `--filters` and `--group-by` win over the planner, and are checked before anything is planned.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::events::Events;
use crate::program::{FIXTURE, events, shipped_in_a_process};
use crate::report::citations_resolve;
use crate::scratch::Scratch;
use crate::table::strikes;
use crate::{QUESTION, counts, distinct, quoted};

/// The columns of the shipped file.
fn columns() -> Vec<String> {
    csv::Reader::from_path(crate::table::shipped_file())
        .unwrap()
        .headers()
        .unwrap()
        .iter()
        .map(str::to_string)
        .collect()
}

#[test]
fn filters_of_the_user_replace_those_of_the_question() {
    // Another spelling, a list of values and a range, none of which the question names.
    let filters = r#"{"time OF day": ["Dusk", "Dawn"], "cost total $": {"gt": 0}}"#;
    let run = events(&["--filters", filters, QUESTION]);
    let sent = json!({"Time of day": ["Dusk", "Dawn"], "Cost Total $": {"gt": 0}});
    // Words are looked up over all records.
    let queries: Vec<_> = run.calls().into_iter().filter(|call| !call.contains_key("lookup")).collect();
    assert!(!queries.is_empty());
    for call in queries {
        assert_eq!(Events::filters(call), sent);
    }
    let truth = strikes(|row| {
        let is_paid = row["Cost Total $"].parse::<f64>().is_ok_and(|cost| cost > 0.0);
        ["Dusk", "Dawn"].contains(&row["Time of day"].as_str()) && is_paid
    });
    assert!(truth.len() > 1 && truth.len() <= 300, "{}", truth.len());
    assert_eq!(distinct(&run.sources()), truth.iter().map(|(id, _)| id.as_str()).collect());
    citations_resolve(&run);
}

#[test]
fn empty_filters_of_the_user_are_none() {
    let run = events(&["--filters", "{}", QUESTION]);
    assert_eq!(run.stats()["total_docs"], 10_000);
}

#[test]
fn the_grouping_of_the_user_replaces_that_of_the_question() {
    let run = events(&["--group-by", "time of day, PHASE OF FLIGHT", QUESTION]);
    let groupings: Vec<&Value> = run.calls().into_iter().filter_map(|call| call.get("group_by")).collect();
    assert!(!groupings.is_empty() && groupings.iter().all(|fields| **fields == json!("Time of day,Phase of flight")));
    let rows = strikes(|row| row["Phase of flight"] == "Approach" && row["Speed IAS in knots"] == "120");
    // An empty cell is null in a group.
    let cell = |text: &String| if text.is_empty() { Value::Null } else { json!(text) };
    let truth = counts(
        rows.iter().map(|(_, row)| json!([cell(&row["Time of day"]), cell(&row["Phase of flight"])]).to_string()),
    );
    let told = run.buckets("Time of day,Phase of flight").into_iter().map(|(key, count)| (key.to_string(), count));
    assert_eq!(told.collect::<BTreeMap<_, _>>(), truth);
    citations_resolve(&run);
}

#[test]
fn a_field_that_does_not_exist_is_refused_before_anything_is_planned() {
    let scratch = Scratch::new();
    let server = shipped_in_a_process(&scratch);
    for arguments in [
        ["--filters", r#"{"Wildlife Sise": "Small"}"#].as_slice(),
        &["--group-by", "Time of day,Wildlife Sise"],
        &["--filters", r#"{"Wildlife Sise": "Small"}"#, "--mcp-config", &server],
    ] {
        let run = events(arguments);
        assert_eq!(run.ran.code, Some(1));
        assert!(run.of("plan").is_empty() && run.calls().is_empty(), "{:?}", run.all);
        let message = run.message();
        assert!(message.contains("`Wildlife Sise`") && message.contains("did you mean `Wildlife Size`?"), "{message}");
        for column in columns() {
            assert!(message.contains(&column), "{column}: {message}");
        }
        assert_eq!(run.error()["category"], "mcp_tool_error");
        assert_eq!(run.error()["retryable"], false);
    }
}

#[test]
fn a_server_that_lists_no_values_takes_the_filters_of_the_user() {
    let run = events(&["--mcp-command", &quoted(FIXTURE), "--filters", r#"{"COUNTRY": "India"}"#, "Events by theme"]);
    assert!(run.calls().iter().all(|call| Events::filters(call) == json!({"country": "India"})), "{:?}", run.calls());
    // The golden walk's server numbers its events in India from PAG001 to PAG165.
    let truth: Vec<String> = (1..=165).map(|number| format!("PAG{number:03}")).collect();
    assert_eq!(distinct(&run.sources()), distinct(&truth));
    assert_eq!(run.stats()["coverage"].as_f64(), Some(1.0));
    citations_resolve(&run);
}
