//! Retries: which failures are tried again, how often, and after how long, on a clock of the test's own.

use std::fmt;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use research_core::testing::FakeClock;
use research_core::{Cause, Class, Clock, CompiledGraph, Cx, END, EventKind, Graph, NodeError, Random, Retry, Timeout};

use crate::support::{Trail, mark, step};

/// Always the same number.
#[derive(Debug)]
struct Fixed(f64);

impl Random for Fixed {
    fn fraction(&self) -> f64 {
        self.0
    }
}

#[derive(Debug)]
struct Busy(Option<Duration>);

impl fmt::Display for Busy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("busy")
    }
}

impl std::error::Error for Busy {}

const fn ms(count: u64) -> Duration {
    Duration::from_millis(count)
}

/// When the attempts of a node began, by the clock of the test.
#[derive(Clone, Default)]
struct Times(Arc<Mutex<Vec<Duration>>>);

impl Times {
    fn note(&self, clock: &FakeClock) {
        self.0.lock().unwrap().push(clock.now().duration_since(SystemTime::UNIX_EPOCH).unwrap());
    }

    fn list(&self) -> Vec<Duration> {
        self.0.lock().unwrap().clone()
    }
}

/// A graph of one node that fails `failures` times with what `error` makes, and notes when it began.
fn flaky(
    clock: &FakeClock,
    failures: u32,
    error: impl Fn() -> NodeError + Send + Sync + 'static,
    set: impl FnOnce(&mut Graph<Trail>, research_core::Node),
) -> (CompiledGraph<Trail>, Times) {
    let (times, clock, error) = (Times::default(), clock.clone(), Arc::new(error));
    let mut g = Graph::<Trail>::new("flaky");
    let noted = times.clone();
    let node = g.node("work", move |cx: Cx<Trail>| {
        let (noted, clock, error) = (noted.clone(), clock.clone(), Arc::clone(&error));
        async move {
            noted.note(&clock);
            if cx.attempt() <= failures { Err(error()) } else { Ok(mark(format!("attempt {}", cx.attempt()))) }
        }
    });
    g.entry(node).edge(node, END);
    set(&mut g, node);
    (g.compile().unwrap(), times)
}

fn out() -> NodeError {
    NodeError::msg("out")
}

#[tokio::test]
async fn a_failed_node_is_tried_again_after_waits_that_grow_by_their_factor() {
    let clock = FakeClock::auto();
    let (graph, times) = flaky(&clock, 3, out, |g, node| {
        g.retry(node, Retry::attempts(4).backoff(ms(100), 3.0, ms(500)));
    });
    let done = graph.run(Trail::update()).clock(clock).random(Fixed(0.0)).await.unwrap();
    assert_eq!(done.state.seen, ["attempt 4"]);
    assert_eq!(times.list(), [ms(0), ms(100), ms(400), ms(900)]);
}

#[tokio::test]
async fn the_random_source_of_the_run_spreads_the_waits() {
    let clock = FakeClock::auto();
    let (graph, times) = flaky(&clock, 2, out, |g, node| {
        g.retry(node, Retry::attempts(3).backoff(ms(1_000), 2.0, ms(9_000)));
    });
    graph.run(Trail::update()).clock(clock).random(Fixed(0.75)).await.unwrap();
    assert_eq!(times.list(), [ms(0), ms(250), ms(750)]);
}

#[tokio::test]
async fn a_wait_takes_no_longer_and_no_less_than_its_time() {
    let clock = FakeClock::new();
    let (graph, times) = flaky(&clock, 1, out, |g, node| {
        g.retry(node, Retry::attempts(2).backoff(ms(100), 2.0, ms(100)).jitter(0.0));
    });
    let run = tokio::spawn(graph.run(Trail::update()).clock(clock.clone()).into_future());
    clock.until_sleeping(1).await;
    clock.advance(ms(99));
    for _ in 0..20 {
        tokio::task::yield_now().await;
    }
    assert_eq!((times.list(), clock.sleepers()), (vec![ms(0)], 1));
    clock.advance(ms(1));
    run.await.unwrap().unwrap();
    assert_eq!(times.list(), [ms(0), ms(100)]);
}

#[tokio::test]
async fn when_the_attempts_are_used_up_the_error_tells_the_last_one() {
    let clock = FakeClock::auto();
    let (graph, times) = flaky(&clock, 9, out, |g, node| {
        g.retry(node, Retry::attempts(3));
    });
    let error = graph.run(Trail::update()).clock(clock).await.unwrap_err();
    assert_eq!((times.list().len(), error.failures()[0].attempt), (3, 3));
    assert_eq!(error.to_string(), "graph `flaky`: node `work` in step 1 (task 0) failed: out");
}

