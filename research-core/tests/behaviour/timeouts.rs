//! Time limits of attempts: in all and without a sign of life, on a clock of the test's own.

use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use futures::StreamExt;
use research_core::testing::FakeClock;
use research_core::{Cause, Clock, Cx, END, Graph, Modes, Retry, RunError, State, Timeout};

use crate::support::{Trail, mark, step};

const fn ms(count: u64) -> Duration {
    Duration::from_millis(count)
}

fn cause(error: &RunError) -> (bool, Duration) {
    match &error.failures()[0].cause {
        Cause::TimedOut { idle, limit } => (*idle, *limit),
        other => panic!("{other}"),
    }
}

/// A graph of one node that works for as long as `work` says, by `clock`, and gives a sign of life before each part.
fn working(clock: &FakeClock, work: &'static [u64], timeout: Timeout) -> Graph<Trail> {
    let clock = clock.clone();
    let mut g = Graph::<Trail>::new("works");
    let node = g.node("work", move |cx: Cx<Trail>| {
        let clock = clock.clone();
        async move {
            for part in work {
                cx.heartbeat();
                clock.sleep(ms(*part)).await;
            }
            Ok(mark("done"))
        }
    });
    g.entry(node).edge(node, END).timeout(node, timeout);
    g
}

#[tokio::test]
async fn an_attempt_that_takes_longer_than_its_total_limit_fails() {
    let clock = FakeClock::auto();
    let graph = working(&clock, &[40, 40, 40], Timeout::total(ms(100))).compile().unwrap();
    let error = graph.run(Trail::update()).clock(clock.clone()).await.unwrap_err();
    assert_eq!(cause(&error), (false, ms(100)));
    assert_eq!(
        error.to_string(),
        "graph `works`: node `work` in step 1 (task 0) took longer than its time limit of 100ms"
    );
    assert_eq!(clock.now(), SystemTime::UNIX_EPOCH + ms(100));
    assert_eq!(clock.sleepers(), 0, "what the attempt waited for is dropped");
}

#[tokio::test]
async fn an_attempt_within_its_limits_is_left_alone() {
    let clock = FakeClock::auto();
    let limits = Timeout::total(ms(121)).and(Timeout::idle(ms(41)));
    let graph = working(&clock, &[40, 40, 40], limits).compile().unwrap();
    let done = graph.run(Trail::update()).clock(clock.clone()).await.unwrap();
    assert_eq!(done.state.seen, ["done"]);
    assert_eq!(clock.now(), SystemTime::UNIX_EPOCH + ms(120));
    assert_eq!(clock.sleepers(), 0, "no timer is left behind");
}

#[tokio::test]
async fn signs_of_life_keep_an_attempt_within_its_idle_limit() {
    let clock = FakeClock::auto();
    let graph = working(&clock, &[90, 90, 90, 90], Timeout::idle(ms(100))).compile().unwrap();
    graph.run(Trail::update()).clock(clock.clone()).await.unwrap();
    assert_eq!(clock.now(), SystemTime::UNIX_EPOCH + ms(360));
}

#[tokio::test]
async fn an_attempt_without_a_sign_of_life_fails_after_its_idle_limit() {
    let clock = FakeClock::auto();
    let graph = working(&clock, &[90, 110, 10], Timeout::idle(ms(100))).compile().unwrap();
    let error = graph.run(Trail::update()).clock(clock.clone()).await.unwrap_err();
    assert_eq!(cause(&error), (true, ms(100)));
    assert_eq!(clock.now(), SystemTime::UNIX_EPOCH + ms(190), "counted from the last sign");
    assert!(error.to_string().ends_with("gave no sign of life for 100ms, its idle limit"));
}

#[tokio::test]
async fn emitting_spending_and_messages_are_signs_of_life() {
    let clock = FakeClock::auto();
    let time = clock.clone();
    let mut g = Graph::<Trail>::new("alive");
    let node = g.node("work", move |cx: Cx<Trail>| {
        let clock = time.clone();
        async move {
            clock.sleep(ms(80)).await;
            cx.emit("here");
            clock.sleep(ms(80)).await;
            cx.message("m", "here");
            clock.sleep(ms(80)).await;
            cx.spend("tokens", 1);
            clock.sleep(ms(80)).await;
            Ok(())
        }
    });
    g.entry(node).edge(node, END).timeout_all(Timeout::idle(ms(100)));
    g.compile().unwrap().run(Trail::update()).clock(clock).await.unwrap();
}

#[tokio::test]
async fn signs_of_life_count_when_they_come_from_what_the_node_has_spawned() {
    let clock = FakeClock::new();
    let time = clock.clone();
    let mut g = Graph::<Trail>::new("spawned");
    let node = g.node("work", move |cx: Cx<Trail>| {
        let clock = time.clone();
        async move {
            let beats = {
                let (cx, clock) = (cx.clone(), clock.clone());
                tokio::spawn(async move {
                    for _ in 0..4 {
                        clock.sleep(ms(60)).await;
                        cx.heartbeat();
                    }
                })
            };
            beats.await?;
            Ok(mark("done"))
        }
    });
    g.entry(node).edge(node, END).timeout(node, Timeout::idle(ms(100)));
    let run = tokio::spawn(g.compile().unwrap().run(Trail::update()).clock(clock.clone()).into_future());
    while !run.is_finished() {
        clock.advance(ms(20));
        for _ in 0..20 {
            tokio::task::yield_now().await;
        }
    }
    assert_eq!(run.await.unwrap().unwrap().state.seen, ["done"]);
}

