//! A checkpointer attached to a graph.

use std::sync::Arc;

use crate::checkpoint::DynCheckpointer;
use crate::codec::Codec;
use crate::state::State;

/// The store of a graph's threads, with what turns its state into bytes.
pub(crate) struct Attached<S: State> {
    pub(crate) store: Arc<dyn DynCheckpointer>,
    pub(crate) codec: &'static dyn Codec<S>,
}

impl<S: State> Clone for Attached<S> {
    fn clone(&self) -> Self {
        Self { store: Arc::clone(&self.store), codec: self.codec }
    }
}
