//! Servers whose schemas are made to cost time: budgets and Ctrl-C end the program all the same.
#![cfg(target_os = "linux")]

use std::time::Instant;

use serde_json::{Map, Value, json};

use crate::events::Events;
use crate::program::{Running, fixture};
use crate::scratch::Scratch;

/// A schema of which each level applies the next one twice, for every record.
fn branching(levels: usize) -> Value {
    let next = |level: usize| json!({"$ref": format!("#/$defs/d{level}")});
    let both = |level| json!({"allOf": [next(level + 1), next(level + 1)]});
    let mut definitions: Map<String, Value> = (0..levels).map(|level| (format!("d{level}"), both(level))).collect();
    definitions.insert(format!("d{levels}"), json!({"type": "object"}));
    let documents = json!({"type": "array", "items": next(0)});
    json!({"type": "object", "$defs": definitions, "properties": {"documents": documents}})
}

/// Schemas by name: too large to be used, and as large as may be.
fn schemas() -> [(&'static str, Value); 3] {
    [
        ("a check without an end", branching(30)),
        ("a check that may be made", branching(12)),
        (
            "a pattern that goes back and forth",
            json!({"type": "object", "properties": {"documents": {"items": {
                "properties": {"title": {"pattern": "^(([a-z ])+.)+[A-Z]([a-z ])+$"}}
            }}}}),
        ),
    ]
}

fn start(schema: &Value, more: &[&str]) -> (Running, Scratch) {
    let scratch = Scratch::new();
    let file = scratch.write("promise.json", schema.to_string());
    let command = fixture(&format!("--events 2000 --promise {file}"));
    let arguments = ["--json", "--mcp-command", &command, "Events by theme"];
    (Running::start(&[&arguments, more].concat(), None), scratch)
}

#[test]
fn a_budget_of_time_holds_whatever_results_cost_to_check() {
    for (name, schema) in schemas() {
        let started = Instant::now();
        let (running, _scratch) = start(&schema, &["--budget", "time=10s"]);
        let run = Events::new(running.end());
        println!("{name}: ended after {:?}", started.elapsed());
        assert!(run.is_completed() || run.ran.code == Some(1), "{name}: {:?}", run.ran);
    }
}

#[test]
fn ctrl_c_ends_the_program_whatever_results_cost_to_check() {
    for (name, schema) in schemas() {
        let (mut running, _scratch) = start(&schema, &[]);
        running.wait_for(|line| line.contains("\"tool_call\""));
        let pressed = Instant::now();
        running.interrupt();
        let run = Events::new(running.end());
        println!("{name}: ended {:?} after Ctrl-C", pressed.elapsed());
        assert!(run.is_completed() || run.ran.code == Some(130), "{name}: {:?}", run.ran);
    }
}
