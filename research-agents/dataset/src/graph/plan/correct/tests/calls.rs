//! Order, ids and number of calls.

use crate::graph::plan::correct::tests::*;

#[test]
fn calls_get_ids_and_false_dependencies_go() {
    let calls = vec![
        call("", "decomposer", &["x"]),
        call("a", "scanner", &["a"]),
        call("a", "extractor", &["t"]),
    ];
    let (fixed, notes) = guard(plan(calls, vec![tool("t", json!({}))]), &state());
    let ids: Vec<&str> = fixed
        .sub_agent_calls
        .iter()
        .map(|call| call.id.as_str())
        .collect();
    assert_eq!(ids, ["call_1", "a", "call_2"]);
    assert_eq!(notes.len(), 2);
    assert_eq!(ready(&fixed.sub_agent_calls, &fixed.tool_calls).len(), 2);
    assert_eq!(ready(&fixed.sub_agent_calls[2..], &[]).len(), 1);
}

#[test]
fn a_call_without_an_id_takes_none_that_another_call_has() {
    let calls = vec![
        call("", "decomposer", &[]),
        call("call_1", "scanner", &[]),
        call("x", "perspective", &["call_1"]),
    ];
    let (fixed, _) = guard(
        plan(
            calls,
            vec![tool(" ", json!({})), tool("call_3", json!({"top_n": 1}))],
        ),
        &state(),
    );
    let ids: Vec<&str> = fixed
        .sub_agent_calls
        .iter()
        .map(|call| call.id.as_str())
        .collect();

    assert_eq!(ids, ["call_2", "call_1", "x"]);
    assert_eq!(
        fixed.sub_agent_calls[2].depends_on,
        ["call_1"],
        "it waits for the scanner"
    );

    let tools: Vec<&str> = fixed
        .tool_calls
        .iter()
        .map(|call| call.id.as_str())
        .collect();

    assert_eq!(tools, ["call_4", "call_3"]);
}

#[test]
fn no_call_of_a_long_chain_is_left_out_and_independent_ones_do_not_wait() {
    let numbered = |agent: &str, calls: usize| {
        let one = |number: usize| {
            let arguments = json!({"number": number}).as_object().unwrap().clone();
            SubAgentCall {
                arguments,
                ..call("", agent, &[])
            }
        };
        (0..calls).map(one).collect::<Vec<_>>()
    };
    let planned = |scans: usize| {
        let mut scans = numbered("scanner", scans);
        scans.push(call("r", "synthesizer", &[]));
        plan(scans, vec![tool("t", json!({}))])
    };

    let (fixed, notes) = guard(planned(30), &with_unread(165));
    assert_eq!(
        (fixed.sub_agent_calls.len(), fixed.tool_calls.len()),
        (31, 1)
    );
    assert_eq!(fixed.sub_agent_calls[30].depends_on.len(), 31);
    let waits = |at: usize| fixed.sub_agent_calls[at].depends_on.clone();
    let in_turn = (1..30).all(|at| waits(at) == [fixed.sub_agent_calls[at - 1].id.clone()]);
    assert!(in_turn, "{fixed:?}");
    assert_eq!(notes, Vec::<String>::new());

    let (fixed, notes) = guard(planned(ROUNDS + 30), &with_unread(165));
    assert_eq!(fixed.sub_agent_calls.len(), ROUNDS + 31);
    let late = &fixed.sub_agent_calls[ROUNDS..ROUNDS + 30];
    let before = fixed.sub_agent_calls[ROUNDS - 2].id.clone();
    assert!(
        late.iter().all(|call| call.depends_on == [before.clone()]),
        "{late:?}"
    );
    assert!(
        notes
            .iter()
            .any(|note| note.starts_with("31 calls wait for")),
        "{notes:?}"
    );

    let (fixed, notes) = guard(plan(numbered("perspective", 30), Vec::new()), &state());
    assert_eq!((fixed.sub_agent_calls.len(), notes), (30, Vec::new()));
}

#[test]
fn what_waits_for_a_call_that_is_dropped_waits_for_the_one_that_is_kept() {
    let calls = vec![
        call("first", "perspective", &[]),
        call("kept", "other", &[]),
        call("again", "other", &["first"]),
        call("third", "other", &["again"]),
        call("last", "decomposer", &["third"]),
    ];
    let (fixed, notes) = guard(plan(calls, Vec::new()), &state());

    assert_eq!(agents(&fixed), ["perspective", "other", "decomposer"]);
    let mut waits = fixed.sub_agent_calls[2].depends_on.clone();
    waits.sort();
    assert_eq!(waits, ["first", "kept"]);
    assert_eq!(notes.len(), 1, "{notes:?}");
}

#[test]
fn what_waits_for_calls_that_a_scan_replaces_waits_for_the_scan() {
    let calls = vec![call("later", "decomposer", &["t"])];
    let (fixed, _) = guard(plan(calls, vec![tool("t", json!({}))]), &with_unread(165));

    assert_eq!(agents(&fixed), ["decomposer", "scanner"]);
    assert_eq!(
        fixed.sub_agent_calls[0].depends_on,
        [fixed.sub_agent_calls[1].id.clone()]
    );
}

#[test]
fn calls_that_wait_for_each_other_all_start() {
    let circle = [call("a", "x", &["b"]), call("b", "x", &["a"])];
    assert_eq!(ready(&circle, &[]).len(), 2);
}

#[test]
fn a_call_is_made_once_and_without_arguments_that_the_tool_does_not_know() {
    let arguments = vec!["filters".to_owned(), "group_by".to_owned()];
    let facts = ToolFacts {
        name: "analyze_events".into(),
        arguments,
        ..ToolFacts::default()
    };
    let state = DatasetState {
        available_tools: vec![facts],
        ..state()
    };
    let odd = || tool("t", json!({"type": "string", "group_by": "a"}));
    let (plan, notes) = guard(
        plan(
            vec![call("x", "other", &[]), call("y", "other", &[])],
            vec![odd(), odd(), odd()],
        ),
        &state,
    );

    assert_eq!((plan.tool_calls.len(), plan.sub_agent_calls.len()), (1, 1));
    assert_eq!(
        plan.tool_calls[0].arguments,
        *json!({"group_by": "a"}).as_object().unwrap()
    );
    assert_eq!(notes.len(), 2, "{notes:?}");
}

#[test]
fn the_last_plan_of_a_run_that_has_nothing_reads_something() {
    let mut empty = plan(vec![call("a", "decomposer", &[])], Vec::new());
    assert!(last_chance(&mut empty, &state()).is_some());
    assert_eq!(agents(&empty), ["decomposer", "scanner"]);
    assert!(
        last_chance(&mut empty, &state()).is_none(),
        "it reads already"
    );
    let mut enough = plan(Vec::new(), Vec::new());
    assert!(
        last_chance(&mut enough, &with_unread(3)).is_none(),
        "there is something to report"
    );
}
