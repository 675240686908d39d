//! Cached nodes: hits, keys, expiry, clearing, and that a cache never fails a run.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime};

use futures::StreamExt;
use research_core::testing::FakeClock;
use research_core::{
    Ask, Cache, CachePolicy, Cause, Command, CompiledGraph, Cx, END, EventKind, Graph, MemoryCache, MemoryCheckpointer,
    NodeError, Retry, State, StoreError, StoreErrorKind, TaskSource,
};
use serde_json::Value;

use crate::support::{Trail, TrailUpdate, mark};

const HOUR: Duration = Duration::from_secs(3600);

#[derive(Clone, Default)]
struct Runs(Arc<AtomicU32>);

impl Runs {
    fn next(&self) -> u32 {
        self.0.fetch_add(1, Ordering::SeqCst) + 1
    }

    fn count(&self) -> u32 {
        self.0.load(Ordering::SeqCst)
    }
}

/// A graph named `name` of one node that says how often it has run, cached as `policy` says.
fn counting(name: &str, runs: &Runs, policy: CachePolicy<Trail>) -> CompiledGraph<Trail> {
    let runs = runs.clone();
    let mut g = Graph::<Trail>::new(name);
    let node = g.node("work", move |cx: Cx<Trail>| {
        let runs = runs.clone();
        async move {
            cx.emit("working");
            Ok(mark(format!("run {} for {}", runs.next(), cx.state.value)))
        }
    });
    g.entry(node).edge(node, END).cache(node, policy);
    g.compile().unwrap()
}

fn by_value() -> CachePolicy<Trail> {
    CachePolicy::by(|s: &Trail| s.value)
}

async fn ask(graph: &CompiledGraph<Trail>, value: u32) -> String {
    graph.run(Trail::update().value(value)).await.unwrap().state.seen.concat()
}

#[tokio::test]
async fn a_node_that_ran_with_the_same_key_does_not_run_again() {
    let runs = Runs::default();
    let graph = counting("g", &runs, by_value()).with_cache(MemoryCache::default());
    assert_eq!(ask(&graph, 7).await, "run 1 for 7");
    assert_eq!(ask(&graph, 7).await, "run 1 for 7");
    assert_eq!(ask(&graph, 8).await, "run 2 for 8");
    assert_eq!(ask(&graph, 7).await, "run 1 for 7");
    assert_eq!(runs.count(), 2);
}

#[tokio::test]
async fn a_cached_task_says_so_and_its_node_emits_nothing() {
    let graph = counting("g", &Runs::default(), by_value()).with_cache(MemoryCache::default());
    let mut seen = Vec::new();
    for _ in 0..2 {
        let mut events = graph.run(Trail::update()).stream();
        while let Some(event) = events.next().await {
            match event.kind {
                EventKind::Custom(_) => seen.push("emitted".to_string()),
                EventKind::Updated(update) => seen.push(format!("{}", research_core::Update::names(&update).count())),
                EventKind::TaskFinished { error: None, source } => seen.push(format!("{source:?}")),
                _ => {}
            }
        }
    }
    let (ran, cached) = (format!("{:?}", TaskSource::Ran), format!("{:?}", TaskSource::Cached));
    assert_eq!(seen, ["emitted", "2", &ran, "2", &cached]);
}

#[tokio::test]
async fn an_entry_expires_by_the_clock_of_the_run() {
    let (runs, clock) = (Runs::default(), FakeClock::new());
    let graph = counting("g", &runs, by_value().ttl(HOUR)).with_cache(MemoryCache::default());
    for (advance, ran) in [(Duration::ZERO, 1), (HOUR - Duration::from_millis(1), 1), (Duration::from_millis(1), 2)] {
        clock.advance(advance);
        graph.run(Trail::update()).clock(clock.clone()).await.unwrap();
        assert_eq!(runs.count(), ran);
    }
}

#[tokio::test]
async fn without_a_time_to_live_an_entry_stays() {
    let (runs, clock) = (Runs::default(), FakeClock::new());
    let graph = counting("g", &runs, by_value()).with_cache(MemoryCache::default());
    for _ in 0..2 {
        graph.run(Trail::update()).clock(clock.clone()).await.unwrap();
        clock.advance(HOUR * 1_000_000);
    }
    assert_eq!(runs.count(), 1);
}

