//! CLARIFY: asks the user what is meant if the question can be read in several ways, or takes the
//! likeliest reading.

use std::collections::VecDeque;

use research_agents_runtime::ask::UserText;
use research_agents_runtime::error::Error;
use research_agents_runtime::job::Ask;
use research_core::{Cx, NodeError};
use research_llm::ModelKind;
use serde_json::json;

use crate::cx::{DatasetCx, Services};
use crate::data::event::DatasetEventKind;
use crate::data::task::conversation::{Clarified, Conversation};
use crate::data::task::{CLARIFY, ReadQuestion};
use crate::graph::read_question::{fix, interpret};
use crate::prompts;
use crate::question::answer::settle;
use crate::question::clarify::{Ambiguity, ClarifyTask};
use crate::question::doubt::Doubt;
use crate::state::model::{DatasetState, DatasetStateUpdate};

pub(crate) async fn clarify(
    cx: Cx<DatasetState, Services>,
) -> Result<DatasetStateUpdate, NodeError> {
    let cx = DatasetCx::new(cx);
    let state = cx.state();
    let mut doubts = VecDeque::from(state.doubts.clone());
    let mut settled: Vec<Clarified> = Vec::new();
    let mut answers = Vec::new();
    if cx.job().can_ask() {
        for round in 0..cx.config().max_clarifications {
            let Some(doubt) = next(&cx, &mut doubts, &settled).await else {
                break;
            };
            let Some(answer) = cx.job().clarify(&doubt.clarification(), round).await? else {
                doubts.push_front(doubt);
                break;
            };
            settled.push(settle(&doubt, &answer));
            answers.push(answer);
            if settled.last().is_some_and(|settled| settled.assumed) {
                settled.pop();
                doubts.push_front(doubt);
                break;
            }
        }
    }

    settled.extend(doubts.iter().map(Doubt::assumed));
    let read = read_again(state, &settled);
    settled.iter().for_each(|clarified| {
        cx.emit(DatasetEventKind::Clarified {
            clarified: clarified.clone(),
        })
    });
    let update = read
        .into_iter()
        .fold(DatasetState::update(), DatasetStateUpdate::reading);
    let update = update
        .is_unclear(false)
        .doubts(Vec::new())
        .clarifications(settled)
        .answers(answers)
        .notes(doubts.iter().map(Doubt::note).collect::<Vec<_>>());

    Ok(cx.done(update))
}

/// Reads the question again with what was settled.
fn read_again(state: &DatasetState, settled: &[Clarified]) -> Option<ReadQuestion> {
    let mut read = state.reading.clone()?;
    let said = Conversation {
        answers: settled.to_vec(),
        ..state.conversation()
    };
    let name = said.tool().unwrap_or(&read.tool).to_owned();
    let tool = state.tools().find(|tool| tool.name == name)?;
    read.meaning = interpret(&state.question, &said, tool, &read.found);
    fix(&mut read.meaning, &state.overrides);
    read.tool = name;
    Some(read)
}

/// Decides what to ask next. A language model decides and sees what the program takes for
/// ambiguous; if the call fails or the model only computes its answers, the program decides.
async fn next(
    cx: &DatasetCx,
    doubts: &mut VecDeque<Doubt>,
    settled: &[Clarified],
) -> Option<Doubt> {
    if cx.job().stop().is_some() {
        return None;
    }

    if cx.model().kind == ModelKind::Extractive {
        return doubts.pop_front();
    }

    match judge(cx, doubts, settled).await {
        Ok(ambiguity) => {
            doubts.clear();
            Doubt::from_model(&ambiguity)
        }
        Err(error) => {
            cx.warn(&error);
            doubts.pop_front()
        }
    }
}

async fn judge(
    cx: &DatasetCx,
    doubts: &VecDeque<Doubt>,
    settled: &[Clarified],
) -> Result<Ambiguity, Error> {
    let state = cx.state();
    let task = ClarifyTask {
        question: state.question.clone(),
        tools: state.tools().cloned().collect(),
        overrides: state.overrides.clone(),
        conversation: Conversation {
            answers: settled.to_vec(),
            ..state.conversation()
        },
        doubts: doubts.iter().map(|doubt| json!(doubt)).collect(),
    };

    let ask = Ask::shrinking(&prompts::CLARIFY, CLARIFY, &task, |prompt, shrink| {
        let doubts = doubts
            .iter()
            .map(|doubt| format!("- {}", doubt.clarification()));
        prompt
            .set(
                "question",
                UserText::new(task.conversation.in_context(&task.question)),
            )
            .data("tools", &prompts::tools(&task.tools, shrink))
            .data("overrides", &prompts::overrides(&task.overrides))
            .data("conversation", &prompts::conversation(&task.conversation))
            .data("doubts", &prompts::lines(doubts))
    });

    cx.ask(ask).await
}
