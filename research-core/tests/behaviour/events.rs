//! The event log of a run: order, kinds, back-pressure, and the end.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use futures::StreamExt;
use research_core::{
    CompiledGraph, Cx, END, End, Event, EventKind, Graph, Modes, NodeError, Run, Sends, State, TaskSource,
};
use serde::Serialize;

use crate::support::{Trail, mark, step};

/// One word for each kind of event, with its node.
fn word(event: &Event<Trail>) -> String {
    let kind = match &event.kind {
        EventKind::RunStarted { .. } => "run",
        EventKind::StepStarted { .. } => "step",
        EventKind::TaskStarted => "start",
        EventKind::Custom(_) => "custom",
        EventKind::Updated(_) => "update",
        EventKind::Message { .. } => "message",
        EventKind::TaskFinished { error: None, source: TaskSource::Ran } => "finish",
        EventKind::TaskFinished { error: Some(_), source: TaskSource::Ran } => "fail",
        EventKind::Values(_) => "values",
        EventKind::StepFinished => "stepped",
        EventKind::RunFinished { end: End::Complete } => "end",
        EventKind::RunFailed { .. } => "failed",
        _ => "other",
    };
    event.node().map_or_else(|| kind.to_string(), |node| format!("{kind}:{node}"))
}

fn words(events: &[Event<Trail>]) -> Vec<String> {
    events.iter().map(word).collect()
}

/// A chain of `a` and `b`, each of which emits its name and says it before it returns.
fn chain() -> CompiledGraph<Trail> {
    let mut g = Graph::<Trail>::new("chain");
    let [a, b] = ["a", "b"].map(|name| {
        g.node(name, |cx| async move {
            cx.emit(cx.node().to_string());
            tokio::task::yield_now().await;
            cx.message("words", cx.node());
            Ok(mark(cx.node()))
        })
    });
    g.entry(a).edge(a, b).edge(b, END);
    g.compile().unwrap()
}

#[tokio::test]
async fn a_chain_of_two_nodes_gives_every_event_in_order() {
    let events: Vec<_> = chain().run(Trail::update()).stream_modes(Modes::ALL).collect().await;
    let expected = "run values \
        step start:a custom:a message:a update:a finish:a values stepped \
        step start:b custom:b message:b update:b finish:b values stepped end";
    assert_eq!(words(&events).join(" "), expected);
    assert!(events.iter().map(|event| event.seq).eq(0..events.len() as u64), "sequence numbers are contiguous");
    let steps: Vec<u64> = events.iter().map(|event| event.step).collect();
    assert_eq!(steps, [0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2]);
    assert!(events.iter().all(|event| event.namespace.is_empty() && !event.is_of_subgraph()));
    let values: Vec<usize> = events
        .iter()
        .filter_map(|event| match &event.kind {
            EventKind::Values(state) => Some(state.seen.len()),
            _ => None,
        })
        .collect();
    assert_eq!(values, [0, 1, 2]);
}

#[tokio::test]
async fn a_stream_has_the_chosen_kinds_and_the_ends_of_the_run() {
    for (modes, expected) in [
        (Modes::VALUES, "run values values values end"),
        (Modes::UPDATES, "run update:a update:b end"),
        (Modes::TASKS, "run start:a finish:a start:b finish:b end"),
        (Modes::CUSTOM | Modes::STEPS, "run step custom:a stepped step custom:b stepped end"),
        (Modes::MESSAGES, "run message:a message:b end"),
        (Modes::CHECKPOINTS, "run end"),
        (Modes::TASKS.without_subgraphs(), "run start:a finish:a start:b finish:b end"),
    ] {
        let events: Vec<_> = chain().run(Trail::update()).stream_modes(modes).collect().await;
        assert_eq!(words(&events).join(" "), expected);
        assert!(events.iter().map(|event| event.seq).eq(0..events.len() as u64));
    }
    let events: Vec<_> = chain().run(Trail::update()).stream().collect().await;
    assert!(!words(&events).contains(&"values".to_string()), "snapshots cost copies and come only when asked for");
}

#[tokio::test]
async fn an_emitted_value_keeps_its_type_and_reads_as_json() {
    #[derive(Debug, PartialEq, Serialize)]
    struct Progress {
        read: u32,
        of: u32,
    }
    let mut g = Graph::<Trail>::new("progress");
    let node = g.node("n", |cx| async move {
        cx.emit(Progress { read: 1, of: 3 });
        Ok(())
    });
    g.entry(node).edge(node, END);
    let events: Vec<_> = g.compile().unwrap().run(Trail::update()).stream().collect().await;
    let progress: Vec<&Progress> = events.iter().filter_map(|event| event.custom()).collect();
    assert_eq!(progress, [&Progress { read: 1, of: 3 }]);
    assert!(events.iter().all(|event| event.custom::<u32>().is_none()));
    let json = events.iter().find_map(|event| match &event.kind {
        EventKind::Custom(custom) => custom.to_json().ok(),
        _ => None,
    });
    assert_eq!(json, Some(serde_json::json!({ "read": 1, "of": 3 })));
}

