//! Reads checkpoints, and the names of threads.

use research_core::checkpoint::{
    CheckpointId, Header, Loaded, Query, RecordKey, RecordKind, TaskRecord, ThreadKey,
};
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::error::{Failure, damaged_row};
use crate::key::{HistoryKey, id};
use crate::row::{Headers, blob, header_columns};

/// Returns the history of a thread and namespace, if it was ever claimed.
pub(crate) fn history(db: &Connection, key: &ThreadKey) -> Result<Option<HistoryKey>, Failure> {
    let mut find =
        db.prepare_cached("SELECT key FROM history WHERE thread = ?1 AND namespace = ?2")?;
    Ok(find
        .query_row(params![key.thread, key.namespace], |row| {
            row.get(0).map(HistoryKey)
        })
        .optional()?)
}

/// Returns the history of a thread and namespace with its epoch, if it was ever claimed.
pub(crate) fn claimed_history(
    db: &Connection,
    key: &ThreadKey,
) -> Result<Option<(HistoryKey, i64)>, Failure> {
    let mut find =
        db.prepare_cached("SELECT key, epoch FROM history WHERE thread = ?1 AND namespace = ?2")?;
    Ok(find
        .query_row(params![key.thread, key.namespace], |row| {
            Ok((HistoryKey(row.get(0)?), row.get(1)?))
        })
        .optional()?)
}

/// Returns all histories of a thread, in the order of namespaces.
pub(crate) fn histories(
    db: &Connection,
    thread: &str,
) -> Result<Vec<(HistoryKey, String)>, Failure> {
    let mut find = db.prepare_cached(
        "SELECT key, namespace FROM history WHERE thread = ?1 ORDER BY namespace",
    )?;
    let rows = find.query_map([thread], |row| Ok((HistoryKey(row.get(0)?), row.get(1)?)))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Returns the newest checkpoint and its base.
pub(crate) fn head(
    db: &Connection,
    history: HistoryKey,
) -> Result<Option<(CheckpointId, CheckpointId)>, Failure> {
    let mut find = db.prepare_cached(
        "SELECT key, base_below FROM checkpoint
         WHERE key BETWEEN ?1 AND ?2 ORDER BY key DESC LIMIT 1",
    )?;
    let newest = find.query_row([history.lowest(), history.highest()], |row| {
        let (key, below): (i64, i64) = (row.get(0)?, row.get(1)?);
        Ok((id(key), id(key.wrapping_sub(below))))
    });
    Ok(newest.optional()?)
}

/// Returns the number of the newest checkpoint, and the checkpoint `at`, or the newest.
pub(crate) fn load_with_head(
    db: &Connection,
    key: &ThreadKey,
    at: Option<CheckpointId>,
) -> Result<(Option<CheckpointId>, Option<Loaded>), Failure> {
    let Some(history) = history(db, key)? else {
        return Ok((None, None));
    };
    let loaded = load(db, history, at)?;
    let head = match (&loaded, at) {
        (Some(newest), None) => Some(newest.header.id),
        (None, None) => None,
        (_, Some(_)) => head(db, history)?.map(|(id, _)| id),
    };
    Ok((head, loaded))
}

/// Returns the checkpoint `at`, or the newest, with its bodies and records.
fn load(
    db: &Connection,
    history: HistoryKey,
    at: Option<CheckpointId>,
) -> Result<Option<Loaded>, Failure> {
    let (low, high) = match at {
        None => (history.lowest(), history.highest()),
        Some(id) => match history.checkpoint(id) {
            Some(key) => (key, key),
            None => return Ok(None),
        },
    };

    let mut find = db.prepare_cached(concat!(
        "SELECT ",
        header_columns!(),
        " FROM checkpoint WHERE key BETWEEN ?1 AND ?2 ORDER BY key DESC LIMIT 1"
    ))?;
    let mut rows = find.query([low, high])?;
    let Some(row) = rows.next()? else {
        return Ok(None);
    };

    let header = Headers::new(db).read(row)?;
    let bodies = bodies(db, history, header.base, header.id)?;
    let records = records(db, history, header.id)?;
    Ok(Some(Loaded::new(header, bodies, records)))
}

/// Returns the bodies from `base` to `id`, all of which must exist.
pub(crate) fn bodies(
    db: &Connection,
    history: HistoryKey,
    base: CheckpointId,
    id: CheckpointId,
) -> Result<Vec<Vec<u8>>, Failure> {
    let damaged = || damaged_row(&format!("a checkpoint that {id} is built on"));
    let low = history.checkpoint(base).ok_or_else(damaged)?;
    let high = history.checkpoint(id).ok_or_else(damaged)?;

    let mut find = db.prepare_cached(
        "SELECT body, body_sum FROM checkpoint WHERE key BETWEEN ?1 AND ?2 ORDER BY key",
    )?;
    let bodies = find.query_and_then([low, high], |row| {
        blob(row, 0, 1)?.ok_or_else(|| damaged().into())
    })?;
    let bodies = bodies.collect::<Result<Vec<_>, Failure>>()?;

    let all = i64::try_from(bodies.len()).is_ok_and(|count| high - low + 1 == count);
    if all {
        Ok(bodies)
    } else {
        Err(damaged().into())
    }
}

/// Returns the records of a checkpoint.
fn records(
    db: &Connection,
    history: HistoryKey,
    of: CheckpointId,
) -> Result<Vec<TaskRecord>, Failure> {
    let Some(key) = history.checkpoint(of) else {
        return Ok(Vec::new());
    };
    let mut find = db.prepare_cached(
        "SELECT task, kind, name, data, data_sum FROM record
         WHERE key = ?1 ORDER BY task, kind, name",
    )?;

    let records = find.query_and_then([key], |row: &Row<'_>| {
        let damaged = || damaged_row(&format!("a record of checkpoint {of}"));
        let kind = RecordKind::from_code(row.get(1)?).ok_or_else(damaged)?;
        let key = RecordKey::new(of, row.get(0)?, kind, row.get::<_, String>(2)?);
        Ok::<_, Failure>(TaskRecord::new(key, blob(row, 3, 4)?.ok_or_else(damaged)?))
    })?;
    records.collect()
}

