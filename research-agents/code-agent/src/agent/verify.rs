//! The third phase of a step: whether the run stops, and whether its answer holds.

use research_agents_runtime::error::Error;
use research_agents_runtime::job::Job;
use research_llm::ModelKind;

use crate::agent::kit::CodeKit;
use crate::agent::state::{CodeState, CodeStateUpdate, Proposed, Verified};
use crate::answer::{Sentence, split};
use crate::check::{Reread, judge};
use crate::run::{Evidence, VerificationStatus};
use crate::space::{SpaceError, View};

/// How often an answer that does not hold is sent back to a language model.
const MAX_RETRIES: u32 = 2;

/// Decides whether the run stops, and verifies an answer.
pub(super) async fn check(
    job: &Job,
    state: &CodeState,
    kit: &CodeKit,
) -> Result<CodeStateUpdate, Error> {
    let update = CodeState::update();
    if let Some(proposed) = state.proposed.as_ref().filter(|one| one.verified.is_none()) {
        return verify(job, state, kit, proposed, update).await;
    }
    if state.left() == 0 && !state.should_stop {
        let reason = format!("the budget of {} steps is used up", state.run.budget_steps);
        return Ok(update.stopped(reason).should_stop(true));
    }
    Ok(update)
}

async fn verify(
    job: &Job,
    state: &CodeState,
    kit: &CodeKit,
    proposed: &Proposed,
    update: CodeStateUpdate,
) -> Result<CodeStateUpdate, Error> {
    let sentences = split(&proposed.answer);
    let cited = cited(state, &sentences);
    let ids: Vec<&str> = cited.iter().map(|evidence| evidence.id.as_str()).collect();
    let view = kit.space.view(&state.input.scope).map_err(Error::other)?;
    let round = state.run.verification.as_ref().map_or(0, |one| one.retries);
    let reread: Vec<Reread> = job
        .outside("verify", &(round, &ids), || async {
            let cited: Vec<Evidence> = cited.iter().map(|one| (*one).clone()).collect();
            let work = tokio::task::spawn_blocking(move || read_again(&view, &cited));
            work.await.map_err(Error::other)
        })
        .await?;

    let mut judged = judge(
        &sentences,
        proposed.confidence,
        &state.run.evidence,
        &state.facts,
        &reread,
    );
    judged.verification.retries = round;

    // A language model gets another try as long as there are steps for it.
    let has_failed = judged.verification.status == VerificationStatus::Failed;
    let may_retry = kit.kit.model().kind != ModelKind::Extractive && round < MAX_RETRIES;
    if has_failed && may_retry && state.left() > 0 && job.stop().is_none() {
        judged.verification.retries = round + 1;
        let mut run = state.run.clone();
        run.verification = Some(judged.verification);
        return Ok(update
            .run(run)
            .feedback(judged.problems)
            .clear_proposed()
            .should_stop(false));
    }

    let kept = judged.kept.into_iter();
    let kept = kept.map(|one| (one.lead, one.text, one.cited, one.ends_line));
    let verified = Verified {
        kept: kept.collect(),
        verification: judged.verification,
    };
    Ok(update
        .proposed(Proposed {
            verified: Some(verified),
            ..proposed.clone()
        })
        .should_stop(true))
}

fn cited<'s>(state: &'s CodeState, sentences: &[Sentence]) -> Vec<&'s Evidence> {
    let is_cited = |evidence: &&Evidence| {
        let mut all = sentences.iter().flat_map(|sentence| &sentence.cited);
        all.any(|id| *id == evidence.id)
    };
    state.run.evidence.iter().filter(is_cited).collect()
}

/// Reads the lines of evidence again and compares their hashes.
fn read_again(view: &View, cited: &[Evidence]) -> Vec<Reread> {
    let problem = |evidence: &Evidence| -> Option<String> {
        let lines = &evidence.lines;
        let range = (lines.start_line, lines.end_line);
        match view.lines(&lines.file_path, range, &lines.reason, lines.provenance) {
            Ok(again) if again.content_sha256 == lines.content_sha256 => None,
            Ok(_) => Some("the lines have changed since they were read".to_owned()),
            Err(SpaceError::Lines { .. }) => Some("the lines no longer exist".to_owned()),
            Err(_) => Some("the file can no longer be read".to_owned()),
        }
    };
    let again = cited.iter().map(|evidence| Reread {
        id: evidence.id.clone(),
        problem: problem(evidence),
    });
    again.collect()
}
