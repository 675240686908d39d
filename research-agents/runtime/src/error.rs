//! The error of this crate, and the categories that users see.

pub(crate) mod category;
pub(crate) mod classify;
pub(crate) mod model;
pub(crate) mod properties;
pub(crate) mod suggest;
pub(crate) mod wait;

pub use category::ErrorCategory;
pub use classify::{is_cut, of_tool};
pub use model::{Error, InvalidInput, SubAgentError};
pub use suggest::closest;
