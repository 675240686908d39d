//! What subgraphs remember over all calls: it belongs to the checkpoints of their parents.

use std::sync::Arc;

use research_core::checkpoint::{Batch, CheckpointId, CheckpointRecord, Checkpointer, Prune, Query, ThreadKey};
use research_core::testing::crash_after;
use research_core::{
    Ask, CompiledGraph, Cx, END, ErrorKind, Graph, Migration, OnChange, Persist, Subgraph, ThreadError,
};
use serde_json::json;

use super::lab::{Lab, Mood, Place, Trail, World, late, mark, step};

/// A child that works, `x`, and counts its calls, `y`.
fn counting(name: &str) -> CompiledGraph<Trail, Lab> {
    let mut g = Graph::<Trail, Lab>::new("counting");
    let x = g.node("x", |cx: Cx<Trail, Lab>| async move {
        late(1).await;
        cx.resources.work("x").await?;
        Ok(())
    });
    let y = step(&mut g, name);
    g.entry(x).edge(x, y).edge(y, END);
    g.compile().unwrap()
}

/// Gives the parent the count of the child's calls.
fn count() -> Subgraph<Trail, Trail> {
    Subgraph::mapped(|_: &Trail| Trail::update(), |child: Trail| Trail::update().seen([child.sum.to_string()]))
}

/// `a`, the child in the node `name`, `z`.
fn parent(name: &str, child: &CompiledGraph<Trail, Lab>, link: Subgraph<Trail, Trail>) -> CompiledGraph<Trail, Lab> {
    let mut g = Graph::<Trail, Lab>::new("parent");
    let [a, z] = ["a", "z"].map(|name| {
        g.node(name, |cx: Cx<Trail, Lab>| async move {
            cx.resources.work(cx.node()).await?;
            Ok(Trail::update().word(cx.node()))
        })
    });
    let child = g.subgraph(name, child, link);
    g.entry(a).edge(a, child).edge(child, z).edge(z, END);
    g.compile().unwrap()
}

fn remembering() -> CompiledGraph<Trail, Lab> {
    parent("child", &counting("y"), count().per_thread())
}

/// Two levels of memory: the child of the child counts.
fn nested() -> CompiledGraph<Trail, Lab> {
    let through = Subgraph::mapped(
        |_: &Trail| Trail::update(),
        |child: Trail| Trail::update().seen([child.seen.last().cloned().unwrap_or_default()]),
    );
    parent("outer", &remembering(), through.per_thread())
}

/// The counts `1`, `2` and so on: what a branch has seen when each of its calls counted from the one before it.
fn counts(upto: usize) -> Vec<String> {
    (1..=upto).map(|count| count.to_string()).collect()
}

pub(crate) async fn a_fork_of_the_parent_begins_with_what_its_child_remembered_there<P: Place>(world: World<P>) {
    for graph in [remembering(), nested()] {
        let (world, lab) = (world.again(), Lab::new());
        let mut ends = Vec::new();
        for _ in 0..3 {
            ends.push(world.run(&graph, &lab, Trail::update()).await.unwrap().checkpoint.unwrap());
        }
        let kept = world.keep(&graph).await;
        for (place, end) in ends.iter().enumerate() {
            // By a fork in the run, and by one that was made before.
            let run = kept.run(Trail::update()).from_checkpoint(*end).resources(Arc::clone(&lab)).thread("t");
            assert_eq!(run.durability(world.durability).await.unwrap().state.seen, counts(place + 2));
            kept.thread("t").fork(*end).await.unwrap();
            assert_eq!(world.run(&graph, &lab, Trail::update()).await.unwrap().state.seen, counts(place + 2));
        }
    }
}

/// Numbers that look random and are the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % sides as u64).unwrap()
    }
}

