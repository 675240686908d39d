//! A handle on a code base, and its files as they are when a question is asked.

mod place;
mod span;
mod memory;
mod names;
mod index;
mod kept;
mod snapshot;
mod ranked;
mod code_base;

pub use self::code_base::CodeBase;
pub(crate) use self::index::{Index, IndexedFile};
pub use self::place::Place;
pub use self::snapshot::Snapshot;
pub(crate) use self::snapshot::span_of;
pub(crate) use self::span::hash;
pub use self::span::{Provenance, Span};
pub use crate::store::CacheAt;
