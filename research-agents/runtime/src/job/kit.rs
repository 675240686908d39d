//! What all jobs of a run share: model, tools, limits, and the ways to stop and steer it.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use research_agents_report::text::Marker;
use research_llm::price::Usd;
use research_llm::redact::Redacted;
use research_llm::{ChatModel, ModelInfo, ModelKind, Tier};
use research_mcp::ToolSource;
use serde::{Deserialize, Serialize};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::ask::window::ContextWindow;
use crate::bundle::expected::Expected;
use crate::clarify::policy::{Asking, ClarificationPolicy};
use crate::job::kit::absent::NoModel;
use crate::job::kit::redacted::RedactedTools;
use crate::job::source::{AskingSource, Silent};
use crate::limits::budget::Budget;
use crate::limits::budget_limits::BudgetLimits;
use crate::limits::policy::Policy;
use crate::limits::retry::RetryPolicy;
use crate::limits::usage::Usage;

pub(crate) mod absent;
pub(crate) mod redacted;

/// Limits and policies of a run.
///
/// ```
/// use research_agents_runtime::job::Settings;
/// use research_agents_runtime::limits::Policy;
///
/// let settings = Settings::new(Policy::new().role("reader", ["read_*"]));
///
/// assert_eq!(settings.retry.retries, 2);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Settings {
    /// What the run may use.
    pub budget: BudgetLimits,
    /// What the run may touch.
    pub policy: Policy,
    /// How calls are retried.
    pub retry: RetryPolicy,
    /// Maximum number of calls in flight. Defaults to 5.
    pub parallel_calls: usize,
    /// What is done about an ambiguous request.
    pub clarification: ClarificationPolicy,
    /// Maximum number of questions to the user. Defaults to 1.
    pub max_clarifications: u32,
}

impl Settings {
    /// Creates settings with this policy and the defaults for everything else.
    pub fn new(policy: Policy) -> Self {
        Self {
            budget: BudgetLimits::default(),
            policy,
            retry: RetryPolicy::default(),
            parallel_calls: 5,
            clarification: ClarificationPolicy::default(),
            max_clarifications: 1,
        }
    }

    /// Sets what the run may use.
    #[must_use]
    pub fn budget(mut self, budget: BudgetLimits) -> Self {
        self.budget = budget;
        self
    }

    /// Sets how calls are retried.
    #[must_use]
    pub fn retry(mut self, retry: RetryPolicy) -> Self {
        self.retry = retry;
        self
    }

    /// Sets the maximum number of calls in flight.
    #[must_use]
    pub fn parallel_calls(mut self, calls: usize) -> Self {
        self.parallel_calls = calls;
        self
    }

    /// Sets what is done about an ambiguous request, and how many questions the user may be asked.
    #[must_use]
    pub fn clarification(mut self, policy: ClarificationPolicy, most: u32) -> Self {
        self.clarification = policy;
        self.max_clarifications = most;
        self
    }
}

/// Messages from the user to a run under way. Clones share the messages.
#[derive(Clone, Debug, Default)]
pub struct Steering(Arc<Mutex<VecDeque<String>>>);

impl Steering {
    /// Sends a message, which the run reads at the next point where it looks.
    pub fn send(&self, text: impl Into<String>) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push_back(text.into());
    }

    /// Takes all messages that wait.
    pub(crate) fn take(&self) -> Vec<String> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .drain(..)
            .collect()
    }
}

/// Model, tools, budget and policy of a run. Clones belong to the same run.
#[derive(Clone)]
pub struct Kit {
    pub(crate) model: Arc<dyn ChatModel>,
    pub(crate) tools: Arc<dyn AskingSource>,
    pub(crate) settings: Arc<Settings>,
    pub(crate) budget: Budget,
    pub(crate) cancel: CancellationToken,
    pub(crate) marker: Marker,
    pub(crate) expected: Option<Arc<Expected>>,
    pub(crate) asking: Asking,
    pub(crate) steering: Steering,
    pub(crate) slots: Arc<Semaphore>,
    pub(crate) percent: Arc<Mutex<u8>>,
    windows: Arc<Mutex<HashMap<Option<Tier>, ContextWindow>>>,
}

impl Kit {
    /// Creates the kit of one run. The budget starts now.
    pub fn new(model: Arc<dyn ChatModel>, tools: Arc<dyn ToolSource>, settings: Settings) -> Self {
        Self::with_asking_tools(model, Arc::new(Silent(tools)), settings)
    }

