//! The lead researcher plans each pass: from three approaches on the first one, from what the
//! decision misses later.

use research_agents_fieldwork::queries::QueryLog;
use research_agents_report::text::{Marker, Untrusted};
use research_agents_runtime::ask::{Prompt, PromptError, UserText};
use research_agents_runtime::error::Error;
use research_agents_runtime::job::{Ask, Job};
use research_agents_runtime::run::NodeJob;
use research_agents_scr::synthesizer::History;
use research_core::{Cx, NodeError};
use research_llm::Message;

use crate::agent::kit::FeedbackKit;
use crate::agent::state::{FeedbackState, FeedbackStateUpdate};
use crate::event::FeedbackEvent;
use crate::offline;
use crate::records::{LeadPlan, ResearchTask};
use crate::tasks::{GUIDANCE, LEAD, LEAD_PROMPT, LEAD_SYSTEM, LeadTask};

/// Number of approaches that are compared on the first pass.
const APPROACHES: usize = 3;
/// How often a plan that cannot be used is asked for, in all.
const ATTEMPTS: usize = 3;
/// Maximum number of tasks of a pass.
const MOST_TASKS: usize = 20;
/// Maximum number of characters of the reasons of a decision that a prompt shows.
const REASONS: usize = 300;
/// Maximum number of factors that a prompt names, and of those that tasks are to address.
const FACTORS: usize = 5;
const FOCUS: usize = 3;

/// Plans a pass.
pub(super) async fn lead_researcher(
    cx: Cx<FeedbackState, FeedbackKit>,
) -> Result<FeedbackStateUpdate, NodeError> {
    let (job, state) = (cx.job(), &cx.state);
    let iteration = state.iteration_count;
    job.phase("planning");
    let share = 80 * iteration / state.complexity_analysis.max_iterations.max(1);
    let percent = u8::try_from(5 + share.min(75)).unwrap_or(80);
    job.progress(percent, format!("planning pass {}", iteration + 1));

    let task = task_of(state);
    let keeps = cx.resources.config.memo.history_for(job.kit().model()) == History::Append;
    let planned = planned(&job, state, task, keeps).await?;
    let mut asked = state.asked.clone();
    let tasks = new_tasks(&planned.plan, state, &mut asked);

    let event = FeedbackEvent::Plan {
        iteration: iteration + 1,
        tasks: tasks.clone(),
    };
    job.record_event(&event);
    cx.emit(event);
    let descriptions = tasks.iter().map(|task| task.description.clone());
    let mut update = FeedbackState::update()
        .iteration_count(iteration + 1)
        .scratchpad(&*planned.plan.scratchpad)
        .earlier_tasks([state.earlier_tasks.clone(), descriptions.collect()].concat())
        .subagent_tasks(tasks)
        .asked(asked)
        .is_delivered(false)
        .clear_error()
        .sent_finding_hashes(ids(state))
        .lead_researcher_messages(planned.messages)
        .marker(planned.marker)
        .ended_by(&job);
    if iteration == 0 {
        update = update.research_plan(planned.plan);
    }
    Ok(cx.done(&job, update))
}

fn ids(state: &FeedbackState) -> Vec<String> {
    let findings = state.memo.findings.iter();
    findings.map(|finding| finding.id.clone()).collect()
}

fn task_of(state: &FeedbackState) -> LeadTask {
    let sent = &state.sent_finding_hashes;
    let new = state
        .memo
        .findings
        .iter()
        .filter(|one| !sent.contains(&one.id));
    let is_later = state.iteration_count > 0;
    let factors = state.decision_key_factors.iter();

    LeadTask {
        question: state.input.question.clone(),
        iteration: state.iteration_count,
        workers: state.complexity_analysis.recommended_workers,
        findings: new.map(|finding| finding.text.for_code().clone()).collect(),
        earlier_tasks: state.earlier_tasks.clone(),
        decision_reasoning: state
            .decision_reasoning
            .clone()
            .filter(|_| is_later)
            .unwrap_or_default(),
        decision_key_factors: factors.filter(|_| is_later).cloned().collect(),
        problem: String::new(),
    }
}

/// A plan that can be used, with what the conversation grows by.
struct Planned {
    plan: LeadPlan,
    messages: Vec<Message>,
    marker: String,
}

/// Asks for a plan until it can be used. A run that must stop, and a model that fails, get the plan
/// that code computes.
async fn planned(
    job: &Job,
    state: &FeedbackState,
    mut task: LeadTask,
    keeps: bool,
) -> Result<Planned, Error> {
    let job = if state.marker.is_empty() {
        job.clone()
    } else {
        job.with_marker(Marker::fixed(&state.marker))
    };
    let marker = job.kit().marker().word().to_owned();
    let mut messages = Vec::new();
    let mut warning = None;

    for _ in 0..ATTEMPTS {
        let earlier = state.lead_researcher_messages.iter();
        let before = earlier.chain(&messages).cloned().collect();
        let asking = ask(&job, &task, before, keeps);
        let answered = job.unless_stopped(LEAD, &task.problem, asking).await;
        let (plan, said) = match answered {
            Ok(Ok(reply)) => reply,
            Ok(Err(error)) if matches!(error.root(), Error::Diverged { .. }) => return Err(error),
            Ok(Err(error)) => {
                warning = Some(error);
                break;
            }
            Err(_) => break,
        };

        messages.extend(said);
        match problem(&plan, &task) {
            None => {
                return Ok(Planned {
                    plan,
                    messages,
                    marker,
                });
            }
            Some(problem) => {
                warning = Some(Error::other(format!(
                    "the plan of the model cannot be used, so that tasks were computed: {problem}"
                )));
                task.problem = problem;
            }
        }
    }

    if let Some(warning) = &warning {
        job.warn(warning);
    }
    Ok(Planned {
        plan: offline::lead(&task),
        messages,
        marker,
    })
}

