//! What the writing connection knows of the histories that it writes to.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::ops::Deref;

use research_core::checkpoint::{CheckpointId, ThreadKey};
use rusqlite::Connection;

use crate::error::Failure;
use crate::key::HistoryKey;

/// Maximum number of histories that are kept. All are forgotten when there are more.
const MAX_HEADS: usize = 4_096;

/// The connection that writes, with what it knows of the histories that it wrote to.
pub(crate) struct WriteConnection {
    db: Connection,
    pub(crate) heads: Heads,
}

impl WriteConnection {
    /// Creates the connection that writes. It knows nothing yet.
    pub(crate) fn new(db: Connection) -> Self {
        Self {
            db,
            heads: Heads::default(),
        }
    }
}

impl Deref for WriteConnection {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        &self.db
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
    pub(crate) run: Option<(String, i64)>,
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

    /// Takes out what is known of a history, if its claim is that of `epoch`.
    pub(crate) fn take(&self, history: HistoryKey, key: &ThreadKey, epoch: u64) -> Option<Head> {
        let head = self.known.borrow_mut().remove(&history.0)?;
        (head.epoch == epoch && head.key == *key).then_some(head)
    }

    /// Keeps what is known of a history.
    pub(crate) fn keep(&self, history: HistoryKey, head: Head) {
        let mut known = self.known.borrow_mut();
        if known.len() >= MAX_HEADS {
            known.clear();
        }
        known.insert(history.0, head);
    }

    /// Forgets a history.
    pub(crate) fn forget(&self, history: HistoryKey) {
        self.known.borrow_mut().remove(&history.0);
    }

    /// Forgets all histories.
    pub(crate) fn forget_all(&self) {
        self.known.borrow_mut().clear();
    }
}
