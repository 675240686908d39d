//! What several layers have in common: estimates of usage, and streams that are watched.

pub(super) mod estimate;
pub(super) mod observe;
pub(super) mod watch;
