//! Bytes on the disk after steps that each append a kilobyte.

use research_benches::folder::Folder;
use research_benches::research_store::{durable, run as run_thread, sqlite};
use research_core_sqlite::Synchronous;

pub async fn run(test: bool) {
    let steps = if test { 100 } else { 1_000 };
    let folder = Folder::create().unwrap();
    let store = sqlite(&folder, Synchronous::Full).await;
    let graph = durable(steps, Some(1_000), store.clone());
    run_thread(&graph, "t", steps).await;
    let open = folder.bytes().unwrap();
    assert_eq!(graph.thread("t").state().await.unwrap().unwrap().state.items.len() as u64, steps);
    assert!(open > steps * 1_000, "{open} bytes cannot hold all items");
    drop((graph, store));
    println!(
        "storage  SQLite: {steps} steps that append 1,000 bytes leave {:.2} MB with the log (target 4 MB), {:.2} MB when closed",
        open as f64 / 1e6,
        folder.bytes().unwrap() as f64 / 1e6,
    );
}
