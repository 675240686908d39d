//! Writes the memo, one step with each execution: up to the early decision while research
//! continues, and the sections after it when it ends.

use research_agents_runtime::error::Error;
use research_agents_runtime::event::RunEvent;
use research_agents_runtime::job::Job;
use research_agents_runtime::run::NodeJob;
use research_agents_scr::memo::{Scr, SectionKind};
use research_agents_scr::synthesizer::{ScrConfig, Steps};
use research_agents_scr::update::Delivery;
use research_core::{Cx, NodeError};

use crate::agent::kit::FeedbackKit;
use crate::agent::state::{FeedbackState, FeedbackStateUpdate};

/// Takes the new findings with the first step of a pass, and one step each time.
pub(super) async fn synthesizer(
    cx: Cx<FeedbackState, FeedbackKit>,
) -> Result<FeedbackStateUpdate, NodeError> {
    let (job, state) = (cx.job(), &cx.state);
    let config = config_of(&cx.resources, state);
    let mut pass = Pass::new(&job, state, &config, config.until());
    if !state.is_delivered {
        job.phase("synthesizing");
        if pass.memo.version == 0 {
            pass.memo = pass.memo.with_structure(config.structure);
        }
        let findings = state.filtered_findings.iter().cloned();
        pass.delivery = pass.memo.deliver(findings);
    }

    pass.step(false).await?;
    Ok(cx.done(&job, pass.update().is_delivered(true)))
}

/// Writes the sections that wait for the decision, when research ends. What a model fails to write
/// is written by rules, so that no finding is missing in the report.
pub(super) async fn complete_synthesis(
    cx: Cx<FeedbackState, FeedbackKit>,
) -> Result<FeedbackStateUpdate, NodeError> {
    let (job, state) = (cx.job(), &cx.state);
    let config = config_of(&cx.resources, state);
    let mut pass = Pass::new(&job, state, &config, SectionKind::Resolution);
    if state.error.is_none() {
        pass.step(false).await?;
    }
    if state.error.is_some() || pass.error.is_some() {
        pass.step(true).await?;
    }
    Ok(cx.done(&job, pass.update()))
}

/// Returns the settings of the memo, with the tier that the question needs where none is set.
pub(super) fn config_of(kit: &FeedbackKit, state: &FeedbackState) -> ScrConfig {
    let mut config = kit.config.memo;
    let tier = Some(state.complexity_analysis.recommended_model.into());
    let tiers = &mut config.tiers;
    for own in [
        &mut tiers.situation,
        &mut tiers.complication,
        &mut tiers.resolution,
        &mut tiers.reflection,
        &mut tiers.refinement,
    ] {
        *own = own.or(tier);
    }
    config
}

/// A pass over the memo.
struct Pass<'a> {
    job: &'a Job,
    state: &'a FeedbackState,
    config: &'a ScrConfig,
    until: SectionKind,
    memo: Scr,
    delivery: Delivery,
    /// Why the model did not write a section.
    error: Option<String>,
}

impl<'a> Pass<'a> {
    fn new(
        job: &'a Job,
        state: &'a FeedbackState,
        config: &'a ScrConfig,
        until: SectionKind,
    ) -> Self {
        Self {
            job,
            state,
            config,
            until,
            memo: state.memo.clone(),
            delivery: state.delivery.clone(),
            error: None,
        }
    }

    /// Takes one step. One that fails is an error of the pass, and what was written before stays.
    async fn step(&mut self, by_rules: bool) -> Result<(), NodeError> {
        let Some(next) = self.memo.next_step(self.until, self.config) else {
            return Ok(());
        };
        let feedback = self.state.feedback();
        let steps = Steps::new(self.job, self.config).after(feedback.as_ref());
        let steps = if by_rules { steps.by_rules() } else { steps };
        let taken = steps.take(&mut self.memo, next, &mut self.delivery).await;

        if let Err(failed) = taken {
            if failed.is_divergence() {
                return Err(Error::other(failed.to_string()).into());
            }
            self.job.warn(&Error::other(failed.to_string()));
            self.error = Some(failed.to_string());
        }
        Ok(())
    }

    /// Returns what the pass leaves in the state.
    fn update(mut self) -> FeedbackStateUpdate {
        if self.memo != self.state.memo {
            self.memo.version += 1;
        }
        let mut used = self.state.usage;
        used += self.job.used();
        self.job.emit(RunEvent::usage(&used, None, None));

        let update = FeedbackState::update()
            .memo(self.memo)
            .delivery(self.delivery);
        match self.error.or_else(|| self.state.error.clone()) {
            Some(error) => update.error(error),
            None => update,
        }
    }
}
