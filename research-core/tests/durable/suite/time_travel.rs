//! The history of a thread: what it holds, and going back in it.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use research_core::checkpoint::{Origin, Prune, Query};
use research_core::testing::FakeClock;
use research_core::{
    CheckpointId, Clock, CompiledGraph, Durability, END, ErrorKind, EventKind, Graph, IdSource, StoreErrorKind,
    ThreadError,
};

use super::lab::{EVERYTHING, Lab, Mood, Place, Trail, World, collect, mark, step};

/// `a` and `b` in a chain; `b` is followed by `more` while the state says so.
fn two() -> CompiledGraph<Trail, Lab> {
    let mut g = Graph::<Trail, Lab>::new("two");
    let [a, b, more] = ["a", "b", "more"].map(|name| step(&mut g, name));
    g.entry(a).edge(a, b).route(b, move |s: &Trail| if s.value > 0 { more } else { END }).edge(more, END);
    g.compile().unwrap()
}

/// Always the same id.
#[derive(Debug)]
struct Fixed(&'static str);

impl IdSource for Fixed {
    fn run_id(&self) -> String {
        self.0.to_string()
    }
}

/// The world with a history of every step, whatever the durability of the test: that is how the runs after it go.
async fn with_history<P: Place>(world: &World<P>, graph: &CompiledGraph<Trail, Lab>) {
    let graph = world.keep(graph).await;
    graph.run(Trail::update()).resources(Lab::default()).thread("t").durability(Durability::Sync).await.unwrap();
}

/// Number, parent, origin, step, what ran and what is next.
type Row = (u64, Option<u64>, Origin, u64, String, String);

pub(crate) async fn the_layout_of_a_run_of_two_nodes<P: Place>(world: World<P>) {
    let graph = world.keep(&two()).await;
    let clock = FakeClock::new();
    clock.advance(Duration::from_millis(5_007));
    let run = graph.run(Trail::update().word("in")).resources(Lab::default()).thread("t").durability(world.durability);
    let done = run.ids(Fixed("run 1")).clock(clock.clone()).metadata("user", "ada").await.unwrap();
    let history = graph.thread("t").history().await.unwrap();
    let layout: Vec<_> = history
        .moments()
        .iter()
        .map(|moment| {
            assert_eq!((&*moment.run_id, moment.at), ("run 1", clock.now()));
            assert_eq!(moment.metadata["user"], "ada");
            let parent = moment.parent.map(|parent| parent.0);
            (moment.checkpoint.0, parent, moment.origin, moment.step, moment.ran.join(" "), moment.next.join(" "))
        })
        .collect();
    let row = |id, parent, origin, step, ran: &str, next: &str| (id, parent, origin, step, ran.into(), next.into());
    let expected: &[Row] = match world.durability {
        Durability::Exit => &[row(1, None, Origin::Step, 2, "b", "")],
        _ => &[
            row(3, Some(2), Origin::Step, 2, "b", ""),
            row(2, Some(1), Origin::Step, 1, "a", "b"),
            row(1, None, Origin::Input, 0, "", "a"),
        ],
    };
    assert_eq!(layout, expected);
    assert_eq!(done.checkpoint, Some(CheckpointId(expected[0].0)));
    if !world.stores_at_exit() {
        let text = "     3  from 2      step 2    ran b; complete\n     2  from 1      step 1    ran a; next b\n     \
                    1              input     next a\n";
        assert_eq!(history.to_string(), text);
    }
}

pub(crate) async fn the_state_at_a_checkpoint_is_that_of_the_values_event<P: Place>(world: World<P>) {
    let graph = world.keep(&two()).await;
    let run = graph.run(Trail::update().value(1)).resources(Lab::default()).thread("t").durability(world.durability);
    let (events, done) = collect(run.stream_modes(EVERYTHING)).await;
    let done = done.unwrap();
    let mut values: Vec<Trail> = events
        .iter()
        .filter_map(|event| match &event.kind {
            EventKind::Values(state) => Some((**state).clone()),
            _ => None,
        })
        .collect();
    let announced: Vec<CheckpointId> = events
        .iter()
        .filter_map(|event| match event.kind {
            EventKind::Checkpoint { id, .. } => Some(id),
            _ => None,
        })
        .collect();
    let thread = graph.thread("t");
    let moments = thread.history().await.unwrap();
    let stored: Vec<CheckpointId> = moments.moments().iter().rev().map(|moment| moment.checkpoint).collect();
    assert_eq!(announced, stored);
    if world.stores_at_exit() {
        values.drain(..3);
    }
    assert_eq!(values.len(), stored.len());
    for (id, state) in stored.iter().zip(&values) {
        assert_eq!(thread.state_at(*id).await.unwrap().state, *state);
    }
    assert_eq!(thread.state().await.unwrap().unwrap().state, done.state);
}

pub(crate) async fn a_run_is_replayed_from_each_checkpoint_and_the_old_branch_stays<P: Place>(world: World<P>) {
    let graph = two();
    with_history(&world, &graph).await;
    let kept = world.keep(&graph).await;
    for (id, again) in [(1, ["a", "b"].as_slice()), (2, &["b"]), (3, &[])] {
        let lab = Lab::new();
        let run = kept.resume().resources(Arc::clone(&lab)).thread("t").durability(world.durability);
        let done = run.from_checkpoint(CheckpointId(id)).await.unwrap();
        assert_eq!(done.state.seen, ["a", "b"]);
        assert_eq!(lab.all_runs().keys().collect::<Vec<_>>(), again);
        let now = kept.thread("t").state().await.unwrap().unwrap();
        assert_eq!((now.state, Some(now.checkpoint)), (done.state, done.checkpoint));
        for (old, seen) in [(1, 0), (2, 1), (3, 2)] {
            let old = kept.thread("t").state_at(CheckpointId(old)).await.unwrap();
            assert_eq!(old.state.seen.len(), seen);
        }
    }
    let forks = kept.thread("t").history_of(&Query::all().origin(Origin::Fork)).await.unwrap();
    let parents: Vec<_> = forks.moments().iter().rev().map(|moment| moment.parent.unwrap().0).collect();
    assert_eq!(parents, [1, 2, 3]);
}

pub(crate) async fn branches_are_independent<P: Place>(world: World<P>) {
    let graph = two();
    with_history(&world, &graph).await;
    let kept = world.keep(&graph).await;
    let mut ends = Vec::new();
    for word in ["left", "right"] {
        kept.thread("t")
            .update(Trail::update().word(word))
            .as_node("a")
            .from_checkpoint(CheckpointId(1))
            .await
            .unwrap();
        let done = world.resume(&graph, &Lab::new()).await.unwrap();
        assert_eq!((done.state.seen, &*done.state.word), (vec!["b".to_string()], word));
        ends.push(done.checkpoint.unwrap());
    }
    for (end, word) in ends.into_iter().zip(["left", "right"]) {
        let branch = kept.thread("t").state_at(end).await.unwrap();
        assert_eq!((branch.is_complete(), branch.state.word), (true, word.to_string()));
    }
    assert_eq!(kept.thread("t").state_at(CheckpointId(3)).await.unwrap().state.word, "");
}

pub(crate) async fn questions_are_asked_again_on_a_fork<P: Place>(world: World<P>) {
    let mut g = Graph::<Trail, Lab>::new("asks");
    let before = step(&mut g, "before");
    let asks = g.node("ask", |cx| async move {
        let answer: String = cx.interrupt(("it", "?")).await?;
        Ok(mark(answer))
    });
    let ok = step(&mut g, "ok");
    g.entry(before).edge(before, asks).edge(before, ok).edge(asks, END).edge(ok, END);
    let (graph, lab) = (g.compile().unwrap(), Lab::new());
    let first = world.run(&graph, &lab, Trail::update()).await.unwrap();
    let at = first.checkpoint.unwrap();
    world.answer(&graph, &lab, "one").await.unwrap();
    let kept = world.keep(&graph).await;
    let run = kept.resume().resources(Arc::clone(&lab)).thread("t").durability(world.durability);
    let again = run.from_checkpoint(at).await.unwrap();
    assert_eq!(again.questions().len(), 1);
    assert_eq!(lab.runs("ok"), 2, "a fork runs its tasks again");
    let done = world.answer(&graph, &lab, "two").await.unwrap();
    assert_eq!(done.state.seen, ["before", "two", "ok"]);
    // A fork that runs nothing yet asks too.
    kept.thread("t").fork(at).await.unwrap();
    assert!(kept.thread("t").state().await.unwrap().unwrap().questions.is_empty());
    assert_eq!(world.resume(&graph, &lab).await.unwrap().questions().len(), 1);
}

pub(crate) async fn an_input_starts_from_an_older_checkpoint<P: Place>(world: World<P>) {
    let graph = two();
    with_history(&world, &graph).await;
    let kept = world.keep(&graph).await;
    let run = kept.run(Trail::update().value(1)).resources(Lab::default()).thread("t").durability(world.durability);
    let done = run.from_checkpoint(CheckpointId(2)).await.unwrap();
    assert_eq!(done.state.seen, ["a", "a", "b", "more"]);
    assert_eq!(kept.thread("t").state_at(CheckpointId(3)).await.unwrap().state.seen, ["a", "b"]);
    assert_eq!(kept.thread("t").state().await.unwrap().unwrap().state, done.state);
}

pub(crate) async fn a_checkpoint_that_is_not_there_is_a_typed_error<P: Place>(world: World<P>) {
    let graph = two();
    with_history(&world, &graph).await;
    let kept = world.keep(&graph).await;
    let missing = |error: research_core::RunError| {
        assert!(matches!(error.kind(), ErrorKind::Thread(ThreadError::NoCheckpoint { checkpoint, .. })
            if *checkpoint == CheckpointId(9)));
    };
    missing(kept.thread("t").state_at(CheckpointId(9)).await.unwrap_err());
    missing(kept.thread("t").fork(CheckpointId(9)).await.unwrap_err());
    let run = kept.resume().resources(Lab::default()).thread("t").durability(world.durability);
    missing(run.from_checkpoint(CheckpointId(9)).await.unwrap_err());
    let update = kept.thread("t").update(Trail::update()).as_node("a").from_checkpoint(CheckpointId(9));
    missing(update.await.unwrap_err());
}

pub(crate) async fn a_copy_and_its_original_go_on_each_by_itself<P: Place>(world: World<P>) {
    let (graph, lab) = (two(), Lab::new());
    lab.set("b", Mood::Fails);
    world.run(&graph, &lab, Trail::update()).await.unwrap_err();
    lab.mend("b");
    let kept = world.keep(&graph).await;
    kept.thread("t").copy_to("copy").await.unwrap();
    let go = async |thread: &'static str| {
        let run = kept.resume().resources(Arc::clone(&lab)).thread(thread).durability(world.durability);
        run.await.unwrap().state.seen
    };
    kept.thread("copy").update(mark("edit")).as_node("a").await.unwrap();
    assert_eq!(go("copy").await, ["a", "edit", "b"]);
    assert_eq!(kept.thread("t").state().await.unwrap().unwrap().state.seen, ["a"]);
    assert_eq!(go("t").await, ["a", "b"]);
    let exists = kept.thread("t").copy_to("copy").await.unwrap_err();
    assert!(matches!(exists.kind(), ErrorKind::Store(error) if error.kind() == StoreErrorKind::AlreadyExists));
}

