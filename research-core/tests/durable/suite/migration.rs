//! Threads that an older version of a graph wrote.

use std::sync::Arc;

use research_core::testing::crash_after;
use research_core::{
    CompiledGraph, END, ErrorKind, Finished, Graph, Migration, OnChange, Persist, RunError, Sends, State, ThreadError,
};
use serde_json::json;

use super::lab::{Lab, Mood, Place, Trail, World, mark, step};

#[derive(Clone, Debug, Default, PartialEq, State)]
struct Replacing {
    list: Vec<u32>,
    note: String,
}

#[derive(Clone, Debug, Default, PartialEq, State)]
struct Appending {
    #[reduce(append)]
    list: Vec<u32>,
    note: String,
}

/// The note has become a list of them, and the list is gone.
#[derive(Clone, Debug, Default, PartialEq, State)]
struct Notes {
    #[reduce(append)]
    notes: Vec<String>,
    added: u32,
}

/// `work` round after round until the list has `rounds` items.
macro_rules! rounds {
    ($state:ty, $name:literal, $write:expr) => {{
        let mut g = Graph::<$state, Lab>::new("rounds");
        let work = g.node($name, |cx: research_core::Cx<$state, Lab>| async move {
            cx.resources.work("work").await?;
            Ok($write(&cx.state))
        });
        g.entry(work).route(work, move |s: &$state| if s.list.len() % 3 == 0 { END } else { work });
        g.compile().unwrap()
    }};
}

fn replacing() -> CompiledGraph<Replacing, Lab> {
    rounds!(Replacing, "work", |s: &Replacing| {
        let mut list = s.list.clone();
        list.push(list.len() as u32);
        Replacing::update().list(list).note("replaced")
    })
}

fn appending() -> CompiledGraph<Appending, Lab> {
    rounds!(Appending, "work", |s: &Appending| Appending::update().list([s.list.len() as u32]).note("appended"))
}

/// Goes on under a policy.
async fn resume<S: Persist, P: Place>(
    world: &World<P>,
    graph: &CompiledGraph<S, Lab>,
    on_change: OnChange,
) -> Result<Finished<S>, RunError> {
    let graph = world.keep(graph).await.on_change(on_change);
    graph.resume().resources(Lab::default()).thread("t").durability(world.durability).await
}

fn misfits(error: &RunError) -> Vec<String> {
    match error.kind() {
        ErrorKind::Thread(ThreadError::Changed { misfits, stored, graph }) => {
            assert_ne!(stored, graph);
            misfits.clone()
        }
        other => panic!("{other:?}"),
    }
}

/// A thread of the graph that broke in its first step.
async fn broken<S: Persist, P: Place>(world: &World<P>, graph: &CompiledGraph<S, Lab>, input: S::Update) {
    let lab = Lab::new();
    lab.set("work", Mood::Fails);
    world.run(graph, &lab, input).await.unwrap_err();
}

pub(crate) async fn a_field_changes_from_replace_to_append_and_back<P: Place>(world: World<P>) {
    let done = world.run(&replacing(), &Lab::new(), Replacing::update()).await.unwrap();
    assert_eq!(done.state.list, [0, 1, 2]);
    for round in 1..3_usize {
        let lab = Lab::new();
        let done = world.run(&appending(), &lab, Appending::update().list([9])).await.unwrap();
        assert_eq!(done.state.list.len(), round * 6);
        let read = world.thread(&appending()).await.state().await.unwrap().unwrap().state;
        assert_eq!(read, done.state, "what is appended joins what was replaced");
        let mut list = done.state.list.clone();
        let done = world.run(&replacing(), &lab, Replacing::update()).await.unwrap();
        list.extend((list.len() as u32)..(list.len() as u32 + 3));
        assert_eq!(done.state, Replacing { list, note: "replaced".into() });
        assert_eq!(world.thread(&replacing()).await.state().await.unwrap().unwrap().state, done.state);
    }
}