#[tokio::test]
async fn clearing_a_node_forgets_its_results_and_no_others() {
    let (one, two, cache) = (Runs::default(), Runs::default(), MemoryCache::default());
    let (a, b) = (counting("a", &one, by_value()), counting("b", &two, by_value()));
    let (a, b) = (a.with_cache(cache.clone()), b.with_cache(cache.clone()));
    ask(&a, 1).await;
    ask(&b, 1).await;
    assert_eq!((one.count(), two.count(), cache.len()), (1, 1, 2), "graphs of other names share nothing");
    a.clear_cache("work").await.unwrap();
    ask(&a, 1).await;
    ask(&b, 1).await;
    assert_eq!((one.count(), two.count()), (2, 1));
    assert_eq!(a.clear_cache("wrok").await.unwrap_err().kind(), StoreErrorKind::NotFound);
}

#[tokio::test]
async fn results_of_another_version_are_not_found() {
    let (runs, cache) = (Runs::default(), MemoryCache::default());
    for version in [1, 2, 1] {
        ask(&counting("g", &runs, by_value().version(version)).with_cache(cache.clone()), 5).await;
    }
    assert_eq!(runs.count(), 2);
}

#[tokio::test]
async fn without_a_cache_a_node_with_a_cache_policy_always_runs() {
    let runs = Runs::default();
    let graph = counting("g", &runs, by_value());
    ask(&graph, 5).await;
    ask(&graph, 5).await;
    assert_eq!(runs.count(), 2);
    graph.clear_cache("work").await.unwrap();
}

#[tokio::test]
async fn tasks_are_cached_by_their_inputs_and_their_targets_and_sends_come_back() {
    let count = Runs::default();
    let mut g = Graph::<Trail>::new("tree");
    let leaf = g.task("leaf", |_cx: Cx<Trail>, text: String| async move { Ok(mark(text)) });
    let counted = count.clone();
    let branch =
        g.task("branch", move |_cx: Cx<Trail>, n: u32| {
            counted.next();
            async move {
                Ok(Command::goto([leaf.send(format!("{n}a")), leaf.send(format!("{n}b"))]).with(mark(n.to_string())))
            }
        });
    g.entry_route(move |s: &Trail| (0..s.value).map(|n| branch.send(n)).collect::<research_core::Sends>());
    g.edge(leaf, END).cache_task(branch, CachePolicy::by_input(|_: &Trail, n: &u32| *n));
    let graph = g.compile().unwrap().with_cache(MemoryCache::default());
    let seen = async |value| graph.run(Trail::update().value(value)).await.unwrap().state.seen;
    assert_eq!(seen(2).await, ["0", "1", "0a", "0b", "1a", "1b"]);
    assert_eq!(seen(3).await, ["0", "1", "2", "0a", "0b", "1a", "1b", "2a", "2b"]);
    assert_eq!(count.count(), 3);
}

#[tokio::test]
async fn failures_are_not_cached_and_what_a_retry_gave_is() {
    let runs = Runs::default();
    let counted = runs.clone();
    let mut g = Graph::<Trail>::new("g");
    let node = g.node("work", move |_cx| {
        let run = counted.next();
        async move { if run % 2 == 1 { Err(NodeError::msg("out")) } else { Ok(mark(format!("run {run}"))) } }
    });
    g.entry(node).edge(node, END).cache(node, by_value()).retry(node, Retry::attempts(2));
    let graph = g.compile().unwrap().with_cache(MemoryCache::default());
    for _ in 0..2 {
        let done = graph.run(Trail::update()).clock(FakeClock::auto()).await.unwrap();
        assert_eq!(done.state.seen, ["run 2"]);
    }
}

#[tokio::test]
async fn what_an_error_handler_gave_is_not_cached() {
    let (runs, cache) = (Runs::default(), MemoryCache::default());
    let counted = runs.clone();
    let mut g = Graph::<Trail>::new("g");
    let node = g.node("work", move |_cx| {
        counted.next();
        async { Err::<TrailUpdate, _>(NodeError::msg("out")) }
    });
    g.entry(node).edge(node, END).cache(node, by_value()).on_error(node, |_cx, _failure| async { Ok(mark("handled")) });
    let graph = g.compile().unwrap().with_cache(cache.clone());
    ask(&graph, 1).await;
    assert_eq!(ask(&graph, 1).await, "handled");
    assert_eq!((runs.count(), cache.len()), (2, 0));
}

