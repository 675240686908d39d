//! The thread that writes: whatever waits is committed together.

use std::sync::Arc;

use research_core::checkpoint::{StoreError, StoreErrorKind};
use rusqlite::Connection;
use tokio::sync::{mpsc, oneshot};

use crate::connection::check_in_place;
use crate::error::{Failure, kind};

/// Writes that are committed together at most. A commit costs as much as hundreds of small writes.
const GROUP: usize = 256;

/// What the writer can be asked to do.
pub(crate) enum Order {
    /// Something that goes into a transaction with others.
    Write(Box<dyn Write>),
    /// Something that must be alone.
    Alone(Box<dyn FnOnce(&Connection) + Send>),
}

/// A piece of work in a transaction. It may run again when the transaction was rolled back.
pub(crate) trait Write: Send {
    fn run(&mut self, db: &Connection) -> Result<(), Failure>;
    /// Tells whoever waits what became of it.
    fn answer(self: Box<Self>, outcome: Result<(), StoreError>);
}

/// A [`Write`] made of a closure and a place for its answer.
struct Job<T, F> {
    work: F,
    done: Option<T>,
    reply: oneshot::Sender<Result<T, StoreError>>,
}

impl<T: Send, F: FnMut(&Connection) -> Result<T, Failure> + Send> Write for Job<T, F> {
    fn run(&mut self, db: &Connection) -> Result<(), Failure> {
        self.done = Some((self.work)(db)?);
        Ok(())
    }

    fn answer(self: Box<Self>, outcome: Result<(), StoreError>) {
        let answer = match (outcome, self.done) {
            (Ok(()), Some(done)) => Ok(done),
            (Ok(()), None) => Err(crate::error::closed()),
            (Err(error), _) => Err(error),
        };
        // Whoever asked may have gone away; what was written stays written.
        let _ = self.reply.send(answer);
    }
}

/// A write, and where its answer will arrive.
pub(crate) fn write<T: Send + 'static>(
    work: impl FnMut(&Connection) -> Result<T, Failure> + Send + 'static,
) -> (Order, oneshot::Receiver<Result<T, StoreError>>) {
    let (reply, answer) = oneshot::channel();
    (Order::Write(Box::new(Job { work, done: None, reply })), answer)
}

/// Serves orders until the last sender is gone and the queue is empty.
pub(crate) fn serve(db: Connection, mut orders: mpsc::Receiver<Order>) {
    let mut next = orders.blocking_recv();
    while let Some(order) = next.take() {
        match order {
            Order::Alone(work) => work(&db),
            Order::Write(first) => {
                let mut group = vec![first];
                while group.len() < GROUP {
                    match orders.try_recv() {
                        Ok(Order::Write(write)) => group.push(write),
                        Ok(alone) => {
                            next = Some(alone);
                            break;
                        }
                        Err(_) => break,
                    }
                }
                commit(&db, group);
            }
        }
        next = next.or_else(|| orders.blocking_recv());
    }
}

/// Runs a group in one transaction and answers each; a write that fails leaves nothing and does not hurt the others.
fn commit(db: &Connection, mut group: Vec<Box<dyn Write>>) {
    let outcomes = match transact(db, &mut group) {
        Ok(outcomes) => outcomes,
        Err(Aborted::Group) => {
            group.into_iter().for_each(|write| commit(db, vec![write]));
            return;
        }
        Err(Aborted::All(error)) => {
            let error = Arc::new(error);
            group.into_iter().for_each(|write| write.answer(Err(shared(&error))));
            return;
        }
    };
    group.into_iter().zip(outcomes).for_each(|(write, outcome)| write.answer(outcome));
}

/// Why a group was not committed.
enum Aborted {
    /// One of several broke the transaction for all: each has to go alone.
    Group,
    /// For a reason that holds for all of them.
    All(StoreError),
}

fn transact(db: &Connection, group: &mut [Box<dyn Write>]) -> Result<Vec<Result<(), StoreError>>, Aborted> {
    let all = |failure: Failure| Aborted::All(failure.into());
    check_in_place(db).map_err(all)?;
    execute(db, "BEGIN IMMEDIATE").map_err(|error| all(error.into()))?;
    let alone = group.len() == 1;
    let mut outcomes = Vec::with_capacity(group.len());
    for write in group.iter_mut() {
        let outcome = if alone { Ok(write.run(db)) } else { run_in_savepoint(db, &mut **write) };
        let Ok(outcome) = outcome else {
            roll_back(db);
            return Err(Aborted::Group);
        };
        outcomes.push(outcome.map_err(StoreError::from));
    }
    if alone && outcomes.iter().any(Result::is_err) {
        roll_back(db);
        return Ok(outcomes);
    }
    match execute(db, "COMMIT") {
        Ok(()) => Ok(outcomes),
        Err(error) => {
            roll_back(db);
            match kind(&error) {
                StoreErrorKind::Full if !alone => Err(Aborted::Group),
                StoreErrorKind::Full | StoreErrorKind::ReadOnly => Err(all(error.into())),
                kind => Err(Aborted::All(
                    StoreError::new(
                        kind,
                        "the database could not finish a write, and whether it is kept is not known; read the thread again",
                    )
                    .with_source(error),
                )),
            }
        }
    }
}

/// What became of a write; an error when the transaction cannot go on. SQLite gives some up by itself, such as those that
/// find no room.
fn run_in_savepoint(db: &Connection, write: &mut dyn Write) -> Result<Result<(), Failure>, rusqlite::Error> {
    execute(db, "SAVEPOINT one")?;
    let outcome = write.run(db);
    if outcome.is_err() {
        execute(db, "ROLLBACK TO one")?;
    }
    execute(db, "RELEASE one")?;
    Ok(outcome)
}

fn execute(db: &Connection, sql: &str) -> rusqlite::Result<()> {
    db.prepare_cached(sql)?.execute([]).map(drop)
}

fn roll_back(db: &Connection) {
    if !db.is_autocommit() {
        // Should it fail, the next transaction cannot begin, and says so.
        let _ = execute(db, "ROLLBACK");
    }
}

/// The same error for another of those who wait, with one cause for all.
fn shared(error: &Arc<StoreError>) -> StoreError {
    StoreError::new(error.kind(), error.to_string()).with_source(Arc::clone(error))
}
