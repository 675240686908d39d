//! Whatever is done to it, the SQLite store gives the answers of the store in memory.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use proptest::prelude::*;
use research_core::checkpoint::{
    Batch, CheckpointId, CheckpointRecord, Checkpointer, Claim, Header, MemoryCheckpointer,
    Metadata, Origin, Prune, Query, RecordKey, RecordKind, StoreError, StoreErrorKind, TaskRecord,
    ThreadKey,
};
use research_core_sqlite::{SqliteCheckpointer, Synchronous};

use crate::support::body;

const THREADS: [&str; 3] = ["a", "b", "c"];
const NAMESPACES: [&str; 2] = ["", "child"];
const RUNS: [&str; 3] = ["run-1", "run-2", "run-3"];

#[derive(Clone, Debug)]
enum Step {
    Claim {
        key: usize,
        at: Option<u64>,
    },
    /// A batch under one of the claims that were made.
    Put {
        claim: usize,
        checkpoints: Vec<New>,
        records: Vec<Note>,
        removed: Vec<Note>,
        settled: Vec<u64>,
    },
    DeleteThread(usize),
    DeleteRun(usize, usize),
    Copy(usize, usize),
    Prune {
        thread: usize,
        keep: usize,
        before: Option<u64>,
        keep_interrupted: bool,
    },
    List {
        key: usize,
        before: Option<u64>,
        limit: Option<usize>,
        run: Option<usize>,
        n: Option<u8>,
    },
    Threads {
        after: Option<usize>,
        limit: usize,
    },
}

/// A checkpoint; its number and base are relative to the newest.
#[derive(Clone, Debug)]
struct New {
    ahead: i64,
    whole: bool,
    base_back: u64,
    run: usize,
    at: u64,
    n: u8,
    sound: bool,
}

#[derive(Clone, Debug)]
struct Note {
    back: u64,
    task: u32,
    kind: RecordKind,
    name: &'static str,
    data: u8,
}

fn new() -> impl Strategy<Value = New> {
    let ahead = prop_oneof![16 => Just(1_i64), 1 => Just(0), 1 => Just(2), 1 => Just(-2)];
    (
        ahead,
        prop::bool::weighted(0.25),
        0..4_u64,
        0..3_usize,
        0..20_u64,
        0..3_u8,
        prop::bool::weighted(0.97),
    )
        .prop_map(|(ahead, whole, base_back, run, at, n, sound)| New {
            ahead,
            whole,
            base_back: if base_back == 3 { 1 } else { 0 },
            run,
            at,
            n,
            sound,
        })
}

fn note() -> impl Strategy<Value = Note> {
    let kind = prop::sample::select(vec![
        RecordKind::Done,
        RecordKind::Failed,
        RecordKind::Question,
        RecordKind::Answer,
        RecordKind::Once,
    ]);
    (
        0..3_u64,
        0..3_u32,
        kind,
        prop::sample::select(vec!["", "q"]),
        any::<u8>(),
    )
        .prop_map(|(back, task, kind, name, data)| Note {
            back,
            task,
            kind,
            name,
            data,
        })
}

fn step() -> impl Strategy<Value = Step> {
    let put = (
        prop_oneof![9 => Just(0_usize), 1 => 0..4_usize],
        prop::collection::vec(new(), 0..4),
        prop::collection::vec(note(), 0..3),
        prop::collection::vec(note(), 0..2),
        prop::collection::vec(0..3_u64, 0..2),
    )
        .prop_map(
            |(claim, checkpoints, records, removed, settled)| Step::Put {
                claim,
                checkpoints,
                records,
                removed,
                settled,
            },
        );
    let list = (
        0..6_usize,
        prop::option::of(0..12_u64),
        prop::option::of(0..5_usize),
        prop::option::of(0..3_usize),
        prop::option::of(0..3_u8),
    )
        .prop_map(|(key, before, limit, run, n)| Step::List {
            key,
            before,
            limit,
            run,
            n,
        });
    prop_oneof![
        4 => (0..6_usize, prop::option::weighted(0.3, 0..12_u64)).prop_map(|(key, at)| Step::Claim { key, at }),
        16 => put,
        1 => (0..3_usize).prop_map(Step::DeleteThread),
        2 => (0..3_usize, 0..3_usize).prop_map(|(thread, run)| Step::DeleteRun(thread, run)),
        1 => (0..3_usize, 0..3_usize).prop_map(|(from, to)| Step::Copy(from, to)),
        2 => (0..3_usize, 0..5_usize, prop::option::of(0..20_u64), any::<bool>())
            .prop_map(|(thread, keep, before, keep_interrupted)| Step::Prune { thread, keep, before, keep_interrupted }),
        2 => list,
        1 => (prop::option::of(0..3_usize), 0..4_usize).prop_map(|(after, limit)| Step::Threads { after, limit }),
    ]
}

fn key(number: usize) -> ThreadKey {
    ThreadKey::new(THREADS[number / 2], NAMESPACES[number % 2])
}

fn time(at: u64) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(at)
}

/// A store, the claims that were made on it, newest first, and what each thread's writer takes for the newest checkpoint.
struct Driven<C> {
    store: C,
    claims: Vec<(usize, u64)>,
    newest: [u64; 6],
}

fn kind<T>(result: Result<T, StoreError>) -> Result<T, StoreErrorKind> {
    result.map_err(|error| error.kind())
}

impl<C: Checkpointer> Driven<C> {
    fn new(store: C) -> Self {
        Self {
            store,
            claims: Vec::new(),
            newest: [0; 6],
        }
    }

