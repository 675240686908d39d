//! Removing and copying what is stored.

use std::collections::BTreeSet;

use research_core::checkpoint::{CheckpointId, Prune, RecordKind, StoreError, StoreErrorKind, rewrites, squash};
use rusqlite::{Connection, OptionalExtension, params};

use crate::error::{Failure, damaged_row};
use crate::key::{HistoryKey, id};
use crate::put::make_history;
use crate::read::{bodies, histories, is_written};
use crate::row::{below, milliseconds, sum};

/// Removes a thread with all its namespaces.
pub(crate) fn delete_thread(db: &Connection, thread: &str) -> Result<(), Failure> {
    for (history, _) in histories(db, thread)? {
        delete_keys(db, history.lowest(), history.highest())?;
        db.prepare_cached("DELETE FROM run WHERE history = ?1")?.execute([history.0])?;
        db.prepare_cached("DELETE FROM history WHERE key = ?1")?.execute([history.0])?;
    }
    Ok(())
}

/// Removes the checkpoints of a run; gives their number.
pub(crate) fn delete_run(db: &Connection, thread: &str, run: &str) -> Result<u64, Failure> {
    let mut removed = 0;
    for (history, _) in histories(db, thread)? {
        let mut find = db.prepare_cached("SELECT key FROM run WHERE history = ?1 AND name = ?2")?;
        let run: Option<i64> = find.query_row(params![history.0, run], |row| row.get(0)).optional()?;
        if let Some(run) = run {
            removed += thin_out(db, history, |row, _| Ok(row.run == run))?;
        }
    }
    Ok(removed)
}

/// Removes old checkpoints; gives their number.
pub(crate) fn prune(db: &Connection, thread: &str, prune: &Prune) -> Result<u64, Failure> {
    let before = prune.made_before.map(milliseconds);
    let mut removed = 0;
    for (history, _) in histories(db, thread)? {
        removed += thin_out(db, history, |row, newer| {
            Ok(newer >= prune.keep_last.max(1)
                && before.is_none_or(|before| row.made_ms < before)
                && !(prune.keep_interrupted && waits(db, row.key)?))
        })?;
    }
    Ok(removed)
}

fn waits(db: &Connection, key: i64) -> Result<bool, Failure> {
    let mut find = db.prepare_cached("SELECT 1 FROM record WHERE key = ?1 AND kind = ?2")?;
    Ok(find.exists(params![key, RecordKind::Question.code()])?)
}

/// What is looked at to decide whether a checkpoint goes.
struct Candidate {
    key: i64,
    base: CheckpointId,
    run: i64,
    made_ms: i64,
    goes: bool,
}

/// Removes the checkpoints that `goes` picks by the row and the number of newer ones; gives how many they were.
fn thin_out(
    db: &Connection,
    history: HistoryKey,
    goes: impl Fn(&Candidate, usize) -> Result<bool, Failure>,
) -> Result<u64, Failure> {
    let mut all = candidates(db, history)?;
    let count = all.len();
    for (place, candidate) in all.iter_mut().enumerate() {
        candidate.goes = goes(candidate, count - 1 - place)?;
    }
    let removed = all.iter().filter(|candidate| candidate.goes).count();
    if removed == 0 {
        return Ok(0);
    }
    rewrite(db, history, &all)?;
    for neighbours in all.chunk_by(|one, other| one.goes == other.goes) {
        if let (Candidate { key: first, goes: true, .. }, Some(last)) = (&neighbours[0], neighbours.last()) {
            delete_keys(db, *first, last.key)?;
        }
    }
    // Whoever goes on from the newest would build on what is not there.
    if all.last().is_some_and(|newest| newest.goes) {
        db.prepare_cached("UPDATE history SET epoch = epoch + 1 WHERE key = ?1")?.execute([history.0])?;
    }
    let kept: BTreeSet<i64> = all.iter().filter(|candidate| !candidate.goes).map(|candidate| candidate.run).collect();
    let gone: BTreeSet<i64> = all.iter().map(|candidate| candidate.run).filter(|run| !kept.contains(run)).collect();
    for run in gone {
        db.prepare_cached("DELETE FROM run WHERE key = ?1")?.execute([run])?;
    }
    Ok(removed as u64)
}

