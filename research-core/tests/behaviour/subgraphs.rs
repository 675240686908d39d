//! What a subgraph takes over from the task that runs it, and what that task takes from it.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use futures::StreamExt;
use research_core::testing::FakeClock;
use research_core::{
    Budget, Cause, Clock, CompiledGraph, Cx, END, End, FailurePolicy, Graph, Modes, NodeError, Random, Retry, Sends,
    Subgraph, Timeout, Visits,
};

use crate::support::{Trail, mark, step};

const fn ms(count: u64) -> Duration {
    Duration::from_millis(count)
}

/// One node that runs the child.
fn around(child: &CompiledGraph<Trail>) -> (Graph<Trail>, research_core::Node) {
    let mut g = Graph::<Trail>::new("outer");
    let node = g.subgraph("child", child, Subgraph::shared());
    g.entry(node).edge(node, END);
    (g, node)
}

/// Nodes one after the other, or all at once, that sleep.
fn sleeping(clock: &FakeClock, times: &[u64], at_once: bool) -> CompiledGraph<Trail> {
    let mut g = Graph::<Trail>::new("inner");
    let mut last = None;
    for (index, time) in times.iter().copied().enumerate() {
        let clock = clock.clone();
        let node = g.node(format!("n{index}"), move |_cx| {
            let clock = clock.clone();
            async move {
                clock.sleep(ms(time)).await;
                Ok(mark("n"))
            }
        });
        match last.filter(|_| !at_once) {
            Some(last) => g.edge(last, node),
            None => g.entry(node),
        };
        if at_once || index + 1 == times.len() {
            g.edge(node, END);
        }
        last = Some(node);
    }
    g.compile().unwrap()
}

async fn idles(at_once: bool, deep: bool, times: &[u64]) -> bool {
    let clock = FakeClock::auto();
    let mut child = sleeping(&clock, times, at_once);
    if deep {
        child = around(&child).0.compile().unwrap();
    }
    let (mut g, node) = around(&child);
    g.timeout(node, Timeout::idle(ms(50)));
    match g.compile().unwrap().run(Trail::update()).clock(clock).await {
        Ok(done) => {
            assert_eq!(done.state.seen.len(), times.len());
            false
        }
        Err(error) => {
            assert!(matches!(error.failures()[0].cause, Cause::TimedOut { idle: true, .. }), "{error}");
            true
        }
    }
}

#[tokio::test]
async fn the_end_of_a_task_of_a_subgraph_is_a_sign_of_life_of_the_one_that_runs_it() {
    for deep in [false, true] {
        assert!(!idles(false, deep, &[40, 40, 40]).await);
        assert!(!idles(true, deep, &[40, 80, 120]).await);
        assert!(idles(false, deep, &[40, 60, 40]).await);
        assert!(idles(true, deep, &[40, 160]).await);
    }
}

#[tokio::test]
async fn a_heartbeat_in_a_subgraph_keeps_the_task_that_runs_it_alive() {
    let clock = FakeClock::auto();
    let mut g = Graph::<Trail>::new("inner");
    let inner = clock.clone();
    let works = g.node("works", move |cx| {
        let clock = inner.clone();
        async move {
            for _ in 0..5 {
                clock.sleep(ms(40)).await;
                cx.heartbeat();
            }
            Ok(mark("done"))
        }
    });
    g.entry(works).edge(works, END);
    let (mut g, node) = around(&g.compile().unwrap());
    g.timeout(node, Timeout::idle(ms(50)));
    assert_eq!(g.compile().unwrap().run(Trail::update()).clock(clock).await.unwrap().state.seen, ["done"]);
}

/// A child whose one node fails, with retries after half a second or what `random` makes of it.
fn flaky() -> CompiledGraph<Trail> {
    let mut g = Graph::<Trail>::new("inner");
    let bad = g.node("bad", |_cx| async move { Err::<(), _>(NodeError::msg("no")) });
    g.entry(bad).edge(bad, END).retry(bad, Retry::attempts(2).backoff(ms(500), 1.0, ms(500)).jitter(1.0));
    g.compile().unwrap()
}

#[tokio::test]
async fn a_retry_in_a_subgraph_does_not_wait_past_the_end_of_the_runs_time() {
    let clock = FakeClock::auto();
    let graph = around(&flaky()).0.compile().unwrap();
    let run = graph.run(Trail::update()).clock(clock.clone()).random(Half).timeout(ms(200));
    let error = run.await.unwrap_err();
    assert_eq!(error.failures().len(), 1, "{error}");
    assert_eq!(clock.now(), SystemTime::UNIX_EPOCH);
}