pub(crate) async fn a_copy_takes_recorded_siblings_along<P: Place>(world: World<P>) {
    let mut g = Graph::<Trail, Lab>::new("pair");
    let [bad, ok] = ["bad", "ok"].map(|name| step(&mut g, name));
    g.entry(bad).entry(ok).edge(bad, END).edge(ok, END);
    let (graph, lab) = (g.compile().unwrap(), Lab::new());
    lab.set("bad", Mood::Fails);
    world.run(&graph, &lab, Trail::update()).await.unwrap_err();
    lab.mend("bad");
    let kept = world.keep(&graph).await;
    kept.thread("t").copy_to("copy").await.unwrap();
    kept.thread("t").delete().await.unwrap();
    let run = kept.resume().resources(Arc::clone(&lab)).thread("copy").durability(world.durability);
    assert_eq!(run.await.unwrap().state.seen, ["bad", "ok"]);
    assert_eq!(lab.runs("ok"), 1);
}

pub(crate) async fn a_deleted_thread_is_new_again<P: Place>(world: World<P>) {
    let graph = two();
    with_history(&world, &graph).await;
    let thread = world.thread(&graph).await;
    thread.delete().await.unwrap();
    assert!(thread.state().await.unwrap().is_none());
    assert!(thread.history().await.unwrap().moments().is_empty());
    assert_eq!(world.run(&graph, &Lab::new(), Trail::update()).await.unwrap().state.seen, ["a", "b"]);
}

