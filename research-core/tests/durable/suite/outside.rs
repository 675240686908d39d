//! What another process reads of threads and does to them while no run works on them, or while one does.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use research_core::checkpoint::Prune;
use research_core::testing::FakeClock;
use research_core::{
    CompiledGraph, Cx, END, ErrorKind, Graph, NodeError, ThreadError, ThreadQuery, ThreadStatus, Update,
};

use super::lab::{Lab, Mood, Place, Trail, World, chain, mark, pair, step, until};

pub(crate) async fn why_tasks_failed_is_read_by_another_process_until_they_succeed<P: Place>(world: World<P>) {
    let lab = Lab::new();
    let mut g = Graph::<Trail, Lab>::new("reasons");
    let [fails, panics, ok] = ["fails", "panics", "ok"].map(|name| step(&mut g, name));
    let leads = g.node("leads", |cx: Cx<Trail, Lab>| async move {
        cx.resources.work("leads").await?;
        Ok(Trail::update().notes([("leads".to_string(), u32::from(cx.resources.is_broken("way")))]))
    });
    for node in [fails, panics, ok] {
        g.entry(node).edge(node, END);
    }
    g.entry(leads).route(leads, |s: &Trail| match s.notes.get("leads") {
        Some(1) => Err(NodeError::msg("no way")),
        _ => Ok(END),
    });
    let graph = g.compile().unwrap();
    lab.set("fails", Mood::FailsLate);
    lab.set("panics", Mood::Panics);
    lab.set("way", Mood::Fails);
    for _ in 0..2 {
        drop(
            world
                .keep(&graph)
                .await
                .run_or_resume(Trail::update())
                .resources(Arc::clone(&lab))
                .thread("t")
                .durability(world.durability)
                .await
                .unwrap_err(),
        );
        let now = world.thread(&graph).await.state().await.unwrap().unwrap();
        let reasons: Vec<_> =
            now.failures.iter().map(|failure| (&*failure.node, failure.task, &*failure.message)).collect();
        assert_eq!(
            reasons,
            [
                ("fails", 0, "fails fails"),
                ("leads", 1, "finished, but its route failed: no way"),
                ("panics", 3, "panicked: panics panics"),
            ]
        );
    }
    // One of them succeeds and the other fails in another way.
    lab.mend("panics");
    lab.set("fails", Mood::Panics);
    world.resume(&graph, &lab).await.unwrap_err();
    let now = world.thread(&graph).await.state().await.unwrap().unwrap();
    let reasons: Vec<_> = now.failures.iter().map(|failure| (&*failure.node, &*failure.message)).collect();
    assert_eq!(reasons[0], ("fails", "panicked: fails panics"));
    assert!(!reasons.iter().any(|(node, _)| *node == "panics"), "{reasons:?}");
    lab.mend("fails");
    // The route is asked again and refuses as before: it is of the recorded result.
    world.resume(&graph, &lab).await.unwrap_err();
    let now = world.thread(&graph).await.state().await.unwrap().unwrap();
    assert!(now.failures.iter().all(|failure| failure.node == "leads"), "{:?}", now.failures);
    world.run(&graph, &Lab::new(), Trail::update()).await.unwrap();
    assert!(world.thread(&graph).await.state().await.unwrap().unwrap().failures.is_empty());
}

