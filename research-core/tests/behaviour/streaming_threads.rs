//! Events of runs that have a thread, a budget or a cache: checkpoints, questions, where results come from.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures::StreamExt;
use research_core::{
    Ask, Budget, CachePolicy, CheckpointId, CompiledGraph, Cx, END, End, Event, EventKind, Failure, Graph, MemoryCache,
    MemoryCheckpointer, Modes, NodeError, RunStream, TaskSource,
};

use crate::support::{Trail, mark, step};

/// What happened in short, of the events that tell a thread's story.
fn story(events: &[Event<Trail>]) -> Vec<String> {
    let tell = |event: &Event<Trail>| {
        let node = event.node().unwrap_or("-");
        match &event.kind {
            EventKind::TaskStarted => format!("start {node}"),
            EventKind::Updated(_) => format!("update {node}"),
            EventKind::TaskFinished { error: None, source } => format!("{source:?} {node}"),
            EventKind::TaskFinished { error: Some(error), .. } => format!("failed {node}: {error}"),
            EventKind::Asked { questions } => format!("{node} asks {}", keys(questions)),
            EventKind::Checkpoint { id, parent } => match parent {
                Some(parent) => format!("checkpoint {id} after {parent}"),
                None => format!("checkpoint {id}"),
            },
            EventKind::Interrupted { questions } => format!("interrupted by {}", keys(questions)),
            EventKind::Abandoned { questions } => format!("abandoned {}", questions.len()),
            EventKind::BudgetSpent { counter } => format!("spent {counter}"),
            EventKind::Values(_) => "values".to_string(),
            EventKind::RunStarted { .. } => "run".to_string(),
            EventKind::RunFinished { end: End::Complete } => "end".to_string(),
            EventKind::RunFinished { end: End::Interrupted(questions) } => format!("waits for {}", keys(questions)),
            EventKind::RunFinished { end } => format!("{end:?}"),
            EventKind::RunFailed { error } => format!("failed: {error}"),
            kind => format!("{kind:?}"),
        }
    };
    events.iter().map(tell).collect()
}

fn keys(questions: &[research_core::Question]) -> String {
    questions.iter().map(|question| &*question.key).collect::<Vec<_>>().join("+")
}

async fn read(stream: RunStream<Trail>) -> Vec<String> {
    story(&stream.collect::<Vec<_>>().await)
}

fn chain() -> CompiledGraph<Trail> {
    let mut g = Graph::<Trail>::new("chain");
    let (a, b) = (step(&mut g, "a"), step(&mut g, "b"));
    g.entry(a).edge(a, b).edge(b, END);
    g.compile().unwrap().with_checkpointer(MemoryCheckpointer::default())
}

/// Two nodes in one step, of which one asks.
fn asking() -> CompiledGraph<Trail> {
    let mut g = Graph::<Trail>::new("asking");
    let free = step(&mut g, "free");
    let asks = g.node("asks", |cx: Cx<Trail>| async move {
        let name: String = cx.interrupt(Ask::new("name", "Who?")).await?;
        Ok(mark(name))
    });
    g.entry(free).entry(asks).edge(free, END).edge(asks, END);
    g.compile().unwrap().with_checkpointer(MemoryCheckpointer::default())
}

#[tokio::test]
async fn a_run_on_a_thread_tells_of_each_checkpoint_and_the_one_before_it() {
    let graph = chain();
    let first = read(graph.run(Trail::update()).thread("t").stream_modes(Modes::CHECKPOINTS)).await;
    assert_eq!(first, ["run", "checkpoint 1", "checkpoint 2 after 1", "checkpoint 3 after 2", "end"]);
    let second = read(graph.run(Trail::update()).thread("t").stream_modes(Modes::CHECKPOINTS)).await;
    assert_eq!(second[1], "checkpoint 4 after 3");
    let none = read(graph.run(Trail::update()).stream_modes(Modes::CHECKPOINTS)).await;
    assert_eq!(none, ["run", "end"], "a run without a thread makes no checkpoints");
}

#[tokio::test]
async fn a_checkpoint_event_names_the_checkpoint_that_the_thread_has() {
    let graph = chain();
    let mut stream = graph.run(Trail::update()).thread("t").stream_modes(Modes::CHECKPOINTS);
    let mut newest = CheckpointId(0);
    while let Some(event) = stream.next().await {
        if let EventKind::Checkpoint { id, .. } = event.kind {
            newest = id;
        }
    }
    assert_eq!(stream.finish().await.unwrap().checkpoint, Some(newest));
}

#[tokio::test]
async fn a_task_that_asks_ends_with_its_question_and_gives_no_update() {
    let graph = asking();
    let stream = graph.run(Trail::update()).thread("t").stream_modes(Modes::TASKS | Modes::UPDATES);
    let mut told = read(stream).await;
    // `asks` and `free` end in any order.
    told[3..6].sort();
    let expected = [
        "run",
        "start asks",
        "start free",
        "Ran free",
        "asks asks name",
        "update free",
        "interrupted by name",
        "waits for name",
    ];
    assert_eq!(told, expected);
}

