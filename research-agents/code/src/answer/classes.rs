//! The computation of each class of questions.

mod absent;
mod definition;
mod uses;

pub(crate) use self::absent::absent;
pub(crate) use self::definition::definition;
pub(crate) use self::uses::{callers, uses};
