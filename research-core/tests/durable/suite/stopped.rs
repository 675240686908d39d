//! Runs that are stopped from outside, or by a limit: what finished is kept, and the thread goes on.

use std::sync::Arc;
use std::time::Duration;

use research_core::testing::FakeClock;
use research_core::{END, End, ErrorKind, Graph};

use super::lab::{Lab, Mood, Place, Trail, World, chain, goes_on, mark, pair, step, until};

pub(crate) async fn a_dropped_run_keeps_what_was_recorded<P: Place>(world: World<P>) {
    let (graph, lab) = (pair(), Lab::new());
    lab.set("bad", Mood::Hangs);
    let run = world.run(&graph, &lab, Trail::update());
    let recorded = async || world.recorded().await == 1;
    tokio::select! {
        _ = run => panic!("it hangs"),
        () = until(async || lab.runs("bad") == 1 && (world.stores_at_exit() || recorded().await)) => {}
    }
    if world.stores_at_exit() {
        assert!(world.thread(&graph).await.state().await.unwrap().is_none(), "nothing was to be stored");
        lab.mend("bad");
        assert_eq!(world.run(&graph, &lab, Trail::update()).await.unwrap().state.seen, ["bad", "ok", "after"]);
    } else {
        goes_on(&world, &lab).await;
    }
}

pub(crate) async fn a_cancelled_run_keeps_what_finished<P: Place>(world: World<P>) {
    let (graph, lab) = (world.keep(&pair()).await, Lab::new());
    lab.set("bad", Mood::Hangs);
    let (token, cancelled) = tokio::sync::oneshot::channel::<()>();
    let run = graph.run(Trail::update()).resources(Arc::clone(&lab)).thread("t").durability(world.durability);
    let run = run.cancel_on(async { cancelled.await.unwrap() });
    let cancel = async {
        until(async || lab.runs("bad") == 1 && lab.runs("ok") == 1).await;
        token.send(()).unwrap();
    };
    let (ended, ()) = futures::future::join(run.into_future(), cancel).await;
    let error = ended.unwrap_err();
    assert!(error.is_cancelled());
    assert_eq!(error.to_string(), "graph `pair`: cancelled in step 1");
    goes_on(&world, &lab).await;
}

pub(crate) async fn a_run_that_is_cancelled_between_two_steps_goes_on_there<P: Place>(world: World<P>) {
    let mut g = Graph::<Trail, Lab>::new("chain");
    let cancelled = Arc::new(tokio::sync::Notify::new());
    let stop = Arc::clone(&cancelled);
    let a = g.node("a", move |cx| {
        stop.notify_one();
        async move {
            cx.resources.work("a").await?;
            Ok(mark("a"))
        }
    });
    let b = step(&mut g, "b");
    g.entry(a).edge(a, b).edge(b, END);
    let (graph, lab) = (world.keep(&g.compile().unwrap()).await, Lab::new());
    let run = graph.run(Trail::update()).resources(Arc::clone(&lab)).thread("t").durability(world.durability);
    let error = run.cancel_on(async move { cancelled.notified().await }).await.unwrap_err();
    assert!(error.is_cancelled());
    let done = world.resume(&graph, &lab).await.unwrap();
    assert_eq!(done.state.seen, ["a", "b"]);
    assert_eq!([lab.runs("a"), lab.runs("b")], [1, 1]);
}

pub(crate) async fn a_drained_run_stops_at_the_next_barrier_and_goes_on_there<P: Place>(world: World<P>) {
    let mut g = Graph::<Trail, Lab>::new("chain");
    let drained = Arc::new(tokio::sync::Notify::new());
    let stop = Arc::clone(&drained);
    let a = g.node("a", move |cx| {
        stop.notify_one();
        async move {
            cx.resources.work("a").await?;
            Ok(mark("a"))
        }
    });
    let [b, c] = ["b", "c"].map(|name| step(&mut g, name));
    g.entry(a).edge(a, b).edge(b, c).edge(c, END);
    let (graph, lab) = (world.keep(&g.compile().unwrap()).await, Lab::new());
    let run = graph.run(Trail::update()).resources(Arc::clone(&lab)).thread("t").durability(world.durability);
    let drained = run.drain_on(async move { drained.notified().await }).await.unwrap();
    assert_eq!((drained.end, drained.steps, drained.state.seen), (End::Drained, 1, vec!["a".to_string()]));
    let done = world.resume(&graph, &lab).await.unwrap();
    assert_eq!((done.state.seen.len(), done.steps), (3, 2));
    assert_eq!(["a", "b", "c"].map(|name| lab.runs(name)), [1, 1, 1]);
}

