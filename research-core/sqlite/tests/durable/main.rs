//! The durable engine over SQLite: the suite of `research-core`, with a file that is opened anew by every "process".

// The suite has the format of its own crate.
#[cfg(test)]
#[rustfmt::skip]
#[macro_use]
#[path = "../../../tests/durable"]
mod core {
    #[macro_use]
    pub(crate) mod suite;
}

#[cfg(test)]
use crate::core::suite;

#[cfg(test)]
mod file {
    use research_core_sqlite::{SqliteCheckpointer, Synchronous};

    use crate::suite::lab::Place;

    /// A file in a directory of its own.
    pub(crate) struct File(tempfile::TempDir);

    impl Default for File {
        fn default() -> Self {
            Self(tempfile::tempdir().unwrap())
        }
    }

    impl Place for File {
        type Store = SqliteCheckpointer;
        const SEEDS: u64 = 6;

        async fn open(&self) -> SqliteCheckpointer {
            let builder = SqliteCheckpointer::builder().synchronous(Synchronous::Normal);
            builder
                .open(self.0.path().join("threads.db"))
                .await
                .unwrap()
        }
    }
}

matrix!(crate::file::File);
