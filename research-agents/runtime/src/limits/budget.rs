//! The budget of a run: tokens, calls, time and money, always finite.

use std::fmt;
use std::pin::pin;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use research_llm::layer::{
    Budget as Account, BudgetLayer, BudgetLimits as AccountLimits, Layer, Spending,
};
use research_llm::price::{Price, PriceTable, Usd};
use research_llm::{ChatModel, MAX_ATTEMPTS, ModelError, ModelInfo, ModelKind};
use serde::{Deserialize, Serialize};
use tokio::sync::Notify;
use tokio::time::Instant;

use crate::limits::budget_limits::BudgetLimits;
use crate::limits::usage::Usage;

/// Part of the tokens, money and time that is reserved for the report: one in so many.
const REPORT_SHARE: u32 = 10;
/// Calls that are reserved for the report: as many as a structured answer may take, but at most a
/// quarter of the budget.
const REPORT_CALLS: u64 = MAX_ATTEMPTS as u64;

/// Maximum delay before a call is made again that was refused because others had reserved the
/// budget.
const RETRY_INTERVAL: Duration = Duration::from_secs(1);

/// The budget of one run. Clones are handles on the same budget.
///
/// Model calls are charged by the [layer](research_llm::layer::BudgetLayer) around the model, and
/// tool calls by [`take_call`](Self::take_call), both to one account, so that nothing counts twice.
/// Gathering ends when a tenth of the budget is left, which is reserved for the report.
///
/// ```
/// use research_agents_runtime::limits::{Budget, BudgetLimits};
///
/// let budget = Budget::new("calls=8".parse::<BudgetLimits>()?);
/// while budget.exceeded().is_none() {
///     budget.take_call()?;
/// }
/// assert_eq!(budget.spent().calls, 6);
///
/// let exceeded = budget.exceeded().map(|limit| limit.to_string());
/// assert_eq!(exceeded.as_deref(), Some("the budget of 8 calls is used up"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Budget {
    limits: BudgetLimits,
    account: Account,
    started: Instant,
    exceeded: Arc<OnceLock<Exceeded>>,
    /// The time that earlier processes of the same run have used.
    carried: Arc<OnceLock<Duration>>,
    /// Notified when a call has ended and released what it had reserved.
    released: Arc<Notify>,
}

/// The remaining budget of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BudgetLeft {
    /// Remaining tokens.
    pub tokens: u64,
    /// Remaining calls of models and tools together.
    pub calls: u64,
    /// Remaining seconds.
    pub seconds: u64,
    /// Remaining US dollars, if money is limited.
    pub usd: Option<f64>,
}

/// The error of a limit that is reached.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the budget of {limit} is used up")]
#[non_exhaustive]
pub struct Exceeded {
    /// The limit with its unit, such as `200000 tokens`.
    pub limit: String,
}

impl Exceeded {
    /// Creates the error of a limit, given with its unit, such as `200000 tokens`.
    pub fn new(limit: impl Into<String>) -> Self {
        Self {
            limit: limit.into(),
        }
    }
}

impl Budget {
    /// Creates a budget whose time starts now.
    pub fn new(limits: BudgetLimits) -> Self {
        let account = AccountLimits::new()
            .tokens(limits.tokens)
            .calls(limits.calls)
            .cost(limits.money());
        Self {
            limits,
            account: Account::new(account),
            started: Instant::now(),
            exceeded: Arc::default(),
            carried: Arc::default(),
            released: Arc::default(),
        }
    }

    /// Returns the limits.
    pub fn limits(&self) -> &BudgetLimits {
        &self.limits
    }

    /// Wraps a model so that each of its calls is charged to this budget. A program that computes
    /// its answers costs nothing; only its calls are counted.
    ///
    /// If the price of the model is unknown, an explicit limit on money refuses its calls. Without
    /// one its tokens are limited, and its cost is not counted.
    pub fn around(&self, model: Arc<dyn ChatModel>) -> Arc<dyn ChatModel> {
        if model.info().kind == ModelKind::Extractive {
            return model;
        }
        let free = self.limits.usd.is_none() || model.info().kind == ModelKind::Scripted;
        let layer = BudgetLayer::new(self.account.clone());
        let layer = if free {
            layer.assume(Price::free())
        } else {
            layer
        };
        Arc::new(layer.layer(model))
    }

    /// Returns `true` if the calls of the model are charged by the layer around it.
    pub fn charges(&self, model: &ModelInfo) -> bool {
        model.kind != ModelKind::Extractive
    }

    /// Returns why the limit on money cannot be enforced for this model, if it cannot.
    pub fn problem(limits: &BudgetLimits, model: &ModelInfo) -> Option<String> {
        let unknown = model.is_language_model() && PriceTable::standard().price_of(model).is_none();
        (limits.usd.is_some() && unknown).then(|| {
            format!(
                "limits money, and the price of `{}` is not known; limit its tokens instead",
                model.id()
            )
        })
    }

    /// Takes one call out of the budget for gathering. Concurrent tasks cannot take what is
    /// reserved for the report.
    ///
    /// # Errors
    ///
    /// [`Exceeded`] when gathering must end.
    pub fn take_call(&self) -> Result<(), Exceeded> {
        if let Some(exceeded) = self.exceeded.get() {
            return Err(exceeded.clone());
        }

        // Checked and charged in one step.
        let mut reached = None;
        self.account
            .spend_if(Spending::new(0, Usd::ZERO, 1), |so_far| {
                reached = self.reached(&so_far.spent);
                reached.is_none()
            });
        reached.map_or(Ok(()), |limit| Err(self.mark(limit)))
    }

