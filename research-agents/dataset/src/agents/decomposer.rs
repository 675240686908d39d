//! The decomposer: breaks the question into three to seven atomic sub-questions. It calls no tool.

use std::collections::{HashMap, HashSet};

use research_agents_runtime::ask::UserText;
use research_agents_runtime::error::Error;
use research_agents_runtime::job::{Ask, Incomplete};
use research_agents_runtime::tools::registry::{Card, InvalidInput, SubAgent};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::cx::DatasetCx;
use crate::data::config::{MAX_QUESTIONS, MIN_QUESTIONS};
use crate::data::event::Phase;
use crate::data::names::DECOMPOSER;
use crate::data::record::SubQuestion;
use crate::data::task::{DECOMPOSE, DecomposeTask, DecomposerOutput};
use crate::prompts;

/// The sub-agent that breaks the question into sub-questions.
#[derive(Clone, Copy, Debug, Default)]
pub struct Decomposer;

/// What the decomposer takes.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct DecomposerInput {
    /// The question.
    pub query: String,
    /// Most sub-questions, 3 to 7.
    #[serde(default = "seven")]
    pub max_questions: usize,
}

fn seven() -> usize {
    MAX_QUESTIONS
}

impl SubAgent<DatasetCx> for Decomposer {
    type Input = DecomposerInput;
    type Output = DecomposerOutput;

    fn card(&self) -> Card {
        Card::new(
            DECOMPOSER,
            "Breaks the question into 3 to 7 atomic sub-questions: the checklist of the research.",
        )
        .use_when("in iteration 1, together with the first data call")
        .speed("one model call")
        .cost("low")
    }

    fn validate(&self, input: &DecomposerInput) -> Result<(), InvalidInput> {
        if input.max_questions < MIN_QUESTIONS {
            return Err(InvalidInput::new(
                "max_questions",
                format!("must be at least {MIN_QUESTIONS}"),
            ));
        }
        Ok(())
    }

    async fn run(&self, cx: &DatasetCx, input: DecomposerInput) -> Result<DecomposerOutput, Error> {
        cx.phase(Phase::Decomposing);
        let state = cx.state();
        let task = DecomposeTask {
            max_questions: input.max_questions.min(cx.config().max_questions),
            query: input.query,
            tools: state.tools().cloned().collect(),
            overrides: state.overrides.clone(),
            conversation: state.conversation(),
        };
        let mut output = ask(cx, &task, None).await?;

        // What was paid for stays, unless the second answer brings more.
        if output.sub_questions.len() < MIN_QUESTIONS {
            let short = Incomplete {
                answer: prompts::questions(&output.sub_questions),
                usable: output.sub_questions.len(),
                wanted: MIN_QUESTIONS,
            };
            match ask(cx, &task, Some(&short)).await {
                Ok(again) if again.sub_questions.len() > output.sub_questions.len() => {
                    output = again
                }
                Err(error) if !cx.is_cancelled() => cx.warn(&error),
                _ => {}
            }
        }

        let count = output.sub_questions.len();
        if count < MIN_QUESTIONS {
            cx.warn(&Error::other(format!(
                "the decomposer gave {count} sub-questions, fewer than {MIN_QUESTIONS}"
            )));
        }

        Ok(output)
    }
}

/// Returns the questions of one answer, as far as they can be used.
async fn ask(
    cx: &DatasetCx,
    task: &DecomposeTask,
    short: Option<&Incomplete>,
) -> Result<DecomposerOutput, Error> {
    let ask = Ask::shrinking(&prompts::DECOMPOSER, DECOMPOSE, task, |prompt, shrink| {
        prompt
            .set(
                "question",
                UserText::new(task.conversation.in_context(&task.query)),
            )
            .data("conversation", &prompts::conversation(&task.conversation))
            .data("tools", &prompts::tools(&task.tools, shrink))
            .data("overrides", &prompts::overrides(&task.overrides))
            .set("min_questions", MIN_QUESTIONS)
            .set("max_questions", task.max_questions)
    });

    let answer: DecomposerOutput = cx.ask(ask.after(short)).await?;

    Ok(DecomposerOutput {
        sub_questions: tidy(answer.sub_questions, task.max_questions),
        ..answer
    })
}

/// Returns at most `most` questions that are not blank, with unique ids and with dependencies that
/// exist and are free of cycles.
fn tidy(questions: Vec<SubQuestion>, most: usize) -> Vec<SubQuestion> {
    let mut kept: Vec<SubQuestion> = questions
        .into_iter()
        .filter(|q| !q.question.trim().is_empty())
        .take(most)
        .collect();

    // Ids are unique: a blank or repeated one is replaced by the next free number.
    let mut ids = HashSet::new();
    for at in 0..kept.len() {
        if kept[at].id.trim().is_empty() || ids.contains(&kept[at].id) {
            let free = (at + 1..)
                .map(|n| format!("sq_{n}"))
                .find(|id| kept.iter().all(|q| q.id != *id));
            kept[at].id = free.unwrap_or_default();
        }
        ids.insert(kept[at].id.clone());
    }

    // What each question depends on, directly or not, so that no dependency closes a circle.
    let mut reached: HashMap<String, HashSet<String>> = HashMap::new();
    for question in &mut kept {
        let own = question.id.clone();
        let circular = |on: &String, reached: &HashMap<String, HashSet<String>>| {
            *on == own
                || reached
                    .get(on)
                    .is_some_and(|further| further.contains(&own))
        };
        question
            .depends_on
            .retain(|on| ids.contains(on) && !circular(on, &reached));

        let further: HashSet<String> = question
            .depends_on
            .iter()
            .flat_map(|on| {
                reached
                    .get(on)
                    .into_iter()
                    .flatten()
                    .cloned()
                    .chain([on.clone()])
            })
            .collect();
        for known in reached.values_mut().filter(|known| known.contains(&own)) {
            known.extend(further.iter().cloned());
        }
        reached.insert(own, further);
    }

    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(id: &str, on: &[&str]) -> SubQuestion {
        SubQuestion {
            id: id.into(),
            question: format!("What of {id}?"),
            priority: 1,
            depends_on: on.iter().map(|id| (*id).to_owned()).collect(),
        }
    }

    #[test]
    fn too_many_are_cut_and_ids_become_unique() {
        let asked = (0..9).map(|_| question("sq_1", &[])).collect();
        let ids: Vec<String> = tidy(asked, 7).into_iter().map(|q| q.id).collect();
        assert_eq!(
            ids,
            ["sq_1", "sq_2", "sq_3", "sq_4", "sq_5", "sq_6", "sq_7"]
        );
    }

    #[test]
    fn unknown_and_circular_dependencies_are_dropped() {
        let asked = vec![
            question("a", &["b", "x"]),
            question("b", &["c"]),
            question("c", &["a", "c"]),
        ];
        let on: Vec<Vec<String>> = tidy(asked, 7).into_iter().map(|q| q.depends_on).collect();
        assert_eq!(on, [vec!["b".to_owned()], vec!["c".to_owned()], vec![]]);
    }

    #[test]
    fn blank_questions_are_dropped() {
        let blank = SubQuestion {
            question: " ".into(),
            ..question("a", &[])
        };
        assert_eq!(tidy(vec![blank, question("b", &[])], 7).len(), 1);
    }
}