/// Returns the keys of the records of a checkpoint, in ascending order.
pub(crate) fn record_keys(
    db: &Connection,
    history: HistoryKey,
    of: CheckpointId,
) -> Result<Vec<RecordKey>, Failure> {
    let Some(key) = history.checkpoint(of) else {
        return Ok(Vec::new());
    };
    let mut find = db.prepare_cached("SELECT task, kind, name FROM record WHERE key = ?1")?;
    let keys = find.query_and_then([key], |row: &Row<'_>| {
        let kind = RecordKind::from_code(row.get(1)?)
            .ok_or_else(|| damaged_row(&format!("a record of checkpoint {of}")))?;
        Ok::<_, Failure>(RecordKey::new(
            of,
            row.get(0)?,
            kind,
            row.get::<_, String>(2)?,
        ))
    })?;

    let mut keys = keys.collect::<Result<Vec<_>, _>>()?;
    keys.sort_unstable();
    Ok(keys)
}

/// Returns the checkpoints that match a query, newest first.
pub(crate) fn list(
    db: &Connection,
    key: &ThreadKey,
    query: &Query,
) -> Result<Vec<Header>, Failure> {
    let Some(history) = history(db, key)? else {
        return Ok(Vec::new());
    };
    let end = match query.before {
        None => history.highest(),
        Some(before) => history
            .checkpoint(before)
            .map_or(history.highest(), |key| key - 1),
    };
    let run: Option<i64> = match &query.run {
        None => None,
        Some(name) => match run_key(db, history, name)? {
            Some(run) => Some(run),
            None => return Ok(Vec::new()),
        },
    };

    let mut find = db.prepare_cached(concat!(
        "SELECT ",
        header_columns!(),
        " FROM checkpoint
         WHERE key BETWEEN ?1 AND ?2 AND (?3 IS NULL OR run = ?3) AND (?4 IS NULL OR origin = ?4)
         ORDER BY key DESC"
    ))?;
    let mut rows = find.query(params![
        history.lowest(),
        end,
        run,
        query.origin.map(|origin| origin.code())
    ])?;

    // Rows are fetched on demand, so stopping early saves the rest.
    let mut headers = Headers::new(db);
    let mut found = Vec::new();
    while query.limit.is_none_or(|limit| found.len() < limit) {
        let Some(row) = rows.next()? else { break };
        let header = headers.read(row)?;
        if query.admits(&header) {
            found.push(header);
        }
    }
    Ok(found)
}

/// Returns the key of a run, if the history has it.
pub(crate) fn run_key(
    db: &Connection,
    history: HistoryKey,
    name: &str,
) -> Result<Option<i64>, Failure> {
    let mut find = db.prepare_cached("SELECT key FROM run WHERE history = ?1 AND name = ?2")?;
    Ok(find
        .query_row(params![history.0, name], |row| row.get(0))
        .optional()?)
}

/// The condition that a row of the table `history` has a checkpoint.
macro_rules! is_written {
    () => {
        "EXISTS (SELECT 1 FROM checkpoint
         WHERE checkpoint.key BETWEEN history.key << 32 AND history.key << 32 | 4294967295)"
    };
}

/// Returns the threads that have a checkpoint, after a name.
pub(crate) fn threads(
    db: &Connection,
    after: Option<&str>,
    limit: usize,
) -> Result<Vec<String>, Failure> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let name = |row: &Row<'_>| row.get(0);

    let names: rusqlite::Result<Vec<String>> = match after {
        None => db
            .prepare_cached(concat!(
                "SELECT DISTINCT thread FROM history WHERE ",
                is_written!(),
                " ORDER BY thread LIMIT ?1"
            ))?
            .query_map([limit], name)?
            .collect(),
        Some(after) => db
            .prepare_cached(concat!(
                "SELECT DISTINCT thread FROM history WHERE thread > ?2 AND ",
                is_written!(),
                " ORDER BY thread LIMIT ?1"
            ))?
            .query_map(params![limit, after], name)?
            .collect(),
    };
    Ok(names?)
}

/// Returns the namespaces of a thread that have a checkpoint.
pub(crate) fn namespaces(db: &Connection, thread: &str) -> Result<Vec<String>, Failure> {
    let mut find = db.prepare_cached(concat!(
        "SELECT namespace FROM history WHERE thread = ?1 AND ",
        is_written!(),
        " ORDER BY namespace"
    ))?;
    let names = find.query_map([thread], |row| row.get(0))?;
    Ok(names.collect::<rusqlite::Result<_>>()?)
}

/// Returns `true` if a thread has a checkpoint.
pub(crate) fn is_written(db: &Connection, thread: &str) -> Result<bool, Failure> {
    let mut find = db.prepare_cached(concat!(
        "SELECT 1 FROM history WHERE thread = ?1 AND ",
        is_written!()
    ))?;
    Ok(find.exists([thread])?)
}