pub(crate) async fn a_resumed_run_at_its_limit_names_the_step_that_it_stopped_before<P: Place>(world: World<P>) {
    let (graph, lab) = (super::lab::chain(), Lab::new());
    let kept = world.keep(&graph).await;
    for (place, due) in ["b", "c"].into_iter().enumerate() {
        let run = kept.run_or_resume(Trail::update()).resources(Arc::clone(&lab)).thread("t").step_limit(1);
        let error = run.durability(world.durability).await.unwrap_err();
        let expected = format!("stopped before step {} by its step limit of 1 while `{due}` was due", place + 2);
        assert!(error.to_string().contains(&expected), "{error}");
    }
}

pub(crate) async fn a_run_at_its_step_limit_goes_on_with_a_new_one<P: Place>(world: World<P>) {
    let (graph, lab) = (world.keep(&chain()).await, Lab::new());
    let run = |limit| {
        let run = graph.run_or_resume(Trail::update()).resources(Arc::clone(&lab)).thread("t");
        run.durability(world.durability).step_limit(limit)
    };
    let error = run(1).await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::StepLimit { limit: 1, due } if due == &["b"]));
    assert!(run(1).await.unwrap_err().is_step_limit());
    assert_eq!(run(1).await.unwrap().state.seen, ["a", "b", "c"]);
    assert_eq!(["a", "b", "c"].map(|name| lab.runs(name)), [1, 1, 1]);
}

pub(crate) async fn a_run_or_a_step_that_takes_too_long_keeps_what_finished<P: Place>(world: World<P>) {
    for one_step in [false, true] {
        let (world, lab) = (world.again(), Lab::new());
        let graph = world.keep(&pair()).await;
        lab.set("bad", Mood::Hangs);
        let clock = FakeClock::new();
        let run = graph.run(Trail::update()).resources(Arc::clone(&lab)).thread("t").durability(world.durability);
        let limit = Duration::from_secs(60);
        let run = run.clock(clock.clone());
        let run = if one_step { run.step_timeout(limit) } else { run.timeout(limit) };
        let time = async {
            until(async || lab.runs("bad") == 1 && lab.runs("ok") == 1).await;
            clock.advance(limit);
        };
        let (ended, ()) = futures::future::join(run.into_future(), time).await;
        let error = ended.unwrap_err();
        assert!(error.is_timeout());
        assert!(matches!(error.kind(), ErrorKind::TimedOut { one_step: known, step: 1, .. } if *known == one_step));
        goes_on(&world, &lab).await;
    }
}

pub(crate) async fn the_time_of_a_step_begins_with_the_step<P: Place>(world: World<P>) {
    let clock = FakeClock::new();
    let mut g = Graph::<Trail, Lab>::new("slow");
    let passing = clock.clone();
    let slow = g.node("slow", move |_cx| {
        passing.advance(Duration::from_secs(59));
        async { Ok(mark("slow")) }
    });
    let passing = clock.clone();
    g.entry(slow).route(slow, move |s: &Trail| {
        // What passes between two steps belongs to neither.
        passing.advance(Duration::from_secs(59));
        if s.seen.len() < 3 { slow } else { END }
    });
    let graph = world.keep(&g.compile().unwrap()).await;
    let run = graph.run(Trail::update()).resources(Lab::default()).thread("t").durability(world.durability);
    let done = run.clock(clock).step_timeout(Duration::from_secs(60)).await.unwrap();
    assert_eq!(done.steps, 3);
}
