//! The thread that writes, and commits waiting writes together.

use std::sync::Arc;

use research_core::checkpoint::{StoreError, StoreErrorKind};
use rusqlite::Connection;
use tokio::sync::{mpsc, oneshot};

use crate::connection::check_in_place;
use crate::error::{Failure, kind};
use crate::history::heads::WriteConnection;

/// Maximum number of writes in a commit. A commit costs as much as hundreds of small writes.
const MAX_GROUP: usize = 256;

/// A request to the writing thread.
pub(crate) enum Request {
    /// A write, which shares a transaction with others.
    Write(Box<dyn Write>),
    /// Work that cannot run in a transaction.
    Exclusive(Box<dyn FnOnce(&Connection) + Send>),
}

/// How a write relates to [`Heads`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keeps {
    /// It keeps them true itself.
    Heads,
    /// They are read again after it.
    Nothing,
}

/// Work in a transaction. It runs again if the transaction was rolled back because of others.
pub(crate) trait Write: Send {
    /// Makes the write.
    fn run(&mut self, db: &WriteConnection<'_>) -> Result<(), Failure>;

    /// Sends the outcome to the caller.
    fn answer(self: Box<Self>, outcome: Result<(), StoreError>);
}

/// A [`Write`] that consists of a closure and the channel of its answer.
struct Job<T, F> {
    work: F,
    keeps: Keeps,
    done: Option<T>,
    reply: oneshot::Sender<Result<T, StoreError>>,
    /// Whether it is not made any more once its caller has gone away.
    is_for_caller: bool,
}

impl<T: Send, F: FnMut(&WriteConnection<'_>) -> Result<T, Failure> + Send> Write for Job<T, F> {
    fn run(&mut self, db: &WriteConnection<'_>) -> Result<(), Failure> {
        if self.is_for_caller && self.done.is_none() && self.reply.is_closed() {
            return Ok(());
        }
        if self.keeps == Keeps::Nothing {
            db.heads.forget_all();
        }
        self.done = Some((self.work)(db)?);
        Ok(())
    }

    fn answer(self: Box<Self>, outcome: Result<(), StoreError>) {
        let answer = match (outcome, self.done) {
            (Ok(()), Some(done)) => Ok(done),
            (Ok(()), None) => Err(crate::error::closed()),
            (Err(error), _) => Err(error),
        };
        // The caller may have gone away; its write is kept.
        let _ = self.reply.send(answer);
    }
}

/// Creates a write, and the channel of its answer. One that is for its caller only is not made any
/// more once the caller has gone away: the claim of a run that was dropped must not come after that
/// of the next one.
pub(crate) fn write<T: Send + 'static>(
    keeps: Keeps,
    is_for_caller: bool,
    work: impl FnMut(&WriteConnection<'_>) -> Result<T, Failure> + Send + 'static,
) -> (Request, oneshot::Receiver<Result<T, StoreError>>) {
    let (reply, answer) = oneshot::channel();
    (
        Request::Write(Box::new(Job {
            work,
            keeps,
            done: None,
            reply,
            is_for_caller,
        })),
        answer,
    )
}

/// Serves requests until the last sender is gone and the queue is empty.
pub(crate) fn serve(db: Connection, mut requests: mpsc::Receiver<Request>) {
    let db = WriteConnection::new(&db);
    let mut next = requests.blocking_recv();
    let mut last = 1;
    while let Some(request) = next.take() {
        match request {
            Request::Exclusive(work) => {
                db.heads.forget_all();
                work(&db);
            }
            Request::Write(first) => {
                let mut group = vec![first];
                next = collect(&mut group, &mut requests, last);
                last = group.len();
                commit(&db, group);
            }
        }

        next = next.or_else(|| requests.blocking_recv());
    }
}

/// Adds the writes that wait to a group, so that they are committed together. Returns the request
/// that ends the group, if there is one.
///
/// Writers that were answered together tend to write again together. As long as fewer than `last`
/// writes wait and more arrive, the others get processor time to write theirs. A writer that is
/// alone never waits.
fn collect(
    group: &mut Vec<Box<dyn Write>>,
    requests: &mut mpsc::Receiver<Request>,
    last: usize,
) -> Option<Request> {
    let mut seen = 0;
    while group.len() < MAX_GROUP {
        match requests.try_recv() {
            Ok(Request::Write(write)) => group.push(write),
            Ok(exclusive) => return Some(exclusive),
            Err(_) if group.len() < last && group.len() > seen => {
                seen = group.len();
                std::thread::yield_now();
            }
            Err(_) => break,
        }
    }
    None
}

/// Runs a group in one transaction and answers each of its writes. A write that fails leaves
/// nothing and does not affect the others.
fn commit(db: &WriteConnection<'_>, mut group: Vec<Box<dyn Write>>) {
    let transacted = match transact(db, &mut group, Isolation::None) {
        // One of them fails: they run again, each in its own savepoint.
        Err(Aborted::Write) => transact(db, &mut group, Isolation::Savepoints),
        transacted => transacted,
    };
    let outcomes = match transacted {
        Ok(outcomes) => outcomes,
        Err(Aborted::Group | Aborted::Write) => {
            group.into_iter().for_each(|write| commit(db, vec![write]));
            return;
        }
        Err(Aborted::All(error)) => {
            let error = Arc::new(error);
            group
                .into_iter()
                .for_each(|write| write.answer(Err(shared(&error))));
            return;
        }
    };

    group
        .into_iter()
        .zip(outcomes)
        .for_each(|(write, outcome)| write.answer(outcome));
}

/// Whether the writes of a group can be rolled back one by one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Isolation {
    /// All of them or none. Nearly all groups are committed so, which costs no savepoints.
    None,
    /// Each write has a savepoint.
    Savepoints,
}