pub(crate) async fn any_change_is_refused_where_that_was_asked_for<P: Place>(world: World<P>) {
    broken(&world, &replacing(), Replacing::update().list(vec![7])).await;
    let error = resume(&world, &appending(), OnChange::Refuse).await.unwrap_err();
    assert!(misfits(&error).is_empty());
    assert!(resume(&world, &replacing(), OnChange::Refuse).await.unwrap().is_complete(), "the same graph is no change");
}

fn renamed_to_notes() -> CompiledGraph<Notes, Lab> {
    let mut g = Graph::<Notes, Lab>::new("notes");
    let work = g.node("work", |_cx| async { Ok(Notes::update().notes(["new".to_string()]).added(1)) });
    g.entry(work).edge(work, END);
    g.compile().unwrap()
}

fn to_notes() -> Migration {
    Migration::new(|thread| {
        assert_eq!(thread.fields().collect::<Vec<_>>(), ["list", "note"]);
        let list = thread.take_field("list").ok_or("the list")?;
        thread.rename_field("note", "notes");
        let note = thread.take_field("notes").ok_or("the note")?;
        thread.put_field("notes", json!([note, list.to_string()]));
        Ok(())
    })
}

pub(crate) async fn a_removed_field_is_refused_and_a_migration_handles_it<P: Place>(world: World<P>) {
    let graph = renamed_to_notes();
    broken(&world, &replacing(), Replacing::update().list(vec![7]).note("old")).await;
    let error = resume(&world, &graph, OnChange::default()).await.unwrap_err();
    assert!(misfits(&error).iter().any(|misfit| misfit.contains("`list`")), "{error}");
    assert!(error.to_string().contains("migration"), "{error}");
    let read = world.thread(&graph).await.state().await.unwrap_err();
    assert_eq!(misfits(&read), misfits(&error));
    let kept = world.keep(&graph).await.on_change(OnChange::Migrate(to_notes()));
    let now = kept.thread("t").state().await.unwrap().unwrap();
    assert_eq!(now.state.notes, ["old", "[7]"]);
    assert_ne!(now.written_by, graph.fingerprint());
    let done = resume(&world, &graph, OnChange::Migrate(to_notes())).await.unwrap();
    assert_eq!(done.state, Notes { notes: ["old", "[7]", "new"].map(String::from).to_vec(), added: 1 });
    let now = world.thread(&graph).await.state().await.unwrap().unwrap();
    assert_eq!((now.state, now.written_by), (done.state, graph.fingerprint()), "it is migrated for good");
}

pub(crate) async fn an_input_on_an_older_thread_migrates_it_too<P: Place>(world: World<P>) {
    broken(&world, &replacing(), Replacing::update().list(vec![7]).note("old")).await;
    let graph = renamed_to_notes();
    let kept = world.keep(&graph).await.on_change(OnChange::Migrate(to_notes()));
    let run = kept.run(Notes::update().notes(["in".to_string()])).resources(Lab::default()).thread("t");
    let done = run.durability(world.durability).await.unwrap();
    assert_eq!(done.state.notes, ["old", "[7]", "in", "new"]);
    assert_eq!(world.thread(&graph).await.state().await.unwrap().unwrap().state, done.state);
}

pub(crate) async fn a_failing_migration_is_a_typed_error_and_changes_nothing<P: Place>(world: World<P>) {
    broken(&world, &replacing(), Replacing::update().list(vec![7])).await;
    let fails = Migration::new(|_| Err("not today".into()));
    let error = resume(&world, &renamed_to_notes(), OnChange::Migrate(fails)).await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Thread(ThreadError::Migration { reason }) if reason == "not today"));
    assert_eq!(world.thread(&replacing()).await.state().await.unwrap().unwrap().state.list, [7]);
}

/// `plan`, sent tasks and a join, under names that differ by version.
fn versions(work: &'static str, end: &'static str) -> CompiledGraph<Trail, Lab> {
    let mut g = Graph::<Trail, Lab>::new("versions");
    let [plan, side, end] = ["plan", "side", end].map(|name| step(&mut g, name));
    let work = g.task(work, |cx, n: u32| async move {
        cx.resources.work(&format!("work {n}")).await?;
        Ok(mark(format!("{} {n}", cx.node())))
    });
    g.entry(plan)
        .edge(plan, side)
        .route(plan, move |_: &Trail| (1..3).map(|n| work.send(n)).collect::<Sends>())
        .join([side, work.node()], end)
        .edge(end, END);
    g.compile().unwrap()
}

