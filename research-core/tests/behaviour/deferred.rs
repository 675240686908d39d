//! Deferred nodes: they run when nothing else is due, each once.

use research_core::{Cx, END, Graph, Sends};

use crate::support::{Trail, mark, seen, step};

#[tokio::test]
async fn a_deferred_node_runs_once_after_the_longest_branch() {
    let mut g = Graph::<Trail>::new("longest");
    let (a, b1, b2, b3) = (step(&mut g, "a"), step(&mut g, "b1"), step(&mut g, "b2"), step(&mut g, "b3"));
    let last = step(&mut g, "Last");
    g.entry(a).entry(b1).edge(a, last).edge(b1, b2).edge(b2, b3).edge(b3, last).edge(last, END).defer(last);
    assert_eq!(seen(&g.compile().unwrap()).await, ["a", "b1", "b2", "b3", "Last"]);
}

#[tokio::test]
async fn a_deferred_node_that_another_one_feeds_runs_once_after_it() {
    let mut g = Graph::<Trail>::new("chain");
    let (start, second, first) = (step(&mut g, "start"), step(&mut g, "Asecond"), step(&mut g, "first"));
    g.entry(start).edge(start, first).edge(start, second).edge(first, second).edge(second, END);
    g.defer(first).defer(second);
    assert_eq!(seen(&g.compile().unwrap()).await, ["start", "first", "Asecond"]);
}

#[tokio::test]
async fn a_deferred_node_that_another_one_feeds_over_plain_nodes_and_joins_runs_once_after_it() {
    let mut g = Graph::<Trail>::new("far");
    let [start, first, x, y, second] = ["start", "first", "x", "y", "Asecond"].map(|name| step(&mut g, name));
    g.entry(start).edge(start, first).edge(start, second).edge(first, x).edge(first, y).join([x, y], second);
    g.edge(second, END).defer(first).defer(second);
    assert_eq!(seen(&g.compile().unwrap()).await, ["start", "first", "x", "y", "Asecond"]);
}

#[tokio::test]
async fn declared_targets_order_deferred_nodes_and_undeclared_ones_do_not() {
    for (declared, steps) in [(true, 3), (false, 2)] {
        let mut g = Graph::<Trail>::new("declared");
        let (start, first, second) = (step(&mut g, "start"), step(&mut g, "first"), step(&mut g, "second"));
        g.entry(start).edge(start, first).edge(start, second).edge(second, END).defer(first).defer(second);
        if declared {
            g.route_to(first, [second, END], |_: &Trail| END);
        } else {
            g.route(first, |_: &Trail| END);
        }
        let done = g.compile().unwrap().run(Trail::update()).await.unwrap();
        assert_eq!((done.state.seen, done.steps), (["start", "first", "second"].map(String::from).to_vec(), steps));
    }
}

#[tokio::test]
async fn deferred_nodes_of_one_loop_run_together() {
    let mut g = Graph::<Trail>::new("loop");
    let (start, a, b) = (step(&mut g, "start"), step(&mut g, "a"), step(&mut g, "b"));
    g.entry(start).edge(start, a).edge(start, b).defer(a).defer(b);
    g.route_to(a, [b, END], |_: &Trail| END).route_to(b, [a, END], |_: &Trail| END);
    let done = g.compile().unwrap().run(Trail::update()).await.unwrap();
    assert_eq!((done.state.seen, done.steps), (["start", "a", "b"].map(String::from).to_vec(), 2));
}

#[tokio::test]
async fn sends_run_before_a_deferred_node() {
    let mut g = Graph::<Trail>::new("sends");
    let (start, last) = (step(&mut g, "start"), step(&mut g, "last"));
    let w = g.task("w", async |_cx: Cx<Trail>, n: u32| Ok(mark(format!("w{n}"))));
    g.entry(start).edge(start, last).edge(last, END).edge(w, last).defer(last).defer(last);
    g.route(start, move |_: &Trail| (0..2).map(|n| w.send(n)).collect::<Sends>());
    assert_eq!(seen(&g.compile().unwrap()).await, ["start", "w0", "w1", "last"]);
}

#[tokio::test]
async fn a_deferred_entry_runs_after_the_others() {
    let mut g = Graph::<Trail>::new("entry");
    let (a, z) = (step(&mut g, "a"), step(&mut g, "z"));
    g.entry(a).entry(z).edge(a, END).edge(z, END).defer("a");
    assert_eq!(seen(&g.compile().unwrap()).await, ["z", "a"]);
}

#[tokio::test]
async fn a_deferred_node_in_a_loop_runs_once_in_every_round() {
    let mut g = Graph::<Trail>::new("rounds");
    let [top, a, b1, b2, last] = ["top", "a", "b1", "b2", "last"].map(|name| step(&mut g, name));
    g.entry(top).edge(top, a).edge(top, b1).edge(b1, b2).edge(a, last).edge(b2, last).defer(last);
    g.route(last, move |s: &Trail| if s.count < 10 { top } else { END });
    let round = ["top", "a", "b1", "b2", "last"];
    assert_eq!(seen(&g.compile().unwrap()).await, [round, round].concat());
}
