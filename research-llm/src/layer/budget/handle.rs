//! The shared account of a budget.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::limits::{BudgetLimits, BudgetSnapshot, Spending};
use crate::error::ModelError;
use crate::model::ModelInfo;

/// A budget that models share. A clone is another handle on the same budget.
///
/// ```
/// use research_llm::layer::{Budget, BudgetLimits, Spending};
/// use research_llm::price::Usd;
///
/// let budget = Budget::new(BudgetLimits::new().cost(Usd::dollars(1)));
/// // What an earlier process spent of it.
/// budget.spend(Spending::new(20_000, Usd::cents(40), 7));
/// assert_eq!(budget.snapshot().remaining().cost, Some(Usd::cents(60)));
/// ```
#[derive(Clone, Debug)]
pub struct Budget {
    account: Arc<Mutex<BudgetSnapshot>>,
}

impl Budget {
    /// A budget with limits.
    #[must_use]
    pub fn new(limits: BudgetLimits) -> Self {
        Self { account: Arc::new(Mutex::new(BudgetSnapshot { limits, ..BudgetSnapshot::default() })) }
    }

    /// What is spent, reserved and left now.
    #[must_use]
    pub fn snapshot(&self) -> BudgetSnapshot {
        *self.lock()
    }

    /// Adds what was spent elsewhere, such as before a restart. It is never refused, since it is spent.
    pub fn spend(&self, spending: Spending) {
        let mut account = self.lock();
        account.spent = account.spent.plus(spending);
    }

    /// Adds this if what is spent and reserved so far allows it, and tells whether it did. Nobody else spends in between, so callers
    /// side by side stay within a limit of their own.
    ///
    /// `allows` must not use this budget: it is locked meanwhile.
    ///
    /// ```
    /// use research_llm::layer::{Budget, BudgetLimits, Spending};
    /// use research_llm::price::Usd;
    ///
    /// let budget = Budget::new(BudgetLimits::new().calls(10));
    /// let call = Spending::new(0, Usd::ZERO, 1);
    /// // Two of the ten are for something else.
    /// while budget.spend_if(call, |so_far| so_far.spent.calls < 8) {}
    /// assert_eq!(budget.snapshot().spent.calls, 8);
    /// ```
    pub fn spend_if(&self, spending: Spending, allows: impl FnOnce(&BudgetSnapshot) -> bool) -> bool {
        let mut account = self.lock();
        let is_allowed = allows(&account);
        if is_allowed {
            account.spent = account.spent.plus(spending);
        }
        is_allowed
    }

    /// Takes what a call may need out of what is left.
    pub(super) fn reserve(&self, needed: Spending, priced: bool, info: &ModelInfo) -> Result<(), ModelError> {
        let mut account = self.lock();
        let BudgetSnapshot { limits, spent, reserved, .. } = *account;
        let after = spent.plus(reserved).plus(needed);
        if limits.tokens.is_some_and(|limit| after.tokens > limit) {
            let tokens = |amount: Spending| format!("{} tokens", amount.tokens);
            let limit = format!("{} tokens", limits.tokens.unwrap_or_default());
            return Err(exceeded(limit, [spent, reserved, needed].map(tokens)));
        }
        if limits.calls.is_some_and(|limit| after.calls > limit) {
            let calls = |amount: Spending| format!("{} calls", amount.calls);
            let limit = format!("{} calls", limits.calls.unwrap_or_default());
            return Err(exceeded(limit, [spent, reserved, needed].map(calls)));
        }
        if let Some(limit) = limits.cost {
            let [spent, reserved, needed] = [spent, reserved, needed].map(|amount| amount.cost.to_string());
            if !priced {
                let needed = format!(
                    "an unknown amount, since the price of `{}` is not known: add it to the table of prices, or assume one",
                    info.id()
                );
                return Err(exceeded(limit.to_string(), [spent, reserved, needed]));
            }
            if after.cost > limit {
                return Err(exceeded(limit.to_string(), [spent, reserved, needed]));
            }
        }
        account.reserved = reserved.plus(needed);
        Ok(())
    }

    /// Replaces a reservation by what was used.
    pub(super) fn settle(&self, reserved: Spending, used: Spending, estimated: bool, priced: bool) {
        let mut account = self.lock();
        account.reserved = account.reserved.minus(reserved);
        account.spent = account.spent.plus(used);
        if estimated {
            account.estimated = account.estimated.plus(used);
        }
        if !priced {
            account.unpriced_tokens = account.unpriced_tokens.saturating_add(used.tokens);
        }
    }

    fn lock(&self) -> MutexGuard<'_, BudgetSnapshot> {
        // Nothing here or of a caller can panic half-way through a change, so a poisoned account is still whole.
        self.account.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cold]
fn exceeded(limit: String, [spent, reserved, needed]: [String; 3]) -> ModelError {
    ModelError::BudgetExceeded { limit, spent, reserved, needed }
}