pub(crate) async fn what_a_child_remembers_follows_the_branch_whatever_happens<P: Place>(world: World<P>) {
    for seed in 1..=P::SEEDS {
        let graph = if seed % 2 == 0 { remembering() } else { nested() };
        let (world, lab, mut dice) = (world.again(), Lab::new(), Dice(seed * 0x9e37_79b9));
        let kept = world.keep(&graph).await;
        let run =
            || kept.run_or_resume(Trail::update()).resources(Arc::clone(&lab)).thread("t").durability(world.durability);
        run().await.unwrap();
        for round in 0..12 {
            let history = kept.thread("t").history().await.unwrap();
            let any = history.moments()[dice.roll(history.moments().len())].checkpoint;
            match dice.roll(6) {
                0 => drop(kept.thread("t").fork(any).await.unwrap()),
                1 => {
                    let run = kept.run(Trail::update()).resources(Arc::clone(&lab)).thread("t").from_checkpoint(any);
                    run.durability(world.durability).await.unwrap();
                }
                2 => {
                    lab.set("y", Mood::Fails);
                    let input = kept.run(Trail::update()).resources(Arc::clone(&lab)).thread("t");
                    input.durability(world.durability).await.unwrap_err();
                    lab.mend("y");
                }
                3 => {
                    let input = kept.run(Trail::update()).resources(Arc::clone(&lab)).thread("t");
                    let polls = dice.roll(8) + 1;
                    drop(crash_after(polls, input.durability(world.durability).into_future()).await);
                }
                4 => drop(kept.thread("t").prune(&Prune::keep_last(1 + dice.roll(3))).await.unwrap()),
                _ => {
                    let input = kept.run(Trail::update()).resources(Arc::clone(&lab)).thread("t");
                    input.durability(world.durability).await.unwrap();
                }
            }
            if dice.roll(2) == 0 {
                run().await.unwrap();
            }
            let now = kept.thread("t").state().await.unwrap().unwrap();
            assert_eq!(now.state.seen, counts(now.state.seen.len()), "seed {seed}, round {round}");
        }
        run().await.unwrap();
        let done = kept.run(Trail::update()).resources(Arc::clone(&lab)).thread("t").await.unwrap();
        assert_eq!(done.state.seen, counts(done.state.seen.len()), "seed {seed}");
        assert!(!done.state.seen.is_empty());
    }
}

pub(crate) async fn a_lost_run_leaves_no_trace_in_what_a_child_remembers<P: Place>(world: World<P>) {
    for polls in 1.. {
        let (world, lab) = (world.again(), Lab::new());
        let graph = remembering();
        world.run(&graph, &lab, Trail::update()).await.unwrap();
        let kept = world.keep(&graph).await;
        let lost = kept.run(Trail::update()).resources(Arc::clone(&lab)).thread("t").durability(world.durability);
        let was_over = crash_after(polls, lost.into_future()).await.is_some();
        // Another input: the run that was lost does not go on.
        let done = world.run(&graph, &lab, Trail::update()).await.unwrap();
        assert_eq!(done.state.seen, counts(done.state.seen.len()), "after {polls} polls");
        if was_over {
            break;
        }
    }
}

pub(crate) async fn an_edit_of_what_a_child_remembers_counts_in_the_next_call<P: Place>(world: World<P>) {
    let (graph, lab) = (remembering(), Lab::new());
    let first = world.run(&graph, &lab, Trail::update()).await.unwrap().checkpoint.unwrap();
    let memories = world.thread(&graph).await.state().await.unwrap().unwrap().memories;
    let memory = &memories["child"];
    let child = world.thread(&counting("y")).await.namespace(&*memory.namespace);
    assert_eq!(child.state_at(memory.checkpoint).await.unwrap().state.sum, 1);
    child.update(Trail::update().sum(10)).as_node("y").await.unwrap();
    child.update(Trail::update().sum(10)).as_node("y").await.unwrap();
    assert_eq!(world.run(&graph, &lab, Trail::update()).await.unwrap().state.seen, ["1", "22"]);
    // The edit was one of what the first run left: a fork from there has it too.
    let kept = world.keep(&graph).await;
    let fork = kept.run(Trail::update()).from_checkpoint(first).resources(Arc::clone(&lab)).thread("t");
    assert_eq!(fork.durability(world.durability).await.unwrap().state.seen, ["1", "22"]);
}