pub(crate) async fn a_renamed_node_that_is_due_is_refused_and_a_migration_renames_it<P: Place>(world: World<P>) {
    let lab = Lab::new();
    for name in ["side", "work 1", "work 2"] {
        lab.set(name, Mood::Fails);
    }
    world.run(&versions("work", "end"), &lab, Trail::update()).await.unwrap_err();
    let new = versions("look_up", "end");
    let error = resume(&world, &new, OnChange::default()).await.unwrap_err();
    assert!(misfits(&error).iter().any(|misfit| misfit.contains("`work`")), "{error}");
    let migration = Migration::new(|thread| {
        assert_eq!(thread.due(), ["side", "work", "work"]);
        thread.rename_node("work", "look_up");
        thread.map_inputs("look_up", |n| json!(n.as_u64().unwrap_or(0) * 10));
        Ok(())
    });
    let done = resume(&world, &new, OnChange::Migrate(migration)).await.unwrap();
    assert_eq!(done.state.seen, ["plan", "side", "look_up 10", "look_up 20", "end"]);
}

pub(crate) async fn what_is_due_is_added_and_removed_by_a_migration<P: Place>(world: World<P>) {
    let lab = Lab::new();
    for name in ["side", "work 1", "work 2"] {
        lab.set(name, Mood::Fails);
    }
    world.run(&versions("work", "end"), &lab, Trail::update()).await.unwrap_err();
    let migration = Migration::new(|thread| {
        thread.remove_due("work");
        thread.remove_due("side");
        thread.add_due("finish");
        Ok(())
    });
    let done = resume(&world, &versions("look_up", "finish"), OnChange::Migrate(migration)).await.unwrap();
    assert_eq!(done.state.seen, ["plan", "finish"]);
}

pub(crate) async fn a_join_that_waits_and_is_gone_is_refused_and_can_be_forgotten<P: Place>(world: World<P>) {
    let build = |sources: usize| {
        let mut g = Graph::<Trail, Lab>::new("joined");
        let [quick, slow, slower, end] = ["quick", "slow", "slower", "end"].map(|name| step(&mut g, name));
        g.entry(quick).entry(slow).edge(slow, slower);
        g.join([quick, slow, slower].into_iter().take(sources), end).edge(end, END);
        if sources < 3 {
            g.edge(slower, END);
        }
        g.compile().unwrap()
    };
    let lab = Lab::new();
    lab.set("slower", Mood::Fails);
    world.run(&build(3), &lab, Trail::update()).await.unwrap_err();
    let error = resume(&world, &build(2), OnChange::default()).await.unwrap_err();
    assert!(misfits(&error)[0].contains("join"), "{error}");
    let forget = Migration::new(|thread| {
        thread.reset_joins();
        Ok(())
    });
    let done = resume(&world, &build(2), OnChange::Migrate(forget)).await.unwrap();
    assert_eq!(done.state.seen, ["quick", "slow", "slower"]);
}

pub(crate) async fn a_graph_that_only_grew_goes_on_and_keeps_what_was_recorded<P: Place>(world: World<P>) {
    let build = |more: bool| {
        let mut g = Graph::<Trail, Lab>::new("grown");
        let [bad, ok] = ["bad", "ok"].map(|name| step(&mut g, name));
        g.entry(bad).entry(ok).edge(ok, END);
        if more {
            let after = step(&mut g, "after");
            g.edge(bad, after).edge(after, END);
        } else {
            g.edge(bad, END);
        }
        g.compile().unwrap()
    };
    let lab = Lab::new();
    lab.set("bad", Mood::Fails);
    world.run(&build(false), &lab, Trail::update()).await.unwrap_err();
    lab.mend("bad");
    let kept = world.keep(&build(true)).await;
    let run = kept.resume().resources(Arc::clone(&lab)).thread("t").durability(world.durability);
    assert_eq!(run.await.unwrap().state.seen, ["bad", "ok", "after"]);
    assert_eq!(lab.runs("ok"), 1);
}

