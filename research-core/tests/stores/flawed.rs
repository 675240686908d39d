//! A store that breaks a promise of the contract.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use research_core::checkpoint::{
    Batch, CheckpointId, Checkpointer, Claim, Header, Lease, LeaseReply, Loaded, MemoryCheckpointer, Metadata, Prune,
    Query, Seen, StoreError, ThreadKey,
};

/// What is wrong with the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flaw {
    None,
    NoFence,
    ClaimsUnseen,
    EpochsOfAnyThread,
    RecordsBeforeConflicts,
    LaterRecordsReplace,
    RecordsUnordered,
    NeverSettles,
    NeverRemoves,
    OldestFirst,
    LimitBeforeFilter,
    ForgetsBase,
    TrimsBodies,
    MixesThreads,
    DropsMetadata,
    PrunesTheInterrupted,
    KeepsNamespaces,
    CopiesOver,
    GrantsHeldLeases,
    RenewsNothing,
    RenewsLostLeases,
    ClaimsUnderLostLeases,
}

/// A sound store, spoilt.
#[derive(Clone, Debug)]
pub(crate) struct Flawed {
    flaw: Flaw,
    store: MemoryCheckpointer,
    epochs: Arc<Mutex<HashMap<ThreadKey, u64>>>,
}

impl Flawed {
    pub(crate) fn new(flaw: Flaw) -> Self {
        Self { flaw, store: MemoryCheckpointer::new(), epochs: Arc::default() }
    }

    fn key(&self, key: &ThreadKey) -> ThreadKey {
        match self.flaw {
            Flaw::MixesThreads => ThreadKey::new(key.thread.replace('2', ""), &*key.namespace),
            _ => key.clone(),
        }
    }

    fn spoil(&self, mut loaded: Loaded) -> Loaded {
        match self.flaw {
            Flaw::ForgetsBase => drop(loaded.bodies.drain(..loaded.bodies.len() - 1)),
            Flaw::TrimsBodies => loaded.bodies.iter_mut().for_each(|body| body.truncate(70_000)),
            Flaw::RecordsUnordered => loaded.records.reverse(),
            Flaw::DropsMetadata => loaded.header.metadata = Arc::new(Metadata::new()),
            _ => {}
        }
        loaded
    }
}

impl Checkpointer for Flawed {
    async fn claim(&self, key: &ThreadKey, at: Option<CheckpointId>) -> Result<Claim, StoreError> {
        let mut claim = self.store.claim(&self.key(key), at).await?;
        self.epochs.lock().unwrap().insert(self.key(key), claim.epoch);
        claim.loaded = claim.loaded.map(|loaded| self.spoil(loaded));
        Ok(claim)
    }

    async fn claim_if(&self, key: &ThreadKey, seen: &Seen) -> Result<Option<u64>, StoreError> {
        let epoch = match self.flaw {
            Flaw::ClaimsUnseen => Some(self.store.claim(&self.key(key), None).await?.epoch),
            Flaw::ClaimsUnderLostLeases => {
                let mut seen = seen.clone();
                seen.lease = None;
                self.store.claim_if(&self.key(key), &seen).await?
            }
            _ => self.store.claim_if(&self.key(key), seen).await?,
        };
        self.epochs.lock().unwrap().extend(epoch.map(|epoch| (self.key(key), epoch)));
        Ok(epoch)
    }

