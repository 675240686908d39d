//! Values of any type that events carry: what nodes emit, and the state of subgraphs.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;

use super::modes::Modes;

/// What a node writes to the event log.
pub(crate) enum Emitted {
    Custom(Custom),
    Message { id: Arc<str>, text: String },
}

impl Emitted {
    /// The kind of event that it becomes.
    pub(crate) const fn mode(&self) -> Modes {
        match self {
            Self::Custom(_) => Modes::CUSTOM,
            Self::Message { .. } => Modes::MESSAGES,
        }
    }
}

/// A value that a node emitted with [`Cx::emit`](crate::Cx::emit).
#[derive(Clone)]
pub struct Custom(Arc<dyn Emittable>);

trait Emittable: Send + Sync {
    fn as_any(&self) -> &dyn Any;
    fn to_json(&self) -> serde_json::Result<Value>;
    fn type_name(&self) -> &'static str;
}

impl<T: Serialize + Any + Send + Sync> Emittable for T {
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn to_json(&self) -> serde_json::Result<Value> {
        serde_json::to_value(self)
    }
    fn type_name(&self) -> &'static str {
        std::any::type_name::<T>()
    }
}

impl Custom {
    pub(crate) fn new(value: impl Serialize + Any + Send + Sync) -> Self {
        Self(Arc::new(value))
    }

    /// The value, when it is a `T`.
    #[must_use]
    pub fn downcast_ref<T: Any>(&self) -> Option<&T> {
        (*self.0).as_any().downcast_ref()
    }

    /// The value as JSON.
    ///
    /// # Errors
    ///
    /// When its `Serialize` fails.
    pub fn to_json(&self) -> serde_json::Result<Value> {
        self.0.to_json()
    }
}

impl fmt::Debug for Custom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str((*self.0).type_name())
    }
}

/// A value whose type the reader of an event knows and the event does not: the state of a subgraph, or an update of it.
#[derive(Clone)]
pub struct Erased {
    value: Arc<dyn Any + Send + Sync>,
    type_name: &'static str,
}

impl Erased {
    pub(crate) fn new<T: Any + Send + Sync>(value: Arc<T>) -> Self {
        Self { value, type_name: std::any::type_name::<T>() }
    }

    /// The value, when it is a `T`.
    #[must_use]
    pub fn downcast_ref<T: Any>(&self) -> Option<&T> {
        self.value.downcast_ref()
    }

    /// Takes the value out when it is a `T`.
    pub(crate) fn downcast<T: Any + Send + Sync>(self) -> Result<Arc<T>, Self> {
        let Self { value, type_name } = self;
        value.downcast().map_err(|value| Self { value, type_name })
    }
}

impl fmt::Debug for Erased {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.type_name)
    }
}