fn renaming(from: &'static str, to: &'static str) -> OnChange {
    OnChange::Migrate(Migration::new(move |thread| {
        thread.rename_node(from, to);
        Ok(())
    }))
}

pub(crate) async fn a_renamed_node_takes_along_what_its_child_remembers<P: Place>(world: World<P>) {
    let lab = Lab::new();
    world.run(&remembering(), &lab, Trail::update()).await.unwrap();
    let renamed = parent("kid", &counting("y"), count().per_thread());
    for round in 2..4 {
        let kept = world.keep(&renamed).await.on_change(renaming("child", "kid"));
        let run = kept.run(Trail::update()).resources(Arc::clone(&lab)).thread("t").durability(world.durability);
        assert_eq!(run.await.unwrap().state.seen, counts(round));
    }
}

/// A child that works, and asks.
fn asking() -> CompiledGraph<Trail, Lab> {
    let mut g = Graph::<Trail, Lab>::new("asking");
    let x = step(&mut g, "x");
    let ask = g.node("ask", |cx: Cx<Trail, Lab>| async move {
        let answer: String = cx.interrupt(Ask::new("it", json!({}))).await?;
        Ok(mark(answer))
    });
    g.entry(x).edge(x, ask).edge(ask, END);
    g.compile().unwrap()
}

fn seen() -> Subgraph<Trail, Trail> {
    Subgraph::mapped(|_: &Trail| Trail::update(), |child: Trail| Trail::update().seen(child.seen))
}

pub(crate) async fn a_renamed_node_goes_on_with_the_call_that_it_began<P: Place>(world: World<P>) {
    for keep in [Subgraph::per_call as fn(Subgraph<Trail, Trail>) -> _, Subgraph::per_thread] {
        for is_asked in [true, false] {
            let (world, lab) = (world.again(), Lab::new());
            let child = || if is_asked { asking() } else { counting("y") };
            lab.set("y", Mood::Fails);
            let ended = world.run(&parent("child", &child(), keep(seen())), &lab, Trail::update()).await;
            assert_eq!(ended.is_ok(), is_asked);
            lab.mend("y");
            let kept = world.keep(&parent("kid", &child(), keep(seen()))).await.on_change(renaming("child", "kid"));
            let run = kept.resume().resources(Arc::clone(&lab)).thread("t").durability(world.durability);
            let run = if is_asked { run.answer("yes") } else { run };
            let done = run.await.unwrap();
            let expected: &[&str] = if is_asked { &["x", "yes"] } else { &["y"] };
            assert_eq!(
                (done.is_complete(), &*done.state.seen),
                (true, &*expected.iter().map(ToString::to_string).collect::<Vec<_>>())
            );
            assert_eq!(lab.runs("x"), 1, "what the child had done is not done again");
        }
    }
}

pub(crate) async fn a_removed_child_that_remembers_is_refused_and_can_be_forgotten<P: Place>(world: World<P>) {
    let lab = Lab::new();
    world.run(&remembering(), &lab, Trail::update()).await.unwrap();
    let renamed = parent("kid", &counting("y"), count().per_thread());
    let error = world.run(&renamed, &lab, Trail::update()).await.unwrap_err();
    let ErrorKind::Thread(ThreadError::Changed { misfits, .. }) = error.kind() else { panic!("{error}") };
    assert_eq!(misfits, &["the subgraph of the node `child` remembers something and does not exist any more"]);
    let forget = Migration::new(|thread| {
        assert_eq!(thread.memories().collect::<Vec<_>>(), ["child"]);
        thread.forget_memory("child");
        Ok(())
    });
    let kept = world.keep(&renamed).await.on_change(OnChange::Migrate(forget));
    let run = kept.run(Trail::update()).resources(Arc::clone(&lab)).thread("t").durability(world.durability);
    assert_eq!(run.await.unwrap().state.seen, ["1", "1"]);
}