#[tokio::test]
async fn without_a_retry_policy_a_node_runs_once() {
    let clock = FakeClock::auto();
    let (graph, times) = flaky(&clock, 1, out, |_, _| {});
    graph.run(Trail::update()).clock(clock).await.unwrap_err();
    assert_eq!(times.list().len(), 1);
}

#[tokio::test]
async fn an_error_that_the_classifier_calls_terminal_is_not_tried_again() {
    let clock = FakeClock::auto();
    for (failing, attempts) in [(true, 1), (false, 3)] {
        let error = move || if failing { NodeError::from(Busy(None)) } else { out() };
        let (graph, times) = flaky(&clock, 9, error, |g, node| {
            g.retry(node, Retry::attempts(3)).classify(|error| match error.downcast_ref::<Busy>() {
                Some(_) => Class::Terminal,
                None => Class::retryable(),
            });
        });
        graph.run(Trail::update()).clock(clock.clone()).await.unwrap_err();
        assert_eq!(times.list().len(), attempts);
    }
}

#[tokio::test]
async fn the_delay_that_the_classifier_reads_from_the_error_beats_the_back_off() {
    let clock = FakeClock::auto();
    let (graph, times) = flaky(
        &clock,
        1,
        || Busy(Some(ms(42_000))).into(),
        |g, node| {
            g.retry(node, Retry::attempts(2).backoff(ms(1), 2.0, ms(1))).classify(|error| {
                match error.downcast_ref::<Busy>() {
                    Some(Busy(Some(delay))) => Class::after(*delay),
                    _ => Class::Terminal,
                }
            });
        },
    );
    graph.run(Trail::update()).clock(clock).await.unwrap();
    assert_eq!(times.list(), [ms(0), ms(42_000)]);
}

#[tokio::test]
async fn only_errors_that_the_policy_accepts_are_tried_again() {
    let clock = FakeClock::auto();
    let (graph, times) = flaky(&clock, 9, out, |g, node| {
        g.retry(node, Retry::attempts(5).only_if(|error| error.downcast_ref::<Busy>().is_some()));
    });
    graph.run(Trail::update()).clock(clock.clone()).await.unwrap_err();
    assert_eq!(times.list().len(), 1);
    let (graph, times) = flaky(
        &clock,
        9,
        || Busy(None).into(),
        |g, node| {
            g.retry(node, Retry::attempts(5).only_if(|error| error.downcast_ref::<Busy>().is_some()));
        },
    );
    graph.run(Trail::update()).clock(clock).await.unwrap_err();
    assert_eq!(times.list().len(), 5);
}

#[tokio::test]
async fn a_panic_is_not_tried_again() {
    let ran = Arc::new(AtomicU32::new(0));
    let mut g = Graph::<Trail>::new("panics");
    let counted = Arc::clone(&ran);
    let node = g.node("work", move |_cx| {
        counted.fetch_add(1, Ordering::SeqCst);
        async {
            tokio::task::yield_now().await;
            if true {
                panic!("a mistake");
            }
            Ok(())
        }
    });
    g.entry(node).edge(node, END).retry(node, Retry::attempts(5));
    let error = g.compile().unwrap().run(Trail::update()).clock(FakeClock::auto()).await.unwrap_err();
    assert_eq!(ran.load(Ordering::SeqCst), 1);
    assert!(matches!(&error.failures()[0].cause, Cause::Panic(message) if message == "a mistake"));
}

#[tokio::test]
async fn the_policy_of_a_node_beats_that_of_its_graph() {
    let counts: Vec<Arc<AtomicU32>> = (0..3).map(|_| Arc::default()).collect();
    let mut g = Graph::<Trail>::new("three");
    for (name, count) in ["default", "own", "none"].into_iter().zip(&counts) {
        let count = Arc::clone(count);
        let node = g.node(name, move |_cx| {
            count.fetch_add(1, Ordering::SeqCst);
            async { Err::<(), _>(out()) }
        });
        g.entry(node).edge(node, END);
    }
    g.retry_all(Retry::attempts(2)).retry("own", Retry::attempts(4)).retry("none", Retry::none());
    let error = g.compile().unwrap().run(Trail::update()).clock(FakeClock::auto()).await.unwrap_err();
    assert_eq!(counts.iter().map(|count| count.load(Ordering::SeqCst)).collect::<Vec<_>>(), [2, 4, 1]);
    let attempts: Vec<(&str, u32)> = error.failures().iter().map(|failure| (&*failure.node, failure.attempt)).collect();
    assert_eq!(attempts, [("default", 2), ("none", 1), ("own", 4)]);
}

