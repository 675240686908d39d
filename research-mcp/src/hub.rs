//! Several named servers as one source of tools.

mod actor;
mod approvals;
mod builder;
mod bus;
mod handle;
mod names;
mod search;

pub use self::approvals::{Approvals, Standing};
pub use self::builder::HubBuilder;
pub use crate::event::state::{ServerState, ServerStatus};
pub use handle::Hub;
