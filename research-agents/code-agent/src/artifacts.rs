//! What a run leaves: its trace, its evidence, and reports for people; and the store that keeps
//! runs for a time.

mod html;
mod json;
mod markdown;
mod folder;
mod store;

pub use self::html::html;
pub use self::json::{evidence_json, sites_json, trace_json};
pub use self::markdown::report_md;
pub use self::store::{Lookup, RunStore, StoreLimits};
