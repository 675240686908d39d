//! Other files, without a change to any code: with and without ids, other delimiters and encodings, and of any length.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;

use crate::events::Events;
use crate::program::events;
use crate::report::{citations_resolve, coverage, section, sub_questions};
use crate::scratch::Scratch;
use crate::table::{delimited, latin1, orders, strikes};
use crate::{counts, distinct};

/// Documents that are read at most.
const LIMIT: usize = 300;
/// Samples that are read of each group where more match.
const SAMPLES: usize = 20;

/// Runs the question about the orders in a file and checks everything that follows from their number.
fn ask(file: &str, ids: &[String], region: &str) -> Events {
    let run = events(&["--data", file, "Orders by region"]);
    assert_eq!(run.ran.stderr, "", "{file}");
    let truth = counts(orders(ids.len()).iter().map(|order| order.region.to_string()));
    let told: BTreeMap<String, u64> =
        run.buckets(region).into_iter().map(|(key, count)| (key.as_str().unwrap().to_string(), count)).collect();
    assert_eq!(told, truth, "{file}");
    let regions = orders(ids.len()).into_iter().map(|order| order.region.to_owned());
    covers(&run, &ids.iter().cloned().zip(regions).collect::<Vec<_>>(), region);
    citations_resolve(&run);
    run
}

/// Which of these records are read, each given with its group: all, or samples of each group and of the others the first ones.
/// Gives the number of these too, when not all are read.
fn within_reach(matching: &[(String, String)]) -> (BTreeSet<&str>, Option<usize>) {
    if matching.len() <= LIMIT {
        return (matching.iter().map(|(id, _)| id.as_str()).collect(), None);
    }
    let mut of_group: BTreeMap<&str, usize> = BTreeMap::new();
    let mut read = BTreeSet::new();
    for (id, group) in matching {
        let count = of_group.entry(group).or_default();
        *count += 1;
        if *count <= SAMPLES {
            read.insert(id.as_str());
        }
    }
    let mut first = 0;
    while read.len() < LIMIT {
        read.insert(matching[first].0.as_str());
        first += 1;
    }
    (read, Some(first))
}

/// The run has read as many of these records as it may, each once, and says so exactly.
fn covers(run: &Events, matching: &[(String, String)], by: &str) {
    let (total, read) = (matching.len(), matching.len().min(LIMIT));
    let sources = run.sources();
    let known = distinct(&sources);
    let (expected, first) = within_reach(matching);
    assert_eq!(known.len(), read);
    assert_eq!(known, expected);
    let stats = run.stats();
    assert_eq!((&stats["docs_processed"], &stats["total_docs"]), (&json!(read), &json!(total)));
    let share = if total == 0 { 1.0 } else { read as f64 / total as f64 };
    assert!((stats["coverage"].as_f64().unwrap() - share).abs() < 1e-9, "{stats}");
    assert!(stats["planner_calls"].as_u64().unwrap() <= 3, "{stats}");
    assert!((3..=7).contains(&sub_questions(run.report()).len()));
    let sentence = match (read, total) {
        (0, 0) => "0 of 0 records read; no record matches".to_string(),
        (read, total) if read == total => format!("{read} of {total} records read"),
        _ => {
            let percent = 100.0 * share;
            let first = first.unwrap();
            let how = format!("the first {first} in the tool's order and up to {SAMPLES} of each {by}");
            format!("{read} of {total} records read ({percent:.1} %), {how}, scan limit {LIMIT}")
        }
    };
    assert_eq!(coverage(run.report()).replace(',', ""), sentence.replace(',', ""));
    let limitations = section(run.report(), "Limitations").join("\n").replace(',', "");
    let is_limited = limitations.contains(&format!("{read} of {total} records read"));
    assert_eq!(is_limited, read < total, "{limitations}");
}

fn numbers(count: usize) -> Vec<String> {
    (1..=count).map(|number| number.to_string()).collect()
}

fn codes(count: usize) -> Vec<String> {
    orders(count).iter().map(|order| order.code()).collect()
}

#[test]
fn files_of_any_length_are_read_up_to_the_limit() {
    let scratch = Scratch::new();
    for count in [1, 74, 75, 76, 100, 101, 150, 165, 225, 299, 300, 301, 1000] {
        let file = scratch.write("orders.csv", delimited(&orders(count), b',', false));
        ask(&file, &numbers(count), "region");
    }
}