    /// Takes one call for the report, whatever gathering has used.
    pub fn take_report_call(&self) {
        self.account.spend(Spending::new(0, Usd::ZERO, 1));
    }

    /// Returns the limit that ended gathering, once one is reached. It stays the same from then on.
    pub fn exceeded(&self) -> Option<Exceeded> {
        if let Some(exceeded) = self.exceeded.get() {
            return Some(exceeded.clone());
        }
        self.reached(&self.spent()).map(|limit| self.mark(limit))
    }

    /// Returns the limit on gathering that this spending has reached, if any.
    fn reached(&self, spent: &Spending) -> Option<String> {
        let limits = &self.limits;
        let share = u64::from(REPORT_SHARE);
        let reserve = REPORT_CALLS.min(limits.calls / 4);
        if spent.calls + reserve >= limits.calls {
            Some(format!("{} calls", limits.calls))
        } else if spent.tokens >= limits.tokens - limits.tokens / share {
            Some(format!("{} tokens", limits.tokens))
        } else if spent.cost.nanos() >= limits.money().nanos() - limits.money().nanos() / share {
            Some(limits.money().to_string())
        } else if self.elapsed() >= limits.time - limits.time / REPORT_SHARE {
            Some(limits.time_in_words())
        } else {
            None
        }
    }

    /// Ends gathering if the error says that the budget refused a call of the model.
    pub fn refused(&self, error: &ModelError) -> Option<Exceeded> {
        limit_of(error).map(|limit| self.mark(limit.to_owned()))
    }

    fn mark(&self, limit: String) -> Exceeded {
        self.exceeded.get_or_init(|| Exceeded { limit }).clone()
    }

    /// Returns what was spent so far; calls of models and tools together.
    pub fn spent(&self) -> Spending {
        self.account.snapshot().spent
    }

    /// Returns the time that the run has used, in all its processes.
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed() + self.carried.get().copied().unwrap_or_default()
    }

    /// Returns what the model has cost so far: nothing for a program that computes its answers,
    /// `None` if its price is unknown.
    pub fn cost(&self, model: &ModelInfo) -> Option<Usd> {
        let is_known =
            !model.is_language_model() || PriceTable::standard().price_of(model).is_some();
        is_known.then(|| self.spent().cost)
    }

    /// Returns the remaining budget, including what is reserved for the report.
    pub fn left(&self) -> BudgetLeft {
        let (spent, limits) = (self.spent(), &self.limits);
        BudgetLeft {
            tokens: limits.tokens.saturating_sub(spent.tokens),
            calls: limits.calls.saturating_sub(spent.calls),
            seconds: limits.time.saturating_sub(self.elapsed()).as_secs(),
            usd: limits
                .usd
                .map(|all| all.saturating_sub(spent.cost).as_dollars()),
        }
    }

    /// Returns the deadline of the whole run.
    pub fn deadline(&self) -> Instant {
        self.started
            + self
                .limits
                .time
                .saturating_sub(self.carried.get().copied().unwrap_or_default())
    }

    /// Returns the deadline of gathering.
    pub fn gathering_deadline(&self) -> Instant {
        let all = self.limits.time - self.limits.time / REPORT_SHARE;
        self.started + all.saturating_sub(self.carried.get().copied().unwrap_or_default())
    }

    /// Returns the error of the time limit.
    pub fn time_is_up(&self) -> Exceeded {
        Exceeded {
            limit: self.limits.time_in_words(),
        }
    }

    /// Counts what earlier processes of the same run have used, and their time; only the first call
    /// has an effect. Their cost is estimated from the sum of their tokens.
    pub fn carry(&self, used: &Usage, time: Duration, model: &ModelInfo) {
        self.carried.get_or_init(|| {
            let tokens = research_llm::Usage::new(used.tokens_in, used.tokens_out);
            let price = PriceTable::standard()
                .price_of(model)
                .filter(|_| model.is_language_model());
            let cost = price.map_or(Usd::ZERO, |price| price.cost(tokens));

            let charged = if self.charges(model) {
                tokens.total()
            } else {
                0
            };
            self.account.spend(Spending::new(
                charged,
                cost,
                used.llm_calls + used.mcp_calls,
            ));
            time
        });
    }

    /// Makes a call of the model, and makes it again as long as it is refused only because other
    /// calls have reserved what it needs. Most calls use less than they reserve.
    ///
    /// # Errors
    ///
    /// The error of the call.
    pub async fn retry_while_reserved<T, F>(&self, call: impl Fn() -> F) -> Result<T, ModelError>
    where
        F: Future<Output = Result<T, ModelError>>,
    {
        loop {
            let mut released = pin!(self.released.notified());
            released.as_mut().enable();
            let answer = call().await;

            let waits = answer
                .as_ref()
                .err()
                .is_some_and(|error| limit_of(error).is_some())
                && self.account.snapshot().reserved.calls > 0;
            if !waits {
                self.released.notify_waiters();
                return answer;
            }
            // A call that was dropped releases its reservation without a notification.
            drop(tokio::time::timeout(RETRY_INTERVAL, released).await);
        }
    }
}

/// Returns the limit that an error names if a budget refused the call.
fn limit_of(error: &ModelError) -> Option<&str> {
    match error {
        ModelError::BudgetExceeded { limit, .. } => Some(limit),
        ModelError::ReaskFailed { source, .. } => limit_of(source),
        _ => None,
    }
}

impl fmt::Display for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.limits.fmt(f)
    }
}

#[cfg(test)]
mod tests;