pub(crate) async fn nodes_whose_names_look_like_paths_remember_apart<P: Place>(world: World<P>) {
    // The node `a/b`, and the node `b` in the subgraph `a`; calls at a place, and a node that is called like one.
    let inner = parent("b", &counting("y"), count().per_thread());
    let link = || {
        Subgraph::mapped(
            |_: &Trail| Trail::update(),
            |child: Trail| Trail::update().seen([child.seen.last().cloned().unwrap_or_default()]),
        )
    };
    let mut g = Graph::<Trail, Lab>::new("paths");
    let nodes = [
        g.subgraph("a", &inner, link().per_thread()),
        g.subgraph("a/b", &counting("y"), count().per_thread()),
        g.subgraph("c:1.1.0", &counting("y"), count().per_thread()),
        g.subgraph("c%3A1.1.0", &counting("y"), count().per_thread()),
        g.subgraph("c", &counting("y"), count().per_call()),
        g.subgraph("d#1.0:x", &counting("y"), count().per_thread()),
    ];
    for node in nodes {
        g.entry(node).edge(node, END);
    }
    let (graph, lab) = (g.compile().unwrap(), Lab::new());
    for round in 1..4 {
        let done = world.run(&graph, &lab, Trail::update()).await.unwrap();
        let mut now = done.state.seen[6 * (round - 1)..].to_vec();
        now.sort_unstable();
        let mut expected = vec![round.to_string(); 5];
        expected.insert(0, "1".to_string());
        assert_eq!(now, expected);
    }
}

pub(crate) async fn pruning_removes_finished_calls_and_keeps_what_is_remembered_and_asked<P: Place>(world: World<P>) {
    let mut g = Graph::<Trail, Lab>::new("calls");
    let inner = parent("deep", &counting("y"), count().per_call());
    let call = g.subgraph("call", &inner, seen().per_call());
    let child = g.subgraph("child", &counting("y"), count().per_thread());
    let last = g.subgraph("last", &asking(), seen().per_call());
    g.entry(call).edge(call, child).edge(child, last).edge(last, END);
    let (graph, lab) = (g.compile().unwrap(), Lab::new());
    for round in 1..=6_u64 {
        let asked = world.run(&graph, &lab, Trail::update()).await.unwrap();
        let thread = world.thread(&graph).await;
        assert!(thread.namespaces().await.unwrap().len() >= 4, "before pruning the calls are there");
        thread.prune(&Prune::keep_last(1).keep_interrupted(false)).await.unwrap();
        let namespaces = thread.namespaces().await.unwrap();
        let [root, child, last] = namespaces.as_slice() else { panic!("{namespaces:?}") };
        assert_eq!((&**root, &**child, last.split(':').next()), ("", "child", Some("last")));
        assert_eq!(asked.questions()[0].namespace, *last);
        let done = world.answer(&graph, &lab, "yes").await.unwrap();
        assert_eq!(
            done.state.seen[done.state.seen.len() - 3..],
            [round.to_string(), "x".to_string(), "yes".to_string()]
        );
    }
    let thread = world.thread(&graph).await;
    thread.prune(&Prune::keep_last(1)).await.unwrap();
    assert_eq!(thread.namespaces().await.unwrap(), ["", "child"]);
    assert_eq!(thread.history().await.unwrap().moments().len(), 1);
    assert!(thread.state_at(CheckpointId(1)).await.is_err());
}

/// How much is kept of a task.
type Keep = fn(Subgraph<Trail, Trail, u32>) -> Subgraph<Trail, Trail, u32>;

/// One of the things that a host sets on a graph.
type Setting = fn(CompiledGraph<Trail, Lab>) -> CompiledGraph<Trail, Lab>;

/// Every order of some things.
fn orders<T: Clone>(all: &[T]) -> Vec<Vec<T>> {
    let Some((first, rest)) = all.split_first() else { return vec![Vec::new()] };
    let orders = orders(rest);
    let with_first = |order: &Vec<T>, place: usize| {
        let mut order = order.clone();
        order.insert(place, first.clone());
        order
    };
    orders.iter().flat_map(|order| (0..=order.len()).map(|place| with_first(order, place))).collect()
}