    /// Does a step; gives the answer as text.
    async fn take(&mut self, step: &Step) -> String {
        let store = &self.store;
        match step {
            Step::Claim { key: number, at } => {
                let claim = kind(store.claim(&key(*number), at.map(CheckpointId)).await);
                if let Ok(Claim { epoch, head, .. }) = &claim {
                    self.claims.insert(0, (*number, *epoch));
                    self.newest[*number] = head.map_or(0, |head| head.0);
                }
                // Epochs are each store's own.
                format!("{:?}", claim.map(|claim| (claim.head, claim.loaded)))
            }
            Step::Put { claim, .. } => {
                let Some((number, epoch)) = self.claims.get(*claim).copied() else {
                    return String::new();
                };
                let batch = self.batch(number, step);
                let newest = batch
                    .checkpoints
                    .last()
                    .map(|checkpoint| checkpoint.header.id.0);
                let done = kind(store.put(&key(number), epoch, batch).await);
                if let (Ok(()), Some(newest)) = (&done, newest) {
                    self.newest[number] = newest;
                }
                format!("{done:?}")
            }
            Step::DeleteThread(thread) => {
                format!("{:?}", kind(store.delete_thread(THREADS[*thread]).await))
            }
            Step::DeleteRun(thread, run) => {
                format!(
                    "{:?}",
                    kind(store.delete_run(THREADS[*thread], RUNS[*run]).await)
                )
            }
            Step::Copy(from, to) => format!(
                "{:?}",
                kind(store.copy_thread(THREADS[*from], THREADS[*to]).await)
            ),
            Step::Prune {
                thread,
                keep,
                before,
                keep_interrupted,
            } => {
                let mut prune = Prune::keep_last(*keep).keep_interrupted(*keep_interrupted);
                prune.made_before = before.map(time);
                format!("{:?}", kind(store.prune(THREADS[*thread], &prune).await))
            }
            Step::List {
                key: number,
                before,
                limit,
                run,
                n,
            } => {
                let mut query = Query::all();
                query.before = before.map(CheckpointId);
                query.limit = *limit;
                query.run = run.map(|run| RUNS[run].to_owned());
                if let Some(n) = n {
                    query = query.metadata("n", *n);
                }
                format!("{:?}", kind(store.list(&key(*number), &query).await))
            }
            Step::Threads { after, limit } => {
                format!(
                    "{:?}",
                    kind(
                        store
                            .threads(after.map(|after| THREADS[after]), *limit)
                            .await
                    )
                )
            }
        }
    }

    fn batch(&self, number: usize, step: &Step) -> Batch {
        let mut batch = Batch::default();
        let Step::Put {
            checkpoints,
            records,
            removed,
            settled,
            ..
        } = step
        else {
            return batch;
        };
        let mut newest = self.newest[number];
        for New {
            ahead,
            whole,
            base_back,
            run,
            at,
            n,
            sound,
        } in checkpoints
        {
            let id = newest.saturating_add_signed(*ahead).max(1);
            // A chain begins with a whole body: number 1 and every fourth.
            let base = if *whole || id == 1 {
                id
            } else {
                ((id - 1) / 4 * 4).max(1) + base_back
            };
            let parent = (id > 1).then(|| CheckpointId(id - 1));
            let metadata = if *n == 0 {
                Metadata::new()
            } else {
                [("n".to_owned(), (*n).into())].into()
            };
            let header = Header::new(
                CheckpointId(id),
                parent,
                CheckpointId(base.min(id)),
                RUNS[*run].into(),
                time(*at),
                id,
                Origin::Step,
                Arc::new(metadata),
                vec![*n],
            );
            let body = if *sound {
                body(base != id, "notes", &id.to_be_bytes())
            } else {
                b"damaged".to_vec()
            };
            batch.checkpoints.push(CheckpointRecord::new(header, body));
            newest = id;
        }
        let record = |note: &Note| {
            RecordKey::new(
                CheckpointId(newest.saturating_sub(note.back)),
                note.task,
                note.kind,
                note.name,
            )
        };
        batch.records = records
            .iter()
            .map(|note| TaskRecord::new(record(note), vec![note.data]))
            .collect();
        batch.removed = removed.iter().map(record).collect();
        batch.settled = settled
            .iter()
            .map(|back| CheckpointId(newest.saturating_sub(*back)))
            .collect();
        batch
    }

    /// All that can be read.
    async fn everything(&self) -> Vec<String> {
        let mut all = vec![format!("{:?}", kind(self.store.threads(None, 99).await))];
        for thread in THREADS {
            all.push(format!("{:?}", kind(self.store.namespaces(thread).await)));
        }
        for key in (0..6).map(key) {
            let headers = self.store.list(&key, &Query::all()).await.unwrap();
            for header in &headers {
                all.push(format!(
                    "{:?}",
                    kind(self.store.read(&key, Some(header.id)).await)
                ));
            }
            all.push(format!("{headers:?}"));
        }
        all
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn both_stores_give_the_same_answers(steps in prop::collection::vec(step(), 1..60)) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let directory = tempfile::tempdir().unwrap();
            let builder = SqliteCheckpointer::builder().synchronous(Synchronous::Normal);
            let mut sqlite = Driven::new(builder.open(directory.path().join("threads.db")).await.unwrap());
            let mut memory = Driven::new(MemoryCheckpointer::new());
            for step in &steps {
                let (from_sqlite, from_memory) = (sqlite.take(step).await, memory.take(step).await);
                prop_assert_eq!(from_sqlite, from_memory, "after {:?}", step);
            }
            prop_assert_eq!(sqlite.everything().await, memory.everything().await);
            // The same once more after it was closed and opened.
            let Driven { store, .. } = sqlite;
            let path = store.path().to_owned();
            drop(store);
            let sqlite = Driven::new(SqliteCheckpointer::open(path).await.unwrap());
            prop_assert_eq!(sqlite.everything().await, memory.everything().await);
            Ok(())
        })?;
    }
}
