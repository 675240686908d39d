//! `trace.json` and `evidence.json`.

use serde_json::{Value, json};

use crate::run::ResearchRun;

/// Returns the run step by step, with the reasoning of each decision.
pub fn trace_json(run: &ResearchRun) -> String {
    let mut value = serde_json::to_value(run).unwrap_or_default();
    if let Some(fields) = value.as_object_mut() {
        // The evidence is another artifact.
        fields.remove("evidence");
    }
    let steps = value.get_mut("steps").and_then(Value::as_array_mut);
    for step in steps.into_iter().flatten() {
        if let Some(data) = step.get_mut("data").and_then(Value::as_object_mut) {
            data.remove("answer");
        }
    }
    pretty(&value)
}

/// Returns all evidence of the run.
pub fn evidence_json(run: &ResearchRun) -> String {
    pretty(&json!({
        "run_id": run.run_id,
        "cited": run.cited,
        "evidence": run.evidence,
    }))
}

/// Returns the places of sites that are counted in the answer and not cited, as far as code has
/// listed them.
pub fn sites_json(run: &ResearchRun) -> Vec<String> {
    let further = run
        .steps
        .iter()
        .filter_map(|step| step.data.get("further")?.as_array());
    let places = further.flatten().filter_map(Value::as_str);
    places.map(str::to_owned).collect()
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}
