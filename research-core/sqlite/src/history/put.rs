//! Claims a thread, and writes to it.

pub(crate) mod lease;

use std::sync::Arc;

use research_core::checkpoint::{
    Batch, CheckpointId, CheckpointRecord, RecordKey, Seen, StoreError, StoreErrorKind, ThreadKey,
    admit,
};
use rusqlite::{Connection, params};

use crate::error::{Failure, damaged_row};
use crate::history::heads::{Head, WriteConnection};
use crate::history::read::{claimed_history, head, record_keys, run_key};
use crate::key::HistoryKey;
use crate::row::{below, metadata_text, milliseconds, sum};

/// Claims a history, which is created if it does not exist. Returns the new epoch, and whether the
/// history has checkpoints.
pub(crate) fn claim(db: &WriteConnection<'_>, key: &ThreadKey) -> Result<(u64, bool), Failure> {
    let known = claimed_history(db, key)?;
    let newest = match known {
        Some((history, _)) => head(db, history)?,
        None => None,
    };
    let epoch = claim_history(db, key, known, newest)?;
    Ok((epoch, newest.is_some()))
}

/// Claims a history, which is created if it is not known. Returns the new epoch.
fn claim_history(
    db: &WriteConnection<'_>,
    key: &ThreadKey,
    known: Option<(HistoryKey, i64)>,
    newest: Option<(CheckpointId, CheckpointId)>,
) -> Result<u64, Failure> {
    let (history, epoch) = match known {
        Some((history, epoch)) => (history, epoch + 1),
        None => {
            let history = insert_history(db, &key.thread, &key.namespace)?;
            (history, history.first_epoch() + 1)
        }
    };
    set_epoch(db, history, epoch)?;

    // The writer that claimed a history is about to write to it.
    let epoch = epoch.cast_unsigned();
    db.heads.keep(
        history,
        Head {
            key: key.clone(),
            epoch,
            newest,
            run: None,
            bare: None,
        },
    );
    Ok(epoch)
}

/// Claims a history that is still as a writer has seen it. Returns the new epoch, or `None` if the
/// history has changed.
pub(crate) fn claim_if(
    db: &WriteConnection<'_>,
    key: &ThreadKey,
    seen: &Seen,
) -> Result<Option<u64>, Failure> {
    let known = claimed_history(db, key)?;
    let (newest, records) = match known {
        Some((history, _)) => {
            let newest = head(db, history)?;
            let records = match (newest, &seen.records) {
                (Some((id, _)), Some(_)) => record_keys(db, history, id)?,
                _ => Vec::new(),
            };
            (newest, records)
        }
        None => (None, Vec::new()),
    };

    let head = newest.map(|(id, _)| id);
    if head != seen.head || seen.records.as_ref().is_some_and(|seen| *seen != records) {
        return Ok(None);
    }
    if let Some(token) = seen.lease
        && !lease::is_under(db, &key.thread, token)?
    {
        return Ok(None);
    }
    Ok(Some(claim_history(db, key, known, newest)?))
}

/// Creates a history that is not claimed.
pub(crate) fn create_history(
    db: &Connection,
    thread: &str,
    namespace: &str,
) -> Result<HistoryKey, Failure> {
    let history = insert_history(db, thread, namespace)?;
    set_epoch(db, history, history.first_epoch())?;
    Ok(history)
}

/// Adds a history. The caller sets its epoch.
fn insert_history(db: &Connection, thread: &str, namespace: &str) -> Result<HistoryKey, Failure> {
    db.prepare_cached("INSERT INTO history (thread, namespace, epoch) VALUES (?1, ?2, 0)")?
        .execute(params![thread, namespace])?;
    let history = HistoryKey(db.last_insert_rowid());
    if history.fits() {
        return Ok(history);
    }
    Err(StoreError::new(
        StoreErrorKind::Full,
        "the file has had as many threads as it can number; copy what you need to a new one",
    )
    .into())
}

fn set_epoch(db: &Connection, history: HistoryKey, epoch: i64) -> Result<(), Failure> {
    db.prepare_cached("UPDATE history SET epoch = ?2 WHERE key = ?1")?
        .execute(params![history.0, epoch])?;
    Ok(())
}

/// Writes a batch as the holder of `epoch`. After an error the caller must roll back.
pub(crate) fn put(
    db: &WriteConnection<'_>,
    key: &ThreadKey,
    epoch: u64,
    batch: &Batch,
) -> Result<(), Failure> {
    let history = HistoryKey::from_epoch(epoch);
    let mut known = db
        .heads
        .known_or(history, key, epoch, || read_head(db, history, key, epoch))?;

    let bare = known.bare;
    put_checkpoints(db, history, &mut known, &batch.checkpoints)?;
    check_owners(db, history, &known, batch)?;
    put_records(db, history, batch)?;
    settle(db, history, bare, batch)?;

    if batch
        .records
        .iter()
        .any(|record| known.bare == Some(record.key.checkpoint))
    {
        known.bare = None;
    }
    Ok(())
}

/// Reads what a write needs to know of a history.
///
/// # Errors
///
/// `Conflict` when `epoch` is not that of the newest claim.
fn read_head(
    db: &Connection,
    history: HistoryKey,
    key: &ThreadKey,
    epoch: u64,
) -> Result<Head, Failure> {
    let holds = db
        .prepare_cached(
            "SELECT 1 FROM history
             WHERE key = ?1 AND epoch = ?2 AND thread = ?3 AND namespace = ?4",
        )?
        .exists(params![
            history.0,
            epoch.cast_signed(),
            key.thread,
            key.namespace
        ])?;
    if !holds {
        return Err(fenced(key).into());
    }

    Ok(Head {
        key: key.clone(),
        epoch,
        newest: head(db, history)?,
        run: None,
        bare: None,
    })
}

