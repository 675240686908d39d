//! Plans the research, and lets the user approve the plan.

use research_agents_runtime::ask::UserText;
use research_agents_runtime::clarify::Clarification;
use research_agents_runtime::job::Job;
use research_agents_runtime::run::NodeJob;
use research_core::{Cx, NodeError};

use crate::agent::kit::{Asked, StudioKit};
use crate::agent::state::{StudioState, StudioStateUpdate};
use crate::event::StudioEvent;
use crate::offline;
use crate::records::{QueryAnalysis, ResearchPlan, ResearchQuestion};
use crate::tasks::{PLAN, PLAN_PROMPT, PlanTask, scouted};

/// Words that approve a plan as it is.
const APPROVED: [&str; 6] = ["", "1", "ok", "yes", "y", "approve"];

/// Plans with the full context of the question.
pub(super) async fn planner(
    cx: Cx<StudioState, StudioKit>,
) -> Result<StudioStateUpdate, NodeError> {
    let (job, state) = (cx.job(), &cx.state);
    job.phase("planning");
    job.progress(8, "planning");

    let most = cx.resources.config.max_questions;
    let task = PlanTask {
        question: state.full_question().to_owned(),
        analysis: state.query_analysis.clone(),
        hits: state.hits.clone(),
        max_questions: wanted(&state.query_analysis, state.full_question(), most),
    };
    let asked = Asked::new(&PLAN_PROMPT, PLAN, &task)
        .set("question", UserText::new(&*task.question))
        .set("max_questions", task.max_questions)
        .data("found", &(&task.analysis, scouted(&task.hits)));
    let plan = asked.required(&job, offline::plan).await?;
    let mut plan = settled(plan, &task.question, most);

    let mut update = StudioState::update();
    if cx.resources.config.approve_plan && job.can_ask() {
        let round = u32::try_from(state.replies.len()).unwrap_or(u32::MAX);
        let reply = approval(&job, &plan, round).await?;
        if let Some(reply) = &reply {
            plan = edited(plan, reply, most);
        }
        update = update.replies(Vec::from_iter(reply));
    }

    let event = StudioEvent::from(&plan);
    job.record_event(&event);
    cx.emit(event);
    Ok(cx.done(&job, update.research_plan(plan)))
}

/// Returns how many research questions to ask for: a simple question needs one for each question
/// that the user asks.
fn wanted(analysis: &QueryAnalysis, question: &str, most: usize) -> usize {
    if analysis.complexity == QueryAnalysis::SIMPLE {
        offline::questions_in(question).len().min(most)
    } else {
        most
    }
}

/// Returns a plan in which every question has an id and a section of the outline. A plan without a
/// question researches the question of the user.
fn settled(mut plan: ResearchPlan, question: &str, most: usize) -> ResearchPlan {
    plan.research_questions
        .retain(|one| !one.question.trim().is_empty());
    if plan.research_questions.is_empty() {
        plan.research_questions.push(ResearchQuestion {
            question: question.to_owned(),
            priority: 1.0,
            ..ResearchQuestion::default()
        });
    }
    plan.research_questions.truncate(most);

    let fallback = plan.outline.first().cloned();
    let fallback = fallback.unwrap_or_else(|| offline::ANSWER.to_owned());
    for (at, one) in plan.research_questions.iter_mut().enumerate() {
        one.id = format!("q{}", at + 1);
        if one.section.trim().is_empty() {
            one.section.clone_from(&fallback);
        }
        if !plan.outline.contains(&one.section) {
            plan.outline.push(one.section.clone());
        }
    }
    plan
}

/// Asks the user to approve or edit a plan.
async fn approval(job: &Job, plan: &ResearchPlan, round: u32) -> Result<Option<String>, NodeError> {
    let questions = plan.research_questions.iter();
    let questions: Vec<String> = questions
        .map(|one| format!("{}. {}", one.id, one.question))
        .collect();
    let question = format!(
        "Research these questions? {} — answer ok, or with the questions to research instead, \
         separated by semicolons.",
        questions.join(" ")
    );
    let asked = Clarification {
        question,
        options: vec!["ok".to_owned()],
        default: Some("ok".to_owned()),
    };
    job.clarify(&asked, round).await
}

/// Returns the plan as the user wants it: as it is, or with the questions of the reply, one
/// a line or separated by semicolons.
/// A question that the plan has keeps its queries and its section.
fn edited(mut plan: ResearchPlan, reply: &str, most: usize) -> ResearchPlan {
    if APPROVED.contains(&reply.trim().to_lowercase().as_str()) {
        return plan;
    }
    let lines = reply.split(['\n', ';']);
    let lines = lines.map(str::trim).filter(|line| !line.is_empty());
    let known = std::mem::take(&mut plan.research_questions);
    plan.research_questions = lines
        .map(|line| {
            let planned = known.iter().find(|one| one.question == line);
            planned.cloned().unwrap_or_else(|| ResearchQuestion {
                question: line.to_owned(),
                priority: 1.0,
                ..ResearchQuestion::default()
            })
        })
        .collect();

    let topic = plan.topic.clone();
    let mut plan = settled(plan, &topic, most);
    let used = |section: &String| {
        let mut questions = plan.research_questions.iter();
        questions.any(|one| one.section == *section)
    };
    plan.outline = plan
        .outline
        .iter()
        .filter(|one| used(one))
        .cloned()
        .collect();
    plan
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan() -> ResearchPlan {
        let question = |question: &str, section: &str| ResearchQuestion {
            question: question.to_owned(),
            section: section.to_owned(),
            queries: vec!["query".to_owned()],
            ..ResearchQuestion::default()
        };
        ResearchPlan {
            outline: vec!["Size".to_owned(), "Age".to_owned()],
            research_questions: vec![question("How large?", "Size"), question("How old?", "Age")],
            ..ResearchPlan::default()
        }
    }

    #[test]
    fn the_user_edits_a_plan_by_its_questions() {
        let plan = settled(plan(), "?", 8);
        assert_eq!(edited(plan.clone(), " OK ", 8), plan);

        let edited = edited(plan, "How old?; Who built it?", 8);
        let ids: Vec<&str> = edited
            .research_questions
            .iter()
            .map(|one| one.id.as_str())
            .collect();
        assert_eq!(ids, ["q1", "q2"]);
        assert_eq!(edited.research_questions[0].section, "Age");
        assert!(!edited.research_questions[0].queries.is_empty());
        assert_eq!(edited.research_questions[1].question, "Who built it?");
    }

    #[test]
    fn a_simple_question_is_not_split() {
        let simple = QueryAnalysis {
            complexity: QueryAnalysis::SIMPLE.to_owned(),
            ..QueryAnalysis::default()
        };
        assert_eq!(wanted(&simple, "How large is it?", 8), 1);
        assert_eq!(wanted(&simple, "How large is it? How old is it?", 8), 2);
        assert_eq!(wanted(&QueryAnalysis::default(), "How large is it?", 8), 8);
    }

    #[test]
    fn a_plan_without_a_question_researches_the_question_of_the_user() {
        let plan = settled(ResearchPlan::default(), "How large?", 8);
        assert_eq!(plan.research_questions[0].question, "How large?");
        assert_eq!(plan.outline, ["Answer"]);
    }
}
