//! A store of your own: threads in a file of JSON lines that people can read.
//!
//! The engine turns states into bytes and back; a store keeps rows and knows nothing of states. What it promises is written
//! at the trait [`Checkpointer`], and the `contract` suite of the feature `testing` checks all of it: a test of this
//! workspace runs the suite against this very file. Run it with `cargo run --example 11_own_checkpointer`.
//!
//! This store writes a thread as a whole at each change, which is fine for a small tool and too slow for a large one.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use research_core::checkpoint::{
    Batch, CheckpointId, CheckpointRecord, Checkpointer, Claim, Header, Loaded, Metadata, Origin, Prune, Query,
    RecordKey, RecordKind, Seen, StoreError, StoreErrorKind, TaskRecord, ThreadKey, admit, rewrites, squash,
};
use research_core::{Cx, END, Graph, NodeError, State};
use serde::{Deserialize, Serialize};

/// Threads in a file, for one process at a time.
#[derive(Debug)]
pub struct JsonLines {
    path: PathBuf,
    content: Mutex<Content>,
}

/// What the file says, read line by line.
#[derive(Debug)]
struct Content {
    file: File,
    /// Counts the claims. One counter for all threads: a claim on a thread that was deleted is then never mistaken for one
    /// on a later thread of the same name.
    claims: u64,
    threads: BTreeMap<String, Histories>,
}

/// A thread: by namespace, its history there.
type Histories = BTreeMap<String, History>;

