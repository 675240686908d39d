//! Every field of the form of a bundle is changed, and everything that a forger can compute again is computed again. Each change
//! is found, or the verification says that no check covers this part. The documentation lists these parts.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs;
use std::path::Path;

use research_agents::dataset;
use research_agents::dataset::record::ReportFormat::ComprehensiveReport;
use research_agents::kernel::Bundle;
use research_agents::kernel::bundle::verify::Outcome;
use research_agents::kernel::bundle::{BundledSource, CheckKind, canonical, sha256};
use serde_json::{Value, json};

use crate::failures;
use crate::runs::{file, orders};

/// Places that are tried of each field. `VERIFY_FIELDS` sets another number.
const PLACES: usize = 1;
/// Digits of the hash under which a recorded call is kept.
const DIGITS: usize = 32;

const DOCUMENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/dataset.md");
const BEGIN: &str = "<!-- parts of a bundle that no check covers: begin -->";
const END: &str = "<!-- parts of a bundle that no check covers: end -->";

/// A small run, so that every field can be changed: counts, statistics, a chart, and lines of every kind.
async fn small() -> Bundle {
    let row = |n: usize| format!("{n},{},{},note {n} is short\n", ["red", "blue", "green"][n % 3], n as f64 * 1.25);
    let rows: String = (1..=12).map(row).collect();
    file("colours.csv", &format!("id,colour,size,note\n{rows}"), "Size by colour", ComprehensiveReport).await
}

/// What is done to a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Change {
    Value,
    Sign,
    Order,
    Removal,
    Duplication,
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Value => "value",
            Self::Sign => "sign",
            Self::Order => "order",
            Self::Removal => "removal",
            Self::Duplication => "duplication",
        })
    }
}

/// A changed bundle: where, in what way, and how it reads.
struct Changed {
    field: String,
    change: Change,
    whole: Value,
}

/// The fields of the form with the places that they have in a bundle. Items of a list are one field, and so are sections at any
/// depth.
fn fields(whole: &Value) -> BTreeMap<String, Vec<String>> {
    fn walk(value: &Value, field: &str, pointer: &str, found: &mut BTreeMap<String, Vec<String>>) {
        found.entry(field.to_owned()).or_default().push(pointer.to_owned());
        match value {
            Value::Array(items) => {
                for (at, item) in items.iter().enumerate() {
                    let kind = item.get("type").and_then(Value::as_str).unwrap_or_default();
                    let inner = format!("{field}[{kind}]");
                    walk(item, &inner, &format!("{pointer}/{at}"), found);
                }
            }
            Value::Object(fields) => {
                for (name, value) in fields {
                    let escaped = name.replace('~', "~0").replace('/', "~1");
                    let inner = if field.is_empty() { name.clone() } else { format!("{field}.{name}") };
                    let inner = inner.replace("sections[].sections", "sections");
                    walk(value, &inner, &format!("{pointer}/{escaped}"), found);
                }
            }
            _ => {}
        }
    }
    let mut found = BTreeMap::new();
    walk(whole, "", "", &mut found);
    found
}

/// The changes of a value.
fn changes(value: &Value) -> Vec<(Change, Value)> {
    match value {
        Value::Null => vec![(Change::Value, json!(7))],
        Value::Bool(flag) => vec![(Change::Value, json!(!flag))],
        Value::Number(number) => {
            let more = number.as_u64().map_or_else(|| json!(number.as_f64().unwrap() + 1.0), |n| json!(n + 1));
            let negative = number.as_i64().map_or_else(|| json!(-number.as_f64().unwrap()), |n| json!(-n));
            vec![(Change::Value, more), (Change::Sign, negative)]
        }
        Value::String(text) => vec![(Change::Value, changed(text).into()), (Change::Removal, json!(""))],
        Value::Array(items) => {
            let mut found = Vec::new();
            if let Some(first) = items.first() {
                found.push((Change::Removal, items[1..].to_vec().into()));
                found.push((Change::Duplication, [std::slice::from_ref(first), items.as_slice()].concat().into()));
            }
            if let [first, second, rest @ ..] = items.as_slice() {
                found.push((Change::Order, [&[second.clone(), first.clone()], rest].concat().into()));
            }
            found
        }
        Value::Object(_) => Vec::new(),
    }
}