#[tokio::test]
async fn a_node_that_waits_for_an_answer_is_cached_only_once_it_has_it() {
    let cache = MemoryCache::default();
    let mut g = Graph::<Trail>::new("g");
    let node = g.node("work", |cx: Cx<Trail>| async move {
        let answer: String = cx.interrupt(Ask::new("name", Value::Null)).await?;
        Ok(mark(answer))
    });
    g.entry(node).edge(node, END).cache(node, by_value());
    let graph = g.compile().unwrap().with_cache(cache.clone()).with_checkpointer(MemoryCheckpointer::new());
    graph.run(Trail::update()).thread("t").await.unwrap();
    assert!(cache.is_empty());
    graph.resume().thread("t").answer("bees").await.unwrap();
    assert_eq!(cache.len(), 1);
}

#[derive(Clone, Debug, Default, State)]
struct Mixed {
    kept: u32,
    #[reduce(untracked)]
    dropped: u32,
}

#[tokio::test]
async fn a_result_that_writes_an_untracked_field_is_not_cached() {
    let cache = MemoryCache::default();
    let mut g = Graph::<Mixed>::new("g");
    let node = g.node("work", |_cx| async { Ok(Mixed::update().kept(1).dropped(2)) });
    g.entry(node).edge(node, END).cache(node, CachePolicy::by(|_: &Mixed| 0));
    let graph = g.compile().unwrap().with_cache(cache.clone());
    for _ in 0..2 {
        let done = graph.run(Mixed::update()).await.unwrap();
        assert_eq!((done.state.kept, done.state.dropped), (1, 2));
    }
    assert!(cache.is_empty());
}

/// A cache that cannot be reached, or gives back what nobody wrote.
#[derive(Debug)]
struct Broken(Option<Vec<u8>>);

impl Cache for Broken {
    async fn get(&self, _: &str, _: &[u8], _: SystemTime) -> Result<Option<Vec<u8>>, StoreError> {
        match &self.0 {
            Some(bytes) => Ok(Some(bytes.clone())),
            None => Err(StoreError::new(StoreErrorKind::Unavailable, "away")),
        }
    }
    async fn put(&self, _: &str, _: &[u8], _: Vec<u8>, _: SystemTime, _: Option<Duration>) -> Result<(), StoreError> {
        Err(StoreError::new(StoreErrorKind::Full, "full"))
    }
    async fn clear(&self, _: &str) -> Result<(), StoreError> {
        Err(StoreError::new(StoreErrorKind::Unavailable, "away"))
    }
}

#[tokio::test]
async fn a_cache_that_fails_or_holds_nonsense_fails_no_run() {
    for broken in [Broken(None), Broken(Some(vec![0xc1, 0xff])), Broken(Some(Vec::new()))] {
        let runs = Runs::default();
        let graph = counting("g", &runs, by_value()).with_cache(broken);
        assert_eq!(ask(&graph, 5).await, "run 1 for 5");
        assert_eq!(ask(&graph, 5).await, "run 2 for 5");
        assert_eq!(graph.clear_cache("work").await.unwrap_err().kind(), StoreErrorKind::Unavailable);
    }
}

#[tokio::test]
async fn a_key_that_cannot_be_written_fails_no_run() {
    struct Refusing;
    impl serde::Serialize for Refusing {
        fn serialize<S: serde::Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
            Err(serde::ser::Error::custom("refused"))
        }
    }
    let runs = Runs::default();
    let graph = counting("g", &runs, CachePolicy::by(|_: &Trail| Refusing)).with_cache(MemoryCache::default());
    ask(&graph, 5).await;
    ask(&graph, 5).await;
    assert_eq!(runs.count(), 2);
}

#[tokio::test]
async fn a_result_that_leads_nowhere_in_the_graph_is_not_cached() {
    let mut other = Graph::<Trail>::new("other");
    let far = (0..9).map(|n| other.declare_task::<u32>(format!("task {n}"))).next_back().unwrap();
    for target in [far.send(1).into(), research_core::Target::from("nobody")] {
        let cache = MemoryCache::default();
        let mut g = Graph::<Trail>::new("g");
        let node = g.node("work", move |_cx| {
            let target = target.clone();
            async move { Ok(Command::goto(target)) }
        });
        g.entry(node).cache(node, by_value());
        let graph = g.compile().unwrap().with_cache(cache.clone());
        let error = graph.run(Trail::update()).await.unwrap_err();
        assert!(matches!(&error.failures()[0].cause, Cause::ForeignHandle | Cause::UnknownTarget { .. }), "{error}");
        assert!(cache.is_empty());
    }
}

