//! The engine's loops with a checkpoint stored after each step, in memory and in SQLite.

use research_core::checkpoint::{Checkpointer, MemoryCheckpointer};
use research_core::{CompiledGraph, Durability};
use research_core_sqlite::{SqliteCheckpointer, Synchronous};
use tokio::task::JoinSet;

use crate::folder::Folder;
use crate::measure::Pass;
use crate::research::{Work, counter};
use crate::side::{Disk, Open};

/// The loop, or with `item` bytes the appending loop, that keeps its checkpoints.
pub fn durable(limit: u64, item: Option<usize>, store: impl Checkpointer) -> CompiledGraph<Work> {
    counter(limit, item).with_checkpointer(store)
}

/// Runs it from its start on a thread.
pub async fn run(graph: &CompiledGraph<Work>, thread: &str, limit: u64) {
    let run = graph.run(Work::update()).thread(thread).durability(Durability::Sync).step_limit(limit);
    assert_eq!(run.await.unwrap().state.n, limit);
}

/// A thread in a new store in memory.
pub fn in_memory(limit: u64, item: Option<usize>) -> Pass {
    let graph = counter(limit, item);
    Box::new(move || {
        let graph = graph.clone().with_checkpointer(MemoryCheckpointer::new());
        Box::pin(async move { run(&graph, "t", limit).await })
    })
}

/// A store in `folder`.
pub async fn sqlite(folder: &Folder, synchronous: Synchronous) -> SqliteCheckpointer {
    SqliteCheckpointer::builder().synchronous(synchronous).open(folder.path().join("c.sqlite")).await.unwrap()
}

/// A thread in a new database.
pub fn on_disk(limit: u64, item: Option<usize>, synchronous: Synchronous) -> Open {
    Box::new(move || {
        Box::pin(async move {
            let folder = Folder::create().unwrap();
            let store = sqlite(&folder, synchronous).await;
            let graph = durable(limit, item, store.clone());
            let run = Box::pin(async move {
                run(&graph, "t", limit).await;
                Box::new(store) as _
            });
            Disk { run, folder }
        })
    })
}

/// Many threads at once in one new database.
pub fn threads_on_disk(threads: u64, limit: u64, synchronous: Synchronous) -> Open {
    Box::new(move || {
        Box::pin(async move {
            let folder = Folder::create().unwrap();
            let store = sqlite(&folder, synchronous).await;
            let graph = durable(limit, None, store.clone());
            let run = Box::pin(async move {
                let mut set = JoinSet::new();
                for thread in 0..threads {
                    let graph = graph.clone();
                    set.spawn(async move { run(&graph, &format!("t{thread}"), limit).await });
                }
                set.join_all().await;
                Box::new(store) as _
            });
            Disk { run, folder }
        })
    })
}
