//! Converts between the values of a checkpoint and the columns of a row.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use research_core::checkpoint::{
    CheckpointId, Header, Metadata, Origin, StoreError, StoreErrorKind,
};
use rusqlite::{Connection, OptionalExtension, Row};

use crate::error::{Failure, damaged_row};
use crate::key::id;

/// The columns of a [`Header`], in the order of [`Headers::read`].
macro_rules! header_columns {
    () => {
        "key, parent_below, base_below, run, made_ms, step, origin, metadata, next, next_sum"
    };
}
pub(crate) use header_columns;

/// Returns the CRC-32 of a blob. SQLite detects damage to its own structures, but not to the
/// contents of large values.
pub(crate) fn sum(blob: &[u8]) -> i32 {
    crc32fast::hash(blob).cast_signed()
}

/// Returns the blob of a column, if it matches the checksum in another column.
pub(crate) fn blob(row: &Row<'_>, blob: usize, sum_of: usize) -> Result<Option<Vec<u8>>, Failure> {
    let blob: Vec<u8> = row.get(blob)?;
    let whole = sum(&blob) == row.get::<_, i32>(sum_of)?;
    Ok(whole.then_some(blob))
}

/// Returns the milliseconds since 1970, negative before.
pub(crate) fn milliseconds(at: SystemTime) -> i64 {
    match at.duration_since(SystemTime::UNIX_EPOCH) {
        Ok(after) => i64::try_from(after.as_millis()).unwrap_or(i64::MAX),
        Err(before) => {
            i64::try_from(before.duration().as_millis()).map_or(i64::MIN, |before| -before)
        }
    }
}

/// Returns the time of milliseconds since 1970, if it is in range.
pub(crate) fn time(milliseconds: i64) -> Option<SystemTime> {
    let distance = Duration::from_millis(milliseconds.unsigned_abs());
    if milliseconds < 0 {
        SystemTime::UNIX_EPOCH.checked_sub(distance)
    } else {
        SystemTime::UNIX_EPOCH.checked_add(distance)
    }
}

/// Returns the distance from a checkpoint down to another one. Rows store distances instead of
/// numbers, because small integers take little space.
pub(crate) const fn below(id: CheckpointId, other: CheckpointId) -> i64 {
    id.0.wrapping_sub(other.0).cast_signed()
}

/// Returns the checkpoint at a distance below this one.
const fn at_distance(id: CheckpointId, below: i64) -> CheckpointId {
    CheckpointId(id.0.wrapping_sub(below.cast_unsigned()))
}

/// Returns metadata as text, or `None` if it is empty.
pub(crate) fn metadata_text(metadata: &Metadata) -> Result<Option<String>, Failure> {
    if metadata.is_empty() {
        return Ok(None);
    }
    let text = serde_json::to_string(metadata).map_err(|error| {
        StoreError::new(
            StoreErrorKind::Other,
            "the metadata of a checkpoint cannot be written as JSON",
        )
        .with_source(error)
    })?;
    Ok(Some(text))
}

/// Reads headers. Adjacent checkpoints usually have the same run and metadata, which they then
/// share.
pub(crate) struct Headers<'db> {
    db: &'db Connection,
    run: Option<(i64, Arc<str>)>,
    metadata: Option<(String, Arc<Metadata>)>,
    none: Arc<Metadata>,
}

impl<'db> Headers<'db> {
    pub(crate) fn new(db: &'db Connection) -> Self {
        Self {
            db,
            run: None,
            metadata: None,
            none: Arc::default(),
        }
    }

    /// Reads the header from a row of [`header_columns`].
    pub(crate) fn read(&mut self, row: &Row<'_>) -> Result<Header, Failure> {
        let key: i64 = row.get(0)?;
        let id = id(key);
        let parent = row
            .get::<_, Option<i64>>(1)?
            .map(|below| at_distance(id, below));
        let base = at_distance(id, row.get(2)?);

        let damaged = || damaged_row(&format!("checkpoint {id}"));
        let at = time(row.get(4)?).ok_or_else(damaged)?;
        let step = row.get::<_, i64>(5)?.cast_unsigned();
        let origin = Origin::from_code(row.get(6)?).ok_or_else(damaged)?;
        let metadata = self
            .metadata(
                row.get_ref(7)?
                    .as_str_or_null()
                    .map_err(rusqlite::Error::from)?,
            )
            .ok_or_else(damaged)?;
        let run = self.run(row.get(3)?)?.ok_or_else(damaged)?;
        let next = blob(row, 8, 9)?.ok_or_else(damaged)?;

        Ok(Header::new(
            id, parent, base, run, at, step, origin, metadata, next,
        ))
    }

    /// Returns the name of a run, read once for adjacent checkpoints.
    fn run(&mut self, key: i64) -> Result<Option<Arc<str>>, Failure> {
        if let Some((_, name)) = self.run.as_ref().filter(|(known, _)| *known == key) {
            return Ok(Some(Arc::clone(name)));
        }
        let mut find = self
            .db
            .prepare_cached("SELECT name FROM run WHERE key = ?1")?;
        let name: Option<Arc<str>> = find.query_row([key], |row| row.get(0)).optional()?;
        self.run = name.as_ref().map(|name| (key, Arc::clone(name)));
        Ok(name)
    }

    /// Parses metadata, once for adjacent checkpoints.
    fn metadata(&mut self, text: Option<&str>) -> Option<Arc<Metadata>> {
        let Some(text) = text else {
            return Some(Arc::clone(&self.none));
        };
        if let Some((_, metadata)) = self.metadata.as_ref().filter(|(known, _)| known == text) {
            return Some(Arc::clone(metadata));
        }
        let metadata: Arc<Metadata> = Arc::new(serde_json::from_str(text).ok()?);
        self.metadata = Some((text.to_owned(), Arc::clone(&metadata)));
        Some(metadata)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_before_and_after_1970_come_back() {
        for distance in
            [0, 1, 999, 1_763_632_800_123, 253_402_300_799_999].map(Duration::from_millis)
        {
            for at in [
                SystemTime::UNIX_EPOCH + distance,
                SystemTime::UNIX_EPOCH - distance,
            ] {
                assert_eq!(time(milliseconds(at)), Some(at));
            }
        }
        assert_eq!(
            time(i64::MIN).is_some(),
            SystemTime::UNIX_EPOCH
                .checked_sub(Duration::from_millis(1 << 63))
                .is_some()
        );
    }

    #[test]
    fn distances_give_back_the_number() {
        for (id, other) in [
            (1, 1),
            (5, 4),
            (4, 5),
            (u64::MAX, 0),
            (0, u64::MAX),
            (u64::from(u32::MAX), 1),
        ] {
            let (id, other) = (CheckpointId(id), CheckpointId(other));
            assert_eq!(at_distance(id, below(id, other)), other);
        }
    }
}
