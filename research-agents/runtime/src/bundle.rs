//! Bundles: a run in one file, with its report, its evidence and its effects outside of the
//! process.

pub(crate) mod expected;
pub(crate) mod form;
pub(crate) mod model;
pub(crate) mod seal;
pub(crate) mod strict;
pub mod verify;

pub use crate::tape::digest::{canonical, sha256};
pub use expected::Expected;
pub use form::BundleError;
pub use model::{Bundle, BundleVersion, BundledEvidence, BundledSource, Program};
pub use strict::read_strictly;
pub use verify::{Check, CheckKind, Origins, Outcome, Tally, Verification};
