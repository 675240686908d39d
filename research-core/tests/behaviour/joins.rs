//! Joins: they fire once in every round, when all, one or some of their sources have finished in it.

use research_core::{Cx, END, Graph, Sends};

use crate::support::{Trail, mark, seen, step};

#[tokio::test]
async fn a_join_waits_for_the_longer_branch_and_fires_once() {
    let mut g = Graph::<Trail>::new("join");
    let (a, b1, b2, c) = (step(&mut g, "a"), step(&mut g, "b1"), step(&mut g, "b2"), step(&mut g, "c"));
    g.entry(a).entry(b1).edge(b1, b2).join([a, b2], c).edge(c, END);
    assert_eq!(seen(&g.compile().unwrap()).await, ["a", "b1", "b2", "c"]);
}

#[tokio::test]
async fn two_plain_edges_of_unequal_depth_run_their_target_twice() {
    let mut g = Graph::<Trail>::new("edges");
    let (a, b1, b2, c) = (step(&mut g, "a"), step(&mut g, "b1"), step(&mut g, "b2"), step(&mut g, "c"));
    g.entry(a).entry(b1).edge(b1, b2).edge(a, c).edge(b2, c).edge(c, END);
    assert_eq!(seen(&g.compile().unwrap()).await, ["a", "b1", "b2", "c", "c"]);
}

#[tokio::test]
async fn a_source_of_a_join_may_stand_behind_a_route() {
    for (value, expected) in [(1, "a s x c"), (2, "a s y x c"), (0, "a s")] {
        let mut g = Graph::<Trail>::new("routed");
        let (a, s, x) = (step(&mut g, "a"), step(&mut g, "s"), step(&mut g, "x"));
        let (y, c) = (step(&mut g, "y"), step(&mut g, "c"));
        g.entry(a).entry(s).edge(y, x).join([a, x], c).edge(c, END);
        g.route(s, move |state: &Trail| [None, Some(x), Some(y)][state.value as usize]);
        let done = g.compile().unwrap().run(Trail::update().value(value)).await.unwrap();
        assert_eq!(done.state.seen.join(" "), expected, "value {value}");
    }
}

#[tokio::test]
async fn a_join_whose_source_never_runs_does_not_hang_the_run() {
    let mut g = Graph::<Trail>::new("never");
    let (a, b, c) = (step(&mut g, "a"), step(&mut g, "b"), step(&mut g, "c"));
    g.entry(a).route(a, move |_: &Trail| None::<research_core::Node>).join([a, b], c).edge(c, END).edge(b, END);
    let done = g.compile().unwrap().run(Trail::update()).await.unwrap();
    assert_eq!((done.state.seen, done.steps), (vec!["a".to_string()], 1));
}

#[tokio::test]
async fn a_direct_edge_into_the_target_of_a_join_runs_it_as_well() {
    let mut g = Graph::<Trail>::new("both");
    let (a, b1, b2, c) = (step(&mut g, "a"), step(&mut g, "b1"), step(&mut g, "b2"), step(&mut g, "c"));
    g.entry(a).entry(b1).edge(b1, b2).edge(a, c).join([a, b2], c).edge(c, END);
    assert_eq!(seen(&g.compile().unwrap()).await, ["a", "b1", "b2", "c", "c"]);
}

#[tokio::test]
async fn a_join_in_a_loop_fires_once_in_every_round() {
    let mut g = Graph::<Trail>::new("rounds");
    let (top, a, b1) = (step(&mut g, "top"), step(&mut g, "a"), step(&mut g, "b1"));
    let (b2, meet) = (step(&mut g, "b2"), step(&mut g, "meet"));
    g.entry(top).edge(top, a).edge(top, b1).edge(b1, b2).join([a, b2], meet);
    g.route(meet, move |s: &Trail| if s.count < 15 { top } else { END });
    let round = ["top", "a", "b1", "b2", "meet"];
    assert_eq!(seen(&g.compile().unwrap()).await, [round, round, round].concat());
}

#[tokio::test]
async fn a_source_that_finishes_twice_counts_once() {
    let mut g = Graph::<Trail>::new("twice");
    let (a, b1, b2) = (step(&mut g, "a"), step(&mut g, "b1"), step(&mut g, "b2"));
    let (b3, c) = (step(&mut g, "b3"), step(&mut g, "c"));
    g.entry(a).entry(b1).edge(b1, b2).edge(b2, b3).join([a, b3], c).edge(c, END);
    g.route(a, move |s: &Trail| (s.count < 2).then_some(a));
    assert_eq!(seen(&g.compile().unwrap()).await, ["a", "b1", "a", "b2", "b3", "c"]);
}

