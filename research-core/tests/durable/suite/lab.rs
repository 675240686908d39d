//! What the tests share: places that keep threads, nodes whose moods a test sets, and counts of what ran.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::Poll;

use research_core::checkpoint::ThreadKey;
use research_core::{
    Checkpointer, CompiledGraph, Durability, END, Event, Finished, Graph, Modes, Node, NodeError, Persist, RunError,
    RunStream, State, Thread,
};

/// Where threads are kept: each opening is another handle, as another process would have.
pub(crate) trait Place: Default + Send + Sync + 'static {
    type Store: Checkpointer + Clone;
    /// How many random graphs are worth their time here.
    const SEEDS: u64;

    fn open(&self) -> impl Future<Output = Self::Store> + Send;
}

/// A place, and the durability that a test runs with.
pub(crate) struct World<P> {
    pub(crate) place: P,
    pub(crate) durability: Durability,
}

impl<P: Place> World<P> {
    pub(crate) fn new(durability: Durability) -> Self {
        Self { place: P::default(), durability }
    }

    /// The same place kind, empty.
    pub(crate) fn again(&self) -> Self {
        Self::new(self.durability)
    }

    /// Whether only the end of a run is stored.
    pub(crate) fn stores_at_exit(&self) -> bool {
        self.durability == Durability::Exit
    }

    /// The graph with a handle of its own on the place.
    pub(crate) async fn keep<S: Persist, R>(&self, graph: &CompiledGraph<S, R>) -> CompiledGraph<S, R> {
        graph.clone().with_checkpointer(self.place.open().await)
    }

    /// Runs on the thread `t`, from an input.
    pub(crate) async fn run<S: Persist>(
        &self,
        graph: &CompiledGraph<S, Lab>,
        lab: &Arc<Lab>,
        input: impl Into<S::Update>,
    ) -> Result<Finished<S>, RunError> {
        self.keep(graph).await.run(input).resources(Arc::clone(lab)).thread("t").durability(self.durability).await
    }

    /// Goes on with the thread `t`.
    pub(crate) async fn resume<S: Persist>(
        &self,
        graph: &CompiledGraph<S, Lab>,
        lab: &Arc<Lab>,
    ) -> Result<Finished<S>, RunError> {
        self.keep(graph).await.resume().resources(Arc::clone(lab)).thread("t").durability(self.durability).await
    }

    /// Goes on with the thread `t` and answers its only question.
    pub(crate) async fn answer<S: Persist>(
        &self,
        graph: &CompiledGraph<S, Lab>,
        lab: &Arc<Lab>,
        value: impl Into<serde_json::Value>,
    ) -> Result<Finished<S>, RunError> {
        let graph = self.keep(graph).await;
        graph.resume().answer(value).resources(Arc::clone(lab)).thread("t").durability(self.durability).await
    }

    /// Goes on with the thread `t` and answers the question of an id.
    pub(crate) async fn answer_to<S: Persist>(
        &self,
        graph: &CompiledGraph<S, Lab>,
        lab: &Arc<Lab>,
        id: &str,
        value: impl Into<serde_json::Value>,
    ) -> Result<Finished<S>, RunError> {
        let graph = self.keep(graph).await;
        graph.resume().answer_to(id, value).resources(Arc::clone(lab)).thread("t").durability(self.durability).await
    }

    /// The thread `t`.
    pub(crate) async fn thread<S: Persist, R: Send + Sync + 'static>(
        &self,
        graph: &CompiledGraph<S, R>,
    ) -> Thread<S, R> {
        self.keep(graph).await.thread("t")
    }

    /// How many results are recorded for the step that is due on the thread `t`; 0 when it is new.
    pub(crate) async fn recorded(&self) -> usize {
        let loaded = self.place.open().await.read(&ThreadKey::root("t"), None).await.unwrap();
        let records = loaded.into_iter().flat_map(|loaded| loaded.records);
        records.filter(|record| record.key.kind == research_core::checkpoint::RecordKind::Done).count()
    }
}

/// The state of most tests.
#[derive(Clone, Debug, Default, PartialEq, State)]
pub(crate) struct Trail {
    /// Which tasks ran, in the order in which they folded.
    #[reduce(append)]
    pub(crate) seen: Vec<String>,
    /// How many of them.
    #[reduce(add)]
    pub(crate) sum: u64,
    /// Plain: one write a step.
    pub(crate) value: u32,
    #[reduce(last)]
    pub(crate) word: String,
    #[reduce(merge)]
    pub(crate) notes: BTreeMap<String, u32>,
}

/// An update that appends `name`.
pub(crate) fn mark(name: impl Into<String>) -> TrailUpdate {
    Trail::update().seen([name.into()]).sum(1)
}

/// How a node behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mood {
    /// It lets others run so many times first.
    Late(u32),
    Fails,
    FailsLate,
    Panics,
    Hangs,
}

/// The resources of the graphs: what ran how often, and what is to go wrong.
#[derive(Debug, Default)]
pub(crate) struct Lab {
    runs: Mutex<BTreeMap<String, u32>>,
    moods: Mutex<BTreeMap<String, Mood>>,
}

impl Lab {
    pub(crate) fn new() -> Arc<Self> {
        Arc::default()
    }

