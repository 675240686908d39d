//! The files of a code base, beneath a root that nothing leaves.

mod listing;
mod path;
mod root;
mod scope;
mod secret;

pub use self::listing::{CodeTree, ListedFile, SkipReason};
pub use self::path::RelPath;
pub use self::root::{CodeRoot, FileBytes, MAX_FILE_BYTES};
pub use self::scope::Scope;
