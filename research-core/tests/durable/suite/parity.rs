//! What the three durabilities have in common, and what they store.

use std::sync::Arc;

use research_core::checkpoint::{Origin, Query};
use research_core::testing::{Faulty, When};
use research_core::{
    Command, CompiledGraph, Cx, Durability, END, ErrorKind, Graph, NodeError, Sends, StoreErrorKind, ThreadError,
};

use super::lab::{Lab, Mood, Place, Trail, TrailUpdate, World, mark, step};

/// A loop of a fan-out of sent tasks, a join and a goto, three rounds long.
fn rounds() -> CompiledGraph<Trail, Lab> {
    let mut g = Graph::<Trail, Lab>::new("rounds");
    let plan = g.node("plan", |cx: Cx<Trail, Lab>| async move {
        cx.resources.work("plan").await?;
        Ok(mark("plan").value(cx.state.value + 1).notes([(format!("round {}", cx.state.value), 1)]))
    });
    let side = step(&mut g, "side");
    let work = g.task("work", |cx, n: u32| async move {
        cx.resources.work(&format!("work {n}")).await?;
        Ok::<_, NodeError>(mark(format!("work {n}")).word(format!("word {n}")).notes([("last".to_string(), n)]))
    });
    let judge = g.node("judge", move |cx: Cx<Trail, Lab>| async move {
        cx.resources.work("judge").await?;
        let next = if cx.state.value < 3 { plan } else { END };
        Ok(Command::goto(next).with(mark("judge")))
    });
    let last = step(&mut g, "last");
    g.entry(plan)
        .edge(plan, side)
        .route(plan, move |s: &Trail| (0..s.value).map(|n| work.send(n)).collect::<Sends>())
        .join([side, work.node()], judge)
        .edge(side, last)
        .defer(last)
        .edge(last, END);
    g.compile().unwrap()
}

fn input() -> TrailUpdate {
    Trail::update().word("input").notes([("input".to_string(), 9)])
}

pub(crate) async fn the_final_state_is_that_of_a_run_without_a_thread<P: Place>(world: World<P>) {
    let graph = rounds();
    let plain = graph.run(input()).resources(Lab::default()).await.unwrap();
    let kept = world.run(&graph, &Lab::new(), input()).await.unwrap();
    assert_eq!((&kept.state, kept.steps), (&plain.state, plain.steps));
    let now = world.thread(&graph).await.state().await.unwrap().unwrap();
    assert_eq!((now.is_complete(), now.step, now.state), (true, plain.steps, plain.state));
}

pub(crate) async fn there_is_a_checkpoint_for_each_barrier_or_one_for_each_run<P: Place>(world: World<P>) {
    let (graph, lab) = (rounds(), Lab::new());
    let done = world.run(&graph, &lab, input()).await.unwrap();
    let history = world.thread(&graph).await.history().await.unwrap();
    let steps: Vec<_> = history.moments().iter().rev().map(|moment| (moment.origin, moment.step)).collect();
    if world.stores_at_exit() {
        assert_eq!(steps, [(Origin::Step, done.steps)]);
    } else {
        let expected = (0..=done.steps).map(|step| (if step == 0 { Origin::Input } else { Origin::Step }, step));
        assert_eq!(steps, expected.collect::<Vec<_>>());
    }
    world.run(&graph, &lab, input()).await.unwrap();
    let again = world.thread(&graph).await.history().await.unwrap();
    assert!(again.moments().len() > history.moments().len());
    if world.stores_at_exit() {
        assert_eq!(again.moments().len(), 2);
    }
}

pub(crate) async fn a_failure_in_any_node_is_followed_by_the_same_rest<P: Place>(world: World<P>) {
    let graph = rounds();
    let whole = graph.run(input()).resources(Lab::default()).await.unwrap().state;
    for bad in ["plan", "side", "work 0", "work 2", "judge", "last"] {
        for mood in [Mood::Fails, Mood::FailsLate, Mood::Panics] {
            let (world, lab) = (world.again(), Lab::new());
            lab.set(bad, mood);
            world.run(&graph, &lab, input()).await.unwrap_err();
            let history = world.thread(&graph).await.history().await.unwrap();
            if world.stores_at_exit() {
                assert_eq!(history.moments().len(), 1, "one for the failure");
            }
            lab.mend(bad);
            let done = world.resume(&graph, &lab).await.unwrap();
            assert_eq!(done.state, whole, "{bad} {mood:?}");
            let runs = lab.all_runs();
            let once: u32 = runs.iter().filter(|(name, _)| *name != bad).map(|(_, runs)| runs).sum();
            let seen = done.state.seen.iter().filter(|name| *name != bad).count();
            assert_eq!(once as usize, seen, "all the others ran as often as they are seen: {runs:?}");
        }
    }
}