#[tokio::test]
async fn a_resumed_run_says_which_tasks_were_restored() {
    let graph = asking();
    graph.run(Trail::update()).thread("t").await.unwrap();
    let stream = graph.resume().thread("t").answer("Ada").stream_modes(Modes::TASKS | Modes::UPDATES | Modes::VALUES);
    let told = read(stream).await;
    let expected = [
        "run",
        "values",
        "start asks",
        "start free",
        "update free",
        "Restored free",
        "update asks",
        "Ran asks",
        "values",
        "end",
    ];
    assert_eq!(told, expected);
}

#[tokio::test]
async fn a_task_whose_question_is_still_open_says_so_without_running_again() {
    let graph = asking();
    graph.run(Trail::update()).thread("t").await.unwrap();
    let told = read(graph.resume().thread("t").stream_modes(Modes::TASKS)).await;
    let expected =
        ["run", "start asks", "start free", "Restored free", "asks asks name", "interrupted by name", "waits for name"];
    assert_eq!(told, expected);
}

#[tokio::test]
async fn new_input_on_an_interrupted_thread_tells_which_questions_it_abandons() {
    let graph = asking();
    let waiting = graph.run(Trail::update()).thread("t").await.unwrap();
    let ids: Vec<String> = waiting.questions().iter().map(|question| question.id.clone()).collect();
    let mut stream = graph.run(Trail::update()).thread("t").stream_modes(Modes::CUSTOM);
    let mut abandoned = Vec::new();
    while let Some(event) = stream.next().await {
        if let EventKind::Abandoned { questions } = event.kind {
            abandoned.push(questions);
        }
    }
    assert_eq!(abandoned, [ids]);
}

#[tokio::test]
async fn a_cached_task_says_so() {
    let mut g = Graph::<Trail>::new("cached");
    let a = step(&mut g, "a");
    g.entry(a).edge(a, END).cache(a, CachePolicy::by(|s: &Trail| s.value).ttl(Duration::from_secs(60)));
    let graph = g.compile().unwrap().with_cache(MemoryCache::default());
    let modes = Modes::TASKS | Modes::UPDATES;
    assert_eq!(
        read(graph.run(Trail::update()).stream_modes(modes)).await,
        ["run", "start a", "update a", "Ran a", "end"]
    );
    assert_eq!(
        read(graph.run(Trail::update()).stream_modes(modes)).await,
        ["run", "start a", "update a", "Cached a", "end"]
    );
}

#[tokio::test]
async fn a_task_that_its_error_handler_saved_says_so() {
    let mut g = Graph::<Trail>::new("handled");
    let a = g.node("a", |_cx| async { Err::<(), _>(NodeError::msg("no data")) });
    g.entry(a).edge(a, END).on_error(a, |_cx, failure: Failure| async move { Ok(mark(failure.message)) });
    let told = read(g.compile().unwrap().run(Trail::update()).stream_modes(Modes::TASKS | Modes::UPDATES)).await;
    assert_eq!(told, ["run", "start a", "update a", "Handled a", "end"]);
}

#[tokio::test]
async fn a_failed_task_names_its_error_and_a_resumed_run_runs_it_alone() {
    let broken = Arc::new(AtomicBool::new(true));
    let state = Arc::clone(&broken);
    let mut g = Graph::<Trail>::new("mended");
    let ok = step(&mut g, "ok");
    let bad = g.node("bad", move |_cx| {
        let broken = state.load(Ordering::SeqCst);
        async move {
            tokio::task::yield_now().await;
            if broken { Err(NodeError::msg("no data")) } else { Ok(mark("mended")) }
        }
    });
    g.entry(ok).entry(bad).edge(ok, END).edge(bad, END);
    let graph = g.compile().unwrap().with_checkpointer(MemoryCheckpointer::default());
    let told = read(graph.run(Trail::update()).thread("t").stream_modes(Modes::TASKS)).await;
    assert_eq!(
        told,
        [
            "run",
            "start bad",
            "start ok",
            "Ran ok",
            "failed bad: no data",
            "failed: graph `mended`: node `bad` in step 1 (task 0) failed: no data"
        ]
    );
    broken.store(false, Ordering::SeqCst);
    let told = read(graph.resume().thread("t").stream_modes(Modes::TASKS)).await;
    assert_eq!(told, ["run", "start bad", "start ok", "Restored ok", "Ran bad", "end"]);
}

#[tokio::test]
async fn a_spent_budget_is_told_before_the_end() {
    let mut g = Graph::<Trail>::new("spending");
    let node = g.node("n", |cx: Cx<Trail>| async move {
        cx.spend("tokens", 60);
        Ok(mark("n"))
    });
    g.entry(node).route(node, move |s: &Trail| if s.count < 10 { node } else { END });
    let run = g.compile().unwrap().run(Trail::update()).budget(Budget::new().counter("tokens", 100));
    let told = read(run.stream_modes(Modes::UPDATES)).await;
    assert_eq!(told, ["run", "update n", "update n", "spent tokens", r#"Spent { counter: "tokens" }"#]);
}

#[tokio::test]
async fn the_source_of_a_result_is_that_of_the_node_unless_said_otherwise() {
    assert_eq!(TaskSource::default(), TaskSource::Ran);
}