/// A text with another letter or digit in its middle.
fn changed(text: &str) -> String {
    let letters: Vec<(usize, char)> = text.char_indices().filter(|(_, c)| c.is_ascii_alphanumeric()).collect();
    let Some((at, c)) = letters.get(letters.len() / 2).copied() else { return format!("{text}x") };
    let other = match c {
        '9' => '1',
        'z' | 'Z' => 'b',
        c => char::from(c as u8 + 1),
    };
    format!("{}{other}{}", &text[..at], &text[at + 1..])
}

/// Parts whose fields are those of systems, models and tools, and not of the form of a bundle. Of each some are changed.
const FREE: [&str; 9] = [
    "interaction",
    "structured",
    "arguments",
    "schema",
    "journal[",
    "settings.config",
    "model.",
    "fields",
    "annotations",
];
/// Fields of a free part that are changed.
const FREE_FIELDS: usize = 12;

/// Every change of every field, at so many places.
fn all_changes(whole: &Value, places: usize) -> Vec<Changed> {
    let mut found = Vec::new();
    let mut tried: BTreeMap<&str, usize> = BTreeMap::new();
    for (field, pointers) in fields(whole) {
        if let Some(free) = FREE.iter().find(|free| field.contains(**free)) {
            let tried = tried.entry(free).or_default();
            *tried += 1;
            if *tried > FREE_FIELDS * places {
                continue;
            }
        }
        let step = pointers.len().div_ceil(places).max(1);
        for pointer in pointers.iter().step_by(step) {
            let mut add = |change, edit: &dyn Fn(&mut Value)| {
                let mut whole = whole.clone();
                edit(&mut whole);
                found.push(Changed { field: field.clone(), change, whole });
            };
            for (change, value) in changes(whole.pointer(pointer).unwrap()) {
                add(change, &|whole| *whole.pointer_mut(pointer).unwrap() = value.clone());
            }
            if let Some((outer, name)) = pointer.rsplit_once('/') {
                let name = name.replace("~1", "/").replace("~0", "~");
                if whole.pointer(outer).unwrap().is_object() {
                    add(Change::Removal, &|whole| {
                        whole.pointer_mut(outer).unwrap().as_object_mut().unwrap().remove(&name);
                    });
                }
            }
        }
    }
    found
}

/// Computes everything again that follows from the rest of a bundle: the hashes of records and calls, the Markdown, the digest.
fn forged(mut bundle: Bundle) -> Bundle {
    let mut whole = serde_json::to_value(&bundle).unwrap();
    for effect in whole["effects"].as_array_mut().unwrap() {
        let arguments = effect["exchanges"].as_array().unwrap().iter().find(|exchange| exchange["type"] == "tool");
        if let Some(arguments) = arguments.map(|exchange| exchange["arguments"].clone()) {
            effect["with"] = sha256(&canonical(arguments))[..DIGITS].into();
        }
    }
    bundle.effects = serde_json::from_value(whole["effects"].take()).unwrap();
    for sealed in &mut bundle.evidence.sources {
        sealed.sha256 = BundledSource::hash_of(&sealed.source);
    }
    bundle.markdown = bundle.report.to_markdown();
    bundle.seal().unwrap();
    bundle
}

/// The parts that a verification says no check covers, with the reasons.
fn not_covered(bundle: &Bundle) -> Vec<(String, String)> {
    let checks = dataset::verify(bundle).checks;
    let parts = checks.into_iter().filter(|check| check.kind == CheckKind::Provenance);
    parts
        .filter_map(|check| match check.outcome {
            Outcome::NotCovered { why } => Some((check.what, why)),
            _ => None,
        })
        .collect()
}

