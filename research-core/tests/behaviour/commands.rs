//! Commands: an update together with where to go next.

use research_core::{Command, END, Graph, Node, NodeError, Sends};

use crate::support::{Trail, mark, seen, step};

#[tokio::test]
async fn goto_replaces_the_edges_the_routes_and_the_joins_of_its_node() {
    let mut g = Graph::<Trail>::new("goto");
    let (edge, route, join, there) =
        (step(&mut g, "edge"), step(&mut g, "route"), step(&mut g, "join"), step(&mut g, "there"));
    let start = g.node("start", move |cx| async move { Ok(Command::goto(there).with(mark(cx.node()))) });
    g.entry(start).edge(start, edge).route(start, move |_: &Trail| route).join([start], join);
    for node in [edge, route, join, there] {
        g.edge(node, END);
    }
    assert_eq!(seen(&g.compile().unwrap()).await, ["start", "there"]);
}

#[tokio::test]
async fn also_goto_adds_to_them() {
    let mut g = Graph::<Trail>::new("also");
    let (edge, route, join, there) =
        (step(&mut g, "edge"), step(&mut g, "route"), step(&mut g, "join"), step(&mut g, "there"));
    let start = g.node("start", move |cx| async move { Ok(Command::also_goto([there]).with(mark(cx.node()))) });
    g.entry(start).edge(start, edge).route(start, move |_: &Trail| route).join([start], join);
    for node in [edge, route, join, there] {
        g.edge(node, END);
    }
    assert_eq!(seen(&g.compile().unwrap()).await, ["start", "edge", "join", "route", "there"]);
}

#[tokio::test]
async fn an_end_command_ends_its_branch_alone() {
    let mut g = Graph::<Trail>::new("end");
    let (after_a, after_b) = (step(&mut g, "after_a"), step(&mut g, "after_b"));
    let a = g.node("a", |cx| async move { Ok(Command::end().with(mark(cx.node()))) });
    let b = step(&mut g, "b");
    g.entry(a).entry(b).edge(a, after_a).edge(b, after_b).edge(after_a, END).edge(after_b, END);
    assert_eq!(seen(&g.compile().unwrap()).await, ["a", "b", "after_b"]);
}

#[tokio::test]
async fn a_command_sends_tasks() {
    let mut g = Graph::<Trail>::new("sends");
    let work = g.task("work", |_cx, word: String| async move { Ok(mark(word)) });
    let plan = g.node("plan", move |_cx| async move {
        Ok(Command::goto(["x", "y"].map(|word| work.send(word.to_string())).into_iter().collect::<Sends>()))
    });
    g.entry(plan).edge(work, END);
    assert_eq!(seen(&g.compile().unwrap()).await, ["x", "y"]);
}

#[tokio::test]
async fn a_node_may_return_nothing() {
    let mut g = Graph::<Trail>::new("nothing");
    let quiet = g.node("quiet", |_cx| async { Ok(()) });
    let loud = step(&mut g, "loud");
    g.entry(quiet).edge(quiet, loud).edge(loud, END);
    assert_eq!(seen(&g.compile().unwrap()).await, ["loud"]);
}

#[tokio::test]
async fn a_node_can_decide_at_run_time_between_its_edges_and_a_goto() {
    async fn judge(value: u32, retry: Node) -> Result<Command<Trail>, NodeError> {
        let marked = mark("judge").value(value + 1);
        Ok(if value < 2 { Command::goto(retry).with(marked) } else { Command::goto(END).with(marked) })
    }
    let mut g = Graph::<Trail>::new("judge");
    let write = step(&mut g, "write");
    let judge = g.node("judge", move |cx| async move { judge(cx.state.value, write).await });
    g.entry(write).edge(write, judge);
    assert_eq!(seen(&g.compile().unwrap()).await, ["write", "judge", "write", "judge", "write", "judge"]);
}

#[tokio::test]
async fn an_attached_update_replaces_the_one_attached_before() {
    let mut g = Graph::<Trail>::new("with");
    let n = g.node("n", |_cx| async { Ok(Command::end().with(mark("first")).with(mark("second"))) });
    g.entry(n);
    assert_eq!(seen(&g.compile().unwrap()).await, ["second"]);
}

#[tokio::test]
async fn a_goto_of_an_unknown_name_is_an_error_of_the_node() {
    let mut g = Graph::<Trail>::new("unknown");
    let n = g.node("node", |_cx| async { Ok(Command::goto("nod").with(mark("lost"))) });
    g.entry(n);
    let error = g.compile().unwrap().run(Trail::update()).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "graph `unknown`: node `node` in step 1 (task 0) went to `nod`, which is not in the graph; \
         did you mean `node`?"
    );
    assert_eq!(error.state::<Trail>().unwrap().seen, [""; 0]);
}
