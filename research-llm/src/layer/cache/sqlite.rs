//! Answers in an SQLite file.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use async_trait::async_trait;
use rusqlite::{Connection, ErrorCode, OptionalExtension, params};
use sha2::{Digest, Sha256};

use super::key::CacheKey;
use super::store::ResponseCache;
use crate::error::ModelError;
use crate::response::Response;

/// Marks the file as one of this cache: "rllm" in ASCII.
const APPLICATION_ID: i32 = 0x726c_6c6d;

/// The form of the tables, and of the answers in them.
const VERSION: i32 = 1;

/// How long to wait while another process writes.
const BUSY: Duration = Duration::from_secs(5);

const TABLES: &str = "
    CREATE TABLE answers (
        key        BLOB PRIMARY KEY,
        answer     TEXT NOT NULL,
        sum        BLOB NOT NULL,
        expires_ms INTEGER
    ) WITHOUT ROWID;
    CREATE INDEX answers_by_end ON answers (expires_ms) WHERE expires_ms IS NOT NULL;";

/// Keeps answers in an SQLite file, so that they outlive the process. Several processes may use the same file.
///
/// The file holds answers in plain text and, of requests, only a hash. What has expired is removed when something is added. A
/// row that is damaged is a miss. All work is done on threads for blocking work, so a Tokio runtime must be there.
///
/// ```
/// use research_llm::layer::{Cache, SqliteResponseCache};
/// use research_llm::testing::ScriptedModel;
/// use research_llm::{ChatModel, ChatModelExt, Request};
///
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// # let directory = tempfile::tempdir().unwrap();
/// # let path = directory.path().join("answers.db");
/// let request = Request::new().user("The capital of Styria?");
/// let model = ScriptedModel::new().then("Graz").with(Cache::new(SqliteResponseCache::open(&path).await?));
/// model.complete(&request).await?;
///
/// // The next process has no need to ask.
/// let model = ScriptedModel::new().with(Cache::new(SqliteResponseCache::open(&path).await?));
/// assert_eq!(model.complete(&request).await?.text, "Graz");
/// # Ok::<(), research_llm::ModelError>(()) }).unwrap();
/// ```
#[derive(Clone, Debug)]
pub struct SqliteResponseCache {
    path: Arc<PathBuf>,
    db: Arc<Mutex<Connection>>,
}

impl SqliteResponseCache {
    /// Opens a file, which is made when it is not there.
    ///
    /// # Errors
    /// [`ModelError::Other`] when the file cannot be opened, is damaged, is the database of something else, or was written by
    /// a newer version of this library. It is then not changed.
    pub async fn open(path: impl AsRef<Path>) -> Result<Self, ModelError> {
        let path = Arc::new(path.as_ref().to_owned());
        let opened = Arc::clone(&path);
        let db = blocking(&path, move || connect(&opened)).await?;
        Ok(Self { path, db: Arc::new(Mutex::new(db)) })
    }

    async fn run<T, F>(&self, work: F) -> Result<T, ModelError>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    {
        let db = Arc::clone(&self.db);
        // A thread that panicked left at most an open transaction, and none is ever left open here.
        blocking(&self.path, move || Ok(work(&db.lock().unwrap_or_else(PoisonError::into_inner))?)).await
    }
}

/// Why a file cannot be used.
#[derive(Debug, thiserror::Error)]
enum Trouble {
    #[error(transparent)]
    Sqlite(#[from] rusqlite::Error),
    #[error("it is the database of something else")]
    Foreign,
    #[error("it was written by a newer version of this library (form {0}, this one knows {VERSION})")]
    Newer(i32),
}

async fn blocking<T, F>(path: &Path, work: F) -> Result<T, ModelError>
where
    T: Send + 'static,
    F: FnOnce() -> Result<T, Trouble> + Send + 'static,
{
    let done = tokio::task::spawn_blocking(work).await;
    let what = || format!("the cache of answers `{}` cannot be used", path.display());
    match done {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(trouble)) => Err(ModelError::other(format!("{}: {trouble}", what()), Some(Arc::new(trouble)))),
        Err(stopped) => Err(ModelError::other(what(), Some(Arc::new(stopped)))),
    }
}

