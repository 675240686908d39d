//! Helpers for tests, of this crate and of those that build on it: a run taken task by task, time at will, stores that fail where a test
//! wants it, crashes, and the suite that every store must pass.

pub mod caches;
mod clock;
pub mod contract;
mod faulty;
mod node;
mod stepped;

pub use clock::FakeClock;
pub use faulty::{Faulty, When, crash_after};
pub use node::TestCx;
pub use stepped::Stepped;
