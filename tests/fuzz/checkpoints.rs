//! Checkpoints whose stored bytes are damaged anywhere: what reads them gets a typed error or a state, and never a panic.

use std::collections::BTreeMap;
use std::error::Error;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use fastrand::Rng;
use research_core::checkpoint::{
    Batch, CheckpointId, Checkpointer, Claim, Header, Loaded, Prune, Query, StoreError, ThreadKey, squash,
};
use research_core::{
    Ask, Cause, CompiledGraph, Cx, END, ErrorKind, Graph, MemoryCheckpointer, NodeError, RunError, State,
    StoreErrorKind, Subgraph,
};
use serde_json::json;

use crate::{fuzz, mutate, wait};

/// Threads that are damaged, each for several operations.
const ROUNDS: u64 = 2_000;

/// A field for each form in which fields are stored.
#[derive(Clone, Debug, Default, State)]
struct Notes {
    #[reduce(append)]
    lines: Vec<String>,
    #[reduce(append)]
    bytes: Vec<u8>,
    #[reduce(merge)]
    words: BTreeMap<String, u32>,
    #[reduce(add)]
    steps: u64,
    #[reduce(max)]
    most: i64,
    title: Option<String>,
    ratio: f64,
}

#[derive(Clone, Debug, Default, State)]
struct Inner {
    #[reduce(add)]
    calls: u64,
    #[reduce(append)]
    seen: Vec<u64>,
}

async fn write(cx: Cx<Notes>) -> Result<NotesUpdate, NodeError> {
    let id: u64 = cx.once("id", async { Ok::<_, NodeError>(7) }).await?;
    Ok(Notes::update()
        .lines([format!("line {id}")])
        .bytes([1, 2, 3])
        .words([("one".to_owned(), 1)])
        .steps(1)
        .most(3)
        .title("a title")
        .ratio(0.5))
}

async fn ask(cx: Cx<Notes>) -> Result<NotesUpdate, NodeError> {
    let more: bool = cx.interrupt(Ask::new("more", json!({"have": cx.state.lines.len()}))).await?;
    Ok(Notes::update().lines([format!("more: {more}")]))
}

async fn count(cx: Cx<Inner>) -> Result<InnerUpdate, NodeError> {
    Ok(Inner::update().calls(1).seen([cx.state.calls]))
}

fn graph() -> CompiledGraph<Notes> {
    let mut inner = Graph::<Inner>::new("inner");
    let node = inner.node("count", count);
    let inner = inner.entry(node).edge(node, END).compile().unwrap();

    let mut g = Graph::<Notes>::new("notes");
    let (write, ask) = (g.node("write", write), g.node("ask", ask));
    let mapped = Subgraph::mapped(
        |notes: &Notes| Inner::update().seen([notes.lines.len() as u64]),
        |inner: Inner| Notes::update().lines([format!("calls: {}", inner.calls)]),
    );
    let child = g.subgraph("child", &inner, mapped.per_thread());
    let part = g.task("part", |_: Cx<Notes>, n: u64| async move { Ok(Notes::update().words([(n.to_string(), 1)])) });
    g.entry(write).edge(write, child).edge(child, ask);
    g.route(ask, move |_: &Notes| (0..3).map(|n| part.send(n)).collect::<research_core::Sends>());
    g.edge(part, END);
    g.compile().unwrap()
}

/// A store that gives back other bytes than were written.
#[derive(Debug)]
struct Damaging {
    store: MemoryCheckpointer,
    rng: Mutex<Rng>,
    /// Damages one of so many byte strings.
    every: u8,
}

impl Damaging {
    fn new(store: &MemoryCheckpointer, rng: &mut Rng) -> Self {
        Self { store: store.clone(), rng: Mutex::new(rng.fork()), every: rng.u8(1..6) }
    }

    fn damage(&self, bytes: &mut Vec<u8>) {
        let rng = &mut *self.rng.lock().unwrap();
        if rng.u8(0..self.every) != 0 {
            return;
        }
        match rng.u8(0..5) {
            0 => *bytes = (0..rng.usize(0..60)).map(|_| rng.u8(..)).collect(),
            // A length that is far larger than what follows.
            1 if bytes.len() > 8 => {
                let at = rng.usize(0..bytes.len() - 4);
                bytes[at..at + 4].fill(0xff);
            }
            _ => mutate::bytes(rng, bytes),
        }
    }

    fn damaged(&self, mut loaded: Loaded) -> Loaded {
        self.damage(&mut loaded.header.next);
        loaded.bodies.iter_mut().for_each(|body| self.damage(body));
        loaded.records.iter_mut().for_each(|record| self.damage(&mut record.data));
        loaded
    }
}

