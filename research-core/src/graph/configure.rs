//! Setting the defaults of a graph's runs.

use std::sync::Arc;
use std::time::Duration;

use super::compiled::CompiledGraph;
use super::defaults::{Breakpoints, Defaults};
use crate::checkpoint::Durability;
use crate::clock::{Clock, IdSource, Random};
use crate::end::FailurePolicy;
use crate::journal::IfIdle;
use crate::state::State;

/// # Defaults of its runs
///
/// Each of them holds for runs of this graph that do not say otherwise. As a subgraph the graph takes over what its parent's run
/// has, but for the step limit and the breakpoints, which are its own.
impl<S: State, R> CompiledGraph<S, R> {
    /// Sets the clock of runs, updates and forks. Defaults to [`SystemClock`](crate::SystemClock). See [`Run::clock`](crate::Run::clock).
    #[must_use]
    pub fn with_clock(mut self, clock: impl Clock) -> Self {
        self.defaults_mut().clock = Arc::new(clock);
        self
    }

    /// Sets what names runs, updates and forks. Defaults to [`RandomIds`](crate::RandomIds). See [`Run::ids`](crate::Run::ids).
    #[must_use]
    pub fn with_ids(mut self, ids: impl IdSource) -> Self {
        self.defaults_mut().ids = Arc::new(ids);
        self
    }

    /// Sets what spreads retries over time. Defaults to [`SystemRandom`](crate::SystemRandom). See [`Run::random`](crate::Run::random).
    #[must_use]
    pub fn with_random(mut self, random: impl Random) -> Self {
        self.defaults_mut().random = Arc::new(random);
        self
    }

    /// Sets when checkpoints are written. Defaults to [`Durability::Sync`]. See [`Run::durability`](crate::Run::durability).
    #[must_use]
    pub fn with_durability(mut self, durability: Durability) -> Self {
        self.defaults_mut().durability = durability;
        self
    }

    /// Sets the number of steps after which a run that has not ended fails. Defaults to 1,000. See
    /// [`Run::step_limit`](crate::Run::step_limit).
    #[must_use]
    pub fn with_step_limit(mut self, limit: u64) -> Self {
        self.defaults_mut().step_limit = limit;
        self
    }

    /// Sets how many tasks of a run are in flight at once. Defaults to 1,024. See
    /// [`Run::max_concurrency`](crate::Run::max_concurrency).
    #[must_use]
    pub fn with_max_concurrency(mut self, tasks: usize) -> Self {
        self.defaults_mut().max_concurrency = tasks.max(1);
        self
    }

    /// Sets what becomes of the siblings of a task that fails. Defaults to [`FailurePolicy::LetSiblingsFinish`]. See
    /// [`Run::on_failure`](crate::Run::on_failure).
    #[must_use]
    pub fn with_failure_policy(mut self, policy: FailurePolicy) -> Self {
        self.defaults_mut().policy = policy;
        self
    }

    /// Sets the longest time for a run. Defaults to no limit. See [`Run::timeout`](crate::Run::timeout).
    #[must_use]
    pub fn with_timeout(mut self, limit: Duration) -> Self {
        self.defaults_mut().run_limit = Some(limit);
        self
    }

    /// Sets the longest time for each step. Defaults to no limit. See [`Run::step_timeout`](crate::Run::step_timeout).
    #[must_use]
    pub fn with_step_timeout(mut self, limit: Duration) -> Self {
        self.defaults_mut().step_time = Some(limit);
        self
    }

    /// Sets what a run does when another run works on its thread. Defaults to taking the thread over. Runs without a thread
    /// have no use for it. See [`Run::if_idle`](crate::Run::if_idle).
    #[must_use]
    pub fn with_if_idle(mut self, if_idle: IfIdle) -> Self {
        self.defaults_mut().if_idle = Some(if_idle);
        self
    }

    /// Sets the nodes before which runs pause. Defaults to none. A run that names [its own](crate::Run::interrupt_before) pauses
    /// before those instead. As a subgraph the graph pauses before its own and those that the run names by path; the run then
    /// ends as [`End::Paused`](crate::End::Paused) with the paths of the nodes.
    #[must_use]
    pub fn with_interrupt_before(mut self, nodes: impl Into<Breakpoints>) -> Self {
        self.defaults_mut().before = Some(nodes.into());
        self
    }

    /// Sets the nodes after which runs pause. Defaults to none. See
    /// [`with_interrupt_before`](CompiledGraph::with_interrupt_before).
    #[must_use]
    pub fn with_interrupt_after(mut self, nodes: impl Into<Breakpoints>) -> Self {
        self.defaults_mut().after = Some(nodes.into());
        self
    }

    fn defaults_mut(&mut self) -> &mut Defaults {
        Arc::make_mut(&mut self.defaults)
    }
}
