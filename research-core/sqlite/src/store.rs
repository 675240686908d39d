//! The store: a handle on the threads that write and read the file.

use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use research_core::checkpoint::{
    Batch, CheckpointId, Checkpointer, Claim, Header, Loaded, Prune, Query, StoreError, StoreErrorKind, ThreadKey,
};
use rusqlite::Connection;
use tokio::sync::{mpsc, oneshot};

use crate::builder::Builder;
use crate::connection::Settings;
use crate::error::{Failure, closed};
use crate::reader::Read;
use crate::writer::Order;
use crate::{put, read, reader, remove, writer};

/// Orders that wait at most; whoever has another waits for a place.
const QUEUE: usize = 1_024;

/// Threads that read. Reads that are long enough to matter are rare, and two keep one of them from holding up the others.
const READERS: usize = 2;

/// Keeps threads in an SQLite file. A clone is another handle on the same file.
///
/// One thread of the process writes, and commits together whatever waits for it; others read. When the last handle is
/// dropped, what waits is written, and the file is closed.
///
/// Several processes may open one file on a local disk.
#[derive(Clone)]
pub struct SqliteCheckpointer {
    shared: Arc<Shared>,
}

struct Shared {
    settings: Settings,
    orders: Option<mpsc::Sender<Order>>,
    reads: Option<mpsc::Sender<Read>>,
    writer: Option<JoinHandle<()>>,
    readers: Vec<JoinHandle<()>>,
}

impl SqliteCheckpointer {
    /// Opens a file with the default settings; it is made when it is not there.
    ///
    /// # Errors
    ///
    /// As [`Builder::open`].
    pub async fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        Self::builder().open(path).await
    }

    /// Opens the file of a URL such as `sqlite:threads.db` with the default settings.
    ///
    /// # Errors
    ///
    /// As [`Builder::from_url`].
    pub async fn from_url(url: &str) -> Result<Self, StoreError> {
        Self::builder().from_url(url).await
    }

    /// Chooses settings before opening.
    #[must_use]
    pub const fn builder() -> Builder {
        Builder::new()
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.shared.settings.path
    }

    pub(crate) async fn start(settings: Settings) -> Result<Self, StoreError> {
        let mut shared = Shared { settings, orders: None, reads: None, writer: None, readers: Vec::new() };
        let (orders, queue) = mpsc::channel(QUEUE);
        let opened = shared.spawn_writer(queue)?;
        shared.orders = Some(orders);
        opened.await.map_err(|_| closed())??;
        let (reads, queue) = mpsc::channel(QUEUE);
        let queue = Arc::new(Mutex::new(queue));
        shared.reads = Some(reads);
        for _ in 0..READERS {
            let opened = shared.spawn_reader(Arc::clone(&queue))?;
            opened.await.map_err(|_| closed())??;
        }
        Ok(Self { shared: Arc::new(shared) })
    }

    /// Gives room that deleted threads left in the file back to the disk, and brings the log into it.
    ///
    /// The room is used again without this. It rewrites the whole file, holds up every writer while it does so, and needs room
    /// for a second copy.
    ///
    /// # Errors
    ///
    /// When the file cannot be written, or stays locked by another process.
    pub async fn compact(&self) -> Result<(), StoreError> {
        self.alone(|db| {
            db.execute_batch("VACUUM")?;
            bring_in_log(db)
        })
        .await
    }

    /// Brings the log into the file and empties it, so that the file alone can be copied.
    ///
    /// # Errors
    ///
    /// As [`compact`](SqliteCheckpointer::compact).
    pub async fn checkpoint_wal(&self) -> Result<(), StoreError> {
        self.alone(bring_in_log).await
    }

    async fn alone<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (reply, answer) = oneshot::channel();
        let order = Order::Alone(Box::new(move |db| {
            // Whoever asked may have gone away.
            let _ = reply.send(work(db).map_err(StoreError::from));
        }));
        self.order(order).await?;
        answer.await.map_err(|_| closed())?
    }

    pub(crate) async fn write<T: Send + 'static>(
        &self,
        work: impl FnMut(&Connection) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (order, answer) = writer::write(work);
        self.order(order).await?;
        answer.await.map_err(|_| closed())?
    }

    async fn order(&self, order: Order) -> Result<(), StoreError> {
        let orders = self.shared.orders.as_ref().ok_or_else(closed)?;
        orders.send(order).await.map_err(|_| closed())
    }

    pub(crate) async fn read_with<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (read, answer) = reader::read(work);
        let reads = self.shared.reads.as_ref().ok_or_else(closed)?;
        reads.send(read).await.map_err(|_| closed())?;
        answer.await.map_err(|_| closed())?
    }
}

fn bring_in_log(db: &Connection) -> Result<(), Failure> {
    let busy: bool = db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
    if busy {
        return Err(StoreError::new(
            StoreErrorKind::Unavailable,
            "other connections kept the log of the database in use for longer than the busy timeout; try again",
        )
        .into());
    }
    Ok(())
}

impl Shared {
    fn spawn_writer(
        &mut self,
        orders: mpsc::Receiver<Order>,
    ) -> Result<oneshot::Receiver<Result<(), StoreError>>, StoreError> {
        let settings = self.settings.clone();
        let (reply, opened) = oneshot::channel();
        self.writer = Some(spawn("research-sqlite-writer", move || {
            if let Some(db) = report(settings.open_writer(), reply) {
                writer::serve(db, orders);
            }
        })?);
        Ok(opened)
    }