#[tokio::test]
async fn the_pieces_of_a_message_come_in_order_before_the_update_of_their_node() {
    let mut g = Graph::<Trail>::new("model");
    let node = g.node("say", |cx| async move {
        for piece in ["The ", "bees ", "dance."] {
            cx.message("answer", piece);
            tokio::task::yield_now().await;
        }
        Ok(mark("said"))
    });
    g.entry(node).edge(node, END);
    let run = g.compile().unwrap().run(Trail::update());
    let events: Vec<_> = run.stream_modes(Modes::MESSAGES | Modes::UPDATES).collect().await;
    assert_eq!(words(&events).join(" "), "run message:say message:say message:say update:say end");
    let text = events.iter().filter_map(|event| match &event.kind {
        EventKind::Message { id, text } if &**id == "answer" => Some(text.as_str()),
        _ => None,
    });
    assert_eq!(text.collect::<String>(), "The bees dance.");
}

#[tokio::test]
async fn events_of_waiting_tasks_come_while_they_run() {
    let go = Arc::new(tokio::sync::Notify::new());
    let mut g = Graph::<Trail>::new("live");
    for name in ["a", "b"] {
        let go = Arc::clone(&go);
        let node = g.node(name, move |cx| {
            let go = Arc::clone(&go);
            async move {
                cx.emit("waiting");
                if name == "b" {
                    go.notified().await;
                }
                Ok(mark(name))
            }
        });
        g.entry(node).edge(node, END);
    }
    let mut events = g.compile().unwrap().run(Trail::update()).stream();
    let mut seen = Vec::new();
    while !seen.contains(&"finish:a".to_string()) {
        seen.push(word(&events.next().await.unwrap()));
    }
    go.notify_one();
    assert_eq!(events.finish().await.unwrap().state.seen, ["a", "b"]);
}

#[tokio::test]
async fn a_failed_run_ends_with_one_event_that_says_why() {
    let mut g = Graph::<Trail>::new("fails");
    let (a, b) = (step(&mut g, "a"), step(&mut g, "b"));
    let c = g.node("c", |_cx| async { Err::<(), _>(NodeError::msg("no data")) });
    g.entry(a).edge(a, b).edge(a, c).edge(b, END).edge(c, END);
    let mut stream = g.compile().unwrap().run(Trail::update()).stream_modes(Modes::TASKS | Modes::VALUES);
    let mut events = Vec::new();
    while let Some(event) = stream.next().await {
        events.push(event);
    }
    assert!(stream.next().await.is_none(), "the end is the end");
    assert_eq!(words(&events).join(" "), "run values start:a finish:a values start:b start:c finish:b fail:c failed");
    let text = "graph `fails`: node `c` in step 2 (task 1) failed: no data";
    let last = events.last().unwrap();
    assert!(matches!(&last.kind, EventKind::RunFailed { error } if error == text));
    assert_eq!(last.step, 2);
    assert_eq!(stream.finish().await.unwrap_err().to_string(), text);
}

#[tokio::test]
async fn a_run_that_fails_before_its_first_step_says_so_in_its_events() {
    let mut g = Graph::<Trail>::new("entry");
    let a = step(&mut g, "a");
    g.entry_route(|_: &Trail| "b").edge(a, END);
    let events: Vec<_> = g.compile().unwrap().run(Trail::update()).stream().collect().await;
    assert_eq!(words(&events), ["run", "failed"]);
    assert_eq!(events[1].step, 0);
}

#[tokio::test]
async fn finish_runs_to_the_end_without_reading() {
    let stream = chain().run(Trail::update()).stream();
    assert_eq!(stream.finish().await.unwrap().state.seen, ["a", "b"]);
}

#[tokio::test]
async fn nothing_comes_after_the_end_of_a_run() {
    let (keep, kept) = tokio::sync::oneshot::channel::<Cx<Trail>>();
    let keep = std::sync::Mutex::new(Some(keep));
    let mut g = Graph::<Trail>::new("kept");
    let node = g.node("n", move |cx| {
        let keep = keep.lock().unwrap().take();
        async move {
            let _ = keep.map(|keep| keep.send(cx));
            Ok(())
        }
    });
    g.entry(node).edge(node, END);
    let mut stream = g.compile().unwrap().run(Trail::update()).stream();
    while !matches!(stream.next().await.unwrap().kind, EventKind::RunFinished { .. }) {}
    kept.await.unwrap().emit("too late");
    assert!(stream.next().await.is_none());
}