pub(crate) async fn a_deleted_run_leaves_what_was_before_it<P: Place>(world: World<P>) {
    let graph = two();
    with_history(&world, &graph).await;
    let second = world.run(&graph, &Lab::new(), mark("second")).await.unwrap();
    let thread = world.thread(&graph).await;
    let gone = thread.delete_run(&second.run_id).await.unwrap();
    assert_eq!(gone, if world.stores_at_exit() { 1 } else { 3 });
    let now = thread.state().await.unwrap().unwrap();
    assert_eq!((now.state.seen, now.checkpoint), (["a", "b"].map(String::from).to_vec(), CheckpointId(3)));
    let third = world.run(&graph, &Lab::new(), mark("third")).await.unwrap();
    assert_eq!(third.state.seen, ["a", "b", "third", "a", "b"]);
}

pub(crate) async fn a_pruned_thread_goes_on<P: Place>(world: World<P>) {
    let (graph, lab) = (two(), Lab::new());
    with_history(&world, &graph).await;
    lab.set("b", Mood::Fails);
    world.run(&graph, &lab, mark("second")).await.unwrap_err();
    lab.mend("b");
    let thread = world.thread(&graph).await;
    let before = thread.state().await.unwrap().unwrap();
    thread.prune(&Prune::keep_last(1)).await.unwrap();
    assert_eq!(thread.history().await.unwrap().moments().len(), 1);
    let after = thread.state().await.unwrap().unwrap();
    assert_eq!((after.state, after.next), (before.state, before.next));
    let done = world.resume(&graph, &lab).await.unwrap();
    assert_eq!(done.state.seen, ["a", "b", "second", "a", "b"]);
    assert_eq!(thread.state().await.unwrap().unwrap().state, done.state);
    let old = Prune::keep_last(1).older_than(Duration::from_secs(3_600), SystemTime::now());
    assert_eq!(thread.prune(&old).await.unwrap(), 0, "nothing is that old");
}

