//! What a run may use at most: tokens, calls, time and money, always finite.

mod limits;

use std::fmt;
use std::pin::pin;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use research_llm::layer::{Budget as Account, BudgetLayer, BudgetLimits as AccountLimits, Layer, Spending};
use research_llm::price::{Price, PriceTable, Usd};
use research_llm::{ChatModel, MAX_ATTEMPTS, ModelError, ModelInfo, ModelKind};
use serde::{Deserialize, Serialize};
use tokio::sync::Notify;
use tokio::time::Instant;

use super::usage::Usage;

pub use limits::{BudgetLimits, BudgetSyntax};

/// The share of tokens, money and time that gathering leaves for the report: one in so many.
const REPORT_SHARE: u32 = 10;
/// Calls that gathering leaves for the report: as many as a structured answer may take, and of a small budget a quarter.
const REPORT_CALLS: u64 = MAX_ATTEMPTS as u64;

/// How long a call that was refused for the reservations of others waits at most before it looks again.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// The budget of one run. Clones are handles on the same budget.
///
/// Calls of the model are charged by the [layer](research_llm::layer::BudgetLayer) around it, calls of tools by
/// [`take_call`](Self::take_call), both to one account, so that nothing counts twice. The budget is used up for gathering
/// while a tenth of it is left: that is for the report.
///
/// ```
/// use research_agents::kernel::{Budget, BudgetLimits};
///
/// let budget = Budget::new("calls=8".parse::<BudgetLimits>()?);
/// while budget.exceeded().is_none() {
///     budget.take_call()?;
/// }
/// assert_eq!(budget.spent().calls, 6);
/// assert_eq!(budget.exceeded().map(|limit| limit.to_string()).as_deref(), Some("the budget of 8 calls is used up"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Budget {
    limits: BudgetLimits,
    account: Account,
    started: Instant,
    exceeded: Arc<OnceLock<Exceeded>>,
    /// The time that an earlier process of the same run has used.
    carried: Arc<OnceLock<Duration>>,
    settled: Arc<Notify>,
}

/// What a budget has left.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BudgetLeft {
    /// Tokens.
    pub tokens: u64,
    /// Calls of models and tools together.
    pub calls: u64,
    /// Seconds.
    pub seconds: u64,
    /// US dollars, when money is limited.
    pub usd: Option<f64>,
}

/// A limit that is reached.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the budget of {limit} is used up")]
#[non_exhaustive]
pub struct Exceeded {
    /// The limit with its unit, such as `200000 tokens`.
    pub limit: String,
}

impl Budget {
    /// A budget that begins now.
    pub fn new(limits: BudgetLimits) -> Self {
        let account = AccountLimits::new().tokens(limits.tokens).calls(limits.calls).cost(limits.money());
        Self {
            limits,
            account: Account::new(account),
            started: Instant::now(),
            exceeded: Arc::default(),
            carried: Arc::default(),
            settled: Arc::default(),
        }
    }

    /// The limits.
    pub fn limits(&self) -> &BudgetLimits {
        &self.limits
    }

    /// The model, each call of it charged to this budget. A program that computes its answers costs nothing and is charged
    /// by the call alone.
    ///
    /// A model whose price nobody knows is refused where the limit on money was set on purpose; else its tokens are limited
    /// and its money is not counted.
    pub fn around(&self, model: Arc<dyn ChatModel>) -> Arc<dyn ChatModel> {
        if model.info().kind == ModelKind::Extractive {
            return model;
        }
        let free = self.limits.usd.is_none() || model.info().kind == ModelKind::Scripted;
        let layer = BudgetLayer::new(self.account.clone());
        let layer = if free { layer.assume(Price::free()) } else { layer };
        Arc::new(layer.layer(model))
    }

    /// Whether the calls of the model are charged by the layer around it.
    pub fn charges(&self, model: &ModelInfo) -> bool {
        model.kind != ModelKind::Extractive
    }

    /// Why the limit on money cannot be kept with this model, if it cannot.
    pub fn problem(limits: &BudgetLimits, model: &ModelInfo) -> Option<String> {
        let unknown = model.is_language_model() && PriceTable::standard().price_of(model).is_none();
        (limits.usd.is_some() && unknown)
            .then(|| format!("limits money, and the price of `{}` is not known; limit its tokens instead", model.id()))
    }

