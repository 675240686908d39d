//! The conformance suite over every provider of this crate, proof that it bites, keys that leak nowhere, and the table of what
//! providers can do.
#![cfg(all(feature = "openai", feature = "anthropic"))]
#![expect(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

#[path = "conformance/abilities.rs"]
mod abilities;
#[path = "conformance/bites.rs"]
mod bites;
#[path = "conformance/flaws.rs"]
mod flaws;
#[path = "conformance/open.rs"]
mod open;
#[path = "conformance/providers.rs"]
mod providers;
#[path = "conformance/secrets.rs"]
mod secrets;