impl Checkpointer for Damaging {
    async fn claim(&self, key: &ThreadKey, at: Option<CheckpointId>) -> Result<Claim, StoreError> {
        let claim = self.store.claim(key, at).await?;
        Ok(Claim::new(claim.epoch, claim.head, claim.loaded.map(|loaded| self.damaged(loaded))))
    }
    async fn put(&self, key: &ThreadKey, epoch: u64, batch: Batch) -> Result<(), StoreError> {
        self.store.put(key, epoch, batch).await
    }
    async fn read(&self, key: &ThreadKey, at: Option<CheckpointId>) -> Result<Option<Loaded>, StoreError> {
        Ok(self.store.read(key, at).await?.map(|loaded| self.damaged(loaded)))
    }
    async fn list(&self, key: &ThreadKey, query: &Query) -> Result<Vec<Header>, StoreError> {
        let mut headers = self.store.list(key, query).await?;
        headers.iter_mut().for_each(|header| self.damage(&mut header.next));
        Ok(headers)
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

/// A thread that waits for an answer, or is at its end.
async fn written(ends: bool) -> MemoryCheckpointer {
    let store = MemoryCheckpointer::new();
    let graph = graph().with_checkpointer(store.clone());
    graph.run(Notes::update().lines(["first".to_owned()])).thread("t").await.unwrap();
    if ends {
        let done = graph.resume().answer(true).thread("t").await.unwrap();
        assert!(done.is_complete() && done.state.words.len() == 4, "{:?}", done.state);
    }
    store
}

/// Operations that damage has ended.
static REFUSED: AtomicU64 = AtomicU64::new(0);

/// What may come of damage: an error that says what was damaged, and no task that panicked.
fn is_typed(error: &RunError) {
    REFUSED.fetch_add(1, Ordering::Relaxed);
    match error.kind() {
        ErrorKind::Tasks(failures) => {
            for failure in failures {
                let panicked = matches!(
                    failure.cause,
                    Cause::Panic(_) | Cause::RoutePanic(_) | Cause::ReducerPanic(_) | Cause::UnknownTarget { .. }
                );
                assert!(!panicked, "{failure}");
            }
        }
        ErrorKind::Store(error) => assert_eq!(error.kind(), StoreErrorKind::Corrupt, "{error}"),
        ErrorKind::Codec(_) | ErrorKind::Thread(_) | ErrorKind::Answer(_) | ErrorKind::StepLimit { .. } => {}
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_thread_with_damaged_bytes_is_read_or_refused() {
    let stores = wait(async { [written(false).await, written(true).await] });
    fuzz(ROUNDS, |rng| {
        let at = rng.usize(0..2);
        let store = &stores[at];
        let seeds: [u64; 5] = std::array::from_fn(|_| rng.u64(..));
        wait(async {
            // Every operation has a copy of the threads, so that what one writes is not read by the next.
            let fresh = |seed: u64, store: MemoryCheckpointer| Damaging::new(&store, &mut Rng::with_seed(seed));
            let graph = graph();
            let copies =
                [copy(store).await, copy(store).await, copy(store).await, copy(store).await, copy(store).await];
            let [a, b, c, d, e] = copies;

            let reading = graph.clone().with_checkpointer(fresh(seeds[0], a));
            let thread = reading.thread("t");
            drop(thread.state().await.map_err(|error| is_typed(&error)));
            drop(thread.history().await.map_err(|error| is_typed(&error)));
            drop(thread.visits().await.map_err(|error| is_typed(&error)));

            let resuming = graph.clone().with_checkpointer(fresh(seeds[1], b));
            drop(resuming.resume().answer(true).thread("t").await.map_err(|error| is_typed(&error)));

            let starting = graph.clone().with_checkpointer(fresh(seeds[2], c));
            drop(starting.run(Notes::update().steps(1)).thread("t").await.map_err(|error| is_typed(&error)));

            let updating = graph.clone().with_checkpointer(fresh(seeds[3], d));
            let update = updating.thread("t");
            let _ = update.update(Notes::update().ratio(1.5)).as_node("write").await.map_err(|error| is_typed(&error));

            let forking = graph.clone().with_checkpointer(fresh(seeds[4], e));
            let fork = forking.resume().from_checkpoint(CheckpointId(2)).thread("t");
            drop(fork.await.map_err(|error| is_typed(&error)));
        });
    });

    // Damage that leaves a value what it was, or makes another one of it, is not seen.
    let refused = REFUSED.load(Ordering::Relaxed);
    println!("{refused} operations were refused");
    assert!(refused > ROUNDS, "{refused}");
}

/// Another store with the same thread.
async fn copy(store: &MemoryCheckpointer) -> MemoryCheckpointer {
    let other = MemoryCheckpointer::new();
    for namespace in store.namespaces("t").await.unwrap() {
        let key = ThreadKey::new("t", namespace);
        let epoch = other.claim(&key, None).await.unwrap().epoch;
        let mut headers = store.list(&key, &Query::all()).await.unwrap();
        headers.reverse();
        let mut batch = Batch::default();
        for header in headers {
            let loaded = store.read(&key, Some(header.id)).await.unwrap().unwrap();
            // The body of the checkpoint itself is the last one.
            let body = loaded.bodies.last().cloned().unwrap_or_default();
            batch.checkpoints.push(research_core::checkpoint::CheckpointRecord::new(header, body));
            batch.records.extend(loaded.records);
        }
        other.put(&key, epoch, batch).await.unwrap();
    }
    other
}

#[test]
fn any_bytes_are_folded_or_refused_as_damaged() {
    let store = wait(written(true));
    let bodies = wait(async { store.read(&ThreadKey::root("t"), None).await.unwrap().unwrap().bodies });
    fuzz(50_000, |rng| {
        let mut changed = bodies.clone();
        for body in &mut changed {
            mutate::bytes(rng, body);
        }
        if let Err(error) = squash(changed.iter().map(Vec::as_slice)) {
            assert_eq!(error.kind(), StoreErrorKind::Corrupt, "{error} {:?}", error.source());
        }
    });
}
