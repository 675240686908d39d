//! The store: a handle on the threads that serve the file.

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::SystemTime;

use research_core::checkpoint::{
    Batch, CheckpointId, Checkpointer, Claim, Header, Lease, LeaseReply, Loaded, Prune, Query,
    Seen, StoreError, StoreErrorKind, ThreadKey,
};
use rusqlite::Connection;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, oneshot};

use crate::connection::Settings;
use crate::error::{Failure, closed};
use crate::history::heads::WriteConnection;
use crate::history::put::lease;
use crate::history::{put, read, remove};
use crate::worker::reads::Reads;
use crate::worker::writer::{Keeps, Request};
use crate::worker::{reader, writer};

/// Maximum number of requests in a queue. Further callers wait.
const QUEUE_LENGTH: usize = 1_024;

/// Number of threads that read. Long reads are rare, and with two threads one of them does not
/// delay the others.
const READERS: usize = 2;

/// Stores threads in an SQLite file. A clone is another handle on the same file.
///
/// One thread of the process writes and commits waiting writes together; others read. When the last
/// handle is dropped, waiting writes are completed and the file is closed.
///
/// Several processes may open the same file on a local disk.
#[derive(Clone)]
pub struct SqliteCheckpointer {
    shared: Arc<Shared>,
}

struct Shared {
    settings: Settings,
    requests: Option<mpsc::Sender<Request>>,
    reads: Arc<Reads>,
    writer: Option<JoinHandle<()>>,
    readers: Vec<JoinHandle<()>>,
}

impl SqliteCheckpointer {
    /// Returns the path of the file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.shared.settings.path
    }

    /// Starts the threads, which open the file.
    pub(crate) async fn start(settings: Settings) -> Result<Self, StoreError> {
        let mut shared = Shared {
            settings,
            requests: None,
            reads: Arc::new(Reads::new(QUEUE_LENGTH)),
            writer: None,
            readers: Vec::new(),
        };

        // The writer opens the file first, because it creates the tables.
        let (requests, queue) = mpsc::channel(QUEUE_LENGTH);
        let opened = shared.spawn_writer(queue)?;
        shared.requests = Some(requests);
        opened.await.map_err(|_| closed())??;

        for _ in 0..READERS {
            let opened = shared.spawn_reader()?;
            opened.await.map_err(|_| closed())??;
        }

        Ok(Self {
            shared: Arc::new(shared),
        })
    }

    /// Returns the space of deleted threads to the disk, and merges the log into the file.
    ///
    /// Deleted space is reused even without this. It rewrites the whole file, which delays every
    /// writer, and needs space for a second copy.
    ///
    /// # Errors
    ///
    /// When the file cannot be written, or stays locked by another process.
    pub async fn compact(&self) -> Result<(), StoreError> {
        self.exclusive(|db| {
            db.execute_batch("VACUUM")?;
            merge_log(db)
        })
        .await
    }

    /// Merges the log into the file and empties it, so that the file alone can be copied.
    ///
    /// # Errors
    ///
    /// As for [`compact`](SqliteCheckpointer::compact).
    pub async fn checkpoint_wal(&self) -> Result<(), StoreError> {
        self.exclusive(merge_log).await
    }

    /// Runs work on the writing connection outside of a transaction.
    async fn exclusive<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (reply, answer) = oneshot::channel();
        let request = Request::Exclusive(Box::new(move |db| {
            // The caller may have gone away.
            let _ = reply.send(work(db).map_err(StoreError::from));
        }));
        self.send(request).await?;
        answer.await.map_err(|_| closed())?
    }

    /// Runs work in a transaction, which it may share with other writes. It may run again after a
    /// rollback.
    pub(crate) async fn write<T: Send + 'static>(
        &self,
        work: impl FnMut(&WriteConnection<'_>) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.write_and(Keeps::Nothing, work).await
    }

    /// Does the same for work that keeps what the connection knows of histories true.
    async fn write_and<T: Send + 'static>(
        &self,
        keeps: Keeps,
        work: impl FnMut(&WriteConnection<'_>) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.request(writer::write(keeps, false, work)).await
    }

    /// Does the same for work that is not done any more once the future of the caller was dropped.
    async fn write_for_caller<T: Send + 'static>(
        &self,
        work: impl FnMut(&WriteConnection<'_>) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.request(writer::write(Keeps::Heads, true, work)).await
    }

    async fn request<T>(
        &self,
        (request, answer): (Request, oneshot::Receiver<Result<T, StoreError>>),
    ) -> Result<T, StoreError> {
        self.send(request).await?;
        answer.await.map_err(|_| closed())?
    }

    async fn send(&self, request: Request) -> Result<(), StoreError> {
        let requests = self.shared.requests.as_ref().ok_or_else(closed)?;
        match requests.try_send(request) {
            Ok(()) => Ok(()),
            // The future of a wait that is rare would make every write a longer one.
            Err(TrySendError::Full(request)) => {
                Box::pin(requests.send(request)).await.map_err(|_| closed())
            }
            Err(TrySendError::Closed(_)) => Err(closed()),
        }
    }

    /// Runs work on a snapshot of the file.
    pub(crate) async fn read_with<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (read, answer) = reader::read(work);
        self.shared.reads.send(read).await?;
        answer.await.map_err(|_| closed())?
    }
}

