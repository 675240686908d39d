//! The sums that a meter keeps.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::error::ErrorKind;
use crate::price::Usd;
use crate::response::Usage;

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// The model answered.
    Answered,
    /// A cache answered.
    Cached,
    /// It failed.
    Failed(ErrorKind),
    /// The caller went away, or a stream ended without the model saying that it finished.
    Cancelled,
}

impl Outcome {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Answered => "answered",
            Self::Cached => "cached",
            Self::Failed(kind) => kind.as_str(),
            Self::Cancelled => "cancelled",
        }
    }
}

/// What is known of one call that is over.
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) outcome: Outcome,
    pub(super) usage: Usage,
    pub(super) cost: Option<Usd>,
    pub(super) first_token: Option<Duration>,
    pub(super) total: Duration,
}

/// Sums over calls.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Tally {
    /// All calls.
    pub calls: u64,
    /// Of these, the ones that a cache answered.
    #[serde(default)]
    pub cached: u64,
    /// Of these, the ones that failed, by the name of the category.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub errors: BTreeMap<String, u64>,
    /// Of these, the ones that the caller broke off.
    #[serde(default)]
    pub cancelled: u64,
    /// Of these, the ones that the model answered without reporting what it used.
    #[serde(default)]
    pub unreported: u64,
    /// The tokens that were reported.
    pub usage: Usage,
    /// What they cost, as far as prices are known.
    pub cost: Usd,
    /// Of the tokens, those of models whose price is not known.
    #[serde(default)]
    pub unpriced: Usage,
    /// From the start of a streamed call to the first piece of its answer.
    #[serde(default)]
    pub first_token: Latency,
    /// From the start to the end of a call.
    #[serde(default)]
    pub total: Latency,
}

impl Tally {
    /// How many calls failed, whatever the category.
    #[must_use]
    pub fn failed(&self) -> u64 {
        self.errors.values().sum()
    }

    pub(super) fn add(&mut self, call: &Call) {
        self.calls += 1;
        match call.outcome {
            Outcome::Answered => self.unreported += u64::from(call.usage == Usage::default()),
            Outcome::Cached => self.cached += 1,
            Outcome::Failed(kind) => *self.errors.entry(kind.as_str().to_owned()).or_default() += 1,
            Outcome::Cancelled => self.cancelled += 1,
        }
        self.usage += call.usage;
        match call.cost {
            Some(cost) => self.cost += cost,
            None => self.unpriced += call.usage,
        }
        if let Some(time) = call.first_token {
            self.first_token.add(time);
        }
        self.total.add(call.total);
    }
}

/// Times of several calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Latency {
    /// How many.
    pub count: u64,
    /// All together.
    pub sum: Duration,
    /// The shortest.
    pub min: Duration,
    /// The longest.
    pub max: Duration,
}

impl Latency {
    /// The mean; `None` if there is none.
    #[must_use]
    pub fn mean(&self) -> Option<Duration> {
        let count = u32::try_from(self.count).ok().filter(|&count| count > 0)?;
        Some(self.sum / count)
    }

    fn add(&mut self, time: Duration) {
        self.min = if self.count == 0 { time } else { self.min.min(time) };
        self.max = self.max.max(time);
        self.sum = self.sum.saturating_add(time);
        self.count += 1;
    }
}
