//! The trait of a store of answers.

use std::time::Duration;

use async_trait::async_trait;

use super::key::CacheKey;
use crate::error::ModelError;
use crate::response::Response;

/// Where answers are kept.
///
/// ```
/// use std::collections::HashMap;
/// use std::sync::Mutex;
/// use std::time::Duration;
/// use research_llm::layer::{CacheKey, ResponseCache};
/// use research_llm::{ModelError, Response, async_trait};
///
/// /// Keeps everything for ever.
/// #[derive(Default)]
/// struct Hoard(Mutex<HashMap<CacheKey, Response>>);
///
/// #[async_trait]
/// impl ResponseCache for Hoard {
///     async fn get(&self, key: &CacheKey) -> Result<Option<Response>, ModelError> {
///         Ok(self.0.lock().unwrap().get(key).cloned())
///     }
///     async fn put(&self, key: &CacheKey, answer: &Response, _: Option<Duration>) -> Result<(), ModelError> {
///         self.0.lock().unwrap().insert(key.clone(), answer.clone());
///         Ok(())
///     }
/// }
/// ```
#[async_trait]
pub trait ResponseCache: Send + Sync {
    /// The answer that is kept under a key, unless its time is over.
    ///
    /// # Errors
    /// When the place cannot be read. The caller treats this as a miss.
    async fn get(&self, key: &CacheKey) -> Result<Option<Response>, ModelError>;

    /// Keeps an answer, for so long if a time is given.
    ///
    /// # Errors
    /// When the place cannot be written. The caller goes on without it.
    async fn put(&self, key: &CacheKey, answer: &Response, time_to_live: Option<Duration>) -> Result<(), ModelError>;
}