/// A line: a thread as it is from then on; without histories it is deleted.
#[derive(Serialize, Deserialize)]
struct Line {
    claims: u64,
    thread: String,
    histories: Option<Histories>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct History {
    /// The newest claim. Whoever holds an older one may not write.
    claim: u64,
    checkpoints: BTreeMap<u64, Row>,
    /// What is known about tasks that are due.
    notes: Vec<Note>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Row {
    parent: Option<u64>,
    base: u64,
    run: String,
    /// Milliseconds since 1970, and before it below zero.
    at: i64,
    step: u64,
    origin: u8,
    metadata: Metadata,
    next: Vec<u8>,
    body: Vec<u8>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Note {
    checkpoint: u64,
    task: u32,
    kind: u8,
    name: String,
    data: Vec<u8>,
}

impl JsonLines {
    /// Opens a file, which is made when it is not there.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        let path = path.as_ref().to_path_buf();
        let opened = OpenOptions::new().read(true).append(true).create(true).open(&path);
        let mut file = opened.map_err(|error| unavailable(&path, error))?;
        let mut text = String::new();
        file.read_to_string(&mut text).map_err(|error| unavailable(&path, error))?;
        // A line without its end was being written when the process died. Nobody was told that it is stored.
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        file.set_len(whole as u64).map_err(|error| unavailable(&path, error))?;
        let mut content = Content { file, claims: 0, threads: BTreeMap::new() };
        for line in text[..whole].lines() {
            let line = serde_json::from_str(line).map_err(|error| {
                let text = format!("`{}` is no file of threads, or it is damaged", path.display());
                StoreError::new(StoreErrorKind::Corrupt, text).with_source(error)
            })?;
            content.take(line);
        }
        Ok(Self { path, content: Mutex::new(content) })
    }

    fn read(&self) -> MutexGuard<'_, Content> {
        self.content.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes a copy of a thread, writes it as one line, and only then takes it as what is there. So a batch is stored as a
    /// whole or not at all, whatever goes wrong in between.
    fn change<T>(
        &self,
        thread: &str,
        change: impl FnOnce(&mut Content, &mut Option<Histories>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let mut content = self.read();
        let mut histories = content.threads.get(thread).cloned();
        let result = change(&mut content, &mut histories)?;
        let line = Line { claims: content.claims, thread: thread.to_string(), histories };
        let mut text = serde_json::to_vec(&line).map_err(|error| unavailable(&self.path, error))?;
        text.push(b'\n');
        let before = content.file.metadata().map_err(|error| unavailable(&self.path, error))?.len();
        // What the system has survives the process. For it to survive a loss of power, too, `sync_data` would have to follow.
        if let Err(error) = content.file.write_all(&text) {
            // A line that was cut off would spoil the next one.
            content.file.set_len(before).map_err(|error| unavailable(&self.path, error))?;
            return Err(unavailable(&self.path, error));
        }
        content.take(line);
        Ok(result)
    }
}

impl Content {
    fn take(&mut self, line: Line) {
        self.claims = line.claims;
        match line.histories {
            Some(histories) => self.threads.insert(line.thread, histories),
            None => self.threads.remove(&line.thread),
        };
    }

    fn history(&self, key: &ThreadKey) -> Option<&History> {
        self.threads.get(&*key.thread)?.get(&*key.namespace)
    }

    fn next_claim(&mut self) -> u64 {
        self.claims += 1;
        self.claims
    }
}

fn is_written(histories: &Histories) -> bool {
    histories.values().any(|history| history.head().is_some())
}

impl History {
    fn head(&self) -> Option<CheckpointId> {
        self.checkpoints.last_key_value().map(|(id, _)| CheckpointId(*id))
    }

    fn load(&self, at: Option<CheckpointId>) -> Result<Option<Loaded>, StoreError> {
        let Some(id) = at.or_else(|| self.head()).map(|id| id.0) else { return Ok(None) };
        let Some(row) = self.checkpoints.get(&id) else { return Ok(None) };
        let bodies: Vec<Vec<u8>> = self.checkpoints.range(row.base..=id).map(|(_, row)| row.body.clone()).collect();
        let mut records = Vec::new();
        for note in self.notes.iter().filter(|note| note.checkpoint == id) {
            records.push(TaskRecord::new(note.key()?, note.data.clone()));
        }
        records.sort_by(|a, b| a.key.cmp(&b.key));
        Ok(Some(Loaded::new(row.header(id)?, bodies, records)))
    }

    /// Removes checkpoints, each given to `goes` with the number of newer ones. Tells how many went, and whether the newest did.
    fn thin_out(&mut self, goes: impl Fn(&Self, u64, &Row, usize) -> bool) -> Result<(u64, bool), StoreError> {
        let newer = (0..self.checkpoints.len()).rev();
        let gone: BTreeMap<u64, bool> =
            self.checkpoints.iter().zip(newer).map(|((id, row), newer)| (*id, goes(self, *id, row, newer))).collect();
        // Checkpoints are built on each other. `rewrites` says which of those that stay need a new base or body.
        let chain = self.checkpoints.iter().map(|(id, row)| (CheckpointId(*id), CheckpointId(row.base), gone[id]));
        let mut bodies = Vec::new();
        for rewrite in rewrites(chain) {
            let old = |from: CheckpointId| self.checkpoints.range(from.0..=rewrite.id.0).map(|(_, row)| &*row.body);
            let body = rewrite.squash_from.map(|from| squash(old(from))).transpose()?;
            bodies.push((rewrite.id.0, rewrite.base.0, body));
        }
        for (id, base, body) in bodies {
            if let Some(row) = self.checkpoints.get_mut(&id) {
                row.base = base;
                row.body = body.unwrap_or_else(|| std::mem::take(&mut row.body));
            }
        }
        self.checkpoints.retain(|id, _| !gone[id]);
        self.notes.retain(|note| !gone.get(&note.checkpoint).is_some_and(|gone| *gone));
        let newest = gone.last_key_value().is_some_and(|(_, gone)| *gone);
        Ok((gone.values().filter(|gone| **gone).count() as u64, newest))
    }

    fn waits(&self, id: u64) -> bool {
        self.notes.iter().any(|note| note.checkpoint == id && note.kind == RecordKind::Question.code())
    }
}

impl Row {
    fn new(CheckpointRecord { header, body, .. }: CheckpointRecord) -> Self {
        let Header { parent, base, run, at, step, origin, metadata, next, .. } = header;
        Self {
            parent: parent.map(|parent| parent.0),
            base: base.0,
            run: run.to_string(),
            at: milliseconds(at),
            step,
            origin: origin.code(),
            metadata: Arc::unwrap_or_clone(metadata),
            next,
            body,
        }
    }

    fn header(&self, id: u64) -> Result<Header, StoreError> {
        Ok(Header::new(
            CheckpointId(id),
            self.parent.map(CheckpointId),
            CheckpointId(self.base),
            self.run.as_str().into(),
            time(self.at),
            self.step,
            Origin::from_code(self.origin).ok_or_else(unknown_code)?,
            Arc::new(self.metadata.clone()),
            self.next.clone(),
        ))
    }
}

impl Note {
    fn new(TaskRecord { key, data, .. }: TaskRecord) -> Self {
        Self { checkpoint: key.checkpoint.0, task: key.task, kind: key.kind.code(), name: key.name, data }
    }

    fn key(&self) -> Result<RecordKey, StoreError> {
        let kind = RecordKind::from_code(self.kind).ok_or_else(unknown_code)?;
        Ok(RecordKey::new(CheckpointId(self.checkpoint), self.task, kind, self.name.clone()))
    }

    fn is(&self, key: &RecordKey) -> bool {
        (self.checkpoint, self.task, self.kind, &self.name) == (key.checkpoint.0, key.task, key.kind.code(), &key.name)
    }
}

impl JsonLines {
    /// Removes checkpoints in all namespaces of a thread.
    fn remove(&self, thread: &str, goes: impl Fn(&str, &History, u64, &Row, usize) -> bool) -> Result<u64, StoreError> {
        self.change(thread, |content, histories| {
            let mut removed = 0;
            for (namespace, history) in histories.iter_mut().flatten() {
                let goes = |history: &History, id, row: &Row, newer| goes(namespace, history, id, row, newer);
                let (count, newest_went) = history.thin_out(goes)?;
                removed += count;
                if newest_went {
                    // A writer that goes on from the newest would build on what is not there: it is fenced off.
                    history.claim = content.next_claim();
                }
            }
            Ok(removed)
        })
    }
}

impl Checkpointer for JsonLines {
    async fn claim(&self, key: &ThreadKey, at: Option<CheckpointId>) -> Result<Claim, StoreError> {
        self.change(&key.thread, |content, histories| {
            let history = histories.get_or_insert_default().entry(key.namespace.to_string()).or_default();
            history.claim = content.next_claim();
            Ok(Claim::new(history.claim, history.head(), history.load(at)?))
        })
    }

    async fn claim_if(&self, key: &ThreadKey, seen: &Seen) -> Result<Option<u64>, StoreError> {
        self.change(&key.thread, |content, histories| {
            let known = histories.as_ref().and_then(|histories| histories.get(&*key.namespace));
            let newest = known.map_or(Ok(None), |history| history.load(None))?;
            let head = Seen::head(newest.as_ref().map(|newest| newest.header.id));
            let now = match &seen.records {
                Some(_) => head.records(newest.iter().flat_map(|newest| &newest.records)),
                None => head,
            };
            if now != *seen {
                return Ok(None);
            }
            let history = histories.get_or_insert_default().entry(key.namespace.to_string()).or_default();
            history.claim = content.next_claim();
            Ok(Some(history.claim))
        })
    }

    async fn put(&self, key: &ThreadKey, epoch: u64, batch: Batch) -> Result<(), StoreError> {
        self.change(&key.thread, |_, histories| {
            let history = histories.as_mut().and_then(|histories| histories.get_mut(&*key.namespace));
            let history = history.filter(|history| history.claim == epoch).ok_or_else(|| {
                let text = format!("another writer took over thread `{key}`, or deleted it; nothing was written");
                StoreError::new(StoreErrorKind::Conflict, text)
            })?;
            for mut checkpoint in batch.checkpoints {
                let newest = history.checkpoints.last_key_value();
                let newest = newest.map(|(id, row)| (CheckpointId(*id), CheckpointId(row.base)));
                let id = checkpoint.header.id.0;
                checkpoint.header.base = admit(newest, &checkpoint.header)?;
                history.checkpoints.insert(id, Row::new(checkpoint));
            }
            history.notes.retain(|note| !batch.removed.iter().any(|key| note.is(key)));
            for record in batch.records {
                let id = record.key.checkpoint;
                if !history.checkpoints.contains_key(&id.0) {
                    let text = format!("a record belongs to checkpoint {id}, which is not there; nothing was written");
                    return Err(StoreError::new(StoreErrorKind::NotFound, text));
                }
                // The first record of a key stays, so that a write that is repeated changes nothing.
                if !history.notes.iter().any(|note| note.is(&record.key)) {
                    history.notes.push(Note::new(record));
                }
            }
            history.notes.retain(|note| !batch.settled.contains(&CheckpointId(note.checkpoint)));
            Ok(())
        })
    }

    async fn read(&self, key: &ThreadKey, at: Option<CheckpointId>) -> Result<Option<Loaded>, StoreError> {
        self.read().history(key).map_or(Ok(None), |history| history.load(at))
    }

    async fn list(&self, key: &ThreadKey, query: &Query) -> Result<Vec<Header>, StoreError> {
        let content = self.read();
        let rows = content.history(key).into_iter().flat_map(|history| history.checkpoints.iter().rev());
        let headers = rows.map(|(id, row)| row.header(*id));
        let wanted = headers.filter(|header| header.as_ref().map_or(true, |header| query.admits(header)));
        wanted.take(query.limit.unwrap_or(usize::MAX)).collect()
    }

    async fn threads(&self, after: Option<&str>, limit: usize) -> Result<Vec<String>, StoreError> {
        let content = self.read();
        let written = content.threads.iter().filter(|(_, histories)| is_written(histories));
        let names = written.map(|(thread, _)| thread.clone());
        Ok(names.filter(|thread| after.is_none_or(|after| &**thread > after)).take(limit).collect())
    }

    async fn namespaces(&self, thread: &str) -> Result<Vec<String>, StoreError> {
        let content = self.read();
        let histories = content.threads.get(thread).into_iter().flatten();
        Ok(histories.filter(|(_, history)| history.head().is_some()).map(|(name, _)| name.clone()).collect())
    }

    async fn delete_thread(&self, thread: &str) -> Result<(), StoreError> {
        self.change(thread, |_, histories| {
            *histories = None;
            Ok(())
        })
    }

    async fn delete_run(&self, thread: &str, run: &str) -> Result<u64, StoreError> {
        self.remove(thread, |_, _, _, row, _| row.run == run)
    }

    async fn copy_thread(&self, from: &str, to: &str) -> Result<(), StoreError> {
        self.change(to, |content, histories| {
            let original = content.threads.get(from).filter(|original| is_written(original)).cloned();
            let mut copy = original
                .ok_or_else(|| StoreError::new(StoreErrorKind::NotFound, format!("there is no thread `{from}`")))?;
            if histories.as_ref().is_some_and(is_written) {
                return Err(StoreError::new(StoreErrorKind::AlreadyExists, format!("a thread `{to}` exists already")));
            }
            copy.values_mut().for_each(|history| history.claim = content.next_claim());
            *histories = Some(copy);
            Ok(())
        })
    }

    async fn prune(&self, thread: &str, prune: &Prune) -> Result<u64, StoreError> {
        let removed = self.remove(thread, |namespace, history, id, row, newer| {
            let at = time(row.at);
            prune.dropped.contains(namespace) || prune.admits(namespace, CheckpointId(id), newer, at, history.waits(id))
        })?;
        self.change(thread, |_, histories| {
            histories.iter_mut().for_each(|all| all.retain(|namespace, _| !prune.dropped.contains(namespace)));
            Ok(removed)
        })
    }
}

fn milliseconds(time: SystemTime) -> i64 {
    match time.duration_since(SystemTime::UNIX_EPOCH) {
        Ok(since) => since.as_millis() as i64,
        Err(before) => -(before.duration().as_millis() as i64),
    }
}

fn time(milliseconds: i64) -> SystemTime {
    let apart = Duration::from_millis(milliseconds.unsigned_abs());
    if milliseconds < 0 { SystemTime::UNIX_EPOCH - apart } else { SystemTime::UNIX_EPOCH + apart }
}

fn unavailable(path: &Path, error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> StoreError {
    let text = format!("`{}` cannot be read or written", path.display());
    StoreError::new(StoreErrorKind::Unavailable, text).with_source(error)
}

fn unknown_code() -> StoreError {
    StoreError::new(StoreErrorKind::Corrupt, "the file has a number that this version does not know")
}

#[derive(Clone, Default, Serialize, Deserialize, State)]
struct Diary {
    #[reduce(append)]
    days: Vec<String>,
}

async fn note(cx: Cx<Diary>) -> Result<DiaryUpdate, NodeError> {
    Ok(Diary::update().days([format!("day {}", cx.state.days.len() + 1)]))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut g = Graph::<Diary>::new("diary");
    let note = g.node("note", note);
    g.entry(note).edge(note, END);
    let graph = g.compile()?;

    let file = std::env::temp_dir().join(format!("diary-{}.jsonl", std::process::id()));
    for _ in 0..3 {
        // Opened anew each time, as another process would.
        let graph = graph.clone().with_checkpointer(JsonLines::open(&file)?);
        let done = graph.run(Diary::update()).thread("diary").await?;
        println!("{}", done.state.days.join(", "));
    }
    let graph = graph.with_checkpointer(JsonLines::open(&file)?);
    print!("{}", graph.thread("diary").history().await?);
    Ok(fs::remove_file(file)?)
}
