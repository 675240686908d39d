//! Breakpoints inside subgraphs.

use std::collections::BTreeSet;
use std::sync::Arc;

use research_core::{
    Breakpoints, CompiledGraph, Cx, END, End, ErrorKind, Finished, Graph, Node, RunError, Sends, Subgraph, ThreadError,
};
use serde_json::json;

use super::lab::{Lab, Place, Trail, World, mark, step};

/// `x`, then `y`.
fn inner() -> CompiledGraph<Trail, Lab> {
    let mut g = Graph::<Trail, Lab>::new("inner");
    let [x, y] = ["x", "y"].map(|name| step(&mut g, name));
    g.entry(x).edge(x, y).edge(y, END);
    g.compile().unwrap()
}

/// `a`, the child in the node `name`, `z`.
fn outer(name: &str, child: &CompiledGraph<Trail, Lab>, link: Subgraph<Trail, Trail>) -> CompiledGraph<Trail, Lab> {
    let mut g = Graph::<Trail, Lab>::new("outer");
    let [a, z] = ["a", "z"].map(|name| step(&mut g, name));
    let child = g.subgraph(name, child, link);
    g.entry(a).edge(a, child).edge(child, z).edge(z, END);
    g.compile().unwrap()
}

/// Two children in turn, each with a child of its own, and one that three tasks run.
fn deep() -> CompiledGraph<Trail, Lab> {
    let middle = outer("child", &inner(), Subgraph::shared());
    let mut g = Graph::<Trail, Lab>::new("deep");
    let [first, last] = [("first", Subgraph::shared()), ("last", Subgraph::shared().per_thread())]
        .map(|(name, link)| g.subgraph(name, &middle, link));
    let link = Subgraph::mapped_with(
        |_: &Trail, n: u32| Trail::update().value(n),
        |child: Trail| mark(format!("{} of {}", child.seen.join(" "), child.value)),
    );
    let wide = g.subgraph_task("wide", &inner(), link);
    let send = g.node("send", |_cx| async { Ok(()) });
    g.entry(first).edge(first, send).edge(wide, last).edge(last, END);
    g.route(send, move |_: &Trail| (0..3).map(|n| wide.send(n)).collect::<Sends>());
    g.compile().unwrap()
}

/// The path of every node of the deep graph that works.
fn places() -> Vec<String> {
    let inner = ["x", "y"].map(|node| format!("child/{node}"));
    let middle: Vec<String> = ["a", "z", "child"].map(String::from).into_iter().chain(inner).collect();
    let middles =
        ["first", "last"].into_iter().flat_map(|outer| middle.iter().map(move |node| format!("{outer}/{node}")));
    middles.chain(["wide/x", "wide/y", "first", "last", "wide", "send"].map(String::from)).collect()
}

async fn go<P: Place>(
    world: &World<P>,
    graph: &CompiledGraph<Trail, Lab>,
    lab: &Arc<Lab>,
    before: impl Into<Breakpoints>,
    after: impl Into<Breakpoints>,
) -> Result<Finished<Trail>, RunError> {
    let graph = world.keep(graph).await;
    let run = graph.run_or_resume(Trail::update()).resources(Arc::clone(lab)).thread("t").durability(world.durability);
    run.interrupt_before(before).interrupt_after(after).await
}

fn none() -> Breakpoints {
    Breakpoints::Nodes(Vec::new())
}

fn paused(before: &[&str], after: &[&str]) -> End {
    let names = |names: &[&str]| names.iter().map(ToString::to_string).collect();
    End::Paused { before: names(before), after: names(after) }
}

pub(crate) async fn a_run_pauses_inside_a_subgraph_and_goes_on<P: Place>(world: World<P>) {
    for link in [Subgraph::shared(), Subgraph::shared().per_thread()] {
        let (world, lab, graph) = (world.again(), Lab::new(), outer("child", &inner(), link));
        let first = go(&world, &graph, &lab, "child/y", none()).await.unwrap();
        assert_eq!(first.end, paused(&["child/y"], &[]));
        assert_eq!(["a", "x", "y", "z"].map(|name| lab.runs(name)), [1, 1, 0, 0]);
        let now = world.thread(&graph).await.state().await.unwrap().unwrap();
        assert_eq!((now.paused, now.next, now.questions.len()), (true, vec!["child".to_string()], 0));
        let second = go(&world, &graph, &lab, "child/y", "child/y").await.unwrap();
        assert_eq!(second.end, paused(&[], &["child/y"]));
        let third = go(&world, &graph, &lab, "child/y", "child/y").await.unwrap();
        assert_eq!((third.end, third.state.seen.join(" ")), (End::Complete, "a x y z".to_string()));
        assert_eq!(["a", "x", "y", "z"].map(|name| lab.runs(name)), [1, 1, 1, 1]);
    }
}

pub(crate) async fn a_subgraph_has_breakpoints_of_its_own<P: Place>(world: World<P>) {
    let child = inner().with_interrupt_before("x").with_interrupt_after("x");
    let (graph, lab) = (outer("child", &child, Subgraph::shared()), Lab::new());
    assert_eq!(world.run(&graph, &lab, Trail::update()).await.unwrap().end, paused(&["child/x"], &[]));
    assert_eq!(world.resume(&graph, &lab).await.unwrap().end, paused(&[], &["child/x"]));
    assert_eq!(world.resume(&graph, &lab).await.unwrap().state.seen, ["a", "x", "y", "z"]);
    assert_eq!(["a", "x", "y", "z"].map(|name| lab.runs(name)), [1, 1, 1, 1]);
}