/// Merges the log into the file and empties it.
fn merge_log(db: &Connection) -> Result<(), Failure> {
    let busy: bool = db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
    if busy {
        return Err(StoreError::new(
            StoreErrorKind::Unavailable,
            "other connections kept the log of the database in use for longer than the busy \
             timeout; try again",
        )
        .into());
    }
    Ok(())
}

impl Shared {
    fn spawn_writer(
        &mut self,
        requests: mpsc::Receiver<Request>,
    ) -> Result<oneshot::Receiver<Result<(), StoreError>>, StoreError> {
        let settings = self.settings.clone();
        let (reply, opened) = oneshot::channel();
        self.writer = Some(spawn("research-sqlite-writer", move || {
            if let Some(db) = report(settings.open_writer(), reply) {
                writer::serve(db, requests);
            }
        })?);
        Ok(opened)
    }

    fn spawn_reader(&mut self) -> Result<oneshot::Receiver<Result<(), StoreError>>, StoreError> {
        let (settings, reads) = (self.settings.clone(), Arc::clone(&self.reads));
        let (reply, opened) = oneshot::channel();
        self.readers.push(spawn("research-sqlite-reader", move || {
            if let Some(db) = report(settings.open_reader(), reply) {
                reader::serve(&db, &reads);
            }
        })?);
        Ok(opened)
    }
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>, StoreError> {
    std::thread::Builder::new()
        .name(name.to_owned())
        .spawn(work)
        .map_err(|error| {
            StoreError::new(
                StoreErrorKind::Unavailable,
                "no thread could be started for the database",
            )
            .with_source(error)
        })
}

/// Reports whether a connection could be opened, and returns it.
fn report(
    opened: Result<Connection, StoreError>,
    reply: oneshot::Sender<Result<(), StoreError>>,
) -> Option<Connection> {
    let (db, outcome) = match opened {
        Ok(db) => (Some(db), Ok(())),
        Err(error) => (None, Err(error)),
    };
    // No one waits if the future of opening was dropped; the queue is then closed too.
    let _ = reply.send(outcome);
    db
}

impl Drop for Shared {
    fn drop(&mut self) {
        // The writer ends last: the last connection that closes merges the log into the file.
        self.reads.close();
        for reader in self.readers.drain(..) {
            join(reader);
        }
        self.requests = None;
        if let Some(writer) = self.writer.take() {
            join(writer);
        }
    }
}

fn join(thread: JoinHandle<()>) {
    // A task that this thread wakes may drop the last handle, on this thread.
    if thread.thread().id() != std::thread::current().id() {
        // Callers that waited for answers know of a panic in it.
        let _ = thread.join();
    }
}

impl fmt::Debug for SqliteCheckpointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SqliteCheckpointer")
            .field("settings", &self.shared.settings)
            .finish_non_exhaustive()
    }
}

