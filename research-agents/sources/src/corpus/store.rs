//! Keeps read documents by the hash of their content.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::corpus::passages::{PassageSpan, SPLIT_VERSION};
use crate::corpus::spec::CorpusError;
use crate::read::{Format, ReadDocument, reader_of};

/// A document, split and prepared for the index.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Prepared {
    pub(crate) document: ReadDocument,
    pub(crate) passages: Vec<PassageSpan>,
    /// For each passage, its stems.
    pub(crate) stems: Vec<String>,
}

/// Returns the key of a document: content, format and the versions of what made it.
pub(crate) fn key_of(hash: &str, format: Option<Format>) -> String {
    let reader = match format {
        Some(format) => {
            let reader = reader_of(format);
            format!("{}-{}", reader.name, reader.version)
        }
        None => "detected".to_owned(),
    };
    format!(
        "{hash} {reader} {SPLIT_VERSION} {}",
        env!("CARGO_PKG_VERSION")
    )
}

/// Where documents are kept.
pub(crate) enum Store {
    /// In memory.
    Memory(HashMap<String, Arc<Prepared>>),
    /// In an SQLite file.
    #[cfg(feature = "index-file")]
    File(file::FileStore),
}

impl Store {
    pub(crate) fn memory() -> Self {
        Self::Memory(HashMap::new())
    }

    /// Returns a document.
    pub(crate) fn get(&self, key: &str) -> Option<Arc<Prepared>> {
        match self {
            Self::Memory(documents) => documents.get(key).cloned(),
            #[cfg(feature = "index-file")]
            Self::File(file) => file.get(key).map(Arc::new),
        }
    }

    /// Keeps documents, and drops all that are not in use.
    pub(crate) fn update(
        &mut self,
        added: Vec<(String, Arc<Prepared>)>,
        used: &HashSet<String>,
    ) -> Result<(), CorpusError> {
        match self {
            Self::Memory(documents) => {
                documents.extend(added);
                documents.retain(|key, _| used.contains(key));
                Ok(())
            }
            #[cfg(feature = "index-file")]
            Self::File(file) => file.update(&added, used),
        }
    }
}

#[cfg(feature = "index-file")]
pub(crate) mod file {
    //! The store in an SQLite file.

    use std::collections::HashSet;
    use std::path::{Path, PathBuf};
    use std::sync::{Arc, Mutex, PoisonError};

    use rusqlite::{Connection, OptionalExtension};

    use super::Prepared;
    use crate::corpus::spec::CorpusError;

    /// Documents in an SQLite file.
    pub(crate) struct FileStore {
        path: PathBuf,
        connection: Mutex<Connection>,
    }

    impl FileStore {
        /// Opens a file. One that is damaged or of another form is made again: it holds nothing but
        /// what can be read from the folder.
        pub(crate) fn open(path: &Path) -> Result<Self, CorpusError> {
            let problem = |error: &dyn std::fmt::Display| CorpusError::Index {
                path: path.display().to_string(),
                problem: error.to_string(),
            };
            if let Some(folder) = path.parent() {
                std::fs::create_dir_all(folder).map_err(|error| problem(&error))?;
            }
            let connection = match connect(path) {
                Ok(connection) => connection,
                Err(_) => {
                    std::fs::remove_file(path).map_err(|error| problem(&error))?;
                    connect(path).map_err(|error| problem(&error))?
                }
            };

            #[cfg(unix)]
            {
                use std::os::unix::fs::PermissionsExt;

                // The index holds the documents word for word.
                let only_owner = std::fs::Permissions::from_mode(0o600);
                std::fs::set_permissions(path, only_owner).map_err(|error| problem(&error))?;
            }
            Ok(Self {
                path: path.to_owned(),
                connection: Mutex::new(connection),
            })
        }

        pub(crate) fn get(&self, key: &str) -> Option<Prepared> {
            let connection = self
                .connection
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            let mut statement = connection
                .prepare_cached("SELECT body FROM documents WHERE key = ?1")
                .ok()?;
            let body: Option<Vec<u8>> = statement
                .query_row([key], |row| row.get(0))
                .optional()
                .ok()?;
            serde_json::from_slice(&body?).ok()
        }

        pub(crate) fn update(
            &self,
            added: &[(String, Arc<Prepared>)],
            used: &HashSet<String>,
        ) -> Result<(), CorpusError> {
            let mut connection = self
                .connection
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            write(&mut connection, added, used).map_err(|error| CorpusError::Index {
                path: self.path.display().to_string(),
                problem: error.to_string(),
            })
        }
    }

    fn connect(path: &Path) -> rusqlite::Result<Connection> {
        let connection = Connection::open(path)?;
        connection.busy_timeout(std::time::Duration::from_secs(10))?;
        connection.execute_batch(
            "PRAGMA journal_mode = WAL;
             PRAGMA synchronous = NORMAL;
             CREATE TABLE IF NOT EXISTS documents (key TEXT PRIMARY KEY, body BLOB NOT NULL)
             WITHOUT ROWID;",
        )?;
        let check: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
        if check != "ok" {
            return Err(rusqlite::Error::InvalidQuery);
        }
        Ok(connection)
    }

    fn write(
        connection: &mut Connection,
        added: &[(String, Arc<Prepared>)],
        used: &HashSet<String>,
    ) -> Result<(), Box<dyn std::error::Error>> {
        let transaction = connection.transaction()?;
        {
            let mut insert = transaction
                .prepare("INSERT OR REPLACE INTO documents (key, body) VALUES (?1, ?2)")?;
            for (key, prepared) in added {
                insert.execute((key, serde_json::to_vec(&**prepared)?))?;
            }

            let mut known = transaction.prepare("SELECT key FROM documents")?;
            let keys = known.query_map([], |row| row.get::<_, String>(0))?;
            let unused: Vec<String> = keys
                .filter(|key| !key.as_ref().is_ok_and(|key| used.contains(key)))
                .collect::<Result<_, _>>()?;
            let mut delete = transaction.prepare("DELETE FROM documents WHERE key = ?1")?;
            for key in unused {
                delete.execute([key])?;
            }
        }
        transaction.commit()?;
        Ok(())
    }
}
