//! Plans before and after the guards.

use super::*;
use crate::ErrorCategory;
use crate::dataset::scope::QueryReport;
use crate::dataset::state::{CallError, CompletedCall};
use crate::dataset::task::{FieldFacts, ToolFacts};

/// The plan that is carried out, and what was changed.
fn guard(plan: PlannerOutput, state: &DatasetState) -> (PlannerOutput, Vec<String>) {
    let Guarded { plan, form, counted } = super::guard(plan, state);
    (plan, form.into_iter().chain(counted.iter().map(ToString::to_string)).collect())
}

fn call(id: &str, agent: &str, on: &[&str]) -> SubAgentCall {
    let depends_on = on.iter().map(|id| (*id).to_owned()).collect();
    SubAgentCall { id: id.into(), agent: agent.into(), arguments: Object::new(), depends_on }
}

fn tool(id: &str, arguments: Value) -> ToolCall {
    let arguments = arguments.as_object().unwrap().clone();
    ToolCall { id: id.into(), tool: "analyze_events".into(), arguments }
}

fn plan(sub_agent_calls: Vec<SubAgentCall>, tool_calls: Vec<ToolCall>) -> PlannerOutput {
    PlannerOutput { reasoning: String::new(), sub_agent_calls, tool_calls }
}

fn state() -> DatasetState {
    DatasetState { enabled_tools: vec!["analyze_events".into()], ..DatasetState::default() }
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
    state.extracted_sources.register(crate::kernel::Source::default());
    state
}

fn agents(plan: &PlannerOutput) -> Vec<&str> {
    plan.sub_agent_calls.iter().map(|call| call.agent.as_str()).collect()
}

#[test]
fn a_report_before_any_data_is_left_out() {
    let (plan, notes) = guard(plan(vec![call("a", "synthesizer", &[])], Vec::new()), &state());
    assert!(plan.sub_agent_calls.is_empty());
    assert_eq!(notes.len(), 1);
}

#[test]
fn unread_documents_force_a_scan_with_their_filters() {
    let stubborn = plan(vec![call("a", "synthesizer", &[])], vec![tool("t", json!({}))]);
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
    let both = plan(vec![call("r", "synthesizer", &[]), call("s", "scanner", &[])], Vec::new());
    let (plan, notes) = guard(both, &with_unread(165));
    assert_eq!(agents(&plan), ["synthesizer", "scanner"]);
    assert_eq!(plan.sub_agent_calls[0].depends_on, ["s"]);
    assert!(notes.is_empty());
    assert_eq!(ready(&plan.sub_agent_calls, &[]), [plan.sub_agent_calls[1].clone()]);
}

#[test]
fn the_report_is_planned_once() {
    let twice = plan(vec![call("a", "synthesizer", &[]), call("b", "synthesizer", &[])], Vec::new());
    let mut state = with_unread(1);
    state.ledger.close("analyze_events", None, "");
    assert_eq!(agents(&guard(twice, &state).0), ["synthesizer"]);
}

#[test]
fn what_the_user_fixed_stands_in_every_data_call() {
    let mut state = state();
    state.overrides = QueryOverrides {
        filters: json!({"Phase": "Approach"}).as_object().cloned(),
        group_by: Some(vec!["Size".into(), "State".into()]),
    };
    let calls = vec![call("a", "aggregator", &[]), call("s", "scanner", &[])];
    let tools = vec![tool("t", json!({"filters": "{}", "top_n": 5}))];
    let (fixed, _) = guard(plan(calls, tools), &state);
    assert_eq!(
        Value::Object(fixed.tool_calls[0].arguments.clone()),
        json!({"filters": "{\"Phase\":\"Approach\"}", "top_n": 5, "group_by": "Size,State"})
    );
    assert_eq!(fixed.sub_agent_calls[0].arguments["group_by"], "Size,State");
    let scan = &fixed.sub_agent_calls[1].arguments["tool_args"];
    assert_eq!(*scan, json!({"filters": "{\"Phase\":\"Approach\"}"}));
}