impl Checkpointer for SqliteCheckpointer {
    async fn claim(&self, key: &ThreadKey, at: Option<CheckpointId>) -> Result<Claim, StoreError> {
        let claimed = key.clone();
        let (epoch, written) = self
            .write_for_caller(move |db| put::claim(db, &claimed))
            .await?;
        if !written {
            return Ok(Claim::new(epoch, None, None));
        }

        // After the claim no one else can write, so a long read need not delay the writing thread.
        let key = key.clone();
        let (head, loaded) = self
            .read_with(move |db| read::load_with_head(db, &key, at))
            .await?;
        Ok(Claim::new(epoch, head, loaded))
    }

    async fn claim_if(&self, key: &ThreadKey, seen: &Seen) -> Result<Option<u64>, StoreError> {
        let (key, seen) = (key.clone(), seen.clone());
        self.write_for_caller(move |db| put::claim_if(db, &key, &seen))
            .await
    }

    async fn put(&self, key: &ThreadKey, epoch: u64, batch: Batch) -> Result<(), StoreError> {
        let key = key.clone();
        self.write_and(Keeps::Heads, move |db| put::put(db, &key, epoch, &batch))
            .await
    }

    async fn read(
        &self,
        key: &ThreadKey,
        at: Option<CheckpointId>,
    ) -> Result<Option<Loaded>, StoreError> {
        let key = key.clone();
        self.read_with(move |db| Ok(read::load_with_head(db, &key, at)?.1))
            .await
    }

    async fn list(&self, key: &ThreadKey, query: &Query) -> Result<Vec<Header>, StoreError> {
        let (key, query) = (key.clone(), query.clone());
        self.read_with(move |db| read::list(db, &key, &query)).await
    }

    async fn threads(&self, after: Option<&str>, limit: usize) -> Result<Vec<String>, StoreError> {
        let after = after.map(str::to_owned);
        self.read_with(move |db| read::threads(db, after.as_deref(), limit))
            .await
    }

    async fn namespaces(&self, thread: &str) -> Result<Vec<String>, StoreError> {
        let thread = thread.to_owned();
        self.read_with(move |db| read::namespaces(db, &thread))
            .await
    }

    async fn delete_thread(&self, thread: &str) -> Result<(), StoreError> {
        let thread = thread.to_owned();
        self.write(move |db| remove::delete_thread(db, &thread))
            .await
    }

    async fn delete_run(&self, thread: &str, run: &str) -> Result<u64, StoreError> {
        let (thread, run) = (thread.to_owned(), run.to_owned());
        self.write(move |db| remove::delete_run(db, &thread, &run))
            .await
    }

    async fn copy_thread(&self, from: &str, to: &str) -> Result<(), StoreError> {
        let (from, to) = (from.to_owned(), to.to_owned());
        self.write(move |db| remove::copy_thread(db, &from, &to))
            .await
    }

    async fn prune(&self, thread: &str, prune: &Prune) -> Result<u64, StoreError> {
        let (thread, prune) = (thread.to_owned(), prune.clone());
        self.write(move |db| remove::prune(db, &thread, &prune))
            .await
    }

    async fn acquire_lease(
        &self,
        thread: &str,
        run: &str,
        now: SystemTime,
        until: SystemTime,
    ) -> Result<LeaseReply, StoreError> {
        let (thread, run) = (thread.to_owned(), run.to_owned());
        self.write_and(Keeps::Heads, move |db| {
            lease::acquire(db, &thread, &run, now, until)
        })
        .await
    }

    async fn renew_lease(
        &self,
        thread: &str,
        token: u64,
        until: SystemTime,
    ) -> Result<bool, StoreError> {
        let thread = thread.to_owned();
        self.write_and(Keeps::Heads, move |db| {
            lease::renew(db, &thread, token, until)
        })
        .await
    }

