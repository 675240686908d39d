//! Runs that work on a thread only while no other run does.

use std::future::{Future, IntoFuture, poll_fn};
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, SystemTime};

use research_core::checkpoint::{
    Batch, CheckpointId, Claim, Header, Lease, LeaseReply, Loaded, Prune, Query, Seen, StoreError, ThreadKey,
};
use research_core::testing::{FakeClock, crash_after};
use research_core::{
    Ask, Checkpointer, Clock, CompiledGraph, END, Finished, Graph, IfIdle, IntoCommand, Run, RunError, Supplied,
    ThreadError,
};

use super::lab::{Lab, Mood, Place, Trail, TrailUpdate, World, mark, step, until};

const LONG: Duration = Duration::from_secs(600);
const TERM: Duration = Duration::from_secs(30);

fn chain() -> CompiledGraph<Trail, Lab> {
    let mut g = Graph::<Trail, Lab>::new("chain");
    let [a, gate, c] = ["a", "gate", "c"].map(|name| step(&mut g, name));
    g.entry(a).edge(a, gate).edge(gate, c).edge(c, END);
    g.compile().unwrap()
}

/// A run on the thread `t` from an input, with the option.
async fn run_if_idle<P: Place>(
    world: &World<P>,
    lab: &Arc<Lab>,
    input: TrailUpdate,
    if_idle: IfIdle,
) -> Run<Trail, Lab, Supplied<Lab>> {
    let graph = world.keep(&chain()).await;
    graph.run(input).resources(Arc::clone(lab)).thread("t").durability(world.durability).if_idle(if_idle)
}

/// The lease of the run that an error says holds the thread.
#[track_caller]
fn holder<T: std::fmt::Debug>(refused: Result<T, RunError>) -> Lease {
    let error = refused.unwrap_err();
    assert!(error.is_thread_busy() && !error.is_thread_conflict(), "{error}");
    match error.find() {
        Some(ThreadError::Busy { thread, holder }) if thread == "t" => (**holder).clone(),
        other => panic!("{other:?}"),
    }
}

/// A run that stays in `gate` while something else happens.
async fn meanwhile<P: Place, F: Future>(
    world: &World<P>,
    lab: &Arc<Lab>,
    other: impl FnOnce() -> F,
) -> (Result<Finished<Trail>, RunError>, F::Output) {
    lab.set("gate", Mood::Late(u32::MAX));
    let run = run_if_idle(world, lab, mark("first"), IfIdle::refuse()).await;
    let other = async {
        until(async || lab.runs("gate") == 1).await;
        let done = other().await;
        lab.mend("gate");
        done
    };
    futures::future::join(run.into_future(), other).await
}

pub(crate) async fn a_run_for_an_idle_thread_is_refused_while_another_works_and_harms_nothing<P: Place>(
    world: World<P>,
) {
    let (lab, other) = (Lab::new(), Lab::new());
    let before = SystemTime::now() - Duration::from_millis(1);

    let (first, refused) = meanwhile(&world, &lab, async || {
        let mut refused = Vec::new();
        for _ in 0..3 {
            refused.push(run_if_idle(&world, &other, mark("second"), IfIdle::refuse()).await.await);
        }
        refused
    })
    .await;

    let first = first.unwrap();
    assert_eq!(first.state.seen, ["first", "a", "gate", "c"]);
    for refused in refused {
        assert!(refused.as_ref().unwrap_err().to_string().contains("the thread `t` is busy (run `"), "{refused:?}");
        let lease = holder(refused);
        assert_eq!(*lease.run, *first.run_id);
        assert!(before <= lease.since && lease.since < lease.until, "{lease:?}");
    }
    assert!(other.all_runs().is_empty(), "a refused run runs nothing");
    let second = run_if_idle(&world, &other, mark("second"), IfIdle::refuse()).await.await.unwrap();
    assert_eq!(second.state.seen.len(), 8);
}

