//! What a process that a test started does. It tells what happened line by line, as it happens.

use std::io::{BufRead, Write, stdin, stdout};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use research_core::checkpoint::{
    Batch, CheckpointId, CheckpointRecord, Checkpointer, Header, Origin, RecordKey, RecordKind,
    StoreError, TaskRecord, ThreadKey,
};
use research_core_sqlite::{SqliteCheckpointer, Synchronous};

/// How long a process waits for others that write. A busy machine must not matter.
const PATIENT: Duration = Duration::from_secs(60);

/// The thread that all of them write to.
pub(crate) fn thread() -> ThreadKey {
    ThreadKey::root("t")
}

/// What checkpoint `id` of the process `writer` has for a body.
pub(crate) fn content(id: u64, writer: u32) -> Vec<u8> {
    let line = format!("checkpoint {id} of process {writer}; ");
    line.bytes()
        .cycle()
        .take(200 + usize::try_from(id * 37 % 3_000).unwrap())
        .collect()
}

pub(crate) fn tell(line: &str) {
    println!("{line}");
    // A pipe whose reader went away is no reason to fail.
    let _ = stdout().flush();
}

fn next(head: Option<CheckpointId>) -> Batch {
    let id = CheckpointId(head.map_or(1, |head| head.0 + 1));
    let run = Arc::from("run-1");
    let header = Header::new(
        id,
        head,
        id,
        run,
        SystemTime::now(),
        id.0,
        Origin::Step,
        Arc::default(),
        Vec::new(),
    );
    let mut batch = Batch::default();
    batch.checkpoints.push(CheckpointRecord::new(
        header,
        content(id.0, std::process::id()),
    ));
    let record = RecordKey::new(id, 0, RecordKind::Done, "");
    batch.records.push(TaskRecord::new(
        record,
        content(id.0 + 1, std::process::id()),
    ));
    batch
}

pub(crate) async fn play(role: &str, path: &Path) {
    match role {
        "hold" => hold(path).await.unwrap(),
        "contend" => contend(path).await.unwrap(),
        "write" => write(path, Synchronous::Full).await.unwrap(),
        "write-normal" => write(path, Synchronous::Normal).await.unwrap(),
        "open" => match SqliteCheckpointer::open(path).await {
            Ok(_) => tell("opened"),
            Err(error) => tell(&format!("{:?}", error.kind())),
        },
        role => unreachable!("no role {role}"),
    }
}

/// Claims, waits for a line on the standard input, and writes.
async fn hold(path: &Path) -> Result<(), StoreError> {
    let store = SqliteCheckpointer::builder()
        .busy_timeout(PATIENT)
        .open(path)
        .await?;
    let claim = store.claim(&thread(), None).await?;
    tell("claimed");
    let mut line = String::new();
    stdin().lock().read_line(&mut line).unwrap();
    match store.put(&thread(), claim.epoch, next(claim.head)).await {
        Ok(()) => tell("written"),
        Err(error) => tell(&format!("{:?}", error.kind())),
    }
    Ok(())
}

/// Claims and writes again and again, while others do the same.
async fn contend(path: &Path) -> Result<(), StoreError> {
    let store = SqliteCheckpointer::builder()
        .synchronous(Synchronous::Normal)
        .busy_timeout(PATIENT)
        .open(path)
        .await?;
    for _ in 0..60 {
        let claim = store.claim(&thread(), None).await?;
        let batch = next(claim.head);
        let id = batch.checkpoints[0].header.id;
        match store.put(&thread(), claim.epoch, batch).await {
            Ok(()) => tell(&format!("{id}")),
            Err(error) if error.is_conflict() => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Writes until it is killed or fails, and tells each number that was reported as written.
async fn write(path: &Path, synchronous: Synchronous) -> Result<(), StoreError> {
    let store = SqliteCheckpointer::builder()
        .synchronous(synchronous)
        .open(path)
        .await?;
    let claim = store.claim(&thread(), None).await?;
    let mut head = claim.head;
    loop {
        let batch = next(head);
        head = Some(batch.checkpoints[0].header.id);
        match store.put(&thread(), claim.epoch, batch).await {
            Ok(()) => tell(&format!("{}", head.map_or(0, |head| head.0))),
            Err(error) => {
                tell(&format!("{:?}", error.kind()));
                return Ok(());
            }
        }
    }
}