fn candidates(db: &Connection, history: HistoryKey) -> Result<Vec<Candidate>, Failure> {
    let mut find = db.prepare_cached(
        "SELECT key, base_below, run, made_ms FROM checkpoint WHERE key BETWEEN ?1 AND ?2 ORDER BY key",
    )?;
    let rows = find.query_map([history.lowest(), history.highest()], |row| {
        let (key, below): (i64, i64) = (row.get(0)?, row.get(1)?);
        let base = id(key.wrapping_sub(below));
        Ok(Candidate { key, base, run: row.get(2)?, made_ms: row.get(3)?, goes: false })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Makes what stays readable without what goes.
fn rewrite(db: &Connection, history: HistoryKey, all: &[Candidate]) -> Result<(), Failure> {
    let plan = rewrites(all.iter().map(|candidate| (id(candidate.key), candidate.base, candidate.goes)));
    // From the newest down, so that each is made from bodies that are still the old ones.
    for rewrite in plan.into_iter().rev() {
        let key = history.checkpoint(rewrite.id).ok_or_else(|| damaged_row(&format!("checkpoint {}", rewrite.id)))?;
        let base_below = below(rewrite.id, rewrite.base);
        match rewrite.squash_from {
            None => db
                .prepare_cached("UPDATE checkpoint SET base_below = ?2 WHERE key = ?1")?
                .execute(params![key, base_below])?,
            Some(from) => {
                let bodies = bodies(db, history, from, rewrite.id)?;
                let body = squash(bodies.iter().map(Vec::as_slice))?;
                db.prepare_cached("UPDATE checkpoint SET base_below = ?2, body_sum = ?3, body = ?4 WHERE key = ?1")?
                    .execute(params![key, base_below, sum(&body), body])?
            }
        };
    }
    Ok(())
}

/// Removes checkpoints and their records, from one key to another.
fn delete_keys(db: &Connection, first: i64, last: i64) -> Result<(), Failure> {
    db.prepare_cached("DELETE FROM checkpoint WHERE key BETWEEN ?1 AND ?2")?.execute([first, last])?;
    db.prepare_cached("DELETE FROM record WHERE key BETWEEN ?1 AND ?2")?.execute([first, last])?;
    Ok(())
}

/// Copies a thread with all its namespaces to a new name.
pub(crate) fn copy_thread(db: &Connection, from: &str, to: &str) -> Result<(), Failure> {
    if !is_written(db, from)? {
        return Err(StoreError::new(StoreErrorKind::NotFound, format!("there is no thread `{from}` to copy")).into());
    }
    if is_written(db, to)? {
        return Err(StoreError::new(
            StoreErrorKind::AlreadyExists,
            format!("a thread `{to}` exists already; delete it, or copy to another name"),
        )
        .into());
    }
    // Whoever claimed the name and has written nothing yet is fenced off: the thread is no longer the one that was read.
    delete_thread(db, to)?;
    for (source, namespace) in histories(db, from)? {
        let copy = make_history(db, to, &namespace)?;
        let (low, high, shift) = (source.lowest(), source.highest(), copy.lowest() - source.lowest());
        db.prepare_cached("INSERT INTO run (history, name) SELECT ?1, name FROM run WHERE history = ?2")?
            .execute([copy.0, source.0])?;
        db.prepare_cached(
            "INSERT INTO checkpoint (key, parent_below, base_below, run, made_ms, step, origin, metadata, next, next_sum,
                                     body_sum, body)
             SELECT c.key + ?1, parent_below, base_below, new.key, made_ms, step, origin, metadata, next, next_sum,
                    body_sum, body
             FROM checkpoint c JOIN run old ON old.key = c.run JOIN run new ON new.history = ?2 AND new.name = old.name
             WHERE c.key BETWEEN ?3 AND ?4",
        )?
        .execute([shift, copy.0, low, high])?;
        db.prepare_cached(
            "INSERT INTO record (key, task, kind, name, data_sum, data)
             SELECT key + ?1, task, kind, name, data_sum, data FROM record WHERE key BETWEEN ?2 AND ?3",
        )?
        .execute([shift, low, high])?;
    }
    Ok(())
}
