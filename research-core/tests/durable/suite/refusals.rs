//! Operations that are refused: whatever a run is doing on the thread, none of them harms it.

use std::pin::pin;

use futures::future::BoxFuture;
use research_core::checkpoint::CheckpointId;
use research_core::{
    Ask, Checkpointer, CompiledGraph, END, Graph, Migration, NodeError, OnChange, RunError, Sends, State, Subgraph,
};
use serde_json::json;

use super::lab::{Lab, Mood, Place, Trail, TrailUpdate, World, advance, late, mark, step};

/// A run with everything that can be going on: several steps, sent tasks, recorded siblings, a subgraph that is kept.
fn busy() -> CompiledGraph<Trail, Lab> {
    graph("end")
}

/// As [`busy`], with a last node of another name.
fn graph(last: &str) -> CompiledGraph<Trail, Lab> {
    let mut g = Graph::<Trail, Lab>::new("child");
    let [x, y] = ["x", "y"].map(|name| step(&mut g, name));
    g.entry(x).edge(x, y).edge(y, END);
    let child = g.compile().unwrap();

    let mut g = Graph::<Trail, Lab>::new("busy");
    let plan = step(&mut g, "plan");
    let work = g.task("work", |cx: research_core::Cx<Trail, Lab>, times: u32| async move {
        late(times).await;
        Ok(mark(format!("{}{times}", cx.node())))
    });
    let inner = g.subgraph(
        "inner",
        &child,
        Subgraph::mapped(|_: &Trail| Trail::update(), |child: Trail| Trail::update().seen(child.seen)).per_call(),
    );
    let last = step(&mut g, last);
    g.entry_route(move |s: &Trail| match s.word.as_str() {
        "nowhere" => Err(NodeError::msg("there is no way for this word")),
        _ => Ok(plan),
    });
    g.route(plan, move |s: &Trail| match s.word.as_str() {
        "lost" => Err(NodeError::msg("the route is lost")),
        _ => Ok((0..3).map(|times| work.send(times)).collect::<Sends>()),
    });
    g.edge(work, inner).edge(inner, last).edge(last, END);
    g.compile().unwrap()
}

/// The same graph after a change: a node has another name.
fn changed() -> CompiledGraph<Trail, Lab> {
    graph("finish")
}

/// Another state: a field of the thread has gone.
#[derive(Clone, Debug, Default, State)]
struct Short {
    sum: u64,
}

fn short() -> CompiledGraph<Short, Lab> {
    let mut g = Graph::<Short, Lab>::new("busy");
    let plan = g.node("plan", |_cx| async { Ok(()) });
    g.entry(plan).edge(plan, END);
    g.compile().unwrap()
}

type Operation<C> = fn(C, research_core::Durability) -> BoxFuture<'static, Result<(), RunError>>;

/// Every operation that the engine refuses, by name.
fn operations<C: Checkpointer + Clone>() -> Vec<(&'static str, Operation<C>)> {
    macro_rules! run {
        ($run:expr, $durability:expr) => {
            Box::pin(async move { $run.resources(Lab::default()).thread("t").durability($durability).await.map(drop) })
        };
    }
    fn kept<C: Checkpointer>(store: C) -> CompiledGraph<Trail, Lab> {
        busy().with_checkpointer(store)
    }
    fn refusing<C: Checkpointer>(store: C) -> CompiledGraph<Trail, Lab> {
        changed().with_checkpointer(store).on_change(OnChange::Refuse)
    }
    fn failing<C: Checkpointer>(store: C) -> CompiledGraph<Trail, Lab> {
        let migration = Migration::new(|_| Err(NodeError::msg("not this one")));
        changed().with_checkpointer(store).on_change(OnChange::Migrate(migration))
    }
    const GONE: CheckpointId = CheckpointId(99_999);
    vec![
        ("an answer that nothing waits for", |store, d| run!(kept(store).resume().answer(1), d)),
        ("an answer to an unknown name", |store, d| run!(kept(store).resume().answer_to("nobody", 1), d)),
        ("an answer beside an input", |store, d| run!(kept(store).run(mark("new")).answer(1), d)),
        ("an update of an unknown node", |store, _| {
            Box::pin(async move { kept(store).thread("t").update(mark("new")).as_node("nowhere").await.map(drop) })
        }),
        ("an update whose route fails", |store, _| {
            Box::pin(async move {
                kept(store).thread("t").update(Trail::update().word("lost")).as_node("plan").await.map(drop)
            })
        }),
        ("a good update and then a bad one", |store, _| {
            Box::pin(async move {
                let thread = kept(store).thread("t");
                thread.update(mark("new")).as_node("end").then(mark("new")).as_node("nowhere").await.map(drop)
            })
        }),
        ("an update of a missing checkpoint", |store, _| {
            Box::pin(async move {
                let thread = kept(store).thread("t");
                thread.update(mark("new")).as_node("plan").from_checkpoint(GONE).await.map(drop)
            })
        }),
        ("a fork of a missing checkpoint", |store, _| {
            Box::pin(async move { kept(store).thread("t").fork(GONE).await.map(drop) })
        }),
        ("a resume from a missing checkpoint", |store, d| run!(kept(store).resume().from_checkpoint(GONE), d)),
        ("an answer on a fork", |store, d| run!(kept(store).resume().from_checkpoint(CheckpointId(1)).answer(1), d)),
        ("an input at a missing checkpoint", |store, d| run!(kept(store).run(mark("new")).from_checkpoint(GONE), d)),
        ("an input that the entry refuses", |store, d| run!(kept(store).run(Trail::update().word("nowhere")), d)),
        ("a breakpoint at an unknown node", |store, d| run!(kept(store).resume().interrupt_before("nowhere"), d)),
        ("a version that is refused, resumed", |store, d| run!(refusing(store).resume(), d)),
        ("a version that is refused, with an input", |store, d| run!(refusing(store).run(mark("new")), d)),
        ("a version that is refused, started or resumed", |store, d| {
            run!(refusing(store).run_or_resume(mark("new")), d)
        }),
        ("a version that is refused, from a checkpoint", |store, d| {
            run!(refusing(store).resume().from_checkpoint(CheckpointId(1)), d)
        }),
        ("a version that is refused, updated", |store, _| {
            Box::pin(async move { refusing(store).thread("t").update(mark("new")).as_node("plan").await.map(drop) })
        }),
        ("a version that is refused, forked", |store, _| {
            Box::pin(async move { refusing(store).thread("t").fork(CheckpointId(1)).await.map(drop) })
        }),
        ("a migration that fails", |store, d| run!(failing(store).resume(), d)),
        ("a version that does not fit", |store, d| {
            let graph = short().with_checkpointer(store);
            Box::pin(async move { graph.resume().resources(Lab::default()).thread("t").durability(d).await.map(drop) })
        }),
        ("a copy over the thread", |store, _| Box::pin(async move { kept(store).thread("other").copy_to("t").await })),
    ]
}