#[tokio::test]
async fn several_runs_of_a_source_in_the_step_that_fires_count_for_that_firing_alone() {
    let mut g = Graph::<Trail>::new("sends");
    let start = step(&mut g, "start");
    let w = g.task("w", async |_cx: Cx<Trail>, n: u32| Ok(mark(format!("w{n}"))));
    let (x, c) = (step(&mut g, "x"), step(&mut g, "c"));
    g.entry(start).edge(start, x).join([x, w.node()], c);
    g.route(start, move |s: &Trail| match s.count {
        1 => (0..3).map(|n| w.send(n)).collect::<Sends>(),
        _ => Sends::default(),
    });
    // In the second round no `w` runs, so that the join must not fire again.
    g.route(c, move |s: &Trail| if s.count == 6 { start } else { END });
    assert_eq!(seen(&g.compile().unwrap()).await, ["start", "x", "w0", "w1", "w2", "c", "start", "x"]);
}

#[tokio::test]
async fn a_join_of_sends_fires_once_for_all_of_them() {
    let mut g = Graph::<Trail>::new("map and reduce");
    let map = g.task("map", async |_cx: Cx<Trail>, n: u32| Ok(mark(n.to_string())));
    let reduce = step(&mut g, "reduce");
    g.entry_route(move |_: &Trail| (0..4).map(|n| map.send(n)).collect::<Sends>());
    g.join([map], reduce).edge(reduce, END);
    assert_eq!(seen(&g.compile().unwrap()).await, ["0", "1", "2", "3", "reduce"]);
}

#[tokio::test]
async fn one_node_may_be_a_source_of_several_joins_and_stand_in_one_twice() {
    let mut g = Graph::<Trail>::new("several");
    let (a, b, c, d) = (step(&mut g, "a"), step(&mut g, "b"), step(&mut g, "c"), step(&mut g, "d"));
    g.entry(a).entry(b).join([a, b], d).join([a, a], c).edge(c, END).edge(d, END);
    assert_eq!(seen(&g.compile().unwrap()).await, ["a", "b", "c", "d"]);
}

#[tokio::test]
async fn a_join_into_the_end_ends_its_branches() {
    let mut g = Graph::<Trail>::new("end");
    let (a, b) = (step(&mut g, "a"), step(&mut g, "b"));
    g.entry(a).entry(b).join([a, b], END);
    assert_eq!(seen(&g.compile().unwrap()).await, ["a", "b"]);
}

#[tokio::test]
async fn what_a_join_waited_for_is_forgotten_when_a_new_run_starts() {
    let mut g = Graph::<Trail>::new("fresh");
    let (a, b, c) = (step(&mut g, "a"), step(&mut g, "b"), step(&mut g, "c"));
    g.entry_route(move |s: &Trail| if s.value == 0 { a } else { b }).join([a, b], c).edge(c, END);
    let graph = g.compile().unwrap();
    assert_eq!(graph.run(Trail::update()).await.unwrap().state.seen, ["a"]);
    assert_eq!(graph.run(Trail::update().value(1)).await.unwrap().state.seen, ["b"]);
}

#[tokio::test]
async fn a_join_of_any_fires_for_the_first_source_and_absorbs_the_stragglers() {
    let mut g = Graph::<Trail>::new("any");
    let (a, b1, b2, c) = (step(&mut g, "a"), step(&mut g, "b1"), step(&mut g, "b2"), step(&mut g, "c"));
    g.entry(a).entry(b1).edge(b1, b2).join_any([a, b2], c).edge(c, END);
    assert_eq!(seen(&g.compile().unwrap()).await, ["a", "b1", "b2", "c"]);
}

#[tokio::test]
async fn a_join_of_any_fires_once_for_sources_that_finish_in_one_step() {
    let mut g = Graph::<Trail>::new("together");
    let (a, b, c) = (step(&mut g, "a"), step(&mut g, "b"), step(&mut g, "c"));
    g.entry(a).entry(b).join_any([a, b], c).edge(c, END);
    assert_eq!(seen(&g.compile().unwrap()).await, ["a", "b", "c"]);
}