#[tokio::test]
async fn a_change_of_any_field_is_found_or_named_as_not_covered() {
    let bundle = small().await;
    assert!(dataset::verify(&bundle).holds(), "{:#?}", failures(&dataset::verify(&bundle)));
    let parts = not_covered(&bundle);
    let places = std::env::var("VERIFY_FIELDS").ok().and_then(|text| text.parse().ok()).unwrap_or(PLACES);

    let (mut missed, mut unnamed) = (BTreeMap::<&str, BTreeSet<Change>>::new(), BTreeSet::new());
    let mut tried = 0;
    for Changed { field, change, whole } in all_changes(&serde_json::to_value(&bundle).unwrap(), places) {
        let Ok(read) = serde_json::from_value::<Bundle>(whole) else { continue };
        let read = forged(read);
        if read == bundle {
            continue;
        }
        tried += 1;
        if dataset::verify(&read).holds() {
            match parts.iter().find(|(part, _)| is_part(&field, part)) {
                Some((part, _)) => drop(missed.entry(part).or_default().insert(change)),
                None => drop(unnamed.insert(format!("{field}: {change}"))),
            }
        }
    }

    println!("{tried} changed bundles were verified");
    assert!(unnamed.is_empty(), "neither found nor named: {unnamed:#?}");
    let rows = parts.iter().filter_map(|(part, why)| {
        let changes: Vec<String> = missed.get(part.as_str())?.iter().map(Change::to_string).collect();
        Some(format!("| `{part}` | {} | {why} |\n", changes.join(", ")))
    });
    let head = "| part of the bundle | changes that are not found | why |\n|---|---|---|\n";
    let table = format!("{head}{}", rows.collect::<String>());
    // The table is that of the places that are always tried.
    if places == PLACES {
        documented(&table);
    }
}

/// Whether a field belongs to a part. A part that ends in `[]` is a list without its items.
fn is_part(field: &str, part: &str) -> bool {
    match part.strip_suffix("[]") {
        Some(list) => field == list,
        None => field.strip_prefix(part).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '['])),
    }
}

/// Compares the documentation with the table, or writes the table into it if `UPDATE_DOCS` is set.
fn documented(table: &str) {
    let document = fs::read_to_string(DOCUMENT).unwrap();
    let (before, rest) = document.split_once(BEGIN).expect("the document has no table");
    let (_, after) = rest.split_once(END).expect("the table has no end");
    let written = format!("{before}{BEGIN}\n\n{table}\n{END}{after}");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(Path::new(DOCUMENT), &written).unwrap();
    }
    let now = fs::read_to_string(DOCUMENT).unwrap();
    assert!(now == written, "docs/dataset.md is out of date; set UPDATE_DOCS to write it again:\n{table}");
}

#[tokio::test]
async fn a_field_that_no_bundle_has_is_refused_wherever_it_stands() {
    let bundle = file("orders.csv", &orders(), "Net (EUR) by Region, 2nd level", ComprehensiveReport).await;
    let whole = serde_json::to_value(&bundle).unwrap();
    // What systems, models and tools wrote has no form of its own.
    let is_free = |field: &str| {
        ["journal[", "interaction", "arguments", "structured", "schema", "fields", "meta", "settings", "input", "model"]
            .iter()
            .any(|part| field.contains(part))
    };
    let mut refused = 0;
    for (field, pointers) in fields(&whole) {
        let pointer = &pointers[0];
        if is_free(&field) || !whole.pointer(pointer).unwrap().is_object() {
            continue;
        }
        let mut changed = whole.clone();
        changed.pointer_mut(pointer).unwrap()["certified_by"] = "somebody".into();
        let error = Bundle::from_json(&changed.to_string()).expect_err(&field);
        // What is one of several things has a single field, and no name for a second one.
        let is_choice = field.ends_with("outcome") || field.ends_with("over");
        assert!(is_choice || error.to_string().contains("certified_by"), "{field}: {error}");
        refused += 1;
    }
    assert!(refused > 15, "only {refused} objects were tried");

    for part in ["settings/config", "settings", "input", "model"] {
        let mut changed = whole.clone();
        changed.pointer_mut(&format!("/{part}")).unwrap()["certified_by"] = "somebody".into();
        let read = forged(Bundle::from_json(&changed.to_string()).unwrap());
        assert!(!dataset::verify(&read).holds(), "{part}");
    }
}

#[tokio::test]
async fn a_field_that_is_given_twice_is_refused_wherever_it_stands() {
    let bundle = file("orders.csv", &orders(), "Orders by channel", ComprehensiveReport).await;
    let text = bundle.to_json().unwrap();
    for (name, at) in [("replays", "replays"), ("number", "number"), ("Channel", "Channel"), ("read", "read")] {
        let field = format!("\"{name}\":");
        let start = text.find(&field).unwrap();
        let twice = format!("{}{field} 0, {}", &text[..start], &text[start..]);
        let error = Bundle::from_json(&twice).expect_err(name).to_string();
        assert!(error.contains("twice") && error.contains(at), "{name}: {error}");
    }
}