    async fn release_lease(&self, thread: &str, token: u64) -> Result<(), StoreError> {
        let thread = thread.to_owned();
        self.write_and(Keeps::Heads, move |db| lease::release(db, &thread, token))
            .await
    }

    async fn lease(&self, thread: &str) -> Result<Option<Lease>, StoreError> {
        let thread = thread.to_owned();
        self.read_with(move |db| lease::read(db, &thread)).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_panic_of_the_writing_thread_is_reported_to_every_caller() {
        let directory = tempfile::tempdir().unwrap();
        let store = SqliteCheckpointer::open(directory.path().join("threads.db"))
            .await
            .unwrap();

        let error = store
            .write(|_| -> Result<(), Failure> { panic!("on purpose") })
            .await
            .unwrap_err();
        assert_eq!(error.kind(), StoreErrorKind::Unavailable);

        let error = store.claim(&ThreadKey::root("t"), None).await.unwrap_err();
        assert_eq!(error.kind(), StoreErrorKind::Unavailable);
        assert!(
            error.to_string().contains("open the store again"),
            "{error}"
        );
        assert!(
            store
                .read(&ThreadKey::root("t"), None)
                .await
                .unwrap()
                .is_none(),
            "reading continues"
        );
    }

    #[tokio::test]
    async fn a_claim_whose_caller_is_gone_is_not_made() {
        let directory = tempfile::tempdir().unwrap();
        let store = SqliteCheckpointer::open(directory.path().join("threads.db"))
            .await
            .unwrap();
        let key = ThreadKey::root("t");
        let first = store.claim(&key, None).await.unwrap();

        // The writing thread works on something else while a claim comes and goes.
        let (go_on, waits) = std::sync::mpsc::channel::<()>();
        let busy = tokio::spawn({
            let store = store.clone();
            async move {
                let work = move |_: &Connection| {
                    waits.recv().ok();
                    Ok(())
                };
                store.exclusive(work).await
            }
        });
        tokio::task::yield_now().await;
        let mut dropped = Box::pin(store.claim(&key, None));
        assert!(poll_once(&mut dropped).await.is_none());
        drop(dropped);
        go_on.send(()).unwrap();
        busy.await.unwrap().unwrap();

        let next = store.claim(&key, None).await.unwrap();
        assert_eq!(next.epoch, first.epoch + 1);
    }

    /// Polls a future once, and returns its value if it is ready.
    async fn poll_once<T>(future: &mut (impl Future<Output = T> + Unpin)) -> Option<T> {
        std::future::poll_fn(|cx| {
            let poll = std::pin::Pin::new(&mut *future).poll(cx);
            std::task::Poll::Ready(match poll {
                std::task::Poll::Ready(value) => Some(value),
                std::task::Poll::Pending => None,
            })
        })
        .await
    }

    #[tokio::test]
    async fn a_panic_of_a_reading_thread_leaves_the_others() {
        let directory = tempfile::tempdir().unwrap();
        let store = SqliteCheckpointer::open(directory.path().join("threads.db"))
            .await
            .unwrap();

        let error = store
            .read_with(|_| -> Result<(), Failure> { panic!("on purpose") })
            .await
            .unwrap_err();
        assert_eq!(error.kind(), StoreErrorKind::Unavailable);
        assert!(
            store
                .read(&ThreadKey::root("t"), None)
                .await
                .unwrap()
                .is_none()
        );
    }

    #[tokio::test]
    async fn when_every_reading_thread_has_ended_readers_are_told() {
        let directory = tempfile::tempdir().unwrap();
        let store = SqliteCheckpointer::open(directory.path().join("threads.db"))
            .await
            .unwrap();

        for _ in 0..READERS {
            let error = store
                .read_with(|_| -> Result<(), Failure> { panic!("on purpose") })
                .await
                .unwrap_err();
            assert_eq!(error.kind(), StoreErrorKind::Unavailable);
        }

        let error = store.read(&ThreadKey::root("t"), None).await.unwrap_err();
        assert_eq!(error.kind(), StoreErrorKind::Unavailable);
    }
}
