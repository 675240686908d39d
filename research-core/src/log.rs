//! A list whose clones share their items, for states whose old snapshots are kept.

use std::fmt;
use std::sync::Arc;

use serde::de::{Deserialize, Deserializer};
use serde::ser::{Serialize, SerializeSeq, Serializer};

/// Items a sealed chunk holds.
const CHUNK: usize = 64;

type Chunk<T> = Arc<[Arc<T>]>;

/// An append-only list in shared chunks of 64 items.
///
/// A clone copies one pointer and fewer than 64 more; the first append after it copies one pointer for each sealed
/// chunk. Use it with `#[reduce(append)]` where snapshots are held over many steps; where none is held, `Vec` is as good.
/// It serializes as a sequence.
///
/// ```
/// use research_core::Log;
///
/// let mut log: Log<String> = ["a".to_string(), "b".to_string()].into();
/// let old = log.clone();
/// log.push("c".to_string());
/// assert_eq!(log.iter().map(String::as_str).collect::<String>(), "abc");
/// assert_eq!((old.len(), log.get(2).map(String::as_str)), (2, Some("c")));
/// ```
pub struct Log<T> {
    sealed: Arc<Vec<Chunk<T>>>,
    tail: Vec<Arc<T>>,
}

impl<T> Log<T> {
    /// An empty log.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Number of items.
    #[must_use]
    pub fn len(&self) -> usize {
        self.sealed.len() * CHUNK + self.tail.len()
    }

    /// Whether there is no item.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Appends one item.
    pub fn push(&mut self, item: T) {
        self.push_shared(Arc::new(item));
    }

    /// The item at `index`, counted from 0.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<&T> {
        let sealed = self.sealed.len() * CHUNK;
        let item = match index.checked_sub(sealed) {
            Some(rest) => self.tail.get(rest),
            None => self.sealed.get(index / CHUNK).and_then(|chunk| chunk.get(index % CHUNK)),
        };
        item.map(|item| &**item)
    }

    /// The newest item.
    #[must_use]
    pub fn last(&self) -> Option<&T> {
        self.len().checked_sub(1).and_then(|index| self.get(index))
    }

    /// The items, oldest first.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.sealed.iter().flat_map(|chunk| chunk.iter()).chain(&self.tail).map(|item| &**item)
    }

    /// The items from `index` on, at the cost of these alone.
    pub(crate) fn iter_from(&self, index: usize) -> impl Iterator<Item = &T> {
        let chunks = self.sealed.get(index / CHUNK..).unwrap_or_default();
        let skipped = if chunks.is_empty() { index.saturating_sub(self.sealed.len() * CHUNK) } else { index % CHUNK };
        chunks.iter().flat_map(|chunk| chunk.iter()).chain(&self.tail).skip(skipped).map(|item| &**item)
    }

    /// Appends the items of `other` without copying them.
    pub(crate) fn extend_shared(&mut self, other: &Self) {
        for item in other.sealed.iter().flat_map(|chunk| chunk.iter()).chain(&other.tail) {
            self.push_shared(Arc::clone(item));
        }
    }

    /// Removes the items from `at` on and gives them back.
    pub(crate) fn split_off(&mut self, at: usize) -> Self {
        let sealed = self.sealed.len() * CHUNK;
        if let Some(rest) = at.checked_sub(sealed) {
            return Self { sealed: Arc::default(), tail: self.tail.split_off(rest.min(self.tail.len())) };
        }
        let mut items = Arc::make_mut(&mut self.sealed)
            .split_off(at / CHUNK)
            .iter()
            .flat_map(|chunk| chunk.iter().cloned())
            .chain(std::mem::take(&mut self.tail))
            .collect::<Vec<_>>();
        let mut removed = Self::new();
        for item in items.split_off(at % CHUNK) {
            removed.push_shared(item);
        }
        self.tail = items;
        removed
    }

    fn push_shared(&mut self, item: Arc<T>) {
        self.tail.push(item);
        if self.tail.len() == CHUNK {
            Arc::make_mut(&mut self.sealed).push(self.tail.drain(..).collect());
        }
    }
}

impl<T> Clone for Log<T> {
    fn clone(&self) -> Self {
        Self { sealed: Arc::clone(&self.sealed), tail: self.tail.clone() }
    }
}

impl<T> Default for Log<T> {
    fn default() -> Self {
        Self { sealed: Arc::default(), tail: Vec::new() }
    }
}

impl<T: fmt::Debug> fmt::Debug for Log<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl<T: PartialEq> PartialEq for Log<T> {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().eq(other.iter())
    }
}

impl<T: Eq> Eq for Log<T> {}

impl<T> Extend<T> for Log<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, items: I) {
        items.into_iter().for_each(|item| self.push(item));
    }
}

impl<T> FromIterator<T> for Log<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let mut log = Self::new();
        log.extend(items);
        log
    }
}

impl<T> From<Vec<T>> for Log<T> {
    fn from(items: Vec<T>) -> Self {
        items.into_iter().collect()
    }
}

impl<T, const N: usize> From<[T; N]> for Log<T> {
    fn from(items: [T; N]) -> Self {
        items.into_iter().collect()
    }
}

impl<T: Serialize> Serialize for Log<T> {
    fn serialize<Z: Serializer>(&self, serializer: Z) -> Result<Z::Ok, Z::Error> {
        sequence(self.len(), self.iter(), serializer)
    }
}

/// Writes a sequence whose length is known though its iterator does not tell it.
pub(crate) fn sequence<'a, T: Serialize + 'a, Z: Serializer>(
    len: usize,
    items: impl Iterator<Item = &'a T>,
    serializer: Z,
) -> Result<Z::Ok, Z::Error> {
    let mut sequence = serializer.serialize_seq(Some(len))?;
    for item in items {
        sequence.serialize_element(item)?;
    }
    sequence.end()
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Log<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::deserialize(deserializer).map(Self::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splitting_off_at_any_place_gives_back_exactly_the_rest() {
        for len in [0, 1, 63, 64, 65, 130] {
            for at in 0..=len {
                let mut log: Log<usize> = (0..len).collect();
                let rest = log.split_off(at);
                assert!(log.iter().copied().eq(0..at), "{len} split at {at}");
                assert!(rest.iter().copied().eq(at..len), "{len} split at {at}");
            }
        }
    }

    #[test]
    fn reading_from_any_place_gives_exactly_the_rest() {
        for len in [0, 1, 63, 64, 65, 130, 200] {
            let log: Log<usize> = (0..len).collect();
            for from in 0..=len + 70 {
                assert!(log.iter_from(from).copied().eq(from..len), "{len} from {from}");
            }
        }
    }

    #[test]
    fn a_clone_does_not_see_later_items() {
        let mut log: Log<usize> = (0..100).collect();
        let old = log.clone();
        log.extend(100..200);
        assert!(old.iter().copied().eq(0..100));
        assert!(log.iter().copied().eq(0..200));
    }
}
