//! Queries of any content: each is answered as a look at every record answers it, or refused with a typed error.

use fastrand::Rng;
use research_examples::dataset::{Dataset, Object, Query, QueryError, answer, parse};
use serde_json::{Value, json};

use crate::{fuzz, mutate};

const COLOURS: [&str; 4] = ["red", "blue", "dark green", "grey"];

/// A record, and what is empty in it.
struct Row {
    colour: Option<&'static str>,
    size: Option<i64>,
    day: Option<u8>,
}

fn table(rng: &mut Rng) -> (Dataset, Vec<Row>) {
    let some = |rng: &mut Rng| rng.u8(0..6) != 0;
    let row = |rng: &mut Rng| Row {
        colour: some(rng).then(|| COLOURS[rng.usize(0..COLOURS.len())]),
        size: some(rng).then(|| rng.i64(-20..20)),
        day: some(rng).then(|| rng.u8(1..29)),
    };
    // The first record has everything, so that every column has its type.
    let first = Row { colour: Some("red"), size: Some(1), day: Some(1) };
    let mut rows = vec![first];
    rows.extend((0..rng.usize(5..60)).map(|_| row(rng)));
    let mut text = "number,colour,size,day\n".to_owned();
    for (at, row) in rows.iter().enumerate() {
        let size = row.size.map(|size| size.to_string()).unwrap_or_default();
        let day = row.day.map(|day| format!("2024-02-{day:02}")).unwrap_or_default();
        text += &format!("{},{},{size},{day}\n", at + 1, row.colour.unwrap_or_default());
    }
    (parse("rows", text.as_bytes(), Some("csv")).unwrap(), rows)
}

/// A condition on a field, and whether a record meets it.
type Condition = (&'static str, Value, Box<dyn Fn(&Row) -> bool>);

/// A comparison with a limit that a value may pass.
fn bound(rng: &mut Rng) -> (String, fn(i64, i64) -> bool) {
    let (operator, passes): (&str, fn(i64, i64) -> bool) = [
        ("gte", (|a, b| a >= b) as fn(i64, i64) -> bool),
        ("gt", |a, b| a > b),
        ("lte", |a, b| a <= b),
        ("lt", |a, b| a < b),
    ][rng.usize(0..4)];
    (operator.to_owned(), passes)
}

fn condition(rng: &mut Rng) -> Condition {
    match rng.u8(0..7) {
        0 => {
            let colour = COLOURS[rng.usize(0..COLOURS.len())];
            ("colour", json!(colour), Box::new(move |row| row.colour == Some(colour)))
        }
        1 => {
            let (one, other) = (COLOURS[rng.usize(0..4)], COLOURS[rng.usize(0..4)]);
            let is = move |row: &Row| row.colour == Some(one) || row.colour == Some(other) || row.colour.is_none();
            ("colour", json!([one, other, null]), Box::new(is))
        }
        2 => ("colour", Value::Null, Box::new(|row| row.colour.is_none())),
        3 => {
            let size = rng.i64(-20..20);
            ("size", json!(size), Box::new(move |row| row.size == Some(size)))
        }
        4 => {
            let limit = rng.i64(-25..25);
            let (operator, passes) = bound(rng);
            ("size", json!({ operator: limit }), Box::new(move |row| row.size.is_some_and(|size| passes(size, limit))))
        }
        5 => {
            let sizes: Vec<i64> = (0..rng.usize(1..5)).map(|_| rng.i64(-20..20)).collect();
            let given = json!(sizes);
            ("size", given, Box::new(move |row| row.size.is_some_and(|size| sizes.contains(&size))))
        }
        _ => {
            let limit = i64::from(rng.u8(1..29));
            let (operator, passes) = bound(rng);
            let given = json!({ operator: format!("2024-02-{limit:02}") });
            ("day", given, Box::new(move |row| row.day.is_some_and(|day| passes(i64::from(day), limit))))
        }
    }
}

fn asked(data: &Dataset, arguments: Value) -> Result<Value, QueryError> {
    let arguments: Object = arguments.as_object().cloned().unwrap_or_default();
    answer(data, &Query::parse(data, &arguments)?)
}

#[test]
fn a_filter_matches_the_records_that_meet_it() {
    fuzz(150, |rng| {
        let (data, rows) = table(rng);
        for _ in 0..10 {
            let mut filters = Object::new();
            let mut tests = Vec::new();
            for _ in 0..rng.usize(0..3) {
                let (field, given, test) = condition(rng);
                // One condition a field, as in an object.
                if filters.insert(field.to_owned(), given).is_none() {
                    tests.push(test);
                } else {
                    let last = tests.len() - 1;
                    tests[last] = test;
                    filters.clear();
                    tests.clear();
                }
            }
            let matching: Vec<usize> = (0..rows.len()).filter(|at| tests.iter().all(|test| test(&rows[*at]))).collect();
            let given = if rng.bool() { json!(filters) } else { json!(json!(filters).to_string()) };

            let found = asked(&data, json!({"filters": given, "group_by": "colour", "page_size": 100})).unwrap();

            assert_eq!(found["data_context"]["unique_ids_matched"], matching.len(), "{filters:?}");
            let numbers =
                found["documents"].as_array().unwrap().iter().map(|document| document["number"].as_u64().unwrap());
            let expected: Vec<u64> = matching.iter().map(|at| *at as u64 + 1).collect();
            assert_eq!(numbers.collect::<Vec<_>>(), expected, "{filters:?}");
        }
    });
}

/// Arguments that make sense, for changes that do not.
fn arguments(rng: &mut Rng) -> Value {
    let mut filters = Object::new();
    for _ in 0..rng.usize(0..3) {
        let (field, given, _) = condition(rng);
        filters.insert(field.to_owned(), given);
    }
    let groups = ["colour", "colour,size", "day"][rng.usize(0..3)];
    json!({
        "filters": filters,
        "group_by": groups,
        "date_histogram": {"field": "day", "interval": "day"},
        "top_n": rng.u32(1..10),
        "samples_per_bucket": rng.u32(0..3),
        "page_size": rng.u32(1..20),
    })
}

#[test]
fn any_arguments_are_answered_or_refused() {
    let (answered, refused) = (std::cell::Cell::new(0), std::cell::Cell::new(0));
    fuzz(1_500, |rng| {
        let (data, rows) = table(rng);
        for _ in 0..4 {
            let mut given = arguments(rng);
            match rng.u8(0..6) {
                0 => given["filters"] = mutate::value(rng, 4),
                1 => given["filters"] = json!(mutate::deep(rng.usize(1..20_000))),
                2 => given["search_after"] = mutate::value(rng, 2),
                _ => mutate::json(rng, &mut given),
            }

            match asked(&data, given.clone()) {
                Ok(found) => {
                    answered.set(answered.get() + 1);
                    let matched = found["data_context"]["unique_ids_matched"].as_u64().unwrap();
                    assert!(matched <= rows.len() as u64, "{given}");
                    assert!(found["documents"].as_array().unwrap().len() <= 100, "{given}");
                    assert!(found.to_string().len() < 2 << 20, "{given}");
                }
                Err(error) => {
                    refused.set(refused.get() + 1);
                    assert!(!matches!(error, QueryError::Store { .. }), "the store has refused {given}: {error}");
                    assert!(error.to_string().len() < 10_000, "{} bytes", error.to_string().len());
                }
            }
        }
    });
    println!("{} answered, {} refused", answered.get(), refused.get());
    assert!(answered.get() > 100 && refused.get() > 100);
}
