//! Reading the newest state of a thread with a short and with a long history.

use std::time::Instant;

use research_benches::folder::Folder;
use research_benches::research_store::{durable, run as run_thread, sqlite};
use research_core::checkpoint::{Checkpointer, MemoryCheckpointer};
use research_core_sqlite::Synchronous;

pub async fn run(test: bool) {
    measure("memory", MemoryCheckpointer::new(), test).await;
    let folder = Folder::create().unwrap();
    measure("SQLite", sqlite(&folder, Synchronous::Normal).await, test).await;
}

async fn measure(name: &str, store: impl Checkpointer + Clone, test: bool) {
    let (long, reads) = if test { (100, 1) } else { (10_000, 2_001) };
    // A run writes the checkpoint of its input too.
    let lengths = [10, long].map(|checkpoints| checkpoints - 1);
    let graphs = lengths.map(|steps| durable(steps, None, store.clone()));
    for (graph, steps) in graphs.iter().zip(lengths) {
        run_thread(graph, &steps.to_string(), steps).await;
    }
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..reads {
        for ((graph, steps), times) in graphs.iter().zip(lengths).zip(&mut times) {
            let started = Instant::now();
            let read = graph.thread(steps.to_string()).state().await.unwrap().unwrap();
            times.push(started.elapsed());
            assert_eq!(read.state.n, steps);
        }
    }
    let [short, long_] = times.map(|mut times| {
        times.sort_unstable();
        times[times.len() / 2]
    });
    println!(
        "history  {name}: state() of a thread with 10 checkpoints {short:.1?}, with {long} {long_:.1?}: ratio {:.2} (target 2)",
        long_.as_secs_f64() / short.as_secs_f64(),
    );
}
