//! Writing in the background: how far a run goes ahead of a slow store, and what it waits for at its end.

use std::future::IntoFuture;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use research_core::checkpoint::{Batch, Claim, Header, Loaded, Prune, Query, ThreadKey};
use research_core::{
    CheckpointId, Checkpointer, Durability, END, Graph, IfIdle, MemoryCheckpointer, NodeError, State, StoreError,
    StoreErrorKind,
};
use tokio::sync::Semaphore;

/// A store whose writes wait until they are let through.
#[derive(Clone, Debug)]
struct Slow {
    store: MemoryCheckpointer,
    passes: Arc<Semaphore>,
}

impl Checkpointer for Slow {
    async fn claim(&self, key: &ThreadKey, at: Option<CheckpointId>) -> Result<Claim, StoreError> {
        self.store.claim(key, at).await
    }
    async fn put(&self, key: &ThreadKey, epoch: u64, batch: Batch) -> Result<(), StoreError> {
        self.passes.acquire().await.unwrap().forget();
        self.store.put(key, epoch, batch).await
    }
    async fn read(&self, key: &ThreadKey, at: Option<CheckpointId>) -> Result<Option<Loaded>, StoreError> {
        self.store.read(key, at).await
    }
    async fn list(&self, key: &ThreadKey, query: &Query) -> Result<Vec<Header>, StoreError> {
        self.store.list(key, query).await
    }
    async fn threads(&self, after: Option<&str>, limit: usize) -> Result<Vec<String>, StoreError> {
        self.store.threads(after, limit).await
    }
    async fn namespaces(&self, thread: &str) -> Result<Vec<String>, StoreError> {
        self.store.namespaces(thread).await
    }
    async fn delete_thread(&self, thread: &str) -> Result<(), StoreError> {
        self.store.delete_thread(thread).await
    }
    async fn delete_run(&self, thread: &str, run: &str) -> Result<u64, StoreError> {
        self.store.delete_run(thread, run).await
    }
    async fn copy_thread(&self, from: &str, to: &str) -> Result<(), StoreError> {
        self.store.copy_thread(from, to).await
    }
    async fn prune(&self, thread: &str, prune: &Prune) -> Result<u64, StoreError> {
        self.store.prune(thread, prune).await
    }
}

#[derive(Clone, Debug, Default, PartialEq, State)]
struct Count {
    #[reduce(add)]
    n: u64,
}

/// How many steps of a hundred begin before `passes` writes are through; then the run is let go.
async fn steps_ahead(durability: Durability, passes: usize) -> u64 {
    let begun = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&begun);
    let mut g = Graph::<Count>::new("count");
    let up = g.node("up", move |_cx| {
        counted.fetch_add(1, Ordering::Relaxed);
        async { Ok(Count::update().n(1)) }
    });
    g.entry(up).route(up, move |s: &Count| if s.n < 100 { up } else { END });
    let slow = Slow { store: MemoryCheckpointer::new(), passes: Arc::new(Semaphore::new(passes)) };
    let graph = g.compile().unwrap().with_checkpointer(slow.clone());
    let run = tokio::spawn(graph.run(Count::update()).thread("t").durability(durability).into_future());
    for _ in 0..1_000 {
        tokio::task::yield_now().await;
    }
    let ahead = begun.load(Ordering::Relaxed);
    if durability != Durability::Exit {
        assert!(!run.is_finished());
    }
    slow.passes.add_permits(1_000);
    assert_eq!(run.await.unwrap().unwrap().state.n, 100);
    assert_eq!(
        graph.thread("t").state().await.unwrap().unwrap().state.n,
        100,
        "the end of the run waits for the store"
    );
    ahead
}

#[tokio::test]
async fn a_step_starts_when_the_one_before_is_stored() {
    assert_eq!(steps_ahead(Durability::Sync, 0).await, 0);
    assert_eq!(steps_ahead(Durability::Sync, 3).await, 3);
}

#[tokio::test]
async fn a_run_in_the_background_goes_a_bounded_number_of_steps_ahead() {
    let ahead = steps_ahead(Durability::Async, 0).await;
    assert!((2..=10).contains(&ahead), "{ahead} steps");
}

