//! Calls, values and phases as people read them.

use console::truncate_str;
use research_agents::ErrorCategory;
use research_agents::dataset::record::Object;
use research_agents::dataset::{Changed, Phase, describe_filters};
use serde_json::Value;

/// Widest value of an argument that is shown, in columns.
const VALUE: usize = 48;

/// A call in words, such as `scanner analyze_events where Phase of flight = Approach`. What repeats the question is left out.
pub fn call(name: &str, arguments: &Object, question: &str) -> String {
    let mut words = vec![name.to_string()];
    arguments_in_words(&mut words, arguments, question);
    words.join(" ")
}

fn arguments_in_words(words: &mut Vec<String>, arguments: &Object, question: &str) {
    for (key, value) in arguments {
        // A tool takes nested arguments as JSON in a text.
        let parsed = value.as_str().and_then(|text| serde_json::from_str::<Value>(text).ok());
        let object = parsed.as_ref().unwrap_or(value).as_object();
        match (key.as_str(), object) {
            ("filters", Some(filters)) if !filters.is_empty() => {
                words.push(format!("where {}", describe_filters(filters)));
            }
            ("date_histogram", Some(histogram)) => {
                let part = |name: &str| histogram.get(name).map(self::value).unwrap_or_default();
                words.push(format!("over {} by {}", part("field"), part("interval")));
            }
            ("tool_args", Some(inner)) => arguments_in_words(words, inner, question),
            ("group_by", _) => words.push(format!("by {}", self::value(value))),
            ("tool_name" | "tool_names", _) => words.push(self::value(value)),
            _ if value.as_str() == Some(question) => {}
            _ => words.push(format!("{key}={}", truncate_str(&self::value(value), VALUE, "…"))),
        }
    }
}

/// A value as people write it: texts without quotes, lists joined.
pub fn value(value: &Value) -> String {
    match value {
        Value::Null => "(none)".to_string(),
        Value::String(text) => text.clone(),
        Value::Array(values) => values.iter().map(self::value).collect::<Vec<_>>().join(" · "),
        other => other.to_string(),
    }
}

/// So many things.
pub fn number(count: u64, thing: &str) -> String {
    if count == 1 { format!("1 {thing}") } else { format!("{count} {thing}s") }
}

/// A new try in words, such as `analyze_events is tried again in 1.2 s (timeout): page_size 100 → 50`.
pub fn retry(what: &str, category: ErrorCategory, changed: &Changed, wait_ms: u64) -> String {
    let pause = if wait_ms == 0 { String::new() } else { format!(" in {:.1} s", wait_ms as f64 / 1000.0) };
    let changes: Vec<String> = changed.iter().map(|(name, [old, new])| format!("{name} {old} → {new}")).collect();
    let changes = if changes.is_empty() { String::new() } else { format!(": {}", changes.join(", ")) };
    format!("{what} is tried again{pause} ({}){changes}", category.as_str())
}

/// What a phase does.
pub fn phase(phase: Phase) -> &'static str {
    match phase {
        Phase::Planning => "planning",
        Phase::Decomposing => "breaking the question down",
        Phase::Aggregating => "counting",
        Phase::Sampling => "reading samples",
        Phase::Scanning => "reading records",
        Phase::Extracting => "drawing findings",
        Phase::Validating => "reviewing",
        Phase::Synthesizing => "writing the report",
        Phase::Complete => "complete",
    }
}

/// A number with at most two decimals.
pub fn amount(number: f64) -> String {
    let text = format!("{number:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    text.to_string()
}