/// Asks once, after what was said before. Returns the plan, and the messages that a history keeps.
async fn ask(
    job: &Job,
    task: &LeadTask,
    before: Vec<Message>,
    keeps: bool,
) -> Result<(LeadPlan, Vec<Message>), Error> {
    let marker = job.kit().marker();
    let system = Prompt::new(&LEAD_SYSTEM, marker).finish()?;
    let mut history = vec![Message::system(system).cached()];
    if keeps {
        history.extend(before);
        if let Some(last) = history.pop() {
            history.push(last.cached());
        }
    }

    let after = guidance(task, marker)?;
    let ask = Ask::new(&LEAD_PROMPT, LEAD, task, |prompt| fill(prompt, task));
    let ask = ask.history(&history).rewrite(|text| text + &after);
    let job = job.without_tools();
    if keeps {
        let reply = job.converse::<LeadPlan>(ask).await?;
        Ok((reply.value, reply.messages))
    } else {
        Ok((job.ask(ask).await?, Vec::new()))
    }
}

fn fill<'p>(prompt: Prompt<'p>, task: &LeadTask) -> Prompt<'p> {
    let what = if task.iteration == 0 {
        "Compare exactly 3 `approaches` to research the question, take one by its \
         `selected_approach_index` (0 to 2) with `selection_reasoning`, and give the `tasks` of \
         the first pass."
    } else {
        "Give the `tasks` of the next pass. Leave `approaches` empty."
    };
    let lines = |lines: &[String]| -> Untrusted<String> {
        let lines: Vec<String> = lines.iter().map(|line| one_line(line)).collect();
        if lines.is_empty() {
            "(none)".to_owned()
        } else {
            lines.join("\n")
        }
        .into()
    };

    prompt
        .set("question", UserText::new(&*task.question))
        .set("what", what)
        .data("findings", &lines(&task.findings))
        .data("tasks", &lines(&task.earlier_tasks))
}

/// Returns what follows the prompt: the reasons of the decision to continue, and why the plan
/// before this one could not be used.
fn guidance(task: &LeadTask, marker: &Marker) -> Result<String, PromptError> {
    let mut text = String::new();
    let factors = |most: usize| -> Untrusted<String> {
        let factors = task.decision_key_factors.iter().take(most);
        let factors: Vec<&str> = factors.map(String::as_str).collect();
        factors.join(", ").into()
    };
    if !task.decision_reasoning.is_empty() || !task.decision_key_factors.is_empty() {
        let reasoning: Untrusted<String> = task.decision_reasoning.clone().into();
        text += &Prompt::new(&GUIDANCE, marker)
            .data_capped("reasoning", &reasoning, REASONS)
            .data("factors", &factors(FACTORS))
            .data("focus", &factors(FOCUS))
            .finish()?;
    }

    if !task.problem.is_empty() {
        text += "\nThe plan before this one could not be used: ";
        text += &task.problem;
        text.push('\n');
    }
    Ok(text)
}

/// Returns why a plan cannot be used.
fn problem(plan: &LeadPlan, task: &LeadTask) -> Option<String> {
    if task.iteration == 0 && plan.approaches.len() != APPROACHES {
        let count = plan.approaches.len();
        return Some(format!(
            "`approaches` has {count} items; it must have {APPROACHES}"
        ));
    }
    if task.iteration == 0 && plan.selected_approach_index >= APPROACHES {
        let index = plan.selected_approach_index;
        return Some(format!(
            "`selected_approach_index` is {index}; it must be 0 to 2"
        ));
    }

    let mut tasks = plan.tasks.iter();
    let has_task = tasks.any(|task| !task.description.trim().is_empty());
    (!has_task).then(|| "`tasks` is empty; it must have at least one task".to_owned())
}

/// Returns the tasks of a plan that were not given before.
fn new_tasks(plan: &LeadPlan, state: &FeedbackState, asked: &mut QueryLog) -> Vec<ResearchTask> {
    let proposed = plan
        .tasks
        .iter()
        .filter(|task| asked.admit(&task.description));

    let first = state.earlier_tasks.len() + 1;
    let tasks = proposed.take(MOST_TASKS).enumerate();
    tasks
        .map(|(at, task)| ResearchTask {
            id: format!("t{}", first + at),
            description: one_line(&task.description),
            rationale: task.rationale.clone(),
            queries: task.queries.iter().take(3).cloned().collect(),
            dependencies: task.dependencies.clone(),
        })
        .collect()
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
