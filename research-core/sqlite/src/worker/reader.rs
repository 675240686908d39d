//! The threads that read, each request from one snapshot of the file.

use std::sync::{Arc, Mutex, PoisonError};

use research_core::checkpoint::StoreError;
use rusqlite::Connection;
use tokio::sync::{mpsc, oneshot};

use crate::connection::check_in_place;
use crate::error::Failure;

/// A request to read.
pub(crate) type Read = Box<dyn FnOnce(&Connection) + Send>;

/// Creates a request to read, and the channel of its answer.
pub(crate) fn read<T: Send + 'static>(
    work: impl FnOnce(&Connection) -> Result<T, Failure> + Send + 'static,
) -> (Read, oneshot::Receiver<Result<T, StoreError>>) {
    let (reply, answer) = oneshot::channel();
    let read = move |db: &Connection| {
        // The caller may have gone away.
        let _ = reply.send(in_snapshot(db, work).map_err(StoreError::from));
    };
    (Box::new(read), answer)
}

fn in_snapshot<T>(
    db: &Connection,
    work: impl FnOnce(&Connection) -> Result<T, Failure>,
) -> Result<T, Failure> {
    check_in_place(db)?;
    db.prepare_cached("BEGIN")?.execute([])?;
    let outcome = work(db);
    if !db.is_autocommit() {
        db.prepare_cached("ROLLBACK")?.execute([])?;
    }
    outcome
}

/// Serves requests until the last sender is gone and the queue is empty.
pub(crate) fn serve(db: &Connection, reads: &Arc<Mutex<mpsc::Receiver<Read>>>) {
    loop {
        let read = reads
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .blocking_recv();
        match read {
            Some(read) => read(db),
            None => return,
        }
    }
}
