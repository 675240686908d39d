//! Memory and disk over a very long run whose old checkpoints are removed as it goes on.

use std::sync::Arc;

use research_benches::folder::Folder;
use research_benches::memory::resident;
use research_benches::research_store::sqlite;
use research_core::checkpoint::{Checkpointer, MemoryCheckpointer, Prune};
use research_core::{Durability, END, Graph, State};
use research_core_sqlite::Synchronous;

const THREAD: &str = "t";
/// Checkpoints that stay when others are removed.
const KEEP: usize = 100;

#[derive(Clone, Debug, Default, State)]
struct Work {
    n: u64,
}

pub async fn run(test: bool) {
    let steps = if test { 2_000 } else { 1_000_000 };
    soak("memory", MemoryCheckpointer::new(), steps, || 0).await;
    let folder = Folder::create().unwrap();
    soak("SQLite", sqlite(&folder, Synchronous::Normal).await, steps, || folder.bytes().unwrap()).await;
}

async fn soak(name: &str, store: impl Checkpointer + Clone, steps: u64, disk: impl Fn() -> u64) {
    let pruned = Arc::new(store.clone());
    let (marks, mut reached) = tokio::sync::mpsc::unbounded_channel();
    let mut g = Graph::<Work>::new("soak");
    let step = g.node("step", move |cx| {
        let (pruned, marks) = (Arc::clone(&pruned), marks.clone());
        async move {
            let n = cx.state.n + 1;
            if n % 1_000 == 0 {
                pruned.prune(THREAD, &Prune::keep_last(KEEP)).await?;
            }
            if n % (steps / 10) == 0 {
                marks.send((n, resident())).unwrap();
            }
            Ok(Work::update().n(n))
        }
    });
    g.entry(step).route(step, move |s: &Work| if s.n < steps { step } else { END });
    let graph = g.compile().unwrap().with_checkpointer(store.clone());
    let run = graph.run(Work::update()).thread(THREAD).durability(Durability::Sync).step_limit(steps);
    let printing = async {
        while let Some((n, bytes)) = reached.recv().await {
            println!(
                "soak     {name}: {n:>9} steps, resident memory {:.1} MB, disk {:.1} MB",
                bytes as f64 / 1e6,
                disk() as f64 / 1e6
            );
            if n == steps {
                break;
            }
        }
    };
    let (done, ()) = tokio::join!(run.into_future(), printing);
    assert_eq!(done.unwrap().state.n, steps);
    let kept = graph.thread(THREAD).history().await.unwrap().moments().len();
    assert!(kept <= KEEP + 1_000, "{kept} checkpoints are left");
}
