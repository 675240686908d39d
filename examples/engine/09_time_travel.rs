//! Time travel: a thread's history, any state in it, other branches, and changes from outside.
//!
//! A run on a *thread* leaves a checkpoint at each step. All of them can be read, and from each one another branch can go
//! on; the old branch stays. Run it with `cargo run --example 09_time_travel`.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use research_core::checkpoint::{CheckpointId, Prune};
use research_core::{Clock, CompiledGraph, Cx, END, Graph, MemoryCheckpointer, NodeError, State};
use serde::{Deserialize, Serialize};

type Failed = Box<dyn std::error::Error>;

#[derive(Clone, Default, Serialize, Deserialize, State)]
struct Essay {
    title: String,
    #[reduce(append)]
    drafts: Vec<String>,
}

/// A clock whose time is a second later whenever it is asked, so that this program prints the same every time.
#[derive(Clone, Debug, Default)]
struct Metronome(Arc<AtomicU64>);

impl Clock for Metronome {
    fn now(&self) -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs(self.0.fetch_add(1, Ordering::Relaxed))
    }
}

async fn name(_cx: Cx<Essay>) -> Result<EssayUpdate, NodeError> {
    Ok(Essay::update().title("On bees"))
}

async fn draft(cx: Cx<Essay>) -> Result<EssayUpdate, NodeError> {
    Ok(Essay::update().drafts([format!("{}, draft {}", cx.state.title, cx.state.drafts.len() + 1)]))
}

fn graph() -> Result<CompiledGraph<Essay>, Failed> {
    let mut g = Graph::<Essay>::new("essay");
    let (name, draft) = (g.node("name", name), g.node("draft", draft));
    g.entry(name).edge(name, draft);
    g.route_to(draft, [draft, END], move |s: &Essay| if s.drafts.len() < 2 { draft } else { END });
    Ok(g.compile()?.with_checkpointer(MemoryCheckpointer::new()))
}

#[tokio::main]
async fn main() -> Result<(), Failed> {
    let graph = graph()?;
    let (thread, clock) = (graph.thread("essay"), Metronome::default());
    graph.run(Essay::update()).thread("essay").clock(clock.clone()).await?;

    // Every step, newest first: its number, what it was made from, what ran in it, and what was due then.
    println!("history:\n{}", thread.history().await?);

    // The state at any of them.
    let second = CheckpointId(2);
    let then = thread.state_at(second).await?;
    println!("at {second}: {:?}, {} drafts, next {:?}\n", then.state.title, then.state.drafts.len(), then.next);

    // Another branch from there, with another title. The update counts as one of the node `name`, so that its edge leads on.
    thread.update(Essay::update().title("On wasps")).as_node("name").from_checkpoint(second).await?;
    let other = graph.resume().thread("essay").clock(clock.clone()).await?;
    println!("another branch: {}", other.state.drafts.join("; "));

    // The old branch is where it was: from its end, too, one can go on.
    let before_the_last = CheckpointId(3);
    let again = graph.resume().thread("essay").from_checkpoint(before_the_last).clock(clock).await?;
    println!("the old branch: {}\n", again.state.drafts.join("; "));
    println!("history:\n{}", thread.history().await?);

    // The whole thread as a picture: how often each node ran, and for how long.
    println!("{}", graph.to_mermaid_with(&thread.visits().await?));

    // A copy lives on its own, and what is not needed any more can go.
    thread.copy_to("copy").await?;
    let removed = thread.prune(&Prune::keep_last(1)).await?;
    let (kept, copied) = (thread.history().await?, graph.thread("copy").history().await?);
    println!("{removed} pruned, {} kept; {} in the copy", kept.moments().len(), copied.moments().len());
    println!("still there: {}", thread.state().await?.ok_or("the thread is gone")?.state.drafts.join("; "));
    Ok(())
}