/// Runs `wanted` steps that emit one event each, on the run's own task.
fn counting(counter: &Arc<AtomicU64>) -> CompiledGraph<Trail> {
    let counter = Arc::clone(counter);
    let mut g = Graph::<Trail>::new("counting");
    let node = g.node("n", move |cx| {
        counter.fetch_add(1, Ordering::SeqCst);
        async move {
            cx.emit(cx.task().step);
            Ok(Trail::update().count(1))
        }
    });
    g.entry(node).route(node, move |s: &Trail| if s.count < 500 { node } else { END });
    g.compile().unwrap()
}

#[tokio::test]
async fn a_run_waits_for_a_slow_reader() {
    let steps = Arc::new(AtomicU64::new(0));
    let mut stream = counting(&steps).run(Trail::update()).stream_modes(Modes::CUSTOM);
    let mut furthest = 0;
    while let Some(event) = stream.next().await {
        tokio::task::yield_now().await;
        if let Some(step) = event.custom::<u64>() {
            furthest = furthest.max(steps.load(Ordering::SeqCst) - step);
        }
    }
    assert_eq!(steps.load(Ordering::SeqCst), 500);
    // The documented bound: one step and 64 events, of which each step here has one.
    assert!(furthest <= 65, "{furthest} steps ahead");
}

#[tokio::test]
async fn a_run_that_nobody_reads_does_not_move() {
    let steps = Arc::new(AtomicU64::new(0));
    let stream = counting(&steps).run(Trail::update()).stream();
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    assert_eq!(steps.load(Ordering::SeqCst), 0);
    assert_eq!(stream.finish().await.unwrap().steps, 500);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_wide_run_gives_each_task_its_events_in_order() {
    let mut g = Graph::<Trail>::new("wide");
    let work = g.task("work", |cx, n: u32| async move {
        for part in 0..3 {
            cx.emit((n, part));
            tokio::task::yield_now().await;
        }
        Ok(mark(n.to_string()))
    });
    g.entry_route(move |_: &Trail| (0..40).map(|n| work.send(n)).collect::<Sends>()).edge(work, END);
    let run: Run<Trail, _, _> = g.compile().unwrap().run(Trail::update());
    let events: Vec<_> = run.stream().collect().await;
    assert!(events.iter().map(|event| event.seq).eq(0..events.len() as u64));
    for task in 0..40 {
        let own: Vec<Event<Trail>> = events
            .iter()
            .filter(|event| event.task.as_ref().is_some_and(|place| place.index == task))
            .cloned()
            .collect();
        let order = "start:work custom:work custom:work custom:work update:work finish:work";
        assert_eq!(words(&own).join(" "), order);
        let parts: Vec<(u32, i32)> = own.iter().filter_map(|event| event.custom().copied()).collect();
        assert_eq!(parts, [0, 1, 2].map(|part| (task as u32, part)));
    }
    let ends = events.iter().filter(|event| matches!(event.kind, EventKind::RunFinished { .. })).count();
    assert_eq!(ends, 1);
}

#[derive(Clone, Debug, Default, State)]
struct Logged {
    #[reduce(append)]
    lines: Vec<String>,
    total: f64,
    #[reduce(untracked)]
    secret: String,
}

#[tokio::test]
async fn an_event_is_json_with_its_values_and_without_secrets() {
    let mut g = Graph::<Logged>::new("logged");
    let node = g.node("node", |cx: Cx<Logged>| async move {
        cx.emit(7);
        cx.message("m", "piece");
        Ok(Logged::update().lines(["one".to_string()]).total(1.5).secret("hidden".to_string()))
    });
    g.entry(node).edge(node, END);
    let mut events = g.compile().unwrap().run(Logged::update().lines(["in".to_string()])).stream_modes(Modes::ALL);
    let mut written = Vec::new();
    while let Some(event) = events.next().await {
        let value = serde_json::to_value(&event).unwrap();
        assert_eq!(value["seq"], event.seq);
        written.push(value);
    }
    let kinds: Vec<&str> = written.iter().map(|value| value["kind"].as_str().unwrap()).collect();
    let expected = [
        "run_started",
        "values",
        "step_started",
        "task_started",
        "custom",
        "message",
        "updated",
        "task_finished",
        "values",
        "step_finished",
        "run_finished",
    ];
    assert_eq!(kinds, expected);
    let update = &written[6];
    assert_eq!((&update["node"], &update["task"]), (&"node".into(), &0.into()));
    assert_eq!(update["update"], serde_json::json!({ "lines": ["one"], "total": 1.5 }));
    assert_eq!(written[8]["values"], serde_json::json!({ "lines": ["in", "one"], "total": 1.5 }));
    assert_eq!((&written[4]["value"], &written[5]["text"]), (&7.into(), &"piece".into()));
    assert_eq!(written[10]["end"], "complete");
    assert!(!serde_json::to_string(&written).unwrap().contains("hidden"));
}
