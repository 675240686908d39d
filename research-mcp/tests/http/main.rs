//! Servers over HTTP that break, lie and forget: each ends in its typed outcome, and nothing else is disturbed.
#![cfg(feature = "http")]
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test stops at the first thing that is not as it should be")]

mod failures;
#[cfg(feature = "oauth")]
mod oauth;
mod sizes;
mod streams;
mod support;
