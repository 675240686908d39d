//! When the result of a node is taken from a cache.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;

use crate::handle::Input;
use crate::persist::{CodecError, to_key};

/// When a node need not run, because it has run before with the same key: its earlier result, update and targets, is taken.
///
/// The key is what the result depends on. It must serialize in the same way each time: no `HashMap` in it. Entries belong to
/// the graph and the node by their names; raise the [`version`](CachePolicy::version) when the node changes what it makes of
/// the key. Failures are not cached, nor are results that write an `untracked` field, nor those of a node that asked a
/// person. A cache that fails does not fail the run: the node runs.
///
/// ```
/// use std::time::Duration;
/// use research_core::{CachePolicy, State};
///
/// #[derive(Clone, Default, State)]
/// struct Search {
///     query: String,
///     found: Vec<String>,
/// }
///
/// let policy = CachePolicy::by(|s: &Search| s.query.clone()).ttl(Duration::from_secs(3600));
/// # let _ = policy;
/// ```
pub struct CachePolicy<S, I = ()> {
    key: KeyOf<S, I>,
    ttl: Option<Duration>,
    version: u64,
}

type KeyOf<S, I> = Arc<dyn Fn(&S, &I, u64) -> Result<Vec<u8>, CodecError> + Send + Sync>;

impl<S> CachePolicy<S> {
    /// For a [node](crate::Graph::cache): the key, made of the snapshot.
    pub fn by<K: Serialize>(key: impl Fn(&S) -> K + Send + Sync + 'static) -> Self {
        let key = move |state: &S, _: &(), version: u64| to_key(&(version, key(state)));
        Self { key: Arc::new(key), ttl: None, version: 0 }
    }
}

impl<S, I> CachePolicy<S, I> {
    /// For a [task](crate::Graph::cache_task): the key, made of the snapshot and the task's input.
    pub fn by_input<K: Serialize>(key: impl Fn(&S, &I) -> K + Send + Sync + 'static) -> Self {
        let key = move |state: &S, input: &I, version: u64| to_key(&(version, key(state, input)));
        Self { key: Arc::new(key), ttl: None, version: 0 }
    }

    /// How long a result is of use. Without it, for ever.
    #[must_use]
    pub const fn ttl(mut self, ttl: Duration) -> Self {
        self.ttl = Some(ttl);
        self
    }

    /// Results of another version are not found. Default 0.
    #[must_use]
    pub const fn version(mut self, version: u64) -> Self {
        self.version = version;
        self
    }
}

impl<S, I> fmt::Debug for CachePolicy<S, I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CachePolicy").field("ttl", &self.ttl).field("version", &self.version).finish_non_exhaustive()
    }
}

/// A cache policy as the engine stores it.
pub(crate) struct NodeCache<S> {
    key: ErasedKey<S>,
    pub(crate) ttl: Option<Duration>,
}

type ErasedKey<S> = Box<dyn Fn(&S, Option<&Input>) -> Option<Result<Vec<u8>, CodecError>> + Send + Sync>;

impl<S: 'static> NodeCache<S> {
    pub(crate) fn of_node(policy: CachePolicy<S>) -> Self {
        let CachePolicy { key, ttl, version } = policy;
        Self { key: Box::new(move |state, _| Some(key(state, &(), version))), ttl }
    }

    pub(crate) fn of_task<I: Send + Sync + 'static>(policy: CachePolicy<S, I>) -> Self {
        let CachePolicy { key, ttl, version } = policy;
        Self { key: Box::new(move |state, input| Some(key(state, input?.downcast_ref()?, version))), ttl }
    }
}

impl<S> NodeCache<S> {
    /// The key of a task; `None` when it came without the input that the key is made of.
    pub(crate) fn key(&self, state: &S, input: Option<&Input>) -> Option<Result<Vec<u8>, CodecError>> {
        (self.key)(state, input)
    }
}
