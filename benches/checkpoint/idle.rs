//! The memory that threads cost which have run and wait for more.

use research_benches::folder::Folder;
use research_benches::memory::resident;
use research_benches::research_store::{durable, run as run_thread, sqlite};
use research_core_sqlite::Synchronous;

/// Steps of each thread.
const STEPS: u64 = 10;

pub async fn run(test: bool) {
    let threads = if test { 20 } else { 10_000 };
    let folder = Folder::create().unwrap();
    let store = sqlite(&folder, Synchronous::Normal).await;
    let graph = durable(STEPS, None, store);
    // What the first runs allocate for good is no matter of the number of threads.
    for thread in 0..threads / 10 {
        run_thread(&graph, &format!("first {thread}"), STEPS).await;
    }
    let before = resident();
    for thread in 0..threads {
        run_thread(&graph, &format!("t{thread}"), STEPS).await;
    }
    let after = resident();
    let last = graph.thread(format!("t{}", threads - 1)).state().await.unwrap().unwrap();
    assert_eq!(last.state.n, STEPS);
    println!(
        "idle     SQLite: {threads} threads that have run: resident memory {:.1} MB before, {:.1} MB after ({:+.0} bytes a thread), {:.1} MB on the disk",
        before as f64 / 1e6,
        after as f64 / 1e6,
        (after as f64 - before as f64) / threads as f64,
        folder.bytes().unwrap() as f64 / 1e6,
    );
}
