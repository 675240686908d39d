//! Random tables and queries, compared with a plain computation over the same records.

use std::collections::BTreeMap;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

use super::*;

/// A record: a number, a whole number, a text, a date and a list of texts; each may be missing.
type Record = (Option<f64>, Option<i64>, Option<&'static str>, Option<&'static str>, Vec<&'static str>);

const TEXTS: [&str; 5] = ["red fox", "Red", "the fox ran", "blue", "O'Hare \"x\""];
const DATES: [&str; 5] = ["2023-12-31", "2024-02-29", "2024-02-29T10:30:00", "2024-11-05", "2025-01-01"];
const TAGS: [&str; 3] = ["a", "b", "c"];

fn record() -> impl Strategy<Value = Record> {
    let number = (-40_i32..40).prop_map(|n| f64::from(n) / 4.0 + 0.1);
    (
        proptest::option::of(number),
        proptest::option::of(-5_i64..5),
        proptest::option::of(select(&TEXTS[..])),
        proptest::option::of(select(&DATES[..])),
        vec(select(&TAGS[..]), 0..3),
    )
}

fn object((number, whole, text, date, tags): &Record) -> Value {
    json!({"number": number, "whole": whole, "text": text, "date": date, "tags": tags})
}

/// A condition, and what it says about a record.
type Check = fn(&Value) -> bool;

fn has(record: &Value, tag: &str) -> bool {
    record["tags"].as_array().unwrap().iter().any(|own| own == tag)
}

fn conditions() -> Vec<(&'static str, Value, Check)> {
    vec![
        ("number", json!({"gte": 0, "lt": 5}), |r| r["number"].as_f64().is_some_and(|n| (0.0..5.0).contains(&n))),
        ("number", json!({"missing": true}), |r| r["number"].is_null()),
        ("whole", json!([1, 2, null]), |r| r["whole"].is_null() || r["whole"] == 1 || r["whole"] == 2),
        ("whole", json!({"not": 1}), |r| !r["whole"].is_null() && r["whole"] != 1),
        ("whole", json!({"not": [1, -1], "lte": 2}), |r| {
            r["whole"].as_i64().is_some_and(|n| n != 1 && n != -1 && n <= 2)
        }),
        ("text", json!({"contains": "FOX"}), |r| r["text"].as_str().is_some_and(|t| t.contains("fox"))),
        ("text", json!({"not": "blue", "missing": false}), |r| r["text"].as_str().is_some_and(|t| t != "blue")),
        ("text", json!("O'Hare \"x\""), |r| r["text"] == "O'Hare \"x\""),
        ("date", json!("2024-02"), |r| r["date"].as_str().is_some_and(|d| d.starts_with("2024-02"))),
        ("date", json!({"gt": "2024-02-29"}), |r| r["date"].as_str().is_some_and(|d| d >= "2024-03")),
        ("date", json!({"month": [12, 1]}), |r| r["date"].as_str().is_some_and(|d| ["12", "01"].contains(&&d[5..7]))),
        ("tags", json!("a"), |r| has(r, "a")),
        ("tags", json!({"not": ["a", "b"]}), |r| {
            !r["tags"].as_array().unwrap().is_empty() && !has(r, "a") && !has(r, "b")
        }),
        ("tags", json!(null), |r| r["tags"].as_array().unwrap().is_empty()),
    ]
}

fn ask(dataset: &Dataset, arguments: &Value) -> Value {
    answer(dataset, &Query::parse(dataset, arguments.as_object().unwrap()).unwrap()).unwrap()
}

fn near(given: &Value, expected: f64) -> bool {
    let given = given.as_f64().unwrap();
    (given - expected).abs() <= 1e-9 * expected.abs().max(1.0)
}

/// Checks the measures of the field `number` over some records.
fn check_measures(measures: &Value, records: &[&Value]) -> Result<(), TestCaseError> {
    let mut numbers: Vec<f64> = records.iter().filter_map(|record| record["number"].as_f64()).collect();
    numbers.sort_by(f64::total_cmp);
    let sum: f64 = numbers.iter().sum();
    let count = numbers.len();
    for measure in measures.as_array().unwrap() {
        prop_assert_eq!(measure["count"].as_u64(), Some(count as u64));
        let value = &measure["value"];
        if count == 0 && !["count", "distinct"].contains(&measure["function"].as_str().unwrap()) {
            prop_assert!(value.is_null());
            continue;
        }
        let expected = match measure["function"].as_str().unwrap() {
            "sum" => sum,
            "mean" => sum / count as f64,
            "median" if count % 2 == 1 => numbers[count / 2],
            "median" => f64::midpoint(numbers[count / 2 - 1], numbers[count / 2]),
            "min" => numbers[0],
            "max" => numbers[count - 1],
            "count" => count as f64,
            _ => {
                let mut distinct = numbers.clone();
                distinct.dedup();
                distinct.len() as f64
            }
        };
        prop_assert!(near(value, expected), "{measure}: {expected}");
    }
    Ok(())
}

fn check(records: &[Record], chosen: &[usize], page_size: usize) -> Result<(), TestCaseError> {
    let objects: Vec<Value> = records.iter().map(object).collect();
    // A first record with everything decides the types.
    let first = json!({"number": 0.5, "whole": 100, "text": "first", "date": "1999-01-01", "tags": ["first", "x"]});
    let all: Vec<&Value> = std::iter::once(&first).chain(&objects).collect();
    let dataset = parse("random", serde_json::to_string(&all).unwrap().as_bytes(), Some("json")).unwrap();

    let known = conditions();
    let mut filters = json!({});
    let mut checks: Vec<Check> = Vec::new();
    for (field, condition, holds) in chosen.iter().map(|at| &known[at % known.len()]) {
        if filters.get(field).is_none() {
            filters[field] = condition.clone();
            checks.push(*holds);
        }
    }
    let matching: Vec<(usize, &Value)> = all
        .iter()
        .enumerate()
        .filter(|(_, record)| checks.iter().all(|holds| holds(record)))
        .map(|(at, record)| (at + 1, *record))
        .collect();
    let plain: Vec<&Value> = matching.iter().map(|(_, record)| *record).collect();

    let functions = ["sum", "mean", "median", "min", "max", "count", "distinct"];
    let measures: Vec<Value> =
        functions.iter().map(|function| json!({"function": function, "field": "number"})).collect();
    let mut arguments = json!({
        "filters": filters, "group_by": "tags,text", "top_n": 1_000, "measures": measures, "page_size": page_size,
        "sort": [{"field": "whole", "order": "desc"}, {"field": "date", "order": "asc"}],
        "date_histogram": {"field": "date", "interval": "month"},
    });
    let result = ask(&dataset, &arguments);
    prop_assert_eq!(result["data_context"]["unique_ids_matched"].as_u64(), Some(matching.len() as u64), "{}", filters);
    check_measures(&result["aggregations"]["measures"], &plain)?;

    // A record is in the group of each of its tags.
    let mut groups: BTreeMap<String, Vec<&Value>> = BTreeMap::new();
    for record in &plain {
        let mut tags: Vec<Value> = record["tags"].as_array().unwrap().clone();
        tags.sort_by_key(Value::to_string);
        tags.dedup();
        let tags = if tags.is_empty() { vec![Value::Null] } else { tags };
        for tag in tags {
            groups.entry(json!([tag, record["text"]]).to_string()).or_default().push(record);
        }
    }
    let buckets = result["aggregations"]["group_by"]["buckets"].as_array().unwrap();
    prop_assert_eq!(buckets.len(), groups.len());
    for bucket in buckets {
        let records = groups.get(&bucket["key"].to_string()).cloned().unwrap_or_default();
        prop_assert_eq!(bucket["doc_count"].as_u64(), Some(records.len() as u64), "{}", bucket);
        check_measures(&bucket["measures"], &records)?;
    }
    for bucket in result["aggregations"]["date_histogram"]["buckets"].as_array().unwrap() {
        let key = bucket["key"].as_str().unwrap();
        let of_month = |record: &&&Value| record["date"].as_str().is_some_and(|date| date.starts_with(key));
        let records: Vec<&Value> = plain.iter().filter(of_month).copied().collect();
        prop_assert_eq!(bucket["doc_count"].as_u64(), Some(records.len() as u64), "{}", bucket);
        check_measures(&bucket["measures"], &records)?;
    }

    // The pages have every record once, in the order that was asked for.
    let mut expected = matching.clone();
    expected.sort_by(|(_, a), (_, b)| {
        let (x, y) = (a["whole"].as_i64(), b["whole"].as_i64());
        let last = |date: &Value| date.as_str().unwrap_or("9999").to_owned();
        y.cmp(&x).then_with(|| last(&a["date"]).cmp(&last(&b["date"])))
    });
    let mut read = Vec::new();
    loop {
        let page = ask(&dataset, &arguments);
        read.extend(
            page["documents"].as_array().unwrap().iter().map(|document| document["id"].as_u64().unwrap() as usize),
        );
        if page["has_more"] == false {
            break;
        }
        arguments["search_after"] = page["search_after"].clone();
    }
    prop_assert_eq!(read, expected.into_iter().map(|(number, _)| number).collect::<Vec<_>>());
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn queries_give_what_a_plain_computation_gives(
        records in vec(record(), 0..30),
        chosen in vec(0_usize..100, 0..4),
        page_size in 1_usize..9,
    ) {
        check(&records, &chosen, page_size)?;
    }
}