pub(crate) async fn nothing_that_is_set_on_a_graph_is_forgotten_in_any_order<P: Place>(world: World<P>) {
    let store = world.place.open().await;
    let asking = asking();
    let before = parent("child", &asking, seen());
    world.run(&before, &Lab::new(), Trail::update()).await.unwrap();
    let settings: [(&str, Setting); 4] = [
        ("on_change", |graph| graph.on_change(OnChange::Refuse)),
        ("step limit", |graph| graph.with_step_limit(1)),
        ("breakpoint", |graph| graph.with_interrupt_before("z")),
        ("cache", |graph| graph.with_cache(research_core::MemoryCache::default())),
    ];
    for order in orders(&[Some(0), Some(1), Some(2), Some(3), None]) {
        // `None` attaches the store.
        let set = |graph: CompiledGraph<Trail, Lab>| {
            order.iter().fold(graph, |graph, one| match one {
                Some(index) => settings[*index].1(graph),
                None => graph.with_checkpointer(store.clone()),
            })
        };
        let run = |graph: &CompiledGraph<Trail, Lab>, thread: &str| {
            graph.run(Trail::update()).resources(Lab::default()).thread(thread.to_string())
        };
        let changed = set(parent("other", &asking, seen()));
        let error = run(&changed, "t").await.unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Thread(ThreadError::Changed { .. })), "{order:?}: {error}");
        let fresh = set(parent("child", &counting("y"), seen()));
        let error = run(&fresh, &format!("{order:?}")).await.unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::StepLimit { limit: 1, .. }), "{order:?}: {error}");
        let paused = run(&fresh, &format!("{order:?} again")).step_limit(10).await.unwrap();
        assert!(matches!(paused.end, research_core::End::Paused { .. }), "{order:?}: {:?}", paused.end);
    }
}

pub(crate) async fn a_memory_for_the_thread_is_refused_wherever_tasks_could_share_it<P: Place>(world: World<P>) {
    let keeps: [(bool, Keep); 4] =
        [(false, |link| link), (false, Subgraph::stateless), (false, Subgraph::per_call), (true, Subgraph::per_thread)];
    for (is_refused, keep) in keeps {
        for waits in [false, true] {
            let child = if waits { asking() } else { counting("y") };
            let link =
                Subgraph::mapped_with(|_: &Trail, _: u32| Trail::update(), |child: Trail| mark(child.seen.join(" ")));
            let mut g = Graph::<Trail, Lab>::new("wide");
            let task = g.subgraph_task("child", &child, keep(link));
            g.entry_route(move |_: &Trail| (0..3).map(|n| task.send(n)).collect::<research_core::Sends>());
            let compiled = g.edge(task, END).compile();
            assert_eq!(compiled.is_err(), is_refused, "waits: {waits}");
            let Ok(graph) = compiled else { continue };
            // What is not refused works, with children that wait and with ones that do not.
            let (world, lab) = (world.again(), Lab::new());
            let mut ended = world.run(&graph, &lab, Trail::update()).await;
            while let Ok(stopped) = &ended
                && let Some(question) = stopped.questions().first()
            {
                ended = world.answer_to(&graph, &lab, &question.id, "yes").await;
            }
            match ended {
                Ok(done) => assert_eq!(done.state.seen.len(), 3),
                Err(error) => assert!(error.to_string().contains("needs the subgraph to be kept"), "{error}"),
            }
        }
    }
}

/// Refuses any change, set at one of several places.
async fn refusing<S: Persist, P: Place>(
    world: &World<P>,
    graph: &CompiledGraph<S, Lab>,
    place: usize,
) -> CompiledGraph<S, Lab> {
    match place {
        0 => graph.clone().on_change(OnChange::Refuse).with_checkpointer(world.place.open().await),
        1 => world.keep(graph).await.on_change(OnChange::Refuse),
        _ => world.keep(&graph.clone().on_change(OnChange::Refuse)).await,
    }
}