#[test]
fn a_tool_gets_no_argument_that_it_does_not_take() {
    let mut state = state();
    state.overrides.filters = json!({"a": 1}).as_object().cloned();
    state.available_tools =
        vec![ToolFacts { name: "analyze_events".into(), arguments: vec!["query".into()], ..ToolFacts::default() }];
    let (fixed, _) = guard(plan(Vec::new(), vec![tool("t", json!({"query": "x"}))]), &state);
    assert_eq!(Value::Object(fixed.tool_calls[0].arguments.clone()), json!({"query": "x"}));
}

#[test]
fn a_grouping_that_the_user_fixed_is_computed_even_if_the_plan_forgot_it() {
    let mut state = state();
    state.overrides.group_by = Some(vec!["Size".into()]);
    let (fixed, _) = guard(plan(vec![call("d", "decomposer", &[])], Vec::new()), &state);
    assert_eq!(agents(&fixed), ["decomposer", "aggregator"]);
}

#[test]
fn calls_get_ids_and_false_dependencies_go() {
    let calls = vec![call("", "decomposer", &["x"]), call("a", "scanner", &["a"]), call("a", "extractor", &["t"])];
    let (fixed, notes) = guard(plan(calls, vec![tool("t", json!({}))]), &state());
    let ids: Vec<&str> = fixed.sub_agent_calls.iter().map(|call| call.id.as_str()).collect();
    assert_eq!(ids, ["call_1", "a", "call_2"]);
    assert_eq!(notes.len(), 2);
    assert_eq!(ready(&fixed.sub_agent_calls, &fixed.tool_calls).len(), 2);
    assert_eq!(ready(&fixed.sub_agent_calls[2..], &[]).len(), 1);
}

#[test]
fn a_call_without_an_id_takes_none_that_another_call_has() {
    let calls =
        vec![call("", "decomposer", &[]), call("call_1", "scanner", &[]), call("x", "perspective", &["call_1"])];
    let (fixed, _) = guard(plan(calls, vec![tool(" ", json!({})), tool("call_3", json!({"top_n": 1}))]), &state());
    let ids: Vec<&str> = fixed.sub_agent_calls.iter().map(|call| call.id.as_str()).collect();
    assert_eq!(ids, ["call_2", "call_1", "x"]);
    assert_eq!(fixed.sub_agent_calls[2].depends_on, ["call_1"], "it waits for the scanner");
    let tools: Vec<&str> = fixed.tool_calls.iter().map(|call| call.id.as_str()).collect();
    assert_eq!(tools, ["call_4", "call_3"]);
}

#[test]
fn a_long_chain_of_calls_is_cut_with_a_note_and_calls_side_by_side_are_not() {
    let numbered = |agent: &str| {
        let one = |number: usize| {
            let arguments = json!({"number": number}).as_object().unwrap().clone();
            SubAgentCall { arguments, ..call("", agent, &[]) }
        };
        (0..30).map(one).collect::<Vec<_>>()
    };
    let mut scans = numbered("scanner");
    scans.push(call("r", "synthesizer", &[]));
    let (fixed, notes) = guard(plan(scans, vec![tool("t", json!({}))]), &with_unread(165));
    assert_eq!(fixed.sub_agent_calls.len(), 21);
    assert_eq!(fixed.sub_agent_calls[20].depends_on.len(), 21, "the report waits for twenty scans and the tool");
    assert_eq!(fixed.tool_calls.len(), 1);
    assert!(notes.iter().any(|note| note.starts_with("10 calls wait")), "{notes:?}");
    let (fixed, notes) = guard(plan(numbered("perspective"), Vec::new()), &state());
    assert_eq!((fixed.sub_agent_calls.len(), notes), (30, Vec::new()));
}

#[test]
fn the_user_chooses_the_format_of_the_report() {
    for (planned, kept) in [("executive_summary", None), ("haiku", Some(json!("haiku")))] {
        let mut report = call("r", "synthesizer", &[]);
        report.arguments.insert("format".into(), json!(planned));
        let (fixed, _) = guard(plan(vec![report, call("e", "extractor", &[])], Vec::new()), &with_unread(1));
        assert_eq!(agents(&fixed), ["synthesizer", "extractor"]);
        assert_eq!(fixed.sub_agent_calls[0].arguments.get("format"), kept.as_ref(), "{planned}");
    }
}