    /// Takes one call out of what is left for gathering. Tasks side by side do not take together what is left for the report.
    ///
    /// # Errors
    ///
    /// [`Exceeded`] when gathering must end.
    pub fn take_call(&self) -> Result<(), Exceeded> {
        if let Some(exceeded) = self.exceeded.get() {
            return Err(exceeded.clone());
        }
        let mut reached = None;
        self.account.spend_if(Spending::new(0, Usd::ZERO, 1), |so_far| {
            reached = self.reached(&so_far.spent);
            reached.is_none()
        });
        reached.map_or(Ok(()), |limit| Err(self.mark(limit)))
    }

    /// Takes one call for the report, whatever gathering has used.
    pub fn take_report_call(&self) {
        self.account.spend(Spending::new(0, Usd::ZERO, 1));
    }

    /// The limit that ends gathering, once one is reached. It stays the same from then on.
    pub fn exceeded(&self) -> Option<Exceeded> {
        if let Some(exceeded) = self.exceeded.get() {
            return Some(exceeded.clone());
        }
        self.reached(&self.spent()).map(|limit| self.mark(limit))
    }

    /// The limit on gathering that this spending has reached.
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

    /// Takes note that the model's layer refused a call, so that gathering ends.
    pub fn refused(&self, error: &ModelError) -> Option<Exceeded> {
        limit_of(error).map(|limit| self.mark(limit.to_owned()))
    }

    fn mark(&self, limit: String) -> Exceeded {
        self.exceeded.get_or_init(|| Exceeded { limit }).clone()
    }

    /// What was spent so far; calls of models and tools together.
    pub fn spent(&self) -> Spending {
        self.account.snapshot().spent
    }

    /// The time that the run has used, in all its processes.
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed() + self.carried.get().copied().unwrap_or_default()
    }

    /// What the model has cost so far: nothing for a program that computes its answers, `None` when nobody knows its price.
    pub fn cost(&self, model: &ModelInfo) -> Option<Usd> {
        let is_known = !model.is_language_model() || PriceTable::standard().price_of(model).is_some();
        is_known.then(|| self.spent().cost)
    }

    /// What is left, the share of the report included.
    pub fn left(&self) -> BudgetLeft {
        let (spent, limits) = (self.spent(), &self.limits);
        BudgetLeft {
            tokens: limits.tokens.saturating_sub(spent.tokens),
            calls: limits.calls.saturating_sub(spent.calls),
            seconds: limits.time.saturating_sub(self.elapsed()).as_secs(),
            usd: limits.usd.map(|all| all.saturating_sub(spent.cost).as_dollars()),
        }
    }

    /// When the time of the whole run is over.
    pub fn deadline(&self) -> Instant {
        self.started + self.limits.time.saturating_sub(self.carried.get().copied().unwrap_or_default())
    }

    /// When the time for gathering is over.
    pub fn gathering_deadline(&self) -> Instant {
        let all = self.limits.time - self.limits.time / REPORT_SHARE;
        self.started + all.saturating_sub(self.carried.get().copied().unwrap_or_default())
    }

    /// The limit on time, as reached.
    pub fn time_is_up(&self) -> Exceeded {
        Exceeded { limit: self.limits.time_in_words() }
    }

    /// Counts once what an earlier process of the same run has used, and the time it took. Its money is estimated from the sum
    /// of its tokens.
    pub fn carry(&self, used: &Usage, time: Duration, model: &ModelInfo) {
        self.carried.get_or_init(|| {
            let tokens = research_llm::Usage::new(used.tokens_in, used.tokens_out);
            let price = PriceTable::standard().price_of(model).filter(|_| model.is_language_model());
            let cost = price.map_or(Usd::ZERO, |price| price.cost(tokens));
            let charged = if self.charges(model) { tokens.total() } else { 0 };
            self.account.spend(Spending::new(charged, cost, used.llm_calls + used.mcp_calls));
            time
        });
    }

    /// Makes a call of the model, and makes it again when it was refused only because other calls had reserved what it
    /// needs: most calls use less than they reserve.
    pub async fn patiently<T, F>(&self, call: impl Fn() -> F) -> Result<T, ModelError>
    where
        F: Future<Output = Result<T, ModelError>>,
    {
        loop {
            let mut settled = pin!(self.settled.notified());
            settled.as_mut().enable();
            let answer = call().await;
            let waits = answer.as_ref().err().is_some_and(|error| limit_of(error).is_some())
                && self.account.snapshot().reserved.calls > 0;
            if !waits {
                self.settled.notify_waiters();
                return answer;
            }
            // A call that was dropped gives back what it had reserved without a word.
            drop(tokio::time::timeout(LOOK_AGAIN, settled).await);
        }
    }
}

/// The limit that an error names when a budget refused the call.
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
