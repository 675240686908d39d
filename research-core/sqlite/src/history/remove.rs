//! Removes and copies histories.

use std::collections::BTreeSet;
use std::time::SystemTime;

use research_core::checkpoint::{
    CheckpointId, Prune, RecordKind, StoreError, StoreErrorKind, rewrites, squash,
};
use rusqlite::{Connection, params};

use crate::error::{Failure, damaged_row};
use crate::history::put::{create_history, lease};
use crate::history::read::{bodies, histories, is_written, run_key};
use crate::key::{HistoryKey, id};
use crate::row::{below, sum, time};

/// Removes a thread with all its namespaces.
pub(crate) fn delete_thread(db: &Connection, thread: &str) -> Result<(), Failure> {
    for (history, _) in histories(db, thread)? {
        delete_history(db, history)?;
    }
    lease::delete(db, thread)
}

/// Removes a history with everything that belongs to it.
fn delete_history(db: &Connection, history: HistoryKey) -> Result<(), Failure> {
    delete_keys(db, history.lowest(), history.highest())?;
    db.prepare_cached("DELETE FROM run WHERE history = ?1")?
        .execute([history.0])?;
    db.prepare_cached("DELETE FROM history WHERE key = ?1")?
        .execute([history.0])?;
    Ok(())
}

/// Removes the checkpoints of a run. Returns their number.
pub(crate) fn delete_run(db: &Connection, thread: &str, run: &str) -> Result<u64, Failure> {
    let mut removed = 0;
    for (history, _) in histories(db, thread)? {
        if let Some(run) = run_key(db, history, run)? {
            removed += remove_selected(db, history, |row, _| Ok(row.run == run))?;
        }
    }
    Ok(removed)
}

/// Removes old checkpoints. Returns their number.
pub(crate) fn prune(db: &Connection, thread: &str, prune: &Prune) -> Result<u64, Failure> {
    let mut removed = 0;
    for (history, namespace) in histories(db, thread)? {
        if prune.dropped.contains(&namespace) {
            removed += candidates(db, history)?.len() as u64;
            delete_history(db, history)?;
            continue;
        }
        removed += remove_selected(db, history, |row, newer| {
            let at = time(row.made_ms).unwrap_or(SystemTime::UNIX_EPOCH);
            Ok(prune.admits(&namespace, id(row.key), newer, at, false)
                && !(prune.keep_interrupted && has_question(db, row.key)?))
        })?;
    }
    Ok(removed)
}

/// Returns `true` if a checkpoint waits for an answer.
fn has_question(db: &Connection, key: i64) -> Result<bool, Failure> {
    let mut find = db.prepare_cached("SELECT 1 FROM record WHERE key = ?1 AND kind = ?2")?;
    Ok(find.exists(params![key, RecordKind::Question.code()])?)
}

/// A checkpoint that may be removed.
struct Candidate {
    key: i64,
    base: CheckpointId,
    run: i64,
    made_ms: i64,
    is_removed: bool,
}

/// Removes the checkpoints that `is_removed` selects by their row and the number of newer ones.
/// Returns their number.
fn remove_selected(
    db: &Connection,
    history: HistoryKey,
    is_removed: impl Fn(&Candidate, usize) -> Result<bool, Failure>,
) -> Result<u64, Failure> {
    let mut all = candidates(db, history)?;
    let count = all.len();
    for (place, candidate) in all.iter_mut().enumerate() {
        candidate.is_removed = is_removed(candidate, count - 1 - place)?;
    }

    let removed = all.iter().filter(|candidate| candidate.is_removed).count();
    if removed == 0 {
        return Ok(0);
    }

    rewrite(db, history, &all)?;
    for adjacent in all.chunk_by(|one, other| one.is_removed == other.is_removed) {
        if let [first, ..] = adjacent
            && let [.., last] = adjacent
            && first.is_removed
        {
            delete_keys(db, first.key, last.key)?;
        }
    }
    delete_unused_runs(db, &all)?;

    // A writer that continues from the newest checkpoint would build on one that is removed.
    if all.last().is_some_and(|newest| newest.is_removed) {
        db.prepare_cached("UPDATE history SET epoch = epoch + 1 WHERE key = ?1")?
            .execute([history.0])?;
    }
    Ok(removed as u64)
}

/// Removes the runs whose checkpoints are all removed.
fn delete_unused_runs(db: &Connection, all: &[Candidate]) -> Result<(), Failure> {
    let kept: BTreeSet<i64> = all
        .iter()
        .filter(|candidate| !candidate.is_removed)
        .map(|candidate| candidate.run)
        .collect();
    let unused: BTreeSet<i64> = all
        .iter()
        .map(|candidate| candidate.run)
        .filter(|run| !kept.contains(run))
        .collect();

    for run in unused {
        db.prepare_cached("DELETE FROM run WHERE key = ?1")?
            .execute([run])?;
    }
    Ok(())
}

