//! Workers that run the same thread only while no other works on it, as processes.

use std::path::Path;
use std::time::Duration;

use research_core::{CompiledGraph, END, Graph, IfIdle, State};
use research_core_sqlite::SqliteCheckpointer;

use crate::roles::tell;

/// How long the lease of a worker lasts after its death.
pub(crate) const TERM: Duration = Duration::from_secs(4);

/// How often each of the workers that contend runs the thread.
pub(crate) const RUNS: usize = 8;

/// What workers count.
#[derive(Clone, Debug, Default, State)]
pub(crate) struct Count {
    #[reduce(add)]
    pub(crate) steps: usize,
}

/// A graph of three steps, of which the second hangs for a worker that is to be killed.
pub(crate) async fn graph(path: &Path, hangs: bool) -> CompiledGraph<Count> {
    let mut g = Graph::<Count>::new("count");
    let [first, second, third] = ["first", "second", "third"].map(|name| {
        g.node(name, move |cx| async move {
            if hangs && cx.node() == "second" {
                tell("hangs");
                std::future::pending::<()>().await;
            }
            tokio::time::sleep(Duration::from_millis(2)).await;
            Ok(Count::update().steps(1))
        })
    });
    g.entry(first)
        .edge(first, second)
        .edge(second, third)
        .edge(third, END);

    let store = SqliteCheckpointer::builder()
        .busy_timeout(Duration::from_secs(60))
        .open(path)
        .await
        .unwrap();
    g.compile().unwrap().with_checkpointer(store)
}

/// Runs the thread again and again, and waits for its turn each time.
pub(crate) async fn retry(path: &Path) {
    let graph = graph(path, false).await;
    for _ in 0..RUNS {
        let run = graph.run(Count::update()).thread("t");
        let turn = IfIdle::wait(Duration::from_secs(120));
        match run.if_idle(turn).await {
            Ok(done) => tell(&format!("done {}", done.state.steps)),
            Err(error) => tell(&format!("failed {error}")),
        }
    }
}

/// Begins to run the thread and never ends.
pub(crate) async fn hang(path: &Path) {
    let graph = graph(path, true).await;
    let run = graph.run(Count::update()).thread("t");
    let ended = run.if_idle(IfIdle::refuse().term(TERM)).await;
    tell(&format!("ended {ended:?}"));
}