pub(crate) async fn a_run_waits_until_the_thread_is_idle<P: Place>(world: World<P>) {
    let (lab, other) = (Lab::new(), Lab::new());
    lab.set("gate", Mood::Late(u32::MAX));
    let first = run_if_idle(&world, &lab, mark("first"), IfIdle::refuse()).await.into_future();
    let second = async {
        until(async || lab.runs("gate") == 1).await;
        run_if_idle(&world, &other, mark("second"), IfIdle::wait(LONG)).await.await
    };
    let control = async {
        until(async || lab.runs("gate") == 1).await;
        tokio::time::sleep(Duration::from_millis(40)).await;
        assert!(other.all_runs().is_empty());
        lab.mend("gate");
    };

    let (first, second, ()) = futures::future::join3(first, second, control).await;

    assert_eq!(first.unwrap().state.seen, ["first", "a", "gate", "c"]);
    assert_eq!(second.unwrap().state.seen, ["first", "a", "gate", "c", "second", "a", "gate", "c"]);
}

pub(crate) async fn a_wait_ends_at_its_limit_and_when_the_run_is_stopped<P: Place>(world: World<P>) {
    let lab = Lab::new();
    let store = world.place.open().await;
    let clock = FakeClock::new();
    let far = clock.now() + LONG * 10;
    let reply = store.acquire_lease("t", "somebody", clock.now(), far).await.unwrap();
    let LeaseReply::Granted(token) = reply else { panic!("{reply:?}") };
    let run = async || run_if_idle(&world, &lab, mark("x"), IfIdle::wait(LONG)).await.clock(FakeClock::auto());

    let clock = FakeClock::auto();
    let waiting = run_if_idle(&world, &lab, mark("x"), IfIdle::wait(LONG)).await.clock(clock.clone());
    assert_eq!(*holder(waiting.await).run, *"somebody");
    assert_eq!(clock.now(), SystemTime::UNIX_EPOCH + LONG);

    assert!(run().await.timeout(TERM).await.unwrap_err().is_timeout());
    assert!(run().await.cancel_on(async {}).await.unwrap_err().is_cancelled());
    assert_eq!(*holder(run().await.drain_on(async {}).await).run, *"somebody");

    assert!(lab.all_runs().is_empty());
    assert!(store.renew_lease("t", token, far).await.unwrap(), "whoever waits leaves the lease alone");
}

pub(crate) async fn workers_that_retry_the_same_thread_all_finish<P: Place>(world: World<P>) {
    let lab = Lab::new();
    let worker = async |number: u32| {
        for round in 0..3 {
            let input = mark(format!("{number}.{round}"));
            let run = run_if_idle(&world, &lab, input, IfIdle::wait(LONG)).await;
            run.await.unwrap_or_else(|error| panic!("worker {number} in round {round}: {error}"));
        }
    };

    futures::future::join3(worker(1), worker(2), worker(3)).await;

    assert_eq!(["a", "gate", "c"].map(|name| lab.runs(name)), [9, 9, 9], "no work was lost and repeated");
    let seen = world.thread(&chain()).await.state().await.unwrap().unwrap().state.seen;
    assert_eq!(seen.len(), 36);
    for number in 1..=3 {
        let rounds: Vec<_> = seen.iter().filter(|seen| seen.starts_with(&format!("{number}."))).collect();
        assert_eq!(rounds, [0, 1, 2].map(|round| format!("{number}.{round}")).iter().collect::<Vec<_>>());
    }
}

pub(crate) async fn a_thread_whose_worker_died_is_taken_over_when_its_lease_has_expired<P: Place>(world: World<P>) {
    let lab = Lab::new();
    lab.set("gate", Mood::Hangs);
    let if_idle = IfIdle::refuse().term(TERM);
    let dying = run_if_idle(&world, &lab, mark("first"), if_idle).await.clock(FakeClock::new());
    let (mut dying, at_gate) = (Box::pin(dying.into_future()), Arc::clone(&lab));
    let until_gate = poll_fn(move |cx| {
        assert!(dying.as_mut().poll(cx).is_pending());
        cx.waker().wake_by_ref();
        if at_gate.runs("gate") == 0 { Poll::Pending } else { Poll::Ready(()) }
    });
    crash_after(usize::MAX, until_gate).await.unwrap();
    lab.mend("gate");

    let clock = FakeClock::auto();
    let next = async |if_idle| {
        let graph = world.keep(&chain()).await.with_clock(clock.clone());
        graph.run_or_resume(mark("second")).resources(Arc::clone(&lab)).thread("t").if_idle(if_idle).await
    };
    let lease = holder(next(IfIdle::refuse()).await);
    assert_eq!(lease.until, lease.since + TERM);
    let done = next(IfIdle::wait(TERM * 2)).await.unwrap();

    assert!(clock.now() >= lease.until);
    let first = if world.stores_at_exit() { "second" } else { "first" };
    assert_eq!(done.state.seen, [first, "a", "gate", "c"]);
}