pub(crate) async fn finished_siblings_are_read_with_their_values_before_the_barrier<P: Place>(world: World<P>) {
    let (graph, lab) = (pair(), Lab::new());
    assert!(world.thread(&graph).await.finished().await.unwrap().is_empty(), "a new thread has none");
    lab.set("bad", Mood::Late(u32::MAX));
    let run = world.run(&graph, &lab, Trail::update());
    let look = async {
        until(async || lab.runs("ok") == 1).await;
        let thread = world.thread(&graph).await;
        if !world.stores_at_exit() {
            until(async || thread.finished().await.unwrap().len() == 1).await;
            let finished = thread.finished().await.unwrap();
            assert_eq!((&*finished[0].node, finished[0].task, finished[0].attempt), ("ok", 1, 1));
            assert!(finished[0].update.written().iter().count() > 0);
            assert!(thread.state().await.unwrap().unwrap().state.seen.is_empty(), "nothing of the step is folded");
        }
        lab.set("bad", Mood::Fails);
        lab.mend("bad");
    };
    let (done, ()) = futures::future::join(run, look).await;
    assert_eq!(done.unwrap().state.seen, ["bad", "ok", "after"]);
    assert!(world.thread(&graph).await.finished().await.unwrap().is_empty());

    // After a step that broke, in every durability.
    let (world, lab) = (world.again(), Lab::new());
    lab.set("bad", Mood::FailsLate);
    world.run(&graph, &lab, Trail::update()).await.unwrap_err();
    let finished = world.thread(&graph).await.finished().await.unwrap();
    assert_eq!(finished.iter().map(|task| &*task.node).collect::<Vec<_>>(), ["ok"]);
}

pub(crate) async fn a_new_thread_is_filled_by_an_update<P: Place>(world: World<P>) {
    let (graph, lab) = (chain(), Lab::new());
    let thread = world.thread(&graph).await;
    let error = thread.update(mark("typo")).as_node("a").await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Thread(ThreadError::Empty { .. })), "only where that is wanted");
    thread.update(mark("imported")).or_create().await.unwrap_err();
    assert!(thread.state().await.unwrap().is_none(), "an update of a new thread names its node");
    thread.update(mark("imported")).as_node("a").or_create().await.unwrap();
    let now = thread.state().await.unwrap().unwrap();
    assert_eq!((now.next, now.state.seen), (vec!["b".to_string()], vec!["imported".to_string()]));
    // Where the thread is there it is an update like any other.
    thread.update(mark("more")).as_node("b").or_create().await.unwrap();
    let done = world.resume(&graph, &lab).await.unwrap();
    assert_eq!(done.state.seen, ["imported", "more", "c"]);
    // A thread that only holds a state.
    let world = world.again();
    let thread = world.thread(&graph).await;
    thread.update(mark("past")).as_end().or_create().await.unwrap();
    assert!(thread.state().await.unwrap().unwrap().is_complete());
    assert_eq!(world.run(&graph, &lab, Trail::update()).await.unwrap().state.seen, ["past", "a", "b", "c"]);
}

pub(crate) async fn an_update_at_the_end_drops_what_is_due<P: Place>(world: World<P>) {
    let (graph, lab) = (pair(), Lab::new());
    lab.set("bad", Mood::FailsLate);
    world.run(&graph, &lab, Trail::update()).await.unwrap_err();
    let thread = world.thread(&graph).await;
    thread.update(mark("given up")).as_end().await.unwrap();
    let now = thread.state().await.unwrap().unwrap();
    assert!(now.is_complete() && now.failures.is_empty() && now.recorded == 0);
    assert_eq!(now.state.seen, ["given up"], "what was recorded of the step is dropped as well");
    let done = world.resume(&graph, &lab).await.unwrap();
    assert!(done.is_complete());
    assert_eq!((done.steps, lab.runs("bad")), (0, 1));
    // A join that had seen one of its sources waits for both again.
    lab.mend("bad");
    assert_eq!(world.run(&graph, &lab, Trail::update()).await.unwrap().state.seen, ["given up", "bad", "ok", "after"]);
}

/// A node that asks.
fn asking() -> CompiledGraph<Trail, Lab> {
    let mut g = Graph::<Trail, Lab>::new("search");
    let work = step(&mut g, "work");
    let ask = g.node("ask", |cx: Cx<Trail, Lab>| async move {
        if cx.state.word == "ask" {
            let _: bool = cx.interrupt(("sure", true)).await?;
        }
        Ok(mark("ask"))
    });
    g.entry(work).edge(work, ask).edge(ask, END);
    g.compile().unwrap()
}

