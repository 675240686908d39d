//! Calls that wait for others run after them, however the plan is written, and none is left out.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use futures::StreamExt;
use research_agents::dataset::{DatasetAgent, DatasetEventKind, EventKind, RunEvent};
use serde_json::{Value, json};

use crate::fake::FakeTool;
use crate::script::{PLAN, helpful, plan};

/// When sub-agents began and ended, as `+name` and `-name`, and the calls of the tool.
async fn course(first: Value) -> (Vec<String>, usize) {
    let tool = Arc::new(FakeTool::new("analyze_events", 15));
    let model = helpful().on_task(PLAN, first).always(PLAN, plan(&[("synthesizer", json!({}))], &[]));
    let agent = DatasetAgent::builder(model, Arc::clone(&tool)).build().unwrap();

    let mut stream = agent.run("numbers by parity").stream();
    let mut course = Vec::new();
    while let Some(event) = stream.next().await {
        let kind: EventKind<DatasetEventKind> = event.kind;
        match kind {
            EventKind::Run(RunEvent::AgentStarted { agent }) => course.push(format!("+{agent}")),
            EventKind::Run(RunEvent::AgentFinished { agent, ok, .. }) => {
                assert!(ok, "{agent} failed");
                course.push(format!("-{agent}"));
            }
            _ => {}
        }
    }
    stream.outcome().await.unwrap();
    (course, tool.calls.load(Ordering::SeqCst))
}

fn call(id: &str, agent: &str, arguments: Value, on: &[&str]) -> Value {
    json!({"id": id, "agent": agent, "arguments": arguments, "depends_on": on})
}

fn calls(calls: &[Value]) -> Value {
    json!({"reasoning": "", "tool_calls": [], "sub_agent_calls": calls})
}

fn place(course: &[String], step: &str) -> usize {
    course.iter().position(|other| other == step).unwrap_or_else(|| panic!("no {step} in {course:?}"))
}

#[tokio::test]
async fn a_call_runs_after_those_it_waits_for() {
    let planned = [
        call("c", "perspective", json!({}), &["b"]),
        call("b", "decomposer", json!({}), &["a"]),
        call("a", "aggregator", json!({"group_by": "parity"}), &[]),
    ];
    let (course, _) = course(calls(&planned)).await;

    assert!(place(&course, "-aggregator") < place(&course, "+decomposer"), "{course:?}");
    assert!(place(&course, "-decomposer") < place(&course, "+perspective"), "{course:?}");
}

#[tokio::test]
async fn what_waits_for_a_repeated_call_waits_for_the_one_that_is_made() {
    let count = json!({"group_by": "parity"});
    let planned = [
        call("late", "decomposer", json!({}), &["twin"]),
        call("one", "aggregator", count.clone(), &[]),
        call("twin", "aggregator", count, &[]),
    ];
    let (course, calls) = course(calls(&planned)).await;

    assert_eq!((course.iter().filter(|step| *step == "+aggregator").count(), calls), (1, 1));
    assert!(place(&course, "-aggregator") < place(&course, "+decomposer"), "{course:?}");
}

#[tokio::test]
async fn thirty_scans_in_turn_are_all_made() {
    let scan = |number: usize| {
        let arguments = json!({"extraction_focus": format!("view {number}")});
        call(&format!("s{number}"), "scanner", arguments, &[])
    };
    let planned: Vec<Value> = (0..30).map(scan).collect();
    let (course, _) = course(calls(&planned)).await;

    let scans: Vec<&String> = course.iter().filter(|step| step.ends_with("scanner")).collect();
    let in_turn: Vec<&str> = ["+scanner", "-scanner"].into_iter().cycle().take(60).collect();
    assert_eq!(scans, in_turn, "each begins when the one before has ended");
    assert_eq!(course.last().map(String::as_str), Some("-synthesizer"));
}
