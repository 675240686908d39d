//! Breakpoints: before and after nodes, with edits between.

use std::sync::Arc;

use research_core::{Breakpoints, CompiledGraph, END, End, ErrorKind, Finished, Graph, ThreadError};

use super::lab::{Lab, Mood, Place, Trail, World, mark, step};

/// `a`, `b`, `c` in a chain.
fn chain() -> CompiledGraph<Trail, Lab> {
    let mut g = Graph::<Trail, Lab>::new("chain");
    let [a, b, c] = ["a", "b", "c"].map(|name| step(&mut g, name));
    g.entry(a).edge(a, b).edge(b, c).edge(c, END);
    g.compile().unwrap()
}

/// Starts or goes on, with breakpoints.
async fn go<P: Place>(
    world: &World<P>,
    graph: &CompiledGraph<Trail, Lab>,
    lab: &Arc<Lab>,
    before: impl Into<Breakpoints>,
    after: impl Into<Breakpoints>,
) -> Finished<Trail> {
    let graph = world.keep(graph).await;
    let run = graph.run_or_resume(Trail::update()).resources(Arc::clone(lab)).thread("t").durability(world.durability);
    run.interrupt_before(before).interrupt_after(after).await.unwrap()
}

fn none() -> Breakpoints {
    Breakpoints::Nodes(Vec::new())
}

fn paused(before: &[&str], after: &[&str]) -> End {
    let names = |names: &[&str]| names.iter().map(ToString::to_string).collect();
    End::Paused { before: names(before), after: names(after) }
}

pub(crate) async fn a_run_pauses_before_and_after_nodes_and_goes_on<P: Place>(world: World<P>) {
    let (graph, lab) = (chain(), Lab::new());
    let first = go(&world, &graph, &lab, "b", "b").await;
    assert_eq!((first.end, first.state.seen.len()), (paused(&["b"], &[]), 1));
    let now = world.thread(&graph).await.state().await.unwrap().unwrap();
    assert_eq!((now.paused, now.next, now.questions.len()), (true, vec!["b".to_string()], 0));
    let second = go(&world, &graph, &lab, "b", "b").await;
    assert_eq!((second.end, second.state.seen.len()), (paused(&[], &["b"]), 2));
    let third = go(&world, &graph, &lab, "b", "b").await;
    assert_eq!((third.end, third.state.seen), (End::Complete, ["a", "b", "c"].map(String::from).to_vec()));
    assert_eq!(["a", "b", "c"].map(|name| lab.runs(name)), [1, 1, 1]);
}

pub(crate) async fn a_run_is_taken_step_by_step<P: Place>(world: World<P>) {
    let (graph, lab) = (chain(), Lab::new());
    for seen in 0..3 {
        let stop = go(&world, &graph, &lab, Breakpoints::All, none()).await;
        assert!(matches!(&stop.end, End::Paused { before, .. } if before.len() == 1), "{:?}", stop.end);
        assert_eq!(stop.state.seen.len(), seen);
    }
    assert!(go(&world, &graph, &lab, Breakpoints::All, none()).await.is_complete());
}

pub(crate) async fn a_run_pauses_after_every_step_but_the_last<P: Place>(world: World<P>) {
    let (graph, lab) = (chain(), Lab::new());
    for node in ["a", "b"] {
        assert_eq!(go(&world, &graph, &lab, none(), Breakpoints::All).await.end, paused(&[], &[node]));
    }
    assert!(go(&world, &graph, &lab, none(), Breakpoints::All).await.is_complete());
}

pub(crate) async fn a_breakpoint_in_a_loop_holds_in_every_round<P: Place>(world: World<P>) {
    let mut g = Graph::<Trail, Lab>::new("loop");
    let [a, b] = ["a", "b"].map(|name| step(&mut g, name));
    g.entry(a).edge(a, b).route(b, move |s: &Trail| if s.sum < 6 { a } else { END });
    let (graph, lab) = (g.compile().unwrap(), Lab::new());
    for seen in [1, 3, 5] {
        assert_eq!(go(&world, &graph, &lab, "b", none()).await.state.seen.len(), seen);
    }
    assert!(go(&world, &graph, &lab, "b", none()).await.is_complete());
}

pub(crate) async fn the_state_is_edited_at_a_breakpoint<P: Place>(world: World<P>) {
    let (graph, lab) = (chain(), Lab::new());
    go(&world, &graph, &lab, "b", none()).await;
    world.thread(&graph).await.update(Trail::update().word("edited")).as_node("a").await.unwrap();
    let now = world.thread(&graph).await.state().await.unwrap().unwrap();
    assert_eq!((now.next, &*now.state.word), (vec!["b".to_string()], "edited"));
    let done = go(&world, &graph, &lab, "b", none()).await;
    assert_eq!((done.end, &*done.state.word), (End::Complete, "edited"));
    assert_eq!(done.state.seen, ["a", "b", "c"]);
}

pub(crate) async fn a_node_is_skipped_at_a_breakpoint<P: Place>(world: World<P>) {
    let (graph, lab) = (chain(), Lab::new());
    go(&world, &graph, &lab, "b", none()).await;
    world.thread(&graph).await.update(mark("b by hand")).as_node("b").await.unwrap();
    let done = go(&world, &graph, &lab, none(), none()).await;
    assert_eq!(done.state.seen, ["a", "b by hand", "c"]);
    assert_eq!(lab.runs("b"), 0);
}

pub(crate) async fn a_breakpoint_that_an_edit_leads_to_holds<P: Place>(world: World<P>) {
    let (graph, lab) = (chain(), Lab::new());
    go(&world, &graph, &lab, ["b", "c"], none()).await;
    world.thread(&graph).await.update(mark("b by hand")).as_node("b").await.unwrap();
    assert_eq!(go(&world, &graph, &lab, ["b", "c"], none()).await.end, paused(&["c"], &[]));
    assert!(go(&world, &graph, &lab, ["b", "c"], none()).await.is_complete());
}

pub(crate) async fn a_thread_that_stopped_otherwise_pauses_where_it_resumes<P: Place>(world: World<P>) {
    let (graph, lab) = (chain(), Lab::new());
    lab.set("b", Mood::Fails);
    world.run(&graph, &lab, Trail::update()).await.unwrap_err();
    lab.mend("b");
    for _ in 0..2 {
        // The failed run is no pause; the paused one is, and is gone past.
        let stop = go(&world, &graph, &lab, "b", none()).await;
        if stop.is_complete() {
            assert_eq!(lab.runs("b"), 2);
            return;
        }
        assert_eq!((stop.end, lab.runs("b")), (paused(&["b"], &[]), 1));
    }
    panic!("it never goes on");
}

pub(crate) async fn breakpoints_need_a_thread_and_nodes_that_exist<P: Place>(world: World<P>) {
    let graph = world.keep(&chain()).await;
    let run = || graph.run(Trail::update()).resources(Lab::default());
    let error = run().interrupt_before("b").await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Thread(ThreadError::NoThread)));
    let error = run().thread("t").interrupt_after(["a", "bb"]).await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Thread(ThreadError::UnknownNode { name, .. }) if name == "bb"));
}
