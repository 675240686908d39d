//! What a graph sets for its runs, and what a run sets instead.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use research_core::testing::FakeClock;
use research_core::{
    Clock, CompiledGraph, Cx, Durability, END, FailurePolicy, Graph, IdSource, MemoryCheckpointer, NodeError, Random,
    Retry, Sends,
};
use tokio::task::yield_now;

use crate::support::{Trail, TrailUpdate, mark, step};

/// Ids and random numbers that are always the same.
#[derive(Debug)]
struct Always<T>(T);

impl IdSource for Always<&'static str> {
    fn run_id(&self) -> String {
        self.0.to_string()
    }
}

impl Random for Always<f64> {
    fn fraction(&self) -> f64 {
        self.0
    }
}

const fn ms(count: u64) -> Duration {
    Duration::from_millis(count)
}

/// Two steps of 40 ms each by a clock of their own.
fn sleeping() -> CompiledGraph<Trail> {
    let clock = FakeClock::auto();
    let mut g = Graph::<Trail>::new("sleeping");
    let [one, two] = ["one", "two"].map(|name| {
        let clock = clock.clone();
        g.node(name, move |cx: Cx<Trail>| {
            let slept = clock.sleep(ms(40));
            async move {
                slept.await;
                Ok(mark(cx.node()))
            }
        })
    });
    g.entry(one).edge(one, two).edge(two, END);
    g.compile().unwrap().with_clock(clock)
}

#[tokio::test]
async fn the_times_of_a_graph_hold_and_a_run_may_have_others() {
    for (of_graph, of_run) in [(ms(79), ms(81)), (ms(39), ms(81))] {
        let limited = sleeping().with_timeout(of_graph);
        limited.run(Trail::update()).await.unwrap_err();
        assert_eq!(limited.run(Trail::update()).timeout(of_run).await.unwrap().state.seen, ["one", "two"]);
    }

    let limited = sleeping().with_step_timeout(ms(39));
    limited.run(Trail::update()).await.unwrap_err();
    assert_eq!(limited.run(Trail::update()).step_timeout(ms(41)).await.unwrap().state.seen, ["one", "two"]);
    assert_eq!(sleeping().with_step_timeout(ms(41)).run(Trail::update()).await.unwrap().state.seen, ["one", "two"]);
}

#[tokio::test]
async fn the_random_source_and_the_clock_of_a_graph_spread_retries() {
    let clock = FakeClock::auto();
    let mut g = Graph::<Trail>::new("flaky");
    let node = g.node("work", |cx: Cx<Trail>| async move {
        if cx.attempt() < 2 { Err(NodeError::msg("no")) } else { Ok(mark("done")) }
    });
    g.entry(node).edge(node, END).retry(node, Retry::attempts(2).backoff(ms(1_000), 1.0, ms(1_000)));
    let graph = g.compile().unwrap().with_clock(clock.clone()).with_random(Always(0.75));
    let began = clock.now();

    graph.run(Trail::update()).await.unwrap();
    assert_eq!(clock.now().duration_since(began).unwrap(), ms(250));

    graph.run(Trail::update()).random(Always(0.0)).await.unwrap();
    assert_eq!(clock.now().duration_since(began).unwrap(), ms(1_250));
}

#[tokio::test]
async fn the_concurrency_of_a_graph_holds_and_a_run_may_have_another() {
    // How many are in flight, and the most that were.
    let (flying, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (flight, high) = (Arc::clone(&flying), Arc::clone(&most));
    let mut g = Graph::<Trail>::new("wide");
    let work = g.task("work", move |_cx: Cx<Trail>, _n: u32| {
        let (flight, high) = (Arc::clone(&flight), Arc::clone(&high));
        async move {
            high.fetch_max(flight.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            for _ in 0..20 {
                yield_now().await;
            }
            flight.fetch_sub(1, Ordering::SeqCst);
            Ok(mark("work"))
        }
    });
    g.entry_route(move |_: &Trail| (0..12).map(|n| work.send(n)).collect::<Sends>()).edge(work, END);
    let graph = g.compile().unwrap().with_max_concurrency(2);

    graph.run(Trail::update()).await.unwrap();
    assert_eq!(most.swap(0, Ordering::SeqCst), 2);

    graph.run(Trail::update()).max_concurrency(5).await.unwrap();
    assert_eq!(most.load(Ordering::SeqCst), 5);
}

#[tokio::test]
async fn the_failure_policy_of_a_graph_holds_and_a_run_may_have_another() {
    let ended = Arc::new(AtomicUsize::new(0));
    let ends = Arc::clone(&ended);
    let mut g = Graph::<Trail>::new("two");
    let fails = g.node("fails", |_cx| async { Err::<TrailUpdate, _>(NodeError::msg("no")) });
    let sibling = g.node("sibling", move |_cx: Cx<Trail>| {
        let ends = Arc::clone(&ends);
        async move {
            for _ in 0..20 {
                yield_now().await;
            }
            ends.fetch_add(1, Ordering::SeqCst);
            Ok(mark("sibling"))
        }
    });
    g.entry(fails).entry(sibling).edge(fails, END).edge(sibling, END);
    let graph = g.compile().unwrap().with_failure_policy(FailurePolicy::CancelSiblings);

    graph.run(Trail::update()).await.unwrap_err();
    assert_eq!(ended.load(Ordering::SeqCst), 0);

    graph.run(Trail::update()).on_failure(FailurePolicy::LetSiblingsFinish).await.unwrap_err();
    assert_eq!(ended.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn the_steps_ids_durability_and_store_of_a_graph_hold_and_a_run_may_have_others() {
    let stepping = || {
        let mut g = Graph::<Trail>::new("steps");
        let [one, two] = ["one", "two"].map(|name| step(&mut g, name));
        g.entry(one).edge(one, two).edge(two, END);
        g.compile().unwrap()
    };
    let short = stepping().with_step_limit(1);
    short.run(Trail::update()).await.unwrap_err();
    assert_eq!(short.run(Trail::update()).step_limit(2).await.unwrap().state.seen, ["one", "two"]);

    let named = stepping().with_ids(Always("the graph's"));
    assert_eq!(named.run(Trail::update()).await.unwrap().run_id, "the graph's");
    assert_eq!(named.run(Trail::update()).ids(Always("the run's")).await.unwrap().run_id, "the run's");

    let (store, other) = (MemoryCheckpointer::new(), MemoryCheckpointer::new());
    let kept = stepping().with_checkpointer(store.clone()).with_durability(Durability::Exit);
    kept.run(Trail::update()).thread("exit").await.unwrap();
    kept.run(Trail::update()).thread("sync").durability(Durability::Sync).await.unwrap();
    kept.run(Trail::update()).thread("other").checkpointer(other.clone()).await.unwrap();
    let mut lengths = Vec::new();
    for (thread, graph) in [("exit", &kept), ("sync", &kept), ("other", &stepping().with_checkpointer(other))] {
        lengths.push(graph.thread(thread).history().await.unwrap().moments().len());
    }
    assert_eq!(lengths, [1, 3, 1]);
    assert!(kept.thread("other").state().await.unwrap().is_none());
}