#[test]
fn filters_that_cannot_be_read_stay_to_be_refused() {
    let properties = json!({"size": {"type": "string"}, "limit": {"type": "integer"}});
    let schema = json!({"properties": properties}).as_object().unwrap().clone();
    let listed = research_mcp::Tool::new("s", "analyze_events", schema);
    let facts = ToolFacts::from(&listed);
    let state = DatasetState { available_tools: vec![facts], listed_tools: vec![listed], ..state() };
    for (filters, kept) in [(json!("{\"size\": "), json!("{\"size\": ")), (json!("{\"size\": 1}"), Value::Null)] {
        let (plan, _) = guard(plan(Vec::new(), vec![tool("t", json!({"filters": filters}))]), &state);
        assert_eq!(plan.tool_calls[0].arguments.get("filters").unwrap_or(&Value::Null), &kept);
    }
}

#[test]
fn calls_that_wait_for_each_other_all_start() {
    let circle = [call("a", "x", &["b"]), call("b", "x", &["a"])];
    assert_eq!(ready(&circle, &[]).len(), 2);
}

#[test]
fn a_field_in_another_spelling_is_spelled_as_the_tool_does() {
    let field = FieldFacts { name: "Phase of flight".into(), ..FieldFacts::default() };
    let facts = ToolFacts { name: "analyze_events".into(), fields: vec![field], ..ToolFacts::default() };
    let state = DatasetState { available_tools: vec![facts], ..state() };
    let mut scan = call("s", "scanner", &[]);
    scan.arguments.insert("tool_args".into(), json!({"filters": "{\"phase_of_flight\":\"Climb\"}"}));
    let (plan, notes) = guard(plan(vec![scan], vec![tool("t", json!({"group_by": "PhaseOfFlight"}))]), &state);
    assert_eq!(plan.tool_calls[0].arguments["group_by"], "Phase of flight");
    assert_eq!(plan.sub_agent_calls[0].arguments["tool_args"]["filters"], "{\"Phase of flight\":\"Climb\"}");
    assert_eq!(notes.len(), 2, "{notes:?}");
}

#[test]
fn filters_that_the_tool_has_refused_are_not_sent_again() {
    let failed = |message: &str| CompletedCall {
        iteration: 1,
        id: "t".into(),
        name: "analyze_events".into(),
        arguments: json!({"filters": "{\"speed\":{\"range\":[1,2]}}"}).as_object().unwrap().clone(),
        elapsed_ms: 1,
        fetched_data: true,
        error: Some(CallError {
            category: ErrorCategory::McpToolError,
            message: message.into(),
            told: String::new(),
            is_invalid: false,
        }),
    };
    let again = || plan(Vec::new(), vec![tool("t", json!({"filters": {"speed": {"range": [1, 2]}}, "group_by": "a"}))]);
    let refused = DatasetState { completed_calls: vec![failed("argument `filters`: no such operator")], ..state() };
    let (corrected, notes) = guard(again(), &refused);
    assert_eq!(corrected.tool_calls[0].arguments, *json!({"group_by": "a"}).as_object().unwrap());
    assert!(notes[0].contains("refuses the filters"), "{notes:?}");
    let other = DatasetState { completed_calls: vec![failed("the server is out of memory")], ..state() };
    assert!(guard(again(), &other).0.tool_calls[0].arguments.contains_key("filters"), "the filters are not to blame");
    let listed = failed("unknown argument `x`; the arguments are: filters, group_by");
    let other = DatasetState { completed_calls: vec![listed], ..state() };
    assert!(guard(again(), &other).0.tool_calls[0].arguments.contains_key("filters"), "they are only listed");
    let mut before = refused;
    let filters = json!({"speed": {"range": [1, 2]}}).as_object().unwrap().clone();
    let report = QueryReport { tool: "analyze_events".into(), filters, total: Some(2), ..QueryReport::default() };
    before.ledger.enter(&report);
    let (kept, _) = guard(plan(vec![call("s", "scanner", &[])], again().tool_calls), &before);
    assert!(kept.tool_calls[0].arguments.contains_key("filters"), "they gave a result before");
}

