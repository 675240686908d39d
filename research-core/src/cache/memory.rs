//! The cache in memory: a bounded number of entries, of which the least recently used go first.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use super::store::Cache;
use crate::checkpoint::StoreError;

/// Entries that [`MemoryCache::default`] keeps.
const CAPACITY: usize = 10_000;

/// Keeps results in memory, at most so many entries; the least recently used go first. Clones share them.
///
/// ```
/// use research_core::MemoryCache;
///
/// let cache = MemoryCache::new(500);
/// assert!(cache.is_empty());
/// ```
#[derive(Clone)]
pub struct MemoryCache {
    entries: Arc<Mutex<Entries>>,
    capacity: usize,
}

#[derive(Default)]
struct Entries {
    by_key: HashMap<Key, Entry>,
    /// Keys by when they were last used.
    by_use: BTreeMap<u64, Key>,
    uses: u64,
}

type Key = (Arc<str>, Arc<[u8]>);

struct Entry {
    value: Arc<[u8]>,
    expires: Option<SystemTime>,
    used: u64,
}

impl MemoryCache {
    /// A cache of at most `capacity` entries.
    #[must_use]
    pub fn new(capacity: usize) -> Self {
        Self { entries: Arc::default(), capacity }
    }

    /// Number of entries, those included that have expired and were not asked for since.
    #[must_use]
    pub fn len(&self) -> usize {
        self.lock().by_key.len()
    }

    /// Whether it has no entries.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn lock(&self) -> MutexGuard<'_, Entries> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// At most 10,000 entries.
impl Default for MemoryCache {
    fn default() -> Self {
        Self::new(CAPACITY)
    }
}

impl fmt::Debug for MemoryCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryCache").field("len", &self.len()).field("capacity", &self.capacity).finish()
    }
}

impl Entries {
    fn remove(&mut self, key: &Key) {
        if let Some(entry) = self.by_key.remove(key) {
            self.by_use.remove(&entry.used);
        }
    }

    fn get(&mut self, key: &Key, now: SystemTime) -> Option<Arc<[u8]>> {
        let entry = self.by_key.get_mut(key)?;
        if entry.expires.is_some_and(|expires| expires <= now) {
            self.remove(key);
            return None;
        }
        self.uses += 1;
        let before = std::mem::replace(&mut entry.used, self.uses);
        if let Some(key) = self.by_use.remove(&before) {
            self.by_use.insert(self.uses, key);
        }
        Some(Arc::clone(&entry.value))
    }
}

impl Cache for MemoryCache {
    async fn get(&self, namespace: &str, key: &[u8], now: SystemTime) -> Result<Option<Vec<u8>>, StoreError> {
        let found = self.lock().get(&(namespace.into(), key.into()), now);
        Ok(found.map(|value| value.to_vec()))
    }

    async fn put(
        &self,
        namespace: &str,
        key: &[u8],
        value: Vec<u8>,
        now: SystemTime,
        ttl: Option<Duration>,
    ) -> Result<(), StoreError> {
        // A time to live that reaches beyond all time is none.
        let expires = ttl.and_then(|ttl| now.checked_add(ttl));
        let key: Key = (namespace.into(), key.into());
        let mut entries = self.lock();
        entries.remove(&key);
        entries.uses += 1;
        let used = entries.uses;
        entries.by_use.insert(used, (Arc::clone(&key.0), Arc::clone(&key.1)));
        entries.by_key.insert(key, Entry { value: value.into(), expires, used });
        while entries.by_key.len() > self.capacity {
            let Some((_, oldest)) = entries.by_use.pop_first() else { break };
            entries.by_key.remove(&oldest);
        }
        Ok(())
    }

    async fn clear(&self, namespace: &str) -> Result<(), StoreError> {
        let mut entries = self.lock();
        entries.by_key.retain(|key, _| *key.0 != *namespace);
        entries.by_use.retain(|_, key| *key.0 != *namespace);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    const START: SystemTime = SystemTime::UNIX_EPOCH;

    fn put(cache: &MemoryCache, namespace: &str, key: &[u8], value: u8, ttl: Option<Duration>) {
        cache.put(namespace, key, vec![value], START, ttl).now_or_never().unwrap().unwrap();
    }

    fn get(cache: &MemoryCache, namespace: &str, key: &[u8], now: SystemTime) -> Option<u8> {
        cache.get(namespace, key, now).now_or_never().unwrap().unwrap().map(|value| value[0])
    }

    #[test]
    fn an_entry_replaces_the_earlier_one_of_its_key_and_expires_on_time() {
        let (cache, ttl) = (MemoryCache::default(), Duration::from_secs(5));
        let end = START + ttl;
        put(&cache, "n", b"k", 1, None);
        put(&cache, "n", b"k", 2, Some(ttl));
        assert_eq!(get(&cache, "n", b"k", end - Duration::from_nanos(1)), Some(2));
        assert_eq!(get(&cache, "n", b"k", end), None);
        assert!(cache.is_empty());
    }

    #[test]
    fn the_least_recently_used_entry_goes_first() {
        let cache = MemoryCache::new(2);
        put(&cache, "n", b"a", 1, None);
        put(&cache, "n", b"b", 2, None);
        assert_eq!(get(&cache, "n", b"a", START), Some(1));
        put(&cache, "n", b"c", 3, None);
        assert_eq!(["a", "b", "c"].map(|key| get(&cache, "n", key.as_bytes(), START)), [Some(1), None, Some(3)]);
        assert_eq!(cache.len(), 2);
        put(&MemoryCache::new(0), "n", b"a", 1, None);
    }

    #[test]
    fn clearing_a_namespace_leaves_the_others() {
        let cache = MemoryCache::default();
        put(&cache, "m", b"k", 1, None);
        put(&cache, "n", b"k", 2, None);
        cache.clear("m").now_or_never().unwrap().unwrap();
        assert_eq!((get(&cache, "m", b"k", START), get(&cache, "n", b"k", START)), (None, Some(2)));
        assert_eq!(cache.clone().len(), 1);
    }
}