    fn spawn_reader(
        &mut self,
        reads: Arc<Mutex<mpsc::Receiver<Read>>>,
    ) -> Result<oneshot::Receiver<Result<(), StoreError>>, StoreError> {
        let settings = self.settings.clone();
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
    std::thread::Builder::new().name(name.to_owned()).spawn(work).map_err(|error| {
        StoreError::new(StoreErrorKind::Unavailable, "no thread could be started for the database").with_source(error)
    })
}

/// Tells whether a connection could be opened, and gives it.
fn report(
    opened: Result<Connection, StoreError>,
    reply: oneshot::Sender<Result<(), StoreError>>,
) -> Option<Connection> {
    let (db, outcome) = match opened {
        Ok(db) => (Some(db), Ok(())),
        Err(error) => (None, Err(error)),
    };
    // Nobody waits when the future of opening was dropped; the queue is then closed as well.
    let _ = reply.send(outcome);
    db
}

impl Drop for Shared {
    fn drop(&mut self) {
        // The writer goes last: the last connection that closes brings the log into the file.
        self.reads = None;
        for reader in self.readers.drain(..) {
            join(reader);
        }
        self.orders = None;
        if let Some(writer) = self.writer.take() {
            join(writer);
        }
    }
}

fn join(thread: JoinHandle<()>) {
    // The last handle may be dropped by whoever is woken from that very thread.
    if thread.thread().id() != std::thread::current().id() {
        // A panic in it was told to those who waited for its answers.
        let _ = thread.join();
    }
}

impl fmt::Debug for SqliteCheckpointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SqliteCheckpointer").field("settings", &self.shared.settings).finish_non_exhaustive()
    }
}

impl Checkpointer for SqliteCheckpointer {
    async fn claim(&self, key: &ThreadKey, at: Option<CheckpointId>) -> Result<Claim, StoreError> {
        let claimed = key.clone();
        let (epoch, written) = self.write(move |db| put::claim(db, &claimed)).await?;
        if !written {
            return Ok(Claim::new(epoch, None, None));
        }
        // What is read after the fence is up is final, so that a long read need not hold up the writer.
        let key = key.clone();
        let (head, loaded) = self.read_with(move |db| read::load_with_head(db, &key, at)).await?;
        Ok(Claim::new(epoch, head, loaded))
    }

    async fn put(&self, key: &ThreadKey, epoch: u64, batch: Batch) -> Result<(), StoreError> {
        let key = key.clone();
        self.write(move |db| put::put(db, &key, epoch, &batch)).await
    }

    async fn read(&self, key: &ThreadKey, at: Option<CheckpointId>) -> Result<Option<Loaded>, StoreError> {
        let key = key.clone();
        self.read_with(move |db| Ok(read::load_with_head(db, &key, at)?.1)).await
    }

    async fn list(&self, key: &ThreadKey, query: &Query) -> Result<Vec<Header>, StoreError> {
        let (key, query) = (key.clone(), query.clone());
        self.read_with(move |db| read::list(db, &key, &query)).await
    }

    async fn threads(&self, after: Option<&str>, limit: usize) -> Result<Vec<String>, StoreError> {
        let after = after.map(str::to_owned);
        self.read_with(move |db| read::threads(db, after.as_deref(), limit)).await
    }

    async fn namespaces(&self, thread: &str) -> Result<Vec<String>, StoreError> {
        let thread = thread.to_owned();
        self.read_with(move |db| read::namespaces(db, &thread)).await
    }

    async fn delete_thread(&self, thread: &str) -> Result<(), StoreError> {
        let thread = thread.to_owned();
        self.write(move |db| remove::delete_thread(db, &thread)).await
    }

    async fn delete_run(&self, thread: &str, run: &str) -> Result<u64, StoreError> {
        let (thread, run) = (thread.to_owned(), run.to_owned());
        self.write(move |db| remove::delete_run(db, &thread, &run)).await
    }

    async fn copy_thread(&self, from: &str, to: &str) -> Result<(), StoreError> {
        let (from, to) = (from.to_owned(), to.to_owned());
        self.write(move |db| remove::copy_thread(db, &from, &to)).await
    }

    async fn prune(&self, thread: &str, prune: &Prune) -> Result<u64, StoreError> {
        let (thread, prune) = (thread.to_owned(), prune.clone());
        self.write(move |db| remove::prune(db, &thread, &prune)).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_panic_of_the_writing_thread_is_told_to_everybody() {
        let directory = tempfile::tempdir().unwrap();
        let store = SqliteCheckpointer::open(directory.path().join("threads.db")).await.unwrap();
        let error = store.write(|_| -> Result<(), Failure> { panic!("on purpose") }).await.unwrap_err();
        assert_eq!(error.kind(), StoreErrorKind::Unavailable);
        let error = store.claim(&ThreadKey::root("t"), None).await.unwrap_err();
        assert_eq!(error.kind(), StoreErrorKind::Unavailable);
        assert!(error.to_string().contains("open the store again"), "{error}");
        assert!(store.read(&ThreadKey::root("t"), None).await.unwrap().is_none(), "reading goes on");
    }

    #[tokio::test]
    async fn a_panic_of_a_reading_thread_leaves_the_others() {
        let directory = tempfile::tempdir().unwrap();
        let store = SqliteCheckpointer::open(directory.path().join("threads.db")).await.unwrap();
        let error = store.read_with(|_| -> Result<(), Failure> { panic!("on purpose") }).await.unwrap_err();
        assert_eq!(error.kind(), StoreErrorKind::Unavailable);
        assert!(store.read(&ThreadKey::root("t"), None).await.unwrap().is_none());
    }
}
