//! Answers in memory: so many at most, the ones that were not used for longest go first.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use tokio::time::Instant;

use super::key::CacheKey;
use super::store::ResponseCache;
use crate::error::ModelError;
use crate::response::Response;

/// Keeps answers in memory, up to a number of them and, if wanted, of bytes. Those that were not asked for the longest go
/// first.
///
/// ```
/// use std::sync::Arc;
/// use research_llm::layer::{Cache, MemoryCache};
///
/// // One cache for two models; the keys tell them apart.
/// let store = Arc::new(MemoryCache::new(10_000).max_bytes(64 << 20));
/// let (first, second) = (Cache::shared(store.clone()), Cache::shared(store.clone()));
/// # drop((first, second));
/// assert!(store.is_empty());
/// ```
#[derive(Debug)]
pub struct MemoryCache {
    max_entries: usize,
    max_bytes: usize,
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    entries: HashMap<CacheKey, Entry>,
    /// Keys by when they were last used, in ticks of `clock`.
    by_use: BTreeMap<u64, CacheKey>,
    clock: u64,
    bytes: usize,
}

#[derive(Debug)]
struct Entry {
    answer: Response,
    expires: Option<Instant>,
    used: u64,
    bytes: usize,
}

impl MemoryCache {
    /// A cache for so many answers.
    #[must_use]
    pub fn new(max_entries: usize) -> Self {
        Self { max_entries, max_bytes: usize::MAX, kept: Mutex::default() }
    }

    /// Limits the bytes as well: those of the keys, and of the answers as JSON.
    #[must_use]
    pub fn max_bytes(mut self, bytes: usize) -> Self {
        self.max_bytes = bytes;
        self
    }

    /// How many answers are kept, those whose time is over included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.lock().entries.len()
    }

    /// Whether no answer is kept.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Forgets everything.
    pub fn clear(&self) {
        *self.lock() = Kept::default();
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        // Nothing that holds this lock can panic half-way.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    fn remove(&mut self, key: &CacheKey) {
        if let Some(entry) = self.entries.remove(key) {
            self.by_use.remove(&entry.used);
            self.bytes -= entry.bytes;
        }
    }

    fn touch(&mut self, key: &CacheKey) -> Option<Response> {
        let entry = self.entries.get_mut(key)?;
        self.by_use.remove(&entry.used);
        self.clock += 1;
        entry.used = self.clock;
        self.by_use.insert(self.clock, key.clone());
        Some(entry.answer.clone())
    }
}

#[async_trait]
impl ResponseCache for MemoryCache {
    async fn get(&self, key: &CacheKey) -> Result<Option<Response>, ModelError> {
        let mut kept = self.lock();
        if kept.entries.get(key).and_then(|entry| entry.expires).is_some_and(|end| end <= Instant::now()) {
            kept.remove(key);
        }
        Ok(kept.touch(key))
    }

    async fn put(&self, key: &CacheKey, answer: &Response, time_to_live: Option<Duration>) -> Result<(), ModelError> {
        let bytes = key.as_str().len() + serde_json::to_string(answer).map_or(0, |json| json.len());
        // A time beyond what the clock can count is for ever.
        let expires = time_to_live.and_then(|time| Instant::now().checked_add(time));
        let mut kept = self.lock();
        kept.remove(key);
        if bytes > self.max_bytes || self.max_entries == 0 {
            return Ok(());
        }
        while kept.entries.len() >= self.max_entries || kept.bytes > self.max_bytes - bytes {
            let Some((_, oldest)) = kept.by_use.pop_first() else { break };
            kept.remove(&oldest);
        }
        kept.clock += 1;
        let used = kept.clock;
        kept.bytes += bytes;
        kept.by_use.insert(used, key.clone());
        kept.entries.insert(key.clone(), Entry { answer: answer.clone(), expires, used, bytes });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::Request;

    fn key(name: &str) -> CacheKey {
        CacheKey::of(name, &Request::new())
    }

    async fn kept(cache: &MemoryCache, names: &str) -> String {
        let mut found = String::new();
        for name in names.chars() {
            if cache.get(&key(&name.to_string())).await.unwrap().is_some() {
                found.push(name);
            }
        }
        found
    }

    async fn put(cache: &MemoryCache, name: &str, text: &str) {
        cache.put(&key(name), &Response::new("m", text), None).await.unwrap();
    }

    #[tokio::test]
    async fn the_least_recently_used_answer_goes_first() {
        let cache = MemoryCache::new(2);
        put(&cache, "a", "1").await;
        put(&cache, "b", "2").await;
        assert_eq!(kept(&cache, "a").await, "a");
        put(&cache, "c", "3").await;
        assert_eq!(kept(&cache, "abc").await, "ac");
        assert_eq!(cache.len(), 2);
    }

    #[tokio::test]
    async fn bytes_are_bounded_and_what_is_too_large_is_not_kept() {
        let cache = MemoryCache::new(100).max_bytes(500);
        for name in ["a", "b", "c", "d", "e"] {
            put(&cache, name, &"x".repeat(60)).await;
        }
        let few = cache.len();
        assert!((1..5).contains(&few), "{few}");
        assert!(cache.lock().bytes <= 500);
        put(&cache, "huge", &"x".repeat(600)).await;
        assert_eq!(cache.len(), few);
        put(&cache, "e", "y").await;
        let in_order = cache.lock().by_use.len();
        assert_eq!(in_order, cache.len());
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_whose_time_is_over_is_gone() {
        let cache = MemoryCache::new(2);
        cache.put(&key("a"), &Response::new("m", "1"), Some(Duration::from_secs(5))).await.unwrap();
        tokio::time::advance(Duration::from_secs(4)).await;
        assert_eq!(kept(&cache, "a").await, "a");
        tokio::time::advance(Duration::from_secs(1)).await;
        assert_eq!(kept(&cache, "a").await, "");
        assert!(cache.is_empty());
    }
}