pub(crate) async fn visits_count_what_ran<P: Place>(world: World<P>) {
    let mut g = Graph::<Trail, Lab>::new("loop");
    let a = step(&mut g, "a");
    g.entry(a).route(a, move |s: &Trail| if s.sum < 3 { a } else { END });
    let graph = g.compile().unwrap();
    world.run(&graph, &Lab::new(), Trail::update()).await.unwrap();
    let drawn = graph.to_mermaid_with(&world.thread(&graph).await.visits().await.unwrap());
    let count = if world.stores_at_exit() { "×1" } else { "×3" };
    assert!(drawn.contains(count), "{drawn}");
}

pub(crate) async fn updates_and_forks_take_the_clock_and_the_ids_of_the_graph<P: Place>(world: World<P>) {
    #[derive(Debug)]
    struct Counted(std::sync::atomic::AtomicU32);

    impl research_core::IdSource for Counted {
        fn run_id(&self) -> String {
            format!("id-{}", self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed))
        }
    }
    let clock = research_core::testing::FakeClock::new();
    let graph = world.keep(&super::lab::chain()).await.with_clock(clock.clone()).with_ids(Counted(0.into()));
    graph.run(Trail::update()).resources(Lab::new()).thread("t").durability(world.durability).await.unwrap();
    let thread = graph.thread("t");
    let hour = std::time::Duration::from_secs(3_600);
    clock.advance(hour);
    let updated = thread.update(mark("edit")).as_node("a").await.unwrap();
    clock.advance(hour);
    let forked = thread.fork(updated).await.unwrap();
    for (id, hours, run) in [(updated, 1, "id-1"), (forked, 2, "id-2")] {
        let now = thread.state_at(id).await.unwrap();
        assert_eq!((now.at, &*now.run_id), (std::time::SystemTime::UNIX_EPOCH + hours * hour, run));
    }
}
