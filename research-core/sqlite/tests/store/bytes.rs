//! Fields of bytes: what they take on the disk, and threads that an earlier version of the library wrote.

use std::collections::BTreeMap;
use std::path::Path;

use research_core::checkpoint::Prune;
use research_core::reduce::{Change, Identified};
use research_core::{CompiledGraph, END, Graph, Migration, NodeError, OnChange, State, Targets};
use research_core_sqlite::SqliteCheckpointer;
use rusqlite::Connection;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::support::bytes;

/// The rows of a database in which [`album`] waits for a caption, as an earlier version of the library wrote them: every
/// array of bytes is a list of numbers.
const EARLIER: &str = include_str!("bytes.sql");

/// Rounds of `scan`.
const ROUNDS: u64 = 4;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Print {
    id: String,
    data: Vec<u8>,
}

impl Identified for Print {
    fn id(&self) -> &str {
        &self.id
    }
}

/// Bytes in a field of every reducer.
#[derive(Clone, Debug, Default, PartialEq, State)]
struct Album {
    rounds: u64,
    cover: Vec<u8>,
    #[reduce(append)]
    pages: Vec<u8>,
    #[reduce(append)]
    thumbnails: Vec<Vec<u8>>,
    #[reduce(merge)]
    by_name: BTreeMap<String, Vec<u8>>,
    #[reduce(by_id)]
    prints: Vec<Print>,
}

fn print(id: u64) -> Change<Print> {
    Change::Put(Print {
        id: format!("print {}", id % 2),
        data: bytes(300 + id, 40),
    })
}

/// Scans in rounds, then develops a print and asks for a caption, after a shot that is taken once.
fn album() -> Graph<Album> {
    let mut g = Graph::<Album>::new("album");
    let develop = g.task("develop", |_cx, film: Vec<u8>| async move {
        Ok(Album::update().by_name([("film".to_owned(), film)]))
    });
    let caption = g.node("caption", |cx| async move {
        let shot: Vec<u8> = cx
            .once("shot", async { Ok::<_, NodeError>(bytes(400, 40)) })
            .await?;
        let caption: Vec<u8> = cx.interrupt(("caption", "What is it?")).await?;
        Ok(Album::update().cover(caption).pages(shot))
    });
    let scan = g.node("scan", |cx| async move {
        let round = cx.state.rounds;
        Ok(Album::update()
            .rounds(round + 1)
            .cover(bytes(round, 60))
            .pages(bytes(100 + round, 50))
            .thumbnails([bytes(200 + round, 30), vec![1, 2, 3]])
            .by_name([(format!("page {round}"), bytes(500 + round, 20))])
            .prints([print(round)]))
    });
    g.entry(scan).edge(develop, END).edge(caption, END);
    g.route(scan, move |s: &Album| match s.rounds < ROUNDS {
        true => Targets::from(scan),
        false => Targets::from(caption).and(develop.send(bytes(600, 45))),
    });
    g
}

/// The album once it has its caption.
fn finished() -> Album {
    let rounds = 0..ROUNDS;
    let mut by_name: BTreeMap<_, _> = rounds
        .clone()
        .map(|round| (format!("page {round}"), bytes(500 + round, 20)))
        .collect();
    by_name.insert("film".to_owned(), bytes(600, 45));
    Album {
        rounds: ROUNDS,
        cover: vec![200, 100],
        pages: rounds
            .clone()
            .flat_map(|round| bytes(100 + round, 50))
            .chain(bytes(400, 40))
            .collect(),
        thumbnails: rounds
            .clone()
            .flat_map(|round| [bytes(200 + round, 30), vec![1, 2, 3]])
            .collect(),
        by_name,
        prints: [2, 3]
            .map(|id| match print(id) {
                Change::Put(print) => print,
                Change::Remove(_) => unreachable!(),
            })
            .into(),
    }
}

async fn open(path: &Path) -> CompiledGraph<Album> {
    let store = SqliteCheckpointer::open(path).await.unwrap();
    album().compile().unwrap().with_checkpointer(store)
}

/// A database with the rows that an earlier version of the library wrote.
async fn earlier(path: &Path) {
    drop(SqliteCheckpointer::open(path).await.unwrap());
    let db = Connection::open(path).unwrap();
    db.execute_batch(EARLIER).unwrap();
    let holds_a_number_in_two_bytes: bool = db
        .query_row(
            "SELECT instr(data, x'dc0028ccc2') = 1 FROM record WHERE name = 'shot'",
            [],
            |row| row.get(0),
        )
        .unwrap();
    assert!(holds_a_number_in_two_bytes);
}

