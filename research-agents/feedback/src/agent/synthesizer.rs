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
    let (mut memo, mut delivery) = (state.memo.clone(), state.delivery.clone());
    if !state.is_delivered {
        job.phase("synthesizing");
        delivery = memo.deliver(state.filtered_findings.iter().cloned());
    }

    let config = config_of(&cx.resources, state);
    let update = step(&job, state, &config, config.until(), memo, delivery).await?;
    Ok(cx.done(&job, update.is_delivered(true)))
}

/// Writes the sections that wait for the decision, when research ends.
pub(super) async fn complete_synthesis(
    cx: Cx<FeedbackState, FeedbackKit>,
) -> Result<FeedbackStateUpdate, NodeError> {
    let (job, state) = (cx.job(), &cx.state);
    let config = config_of(&cx.resources, state);
    let (memo, delivery) = (state.memo.clone(), state.delivery.clone());
    let until = SectionKind::Resolution;
    let update = step(&job, state, &config, until, memo, delivery).await?;
    Ok(cx.done(&job, update))
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

/// Takes one step. One that fails ends the pass with what there is.
async fn step(
    job: &Job,
    state: &FeedbackState,
    config: &ScrConfig,
    until: SectionKind,
    mut memo: Scr,
    mut delivery: Delivery,
) -> Result<FeedbackStateUpdate, NodeError> {
    let before = memo.clone();
    let mut error = None;
    if let Some(next) = memo.next_step(until, config) {
        let feedback = state.feedback();
        let steps = Steps::new(job, config).after(feedback.as_ref());
        if let Err(failed) = steps.take(&mut memo, next, &mut delivery).await {
            if failed.is_divergence() {
                return Err(Error::other(failed.to_string()).into());
            }
            job.warn(&Error::other(failed.to_string()));
            error = Some(failed.to_string());
        }
    }
    if memo != before {
        memo.version += 1;
    }

    job.emit(RunEvent::usage(&job.used(), None, None));
    let update = FeedbackState::update().memo(memo).delivery(delivery);
    Ok(match error {
        Some(error) => update.error(error),
        None => update.clear_error(),
    })
}