pub(crate) async fn a_run_renews_its_lease_for_as_long_as_it_works<P: Place>(world: World<P>) {
    let clock = FakeClock::new();
    let sleeper = clock.clone();
    let mut g = Graph::<Trail>::new("long");
    let long = g.node("long", move |_cx| {
        let clock = sleeper.clone();
        async move {
            clock.sleep(TERM * 20).await;
            Ok(mark("long"))
        }
    });
    g.entry(long).edge(long, END);
    let graph = world.keep(&g.compile().unwrap()).await.with_clock(clock.clone()).with_durability(world.durability);
    let graph = graph.with_if_idle(IfIdle::refuse().term(TERM));
    let run = || graph.run(mark("in")).thread("t").into_future();

    let working = tokio::spawn(run());
    for _ in 0..60 {
        clock.until_sleeping(2).await;
        holder(run().await);
        clock.advance(TERM / 3);
        let store = world.place.open().await;
        until(async || store.lease("t").await.unwrap().is_none_or(|lease| lease.until > clock.now() + TERM / 3 * 2))
            .await;
    }

    assert_eq!(working.await.unwrap().unwrap().state.seen, ["in", "long"]);
    assert!(world.place.open().await.lease("t").await.unwrap().is_none());
}

pub(crate) async fn a_run_that_has_lost_its_lease_is_stopped<P: Place>(world: World<P>) {
    let (lab, clock) = (Lab::new(), FakeClock::new());
    lab.set("gate", Mood::Hangs);
    let if_idle = IfIdle::refuse().term(TERM);
    let run = run_if_idle(&world, &lab, mark("first"), if_idle).await.clock(clock.clone());
    let other = async {
        until(async || lab.runs("gate") == 1).await;
        let store = world.place.open().await;
        // A machine whose clock is far ahead takes the lease for expired.
        let ahead = clock.now() + LONG;
        let taken = store.acquire_lease("t", "other", ahead, ahead + TERM).await.unwrap();
        assert!(matches!(taken, LeaseReply::Granted(_)));
        clock.advance(TERM / 3);
    };

    let (run, ()) = futures::future::join(run.into_future(), other).await;

    let error = run.unwrap_err();
    assert!(error.is_thread_conflict() && error.to_string().contains("lease of thread `t`"), "{error}");
    let lease = world.place.open().await.lease("t").await.unwrap().unwrap();
    assert_eq!(*lease.run, *"other", "it leaves the lease of the other alone");
}

pub(crate) async fn a_run_that_was_too_slow_to_claim_its_thread_leaves_it_to_the_next<P: Place>(world: World<P>) {
    let lab = Lab::new();
    let store = Stolen(world.place.open().await);

    let slow = run_if_idle(&world, &lab, mark("slow"), IfIdle::refuse()).await.checkpointer(store).await;

    assert!(slow.unwrap_err().is_thread_conflict());
    assert!(lab.all_runs().is_empty());
    assert!(world.thread(&chain()).await.state().await.unwrap().is_none(), "nothing was written");
    assert_eq!(*world.place.open().await.lease("t").await.unwrap().unwrap().run, *"thief");
}

