//! Routes: what they see, what they may return, and how they fail.

use research_core::{Cause, Cx, END, Graph, Node, NodeError, Sends, Target};

use crate::support::{Trail, mark, seen, step};

#[tokio::test]
async fn the_entry_route_decides_from_the_input() {
    let mut g = Graph::<Trail>::new("entry");
    let (low, high) = (step(&mut g, "low"), step(&mut g, "high"));
    g.entry_route(move |s: &Trail| if s.value < 10 { low } else { high }).edge(low, END).edge(high, END);
    let graph = g.compile().unwrap();
    assert_eq!(graph.run(Trail::update().value(3)).await.unwrap().state.seen, ["low"]);
    assert_eq!(graph.run(Trail::update().value(30)).await.unwrap().state.seen, ["high"]);
}

#[tokio::test]
async fn a_route_fans_out_by_a_list() {
    let mut g = Graph::<Trail>::new("list");
    let (start, a, b, c) = (step(&mut g, "start"), step(&mut g, "a"), step(&mut g, "b"), step(&mut g, "c"));
    g.entry(start).route(start, move |_: &Trail| vec![c, a]);
    for node in [a, b, c] {
        g.edge(node, END);
    }
    assert_eq!(seen(&g.compile().unwrap()).await, ["start", "a", "c"]);
}

#[tokio::test]
async fn a_route_after_each_send_leads_to_one_shared_target() {
    let mut g = Graph::<Trail>::new("shared");
    let start = step(&mut g, "start");
    let worker = g.task("worker", async |_cx: Cx<Trail>, n: u32| Ok(mark(format!("w{n}")).value(n)));
    let gather = step(&mut g, "gather");
    g.entry(start).edge(gather, END);
    g.route(start, move |_: &Trail| [worker.send(1)]).route(worker, move |_: &Trail| gather);
    assert_eq!(seen(&g.compile().unwrap()).await, ["start", "w1", "gather"]);

    let mut g = Graph::<Trail>::new("shared by many");
    let worker = g.task("worker", async |_cx: Cx<Trail>, n: u32| Ok(mark(format!("w{n}"))));
    let gather = step(&mut g, "gather");
    g.entry_route(move |_: &Trail| (1..=3).map(|n| worker.send(n)).collect::<Sends>());
    g.route(worker, move |_: &Trail| gather).edge(gather, END);
    assert_eq!(seen(&g.compile().unwrap()).await, ["w1", "w2", "w3", "gather"]);
}

#[tokio::test]
async fn a_route_sees_its_own_update_and_not_that_of_a_sibling() {
    let mut g = Graph::<Trail>::new("blind");
    let (a, b) = (step(&mut g, "a"), step(&mut g, "b"));
    let check = g.task("check", async |_cx: Cx<Trail>, saw: String| Ok(mark(saw)));
    for node in [a, b] {
        g.entry(node).route(node, move |s: &Trail| check.send(format!("{} {}", s.seen.join("+"), s.count)));
    }
    g.edge(check, END);
    let done = g.compile().unwrap().run(mark("in")).await.unwrap();
    assert_eq!(done.state.seen, ["in", "a", "b", "in+a 2", "in+b 2"]);
}

#[tokio::test]
async fn end_nothing_and_an_empty_list_end_the_branch() {
    let mut g = Graph::<Trail>::new("ends");
    let (a, b, c, d) = (step(&mut g, "a"), step(&mut g, "b"), step(&mut g, "c"), step(&mut g, "d"));
    g.route(a, |_: &Trail| END).route(b, |_: &Trail| None::<Node>);
    g.route(c, |_: &Trail| Vec::<Target>::new()).route(d, |_: &Trail| Sends::default());
    for node in [a, b, c, d] {
        g.entry(node);
    }
    let done = g.compile().unwrap().run(Trail::update()).await.unwrap();
    assert_eq!((done.state.seen.concat().as_str(), done.steps), ("abcd", 1));
}

#[tokio::test]
async fn a_loop_goes_on_until_its_condition_holds() {
    let mut g = Graph::<Trail>::new("loop");
    let (up, done) = (step(&mut g, "up"), step(&mut g, "done"));
    g.entry(up).route(up, move |s: &Trail| if s.count < 4 { up } else { done }).edge(done, END);
    assert_eq!(seen(&g.compile().unwrap()).await, ["up", "up", "up", "up", "done"]);
}

#[tokio::test]
async fn nodes_can_be_named_by_texts() {
    let mut g = Graph::<Trail>::new("names");
    for name in ["plan", "read", "write"] {
        step(&mut g, name);
    }
    g.entry("plan").edge("plan", "read".to_string()).join(["read"], "write");
    g.route_to("write", ["plan", "read"], |s: &Trail| (s.count < 6).then(|| "plan".to_string()));
    g.edge("write", END);
    assert_eq!(seen(&g.compile().unwrap()).await, ["plan", "read", "write", "plan", "read", "write"]);
}

#[tokio::test]
async fn an_unknown_target_is_an_error_that_suggests_the_nearest_name() {
    let mut g = Graph::<Trail>::new("typo");
    let (start, write) = (step(&mut g, "start"), step(&mut g, "write_report"));
    g.entry(start).route(start, |_: &Trail| "write_reprot").edge(write, END);
    let error = g.compile().unwrap().run(mark("in")).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "graph `typo`: node `start` in step 1 (task 0) went to `write_reprot`, which is not in the graph; \
         did you mean `write_report`?"
    );
    assert!(matches!(
        &error.failures()[0].cause,
        Cause::UnknownTarget { target, suggestion: Some(name) } if target == "write_reprot" && name == "write_report"
    ));
    assert_eq!(error.state::<Trail>().unwrap().seen, ["in"], "the state of the last barrier is kept");

    let mut g = Graph::<Trail>::new("far");
    let start = step(&mut g, "start");
    g.entry(start).route(start, |_: &Trail| "elsewhere");
    let error = g.compile().unwrap().run(Trail::update()).await.unwrap_err();
    assert!(error.to_string().ends_with("went to `elsewhere`, which is not in the graph"), "{error}");
}

