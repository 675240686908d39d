//! What the writing connection knows of the histories that it writes to.

use std::cell::{Cell, RefCell, RefMut};
use std::collections::HashMap;
use std::ops::Deref;
use std::sync::Arc;

use research_core::checkpoint::{CheckpointId, ThreadKey};
use rusqlite::{Connection, Statement};

use crate::error::Failure;
use crate::key::HistoryKey;

/// Maximum number of histories that are kept. All are forgotten when there are more.
const MAX_HEADS: usize = 4_096;

/// Maximum size in bytes of a checkpoint of which the statement keeps a copy until the next one.
const MAX_KEPT: usize = 16 << 10;

/// The connection that writes, with what it knows of the histories that it wrote to.
pub(crate) struct WriteConnection<'db> {
    db: &'db Connection,
    pub(crate) heads: Heads,
    /// Adds a checkpoint. Nearly every write runs it, so it is not looked up like the others.
    insert: RefCell<Option<Statement<'db>>>,
}

impl<'db> WriteConnection<'db> {
    /// Creates the connection that writes. It knows nothing yet.
    pub(crate) fn new(db: &'db Connection) -> Self {
        Self {
            db,
            heads: Heads::default(),
            insert: RefCell::default(),
        }
    }

    /// Adds a checkpoint of so many bytes, the values of whose columns `bind` gives the statement.
    pub(crate) fn insert_checkpoint(
        &self,
        bytes: usize,
        bind: impl FnOnce(&mut Statement<'_>) -> rusqlite::Result<()>,
    ) -> Result<(), Failure> {
        let mut insert = self.insert.borrow_mut();
        let insert = match &mut *insert {
            Some(insert) => insert,
            none => none.insert(self.db.prepare(
                "INSERT INTO checkpoint (key, parent_below, base_below, run, made_ms, step,
                                         origin, metadata, next, next_sum, body_sum, body)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
            )?),
        };

        bind(insert)?;
        let inserted = insert.raw_execute();
        if bytes > MAX_KEPT {
            insert.clear_bindings();
        }
        inserted?;
        Ok(())
    }
}

impl Deref for WriteConnection<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        self.db
    }
}

/// The newest checkpoints of histories, so that a write need not read them again.
///
/// They are used within transactions only, in which no one else can write, and are forgotten when
/// another connection has written in between (`PRAGMA data_version`) and when a transaction is
/// rolled back.
#[derive(Debug, Default)]
pub(crate) struct Heads {
    known: RefCell<HashMap<i64, Head>>,
    version: Cell<Option<i64>>,
}

/// What is known of one history.
#[derive(Clone, Debug)]
pub(crate) struct Head {
    pub(crate) key: ThreadKey,
    pub(crate) epoch: u64,
    /// The newest checkpoint and its base.
    pub(crate) newest: Option<(CheckpointId, CheckpointId)>,
    /// The run that wrote last, with its key.
    pub(crate) run: Option<(Arc<str>, i64)>,
    /// A checkpoint that certainly has no records.
    pub(crate) bare: Option<CheckpointId>,
}

impl Heads {
    /// Forgets everything if another connection has written since the last call. Must be called at
    /// the beginning of each transaction.
    pub(crate) fn check(&self, db: &Connection) -> Result<(), Failure> {
        let version: i64 = db
            .prepare_cached("PRAGMA data_version")?
            .query_row([], |row| row.get(0))?;
        if self.version.replace(Some(version)) != Some(version) {
            self.forget_all();
        }
        Ok(())
    }

    /// Returns what is known of a history if its claim is that of `epoch`, otherwise what `read`
    /// returns, which is then known.
    pub(crate) fn known_or(
        &self,
        history: HistoryKey,
        key: &ThreadKey,
        epoch: u64,
        read: impl FnOnce() -> Result<Head, Failure>,
    ) -> Result<RefMut<'_, Head>, Failure> {
        let is_known = |head: &Head| head.epoch == epoch && head.key == *key;

        let known = RefMut::filter_map(self.known.borrow_mut(), |known| {
            known.get_mut(&history.0).filter(|head| is_known(head))
        });
        match known {
            Ok(head) => Ok(head),
            Err(known) => {
                let head = read()?;
                Ok(RefMut::map(known, |known| {
                    make_room(known);
                    known.entry(history.0).insert_entry(head).into_mut()
                }))
            }
        }
    }

    /// Keeps what is known of a history.
    pub(crate) fn keep(&self, history: HistoryKey, head: Head) {
        let mut known = self.known.borrow_mut();
        make_room(&mut known);
        known.insert(history.0, head);
    }

    /// Forgets all histories.
    pub(crate) fn forget_all(&self) {
        self.known.borrow_mut().clear();
    }
}

fn make_room(known: &mut HashMap<i64, Head>) {
    if known.len() >= MAX_HEADS {
        known.clear();
    }
}
