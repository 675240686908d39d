//! Limits of a run: budget, policy, usage and retries.

pub(crate) mod budget;
pub(crate) mod budget_limits;
pub mod policy;
pub(crate) mod retry;
pub(crate) mod stop;
pub(crate) mod usage;

pub use budget::{Budget, BudgetLeft, Exceeded};
pub use budget_limits::{BudgetLimits, BudgetSyntax};
pub use policy::{Egress, Origin, Policy};
pub use retry::{Changed, REDUCTION_FACTOR, RetryPolicy};
pub use stop::{EarlyEnd, Stop};
pub use usage::{Meter, Usage, add_usage};