/// Why a group was not committed.
enum Aborted {
    /// One of several writes failed in a transaction without savepoints.
    Write,
    /// One of several writes broke the transaction: each must run alone.
    Group,
    /// For a reason that concerns all of them.
    All(StoreError),
}

/// Runs a group in one transaction, and returns the outcome of each write.
fn transact(
    db: &WriteConnection<'_>,
    group: &mut [Box<dyn Write>],
    isolation: Isolation,
) -> Result<Vec<Result<(), StoreError>>, Aborted> {
    let all = |failure: Failure| Aborted::All(failure.into());
    check_in_place(db).map_err(all)?;
    execute(db, "BEGIN IMMEDIATE").map_err(|error| all(error.into()))?;
    if let Err(failure) = db.heads.check(db) {
        roll_back(db);
        return Err(all(failure));
    }

    // A single write needs no savepoint, because the transaction is rolled back with it.
    let alone = group.len() == 1;
    let mut outcomes = Vec::with_capacity(group.len());
    for write in group.iter_mut() {
        let outcome = match isolation {
            Isolation::None => Ok(write.run(db)),
            Isolation::Savepoints => run_in_savepoint(db, &mut **write),
        };
        let Ok(outcome) = outcome else {
            roll_back(db);
            return Err(Aborted::Group);
        };
        if outcome.is_err() && isolation == Isolation::None {
            roll_back(db);
            if !alone {
                return Err(Aborted::Write);
            }
            return Ok(vec![outcome.map_err(StoreError::from)]);
        }
        outcomes.push(outcome.map_err(StoreError::from));
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
                        "the database could not finish a write, and whether it is kept is not \
                         known; read the thread again",
                    )
                    .with_source(error),
                )),
            }
        }
    }
}

/// Runs a write in a savepoint and returns its outcome.
///
/// # Errors
///
/// When the transaction cannot continue: SQLite aborts some by itself, such as on a full disk.
fn run_in_savepoint(
    db: &WriteConnection<'_>,
    write: &mut dyn Write,
) -> Result<Result<(), Failure>, rusqlite::Error> {
    execute(db, "SAVEPOINT one")?;
    let outcome = write.run(db);
    if outcome.is_err() {
        db.heads.forget_all();
        execute(db, "ROLLBACK TO one")?;
    }
    execute(db, "RELEASE one")?;
    Ok(outcome)
}

fn execute(db: &Connection, sql: &str) -> rusqlite::Result<()> {
    db.prepare_cached(sql)?.execute([]).map(drop)
}

fn roll_back(db: &WriteConnection<'_>) {
    db.heads.forget_all();
    if !db.is_autocommit() {
        // If this fails, the next transaction cannot begin and reports it.
        let _ = execute(db, "ROLLBACK");
    }
}

/// Returns the same error for another caller, with one cause for all.
fn shared(error: &Arc<StoreError>) -> StoreError {
    StoreError::new(error.kind(), error.to_string()).with_source(Arc::clone(error))
}
