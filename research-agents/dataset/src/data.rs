//! The records that nodes, agents and models exchange.

pub(crate) mod call;
pub(crate) mod completion;
pub(crate) mod config;
pub(crate) mod contribution;
pub(crate) mod event;
pub(crate) mod filters;
pub(crate) mod names;
pub(crate) mod phrase;
pub(crate) mod query;
pub mod record;
pub mod review;
pub mod task;
