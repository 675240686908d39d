//! What a budget allows, what was spent of it, and what is left.

use serde::{Deserialize, Serialize};

use crate::price::Usd;

/// What may be spent; what is `None` is not limited.
///
/// ```
/// use research_llm::layer::BudgetLimits;
/// use research_llm::price::Usd;
///
/// let limits = BudgetLimits::new().tokens(100_000).cost(Usd::cents(50));
/// assert_eq!((limits.tokens, limits.calls), (Some(100_000), None));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct BudgetLimits {
    /// Tokens read and written together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// Money.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<Usd>,
    /// Calls that were answered, or may have been.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calls: Option<u64>,
}

impl BudgetLimits {
    /// No limit at all.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Limits the tokens read and written together.
    #[must_use]
    pub fn tokens(mut self, tokens: u64) -> Self {
        self.tokens = Some(tokens);
        self
    }

    /// Limits the money.
    #[must_use]
    pub fn cost(mut self, cost: Usd) -> Self {
        self.cost = Some(cost);
        self
    }

    /// Limits the calls.
    #[must_use]
    pub fn calls(mut self, calls: u64) -> Self {
        self.calls = Some(calls);
        self
    }
}

/// Tokens, money and calls together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Spending {
    /// Tokens read and written.
    pub tokens: u64,
    /// Money, without what was spent on models whose price is not known.
    pub cost: Usd,
    /// Calls.
    pub calls: u64,
}

impl Spending {
    /// So much of everything.
    #[must_use]
    pub fn new(tokens: u64, cost: Usd, calls: u64) -> Self {
        Self { tokens, cost, calls }
    }

    pub(super) fn plus(self, other: Self) -> Self {
        Self {
            tokens: self.tokens.saturating_add(other.tokens),
            cost: self.cost + other.cost,
            calls: self.calls.saturating_add(other.calls),
        }
    }

    pub(super) fn minus(self, other: Self) -> Self {
        Self {
            tokens: self.tokens.saturating_sub(other.tokens),
            cost: self.cost.saturating_sub(other.cost),
            calls: self.calls.saturating_sub(other.calls),
        }
    }
}

/// A budget at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct BudgetSnapshot {
    /// What may be spent.
    pub limits: BudgetLimits,
    /// What calls that are over have spent.
    pub spent: Spending,
    /// What calls that are under way may still spend.
    pub reserved: Spending,
    /// Of what is spent, what was estimated because the model did not report it. A call counts if a part of it was.
    pub estimated: Spending,
    /// Of the tokens spent, those of models whose price is not known.
    pub unpriced_tokens: u64,
}

impl BudgetSnapshot {
    /// What a further call could spend: the limits without what is spent and reserved.
    #[must_use]
    pub fn remaining(&self) -> BudgetLimits {
        let taken = self.spent.plus(self.reserved);
        BudgetLimits {
            tokens: self.limits.tokens.map(|limit| limit.saturating_sub(taken.tokens)),
            cost: self.limits.cost.map(|limit| limit.saturating_sub(taken.cost)),
            calls: self.limits.calls.map(|limit| limit.saturating_sub(taken.calls)),
        }
    }

    /// Whether nothing is left of something that is limited.
    #[must_use]
    pub fn is_exhausted(&self) -> bool {
        let left = self.remaining();
        left.tokens == Some(0) || left.cost == Some(Usd::ZERO) || left.calls == Some(0)
    }
}
