//! The layers that keep calls going, or keep them within limits: retry, rate limit, concurrency, timeout, fallback, tiers.

#![expect(clippy::unwrap_used, reason = "a test ends at a broken promise of its helpers")]

#[path = "resilience/fake.rs"]
mod fake;

#[path = "resilience/concurrency.rs"]
mod concurrency;
#[path = "resilience/fallback.rs"]
mod fallback;
#[path = "resilience/rate.rs"]
mod rate;
#[path = "resilience/retry.rs"]
mod retry;
#[path = "resilience/tier.rs"]
mod tier;
#[path = "resilience/timeout.rs"]
mod timeout;