#[test]
fn a_scan_is_sent_no_argument_that_its_tool_does_not_know() {
    let text = json!({"type": "string"});
    let schema = json!({"properties": {"filters": text, "group_by": text}}).as_object().unwrap().clone();
    let state = DatasetState { listed_tools: vec![research_mcp::Tool::new("s", "analyze_events", schema)], ..state() };
    let words = json!({"filters": "{}", "group_by": "a", "top_n": 3, "page_size": 5, "search_after": [1]});
    for (tool, kept) in
        [(json!({}), false), (json!({"tool_name": "analyze_events"}), false), (json!({"tool_name": "x"}), true)]
    {
        let mut scan = call("s", "scanner", &[]);
        scan.arguments = tool.as_object().unwrap().clone();
        let mut given = words.as_object().unwrap().clone();
        given.insert("batch_size".into(), json!(100));
        scan.arguments.insert("tool_args".into(), Value::Object(given));
        let (fixed, notes) = guard(plan(vec![scan], Vec::new()), &state);
        let sent = fixed.sub_agent_calls[0].arguments["tool_args"].as_object().unwrap();
        assert!(words.as_object().unwrap().keys().all(|word| sent.contains_key(word)), "{sent:?}");
        assert_eq!((sent.contains_key("batch_size"), notes.is_empty()), (kept, kept), "{notes:?}");
    }
}

#[test]
fn of_filters_that_match_nothing_only_what_the_question_names_is_sent_again() {
    let again = json!({"size": "Large", "phase": "Climb", "speed": {"gte": 100}});
    let mut state = DatasetState { question: "How many large birds at 100 knots?".into(), ..state() };
    let filters = again.as_object().unwrap().clone();
    let tool_name = "analyze_events".to_owned();
    state.ledger.enter(&QueryReport { tool: tool_name, filters, total: Some(0), ..QueryReport::default() });
    let planned = || plan(Vec::new(), vec![tool("t", json!({"filters": again.to_string()}))]);
    let (corrected, notes) = guard(planned(), &state);
    assert_eq!(
        serde_json::from_str::<Value>(corrected.tool_calls[0].arguments["filters"].as_str().unwrap()).unwrap(),
        json!({"size": "Large", "speed": {"gte": 100}})
    );
    assert_eq!(notes.len(), 1, "{notes:?}");

    state.question = "How many large birds in climb at 100 knots?".into();
    let (kept, notes) = guard(planned(), &state);
    assert_eq!(kept.tool_calls[0].arguments["filters"], again.to_string(), "the question asks for nothing else");
    assert!(notes.is_empty(), "{notes:?}");
}

#[test]
fn a_call_is_made_once_and_without_arguments_that_the_tool_does_not_know() {
    let arguments = vec!["filters".to_owned(), "group_by".to_owned()];
    let facts = ToolFacts { name: "analyze_events".into(), arguments, ..ToolFacts::default() };
    let state = DatasetState { available_tools: vec![facts], ..state() };
    let odd = || tool("t", json!({"type": "string", "group_by": "a"}));
    let (plan, notes) =
        guard(plan(vec![call("x", "other", &[]), call("y", "other", &[])], vec![odd(), odd(), odd()]), &state);
    assert_eq!((plan.tool_calls.len(), plan.sub_agent_calls.len()), (1, 1));
    assert_eq!(plan.tool_calls[0].arguments, *json!({"group_by": "a"}).as_object().unwrap());
    assert_eq!(notes.len(), 2, "{notes:?}");
}

#[test]
fn the_last_plan_of_a_run_that_has_nothing_reads_something() {
    let mut empty = plan(vec![call("a", "decomposer", &[])], Vec::new());
    assert!(last_chance(&mut empty, &state()).is_some());
    assert_eq!(agents(&empty), ["decomposer", "scanner"]);
    assert!(last_chance(&mut empty, &state()).is_none(), "it reads already");
    let mut enough = plan(Vec::new(), Vec::new());
    assert!(last_chance(&mut enough, &with_unread(3)).is_none(), "there is something to report");
}