/// Sum of the lengths of all bodies and records.
fn stored(path: &Path) -> i64 {
    let db = Connection::open(path).unwrap();
    let sum = "SELECT (SELECT sum(length(body)) FROM checkpoint) + (SELECT sum(length(data)) FROM record)";
    db.query_row(sum, [], |row| row.get(0)).unwrap()
}

#[tokio::test]
async fn a_thread_that_an_earlier_version_wrote_is_resumed() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("threads.db");
    earlier(&path).await;
    let graph = open(&path).await;

    let before = graph.thread("t").state().await.unwrap().unwrap();
    let done = graph
        .resume()
        .thread("t")
        .answer(json!([200, 100]))
        .await
        .unwrap();

    assert_eq!(before.state.pages, finished().pages[..200]);
    assert_eq!(done.state, finished());
    let read = graph.thread("t").state().await.unwrap().unwrap();
    assert_eq!(read.state, finished());
}

#[tokio::test]
async fn every_checkpoint_of_an_earlier_version_can_be_gone_back_to() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("threads.db");
    earlier(&path).await;
    let graph = open(&path).await;

    let history = graph.thread("t").history().await.unwrap();

    assert_eq!(history.moments().len(), 5);
    for moment in history.moments() {
        let fork = graph.run_or_resume(Album::update()).thread("t");
        let stopped = fork.from_checkpoint(moment.checkpoint).await.unwrap();
        assert_eq!(stopped.questions().len(), 1, "from {}", moment.checkpoint);
        let done = graph.resume().thread("t").answer(json!([200, 100]));
        assert_eq!(
            done.await.unwrap().state,
            finished(),
            "from {}",
            moment.checkpoint
        );
    }
}

#[tokio::test]
async fn a_history_of_both_forms_is_pruned_without_a_loss() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("threads.db");
    earlier(&path).await;
    let graph = open(&path).await;
    let done = graph.resume().thread("t").answer(json!([200, 100]));
    done.await.unwrap();

    graph.thread("t").prune(&Prune::keep_last(1)).await.unwrap();

    let read = graph.thread("t").state().await.unwrap().unwrap();
    assert_eq!(read.state, finished());
    assert_eq!(
        graph.thread("t").history().await.unwrap().moments().len(),
        1
    );
}

#[tokio::test]
async fn a_migration_sees_bytes_of_both_forms_as_numbers() {
    let directory = tempfile::tempdir().unwrap();
    for is_earlier in [true, false] {
        let path = directory.path().join(format!("{is_earlier}.db"));
        match is_earlier {
            true => earlier(&path).await,
            false => drop(
                open(&path)
                    .await
                    .run(Album::update())
                    .thread("t")
                    .await
                    .unwrap(),
            ),
        }
        let migration = Migration::new(|thread| {
            let pages = thread.take_field("pages").unwrap_or_default();
            assert_eq!(pages, json!(finished().pages[..200]));
            thread.put_field("pages", json!(bytes(1, 30)));
            thread.map_inputs("develop", |film| {
                assert_eq!(film, json!(bytes(600, 45)));
                film
            });
            Ok(())
        });
        let store = SqliteCheckpointer::open(&path).await.unwrap();
        let graph = album()
            .version(2)
            .compile()
            .unwrap()
            .with_checkpointer(store);
        let graph = graph.on_change(OnChange::Migrate(migration));

        let done = graph.resume().thread("t").answer(json!([200, 100]));

        let pages = [bytes(1, 30), bytes(400, 40)].concat();
        assert_eq!(
            done.await.unwrap().state,
            Album {
                pages,
                ..finished()
            }
        );
    }
}

#[tokio::test]
async fn bytes_take_hardly_more_than_their_number() {
    let directory = tempfile::tempdir().unwrap();
    let (earlier_path, path) = (
        directory.path().join("earlier.db"),
        directory.path().join("now.db"),
    );
    earlier(&earlier_path).await;

    drop(
        open(&path)
            .await
            .run(Album::update())
            .thread("t")
            .await
            .unwrap(),
    );

    let (before, now) = (stored(&earlier_path), stored(&path));
    assert!(now * 5 < before * 4, "{now} bytes, {before} bytes before");
}
