//! The facts of files in memory, by the hash of their content.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::facts::FileFacts;

/// Maximum size of the facts in memory, in bytes, by estimate.
const MAX_BYTES: usize = 48 << 20;

/// Facts that were used lately.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    entries: Mutex<Entries>,
}

#[derive(Debug, Default)]
struct Entries {
    facts: HashMap<String, (Arc<FileFacts>, u64)>,
    bytes: usize,
    clock: u64,
}

impl Memory {
    /// Returns the facts under a key.
    pub(crate) fn get(&self, key: &str) -> Option<Arc<FileFacts>> {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        entries.clock += 1;
        let now = entries.clock;
        let (facts, used) = entries.facts.get_mut(key)?;
        *used = now;
        Some(Arc::clone(facts))
    }

    /// Keeps facts. When there are too many, the half that was not used for longest is dropped.
    pub(crate) fn put(&self, key: &str, facts: &Arc<FileFacts>) {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        entries.clock += 1;
        let now = entries.clock;
        let size = size(facts);
        let known = entries
            .facts
            .insert(key.to_owned(), (Arc::clone(facts), now));
        entries.bytes += size;
        if let Some((known, _)) = known {
            entries.bytes -= self::size(&known);
        }

        if entries.bytes > MAX_BYTES {
            let mut ages: Vec<u64> = entries.facts.values().map(|(_, used)| *used).collect();
            ages.sort_unstable();
            let limit = ages.get(ages.len() / 2).copied().unwrap_or_default();
            entries.facts.retain(|_, (_, used)| *used >= limit);
            entries.bytes = entries
                .facts
                .values()
                .map(|(facts, _)| self::size(facts))
                .sum();
        }
    }
}

/// Estimates the size of facts in memory.
fn size(facts: &FileFacts) -> usize {
    300 + facts.symbols.len() * 250
        + facts.references.len() * 110
        + facts.implementations.len() * 110
        + facts.imports.len() * 140
        + facts.bindings.len() * 90
        + facts.regions.len() * 24
}