pub(crate) async fn no_refused_operation_harms_a_run_at_any_moment<P: Place>(world: World<P>) {
    for (offset, (name, operation)) in operations::<P::Store>().into_iter().enumerate() {
        let mut moment = if P::SEEDS < 60 { offset % 4 } else { 0 };
        loop {
            let world = world.again();
            world.run(&busy(), &Lab::new(), mark("before")).await.unwrap();
            let store = world.place.open().await;
            // Another thread, which the copy takes for its source.
            let other = busy().with_checkpointer(store.clone());
            other.run(mark("other")).resources(Lab::default()).thread("other").await.unwrap();

            let lab = Lab::new();
            ["plan", "x", "end"].into_iter().for_each(|node| lab.set(node, Mood::Late(2)));
            let graph = busy();
            let mut run = pin!(world.run(&graph, &lab, mark("input")));
            let ended = advance(run.as_mut(), moment).await;
            let is_over = ended.is_some();
            let refused = operation(store, world.durability).await;
            assert!(refused.is_err(), "{name} is refused at moment {moment}");
            let ended = match ended {
                Some(ended) => ended,
                None => run.await,
            };

            let done = ended.unwrap_or_else(|error| panic!("{name} at moment {moment}: {error}"));
            let expected: Vec<&str> = done.state.seen.iter().map(String::as_str).collect();
            let round = ["plan", "work0", "work1", "work2", "x", "y", "end"];
            assert_eq!(expected, [&["before"][..], &round, &["input"], &round].concat(), "{name} at moment {moment}");
            if is_over {
                break;
            }
            // Where each moment costs a write to a disk, every fourth will do: they differ by the operation.
            moment += if P::SEEDS < 60 { 4 } else { 1 };
        }
        assert!(moment > 3, "the run was looked at while it ran");
    }
}

pub(crate) async fn a_second_answer_to_a_question_does_not_harm_the_run_that_works_on_the_first<P: Place>(
    world: World<P>,
) {
    let mut g = Graph::<Trail, Lab>::new("asks");
    let ask = g.node("ask", |cx: research_core::Cx<Trail, Lab>| async move {
        let word: String = cx.interrupt(Ask::new("word", json!({}))).await?;
        late(3).await;
        Ok(mark("ask").word(word))
    });
    let after = step(&mut g, "after");
    g.entry(ask).edge(ask, after).edge(after, END);
    let graph = g.compile().unwrap();

    let mut moment = 1;
    loop {
        let (world, lab) = (world.again(), Lab::new());
        let asked = world.run(&graph, &lab, Trail::update()).await.unwrap();
        let id = asked.questions()[0].id.clone();
        lab.set("after", Mood::Late(2));
        let mut first = pin!(world.answer_to(&graph, &lab, &id, "first"));
        let ended = advance(first.as_mut(), moment).await;
        let is_over = ended.is_some();
        let second = world.answer_to(&graph, &lab, &id, "second").await;
        let first = match ended {
            Some(ended) => ended,
            None => first.await,
        };
        // One of them wins; the one that is refused does not keep the other from its end.
        let winner = match (first, second) {
            (Ok(done), Err(_)) | (Err(_), Ok(done)) => done,
            (first, second) => panic!("at moment {moment}: {first:?} and {second:?}"),
        };
        assert!(winner.is_complete());
        assert_eq!(winner.state.seen, ["ask", "after"]);
        if is_over {
            break;
        }
        moment += 1;
    }
}

pub(crate) async fn what_is_refused_leaves_the_thread_as_it_was<P: Place>(world: World<P>) {
    world.run(&busy(), &Lab::new(), mark("before")).await.unwrap();
    let store = world.place.open().await;
    let graph = busy().with_checkpointer(store.clone());
    graph.run(TrailUpdate::default()).resources(Lab::default()).thread("other").await.unwrap();
    let thread = graph.thread("t");
    let before = thread.history().await.unwrap().moments().len();
    for (name, operation) in operations::<P::Store>() {
        operation(store.clone(), world.durability).await.expect_err(name);
    }
    let now = thread.history().await.unwrap();
    assert_eq!(now.moments().len(), before, "{now}");
    assert!(thread.state().await.unwrap().unwrap().is_complete());
}
