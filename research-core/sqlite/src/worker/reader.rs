//! The threads that read. What waits together is read from one snapshot of the file.

use std::sync::Arc;

use research_core::checkpoint::StoreError;
use rusqlite::Connection;
use tokio::sync::oneshot;

use crate::connection::check_in_place;
use crate::error::{Failure, closed};
use crate::worker::reads::{Read, Reads};

/// A [`Read`] that consists of a closure and the channel of its answer.
struct Job<T, F> {
    work: Option<F>,
    outcome: Option<Result<T, Failure>>,
    reply: oneshot::Sender<Result<T, StoreError>>,
}

impl<T: Send, F: FnOnce(&Connection) -> Result<T, Failure> + Send> Read for Job<T, F> {
    fn run(&mut self, db: &Connection) {
        self.outcome = self.work.take().map(|work| work(db));
    }

    fn answer(self: Box<Self>, snapshot: Result<(), StoreError>) {
        let answer = match (snapshot, self.outcome) {
            (Ok(()), Some(outcome)) => outcome.map_err(StoreError::from),
            (Ok(()), None) => Err(closed()),
            (Err(error), _) => Err(error),
        };
        // The caller may have gone away.
        let _ = self.reply.send(answer);
    }
}

/// Creates a request to read, and the channel of its answer.
pub(crate) fn read<T: Send + 'static>(
    work: impl FnOnce(&Connection) -> Result<T, Failure> + Send + 'static,
) -> (Box<dyn Read>, oneshot::Receiver<Result<T, StoreError>>) {
    let (reply, answer) = oneshot::channel();
    (
        Box::new(Job {
            work: Some(work),
            outcome: None,
            reply,
        }),
        answer,
    )
}

/// Serves requests until the queue is closed and empty.
pub(crate) fn serve(db: &Connection, reads: &Arc<Reads>) {
    let _attended = Reads::attend(reads);
    while let Some(first) = reads.wait() {
        serve_group(db, reads, first);
    }
}

/// Serves a request, and those that wait already from the same snapshot.
///
/// A request must see what was committed before it arrived. So the snapshot, which is younger than
/// the request that it is taken for, serves only requests that had arrived by then.
fn serve_group(db: &Connection, reads: &Reads, first: Box<dyn Read>) {
    let arrived = reads.arrived();
    if let Err(failure) = begin(db) {
        first.answer(Err(failure.into()));
        return;
    }

    let mut current = Some(first);
    while let Some(mut read) = current.take() {
        read.run(db);
        current = reads.next_of(arrived);
        let snapshot = if current.is_none() { end(db) } else { Ok(()) };
        read.answer(snapshot.map_err(StoreError::from));
    }
}

fn begin(db: &Connection) -> Result<(), Failure> {
    check_in_place(db)?;
    db.prepare_cached("BEGIN")?.execute([])?;
    Ok(())
}

fn end(db: &Connection) -> Result<(), Failure> {
    if !db.is_autocommit() {
        db.prepare_cached("ROLLBACK")?.execute([])?;
    }
    Ok(())
}
