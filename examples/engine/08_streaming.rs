//! Streaming: what happens in a run, while it happens, for one reader or for many.
//!
//! A run has one ordered log of events. A stream chooses kinds of them; more readers may follow at their own pace, join late,
//! or read again. Run it with `cargo run --example 08_streaming`.

use futures::StreamExt;
use research_core::{CompiledGraph, Cx, END, EventKind, Graph, Modes, NodeError, SlowReader, State, StreamOptions};
use serde::Serialize;

type Failed = Box<dyn std::error::Error>;

#[derive(Clone, Default, State)]
struct Chat {
    question: String,
    answer: String,
    words: usize,
}

/// Anything that serde can write may be an event of yours; a reader gets it back with its type, or as JSON.
#[derive(Clone, Serialize)]
struct Progress {
    done: usize,
    of: usize,
}

async fn answer(cx: Cx<Chat>) -> Result<ChatUpdate, NodeError> {
    let words = ["Bees", "dance", "in", "the", "dark."];
    for (done, word) in (1..).zip(words) {
        // Here a model would write token by token. Nobody waits: what is written goes into the log.
        cx.message("reply", format!("{word} "));
        cx.emit(Progress { done, of: words.len() });
    }
    Ok(Chat::update().answer(words.join(" ")))
}

async fn count(cx: Cx<Chat>) -> Result<ChatUpdate, NodeError> {
    Ok(Chat::update().words(cx.state.answer.split(' ').count()))
}

fn graph() -> Result<CompiledGraph<Chat>, Failed> {
    let mut g = Graph::<Chat>::new("chat");
    let (answer, count) = (g.node("answer", answer), g.node("count", count));
    g.entry(answer).edge(answer, count).edge(count, END);
    Ok(g.compile()?)
}

#[tokio::main]
async fn main() -> Result<(), Failed> {
    let graph = graph()?;
    let input = || Chat::update().question("How do bees tell the way?");

    // What a chat window shows: the pieces of a message, and nothing else.
    let mut events = graph.run(input()).stream_modes(Modes::MESSAGES);
    let mut shown = String::new();
    while let Some(event) = events.next().await {
        if let EventKind::Message { text, .. } = &event.kind {
            shown.push_str(text);
        }
    }
    println!("messages: {}", shown.trim_end());

    // What a progress bar needs: a node's own events, with their type.
    let mut events = graph.run(input()).stream_modes(Modes::CUSTOM);
    let mut bar = Vec::new();
    while let Some(event) = events.next().await {
        bar.extend(event.custom::<Progress>().map(|progress| format!("{}/{}", progress.done, progress.of)));
    }
    println!("custom: {}", bar.join(" "));

    // The state before the first step and after each one.
    let mut events = graph.run(input()).stream_modes(Modes::VALUES);
    while let Some(event) = events.next().await {
        if let EventKind::Values(state) = &event.kind {
            println!("values after step {}: {} words", event.step, state.words);
        }
    }

    // All of it, in order. A node's own events come before its update.
    let events = graph.run(input()).stream_modes(Modes::ALL);
    let log = events.log();
    // The owner of the stream advances the run. Other readers follow, in any task or thread, and never hold it up.
    let follower = tokio::spawn(log.read_from(0).map(|event| name(&event.kind)).collect::<Vec<_>>());
    events.finish().await?;
    let names = follower.await?;
    println!("second reader: {}", names.join(" "));
    let again = log.read_from(names.len() as u64 - 3).map(|event| name(&event.kind)).collect::<Vec<_>>().await;
    println!("again from the third last: {}", again.join(" "));

    // Only so much is kept for those who come late. What they missed is one event that says so.
    let events = graph.run(input()).stream_with(StreamOptions::new().keep(3));
    let log = events.log();
    events.finish().await?;
    let late = log.read_from(0).map(|event| name(&event.kind)).collect::<Vec<_>>().await;
    println!("late reader: {}", late.join(" "));

    // The owner of the stream may be slow, too: then the run waits between steps, unless it was told to drop events.
    let options = StreamOptions::new().modes(Modes::CUSTOM).slow_reader(SlowReader::Drop).buffer(2);
    let slow = graph.run(input()).stream_with(options).map(|event| name(&event.kind)).collect::<Vec<_>>().await;
    println!("slow reader: {}", slow.join(" "));
    Ok(())
}

fn name(kind: &EventKind<Chat>) -> String {
    let name = match kind {
        EventKind::Message { .. } => "message",
        EventKind::Custom(_) => "custom",
        EventKind::Updated(_) => "update",
        EventKind::Values(_) => "values",
        EventKind::StepStarted { .. } => "step{",
        EventKind::StepFinished => "}step",
        EventKind::TaskStarted => "task{",
        EventKind::TaskFinished { .. } => "}task",
        EventKind::RunStarted { .. } => "run{",
        EventKind::RunFinished { .. } => "}run",
        EventKind::Gap { from, to } => return format!("gap({from}..={to})"),
        _ => "other",
    };
    name.to_string()
}
