//! Plans before and after the guards.

mod calls;
mod filters;

use research_agents_runtime::error::ErrorCategory;

use crate::data::call::{CallError, CompletedCall};
use crate::data::task::{FieldFacts, ToolFacts};
use crate::found::coverage::QueryReport;
use crate::graph::plan::correct;
use crate::graph::plan::correct::*;
use crate::graph::plan::tidy::last_chance;

/// Returns the plan that is carried out, and what was changed.
fn guard(plan: PlannerOutput, state: &DatasetState) -> (PlannerOutput, Vec<String>) {
    let Guarded {
        plan,
        form,
        counted,
    } = correct::guard(plan, state);
    (
        plan,
        form.into_iter()
            .chain(counted.iter().map(ToString::to_string))
            .collect(),
    )
}

fn call(id: &str, agent: &str, on: &[&str]) -> SubAgentCall {
    let depends_on = on.iter().map(|id| (*id).to_owned()).collect();
    SubAgentCall {
        id: id.into(),
        agent: agent.into(),
        arguments: Object::new(),
        depends_on,
    }
}

fn tool(id: &str, arguments: Value) -> ToolCall {
    let arguments = arguments.as_object().unwrap().clone();
    ToolCall {
        id: id.into(),
        tool: "analyze_events".into(),
        arguments,
    }
}

fn plan(sub_agent_calls: Vec<SubAgentCall>, tool_calls: Vec<ToolCall>) -> PlannerOutput {
    PlannerOutput {
        reasoning: String::new(),
        sub_agent_calls,
        tool_calls,
    }
}

fn state() -> DatasetState {
    DatasetState {
        enabled_tools: vec!["analyze_events".into()],
        ..DatasetState::default()
    }
}

fn with_unread(total: u64) -> DatasetState {
    let mut state = state();
    let filters = json!({"country": "India"}).as_object().unwrap().clone();
    state.ledger.enter(&QueryReport {
        tool: "analyze_events".into(),
        filters,
        total: Some(total),
        records: vec!["1".into()],
        ..QueryReport::default()
    });
    state
        .extracted_sources
        .register(research_agents_report::evidence::Source::default());
    state
}

fn agents(plan: &PlannerOutput) -> Vec<&str> {
    plan.sub_agent_calls
        .iter()
        .map(|call| call.agent.as_str())
        .collect()
}

#[test]
fn a_report_before_any_data_is_left_out() {
    let (plan, notes) = guard(
        plan(vec![call("a", "synthesizer", &[])], Vec::new()),
        &state(),
    );
    assert!(plan.sub_agent_calls.is_empty());
    assert_eq!(notes.len(), 1);
}

#[test]
fn unread_documents_force_a_scan_with_their_filters() {
    let stubborn = plan(
        vec![call("a", "synthesizer", &[])],
        vec![tool("t", json!({}))],
    );
    let (plan, notes) = guard(stubborn, &with_unread(165));
    assert_eq!(agents(&plan), ["scanner"]);
    assert!(plan.tool_calls.is_empty());
    let arguments = &plan.sub_agent_calls[0].arguments;
    assert_eq!(arguments["tool_args"]["filters"], "{\"country\":\"India\"}");
    assert_eq!(arguments["batch_size"], 100);
    assert_eq!(notes.len(), 1);
}

#[test]
fn a_planned_scan_stays_and_the_report_waits_for_it() {
    let both = plan(
        vec![call("r", "synthesizer", &[]), call("s", "scanner", &[])],
        Vec::new(),
    );
    let (plan, notes) = guard(both, &with_unread(165));
    assert_eq!(agents(&plan), ["synthesizer", "scanner"]);
    assert_eq!(plan.sub_agent_calls[0].depends_on, ["s"]);
    assert!(notes.is_empty());
    assert_eq!(
        ready(&plan.sub_agent_calls, &[]),
        [plan.sub_agent_calls[1].clone()]
    );
}

#[test]
fn the_report_is_planned_once() {
    let twice = plan(
        vec![call("a", "synthesizer", &[]), call("b", "synthesizer", &[])],
        Vec::new(),
    );
    let mut state = with_unread(1);
    state.ledger.close("analyze_events", None, "");
    assert_eq!(agents(&guard(twice, &state).0), ["synthesizer"]);
}

#[test]
fn a_tool_gets_no_argument_that_it_does_not_take() {
    let mut state = state();
    state.overrides.filters = json!({"a": 1}).as_object().cloned();
    state.available_tools = vec![ToolFacts {
        name: "analyze_events".into(),
        arguments: vec!["query".into()],
        ..ToolFacts::default()
    }];
    let (fixed, _) = guard(
        plan(Vec::new(), vec![tool("t", json!({"query": "x"}))]),
        &state,
    );
    assert_eq!(
        Value::Object(fixed.tool_calls[0].arguments.clone()),
        json!({"query": "x"})
    );
}

#[test]
fn a_grouping_that_the_user_fixed_is_computed_even_if_the_plan_forgot_it() {
    let mut state = state();
    state.overrides.group_by = Some(vec!["Size".into()]);
    let (fixed, _) = guard(plan(vec![call("d", "decomposer", &[])], Vec::new()), &state);
    assert_eq!(agents(&fixed), ["decomposer", "aggregator"]);
}

#[test]
fn the_user_chooses_the_format_of_the_report() {
    for (planned, kept) in [("executive_summary", None), ("haiku", Some(json!("haiku")))] {
        let mut report = call("r", "synthesizer", &[]);
        report.arguments.insert("format".into(), json!(planned));
        let (fixed, _) = guard(
            plan(vec![report, call("e", "extractor", &[])], Vec::new()),
            &with_unread(1),
        );
        assert_eq!(agents(&fixed), ["synthesizer", "extractor"]);
        assert_eq!(
            fixed.sub_agent_calls[0].arguments.get("format"),
            kept.as_ref(),
            "{planned}"
        );
    }
}

#[test]
fn a_scan_is_sent_no_argument_that_its_tool_does_not_know() {
    let text = json!({"type": "string"});
    let schema = json!({"properties": {"filters": text, "group_by": text}})
        .as_object()
        .unwrap()
        .clone();
    let state = DatasetState {
        listed_tools: vec![research_mcp::Tool::new("s", "analyze_events", schema)],
        ..state()
    };
    let words =
        json!({"filters": "{}", "group_by": "a", "top_n": 3, "page_size": 5, "search_after": [1]});

    for (tool, kept) in [
        (json!({}), false),
        (json!({"tool_name": "analyze_events"}), false),
        (json!({"tool_name": "x"}), true),
    ] {
        let mut scan = call("s", "scanner", &[]);
        scan.arguments = tool.as_object().unwrap().clone();
        let mut given = words.as_object().unwrap().clone();
        given.insert("batch_size".into(), json!(100));
        scan.arguments
            .insert("tool_args".into(), Value::Object(given));
        let (fixed, notes) = guard(plan(vec![scan], Vec::new()), &state);
        let sent = fixed.sub_agent_calls[0].arguments["tool_args"]
            .as_object()
            .unwrap();
        assert!(
            words
                .as_object()
                .unwrap()
                .keys()
                .all(|word| sent.contains_key(word)),
            "{sent:?}"
        );
        assert_eq!(
            (sent.contains_key("batch_size"), notes.is_empty()),
            (kept, kept),
            "{notes:?}"
        );
    }
}
