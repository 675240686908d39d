//! Routes: what they see, what they may return, and how they fail.

use research_core::{
    Cause, Command, CompiledGraph, Cx, END, Graph, NamedTask, Node, NodeError, Sends, State, Target, Targets,
};

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

#[tokio::test]
async fn the_arms_of_a_route_lead_to_different_things() {
    let mut g = Graph::<Trail>::new("mixed");
    let (start, none, all) = (step(&mut g, "start"), step(&mut g, "none"), step(&mut g, "all"));
    let work = g.task("work", async |_cx: Cx<Trail>, n: u32| Ok(mark(format!("w{n}"))));
    g.entry(start).edge(none, END).edge(all, END).edge(work, END);
    g.route(start, move |s: &Trail| -> Targets {
        match s.value {
            0 => none.into(),
            n => (0..n).map(|n| work.send(n)).collect::<Targets>().and(all).and("none"),
        }
    });
    let graph = g.compile().unwrap();
    assert_eq!(seen(&graph).await, ["start", "none"]);
    let done = graph.run(Trail::update().value(2)).await.unwrap();
    assert_eq!(done.state.seen, ["start", "all", "none", "w0", "w1"]);
}

#[tokio::test]
async fn a_node_returns_a_command_or_an_update() {
    let mut g = Graph::<Trail>::new("either");
    let far = step(&mut g, "far");
    let start = g.node("start", move |cx: Cx<Trail>| async move {
        Ok::<Command<Trail>, NodeError>(match cx.state.value {
            0 => mark("update").into(),
            _ => Command::goto(far).with(mark("command")),
        })
    });
    let near = step(&mut g, "near");
    g.entry(start).edge(start, near).edge(near, END).edge(far, END);
    let graph = g.compile().unwrap();
    assert_eq!(seen(&graph).await, ["update", "near"]);
    assert_eq!(graph.run(Trail::update().value(1)).await.unwrap().state.seen, ["command", "far"]);
}

/// A graph from data: names of nodes in the order in which they run, and what each of them sends to the task of a name.
fn from_data(chain: &[&str], sends: serde_json::Value) -> CompiledGraph<Trail> {
    let mut g = Graph::<Trail>::new("data");
    for name in chain {
        step(&mut g, name);
    }
    g.task("work", async |_cx: Cx<Trail>, input: (u32, String)| Ok(mark(format!("{} {}", input.0, input.1))));
    g.entry(chain[0]).edge("work", END);
    for pair in chain.windows(2) {
        g.edge(pair[0], pair[1]);
    }
    let last = chain[chain.len() - 1].to_string();
    g.route(last, move |_: &Trail| {
        let task = |send: &serde_json::Value| NamedTask::new(send["to"].as_str().unwrap_or_default(), &send["input"]);
        sends.as_array().into_iter().flatten().map(task).collect::<Result<Vec<_>, NodeError>>()
    });
    g.compile().unwrap()
}

#[tokio::test]
async fn a_graph_is_built_from_data_with_its_tasks() {
    let sends = serde_json::json!([{ "to": "work", "input": [1, "bees"] }, { "to": "work", "input": [2, "ants"] }]);
    assert_eq!(seen(&from_data(&["a", "b"], sends)).await, ["a", "b", "1 bees", "2 ants"]);
    let cause = |send: serde_json::Value| async move {
        let error = from_data(&["a"], serde_json::json!([send])).run(Trail::update()).await.unwrap_err();
        format!("{:?}", error.failures()[0].cause)
    };
    assert!(cause(serde_json::json!({ "to": "wrok", "input": 1 })).await.contains("suggestion: Some(\"work\")"));
    assert!(cause(serde_json::json!({ "to": "work", "input": "bees" })).await.starts_with("InputMisfit"));
    assert!(cause(serde_json::json!({ "to": "a", "input": 1 })).await.contains("it takes none"));
}

/// A state with a type parameter that has neither `Default` nor serde.
#[derive(Clone, State)]
struct Pile<T, const MOST: usize>
where
    T: PartialEq,
{
    #[reduce(append)]
    items: Vec<T>,
    #[reduce(with = keep)]
    top: Option<T>,
    last: Option<T>,
}

impl<T: PartialEq, const MOST: usize> Default for Pile<T, MOST> {
    fn default() -> Self {
        Self { items: Vec::new(), top: None, last: None }
    }
}

fn keep<T>(held: &mut Option<T>, new: Option<T>) {
    *held = new;
}

#[derive(Clone, Debug, PartialEq)]
struct Opaque(u32);

fn piling<T: Clone + PartialEq + Send + Sync + 'static, const MOST: usize>(item: T) -> CompiledGraph<Pile<T, MOST>> {
    let mut g = Graph::<Pile<T, MOST>>::new("piling");
    let put = g.node("put", move |_cx: Cx<Pile<T, MOST>>| {
        let item = item.clone();
        async move { Ok(Pile::update().items([item.clone()]).top(item.clone()).last(item)) }
    });
    g.entry(put).route(put, move |s: &Pile<T, MOST>| if s.items.len() < MOST { put } else { END });
    g.compile().unwrap()
}

#[tokio::test]
async fn a_state_may_have_parameters() {
    let done = piling::<_, 3>(Opaque(7)).run(Pile::update()).await.unwrap();
    assert_eq!(
        (done.state.items, done.state.top, done.state.last),
        (vec![Opaque(7); 3], Some(Opaque(7)), Some(Opaque(7)))
    );
    // Of a parameter that can be stored, the state can be stored.
    let graph = piling::<u32, 2>(5).with_checkpointer(research_core::MemoryCheckpointer::new());
    graph.run(Pile::update()).thread("t").await.unwrap();
    assert_eq!(graph.thread("t").state().await.unwrap().unwrap().state.items, [5, 5]);
}
