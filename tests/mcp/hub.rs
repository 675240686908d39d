//! The hub itself: how it starts, what it lets servers do, and what it does when they die or change.

mod approvals;
mod lifetimes;
mod policy;
mod respawn;