    async fn put(&self, key: &ThreadKey, epoch: u64, mut batch: Batch) -> Result<(), StoreError> {
        let key = &self.key(key);
        let newest = self.epochs.lock().unwrap().get(key).copied();
        let known = self.epochs.lock().unwrap().values().any(|known| *known == epoch);
        let epoch = match (self.flaw, newest) {
            (Flaw::NoFence, Some(newest)) if epoch < newest && epoch > 0 => newest,
            (Flaw::EpochsOfAnyThread, Some(newest)) if known => newest,
            _ => epoch,
        };
        match self.flaw {
            Flaw::RecordsBeforeConflicts => {
                let mut early = Batch::default();
                early.records = std::mem::take(&mut batch.records);
                self.store.put(key, epoch, early).await?;
            }
            Flaw::LaterRecordsReplace => batch.removed.extend(batch.records.iter().map(|record| record.key.clone())),
            Flaw::NeverSettles => batch.settled.clear(),
            Flaw::NeverRemoves => batch.removed.clear(),
            _ => {}
        }
        self.store.put(key, epoch, batch).await
    }

    async fn read(&self, key: &ThreadKey, at: Option<CheckpointId>) -> Result<Option<Loaded>, StoreError> {
        Ok(self.store.read(&self.key(key), at).await?.map(|loaded| self.spoil(loaded)))
    }

    async fn list(&self, key: &ThreadKey, query: &Query) -> Result<Vec<Header>, StoreError> {
        let key = &self.key(key);
        match (self.flaw, query.limit) {
            (Flaw::OldestFirst, _) => {
                let mut headers = self.store.list(key, query).await?;
                headers.reverse();
                Ok(headers)
            }
            (Flaw::LimitBeforeFilter, Some(limit)) => {
                let mut all = Query::all().limit(limit);
                all.before = query.before;
                let headers = self.store.list(key, &all).await?;
                Ok(headers.into_iter().filter(|header| query.admits(header)).collect())
            }
            _ => self.store.list(key, query).await,
        }
    }

    async fn threads(&self, after: Option<&str>, limit: usize) -> Result<Vec<String>, StoreError> {
        self.store.threads(after, limit).await
    }

    async fn namespaces(&self, thread: &str) -> Result<Vec<String>, StoreError> {
        self.store.namespaces(thread).await
    }

    async fn delete_thread(&self, thread: &str) -> Result<(), StoreError> {
        if self.flaw == Flaw::KeepsNamespaces { Ok(()) } else { self.store.delete_thread(thread).await }
    }

    async fn delete_run(&self, thread: &str, run: &str) -> Result<u64, StoreError> {
        self.store.delete_run(thread, run).await
    }

    async fn copy_thread(&self, from: &str, to: &str) -> Result<(), StoreError> {
        if self.flaw == Flaw::CopiesOver && from != to && !self.store.namespaces(from).await?.is_empty() {
            self.store.delete_thread(to).await?;
        }
        self.store.copy_thread(from, to).await
    }

    async fn prune(&self, thread: &str, prune: &Prune) -> Result<u64, StoreError> {
        let prune = prune.clone();
        let prune = if self.flaw == Flaw::PrunesTheInterrupted { prune.keep_interrupted(false) } else { prune };
        self.store.prune(thread, &prune).await
    }

    async fn acquire_lease(
        &self,
        thread: &str,
        run: &str,
        now: SystemTime,
        until: SystemTime,
    ) -> Result<LeaseReply, StoreError> {
        let now = match self.flaw {
            Flaw::GrantsHeldLeases => now + Duration::from_secs(1_000),
            _ => now,
        };
        self.store.acquire_lease(thread, run, now, until).await
    }

    async fn renew_lease(&self, thread: &str, token: u64, until: SystemTime) -> Result<bool, StoreError> {
        match self.flaw {
            Flaw::RenewsNothing => Ok(self.store.lease(thread).await?.is_some_and(|lease| lease.token == token)),
            Flaw::RenewsLostLeases => self.store.renew_lease(thread, token, until).await.map(|_| true),
            _ => self.store.renew_lease(thread, token, until).await,
        }
    }

    async fn release_lease(&self, thread: &str, token: u64) -> Result<(), StoreError> {
        self.store.release_lease(thread, token).await
    }

    async fn lease(&self, thread: &str) -> Result<Option<Lease>, StoreError> {
        self.store.lease(thread).await
    }
}
