//! The schema that a tool promises for its structured results, and whether a result matches.
//!
//! Both come from a server and are untrusted, so that neither may cost more than is allowed. A schema is measured before it is
//! compiled ([`size`]), and the check of a result is counted before it is made ([`steps`]).

mod compile;
#[cfg(feature = "validate")]
mod output;
#[cfg(feature = "validate")]
mod reference;
#[cfg(feature = "validate")]
mod size;
#[cfg(feature = "validate")]
mod steps;

#[cfg(feature = "server")]
pub(crate) use self::compile::{compile, shown};
#[cfg(feature = "validate")]
pub(crate) use self::output::{OutputSchema, STACK};