/// Always the same.
#[derive(Debug)]
struct Half;

impl Random for Half {
    fn fraction(&self) -> f64 {
        0.5
    }
}

#[tokio::test]
async fn the_random_source_of_the_run_spreads_the_retries_of_subgraphs_too() {
    let waited = |graph: CompiledGraph<Trail>| async move {
        let clock = FakeClock::auto();
        graph.run(Trail::update()).clock(clock.clone()).random(Half).await.unwrap_err();
        clock.now()
    };
    let (alone, nested) = (flaky(), around(&flaky()).0.compile().unwrap());
    assert_eq!(waited(nested).await, waited(alone).await);
}

#[tokio::test]
async fn siblings_are_cancelled_in_subgraphs_too() {
    let mut g = Graph::<Trail>::new("inner");
    let bad = g.node("bad", |_cx| async move { Err::<(), _>(NodeError::msg("no")) });
    let waits = g.node("waits", |_cx| std::future::pending::<Result<(), NodeError>>());
    g.entry(bad).entry(waits).edge(bad, END).edge(waits, END);
    let graph = around(&g.compile().unwrap()).0.compile().unwrap();
    let error = graph.run(Trail::update()).on_failure(FailurePolicy::CancelSiblings).await.unwrap_err();
    assert_eq!(error.failures().len(), 1, "{error}");
}

#[tokio::test]
async fn what_a_subgraph_spent_that_failed_counts() {
    let mut g = Graph::<Trail>::new("inner");
    let bad = g.node("bad", |cx| async move {
        cx.spend("tokens", 5);
        Err::<(), _>(NodeError::msg("no"))
    });
    g.entry(bad).edge(bad, END);
    let (mut g, node) = around(&g.compile().unwrap());
    let after = step(&mut g, "after");
    g.retry(node, Retry::attempts(2).backoff(Duration::ZERO, 1.0, Duration::ZERO));
    g.on_error(node, |_cx, _failure| async { Ok(()) }).edge(node, after).edge(after, END);
    let run = g.compile().unwrap().run(Trail::update()).budget(Budget::new().counter("tokens", 10));
    assert_eq!(run.await.unwrap().end, End::Spent { counter: "tokens".to_string() });
}