pub(crate) async fn every_end_of_a_run_releases_the_thread<P: Place>(world: World<P>) {
    let mut g = Graph::<Trail, Lab>::new("ends");
    let ask = g.node("ask", |cx| async move {
        let _: bool = cx.interrupt(Ask::new("go", "on?")).await?;
        Ok(mark("ask").into_command())
    });
    let last = step(&mut g, "last");
    g.entry(ask).edge(ask, last).edge(last, END);
    let graph = world.keep(&g.compile().unwrap()).await.with_durability(world.durability);
    let graph = graph.with_if_idle(IfIdle::refuse());
    let lab = Lab::new();
    let resume = || graph.resume().resources(Arc::clone(&lab)).thread("t");

    // Each of these would be refused if the one before had not released the thread.
    let error = resume().await.unwrap_err();
    assert!(matches!(error.find(), Some(ThreadError::Empty { .. })), "{error}");
    let asked = graph.run(mark("in")).resources(Arc::clone(&lab)).thread("t").await.unwrap();
    assert_eq!(asked.questions().len(), 1);
    assert!(resume().answer_to("nonsense", 1).await.unwrap_err().to_string().contains("nonsense"));
    lab.set("last", Mood::Fails);
    assert_eq!(resume().answer(true).await.unwrap_err().failures().len(), 1);
    lab.set("last", Mood::Panics);
    assert_eq!(resume().await.unwrap_err().failures().len(), 1);
    lab.set("last", Mood::Hangs);
    let runs = lab.runs("last");
    let hanging = resume().into_future();
    let cut = async { until(async || lab.runs("last") > runs).await };
    drop(futures::future::select(hanging, Box::pin(cut)).await);
    lab.mend("last");
    // A run that was dropped releases it in the background.
    let done = resume().if_idle(IfIdle::wait(LONG)).await.unwrap();

    assert_eq!(done.state.seen, ["in", "ask", "last"]);
    assert!(world.place.open().await.lease("t").await.unwrap().is_none());
}

pub(crate) async fn a_run_without_the_option_takes_the_thread_over<P: Place>(world: World<P>) {
    let (lab, other) = (Lab::new(), Lab::new());

    let (first, second) = meanwhile(&world, &lab, async || world.run(&chain(), &other, mark("second")).await).await;

    assert!(first.unwrap_err().is_thread_conflict());
    assert_eq!(second.unwrap().state.seen.last().unwrap(), "c");
    assert!(world.place.open().await.lease("t").await.unwrap().is_none());
}

/// A store whose first claim under a lease comes too late: another run has just taken the lease.
#[derive(Debug)]
struct Stolen<C>(C);

impl<C: Checkpointer> Checkpointer for Stolen<C> {
    async fn claim_if(&self, key: &ThreadKey, seen: &Seen) -> Result<Option<u64>, StoreError> {
        let ahead = SystemTime::now() + LONG;
        self.0.acquire_lease(&key.thread, "thief", ahead, ahead + LONG).await?;
        self.0.claim_if(key, seen).await
    }
    async fn claim(&self, key: &ThreadKey, at: Option<CheckpointId>) -> Result<Claim, StoreError> {
        self.0.claim(key, at).await
    }
    async fn put(&self, key: &ThreadKey, epoch: u64, batch: Batch) -> Result<(), StoreError> {
        self.0.put(key, epoch, batch).await
    }
    async fn read(&self, key: &ThreadKey, at: Option<CheckpointId>) -> Result<Option<Loaded>, StoreError> {
        self.0.read(key, at).await
    }
    async fn list(&self, key: &ThreadKey, query: &Query) -> Result<Vec<Header>, StoreError> {
        self.0.list(key, query).await
    }
    async fn threads(&self, after: Option<&str>, limit: usize) -> Result<Vec<String>, StoreError> {
        self.0.threads(after, limit).await
    }
    async fn namespaces(&self, thread: &str) -> Result<Vec<String>, StoreError> {
        self.0.namespaces(thread).await
    }
    async fn delete_thread(&self, thread: &str) -> Result<(), StoreError> {
        self.0.delete_thread(thread).await
    }
    async fn delete_run(&self, thread: &str, run: &str) -> Result<u64, StoreError> {
        self.0.delete_run(thread, run).await
    }
    async fn copy_thread(&self, from: &str, to: &str) -> Result<(), StoreError> {
        self.0.copy_thread(from, to).await
    }
    async fn prune(&self, thread: &str, prune: &Prune) -> Result<u64, StoreError> {
        self.0.prune(thread, prune).await
    }
    async fn acquire_lease(
        &self,
        thread: &str,
        run: &str,
        now: SystemTime,
        until: SystemTime,
    ) -> Result<LeaseReply, StoreError> {
        self.0.acquire_lease(thread, run, now, until).await
    }
    async fn renew_lease(&self, thread: &str, token: u64, until: SystemTime) -> Result<bool, StoreError> {
        self.0.renew_lease(thread, token, until).await
    }
    async fn release_lease(&self, thread: &str, token: u64) -> Result<(), StoreError> {
        self.0.release_lease(thread, token).await
    }
    async fn lease(&self, thread: &str) -> Result<Option<Lease>, StoreError> {
        self.0.lease(thread).await
    }
}