#[test]
fn a_file_without_a_record_gives_a_report_that_says_so() {
    let scratch = Scratch::new();
    let run = ask(&scratch.write("orders.csv", delimited(&[], b',', false)), &[], "region");
    assert!(run.report().contains("holds no record"), "{}", run.report());
    assert!(!run.report().contains("## Sources"), "{}", run.report());
    assert_eq!(run.of("sources").len(), 0);
}

#[test]
fn conditions_that_nothing_meets_give_a_report_that_says_so() {
    let filters = r#"{"Wildlife Size": "Small", "Phase of flight": "Parked", "Speed IAS in knots": {"gte": 300}}"#;
    let fits = |row: &crate::table::Row| {
        let speed = row["Speed IAS in knots"].parse::<f64>();
        row["Wildlife Size"] == "Small" && row["Phase of flight"] == "Parked" && speed.is_ok_and(|knots| knots >= 300.0)
    };
    assert!(strikes(fits).is_empty());
    let run = events(&["--filters", filters]);
    covers(&run, &[], "Wildlife Size");
    assert!(run.report().contains("No record matches"), "{}", run.report());
}

#[test]
fn the_whole_shipped_file_is_counted_and_300_of_it_are_read() {
    let run = events(&["Strikes by wildlife size"]);
    let rows = strikes(|_| true);
    assert_eq!(rows.len(), 10_000);
    let grouped = rows.iter().map(|(id, row)| (id.clone(), row["Wildlife Size"].clone()));
    covers(&run, &grouped.collect::<Vec<_>>(), "Wildlife Size");
    let truth = counts(rows.into_iter().map(|(_, row)| row["Wildlife Size"].clone()));
    for (key, count) in run.buckets("Wildlife Size") {
        assert_eq!(truth.get(key.as_str().unwrap_or_default()), Some(&count), "{key}");
    }
    citations_resolve(&run);
}

#[test]
fn an_id_column_names_the_sources() {
    let scratch = Scratch::new();
    let file = scratch.write("orders.csv", delimited(&orders(90), b',', true));
    ask(&file, &codes(90), "region");
}

#[test]
fn semicolons_and_latin_1_are_understood() {
    let scratch = Scratch::new();
    let text = delimited(&orders(90), b';', true);
    let file = scratch.write("orders.csv", latin1(&text));
    let run = events(&["--data", &file, "--group-by", "product", "Orders by product"]);
    let products = orders(90).into_iter().map(|order| order.product.to_owned());
    covers(&run, &codes(90).into_iter().zip(products).collect::<Vec<_>>(), "product");
    let truth = counts(orders(90).iter().map(|order| order.product.to_string()));
    let told = run.buckets("product").into_iter().map(|(key, count)| (key.as_str().unwrap().to_string(), count));
    assert_eq!(told.collect::<BTreeMap<_, _>>(), truth);
}

#[test]
fn semicolons_with_a_byte_order_mark_are_understood() {
    let scratch = Scratch::new();
    let text = format!("\u{feff}{}", delimited(&orders(40), b';', false));
    ask(&scratch.write("orders.csv", text), &numbers(40), "region");
}

#[test]
fn a_json_array_is_understood() {
    let scratch = Scratch::new();
    let records: Vec<_> = orders(120).iter().map(|order| order.record(false)).collect();
    ask(&scratch.write("orders.json", serde_json::to_string_pretty(&records).unwrap()), &codes(120), "region");
}

#[test]
fn json_lines_with_nested_records_are_understood() {
    let scratch = Scratch::new();
    let lines: String = orders(120).iter().map(|order| format!("{}\n", order.record(true))).collect();
    // The id lies inside the record, so the lines are numbered.
    ask(&scratch.write("orders.jsonl", lines), &numbers(120), "place.region");
}

#[test]
fn a_value_and_a_grouping_of_another_file_follow_from_the_question() {
    let scratch = Scratch::new();
    let file = scratch.write("orders.csv", delimited(&orders(200), b',', true));
    let run = events(&["--data", &file, "Orders of tea by region"]);
    let tea = orders(200).into_iter().filter(|order| order.product == "Tea");
    let (ids, regions): (Vec<String>, Vec<String>) = tea.map(|order| (order.code(), order.region.to_string())).unzip();
    let queries: Vec<_> = run.calls().into_iter().filter(|call| !call.contains_key("lookup")).collect();
    assert!(queries.iter().all(|call| Events::filters(call) == json!({"product": "Tea"})), "{queries:?}");
    covers(&run, &ids.into_iter().zip(regions.clone()).collect::<Vec<_>>(), "region");
    let told = run.buckets("region").into_iter().map(|(key, count)| (key.as_str().unwrap().to_string(), count));
    assert_eq!(told.collect::<BTreeMap<_, _>>(), counts(regions));
}