/// Three tasks that run one child, whose node does what `look` says.
fn three<F>(look: impl Fn(Cx<Trail>) -> F + Send + Sync + 'static) -> CompiledGraph<Trail>
where
    F: Future<Output = Result<(), NodeError>> + Send + 'static,
{
    let mut g = Graph::<Trail>::new("inner");
    let looks = g.node("look", look);
    g.entry(looks).edge(looks, END);
    let inner = g.compile().unwrap();
    let mut g = Graph::<Trail>::new("outer");
    let link = Subgraph::mapped_with(
        |_: &Trail, n: u32| Trail::update().value(n),
        |child: Trail| Trail::update().count(u64::from(child.value)),
    );
    let task = g.subgraph_task("find", &inner, link);
    g.entry_route(move |_: &Trail| [1, 2, 3].map(|n| task.send(n)).into_iter().collect::<Sends>());
    g.edge(task, END);
    g.compile().unwrap()
}

#[tokio::test]
async fn tasks_of_subgraphs_that_run_side_by_side_have_ids_of_their_own() {
    let ids = Arc::new(Mutex::new(BTreeSet::new()));
    let known = Arc::clone(&ids);
    let graph = three(move |cx| {
        known.lock().unwrap().insert(cx.task_id());
        async { Ok(()) }
    });
    graph.run(Trail::update()).await.unwrap();
    assert_eq!(ids.lock().unwrap().len(), 3, "{ids:?}");
}

#[tokio::test]
async fn events_of_subgraphs_that_run_side_by_side_say_whose_they_are_and_are_drawn_together() {
    let graph = three(|cx| async move {
        cx.emit(cx.state.value);
        tokio::task::yield_now().await;
        Ok(())
    });
    let mut stream = graph.run(Trail::update()).stream_modes(Modes::TASKS | Modes::CUSTOM);
    let (mut visits, mut said) = (Visits::with_subgraphs(), Vec::new());
    while let Some(event) = stream.next().await {
        visits.observe(&event);
        said.extend(event.custom::<u32>().map(|value| (event.namespace.to_string(), *value)));
    }
    said.sort_unstable();
    let expected = [("find:0", 1), ("find:1", 2), ("find:2", 3)].map(|(name, n)| (name.to_string(), n));
    assert_eq!(said, expected);
    assert_eq!(visits.node_of("find", "look").map(|look| look.runs), Some(3));
    assert!(graph.to_mermaid_with(&visits).contains("look<br/>×3"));
}

#[tokio::test]
async fn nothing_counts_that_outlives_the_attempt_at_the_task_that_runs_a_subgraph() {
    let clock = FakeClock::auto();
    let spawned = Arc::new(Mutex::new(Vec::new()));
    let (handles, time) = (Arc::clone(&spawned), clock.clone());
    let mut g = Graph::<Trail>::new("inner");
    let hangs = g.node("hangs", move |cx: Cx<Trail>| {
        let time = time.clone();
        handles.lock().unwrap().push(tokio::spawn(async move {
            time.sleep(ms(100)).await;
            cx.emit("late");
            cx.spend("tokens", 1);
        }));
        std::future::pending::<Result<(), NodeError>>()
    });
    g.entry(hangs).edge(hangs, END);
    let (mut g, node) = around(&g.compile().unwrap());
    let time = clock.clone();
    let after = g.node("after", move |_cx| {
        let time = time.clone();
        async move {
            time.sleep(ms(200)).await;
            Ok(mark("after"))
        }
    });
    g.timeout(node, Timeout::total(ms(50))).on_error(node, |_cx, _failure| async { Ok(()) });
    g.edge(node, after).edge(after, END);
    let run = g.compile().unwrap().run(Trail::update()).clock(clock).budget(Budget::new().counter("tokens", 1));
    let mut stream = run.stream_modes(Modes::CUSTOM);
    while let Some(event) = stream.next().await {
        assert_eq!(event.custom::<&str>(), None, "the late event is not told");
    }
    assert_eq!(stream.finish().await.unwrap().end, End::Complete);
    let handles = std::mem::take(&mut *spawned.lock().unwrap());
    assert_eq!(handles.len(), 1);
    for handle in handles {
        handle.await.unwrap();
    }
}

/// Fails so many times, then says that it ran.
fn failing_first(times: usize) -> impl Fn() -> Result<(), Misfit> + Send + Sync {
    let left = std::sync::atomic::AtomicUsize::new(times);
    let next = move |left: usize| left.checked_sub(1);
    let order = std::sync::atomic::Ordering::Relaxed;
    move || left.fetch_update(order, order, next).map_or(Ok(()), |_| Err(Misfit))
}

#[derive(Debug)]
struct Misfit;

impl std::fmt::Display for Misfit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("it does not fit")
    }
}

impl std::error::Error for Misfit {}

#[tokio::test]
async fn an_error_of_a_mapping_function_is_one_of_the_node_that_runs_the_subgraph() {
    for (input, output, runs) in [(0, 0, 1), (1, 0, 1), (0, 1, 2), (9, 0, 0), (0, 9, 3)] {
        let ran = Arc::new(Mutex::new(0));
        let mut g = Graph::<Trail>::new("inner");
        let counted = Arc::clone(&ran);
        let node = g.node("n", move |_cx| {
            *counted.lock().unwrap() += 1;
            async { Ok(mark("n")) }
        });
        g.entry(node).edge(node, END);
        let child = g.compile().unwrap();

        let (enter, leave) = (failing_first(input), failing_first(output));
        let link = Subgraph::try_mapped(
            move |_: &Trail| enter().map(|()| Trail::update()),
            move |_: Trail| leave().map(|()| mark("out")),
        );
        let mut g = Graph::<Trail>::new("outer");
        let outer = g.subgraph("child", &child, link);
        g.entry(outer).edge(outer, END).retry(outer, Retry::attempts(3));
        let result = g.compile().unwrap().run(Trail::update()).clock(FakeClock::auto()).await;
        match result {
            Ok(done) => assert_eq!(done.state.seen, ["out"]),
            Err(error) => {
                assert_eq!(input + output, 9, "{error}");
                assert!(error.find::<Misfit>().is_some());
                assert_eq!((&*error.failures()[0].node, error.failures()[0].attempt), ("child", 3));
            }
        }
        assert_eq!(*ran.lock().unwrap(), runs, "{input} {output}");
    }
}