/// Three nodes of one step, the first under a name of the caller.
fn three(first: &'static str) -> CompiledGraph<Trail, Lab> {
    let mut g = Graph::<Trail, Lab>::new("three");
    let node = |name: &'static str| {
        move |cx: research_core::Cx<Trail, Lab>| async move {
            let effect = async { Ok::<_, research_core::NodeError>(format!("effect of {name}")) };
            let effect = cx.once("effect", effect).await?;
            if name != "middle" {
                let answer: u32 = cx.interrupt(("it", "?")).await?;
                cx.resources.work("asked").await?;
                return Ok(mark(format!("{name} {effect} {answer}")));
            }
            cx.resources.work("middle").await?;
            Ok(mark(format!("{name} {effect}")))
        }
    };
    let first = g.node(first, node(first));
    let middle = g.node("middle", node("middle"));
    let other = g.node("other", node("other"));
    for node in [first, middle, other] {
        g.entry(node).edge(node, END);
    }
    g.compile().unwrap()
}

pub(crate) async fn what_is_known_of_a_task_moves_with_it_when_new_names_change_the_order<P: Place>(world: World<P>) {
    let lab = Lab::new();
    world.run(&three("first"), &lab, Trail::update()).await.unwrap();
    let questions = world.thread(&three("first")).await.state().await.unwrap().unwrap().questions;
    // Both are answered, and one of them has used its answer in vain.
    lab.set("asked", Mood::Fails);
    let id = |node: &str| questions.iter().find(|question| question.node == node).unwrap().id.clone();
    world.answer_to(&three("first"), &lab, &id("first"), 1).await.unwrap_err();
    lab.mend("asked");
    let migration = Migration::new(|thread| {
        thread.rename_node("first", "zero");
        Ok(())
    });
    for _ in 0..2 {
        let kept = world.keep(&three("zero")).await.on_change(OnChange::Migrate(migration.clone()));
        let run = kept.resume().resources(Arc::clone(&lab)).thread("t").durability(world.durability);
        let stopped = run.await.unwrap();
        assert_eq!(stopped.questions().len(), 1);
        assert_eq!(stopped.questions()[0].node, "other");
    }
    let kept = world.keep(&three("zero")).await.on_change(OnChange::Migrate(migration));
    let run = kept.resume().answer(2).resources(Arc::clone(&lab)).thread("t").durability(world.durability);
    let done = run.await.unwrap();
    let expected = ["middle effect of middle", "other effect of other 2", "zero effect of first 1"];
    assert_eq!(done.state.seen, expected);
    assert_eq!((lab.runs("middle"), lab.runs("asked")), (1, 3));
}

pub(crate) async fn a_recorded_result_that_does_not_fit_is_refused_and_runs_again_after_a_migration<P: Place>(
    world: World<P>,
) {
    let mut g = Graph::<Replacing, Lab>::new("old");
    let ok = g.node("ok", |_cx| async { Ok(Replacing::update().list(vec![1])) });
    let bad = g.node("work", |cx| async move { cx.resources.work("work").await });
    g.entry(ok).entry(bad).edge(ok, END).edge(bad, END);
    broken(&world, &g.compile().unwrap(), Replacing::update().note("old")).await;
    let mut g = Graph::<Notes, Lab>::new("new");
    let ok = g.node("ok", |_cx| async { Ok(Notes::update().notes(["new".to_string()])) });
    let bad = g.node("work", |cx| async move { cx.resources.work("work").await });
    g.entry(ok).entry(bad).edge(ok, END).edge(bad, END);
    let graph = g.compile().unwrap();
    assert!(!misfits(&resume(&world, &graph, OnChange::default()).await.unwrap_err()).is_empty());
    let done = resume(&world, &graph, OnChange::Migrate(to_notes())).await.unwrap();
    assert_eq!(done.state.notes, ["old", "[]", "new"]);
}

/// The same graph and the same names of fields, with types that differ.
#[derive(Clone, Debug, Default, PartialEq, State)]
struct Old {
    value: u32,
    #[reduce(append)]
    list: Vec<u32>,
    kept: String,
}

