//! Plain tokio that keeps what each step did: copies or changes in memory, or a row and a commit in SQLite.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

use rusqlite::{Connection, params};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;

use crate::folder::Folder;
use crate::measure::Pass;
use crate::plain::{Node, Update, Work, apply, counter};
use crate::side::{Disk, Open};

/// The loop, with a copy of the state kept after each step.
pub fn copying(limit: u64) -> Pass {
    let node = counter(None);
    Box::new(move || {
        let node = Arc::clone(&node);
        Box::pin(async move {
            let store = Mutex::new(Vec::<Work>::new());
            let mut work = Work::default();
            while work.n < limit {
                let update = node(&work).await;
                apply(&mut work, update);
                store.lock().unwrap().push(work.clone());
            }
            assert_eq!(store.lock().unwrap().len() as u64, limit);
        })
    })
}

/// The appending loop, with the bytes of each step's change kept.
pub fn noting_changes(limit: u64) -> Pass {
    let node = counter(Some(200));
    Box::new(move || {
        let node = Arc::clone(&node);
        Box::pin(async move {
            let store = Mutex::new(Vec::<Vec<u8>>::new());
            let mut work = Work::default();
            while work.n < limit {
                let update = node(&work).await;
                let change = bytes(&update);
                apply(&mut work, update);
                store.lock().unwrap().push(change);
            }
            assert_eq!(store.lock().unwrap().len() as u64, limit);
        })
    })
}

/// The loop, with an insert and a commit after each step on the thread that runs it.
pub fn on_disk(limit: u64, item: Option<usize>, synchronous: &'static str) -> Open {
    let node = counter(item);
    Box::new(move || {
        let node = Arc::clone(&node);
        Box::pin(async move {
            let folder = Folder::create().unwrap();
            let db = database(&folder.path().join("c.sqlite"), synchronous).unwrap();
            let run = Box::pin(async move {
                let mut work = Work::default();
                while work.n < limit {
                    let update = node(&work).await;
                    let change = bytes(&update);
                    apply(&mut work, update);
                    insert(&db, 0, work.n, &change).unwrap();
                }
                Box::new(db) as _
            });
            Disk { run, folder }
        })
    })
}

/// Many loops at once on one database. A thread writes for all of them and commits together what waits.
pub fn threads_on_disk(threads: u64, limit: u64, synchronous: &'static str) -> Open {
    let node = counter(None);
    Box::new(move || {
        let node = Arc::clone(&node);
        Box::pin(async move {
            let folder = Folder::create().unwrap();
            let writer = Writer::start(database(&folder.path().join("c.sqlite"), synchronous).unwrap());
            let run = Box::pin(async move {
                let mut set = JoinSet::new();
                for thread in 0..threads {
                    set.spawn(one_of_many(thread, limit, Arc::clone(&node), writer.orders.clone().unwrap()));
                }
                set.join_all().await;
                Box::new(writer) as _
            });
            Disk { run, folder }
        })
    })
}

async fn one_of_many(thread: u64, limit: u64, node: Node, orders: mpsc::Sender<Order>) {
    let mut work = Work::default();
    while work.n < limit {
        let update = node(&work).await;
        let change = bytes(&update);
        apply(&mut work, update);
        let (done, stored) = oneshot::channel();
        orders.send(Order { thread, step: work.n, change, done }).await.unwrap();
        stored.await.unwrap();
    }
}

struct Order {
    thread: u64,
    step: u64,
    change: Vec<u8>,
    done: oneshot::Sender<()>,
}

/// A thread that has the database.
struct Writer {
    orders: Option<mpsc::Sender<Order>>,
    thread: Option<JoinHandle<()>>,
}

impl Writer {
    fn start(db: Connection) -> Self {
        let (orders, mut queue) = mpsc::channel::<Order>(1_024);
        let thread = thread::spawn(move || {
            let mut group = Vec::new();
            while queue.blocking_recv_many(&mut group, 256) > 0 {
                db.execute_batch("BEGIN IMMEDIATE").unwrap();
                for order in &group {
                    insert(&db, order.thread, order.step, &order.change).unwrap();
                }
                db.execute_batch("COMMIT").unwrap();
                group.drain(..).for_each(|order| order.done.send(()).unwrap());
            }
        });
        Self { orders: Some(orders), thread: Some(thread) }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.orders = None;
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap();
        }
    }
}

fn bytes(update: &Update) -> Vec<u8> {
    serde_json::to_vec(&(update.n, &update.items)).unwrap()
}

/// A database with the settings of the engine's store.
fn database(path: &Path, synchronous: &str) -> rusqlite::Result<Connection> {
    let db = Connection::open(path)?;
    db.pragma_update(None, "journal_mode", "WAL")?;
    db.pragma_update(None, "synchronous", synchronous)?;
    db.pragma_update(None, "wal_autocheckpoint", 256)?;
    db.execute_batch("CREATE TABLE checkpoint (key INTEGER PRIMARY KEY, body BLOB NOT NULL)")?;
    Ok(db)
}

fn insert(db: &Connection, thread: u64, step: u64, body: &[u8]) -> rusqlite::Result<()> {
    let mut insert = db.prepare_cached("INSERT INTO checkpoint (key, body) VALUES (?1, ?2)")?;
    insert.execute(params![(thread << 32 | step).cast_signed(), body]).map(drop)
}