    /// Counts an execution and behaves as the mood of `name` says.
    pub(crate) async fn work(&self, name: &str) -> Result<(), NodeError> {
        self.count(name);
        match self.mood(name) {
            None => Ok(()),
            Some(Mood::Late(times)) => {
                // Until its time is over, or its mood has changed.
                for _ in 0..times {
                    tokio::task::yield_now().await;
                    if self.mood(name).is_none() {
                        break;
                    }
                }
                Ok(())
            }
            Some(Mood::Fails) => Err(NodeError::msg(format!("{name} fails"))),
            Some(Mood::FailsLate) => {
                late(4).await;
                Err(NodeError::msg(format!("{name} fails")))
            }
            Some(Mood::Panics) => panic!("{name} panics"),
            Some(Mood::Hangs) => std::future::pending().await,
        }
    }

    pub(crate) fn count(&self, name: &str) {
        *lock(&self.runs).entry(name.to_string()).or_default() += 1;
    }

    /// How often `name` was executed.
    pub(crate) fn runs(&self, name: &str) -> u32 {
        lock(&self.runs).get(name).copied().unwrap_or(0)
    }

    /// All counts.
    pub(crate) fn all_runs(&self) -> BTreeMap<String, u32> {
        lock(&self.runs).clone()
    }

    pub(crate) fn mood(&self, name: &str) -> Option<Mood> {
        lock(&self.moods).get(name).copied()
    }

    pub(crate) fn set(&self, name: &str, mood: Mood) {
        lock(&self.moods).insert(name.to_string(), mood);
    }

    pub(crate) fn mend(&self, name: &str) {
        lock(&self.moods).remove(name);
    }

    /// Whether something is to go wrong with `name`.
    pub(crate) fn is_broken(&self, name: &str) -> bool {
        self.mood(name).is_some_and(|mood| !matches!(mood, Mood::Late(_)))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap()
}

/// Lets others run so many times.
pub(crate) async fn late(times: u32) {
    for _ in 0..times {
        tokio::task::yield_now().await;
    }
}

/// Adds a node that works and appends its own name.
pub(crate) fn step(g: &mut Graph<Trail, Lab>, name: &str) -> Node {
    g.node(name, |cx| async move {
        cx.resources.work(cx.node()).await?;
        Ok(mark(cx.node()))
    })
}

/// Lets other tasks run until something is so.
pub(crate) async fn until<F: Future<Output = bool>>(mut is_so: impl FnMut() -> F) {
    while !is_so().await {
        tokio::task::yield_now().await;
    }
}

/// Reads a stream to its end.
pub(crate) async fn collect<S: State>(mut stream: RunStream<S>) -> (Vec<Event<S>>, Result<Finished<S>, RunError>) {
    let mut events = Vec::new();
    while let Some(event) = futures::StreamExt::next(&mut stream).await {
        events.push(event);
    }
    (events, stream.finish().await)
}

/// Every kind of event, values too.
pub(crate) const EVERYTHING: Modes = Modes::ALL;

/// `bad` and `ok` in one step, then `after`, which joins them.
pub(crate) fn pair() -> CompiledGraph<Trail, Lab> {
    let mut g = Graph::<Trail, Lab>::new("pair");
    let [bad, ok, after] = ["bad", "ok", "after"].map(|name| step(&mut g, name));
    g.entry(bad).entry(ok).join([bad, ok], after).edge(after, END);
    g.compile().unwrap()
}

/// A chain of `a`, `b` and `c`.
pub(crate) fn chain() -> CompiledGraph<Trail, Lab> {
    let mut g = Graph::<Trail, Lab>::new("chain");
    let [a, b, c] = ["a", "b", "c"].map(|name| step(&mut g, name));
    g.entry(a).edge(a, b).edge(b, c).edge(c, END);
    g.compile().unwrap()
}

/// The pair after its run was broken in its first step, with `ok` finished: it goes on, and `ok` has run once.
pub(crate) async fn goes_on<P: Place>(world: &World<P>, lab: &Arc<Lab>) {
    let graph = pair();
    let now = world.thread(&graph).await.state().await.unwrap().unwrap();
    assert_eq!((now.next, now.step, now.recorded), (vec!["bad".to_string(), "ok".into()], 0, 1));
    assert_eq!(now.state, Trail::default(), "nothing of the step is folded");
    lab.mend("bad");
    let done = world.resume(&graph, lab).await.unwrap();
    assert_eq!(done.state.seen, ["bad", "ok", "after"]);
    assert!(done.is_complete());
    assert_eq!(["bad", "ok", "after"].map(|name| lab.runs(name)), [2, 1, 1]);
}

/// Polls a future so many times; its output when it ends with that.
pub(crate) async fn advance<F: Future>(mut future: Pin<&mut F>, mut polls: usize) -> Option<F::Output> {
    std::future::poll_fn(|cx| {
        if polls == 0 {
            return Poll::Ready(None);
        }
        polls -= 1;
        match future.as_mut().poll(cx) {
            Poll::Ready(output) => Poll::Ready(Some(output)),
            Poll::Pending if polls == 0 => Poll::Ready(None),
            Poll::Pending => Poll::Pending,
        }
    })
    .await
}