/// Returns all checkpoints of a history, oldest first.
fn candidates(db: &Connection, history: HistoryKey) -> Result<Vec<Candidate>, Failure> {
    let mut find = db.prepare_cached(
        "SELECT key, base_below, run, made_ms FROM checkpoint
         WHERE key BETWEEN ?1 AND ?2 ORDER BY key",
    )?;
    let rows = find.query_map([history.lowest(), history.highest()], |row| {
        let (key, below): (i64, i64) = (row.get(0)?, row.get(1)?);
        let base = id(key.wrapping_sub(below));
        Ok(Candidate {
            key,
            base,
            run: row.get(2)?,
            made_ms: row.get(3)?,
            is_removed: false,
        })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Rewrites the remaining checkpoints so that they do not depend on removed ones.
fn rewrite(db: &Connection, history: HistoryKey, all: &[Candidate]) -> Result<(), Failure> {
    let plan = rewrites(
        all.iter()
            .map(|candidate| (id(candidate.key), candidate.base, candidate.is_removed)),
    );

    // From the newest down, so that each is built from bodies that are not rewritten yet.
    for rewrite in plan.into_iter().rev() {
        let key = history
            .checkpoint(rewrite.id)
            .ok_or_else(|| damaged_row(&format!("checkpoint {}", rewrite.id)))?;
        let base_below = below(rewrite.id, rewrite.base);
        match rewrite.squash_from {
            None => db
                .prepare_cached("UPDATE checkpoint SET base_below = ?2 WHERE key = ?1")?
                .execute(params![key, base_below])?,
            Some(from) => {
                let bodies = bodies(db, history, from, rewrite.id)?;
                let body = squash(bodies.iter().map(Vec::as_slice))?;
                db.prepare_cached(
                    "UPDATE checkpoint SET base_below = ?2, body_sum = ?3, body = ?4
                     WHERE key = ?1",
                )?
                .execute(params![key, base_below, sum(&body), body])?
            }
        };
    }
    Ok(())
}

/// Removes the checkpoints and records from one key to another.
fn delete_keys(db: &Connection, first: i64, last: i64) -> Result<(), Failure> {
    db.prepare_cached("DELETE FROM checkpoint WHERE key BETWEEN ?1 AND ?2")?
        .execute([first, last])?;
    db.prepare_cached("DELETE FROM record WHERE key BETWEEN ?1 AND ?2")?
        .execute([first, last])?;
    Ok(())
}

/// Copies a thread with all its namespaces to a new name.
pub(crate) fn copy_thread(db: &Connection, from: &str, to: &str) -> Result<(), Failure> {
    if !is_written(db, from)? {
        return Err(StoreError::new(
            StoreErrorKind::NotFound,
            format!("there is no thread `{from}` to copy"),
        )
        .into());
    }
    if is_written(db, to)? {
        return Err(StoreError::new(
            StoreErrorKind::AlreadyExists,
            format!("a thread `{to}` exists already; delete it, or copy to another name"),
        )
        .into());
    }

    // A writer that claimed the new name and has not written yet loses its claim, because the
    // thread is another one now.
    delete_thread(db, to)?;
    for (source, namespace) in histories(db, from)? {
        let copy = create_history(db, to, &namespace)?;
        copy_history(db, source, copy)?;
    }
    Ok(())
}

/// Copies the runs, checkpoints and records of a history to an empty one.
fn copy_history(db: &Connection, source: HistoryKey, copy: HistoryKey) -> Result<(), Failure> {
    let (low, high) = (source.lowest(), source.highest());
    let shift = copy.lowest() - low;

    db.prepare_cached(
        "INSERT INTO run (history, name) SELECT ?1, name FROM run WHERE history = ?2",
    )?
    .execute([copy.0, source.0])?;
    db.prepare_cached(
        "INSERT INTO checkpoint (key, parent_below, base_below, run, made_ms, step, origin,
                                 metadata, next, next_sum, body_sum, body)
         SELECT c.key + ?1, parent_below, base_below, new.key, made_ms, step, origin,
                metadata, next, next_sum, body_sum, body
         FROM checkpoint c
              JOIN run old ON old.key = c.run
              JOIN run new ON new.history = ?2 AND new.name = old.name
         WHERE c.key BETWEEN ?3 AND ?4",
    )?
    .execute([shift, copy.0, low, high])?;
    db.prepare_cached(
        "INSERT INTO record (key, task, kind, name, data_sum, data)
         SELECT key + ?1, task, kind, name, data_sum, data FROM record
         WHERE key BETWEEN ?2 AND ?3",
    )?
    .execute([shift, low, high])?;
    Ok(())
}
