//! A rolling deployment: the processes of the old version run threads while one of the new version takes them over one by one.

use std::io::{BufRead, stdin};
use std::path::Path;
use std::time::Duration;

use futures::future::join_all;
use research_core::{
    CompiledGraph, Cx, END, ErrorKind, Graph, Migration, OnChange, RunError, State, ThreadError,
};
use research_core_sqlite::SqliteCheckpointer;
use serde_json::json;

use crate::roles::tell;

/// Threads that the old version runs.
pub(crate) const THREADS: usize = 50;
/// Those of them that end on the old version before the new one starts.
pub(crate) const EARLY: usize = 10;
/// Those that end on the old version while the new one is there and is refused.
pub(crate) const HEALTHY: usize = 15;

const ROUNDS: usize = 12;
const GATE: usize = 6;

/// The state of the old version.
#[derive(Clone, Debug, Default, State)]
struct Old {
    note: String,
    count: u32,
    #[reduce(append)]
    items: Vec<u32>,
}

/// A field was added, one was renamed, and one has another type.
#[derive(Clone, Debug, Default, State)]
struct New {
    remark: String,
    count: String,
    #[reduce(append)]
    items: Vec<u32>,
    added: u32,
}

/// Where the old version waits for the test, by the thread.
struct Place {
    gate: Option<std::path::PathBuf>,
}

/// What opens the gate of a thread.
pub(crate) fn gate(path: &Path, thread: usize) -> Option<std::path::PathBuf> {
    match thread {
        0..EARLY => None,
        EARLY..HEALTHY => Some(path.with_extension("healthy")),
        _ => Some(path.with_extension("taken")),
    }
}

fn old() -> CompiledGraph<Old, Place> {
    let mut g = Graph::<Old, Place>::new("rounds");
    let work = g.node("work", |cx: Cx<Old, Place>| async move {
        let round = cx.state.items.len();
        if round == GATE
            && let Some(gate) = &cx.resources.gate
        {
            tell(&format!("waits {}", cx.thread().unwrap_or_default()));
            while !gate.exists() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        }
        let update = Old::update()
            .count(cx.state.count + 1)
            .note(format!("round {round}"));
        Ok(update.items([u32::try_from(round)?]))
    });
    g.entry(work).route(
        work,
        move |s: &Old| if s.items.len() < ROUNDS { work } else { END },
    );
    g.compile().unwrap()
}

fn new() -> CompiledGraph<New> {
    let mut g = Graph::<New>::new("rounds");
    let labor = g.node("labor", |cx: Cx<New>| async move {
        let round = cx.state.items.len();
        let count: u32 = cx.state.count.parse()?;
        let update = New::update()
            .count((count + 1).to_string())
            .remark(format!("round {round}"))
            .added(1);
        Ok(update.items([u32::try_from(round)?]))
    });
    g.entry(labor).route(
        labor,
        move |s: &New| if s.items.len() < ROUNDS { labor } else { END },
    );
    g.compile().unwrap()
}

fn migration() -> Migration {
    Migration::new(|thread| {
        thread.rename_field("note", "remark");
        if let Some(count) = thread.field("count").filter(serde_json::Value::is_number) {
            thread.put_field("count", json!(count.to_string()));
        }
        thread.rename_node("work", "labor");
        Ok(())
    })
}

/// The old version: runs all threads at once, and tells how each of them ended.
pub(crate) async fn version_1(path: &Path) {
    let graph = old().with_checkpointer(SqliteCheckpointer::open(path).await.unwrap());
    join_all((0..THREADS).map(|thread| {
        let place = Place {
            gate: gate(path, thread),
        };
        let run = graph
            .run(Old::update())
            .resources(place)
            .thread(format!("{thread}"));
        async move {
            match run.await {
                Ok(done) => tell(&format!("done {thread} {}", done.state.items.len())),
                Err(error) if error.is_thread_conflict() => tell(&format!("lost {thread}")),
                Err(error) => tell(&format!("failed {thread}: {error}")),
            }
        }
    }))
    .await;
}

fn is_refused(error: &RunError) -> bool {
    matches!(error.kind(), ErrorKind::Thread(ThreadError::Changed { .. }))
}

/// The new version: is refused on every thread at first, as one that was deployed without its migration, and then takes them over
/// one by one.
pub(crate) async fn version_2(path: &Path) {
    let graph = new().with_checkpointer(SqliteCheckpointer::open(path).await.unwrap());
    for thread in (0..THREADS).map(|thread| thread.to_string()) {
        for policy in [OnChange::Refuse, OnChange::ContinueIfCompatible] {
            let graph = graph.clone().on_change(policy);
            assert!(is_refused(
                &graph.resume().thread(&*thread).await.unwrap_err()
            ));
            assert!(is_refused(
                &graph.run(New::update()).thread(&*thread).await.unwrap_err()
            ));
            let update = graph
                .thread(&*thread)
                .update(New::update())
                .as_node("labor")
                .await;
            assert!(is_refused(&update.unwrap_err()));
        }
    }
    tell("refused");
    let mut line = String::new();
    stdin().lock().read_line(&mut line).unwrap();

    let graph = graph.on_change(OnChange::Migrate(migration()));
    for thread in 0..THREADS {
        let done = graph.resume().thread(thread.to_string()).await.unwrap();
        let New {
            remark,
            count,
            items,
            added,
        } = &done.state;
        tell(&format!(
            "took {thread} {} {remark:?} {count} {items:?} {added}",
            done.is_complete()
        ));
    }
}

/// What the new version says of a thread that it took over at the gate, or that was complete.
pub(crate) fn expected(thread: usize) -> String {
    let items: Vec<usize> = (0..ROUNDS).collect();
    let added = u32::from(thread >= HEALTHY);
    format!(
        "took {thread} true \"round {}\" {ROUNDS} {items:?} {added}",
        ROUNDS - 1
    )
}