/// Removes and writes the records of a batch.
fn put_records(db: &Connection, history: HistoryKey, batch: &Batch) -> Result<(), Failure> {
    for key in &batch.removed {
        let Some(checkpoint) = history.checkpoint(key.checkpoint) else {
            continue;
        };
        db.prepare_cached(
            "DELETE FROM record WHERE key = ?1 AND task = ?2 AND kind = ?3 AND name = ?4",
        )?
        .execute(params![checkpoint, key.task, key.kind.code(), key.name])?;
    }

    for record in &batch.records {
        let RecordKey {
            checkpoint,
            task,
            kind,
            ref name,
            ..
        } = record.key;
        db.prepare_cached(
            "INSERT INTO record (key, task, kind, name, data, data_sum)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)
             ON CONFLICT DO NOTHING",
        )?
        .execute(params![
            history.new_checkpoint(checkpoint)?,
            task,
            kind.code(),
            name,
            record.data,
            sum(&record.data)
        ])?;
    }
    Ok(())
}

/// Removes the records of settled checkpoints, which are not needed any more. The checkpoint `bare`
/// had none before this batch.
fn settle(
    db: &Connection,
    history: HistoryKey,
    bare: Option<CheckpointId>,
    batch: &Batch,
) -> Result<(), Failure> {
    for id in &batch.settled {
        let is_bare = bare == Some(*id)
            && batch
                .records
                .iter()
                .all(|record| record.key.checkpoint != *id);
        let Some(checkpoint) = history.checkpoint(*id).filter(|_| !is_bare) else {
            continue;
        };

        db.prepare_cached("DELETE FROM record WHERE key = ?1")?
            .execute([checkpoint])?;
    }
    Ok(())
}

/// Refuses records of checkpoints that do not exist: another writer may still use these numbers.
fn check_owners(
    db: &Connection,
    history: HistoryKey,
    known: &Head,
    batch: &Batch,
) -> Result<(), Failure> {
    let mut found = known.newest.map(|(id, _)| id);
    for id in batch.records.iter().map(|record| record.key.checkpoint) {
        if found != Some(id) {
            let mut find = db.prepare_cached("SELECT 1 FROM checkpoint WHERE key = ?1")?;
            if !find.exists([history.new_checkpoint(id)?])? {
                return Err(missing_checkpoint(id).into());
            }
            found = Some(id);
        }
    }
    Ok(())
}

/// Writes the checkpoints of a batch.
fn put_checkpoints(
    db: &WriteConnection<'_>,
    history: HistoryKey,
    known: &mut Head,
    checkpoints: &[CheckpointRecord],
) -> Result<(), Failure> {
    for CheckpointRecord { header, body, .. } in checkpoints {
        // Each checkpoint must continue from the one before it.
        let base = admit(known.newest, header)?;
        known.newest = Some((header.id, base));

        let run = match &known.run {
            Some((name, key)) if **name == *header.run => *key,
            _ => {
                let key = run_key_or_new(db, history, &header.run)?;
                known.run = Some((Arc::clone(&header.run), key));
                key
            }
        };
        let key = history.new_checkpoint(header.id)?;
        let metadata = metadata_text(&header.metadata)?;
        db.insert_checkpoint(header.next.len() + body.len(), |row| {
            row.raw_bind_parameter(1, key)?;
            row.raw_bind_parameter(2, header.parent.map(|parent| below(header.id, parent)))?;
            row.raw_bind_parameter(3, below(header.id, base))?;
            row.raw_bind_parameter(4, run)?;
            row.raw_bind_parameter(5, milliseconds(header.at))?;
            row.raw_bind_parameter(6, header.step.cast_signed())?;
            row.raw_bind_parameter(7, header.origin.code())?;
            row.raw_bind_parameter(8, metadata)?;
            row.raw_bind_parameter(9, header.next.as_slice())?;
            row.raw_bind_parameter(10, sum(&header.next))?;
            row.raw_bind_parameter(11, sum(body))?;
            row.raw_bind_parameter(12, body.as_slice())
        })?;
        known.bare = Some(header.id);
    }
    Ok(())
}

/// Returns the key of a run, whose name is stored once per history.
fn run_key_or_new(db: &Connection, history: HistoryKey, name: &str) -> Result<i64, Failure> {
    // Nearly all runs are new to the history.
    let added = db
        .prepare_cached("INSERT INTO run (history, name) VALUES (?1, ?2) ON CONFLICT DO NOTHING")?
        .execute(params![history.0, name])?;
    if added > 0 {
        return Ok(db.last_insert_rowid());
    }
    run_key(db, history, name)?.ok_or_else(|| damaged_row(&format!("run `{name}`")).into())
}

#[cold]
fn missing_checkpoint(id: CheckpointId) -> StoreError {
    StoreError::new(
        StoreErrorKind::NotFound,
        format!(
            "a record belongs to checkpoint {id}, which is not there; nothing was written: read \
             the thread again"
        ),
    )
}

#[cold]
fn fenced(key: &ThreadKey) -> StoreError {
    StoreError::new(
        StoreErrorKind::Conflict,
        format!(
            "another writer took over thread `{key}`, or deleted it; nothing was written: read \
             the thread again"
        ),
    )
}
