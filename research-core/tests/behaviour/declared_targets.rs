//! Declared targets of routes and commands hold: leading elsewhere is a typed error of the run.

use research_core::{Cause, Command, Cx, END, Graph, Node, RunError, Sends, Target};

use crate::support::{Trail, mark, seen, step};

/// The node and the undeclared target of the one failure.
#[track_caller]
fn undeclared(error: &RunError) -> (&str, &str) {
    let found = match error.failures() {
        [failure] => match &failure.cause {
            Cause::UndeclaredTarget { target } => Some((&*failure.node, &**target)),
            _ => None,
        },
        _ => None,
    };
    found.unwrap_or_else(|| unreachable!("{error}"))
}

#[tokio::test]
async fn a_route_that_leads_elsewhere_than_declared_fails_its_task_and_names_the_target() {
    let mut g = Graph::<Trail>::new("route");
    let (a, b, c) = (step(&mut g, "a"), step(&mut g, "b"), step(&mut g, "c"));
    g.entry(a).entry(c).route_to(a, [b, END], move |_: &Trail| c).edge(b, END).edge(c, END);
    let error = g.compile().unwrap().run(Trail::update()).await.unwrap_err();
    assert_eq!(undeclared(&error), ("a", "c"));
    assert_eq!(
        error.to_string(),
        "graph `route`: node `a` in step 1 (task 0) went to `c`, which its declaration does not name; \
         add it to the targets of `route_to` or `gotos`"
    );
    assert!(error.state::<Trail>().unwrap().seen.is_empty(), "the state is that of the last barrier");
}

#[tokio::test]
async fn an_undeclared_end_and_an_undeclared_task_are_refused_too() {
    let mut g = Graph::<Trail>::new("end");
    let (a, b) = (step(&mut g, "a"), step(&mut g, "b"));
    g.entry(a).route_to(a, [b], |_: &Trail| END).edge(b, END);
    let error = g.compile().unwrap().run(Trail::update()).await.unwrap_err();
    assert_eq!(undeclared(&error), ("a", "END"));

    let mut g = Graph::<Trail>::new("task");
    let (a, b) = (step(&mut g, "a"), step(&mut g, "b"));
    let t = g.task("t", async |_cx: Cx<Trail>, n: u8| Ok(mark(n.to_string())));
    g.entry(a).entry_route(move |_: &Trail| t.send(0)).edge(b, END).edge(t, END);
    g.route_to(a, [b], move |_: &Trail| (0..1).map(|n| t.send(n)).collect::<Sends>());
    let error = g.compile().unwrap().run(Trail::update()).await.unwrap_err();
    assert_eq!(undeclared(&error), ("a", "t"));
}

#[tokio::test]
async fn a_route_may_lead_nowhere_whatever_it_declares() {
    let mut g = Graph::<Trail>::new("nowhere");
    let (a, b) = (step(&mut g, "a"), step(&mut g, "b"));
    g.entry(a).route_to(a, [b], |_: &Trail| None::<Node>).edge(b, END);
    assert_eq!(seen(&g.compile().unwrap()).await, ["a"]);
}

#[tokio::test]
async fn a_command_that_leads_elsewhere_than_declared_fails_its_task() {
    for also in [false, true] {
        let mut g = Graph::<Trail>::new("command");
        let (b, c) = (step(&mut g, "b"), step(&mut g, "c"));
        let a = g.node("a", move |_cx| async move {
            Ok(if also { Command::<Trail>::also_goto([b, c]) } else { Command::goto([b, c]) })
        });
        g.entry(a).entry(c).gotos(a, [b, END]).edge(a, b).edge(b, END).edge(c, END);
        let error = g.compile().unwrap().run(Trail::update()).await.unwrap_err();
        assert_eq!(undeclared(&error), ("a", "c"), "also: {also}");
    }
}

#[tokio::test]
async fn declared_targets_are_reached_by_handle_by_name_and_with_an_input() {
    let mut g = Graph::<Trail>::new("declared");
    let (b, c) = (step(&mut g, "b"), step(&mut g, "c"));
    let t = g.task("t", async |_cx: Cx<Trail>, n: u8| Ok(mark(n.to_string())));
    let a = g.node("a", move |_cx| async move {
        let targets: [Target; 3] = [b.into(), "c".into(), t.send(7).into()];
        Ok(Command::<Trail>::goto(targets))
    });
    g.entry(a).gotos(a, ["b", "c", "t"]).edge(b, END).edge(c, END).edge(t, END);
    assert_eq!(seen(&g.compile().unwrap()).await, ["b", "c", "7"]);
}
