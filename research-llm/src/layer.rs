//! Layers: a model around a model, each adding one thing to every call.
//!
//! ```text
//! model.with(Timeout::…).with(budget.layer()).with(Retry::…)
//! ```
//!
//! The layer that is added last is the outermost: above, a call is tried several times, each try is charged to the budget,
//! and each has its own time limit.

mod budget;
mod cache;
mod concurrency;
mod fallback;
mod meter;
mod rate;
mod record;
mod retry;
mod shared;
mod stack;
mod tier;
mod timeout;

pub use budget::{Budget, BudgetLayer, BudgetLimits, BudgetSnapshot, Budgeted, Spending};
#[cfg(feature = "sqlite")]
pub use cache::SqliteResponseCache;
pub use cache::{Cache, CacheKey, Cached, MemoryCache, ResponseCache};
pub use concurrency::{Concurrency, Limited};
pub use fallback::{Chain, Fallback};
pub use meter::{Latency, Meter, MeterLayer, MeterSnapshot, Metered, Tally};
pub use rate::{Paced, RateLimit};
pub use record::{Difference, NotRecorded, Recorded, Recorder, Replayer, redact_keys};
pub use retry::{Retried, Retry, RetryEvent};
pub use stack::Layer;
pub use tier::TierRouter;
pub use timeout::{Timed, Timeout};