pub(crate) async fn the_breakpoints_of_a_graph_hold_for_runs_that_name_none<P: Place>(world: World<P>) {
    let (graph, lab) = (outer("child", &inner(), Subgraph::shared()).with_interrupt_before("z"), Lab::new());
    assert_eq!(world.run(&graph, &lab, Trail::update()).await.unwrap().end, paused(&["z"], &[]));
    let other = world.again();
    assert!(go(&other, &graph, &lab, none(), none()).await.unwrap().is_complete());
    assert!(world.resume(&graph, &lab).await.unwrap().is_complete());
}

pub(crate) async fn a_run_that_pauses_at_every_place_ends_as_one_that_never_does<P: Place>(world: World<P>) {
    let graph = deep();
    let calm = Lab::new();
    let undisturbed = world.again().run(&graph, &calm, Trail::update()).await.unwrap();
    let lab = Lab::new();
    let (mut before, mut after) = (BTreeSet::new(), BTreeSet::new());
    for _ in 0..200 {
        let stops = || Breakpoints::Nodes(places());
        match go(&world, &graph, &lab, stops(), stops()).await.unwrap() {
            done if done.is_complete() => {
                assert_eq!(done.state, undisturbed.state);
                assert_eq!(lab.all_runs(), calm.all_runs(), "nothing ran twice");
                let all: BTreeSet<String> = places().into_iter().collect();
                assert_eq!((&before, &after.into_iter().chain(["last".to_string()]).collect()), (&all, &all));
                return;
            }
            stop => {
                let End::Paused { before: b, after: a } = stop.end else { panic!("{:?}", stop.end) };
                before.extend(b);
                after.extend(a);
            }
        }
    }
    panic!("it never ends");
}

pub(crate) async fn a_subgraph_pauses_beside_a_sibling_that_asks<P: Place>(world: World<P>) {
    let mut g = Graph::<Trail, Lab>::new("outer");
    let ask = g.node("ask", |cx: Cx<Trail, Lab>| async move {
        let answer: String = cx.interrupt(("it", json!(null))).await?;
        Ok(mark(answer))
    });
    let child = g.subgraph("child", &inner(), Subgraph::shared());
    g.entry(ask).entry(child).edge(ask, END).edge(child, END);
    let (graph, lab) = (g.compile().unwrap(), Lab::new());
    let first = go(&world, &graph, &lab, "child/y", none()).await.unwrap();
    assert_eq!(first.questions().len(), 1, "{:?}", first.end);
    let done = world.answer(&graph, &lab, "yes").await.unwrap();
    assert_eq!((done.end, done.state.seen.join(" ")), (End::Complete, "yes x y".to_string()));
    assert_eq!((lab.runs("x"), lab.runs("y")), (1, 1));
}

pub(crate) async fn names_in_paths_are_escaped_as_in_namespaces<P: Place>(world: World<P>) {
    let mut g = Graph::<Trail, Lab>::new("inner");
    let node: Node = step(&mut g, "x:y");
    g.entry(node).edge(node, END);
    let (graph, lab) = (outer("a/b", &g.compile().unwrap(), Subgraph::shared()), Lab::new());
    let stop = go(&world, &graph, &lab, ["a/b", "a%2Fb/x:y"], none()).await.unwrap();
    assert_eq!(stop.end, paused(&["a/b"], &[]), "an exact name is no path");
    let stop = go(&world, &graph, &lab, ["a/b", "a%2Fb/x:y"], none()).await.unwrap();
    assert_eq!(stop.end, paused(&["a%2Fb/x%3Ay"], &[]));
    assert!(go(&world, &graph, &lab, ["a/b", "a%2Fb/x:y"], none()).await.unwrap().is_complete());
}

pub(crate) async fn a_breakpoint_inside_needs_a_node_that_exists_and_a_subgraph_that_is_kept<P: Place>(
    world: World<P>,
) {
    let lab = Lab::new();
    let graph = outer("child", &inner(), Subgraph::shared());
    for unknown in ["child/xx", "chil/x", "a/x", "child/"] {
        let error = go(&world, &graph, &lab, unknown, none()).await.unwrap_err();
        let is_named =
            matches!(error.kind(), ErrorKind::Thread(ThreadError::UnknownNode { name, .. }) if name == unknown);
        assert!(is_named, "{error}");
    }
    assert_eq!(lab.all_runs().len(), 0, "the run was refused before it began");
    let graph = outer("child", &inner(), Subgraph::shared().stateless());
    let error = go(&world, &graph, &lab, "child/x", none()).await.unwrap_err();
    assert!(error.to_string().contains("breakpoint needs the subgraph to be kept"), "{error}");
    let graph = outer("child", &inner().with_interrupt_before("x"), Subgraph::shared());
    let error = graph.run(Trail::update()).resources(Arc::clone(&lab)).await.unwrap_err();
    assert!(error.to_string().contains("breakpoint needs a thread"), "{error}");
}
