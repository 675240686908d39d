//! Bundles that anybody may have written: whatever stands in one, checking it ends with an answer, and never with a panic.

use std::cell::Cell;

use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::{Config, TestRunner};
use research_agents::dataset;
use research_agents::dataset::record::ReportFormat::ComprehensiveReport;
use research_agents::kernel::Bundle;
use serde_json::{Value, json};

use crate::resealed;
use crate::runs::file;

/// Changed bundles that are checked.
const CASES: u32 = 250;

/// A small run, so that many changes can be tried: counts, statistics, quotes, a chart.
fn small() -> Bundle {
    let rows: String = (1..=12)
        .map(|n| {
            format!("{n},{},{},note {n} is short,2024-{n:02}-01\n", ["red", "blue", "green"][n % 3], n as f64 * 1.25)
        })
        .collect();
    let content = format!("id,colour,size,note,day\n{rows}");
    let run = file("colours.csv", &content, "Size by colour", ComprehensiveReport);
    tokio::runtime::Runtime::new().unwrap().block_on(run)
}

#[derive(Clone, Debug)]
enum Change {
    /// Another value.
    Set(Value),
    /// A value from another place.
    Take(Index, Index),
    /// An item of a list twice.
    Twice(Index),
    /// A field or item less.
    Drop(Index),
    /// A text with something put into it.
    Insert(Index, String),
}

/// Values that nobody has expected.
fn value() -> impl Strategy<Value = Value> {
    let deep = (0..100).fold(json!(1), |inner, _| json!([inner]));
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        prop::sample::select(vec![0, 1, 1 << 53, (1 << 53) + 1, u64::MAX - 1, u64::MAX]).prop_map(Value::from),
        prop::sample::select(vec![-1, i64::MIN]).prop_map(Value::from),
        prop::sample::select(vec![-0.0, 0.5, 1e308, -1e308, 5e-324]).prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
        prop::sample::select(vec!["", "\u{1b}[2J\u{0}", "[1] (A1)", "2024-13-41", "NaN", "-", "ß", "{\"a\": [1]}"])
            .prop_map(Value::from),
        Just(json!("9".repeat(400))),
        Just(json!("ü ".repeat(3_000))),
        Just(json!([])),
        Just(json!({})),
        Just(deep),
    ]
}

fn change() -> impl Strategy<Value = Change> {
    let index = any::<Index>;
    prop_oneof![
        4 => value().prop_map(Change::Set),
        2 => (index(), index()).prop_map(|(part, place)| Change::Take(part, place)),
        1 => index().prop_map(Change::Twice),
        1 => index().prop_map(Change::Drop),
        2 => (index(), ".{0,3}|[0-9.,%()\\[\\]-]{1,3}").prop_map(|(at, text)| Change::Insert(at, text)),
    ]
}

/// The pointers of all values, by the part of the bundle in which they stand: most of a bundle is recorded traffic.
fn places(whole: &Value) -> Vec<Vec<String>> {
    fn walk(value: &Value, pointer: &str, found: &mut Vec<String>) {
        found.push(pointer.to_owned());
        match value {
            Value::Array(items) => {
                items.iter().enumerate().for_each(|(at, item)| walk(item, &format!("{pointer}/{at}"), found));
            }
            Value::Object(fields) => {
                for (name, value) in fields {
                    walk(value, &format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1")), found);
                }
            }
            _ => {}
        }
    }
    let mut parts = Vec::new();
    for (name, value) in whole.as_object().unwrap() {
        let inner = value.as_object().filter(|_| ["report", "evidence", "settings"].contains(&name.as_str()));
        let inner: Vec<String> = inner.map_or_else(
            || vec![format!("/{name}")],
            |fields| fields.keys().map(|part| format!("/{name}/{part}")).collect(),
        );
        for part in inner {
            let mut found = Vec::new();
            walk(whole.pointer(&part).unwrap(), &part, &mut found);
            parts.push(found);
        }
    }
    parts
}

/// A place in a part.
fn picked<'p>(places: &'p [Vec<String>], part: &Index, place: &Index) -> &'p str {
    let part: &Vec<String> = part.get(places);
    let pointer: &String = place.get(part.as_slice());
    pointer
}

fn apply(whole: &mut Value, places: &[Vec<String>], pointer: &str, change: &Change) {
    let taken = match change {
        Change::Take(part, place) => whole.pointer(picked(places, part, place)).cloned(),
        _ => None,
    };
    // An earlier change may have removed the place.
    let Some(value) = whole.pointer_mut(pointer) else { return };
    match (change, value) {
        (Change::Set(other), value) => value.clone_from(other),
        (Change::Take(..), value) => *value = taken.unwrap_or_default(),
        (Change::Twice(at), Value::Array(items)) if !items.is_empty() => items.push(at.get(items).clone()),
        (Change::Drop(at), Value::Array(items)) if !items.is_empty() => drop(items.remove(at.index(items.len()))),
        (Change::Drop(at), Value::Object(fields)) if !fields.is_empty() => {
            let name = fields.keys().nth(at.index(fields.len())).unwrap().clone();
            fields.remove(&name);
        }
        (Change::Insert(at, more), Value::String(text)) => {
            let places: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
            text.insert_str(*at.get(&places), more);
        }
        _ => {}
    }
}

fn runner(cases: u32) -> TestRunner {
    TestRunner::new(Config { cases, failure_persistence: None, ..Config::default() })
}

#[test]
fn whatever_stands_in_a_bundle_its_check_ends_with_an_answer() {
    let bundle = small();
    assert!(dataset::verify(&bundle).holds());
    let whole = serde_json::to_value(&bundle).unwrap();
    let places = places(&whole);
    let changes = prop::collection::vec((any::<Index>(), any::<Index>(), change()), 1..4);
    let read = Cell::new(0);
    let outcome = runner(CASES).run(&changes, |changes| {
        let mut changed = whole.clone();
        for (part, place, change) in &changes {
            apply(&mut changed, &places, picked(&places, part, place), change);
        }
        if let Ok(bundle) = serde_json::from_value::<Bundle>(changed) {
            read.set(read.get() + 1);
            // The second has its digest computed again.
            let (first, second) = (dataset::verify(&bundle), resealed(bundle));
            prop_assert!(!first.checks.is_empty() && !second.checks.is_empty());
        }
        Ok(())
    });
    outcome.unwrap();
    assert!(read.get() > CASES / 10, "only {} of the changed bundles could be read", read.get());
}

#[test]
fn whatever_the_bytes_are_reading_them_ends_with_an_answer() {
    let text = small().to_json().unwrap();
    let changes = prop::collection::vec((any::<Index>(), any::<u8>()), 1..6);
    runner(CASES / 5)
        .run(&(changes, any::<Index>(), any::<bool>()), |(changes, end, is_cut)| {
            let mut bytes = text.clone().into_bytes();
            for (at, byte) in &changes {
                let at = at.index(bytes.len());
                bytes[at] = *byte;
            }
            if is_cut {
                bytes.truncate(end.index(bytes.len()));
            }
            if let Ok(bundle) = Bundle::read(bytes.as_slice()) {
                prop_assert!(!dataset::verify(&bundle).checks.is_empty());
            }
            Ok(())
        })
        .unwrap();
    runner(CASES)
        .run(&prop::collection::vec(any::<u8>(), 0..200), |bytes| {
            prop_assert!(Bundle::read(bytes.as_slice()).is_err());
            Ok(())
        })
        .unwrap();
}