#[tokio::test]
async fn no_attempt_begins_after_the_time_that_the_policy_allows_in_all() {
    let clock = FakeClock::auto();
    let (graph, times) = flaky(&clock, 9, out, |g, node| {
        g.retry(node, Retry::attempts(9).backoff(ms(100), 1.0, ms(100)).jitter(0.0).within(ms(250)));
    });
    graph.run(Trail::update()).clock(clock).await.unwrap_err();
    assert_eq!(times.list(), [ms(0), ms(100), ms(200)]);
}

#[tokio::test]
async fn no_retry_waits_past_the_end_of_the_runs_time() {
    let clock = FakeClock::auto();
    let (graph, times) = flaky(&clock, 9, out, |g, node| {
        g.retry(node, Retry::attempts(9).backoff(ms(100), 1.0, ms(100)).jitter(0.0));
    });
    let error = graph.run(Trail::update()).clock(clock.clone()).timeout(ms(250)).await.unwrap_err();
    assert_eq!(times.list(), [ms(0), ms(100), ms(200)]);
    assert!(!error.is_timeout(), "the task's own error is told rather than waited for: {error}");
    assert_eq!(clock.now(), SystemTime::UNIX_EPOCH + ms(200));
}

#[tokio::test]
async fn each_attempt_starts_with_no_writes_on_the_same_snapshot_and_input() {
    let mut g = Graph::<Trail>::new("fresh");
    let first = step(&mut g, "first");
    let work = g.task("work", |cx: Cx<Trail>, mut input: Vec<u32>| async move {
        assert_eq!((cx.state.seen.as_slice(), input.as_slice()), (["first".to_string()].as_slice(), [1, 2].as_slice()));
        input.push(3);
        let update = mark(format!("attempt {}", cx.attempt()));
        if cx.attempt() < 3 { Err(out()) } else { Ok(update) }
    });
    g.entry(first).route(first, move |_: &Trail| work.send(vec![1, 2])).edge(work, END);
    g.retry(work, Retry::attempts(3));
    let done = g.compile().unwrap().run(Trail::update()).clock(FakeClock::auto()).await.unwrap();
    assert_eq!(done.state, Trail { seen: vec!["first".into(), "attempt 3".into()], count: 2, value: 0 });
}

#[tokio::test]
async fn siblings_run_on_while_a_task_waits_for_its_next_attempt() {
    let clock = FakeClock::new();
    let mut g = Graph::<Trail>::new("wide");
    let work =
        g.node("work", |cx: Cx<Trail>| async move { if cx.attempt() == 1 { Err(out()) } else { Ok(mark("work")) } });
    g.entry(work).edge(work, END).retry(work, Retry::attempts(2));
    let sibling_done = Arc::new(tokio::sync::Notify::new());
    for n in 0..20 {
        let done = Arc::clone(&sibling_done);
        let node = g.node(format!("z{n}"), move |_cx| {
            let done = Arc::clone(&done);
            async move {
                if n == 19 {
                    done.notify_one();
                }
                Ok(())
            }
        });
        g.entry(node).edge(node, END);
    }
    let run = g.compile().unwrap().run(Trail::update()).clock(clock.clone()).max_concurrency(2);
    let run = tokio::spawn(run.into_future());
    sibling_done.notified().await;
    clock.until_sleeping(1).await;
    clock.advance(ms(60_000));
    assert_eq!(run.await.unwrap().unwrap().state.seen, ["work"]);
}

#[tokio::test]
async fn a_task_that_is_tried_again_has_one_pair_of_events_and_one_update() {
    use futures::StreamExt;
    let clock = FakeClock::auto();
    let (graph, _) = flaky(&clock, 2, out, |g, node| {
        g.retry(node, Retry::attempts(3)).timeout(node, Timeout::total(ms(1)));
    });
    let mut events = graph.run(Trail::update()).clock(clock).stream();
    let mut kinds = Vec::new();
    while let Some(event) = events.next().await {
        match event.kind {
            EventKind::TaskStarted => kinds.push("started"),
            EventKind::Updated(_) => kinds.push("updated"),
            EventKind::TaskFinished { error: None, .. } => kinds.push("finished"),
            EventKind::TaskFinished { .. } => kinds.push("failed"),
            _ => {}
        }
    }
    assert_eq!(kinds, ["started", "updated", "finished"]);
}
