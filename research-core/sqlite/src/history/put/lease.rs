//! Leases of threads: one row for each thread that is under one.

use std::time::SystemTime;

use research_core::checkpoint::{Lease, LeaseReply};
use rusqlite::{Connection, OptionalExtension, params};

use crate::error::{Failure, damaged_row};
use crate::row::{milliseconds, time};

/// Grants the lease of a thread, unless another one has not expired.
pub(crate) fn acquire(
    db: &Connection,
    thread: &str,
    run: &str,
    now: SystemTime,
    until: SystemTime,
) -> Result<LeaseReply, Failure> {
    if let Some(held) = read(db, thread)?.filter(|lease| !lease.is_expired(now)) {
        return Ok(LeaseReply::Held(held));
    }
    delete(db, thread)?;
    db.prepare_cached(
        "INSERT INTO lease (thread, run, since_ms, until_ms) VALUES (?1, ?2, ?3, ?4)",
    )?
    .execute(params![thread, run, milliseconds(now), milliseconds(until)])?;
    Ok(LeaseReply::Granted(db.last_insert_rowid().cast_unsigned()))
}

/// Extends a lease; gives whether the thread is still under it.
pub(crate) fn renew(
    db: &Connection,
    thread: &str,
    token: u64,
    until: SystemTime,
) -> Result<bool, Failure> {
    let renewed = db
        .prepare_cached("UPDATE lease SET until_ms = ?3 WHERE token = ?2 AND thread = ?1")?
        .execute(params![thread, token.cast_signed(), milliseconds(until)])?;
    Ok(renewed > 0)
}

/// Ends a lease, if the thread is still under it.
pub(crate) fn release(db: &Connection, thread: &str, token: u64) -> Result<(), Failure> {
    db.prepare_cached("DELETE FROM lease WHERE token = ?2 AND thread = ?1")?
        .execute(params![thread, token.cast_signed()])?;
    Ok(())
}

/// Ends whatever lease a thread is under.
pub(crate) fn delete(db: &Connection, thread: &str) -> Result<(), Failure> {
    db.prepare_cached("DELETE FROM lease WHERE thread = ?1")?
        .execute([thread])?;
    Ok(())
}

/// Reads the newest lease of a thread.
pub(crate) fn read(db: &Connection, thread: &str) -> Result<Option<Lease>, Failure> {
    let mut find =
        db.prepare_cached("SELECT token, run, since_ms, until_ms FROM lease WHERE thread = ?1")?;
    let row: Option<(i64, String, i64, i64)> = find
        .query_row([thread], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
        })
        .optional()?;
    let Some((token, run, since, until)) = row else {
        return Ok(None);
    };

    let damaged = || damaged_row(&format!("the lease of thread `{thread}`"));
    let (since, until) = (
        time(since).ok_or_else(damaged)?,
        time(until).ok_or_else(damaged)?,
    );
    Ok(Some(Lease::new(
        token.cast_unsigned(),
        run.into(),
        since,
        until,
    )))
}

/// Returns whether a thread is under the lease of a number.
pub(crate) fn is_under(db: &Connection, thread: &str, token: u64) -> Result<bool, Failure> {
    let mut find = db.prepare_cached("SELECT 1 FROM lease WHERE token = ?2 AND thread = ?1")?;
    Ok(find.exists(params![thread, token.cast_signed()])?)
}