pub(crate) async fn a_question_in_a_later_step_is_answered_the_same<P: Place>(world: World<P>) {
    let mut g = Graph::<Trail, Lab>::new("asks");
    let [a, b, c] = ["a", "b", "c"].map(|name| step(&mut g, name));
    let asks = g.node("ask", |cx| async move {
        let answer: String = cx.interrupt(("it", "?")).await?;
        Ok(mark(answer))
    });
    g.entry(a).edge(a, b).edge(b, asks).edge(b, c).join([asks, c], a);
    let last = step(&mut g, "last");
    g.route(a, move |s: &Trail| if s.sum > 3 { Some(last) } else { None }).edge(last, END);
    let (graph, lab) = (g.compile().unwrap(), Lab::new());
    let stopped = world.run(&graph, &lab, Trail::update()).await.unwrap();
    assert_eq!((stopped.steps, stopped.questions().len()), (2, 1));
    let history = world.thread(&graph).await.history().await.unwrap();
    assert_eq!(history.moments().len(), if world.stores_at_exit() { 1 } else { 3 });
    let second = world.answer(&graph, &lab, "yes").await.unwrap();
    assert_eq!(second.questions().len(), 1, "the next round asks too");
    assert_eq!(&second.state.seen[..5], ["a", "b", "yes", "c", "a"]);
    assert_eq!([lab.runs("a"), lab.runs("c")], [2, 2]);
}

pub(crate) async fn a_failing_store_ends_the_run_with_its_error_and_leaves_the_thread_readable<P: Place>(
    world: World<P>,
) {
    let graph = rounds();
    let whole = graph.run(input()).resources(Lab::default()).await.unwrap().state;
    let mut broken = 0;
    for when in [When::Before, When::After] {
        for call in 1.. {
            let (world, lab) = (world.again(), Lab::new());
            let faulty = Faulty::new(world.place.open().await, call, when);
            let run = graph.run(input()).resources(Arc::clone(&lab)).checkpointer(faulty).thread("t");
            let ended = run.durability(world.durability).await;
            world.thread(&graph).await.state().await.unwrap();
            let kept = world.keep(&graph).await;
            let run = kept.run_or_resume(input()).resources(Arc::clone(&lab)).thread("t");
            assert_eq!(run.durability(world.durability).await.unwrap().state, whole, "{when:?} {call}");
            match ended {
                Ok(done) => {
                    assert_eq!(done.state, whole);
                    break;
                }
                Err(error) => {
                    broken += 1;
                    assert!(matches!(error.kind(),
                        ErrorKind::Store(error) if error.kind() == StoreErrorKind::Unavailable));
                }
            }
        }
    }
    let least = match world.durability {
        Durability::Sync => 20,
        Durability::Async => 4,
        _ => 4,
    };
    assert!(broken >= least, "{broken} broken runs");
}

pub(crate) async fn a_thread_needs_a_checkpointer_and_a_resume_needs_a_thread<P: Place>(world: World<P>) {
    let graph = rounds();
    let run = graph.run(input()).resources(Lab::default()).thread("t").durability(world.durability);
    assert!(matches!(run.await.unwrap_err().kind(), ErrorKind::Thread(ThreadError::NoCheckpointer)));
    assert!(matches!(
        graph.thread("t").state().await.unwrap_err().kind(),
        ErrorKind::Thread(ThreadError::NoCheckpointer)
    ));
    let kept = world.keep(&graph).await;
    let resume = kept.resume().resources(Lab::default()).await;
    assert!(matches!(resume.unwrap_err().kind(), ErrorKind::Thread(ThreadError::NoThread)));
    assert!(kept.run(input()).resources(Lab::default()).await.unwrap().checkpoint.is_none());
}

pub(crate) async fn metadata_of_a_run_select_its_checkpoints<P: Place>(world: World<P>) {
    let graph = world.keep(&rounds()).await;
    for user in ["ada", "bob"] {
        let run = graph.run(input().value(0)).resources(Lab::default()).thread("t").durability(world.durability);
        run.metadata("user", user).await.unwrap();
    }
    let thread = graph.thread("t");
    let all = thread.history().await.unwrap().moments().len();
    let of_bob = thread.history_of(&Query::all().metadata("user", "bob")).await.unwrap();
    assert_eq!(of_bob.moments().len() * 2, all);
    assert!(of_bob.moments().iter().all(|moment| moment.metadata["user"] == "bob"));
    let newest = thread.history_of(&Query::all().limit(1)).await.unwrap();
    assert_eq!(newest.moments()[0].checkpoint, thread.state().await.unwrap().unwrap().checkpoint);
}
