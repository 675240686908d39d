//! What a connection listens for: the resources, and the task.

use std::collections::BTreeSet;

use tokio::sync::Mutex;
use tokio::task::JoinHandle;

/// The resources that are watched, and the task that listens.
#[derive(Default)]
pub(super) struct Subscriptions(pub(super) Mutex<Watched>);

#[derive(Default)]
pub(super) struct Watched {
    pub(super) uris: BTreeSet<String>,
    pub(super) task: Option<JoinHandle<()>>,
}

impl Drop for Watched {
    fn drop(&mut self) {
        if let Some(task) = self.task.take() {
            task.abort();
        }
    }
}
