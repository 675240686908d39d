//! Pruning a thread whose subgraphs are kept for their calls, whatever its run is doing.

use std::pin::pin;
use std::sync::Arc;

use research_core::checkpoint::Prune;
use research_core::testing::crash_after;
use research_core::{Ask, CompiledGraph, Cx, END, Finished, Graph, Subgraph};
use serde_json::json;

use super::lab::{Lab, Mood, Place, Trail, World, advance, mark, step};

/// What a call gives its parent.
fn seen() -> Subgraph<Trail, Trail> {
    Subgraph::mapped(|_: &Trail| Trail::update(), |child: Trail| Trail::update().seen(child.seen)).per_call()
}

/// Two calls of a subgraph with a subgraph of its own that asks, and steps around them.
fn calls() -> CompiledGraph<Trail, Lab> {
    let mut g = Graph::<Trail, Lab>::new("deep");
    let dig = step(&mut g, "dig");
    let ask = g.node("ask", |cx: Cx<Trail, Lab>| async move {
        let word: String = cx.interrupt(Ask::new("word", json!({}))).await?;
        cx.resources.work("ask").await?;
        Ok(mark(format!("ask {word}")))
    });
    g.entry(dig).edge(dig, ask).edge(ask, END);
    let deep = g.compile().unwrap();

    let mut g = Graph::<Trail, Lab>::new("inner");
    let [x, y] = ["x", "y"].map(|name| step(&mut g, name));
    let deep = g.subgraph("deep", &deep, seen());
    g.entry(x).edge(x, deep).edge(deep, y).edge(y, END);
    let inner = g.compile().unwrap();

    let mut g = Graph::<Trail, Lab>::new("calls");
    let [a, z] = ["a", "z"].map(|name| step(&mut g, name));
    let [first, second] = ["first", "second"].map(|name| g.subgraph(name, &inner, seen()));
    g.entry(a).edge(a, first).edge(first, second).edge(second, z).edge(z, END);
    g.compile().unwrap()
}

fn whole() -> Vec<&'static str> {
    let call = ["x", "dig", "ask yes", "y"];
    [&["a"][..], &call, &call, &["z"]].concat()
}

async fn prune<P: Place>(world: &World<P>, graph: &CompiledGraph<Trail, Lab>) {
    world.thread(graph).await.prune(&Prune::keep_last(1)).await.unwrap();
}

/// Answers every question until the thread is complete, and prunes it before each answer.
async fn end<P: Place>(world: &World<P>, graph: &CompiledGraph<Trail, Lab>, lab: &Arc<Lab>) -> Finished<Trail> {
    let mut ended = world.resume(graph, lab).await.unwrap();
    while !ended.is_complete() {
        prune(world, graph).await;
        ended = world.answer(graph, lab, "yes").await.unwrap();
    }
    ended
}

pub(crate) async fn a_thread_pruned_wherever_its_run_broke_off_ends_the_same<P: Place>(world: World<P>) {
    let graph = calls();
    let mut polls = 1;
    loop {
        let (world, lab) = (world.again(), Lab::new());
        let kept = world.keep(&graph).await;
        let run = kept.run_or_resume(Trail::update()).resources(Arc::clone(&lab)).thread("t");
        let is_over = crash_after(polls, run.durability(world.durability).into_future()).await.is_some();
        if world.thread(&graph).await.state().await.unwrap().is_none() {
            // Nothing was stored yet: the next run starts the thread.
            world.run(&graph, &lab, Trail::update()).await.unwrap();
        }

        prune(&world, &graph).await;
        let done = end(&world, &graph, &lab).await;

        assert_eq!(done.state.seen, whole(), "dropped after {polls} polls");
        prune(&world, &graph).await;
        assert_eq!(world.thread(&graph).await.namespaces().await.unwrap(), [""], "finished calls are gone");
        if is_over {
            break;
        }
        polls += 1;
    }
}

pub(crate) async fn a_run_does_not_notice_that_its_thread_is_pruned<P: Place>(world: World<P>) {
    let graph = calls();
    let mut moment = 0;
    loop {
        let (world, lab) = (world.again(), Lab::new());
        world.run(&graph, &lab, Trail::update()).await.unwrap();
        ["dig", "x", "y"].into_iter().for_each(|node| lab.set(node, Mood::Late(1)));
        let mut run = pin!(world.answer(&graph, &lab, "yes"));
        let ended = advance(run.as_mut(), moment).await;
        let is_over = ended.is_some();

        prune(&world, &graph).await;

        let ended = match ended {
            Some(ended) => ended,
            None => run.await,
        };
        assert_eq!(ended.unwrap().questions().len(), 1, "at moment {moment}");
        assert_eq!(end(&world, &graph, &lab).await.state.seen, whole(), "at moment {moment}");
        if is_over {
            break;
        }
        // Where each moment costs writes to a disk, some of them will do.
        moment += if P::SEEDS < 60 { 5 } else { 1 };
    }
    assert!(moment > 3, "the run was pruned while it ran");
}
