//! The store keeps the contract of stores.

use std::sync::atomic::{AtomicU32, Ordering};

use research_core::testing::contract;
use research_core_sqlite::{SqliteCheckpointer, Synchronous};

#[tokio::test(flavor = "multi_thread")]
async fn the_sqlite_store_keeps_the_contract_at_every_setting() {
    let directory = tempfile::tempdir().unwrap();
    let number = AtomicU32::new(0);
    for synchronous in [Synchronous::Full, Synchronous::Normal] {
        contract::run_all(async || {
            let name = format!("{}.db", number.fetch_add(1, Ordering::Relaxed));
            SqliteCheckpointer::builder()
                .synchronous(synchronous)
                .open(directory.path().join(name))
                .await
                .unwrap()
        })
        .await;
    }
}