    /// Creates the kit of one run whose tools may ask the user. The budget starts now.
    pub fn with_asking_tools(
        model: Arc<dyn ChatModel>,
        tools: Arc<dyn AskingSource>,
        settings: Settings,
    ) -> Self {
        let budget = Budget::new(settings.budget);
        let windows = HashMap::from([(None, ContextWindow::new(model.info()))]);

        Self {
            // What servers answer enters the run here, without the keys that the process knows.
            model: budget.around(Arc::new(Redacted::new(model))),
            budget,
            tools: Arc::new(RedactedTools(tools)),
            slots: Arc::new(Semaphore::new(settings.parallel_calls.max(1))),
            settings: Arc::new(settings),
            cancel: CancellationToken::new(),
            marker: Marker::random(),
            expected: None,
            asking: Asking::default(),
            steering: Steering::default(),
            percent: Arc::default(),
            windows: Arc::new(Mutex::new(windows)),
        }
    }

    /// Creates a kit of tools alone. Every call of its model fails.
    pub(crate) fn for_tools(tools: Arc<dyn AskingSource>, settings: Settings) -> Self {
        let info = ModelInfo::new("none", "none", ModelKind::Scripted);
        let model = NoModel::new(info, "there is no model, only tools");
        Self::with_asking_tools(Arc::new(model), tools, settings)
    }

    /// Sets the token that stops gathering when it is cancelled: the run then reports what it has.
    #[must_use]
    pub fn with_cancel(mut self, cancel: CancellationToken) -> Self {
        self.cancel = cancel;
        self
    }

    /// Sets the marker of untrusted text in prompts.
    #[must_use]
    pub fn with_marker(mut self, marker: Marker) -> Self {
        self.marker = marker;
        self
    }

    /// Sets who answers questions.
    #[must_use]
    pub fn with_asking(mut self, asking: Asking) -> Self {
        self.asking = asking;
        self
    }

    /// Sets the inbox of the user's messages.
    #[must_use]
    pub fn with_steering(mut self, steering: Steering) -> Self {
        self.steering = steering;
        self
    }

    /// Sets what is known about the model of a tier, for models that route by tier.
    #[must_use]
    pub fn with_tier(self, tier: Tier, info: &ModelInfo) -> Self {
        self.windows
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(Some(tier), ContextWindow::new(info));
        self
    }

    /// Takes every answer from a recording instead of the outside world.
    #[must_use]
    pub fn replaying(mut self, expected: Arc<Expected>) -> Self {
        self.marker = expected.marker();
        self.expected = Some(expected);
        self
    }

    /// Counts what an interrupted run has used in earlier processes.
    pub fn carry(&self, used: &Usage, active: Duration) {
        self.budget.carry(used, active, self.model.info());
    }

    /// Returns what is known about the model.
    pub fn model(&self) -> &ModelInfo {
        self.model.info()
    }

    /// Returns the limits and policies.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Returns the budget.
    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    /// Returns the marker of untrusted text in prompts.
    pub fn marker(&self) -> &Marker {
        &self.marker
    }

    /// Returns what a replay follows, if this run is one.
    pub fn expected(&self) -> Option<&Expected> {
        self.expected.as_deref()
    }

    /// Returns the cost of the model so far in US dollars, if its price is known.
    pub fn cost(&self) -> Option<f64> {
        self.budget.cost(self.model.info()).map(Usd::as_dollars)
    }

    /// Returns `true` if the user can be asked; in a replay, if the recorded run could ask.
    pub fn can_ask(&self, has_thread: bool) -> bool {
        let Settings {
            clarification,
            max_clarifications,
            ..
        } = *self.settings;
        match &self.expected {
            Some(expected) => expected.could_ask(),
            None => self
                .asking
                .can_ask(clarification, max_clarifications, has_thread),
        }
    }

    /// Returns how much the model of a tier can hold, as far as it is known by now.
    pub fn window(&self, tier: Option<Tier>) -> ContextWindow {
        let mut windows = self.windows.lock().unwrap_or_else(PoisonError::into_inner);
        windows
            .entry(tier)
            .or_insert_with(|| ContextWindow::new(self.model.info()))
            .clone()
    }

    /// Returns how much the model can hold by its own account.
    pub(crate) fn stated_window(&self, tier: Option<Tier>) -> ContextWindow {
        self.window(tier).as_stated()
    }
}

impl AsRef<Kit> for Kit {
    fn as_ref(&self) -> &Kit {
        self
    }
}

impl fmt::Debug for Kit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Kit")
            .field("model", &self.model.info().id())
            .field("settings", &self.settings)
            .field("is_replay", &self.expected.is_some())
            .finish_non_exhaustive()
    }
}
