//! The store in memory: for tests, and for runs that need not survive the process.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Bound::{Excluded, Unbounded};
use std::ops::RangeInclusive;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use super::body::squash;
use super::chain::{admit, rewrites};
use super::error::{StoreError, StoreErrorKind};
use super::lease::{Lease, LeaseReply};
use super::record::{
    Batch, CheckpointId, CheckpointRecord, Claim, Header, Loaded, Prune, Query, RecordKey, RecordKind, Seen,
    TaskRecord, ThreadKey,
};
use super::store::Checkpointer;

/// Keeps threads in memory. A clone is another handle on the same threads.
///
/// ```
/// # use research_core::checkpoint::{Checkpointer, MemoryCheckpointer, StoreError, ThreadKey};
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), StoreError> {
/// let store = MemoryCheckpointer::new();
/// assert!(store.read(&ThreadKey::root("t-1"), None).await?.is_none());
/// # Ok(()) }
/// ```
#[derive(Clone, Debug, Default)]
pub struct MemoryCheckpointer {
    shared: Arc<Mutex<Shared>>,
}

#[derive(Debug, Default)]
struct Shared {
    /// The newest claim of all, so that no claim is ever mistaken for one on a thread that was deleted.
    epoch: u64,
    histories: HashMap<ThreadKey, History>,
    /// The namespaces by thread of what `histories` has.
    names: BTreeMap<Arc<str>, BTreeSet<Arc<str>>>,
    /// The newest lease of each thread that was not released.
    leases: HashMap<Arc<str>, Lease>,
    /// The number of the newest lease of all.
    tokens: u64,
}

#[derive(Clone, Debug, Default)]
struct History {
    epoch: u64,
    /// In the order of their numbers.
    checkpoints: Vec<CheckpointRecord>,
    records: BTreeMap<CheckpointId, BTreeMap<RecordKey, Vec<u8>>>,
}

/// A checkpoint whose base becomes another, and its body, if that has to be made anew.
#[derive(Debug)]
struct Squashed {
    place: usize,
    base: CheckpointId,
    body: Option<Vec<u8>>,
}

impl MemoryCheckpointer {
    /// An empty store.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    fn lock(&self) -> MutexGuard<'_, Shared> {
        // Whatever can fail is done before the first change, so that what a panic leaves is whole.
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Shared {
    /// What is there of a thread, with the namespaces.
    fn of_thread(&self, thread: &str) -> Vec<(ThreadKey, &History)> {
        let Some((name, namespaces)) = self.names.get_key_value(thread) else { return Vec::new() };
        namespaces
            .iter()
            .filter_map(|namespace| {
                let key = ThreadKey { thread: Arc::clone(name), namespace: Arc::clone(namespace) };
                let history = self.histories.get(&key)?;
                Some((key, history))
            })
            .collect()
    }

    /// The thread's lease, if it is still the one of this number.
    fn lease_mut(&mut self, thread: &str, token: u64) -> Option<&mut Lease> {
        self.leases.get_mut(thread).filter(|lease| lease.token == token)
    }

    fn has_checkpoints(&self, thread: &str) -> bool {
        self.of_thread(thread).iter().any(|(_, history)| !history.checkpoints.is_empty())
    }

    fn insert(&mut self, key: ThreadKey, history: History) {
        self.names.entry(Arc::clone(&key.thread)).or_default().insert(Arc::clone(&key.namespace));
        self.histories.insert(key, history);
    }

    fn remove(&mut self, thread: &str) {
        let Some((thread, namespaces)) = self.names.remove_entry(thread) else { return };
        for namespace in namespaces {
            self.histories.remove(&ThreadKey { thread: Arc::clone(&thread), namespace });
        }
    }

    /// Removes a namespace of a thread; gives the number of its checkpoints.
    fn remove_namespace(&mut self, thread: &str, namespace: &str) -> u64 {
        let removed = self.histories.remove(&ThreadKey::new(thread, namespace));
        if let Some(names) = self.names.get_mut(thread) {
            names.remove(namespace);
            if names.is_empty() {
                self.names.remove(thread);
            }
        }
        removed.map_or(0, |history| history.checkpoints.len() as u64)
    }

    /// Removes from each namespace of a thread the checkpoints that `goes` picks; all namespaces or, on an error, none.
    fn thin_out(
        &mut self,
        thread: &str,
        goes: impl Fn(&ThreadKey, &History, usize) -> bool,
    ) -> Result<u64, StoreError> {
        let mut thinned = Vec::new();
        for (key, history) in self.of_thread(thread) {
            let gone: Vec<bool> = (0..history.checkpoints.len()).map(|place| goes(&key, history, place)).collect();
            if gone.contains(&true) {
                thinned.push((key, history.squashed(&gone)?, gone));
            }
        }
        let mut removed = 0;
        for (key, squashed, gone) in thinned {
            if gone.last() == Some(&true) {
                self.epoch += 1;
            }
            if let Some(history) = self.histories.get_mut(&key) {
                removed += history.thin_out(squashed, &gone, self.epoch);
            }
        }
        Ok(removed)
    }
}

impl History {
    fn head(&self) -> Option<&Header> {
        self.checkpoints.last().map(|checkpoint| &checkpoint.header)
    }

    /// Whether the newest checkpoint, and its records where they matter, are as a writer has read them.
    fn is_as(&self, seen: &Seen) -> bool {
        let head = self.head().map(|head| head.id);
        let records = head.and_then(|head| self.records.get(&head)).into_iter().flat_map(BTreeMap::keys);
        head == seen.head && seen.records.as_ref().is_none_or(|seen| records.eq(seen))
    }

    /// The place of a checkpoint. Numbers have gaps only where checkpoints were removed.
    fn place(&self, id: CheckpointId) -> Option<usize> {
        let first = self.checkpoints.first()?.header.id;
        let guess = usize::try_from(id.0.checked_sub(first.0)?).unwrap_or(usize::MAX);
        if self.checkpoints.get(guess).is_some_and(|checkpoint| checkpoint.header.id == id) {
            return Some(guess);
        }
        self.checkpoints.binary_search_by_key(&id, |checkpoint| checkpoint.header.id).ok()
    }

    fn chain(&self, base: CheckpointId, id: CheckpointId) -> Option<RangeInclusive<usize>> {
        Some(self.place(base)?..=self.place(id)?)
    }

    fn load(&self, at: Option<CheckpointId>) -> Result<Option<Loaded>, StoreError> {
        let Some(id) = at.or_else(|| self.head().map(|head| head.id)) else { return Ok(None) };
        let Some(place) = self.place(id) else { return Ok(None) };
        let header = self.checkpoints[place].header.clone();
        let chain = self.chain(header.base, id).ok_or_else(|| chain_is_broken(id))?;
        let bodies = self.checkpoints[chain].iter().map(|checkpoint| checkpoint.body.clone()).collect();
        let records = self.records.get(&id).into_iter().flatten();
        let records = records.map(|(key, data)| TaskRecord::new(key.clone(), data.clone())).collect();
        Ok(Some(Loaded::new(header, bodies, records)))
    }

    /// What changes in what stays when some go.
    fn squashed(&self, gone: &[bool]) -> Result<Vec<Squashed>, StoreError> {
        let history = self.checkpoints.iter().zip(gone).map(|(kept, gone)| (kept.header.id, kept.header.base, *gone));
        rewrites(history)
            .into_iter()
            .map(|rewrite| {
                let chain = self.chain(rewrite.squash_from.unwrap_or(rewrite.id), rewrite.id);
                let chain = chain.ok_or_else(|| chain_is_broken(rewrite.id))?;
                let place = *chain.end();
                let body = rewrite.squash_from.map(|_| squash(self.checkpoints[chain].iter().map(|kept| &*kept.body)));
                Ok(Squashed { place, base: rewrite.base, body: body.transpose()? })
            })
            .collect()
    }

    fn thin_out(&mut self, squashed: Vec<Squashed>, gone: &[bool], epoch: u64) -> u64 {
        for Squashed { place, base, body } in squashed {
            let kept = &mut self.checkpoints[place];
            kept.header.base = base;
            kept.body = body.unwrap_or_else(|| std::mem::take(&mut kept.body));
        }
        // Whoever goes on from the newest would build on what is not there.
        if gone.last() == Some(&true) {
            self.epoch = epoch;
        }
        let before = self.checkpoints.len();
        let mut goes = gone.iter();
        let records = &mut self.records;
        self.checkpoints.retain(|kept| {
            let goes = goes.next().is_some_and(|goes| *goes);
            if goes {
                records.remove(&kept.header.id);
            }
            !goes
        });
        (before - self.checkpoints.len()) as u64
    }

    fn waits(&self, id: CheckpointId) -> bool {
        let mut records = self.records.get(&id).into_iter().flatten();
        records.any(|(key, _)| key.kind == RecordKind::Question)
    }
}

impl Checkpointer for MemoryCheckpointer {
    async fn claim(&self, key: &ThreadKey, at: Option<CheckpointId>) -> Result<Claim, StoreError> {
        let mut shared = self.lock();
        shared.epoch += 1;
        let epoch = shared.epoch;
        if let Some(history) = shared.histories.get_mut(key) {
            let loaded = history.load(at)?;
            history.epoch = epoch;
            return Ok(Claim::new(epoch, history.head().map(|head| head.id), loaded));
        }
        shared.insert(key.clone(), History { epoch, ..History::default() });
        Ok(Claim::new(epoch, None, None))
    }

    async fn claim_if(&self, key: &ThreadKey, seen: &Seen) -> Result<Option<u64>, StoreError> {
        let mut shared = self.lock();
        let is_as_seen = match shared.histories.get(key) {
            Some(history) => history.is_as(seen),
            None => History::default().is_as(seen),
        };
        let is_under_lease = seen.lease.is_none_or(|token| shared.lease_mut(&key.thread, token).is_some());
        if !is_as_seen || !is_under_lease {
            return Ok(None);
        }
        shared.epoch += 1;
        let epoch = shared.epoch;
        match shared.histories.get_mut(key) {
            Some(history) => history.epoch = epoch,
            None => shared.insert(key.clone(), History { epoch, ..History::default() }),
        }
        Ok(Some(epoch))
    }

    async fn put(&self, key: &ThreadKey, epoch: u64, batch: Batch) -> Result<(), StoreError> {
        let mut shared = self.lock();
        let history = shared.histories.get_mut(key).filter(|history| history.epoch == epoch);
        let history = history.ok_or_else(|| fenced(key))?;
        let Batch { mut checkpoints, records, removed, settled } = batch;
        let mut previous = history.head().map(|head| (head.id, head.base));
        for CheckpointRecord { header, .. } in &mut checkpoints {
            header.base = admit(previous, header)?;
            previous = Some((header.id, header.base));
        }
        let mut known = None;
        for id in records.iter().map(|record| record.key.checkpoint) {
            let is_new = || checkpoints.binary_search_by_key(&id, |checkpoint| checkpoint.header.id).is_ok();
            if known != Some(id) && history.place(id).is_none() && !is_new() {
                return Err(record_of_nothing(id));
            }
            known = Some(id);
        }
        history.checkpoints.append(&mut checkpoints);
        for key in &removed {
            if let Some(records) = history.records.get_mut(&key.checkpoint) {
                records.remove(key);
                if records.is_empty() {
                    history.records.remove(&key.checkpoint);
                }
            }
        }
        for record in records {
            let of_checkpoint = history.records.entry(record.key.checkpoint).or_default();
            of_checkpoint.entry(record.key).or_insert(record.data);
        }
        for id in &settled {
            history.records.remove(id);
        }
        Ok(())
    }

    async fn read(&self, key: &ThreadKey, at: Option<CheckpointId>) -> Result<Option<Loaded>, StoreError> {
        self.lock().histories.get(key).map_or(Ok(None), |history| history.load(at))
    }

    async fn list(&self, key: &ThreadKey, query: &Query) -> Result<Vec<Header>, StoreError> {
        let shared = self.lock();
        let Some(history) = shared.histories.get(key) else { return Ok(Vec::new()) };
        let end = query.before.map_or(history.checkpoints.len(), |before| {
            history.checkpoints.partition_point(|checkpoint| checkpoint.header.id < before)
        });
        let newest_first = history.checkpoints[..end].iter().rev().map(|checkpoint| &checkpoint.header);
        let wanted = newest_first.filter(|header| query.admits(header));
        Ok(wanted.take(query.limit.unwrap_or(usize::MAX)).cloned().collect())
    }

    async fn threads(&self, after: Option<&str>, limit: usize) -> Result<Vec<String>, StoreError> {
        let shared = self.lock();
        let names = shared.names.range::<str, _>((after.map_or(Unbounded, Excluded), Unbounded));
        let names = names.map(|(thread, _)| thread).filter(|thread| shared.has_checkpoints(thread));
        Ok(names.take(limit).map(|thread| thread.to_string()).collect())
    }

    async fn namespaces(&self, thread: &str) -> Result<Vec<String>, StoreError> {
        let shared = self.lock();
        let written = shared.of_thread(thread).into_iter().filter(|(_, history)| !history.checkpoints.is_empty());
        Ok(written.map(|(key, _)| key.namespace.to_string()).collect())
    }

    async fn delete_thread(&self, thread: &str) -> Result<(), StoreError> {
        let mut shared = self.lock();
        shared.remove(thread);
        shared.leases.remove(thread);
        Ok(())
    }

    async fn delete_run(&self, thread: &str, run: &str) -> Result<u64, StoreError> {
        self.lock().thin_out(thread, |_, history, place| *history.checkpoints[place].header.run == *run)
    }

    async fn copy_thread(&self, from: &str, to: &str) -> Result<(), StoreError> {
        let mut shared = self.lock();
        if !shared.has_checkpoints(from) {
            return Err(StoreError::new(StoreErrorKind::NotFound, format!("there is no thread `{from}` to copy")));
        }
        if shared.has_checkpoints(to) {
            return Err(StoreError::new(
                StoreErrorKind::AlreadyExists,
                format!("a thread `{to}` exists already; delete it, or copy to another name"),
            ));
        }
        let to: Arc<str> = Arc::from(to);
        let of_source = shared.of_thread(from).into_iter();
        let copies: Vec<(ThreadKey, History)> =
            of_source.map(|(key, history)| (ThreadKey { thread: Arc::clone(&to), ..key }, history.clone())).collect();
        // Whoever claimed the name and has written nothing yet is fenced off: the thread is no longer the one that was read.
        shared.remove(&to);
        for (key, history) in copies {
            shared.epoch += 1;
            let epoch = shared.epoch;
            shared.insert(key, History { epoch, ..history });
        }
        Ok(())
    }

    async fn prune(&self, thread: &str, prune: &Prune) -> Result<u64, StoreError> {
        let mut shared = self.lock();
        let mut removed = shared.thin_out(thread, |key, history, place| {
            let header = &history.checkpoints[place].header;
            let newer = history.checkpoints.len() - place - 1;
            prune.admits(&key.namespace, header.id, newer, header.at, history.waits(header.id))
        })?;
        for namespace in &prune.dropped {
            removed += shared.remove_namespace(thread, namespace);
        }
        Ok(removed)
    }

    async fn acquire_lease(
        &self,
        thread: &str,
        run: &str,
        now: SystemTime,
        until: SystemTime,
    ) -> Result<LeaseReply, StoreError> {
        let mut shared = self.lock();
        if let Some(held) = shared.leases.get(thread).filter(|lease| !lease.is_expired(now)) {
            return Ok(LeaseReply::Held(held.clone()));
        }
        shared.tokens += 1;
        let token = shared.tokens;
        shared.leases.insert(Arc::from(thread), Lease::new(token, Arc::from(run), now, until));
        Ok(LeaseReply::Granted(token))
    }

    async fn renew_lease(&self, thread: &str, token: u64, until: SystemTime) -> Result<bool, StoreError> {
        let mut shared = self.lock();
        let lease = shared.lease_mut(thread, token);
        Ok(lease.map(|lease| lease.until = until).is_some())
    }

    async fn release_lease(&self, thread: &str, token: u64) -> Result<(), StoreError> {
        let mut shared = self.lock();
        if shared.lease_mut(thread, token).is_some() {
            shared.leases.remove(thread);
        }
        Ok(())
    }

    async fn lease(&self, thread: &str) -> Result<Option<Lease>, StoreError> {
        Ok(self.lock().leases.get(thread).cloned())
    }
}

#[cold]
fn fenced(key: &ThreadKey) -> StoreError {
    StoreError::new(
        StoreErrorKind::Conflict,
        format!("another writer took over thread `{key}`, or deleted it; nothing was written: read the thread again"),
    )
}

#[cold]
fn record_of_nothing(id: CheckpointId) -> StoreError {
    StoreError::new(
        StoreErrorKind::NotFound,
        format!("a record belongs to checkpoint {id}, which is not there; nothing was written: read the thread again"),
    )
}

#[cold]
fn chain_is_broken(id: CheckpointId) -> StoreError {
    StoreError::new(
        StoreErrorKind::Corrupt,
        format!("a checkpoint that {id} is built on is missing; go on from another one"),
    )
}
