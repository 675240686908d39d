//! research-core.
