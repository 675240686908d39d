//! The computation of each class of questions.

mod absent;
mod definition;
mod uses;
mod implementors;
mod outcomes;
mod other;

pub(crate) use self::absent::absent;
pub(crate) use self::definition::definition;
pub(crate) use self::implementors::implementors;
pub(crate) use self::other::other;
pub(crate) use self::outcomes::{raises, returns};
pub(crate) use self::uses::{callers, uses};