/// Tasks of one key that are due at once.
fn at_once(count: u64, runs: &Runs, fails: bool) -> CompiledGraph<Trail> {
    counting_tasks(&(0..count).collect::<Vec<_>>(), runs, fails)
}

/// Tasks with these inputs, two of which have the same key if they leave the same remainder by three.
fn counting_tasks(inputs: &[u64], runs: &Runs, fails: bool) -> CompiledGraph<Trail> {
    let inputs = inputs.to_vec();
    let mut g = Graph::<Trail>::new("at once");
    let plan = g.node("plan", |_cx| async { Ok(()) });
    let counted = runs.clone();
    let work = g.task("work", move |_cx: Cx<Trail>, n: u64| {
        let runs = counted.clone();
        async move {
            let run = runs.next();
            for _ in 0..5 {
                tokio::task::yield_now().await;
            }
            if fails && run == 1 { Err(NodeError::msg("the first fails")) } else { Ok(mark(format!("key {}", n % 3))) }
        }
    });
    g.entry(plan).route(plan, move |_: &Trail| inputs.iter().map(|n| work.send(*n)).collect::<research_core::Sends>());
    g.edge(work, END).cache_task(work, CachePolicy::by_input(|_: &Trail, n: &u64| n % 3));
    g.compile().unwrap().with_cache(MemoryCache::default())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_many_tasks_of_one_key_at_once_one_runs() {
    for limit in [1, 4, 1_000] {
        let runs = Runs::default();
        let done = at_once(300, &runs, false).run(Trail::update()).max_concurrency(limit).await.unwrap();
        assert_eq!((done.state.seen.len(), runs.count()), (300, 3), "limit {limit}");
        // Runs of one graph share what they compute.
        let runs = Runs::default();
        let graph = at_once(30, &runs, false);
        let both =
            futures::future::join(graph.run(Trail::update()).into_future(), graph.run(Trail::update()).into_future());
        let (one, other) = both.await;
        assert_eq!((one.unwrap().state, runs.count()), (other.unwrap().state, 3));
    }
}

/// A cache that answers the first two who ask at once that there is no entry; the second hears it once there is one.
#[derive(Debug, Default)]
struct Belated {
    cache: MemoryCache,
    asked: AtomicU32,
    second: tokio::sync::Notify,
    kept: tokio::sync::Notify,
}

impl Cache for Belated {
    async fn get(&self, namespace: &str, key: &[u8], now: SystemTime) -> Result<Option<Vec<u8>>, StoreError> {
        let found = self.cache.get(namespace, key, now).await;
        match self.asked.fetch_add(1, Ordering::SeqCst) {
            0 => self.second.notified().await,
            1 => {
                self.second.notify_one();
                self.kept.notified().await;
            }
            _ => {}
        }
        found
    }

    async fn put(
        &self,
        namespace: &str,
        key: &[u8],
        value: Vec<u8>,
        now: SystemTime,
        ttl: Option<Duration>,
    ) -> Result<(), StoreError> {
        self.cache.put(namespace, key, value, now, ttl).await?;
        self.kept.notify_one();
        Ok(())
    }

    async fn clear(&self, namespace: &str) -> Result<(), StoreError> {
        self.cache.clear(namespace).await
    }
}

#[tokio::test]
async fn a_key_computed_since_the_cache_was_asked_is_not_computed_again() {
    let runs = Runs::default();
    // Both of the first key.
    let graph = counting_tasks(&[0, 3], &runs, false).with_cache(Belated::default());

    let done = graph.run(Trail::update()).await.unwrap();

    assert_eq!((done.state.seen.len(), runs.count()), (2, 1));
}

#[tokio::test]
async fn a_task_that_waits_for_a_key_runs_itself_when_nothing_comes_of_it() {
    let runs = Runs::default();
    let error = at_once(3, &runs, true).run(Trail::update()).await.unwrap_err();
    assert_eq!((error.failures().len(), runs.count()), (1, 3));
    let runs = Runs::default();
    let error = at_once(9, &runs, true).run(Trail::update()).await.unwrap_err();
    assert_eq!(error.failures().len(), 1, "the others of its key ran after it");
    // A run that is dropped while it computes a key leaves nobody waiting.
    let runs = Runs::default();
    let graph = at_once(9, &runs, false);
    let mut dropped = Box::pin(graph.run(Trail::update()).into_future());
    assert!(futures::FutureExt::now_or_never(&mut dropped).is_none());
    drop(dropped);
    assert_eq!(graph.run(Trail::update()).await.unwrap().state.seen.len(), 9);
}
