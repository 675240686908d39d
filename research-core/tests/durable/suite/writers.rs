//! Several writers on one thread: one wins, the other is told, and nothing is lost.

use std::sync::Arc;

use research_core::{CompiledGraph, END, Graph, RunError, Subgraph};

use super::lab::{Lab, Mood, Place, Trail, World, mark, step, until};

fn chain() -> CompiledGraph<Trail, Lab> {
    let mut g = Graph::<Trail, Lab>::new("chain");
    let [a, gate, c] = ["a", "gate", "c"].map(|name| step(&mut g, name));
    g.entry(a).edge(a, gate).edge(gate, c).edge(c, END);
    g.compile().unwrap()
}

/// A run that stays in `gate` until something that happens meanwhile is over.
async fn meanwhile<P: Place, F: Future>(
    world: &World<P>,
    lab: &Arc<Lab>,
    other: impl FnOnce() -> F,
) -> (Result<research_core::Finished<Trail>, RunError>, F::Output) {
    let graph = chain();
    lab.set("gate", Mood::Late(u32::MAX));
    let run = world.run(&graph, lab, mark("first"));
    let other = async {
        until(async || lab.runs("gate") == 1).await;
        if !world.stores_at_exit() {
            // The node may start while what led to it is still being stored.
            let thread = world.thread(&graph).await;
            until(async || thread.state().await.unwrap().is_some_and(|now| now.next == ["gate"])).await;
        }
        lab.set("gate", Mood::Late(0));
        let done = other().await;
        lab.mend("gate");
        done
    };
    futures::future::join(run, other).await
}

pub(crate) async fn the_newer_run_wins_and_the_older_one_gets_a_typed_conflict<P: Place>(world: World<P>) {
    let lab = Lab::new();
    let (older, newer) = meanwhile(&world, &lab, async || world.run(&chain(), &lab, mark("second")).await).await;
    assert!(older.unwrap_err().is_thread_conflict());
    let newer = newer.unwrap();
    let expected: &[&str] = match world.stores_at_exit() {
        // The older one had stored nothing.
        true => &["second", "a", "gate", "c"],
        false => &["first", "a", "second", "a", "gate", "c"],
    };
    assert_eq!(newer.state.seen, expected);
    let now = world.thread(&chain()).await.state().await.unwrap().unwrap();
    assert_eq!((now.is_complete(), now.state), (true, newer.state));
}

pub(crate) async fn an_update_during_a_run_wins_over_it<P: Place>(world: World<P>) {
    let lab = Lab::new();
    world.run(&chain(), &Lab::new(), Trail::update()).await.unwrap();
    let (run, update) =
        meanwhile(&world, &lab, async || world.thread(&chain()).await.update(mark("edit")).as_node("c").await).await;
    assert!(run.unwrap_err().is_thread_conflict());
    update.unwrap();
    let now = world.thread(&chain()).await.state().await.unwrap().unwrap();
    assert_eq!(now.state.seen.last().unwrap(), "edit");
}

pub(crate) async fn a_thread_that_is_deleted_during_a_run_stays_deleted<P: Place>(world: World<P>) {
    let lab = Lab::new();
    let (run, deleted) = meanwhile(&world, &lab, async || world.thread(&chain()).await.delete().await).await;
    deleted.unwrap();
    assert!(run.unwrap_err().is_thread_conflict());
    assert!(world.thread(&chain()).await.state().await.unwrap().is_none());
}

pub(crate) async fn readers_disturb_nobody<P: Place>(world: World<P>) {
    let lab = Lab::new();
    let (run, ()) = meanwhile(&world, &lab, async || {
        let thread = world.thread(&chain()).await;
        thread.state().await.unwrap();
        thread.history().await.unwrap();
        thread.namespaces().await.unwrap();
        if !world.stores_at_exit() {
            thread.copy_to("copy").await.unwrap();
        }
    })
    .await;
    assert_eq!(run.unwrap().state.seen, ["first", "a", "gate", "c"]);
}

pub(crate) async fn threads_go_on_side_by_side<P: Place>(world: World<P>) {
    let (graph, lab) = (world.keep(&chain()).await, Lab::new());
    let runs = (0..20).map(|n| {
        let input = mark(format!("input {n}"));
        graph.run(input).resources(Arc::clone(&lab)).thread(format!("t{n}")).durability(world.durability).into_future()
    });
    for (n, done) in futures::future::join_all(runs).await.into_iter().enumerate() {
        let seen = [format!("input {n}"), "a".to_string(), "gate".into(), "c".into()];
        assert_eq!(done.unwrap().state.seen, seen);
        assert_eq!(graph.thread(format!("t{n}")).state().await.unwrap().unwrap().state.seen, seen);
    }
}

/// `gate`, then a child with `inner gate`.
fn with_child() -> CompiledGraph<Trail, Lab> {
    let mut g = Graph::<Trail, Lab>::new("inner");
    let [x, gate] = ["x", "inner gate"].map(|name| step(&mut g, name));
    g.entry(x).edge(x, gate).edge(gate, END);
    let inner = g.compile().unwrap();
    let mut g = Graph::<Trail, Lab>::new("outer");
    let gate = step(&mut g, "gate");
    let child = g.subgraph("child", &inner, Subgraph::shared().per_call());
    g.entry(gate).edge(gate, child).edge(child, END);
    g.compile().unwrap()
}

pub(crate) async fn a_run_that_lost_its_thread_does_not_disturb_the_subgraphs_of_the_winner<P: Place>(world: World<P>) {
    let (graph, [older, newer]) = (with_child(), [Lab::new(), Lab::new()]);
    older.set("gate", Mood::Late(u32::MAX));
    newer.set("inner gate", Mood::Late(u32::MAX));
    let first = world.run(&graph, &older, mark("first"));
    let second = async {
        until(async || older.runs("gate") == 1).await;
        world.run(&graph, &newer, mark("second")).await
    };
    let control = async {
        until(async || newer.runs("inner gate") == 1).await;
        older.mend("gate");
    };
    let first = async {
        let lost = first.await;
        newer.mend("inner gate");
        lost
    };
    let (first, second, ()) = futures::future::join3(first, second, control).await;
    let error = first.unwrap_err();
    assert!(error.is_thread_conflict(), "{error}");
    assert_eq!(second.unwrap().state.seen.last().unwrap(), "inner gate");
    assert_eq!(older.runs("x"), 0, "it was stopped before its subgraph began");
}

pub(crate) async fn a_run_that_loses_its_thread_in_a_subgraph_gets_the_same_conflict<P: Place>(world: World<P>) {
    let (graph, [older, newer]) = (with_child(), [Lab::new(), Lab::new()]);
    older.set("inner gate", Mood::Late(u32::MAX));
    let first = world.run(&graph, &older, mark("first"));
    let second = async {
        until(async || older.runs("inner gate") == 1).await;
        let kept = world.keep(&graph).await;
        let run = kept.run_or_resume(mark("second")).resources(Arc::clone(&newer)).thread("t");
        let won = run.durability(world.durability).await;
        older.mend("inner gate");
        won
    };
    let (first, second) = futures::future::join(first, second).await;
    let error = first.unwrap_err();
    assert!(error.is_thread_conflict(), "{error}");
    assert_eq!(second.unwrap().state.seen.last().unwrap(), "inner gate");
    let now = world.thread(&graph).await.state().await.unwrap().unwrap();
    assert_eq!((now.is_complete(), now.state.sum), (true, 4));
}
