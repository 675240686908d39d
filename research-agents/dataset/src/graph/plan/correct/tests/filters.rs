//! Filters of plans.

use crate::graph::plan::correct::tests::*;

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
fn filters_that_cannot_be_read_stay_to_be_refused() {
    let properties = json!({"size": {"type": "string"}, "limit": {"type": "integer"}});
    let schema = json!({"properties": properties})
        .as_object()
        .unwrap()
        .clone();
    let listed = research_mcp::Tool::new("s", "analyze_events", schema);
    let facts = ToolFacts::from(&listed);
    let state = DatasetState {
        available_tools: vec![facts],
        listed_tools: vec![listed],
        ..state()
    };

    for (filters, kept) in [
        (json!("{\"size\": "), json!("{\"size\": ")),
        (json!("{\"size\": 1}"), Value::Null),
    ] {
        let (plan, _) = guard(
            plan(Vec::new(), vec![tool("t", json!({"filters": filters}))]),
            &state,
        );
        assert_eq!(
            plan.tool_calls[0]
                .arguments
                .get("filters")
                .unwrap_or(&Value::Null),
            &kept
        );
    }
}

#[test]
fn a_field_in_another_spelling_is_spelled_as_the_tool_does() {
    let field = FieldFacts {
        name: "Phase of flight".into(),
        ..FieldFacts::default()
    };
    let facts = ToolFacts {
        name: "analyze_events".into(),
        fields: vec![field],
        ..ToolFacts::default()
    };
    let state = DatasetState {
        available_tools: vec![facts],
        ..state()
    };
    let mut scan = call("s", "scanner", &[]);
    scan.arguments.insert(
        "tool_args".into(),
        json!({"filters": "{\"phase_of_flight\":\"Climb\"}"}),
    );
    let (plan, notes) = guard(
        plan(
            vec![scan],
            vec![tool("t", json!({"group_by": "PhaseOfFlight"}))],
        ),
        &state,
    );

    assert_eq!(plan.tool_calls[0].arguments["group_by"], "Phase of flight");
    assert_eq!(
        plan.sub_agent_calls[0].arguments["tool_args"]["filters"],
        "{\"Phase of flight\":\"Climb\"}"
    );
    assert_eq!(notes.len(), 2, "{notes:?}");
}

#[test]
fn filters_that_the_tool_has_refused_are_not_sent_again() {
    let failed = |message: &str| CompletedCall {
        iteration: 1,
        id: "t".into(),
        name: "analyze_events".into(),
        arguments: json!({"filters": "{\"speed\":{\"range\":[1,2]}}"})
            .as_object()
            .unwrap()
            .clone(),
        elapsed_ms: 1,
        fetched_data: true,
        error: Some(CallError {
            category: ErrorCategory::McpToolError,
            message: message.into(),
            told: String::new(),
            is_invalid: false,
        }),
    };
    let again = || {
        plan(
            Vec::new(),
            vec![tool(
                "t",
                json!({"filters": {"speed": {"range": [1, 2]}}, "group_by": "a"}),
            )],
        )
    };
    let refused = DatasetState {
        completed_calls: vec![failed("argument `filters`: no such operator")],
        ..state()
    };
    let (corrected, notes) = guard(again(), &refused);

    assert_eq!(
        corrected.tool_calls[0].arguments,
        *json!({"group_by": "a"}).as_object().unwrap()
    );
    assert!(notes[0].contains("refuses the filters"), "{notes:?}");

    let other = DatasetState {
        completed_calls: vec![failed("the server is out of memory")],
        ..state()
    };

    assert!(
        guard(again(), &other).0.tool_calls[0]
            .arguments
            .contains_key("filters"),
        "the filters are not to blame"
    );

    let listed = failed("unknown argument `x`; the arguments are: filters, group_by");
    let other = DatasetState {
        completed_calls: vec![listed],
        ..state()
    };

    assert!(
        guard(again(), &other).0.tool_calls[0]
            .arguments
            .contains_key("filters"),
        "they are only listed"
    );

    let mut before = refused;
    let filters = json!({"speed": {"range": [1, 2]}})
        .as_object()
        .unwrap()
        .clone();
    let report = QueryReport {
        tool: "analyze_events".into(),
        filters,
        total: Some(2),
        ..QueryReport::default()
    };
    before.ledger.enter(&report);
    let (kept, _) = guard(
        plan(vec![call("s", "scanner", &[])], again().tool_calls),
        &before,
    );

    assert!(
        kept.tool_calls[0].arguments.contains_key("filters"),
        "they gave a result before"
    );
}

#[test]
fn of_filters_that_match_nothing_only_what_the_question_names_is_sent_again() {
    let again = json!({"size": "Large", "phase": "Climb", "speed": {"gte": 100}});
    let mut state = DatasetState {
        question: "How many large birds at 100 knots?".into(),
        ..state()
    };
    let filters = again.as_object().unwrap().clone();
    let tool_name = "analyze_events".to_owned();
    state.ledger.enter(&QueryReport {
        tool: tool_name,
        filters,
        total: Some(0),
        ..QueryReport::default()
    });
    let planned = || {
        plan(
            Vec::new(),
            vec![tool("t", json!({"filters": again.to_string()}))],
        )
    };
    let (corrected, notes) = guard(planned(), &state);
    assert_eq!(
        serde_json::from_str::<Value>(
            corrected.tool_calls[0].arguments["filters"]
                .as_str()
                .unwrap()
        )
        .unwrap(),
        json!({"size": "Large", "speed": {"gte": 100}})
    );
    assert_eq!(notes.len(), 1, "{notes:?}");

    state.question = "How many large birds in climb at 100 knots?".into();
    let (kept, notes) = guard(planned(), &state);
    assert_eq!(
        kept.tool_calls[0].arguments["filters"],
        again.to_string(),
        "the question asks for nothing else"
    );
    assert!(notes.is_empty(), "{notes:?}");
}