pub(crate) async fn the_policy_for_changes_holds_wherever_it_is_set<P: Place>(world: World<P>) {
    let refused =
        |error: &research_core::RunError| matches!(error.kind(), ErrorKind::Thread(ThreadError::Changed { .. }));
    let lab = Lab::new();
    world.run(&remembering(), &lab, Trail::update()).await.unwrap();
    let grown = {
        let mut g = Graph::<Trail, Lab>::new("grown");
        let names = ["a", "z", "new"].map(|name| step(&mut g, name));
        let child = g.subgraph("child", &counting("y"), count().per_thread());
        g.entry(names[0]).edge(names[0], child).edge(child, names[1]).edge(names[1], names[2]).edge(names[2], END);
        g.compile().unwrap()
    };
    for place in 0..3 {
        let kept = refusing(&world, &grown, place).await;
        let error = kept.run(Trail::update()).resources(Arc::clone(&lab)).thread("t").await.unwrap_err();
        assert!(refused(&error), "{place}: {error}");
        assert!(refused(&kept.thread("t").state().await.unwrap_err()), "{place}");
    }
    // The store of a single run, and one that takes the place of another.
    let set = grown.clone().on_change(OnChange::Refuse);
    let own = set.run(Trail::update()).resources(Arc::clone(&lab)).thread("t").checkpointer(world.place.open().await);
    assert!(refused(&own.await.unwrap_err()));
    let again = world.keep(&world.keep(&set).await).await;
    assert!(refused(&again.resume().resources(Arc::clone(&lab)).thread("t").await.unwrap_err()));

    // A child has its own policy, with or without a store of its own.
    for has_store in [true, false] {
        let changed = counting("other").on_change(OnChange::Refuse);
        let changed = if has_store { world.keep(&changed).await } else { changed };
        let graph = parent("child", &changed, count().per_thread());
        let error = world.run(&graph, &lab, Trail::update()).await.unwrap_err();
        let cause = &error.failures()[0].cause;
        let research_core::Cause::Error(error) = cause else { panic!("{cause}") };
        assert!(refused(error.downcast_ref::<research_core::RunError>().unwrap()), "{error}");
    }
}

/// What the engine stored before it noted what subgraphs remember.
fn of_layout_1(mut next: Vec<u8>) -> Vec<u8> {
    // Behind the calls, of which there are none: how many subgraphs remember something, and for each its node, its namespace
    // and its checkpoint; then the version and the name of the graph.
    let mut memory = vec![0, 1, 5];
    memory.extend(b"child\x05child");
    let none: &[u8] = &[0, 0, 0];
    let name = [&b"\x06parent"[..], b"\x08counting"].into_iter().find(|name| next.ends_with(name)).unwrap();
    next.truncate(next.len() - name.len());
    let kept = next.strip_suffix(none).or_else(|| next[..next.len() - 2].strip_suffix(&*memory)).unwrap().len();
    next.truncate(kept);
    next.push(0);
    next[0] = 1;
    next
}

pub(crate) async fn a_thread_of_an_earlier_version_remembers_what_it_did<P: Place>(world: World<P>) {
    let (graph, lab) = (remembering(), Lab::new());
    for _ in 0..2 {
        world.run(&graph, &lab, Trail::update()).await.unwrap();
    }
    let store = world.place.open().await;
    for namespace in store.namespaces("t").await.unwrap() {
        let (from, to) = (ThreadKey::new("t", &*namespace), ThreadKey::new("old", &*namespace));
        let epoch = store.claim(&to, None).await.unwrap().epoch;
        for header in store.list(&from, &Query::all()).await.unwrap().into_iter().rev() {
            let mut loaded = store.read(&from, Some(header.id)).await.unwrap().unwrap();
            let mut batch = Batch::default();
            loaded.header.next = of_layout_1(loaded.header.next);
            batch.checkpoints.push(CheckpointRecord::new(loaded.header, loaded.bodies.pop().unwrap()));
            store.put(&to, epoch, batch).await.unwrap();
        }
    }
    let kept = world.keep(&graph).await;
    assert_eq!(kept.thread("old").state().await.unwrap().unwrap().memories.len(), 0);
    for round in 3..5 {
        let run = kept.run(Trail::update()).resources(Arc::clone(&lab)).thread("old").durability(world.durability);
        assert_eq!(run.await.unwrap().state.seen, counts(round));
    }
    assert_eq!(kept.thread("old").state().await.unwrap().unwrap().memories.len(), 1);
}