#[tokio::test]
async fn a_run_that_is_stored_at_its_exit_waits_for_nothing_before() {
    assert_eq!(steps_ahead(Durability::Exit, 0).await, 100);
}

#[tokio::test]
async fn what_a_dropped_run_has_queued_is_stored_by_the_runtime() {
    for durability in [Durability::Sync, Durability::Async] {
        let mut g = Graph::<Count>::new("count");
        let up = g.node("up", |_cx| async { Ok(Count::update().n(1)) });
        g.entry(up).route(up, move |s: &Count| if s.n < 100 { up } else { END });
        let slow = Slow { store: MemoryCheckpointer::new(), passes: Arc::new(Semaphore::new(1)) };
        let graph = g.compile().unwrap().with_checkpointer(slow.clone());
        let run = graph.run(Count::update()).thread("t").durability(durability).into_future();
        let ran = tokio::select! {
            biased;
            _ = run => true,
            () = turns(100) => false,
        };
        assert!(!ran, "the store lets it go no further");
        let stored = async || graph.thread("t").state().await.unwrap().unwrap().state.n;
        assert_eq!(stored().await, 0);
        slow.passes.add_permits(1_000);
        turns(100).await;
        let least = if durability == Durability::Sync { 1 } else { 2 };
        assert!(stored().await >= least, "{} steps of a run in {durability:?} are stored", stored().await);
    }
}

#[tokio::test]
async fn an_effect_waits_for_its_own_record_and_not_for_those_that_follow() {
    let mut g = Graph::<Count>::new("pay");
    let slow = Slow { store: MemoryCheckpointer::new(), passes: Arc::new(Semaphore::new(1)) };
    let [happened, told] = [(); 2].map(|()| Arc::new(AtomicBool::new(false)));
    let (happens, tells, then) = (Arc::clone(&happened), Arc::clone(&told), Arc::clone(&happened));
    let first = g.node("first", move |cx| {
        let (happens, tells) = (Arc::clone(&happens), Arc::clone(&tells));
        async move {
            let pay = async {
                happens.store(true, Ordering::Relaxed);
                Ok::<_, NodeError>(())
            };
            cx.once("pay", pay).await?;
            tells.store(true, Ordering::Relaxed);
            Ok(Count::update().n(1))
        }
    });
    let second = g.node("second", move |cx| {
        let then = Arc::clone(&then);
        async move {
            while !then.load(Ordering::Relaxed) {
                tokio::task::yield_now().await;
            }
            cx.once("pay", async { Ok::<_, NodeError>(()) }).await?;
            Ok(Count::update().n(1))
        }
    });
    g.entry(first).entry(second).edge(first, END).edge(second, END);
    let graph = g.compile().unwrap().with_checkpointer(slow.clone());
    // The input is let through, then the first record.
    let run = tokio::spawn(graph.run(Count::update()).thread("t").into_future());
    turns(1_000).await;
    assert!(!told.load(Ordering::Relaxed));
    slow.passes.add_permits(1);
    turns(1_000).await;
    assert!(told.load(Ordering::Relaxed), "the record of `first` is stored, that of `second` is not");
    assert_eq!(slow.passes.available_permits(), 0);
    assert!(!run.is_finished(), "{:?}", run.await);
    slow.passes.add_permits(1_000);
    assert_eq!(run.await.unwrap().unwrap().state.n, 2);
}

async fn turns(count: usize) {
    for _ in 0..count {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_store_without_leases_says_that_it_cannot_tell_whether_a_thread_is_idle() {
    let store = Slow { store: MemoryCheckpointer::new(), passes: Arc::new(Semaphore::new(100)) };
    let mut g = Graph::<Count>::new("count");
    let up = g.node("up", |_cx| async { Ok(Count::update().n(1)) });
    g.entry(up).edge(up, END);
    let graph = g.compile().unwrap().with_checkpointer(store);

    let error = graph.run(Count::update()).thread("t").if_idle(IfIdle::refuse()).await.unwrap_err();

    let kind = error.find::<StoreError>().map(StoreError::kind);
    assert_eq!(kind, Some(StoreErrorKind::Unsupported), "{error}");
    assert!(error.to_string().contains("this store keeps no leases"), "{error}");
    assert_eq!(graph.run(Count::update()).thread("t").await.unwrap().state.n, 1);
}