#[tokio::test]
async fn a_handle_of_another_graph_is_refused_when_a_route_returns_it() {
    let mut other = Graph::<Trail>::new("other");
    let foreign = step(&mut other, "foreign");
    let foreign_task = other.task("task", async |_cx: Cx<Trail>, _n: u8| Ok(()));
    let mut g = Graph::<Trail>::new("own");
    let (a, b) = (step(&mut g, "a"), step(&mut g, "b"));
    g.entry(a).entry(b).route(a, move |_: &Trail| foreign).route(b, move |_: &Trail| foreign_task.send(1));
    let error = g.compile().unwrap().run(Trail::update()).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "graph `own`: 2 tasks failed:\n  \
         - node `a` in step 1 (task 0) went to a node of another graph; use a handle that this graph returned\n  \
         - node `b` in step 1 (task 1) went to a node of another graph; use a handle that this graph returned"
    );
}

#[tokio::test]
async fn a_task_cannot_be_reached_without_its_input() {
    let mut g = Graph::<Trail>::new("input");
    let (a, b) = (step(&mut g, "a"), step(&mut g, "b"));
    let worker = g.task("worker", async |_cx: Cx<Trail>, _n: u8| Ok(()));
    g.entry(a).entry(b).route(a, |_: &Trail| "worker").route(b, move |_: &Trail| worker.node()).edge(worker, END);
    let error = g.compile().unwrap().run(Trail::update()).await.unwrap_err();
    assert_eq!(error.failures().len(), 2);
    assert_eq!(
        error.failures()[0].to_string(),
        "node `a` in step 1 (task 0) went to `worker` without its input; use the `send` method of the task's handle"
    );
    assert!(matches!(&error.failures()[1].cause, Cause::NeedsInput { target } if target == "worker"));
}

#[tokio::test]
async fn a_failing_route_names_its_node_and_step_and_leaves_the_state() {
    let mut g = Graph::<Trail>::new("failing");
    let (a, b) = (step(&mut g, "a"), step(&mut g, "b"));
    g.entry(a).edge(a, b).route(b, |s: &Trail| -> Result<Node, NodeError> {
        s.seen.concat().parse::<u32>()?;
        Ok(END)
    });
    let error = g.compile().unwrap().run(Trail::update()).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "graph `failing`: node `b` in step 2 (task 0) finished, but its route failed: invalid digit found in string"
    );
    assert!(error.find::<std::num::ParseIntError>().is_some());
    assert!(matches!(error.failures()[0].cause, Cause::Route(_)));
    assert_eq!(error.state::<Trail>().unwrap().seen, ["a"]);
}

#[tokio::test]
async fn a_route_may_fail_with_any_error_type_and_return_any_target() {
    let mut g = Graph::<Trail>::new("result");
    let (a, b) = (step(&mut g, "a"), step(&mut g, "b"));
    g.entry(a).route(a, move |s: &Trail| s.seen[0].parse::<char>().map(|_| vec![b, END])).edge(b, END);
    assert_eq!(seen(&g.compile().unwrap()).await, ["a", "b"]);
}

#[tokio::test]
async fn a_panicking_route_is_a_failure_of_its_node() {
    let mut g = Graph::<Trail>::new("panicking");
    let (a, b) = (step(&mut g, "a"), step(&mut g, "b"));
    g.entry(a).entry(b).route(a, |s: &Trail| -> Node { panic!("no way from {}", s.seen.concat()) }).edge(b, END);
    let error = g.compile().unwrap().run(Trail::update()).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "graph `panicking`: node `a` in step 1 (task 0) finished, but its route panicked: no way from a"
    );
    assert_eq!(error.state::<Trail>().unwrap(), &Trail::default(), "the update is taken out of the state again");
}

#[tokio::test]
async fn a_failing_entry_route_says_that_it_is_the_entry() {
    let mut g = Graph::<Trail>::new("entry");
    let a = step(&mut g, "a");
    g.entry_route(|_: &Trail| Err::<Node, _>(NodeError::msg("no plan"))).entry(a).edge(a, END);
    let error = g.compile().unwrap().run(mark("in")).await.unwrap_err();
    assert_eq!(error.to_string(), "graph `entry`: the entry failed: no plan");
    assert_eq!(error.state::<Trail>().unwrap().seen, ["in"]);

    let mut g = Graph::<Trail>::new("entry");
    let a = step(&mut g, "a");
    g.entry_route(|_: &Trail| "b").entry(a).edge(a, END);
    let error = g.compile().unwrap().run(Trail::update()).await.unwrap_err();
    assert_eq!(error.to_string(), "graph `entry`: the entry went to `b`, which is not in the graph");
}

#[tokio::test]
async fn a_route_that_goes_to_end_does_not_stop_other_branches() {
    let mut g = Graph::<Trail>::new("branches");
    let (a, b, c) = (step(&mut g, "a"), step(&mut g, "b"), step(&mut g, "c"));
    g.entry(a).entry(b).route(a, |_: &Trail| END).edge(b, c).edge(c, END);
    assert_eq!(seen(&g.compile().unwrap()).await, ["a", "b", "c"]);
}
