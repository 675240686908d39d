//! The third phase of a step: whether the run stops, and whether its answer holds.

use research_agents_code::answer::Answer;
use research_agents_code::verify::verify as verify_answer;
use research_agents_runtime::error::Error;
use research_agents_runtime::job::Job;
use research_llm::ModelKind;
use serde::{Deserialize, Serialize};

use crate::agent::execute::CancelOnDrop;
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
    // Like an action, the check has a time limit, and work on other threads ends with it.
    let _guard = CancelOnDrop(view.clone());
    let limit = kit.config.action_timeout();
    let unfinished = || Checked::unfinished(&cited, &state.computed);
    let what = (round, &ids);
    let effect = job.outside("verify", &what, || async {
        let lines: Vec<Evidence> = cited.iter().map(|one| (*one).clone()).collect();
        let computed = state.computed.clone();
        let work = tokio::task::spawn_blocking(move || check_again(&view, &lines, &computed));
        match tokio::time::timeout(limit, work).await {
            Ok(checked) => checked.map_err(Error::other),
            Err(_) => Ok(unfinished()),
        }
    });
    let checked = match job.unless_stopped("verify", &what, effect).await {
        Ok(checked) => checked?,
        Err(_) => unfinished(),
    };

    let mut facts = state.facts.clone();
    for fact in &mut facts {
        let mut problems = checked.claims.iter();
        let problem = problems.find(|(answer, sentence, _)| (*answer, *sentence) == fact.origin);
        fact.problem = problem.map(|(.., problem)| problem.clone());
    }
    let mut judged = judge(
        &sentences,
        proposed.confidence,
        &state.run.evidence,
        &facts,
        &checked.lines,
    );
    judged.verification.retries = round;

    // Another try as long as there are steps for it: with the reasons for a language model, from
    // the files as they are now for an answer that code computes.
    let is_computed = kit.kit.model().kind == ModelKind::Extractive;
    let has_failed = judged.verification.status == VerificationStatus::Failed;
    let tries = if is_computed { 1 } else { MAX_RETRIES };
    let may_retry = round < tries && !checked.is_unfinished;
    if is_computed && has_failed && may_retry {
        facts.clear();
    }
    if has_failed && may_retry && state.left() > 0 && job.stop().is_none() {
        judged.verification.retries = round + 1;
        let mut run = state.run.clone();
        run.verification = Some(judged.verification);
        return Ok(update
            .run(run)
            .facts(facts)
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
        .facts(facts)
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

/// What was checked again.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Checked {
    /// The cited lines.
    lines: Vec<Reread>,
    /// Claims that do not hold: the computed answer, its sentence, and why.
    claims: Vec<(usize, usize, String)>,
    /// Whether the check was ended by its time limit or with the run, so that nothing holds.
    #[serde(default)]
    is_unfinished: bool,
}

impl Checked {
    /// Returns the outcome of a check that did not come to its end.
    fn unfinished(cited: &[&Evidence], computed: &[Answer]) -> Self {
        const PROBLEM: &str = "the check was ended by its time limit";

        let lines = cited.iter().map(|evidence| Reread {
            id: evidence.id.clone(),
            problem: Some(PROBLEM.to_owned()),
        });
        let sentences = computed
            .iter()
            .enumerate()
            .flat_map(|(at, answer)| (0..answer.sentences.len()).map(move |number| (at, number)));
        Self {
            lines: lines.collect(),
            claims: sentences
                .map(|(at, number)| (at, number, PROBLEM.to_owned()))
                .collect(),
            is_unfinished: true,
        }
    }
}

/// Reads the lines of evidence again and compares their hashes, and checks the claims of computed
/// answers by code other than the one that computed them.
fn check_again(view: &View, cited: &[Evidence], computed: &[Answer]) -> Checked {
    let mut claims = Vec::new();
    for (at, answer) in computed.iter().enumerate() {
        claims.extend(claims_of(view, at, answer));
    }
    let lines = cited.iter().map(|evidence| Reread {
        id: evidence.id.clone(),
        problem: changed(view, evidence),
    });
    Checked {
        lines: lines.collect(),
        claims,
        is_unfinished: false,
    }
}

/// Returns the sentences of a computed answer that do not hold.
fn claims_of(view: &View, at: usize, answer: &Answer) -> Vec<(usize, usize, String)> {
    let base = match view.base() {
        Ok(base) => base,
        Err(error) => return vec![(at, 0, error.to_string())],
    };
    let verification = match verify_answer(answer, base, view.cancel_flag()) {
        Ok(verification) => verification,
        Err(error) => {
            let all = 0..answer.sentences.len();
            return all
                .map(|sentence| (at, sentence, error.to_string()))
                .collect();
        }
    };

    let problems = verification.problems.into_iter();
    let mut claims: Vec<_> = problems
        .filter_map(|problem| Some((at, problem.sentence?, problem.text)))
        .collect();
    for (number, sentence) in answer.sentences.iter().enumerate() {
        let has_moved = |span: &usize| verification.moved.iter().any(|(moved, _)| moved == span);
        if sentence.spans.iter().any(has_moved) {
            claims.push((at, number, "its lines have moved".to_owned()));
        }
    }
    claims
}

/// Returns why lines are not those of the evidence any more.
fn changed(view: &View, evidence: &Evidence) -> Option<String> {
    let lines = &evidence.lines;
    let range = (lines.start_line, lines.end_line);
    match view.lines(&lines.file_path, range, &lines.reason, lines.provenance) {
        Ok(again) if again.content_sha256 == lines.content_sha256 => None,
        Ok(_) => Some("the lines have changed since they were read".to_owned()),
        Err(SpaceError::Lines { .. }) => Some("the lines no longer exist".to_owned()),
        Err(_) => Some("the file can no longer be read".to_owned()),
    }
}