#[tokio::test]
async fn a_join_of_n_fires_when_so_many_different_sources_have_finished() {
    for (n, steps, expected) in
        [(1, 3, "a b1 c1 b2 c2 d c3"), (2, 3, "a b1 c1 b2 c2 c3 d"), (3, 4, "a b1 c1 b2 c2 c3 d")]
    {
        let mut g = Graph::<Trail>::new("some");
        let [a, b1, b2, c1, c2, c3, d] = ["a", "b1", "b2", "c1", "c2", "c3", "d"].map(|name| step(&mut g, name));
        g.entry(a).entry(b1).entry(c1).edge(b1, b2).edge(c1, c2).edge(c2, c3);
        g.join_n(n, [a, b2, c3], d).edge(d, END);
        let done = g.compile().unwrap().run(Trail::update()).await.unwrap();
        assert_eq!((done.steps, &*done.state.seen.join(" ")), (steps, expected), "{n} of 3");
    }
}

#[tokio::test]
async fn a_round_of_a_partial_join_ends_when_all_sources_have_finished() {
    let mut g = Graph::<Trail>::new("rounds");
    let (top, a, b1) = (step(&mut g, "top"), step(&mut g, "a"), step(&mut g, "b1"));
    let (b2, meet) = (step(&mut g, "b2"), step(&mut g, "meet"));
    g.entry(top).edge(top, a).edge(top, b1).edge(b1, b2).join_any([a, b2], meet);
    g.route(meet, move |s: &Trail| if s.count < 12 { top } else { END });
    let round = ["top", "a", "b1", "b2", "meet"];
    assert_eq!(seen(&g.compile().unwrap()).await, [round, round, round].concat());
}

#[tokio::test]
async fn a_round_of_a_partial_join_ends_when_a_source_finishes_again() {
    let mut g = Graph::<Trail>::new("again");
    let (a, b, c) = (step(&mut g, "a"), step(&mut g, "b"), step(&mut g, "c"));
    // `b` never runs, so that the first round would never be complete.
    g.entry(a).route(a, move |s: &Trail| (s.count < 4).then_some(a)).join_any([a, b], c).edge(b, END).edge(c, END);
    assert_eq!(seen(&g.compile().unwrap()).await, ["a", "a", "c", "a", "c", "c"]);
}

#[tokio::test]
async fn a_straggler_that_runs_several_times_in_one_step_begins_no_new_round() {
    // Where `y` is a source, which never runs, the round stays open after `w`; otherwise `w` completes it.
    for open in [false, true] {
        let mut g = Graph::<Trail>::new("sends");
        let [start, x, y, c] = ["start", "x", "y", "c"].map(|name| step(&mut g, name));
        let w = g.task("w", async |_cx: Cx<Trail>, n: u32| Ok(mark(format!("w{n}"))));
        g.entry(start).entry(x).route(start, move |_: &Trail| (0..3).map(|n| w.send(n)).collect::<Sends>());
        g.join_any([x, w.node()].into_iter().chain(open.then_some(y)), c).edge(c, END).edge(y, END);
        assert_eq!(seen(&g.compile().unwrap()).await, ["start", "x", "c", "w0", "w1", "w2"], "open: {open}");
    }
}

#[tokio::test]
async fn a_straggler_belongs_to_the_old_round_when_another_source_begins_the_next_in_the_same_step() {
    for (again, late) in [("a", "b"), ("b", "a")] {
        let mut g = Graph::<Trail>::new("both");
        let (x, y, y0) = (step(&mut g, again), step(&mut g, late), step(&mut g, "y0"));
        let c = step(&mut g, "z");
        // `x` runs in the steps 1 and 2, `y` in 2 and 3.
        g.entry(x).entry(y0).edge(y0, y).join_any([x, y], c).edge(c, END);
        g.route(x, move |s: &Trail| (s.count < 2).then_some(x)).route(y, move |s: &Trail| (s.count < 4).then_some(y));
        let done = g.compile().unwrap().run(Trail::update()).await.unwrap();
        assert_eq!(done.state.seen, [again, "y0", "a", "b", "z", late, "z"], "{again} again, {late} late");
    }
}

#[tokio::test]
async fn a_partial_join_counts_different_sources_and_not_their_runs() {
    let mut g = Graph::<Trail>::new("different");
    let (a, b1, b2, c) = (step(&mut g, "a"), step(&mut g, "b1"), step(&mut g, "b2"), step(&mut g, "c"));
    let b3 = step(&mut g, "b3");
    let never = step(&mut g, "never");
    g.entry(a).entry(b1).edge(b1, b2).edge(b2, b3).edge(never, END);
    // `a` finishes twice before the second source does.
    g.route(a, move |s: &Trail| (s.count < 2).then_some(a)).join_n(2, [a, b3, never], c).edge(c, END);
    assert_eq!(seen(&g.compile().unwrap()).await, ["a", "b1", "a", "b2", "b3", "c"]);
}