#[tokio::test]
async fn a_timed_out_attempt_is_tried_again_with_its_time_from_the_start() {
    let clock = FakeClock::auto();
    let time = clock.clone();
    let mut g = Graph::<Trail>::new("again");
    let node = g.node("work", move |cx: Cx<Trail>| {
        let clock = time.clone();
        async move {
            clock.sleep(ms(if cx.attempt() < 3 { 1_000 } else { 90 })).await;
            Ok(mark(format!("attempt {}", cx.attempt())))
        }
    });
    g.entry(node).edge(node, END).timeout(node, Timeout::total(ms(100)));
    g.retry(node, Retry::attempts(3).backoff(ms(10), 1.0, ms(10)).jitter(0.0).only_if(|_| false));
    let done = g.compile().unwrap().run(Trail::update()).clock(clock.clone()).await.unwrap();
    assert_eq!(done.state.seen, ["attempt 3"]);
    assert_eq!(clock.now(), SystemTime::UNIX_EPOCH + ms(100 + 10 + 100 + 10 + 90));
}

#[tokio::test]
async fn late_writes_of_a_timed_out_attempt_are_discarded() {
    struct Dying(Cx<Trail>);
    impl Drop for Dying {
        fn drop(&mut self) {
            self.0.emit("from a destructor");
        }
    }
    let clock = FakeClock::auto();
    let (time, late) = (clock.clone(), Arc::new(Mutex::new(None)));
    let kept = Arc::clone(&late);
    let mut g = Graph::<Trail>::new("late");
    let node = g.node("work", move |cx: Cx<Trail>| {
        let (clock, kept) = (time.clone(), Arc::clone(&kept));
        async move {
            cx.emit(format!("attempt {}", cx.attempt()));
            if cx.attempt() == 1 {
                let dying = Dying(cx.clone());
                kept.lock().unwrap().replace(cx.clone());
                clock.sleep(ms(500)).await;
                drop(dying);
                return Ok(mark("too late"));
            }
            let late = kept.lock().unwrap().take().unwrap();
            late.emit("too late");
            late.message("m", "too late");
            late.spend("tokens", 1_000);
            cx.emit("in time");
            Ok(mark("in time"))
        }
    });
    g.entry(node).edge(node, END).timeout(node, Timeout::total(ms(100))).retry(node, Retry::attempts(2));
    let mut events = g.compile().unwrap().run(Trail::update()).clock(clock).stream_modes(Modes::CUSTOM);
    let mut texts = Vec::new();
    while let Some(event) = events.next().await {
        texts.extend(event.custom::<String>().cloned());
        texts.extend(event.custom::<&str>().map(ToString::to_string));
    }
    assert_eq!(texts, ["attempt 1", "attempt 2", "in time"]);
    assert_eq!(events.finish().await.unwrap().state.seen, ["in time"]);
}

#[tokio::test]
async fn a_result_that_is_there_counts_even_when_its_limit_has_passed() {
    let clock = FakeClock::new();
    let graph = working(&clock, &[100], Timeout::total(ms(100))).compile().unwrap();
    let run = tokio::spawn(graph.run(Trail::update()).clock(clock.clone()).into_future());
    clock.until_sleeping(2).await;
    clock.advance(ms(500));
    assert_eq!(run.await.unwrap().unwrap().state.seen, ["done"]);
}

#[tokio::test]
async fn the_limit_of_a_node_beats_that_of_its_graph() {
    let clock = FakeClock::auto();
    for (own, timed_out) in [(None, true), (Some(Timeout::none()), false), (Some(Timeout::total(ms(200))), false)] {
        let clock = clock.clone();
        let time = clock.clone();
        let mut g = Graph::<Trail>::new("own");
        let node = g.node("work", move |_cx: Cx<Trail>| {
            let clock = time.clone();
            async move {
                clock.sleep(ms(150)).await;
                Ok(())
            }
        });
        g.entry(node).edge(node, END).timeout_all(Timeout::total(ms(100)));
        if let Some(own) = own {
            g.timeout(node, own);
        }
        let ended = g.compile().unwrap().run(Trail::update()).clock(clock).await;
        assert_eq!(ended.is_err_and(|error| cause(&error) == (false, ms(100))), timed_out);
    }
}

#[tokio::test]
async fn siblings_of_a_timed_out_task_finish() {
    let clock = FakeClock::auto();
    let mut g = working(&clock, &[500], Timeout::total(ms(100)));
    let sibling = step(&mut g, "sibling");
    g.entry(sibling).edge(sibling, END);
    let error = g.compile().unwrap().run(Trail::update()).clock(clock).await.unwrap_err();
    assert_eq!(error.failures().len(), 1);
    assert_eq!(cause(&error), (false, ms(100)));
}

#[derive(Clone, Default, State)]
struct Big {
    #[reduce(untracked)]
    marker: Arc<()>,
}

#[tokio::test]
async fn a_timed_out_attempt_holds_no_snapshot() {
    let clock = FakeClock::auto();
    let (time, marker) = (clock.clone(), Arc::new(()));
    let mut g = Graph::<Big>::new("big");
    let node = g.node("work", move |cx: Cx<Big>| {
        let clock = time.clone();
        async move {
            clock.sleep(ms(500)).await;
            drop(cx);
            Ok(())
        }
    });
    g.entry(node).edge(node, END).timeout(node, Timeout::total(ms(100)));
    let run = g.compile().unwrap().run(Big::update().marker(Arc::clone(&marker))).clock(clock);
    let error = run.await.unwrap_err();
    assert_eq!(Arc::strong_count(&marker), 2, "the test's and the error's state");
    drop(error);
    assert_eq!(Arc::strong_count(&marker), 1);
}