#[derive(Clone, Debug, Default, PartialEq, State)]
struct New {
    value: String,
    #[reduce(append)]
    list: Vec<String>,
    kept: String,
}

macro_rules! typed {
    ($state:ty, $value:expr, $version:expr) => {{
        let mut g = Graph::<$state, Lab>::new("typed");
        let ok = g.node("ok", |_cx| async { Ok(<$state>::update().value($value)) });
        let plan = g.node("plan", |_cx| async { Ok(()) });
        let item = g.task("item", |cx: research_core::Cx<$state, Lab>, n| async move {
            cx.resources.work("work").await?;
            let n = if true { n } else { $value };
            Ok(<$state>::update().list([n]))
        });
        g.entry(plan).edge(plan, ok).route(plan, move |_: &$state| item.send($value));
        g.edge(ok, END).edge(item, END).version($version);
        g.compile().unwrap()
    }};
}

fn to_new() -> Migration {
    Migration::new(|thread| {
        for field in ["value", "list"] {
            let text = |value: serde_json::Value| match value {
                serde_json::Value::Number(number) => json!(number.to_string()),
                other => other,
            };
            let value = match thread.take_field(field) {
                Some(serde_json::Value::Array(items)) => json!(items.into_iter().map(text).collect::<Vec<_>>()),
                Some(value) => text(value),
                None => continue,
            };
            thread.put_field(field, value);
        }
        thread.map_inputs("item", |n| if n.is_number() { json!(n.to_string()) } else { n });
        Ok(())
    })
}

pub(crate) async fn a_change_of_types_alone_is_migrated<P: Place>(world: World<P>) {
    let (old, new) = (typed!(Old, 1_u32, 0), typed!(New, "2".to_string(), 0));
    assert_eq!(old.fingerprint(), new.fingerprint(), "nothing but types tells them apart");
    for input in [Old::update(), Old::update().value(7).list([8])] {
        // What is due is an input of the old type, and what is recorded a result of the old type.
        let world = world.again();
        broken(&world, &old, input.clone()).await;
        let kept = world.keep(&new).await.on_change(OnChange::Migrate(to_new()));
        kept.thread("t").state().await.unwrap();
        let done = resume(&world, &new, OnChange::Migrate(to_new())).await.unwrap();
        assert_eq!((done.state.value.as_str(), done.state.list.last().unwrap().as_str()), ("2", "1"));
        // It is migrated for good, and the migration is not asked again.
        let never = Migration::new(|_| Err("it runs again".into()));
        let kept = world.keep(&new).await.on_change(OnChange::Migrate(never));
        let run = kept.run(New::update()).resources(Lab::default()).thread("t").durability(world.durability);
        assert_eq!(run.await.unwrap().state.list.last().unwrap(), "2");
    }

    // An input on such a thread, and one that no migration helps.
    let world = world.again();
    world.run(&old, &Lab::new(), Old::update().list([5])).await.unwrap();
    let error = resume(&world, &new, OnChange::default()).await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Codec(_)), "{error}");
    let kept = world.keep(&new).await.on_change(OnChange::Migrate(to_new()));
    let run = kept.run(New::update()).resources(Lab::default()).thread("t").durability(world.durability);
    assert_eq!(run.await.unwrap().state.list, ["5", "1", "2"]);
}

/// Whether another writer took over the thread.
fn is_taken_over(error: &RunError) -> bool {
    matches!(error.kind(), ErrorKind::Store(error) if error.is_conflict())
}

pub(crate) async fn a_change_of_types_is_migrated_wherever_the_older_run_broke_off<P: Place>(world: World<P>) {
    let (old, new) = (typed!(Old, 1_u32, 0), typed!(New, "1".to_string(), 0));
    for polls in 1..200 {
        let world = world.again();
        let kept = world.keep(&old).await;
        let run = kept.run(Old::update().list([7])).resources(Lab::default()).thread("t").durability(world.durability);
        let ended = crash_after(polls, run.into_future()).await;

        let kept = world.keep(&new).await.on_change(OnChange::Migrate(to_new()));
        let go_on = || {
            let input = New::update().list(["7".to_string()]);
            kept.run_or_resume(input).resources(Lab::default()).thread("t").durability(world.durability)
        };
        let mut done = go_on().await;
        // A claim that waited in the dropped run's store may come after that of the next run, and takes the thread once.
        if done.as_ref().is_err_and(is_taken_over) {
            done = go_on().await;
        }
        let done = done.unwrap();
        assert_eq!((&*done.state.value, done.state.list.join(" ")), ("1", "7 1".to_string()), "after {polls} polls");
        if ended.is_some() {
            return;
        }
    }
    panic!("the older run never ends");
}