/// Threads in every state: `asks`, `complete`, `due`, `failed`, `paused`, each of a user.
async fn threads<P: Place>(world: &World<P>, clock: &FakeClock) -> CompiledGraph<Trail, Lab> {
    let graph = world.keep(&asking()).await.with_clock(clock.clone()).with_durability(world.durability);
    for (place, name) in ["asks", "complete", "due", "failed", "paused"].into_iter().enumerate() {
        let lab = Lab::new();
        let word = if name == "asks" { "ask" } else { "" };
        if name == "failed" {
            lab.set("work", Mood::Fails);
        }
        let run = graph.run(Trail::update().word(word)).resources(lab).thread(name).metadata("user", place as u64 % 2);
        let run = match name {
            "paused" => run.interrupt_before("ask"),
            "due" => run.step_limit(1),
            _ => run,
        };
        assert_eq!(run.await.is_ok(), !["due", "failed"].contains(&name));
        clock.advance(Duration::from_secs(60));
    }
    // A thread of another graph in the same store.
    world.keep(&chain()).await.run(Trail::update()).resources(Lab::default()).thread("other").await.unwrap();
    graph
}

pub(crate) async fn threads_are_found_by_metadata_status_and_questions<P: Place>(world: World<P>) {
    let graph = threads(&world, &FakeClock::new()).await;
    let names = async |query: ThreadQuery| -> Vec<String> {
        graph.find_threads(&query).await.unwrap().into_iter().map(|thread| thread.name).collect()
    };
    assert_eq!(names(ThreadQuery::all()).await, ["asks", "complete", "due", "failed", "paused"]);
    for (status, name) in [
        (ThreadStatus::Interrupted, "asks"),
        (ThreadStatus::Complete, "complete"),
        (ThreadStatus::Due, "due"),
        (ThreadStatus::Failed, "failed"),
        (ThreadStatus::Paused, "paused"),
    ] {
        assert_eq!(names(ThreadQuery::all().status(status)).await, [name]);
    }
    assert_eq!(names(ThreadQuery::all().metadata("user", 1)).await, ["complete", "failed"]);
    assert_eq!(names(ThreadQuery::all().limit(2)).await, ["asks", "complete"]);
    assert_eq!(names(ThreadQuery::all().after("complete").limit(2)).await, ["due", "failed"]);
    let asks = &graph.find_threads(&ThreadQuery::all().limit(1)).await.unwrap()[0];
    assert_eq!((&*asks.questions[0].key, &*asks.next), ("sure", &["ask".to_string()][..]));
    let bare = asking();
    let error = bare.find_threads(&ThreadQuery::all()).await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Thread(ThreadError::NoCheckpointer)));
}

pub(crate) async fn retention_holds_over_all_threads<P: Place>(world: World<P>) {
    let clock = FakeClock::new();
    let graph = threads(&world, &clock).await;
    let removed = graph.prune_threads(&Prune::keep_last(1)).await.unwrap();
    assert!(removed > 0 || world.stores_at_exit());
    for thread in graph.find_threads(&ThreadQuery::all()).await.unwrap() {
        assert_eq!(graph.thread(&*thread.name).history().await.unwrap().moments().len(), 1);
    }
    // The first three were made in the first three minutes; one of them waits for an answer.
    let deleted = graph.delete_threads(SystemTime::UNIX_EPOCH + Duration::from_secs(150)).await.unwrap();
    let left = graph.find_threads(&ThreadQuery::all()).await.unwrap();
    assert_eq!(
        (deleted, left.iter().map(|thread| &*thread.name).collect::<Vec<_>>()),
        (2, vec!["asks", "failed", "paused"])
    );
    assert!(
        world.keep(&chain()).await.thread("other").state().await.unwrap().is_some(),
        "another graph's thread stays"
    );
}