fn connect(path: &Path) -> Result<Connection, Trouble> {
    let mut db = Connection::open(path)?;
    db.busy_timeout(BUSY)?;
    // Within one transaction, so that another process that makes the tables is seen before or after, never half-way.
    let transaction = db.transaction()?;
    check(&transaction)?;
    drop(transaction);
    use_log(&db)?;
    // A loss of power may cost the newest answers, never the file.
    db.pragma_update(None, "synchronous", "NORMAL")?;
    // Another process may make the tables at the same time: whoever has the write lock looks again.
    let transaction = db.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    if check(&transaction)? == 0 {
        transaction.execute_batch(TABLES)?;
        transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
        transaction.pragma_update(None, "user_version", VERSION)?;
    }
    transaction.commit()?;
    Ok(db)
}

/// Switches the file to the write-ahead log.
fn use_log(db: &Connection) -> rusqlite::Result<()> {
    let started = Instant::now();
    let mut is_last = false;
    loop {
        match db.pragma_update(None, "journal_mode", "WAL") {
            // SQLite does not wait by itself while another connection makes the same switch.
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) && !is_last => {
                // Once more after the time is over: this process may have been paused, and not have waited at all.
                is_last = started.elapsed() >= BUSY;
                std::thread::sleep(Duration::from_millis(2));
            }
            switched => return switched,
        }
    }
}

/// The version of the tables, 0 when there are none yet.
fn check(db: &Connection) -> Result<i32, Trouble> {
    let pragma = |name| db.pragma_query_value(None, name, |row| row.get::<_, i32>(0));
    let tables: i64 = db.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    match (pragma("application_id")?, pragma("user_version")?) {
        (0, 0) if tables == 0 => Ok(0),
        (APPLICATION_ID, VERSION) => Ok(VERSION),
        (APPLICATION_ID, newer) if newer > VERSION => Err(Trouble::Newer(newer)),
        _ => Err(Trouble::Foreign),
    }
}

fn hash(text: &str) -> Vec<u8> {
    Sha256::digest(text.as_bytes()).to_vec()
}

fn now_ms() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(now.as_millis()).unwrap_or(i64::MAX)
}

#[async_trait]
impl ResponseCache for SqliteResponseCache {
    async fn get(&self, key: &CacheKey) -> Result<Option<Response>, ModelError> {
        let key = hash(key.as_str());
        self.run(move |db| {
            let mut find = db.prepare_cached(
                "SELECT answer, sum FROM answers WHERE key = ?1 AND (expires_ms IS NULL OR expires_ms > ?2)",
            )?;
            // A column of another type than it was written with is damage as well.
            let found = find.query_row(params![key, now_ms()], |row| {
                Ok((row.get::<_, String>(0).ok(), row.get::<_, Vec<u8>>(1).ok()))
            });
            let Some((answer, sum)) = found.optional()? else { return Ok(None) };
            let whole = answer.filter(|answer| sum.is_some_and(|sum| sum == hash(answer)));
            let answer = whole.and_then(|answer| serde_json::from_str(&answer).ok());
            if answer.is_none() {
                tracing::warn!("a damaged answer in the cache is left out");
            }
            Ok(answer)
        })
        .await
    }

    async fn put(&self, key: &CacheKey, answer: &Response, time_to_live: Option<Duration>) -> Result<(), ModelError> {
        let key = hash(key.as_str());
        let answer = serde_json::to_string(answer)
            .map_err(|error| ModelError::other("the answer cannot be written as JSON", Some(Arc::new(error))))?;
        let lives = time_to_live.map(|time| i64::try_from(time.as_millis()).unwrap_or(i64::MAX));
        self.run(move |db| {
            let now = now_ms();
            let sum = hash(&answer);
            db.prepare_cached("DELETE FROM answers WHERE expires_ms <= ?1")?.execute(params![now])?;
            db.prepare_cached("INSERT OR REPLACE INTO answers (key, answer, sum, expires_ms) VALUES (?1, ?2, ?3, ?4)")?
                .execute(params![key, answer, sum, lives.map(|lives| now.saturating_add(lives))])?;
            Ok(())
        })
        .await
    }
}