pub(crate) async fn every_field_that_does_not_fit_is_named_with_its_reason<P: Place>(world: World<P>) {
    world.run(&typed!(Old, 1_u32, 0), &Lab::new(), Old::update().kept("kept")).await.unwrap();
    for version in [0, 1] {
        let new = typed!(New, "2".to_string(), version);
        let error = world.run(&new, &Lab::new(), New::update()).await.unwrap_err();
        let text = error.to_string();
        for part in ["`value`", "`list`", "invalid type: integer `1`, expected a string"] {
            assert!(text.contains(part), "{version}: {text}");
        }
        assert!(!text.contains("`kept`"), "{text}");
        match error.kind() {
            ErrorKind::Codec(error) => assert_eq!((version, error.others().count()), (0, 1)),
            _ => assert_eq!((version, misfits(&error).len()), (1, 2)),
        }
    }
}

pub(crate) async fn a_version_of_its_own_tells_a_graph_from_an_older_one<P: Place>(world: World<P>) {
    let graph = |version| typed!(Old, 1_u32, version);
    assert_eq!(graph(0).fingerprint(), typed!(Old, 1_u32, 0).fingerprint());
    assert_ne!(graph(1).fingerprint(), graph(2).fingerprint());
    world.run(&graph(1), &Lab::new(), Old::update().kept("old")).await.unwrap();
    assert_eq!(world.thread(&graph(1)).await.state().await.unwrap().unwrap().version, 1);
    let error = resume(&world, &graph(2), OnChange::Refuse).await.unwrap_err();
    assert!(misfits(&error).is_empty());
    let migration = Migration::new(|thread| {
        assert_eq!(thread.version(), 1);
        thread.put_field("kept", "new");
        Ok(())
    });
    for _ in 0..2 {
        let kept = world.keep(&graph(2)).await.on_change(OnChange::Migrate(migration.clone()));
        let run = kept.run(Old::update()).resources(Lab::default()).thread("t").durability(world.durability);
        assert_eq!(run.await.unwrap().state.kept, "new");
    }
}

pub(crate) async fn another_graph_does_not_take_the_state_of_a_thread<P: Place>(world: World<P>) {
    let named = |name: &str| {
        let mut g = Graph::<Trail, Lab>::new(name);
        let node = step(&mut g, "node");
        g.entry(node).edge(node, END);
        g.compile().unwrap()
    };
    let (one, other) = (named("one"), named("other"));
    assert_eq!(one.fingerprint(), other.fingerprint());
    world.run(&one, &Lab::new(), Trail::update()).await.unwrap();
    for error in [
        world.run(&other, &Lab::new(), Trail::update()).await.unwrap_err(),
        world.resume(&other, &Lab::new()).await.unwrap_err(),
        world.thread(&other).await.state().await.unwrap_err(),
        world.thread(&other).await.update(mark("edit")).as_node("node").await.unwrap_err(),
    ] {
        assert!(error.to_string().contains("the thread belongs to the graph `one`, and this is `other`"), "{error}");
    }
    // A graph that was renamed says so.
    let renamed = Migration::new(|thread| match thread.graph() {
        Some("one") => Ok(()),
        other => Err(format!("not the thread of {other:?}").into()),
    });
    for _ in 0..2 {
        let kept = world.keep(&other).await.on_change(OnChange::Migrate(renamed.clone()));
        kept.run(Trail::update()).resources(Lab::default()).thread("t").durability(world.durability).await.unwrap();
    }
    assert_eq!(world.thread(&other).await.state().await.unwrap().unwrap().state.seen.len(), 3);
}
