//! CLARIFY: asks the user what is meant where the question can be read in several ways, or takes the likeliest reading.

use std::collections::VecDeque;

use research_core::{Cx, NodeError};
use research_llm::ModelKind;
use serde_json::json;

use crate::Error;
use crate::dataset::clarify::{Ambiguity, ClarifyTask, Doubt, interrupt, settle};
use crate::dataset::effects::Undone;
use crate::dataset::event::DatasetEventKind;
use crate::dataset::prompts;
use crate::dataset::services::{Ask, DatasetCx, Services};
use crate::dataset::state::{DatasetState, DatasetStateUpdate};
use crate::dataset::task::{CLARIFY, Clarified, Conversation};
use crate::kernel::UserText;

/// Name of the record of an answer that was given in this process.
const ANSWER: &str = "clarification";

pub(in crate::dataset) async fn clarify(cx: Cx<DatasetState, Services>) -> Result<DatasetStateUpdate, NodeError> {
    let (engine, cx) = (cx.clone(), DatasetCx::new(cx));
    let state = cx.state();
    let mut doubts = VecDeque::from(state.doubts.clone());
    let mut settled: Vec<Clarified> = Vec::new();
    let mut answers = Vec::new();
    if cx.services().can_ask(engine.thread().is_some()) {
        for round in 0..cx.config().max_clarifications {
            let Some(doubt) = next(&cx, &mut doubts, &settled).await else { break };
            let Some(answer) = ask(&engine, &cx, &doubt, round).await? else {
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
    settled.iter().for_each(|clarified| cx.emit(DatasetEventKind::Clarified { clarified: clarified.clone() }));
    let update = DatasetState::update()
        .is_unclear(false)
        .doubts(Vec::new())
        .clarifications(settled)
        .answers(answers)
        .notes(doubts.iter().map(Doubt::note).collect::<Vec<_>>())
        .usage(cx.used());
    Ok(cx.kept(update))
}

/// What to ask next. A language model decides, and knows what the program takes for ambiguous; where it fails or is none, the
/// program decides.
async fn next(cx: &DatasetCx, doubts: &mut VecDeque<Doubt>, settled: &[Clarified]) -> Option<Doubt> {
    if cx.stop().is_some() {
        return None;
    }
    if cx.services().model.info().kind == ModelKind::Extractive {
        return doubts.pop_front();
    }
    match judge(cx, doubts, settled).await {
        Ok(ambiguity) => {
            doubts.clear();
            Doubt::of_model(&ambiguity)
        }
        Err(error) => {
            cx.warn(&error);
            doubts.pop_front()
        }
    }
}

async fn judge(cx: &DatasetCx, doubts: &VecDeque<Doubt>, settled: &[Clarified]) -> Result<Ambiguity, Error> {
    let state = cx.state();
    let task = ClarifyTask {
        question: state.question.clone(),
        tools: state.tools().cloned().collect(),
        overrides: state.overrides.clone(),
        conversation: Conversation { answers: settled.to_vec(), ..state.conversation() },
        doubts: doubts.iter().map(|doubt| json!(doubt)).collect(),
    };
    let ask = Ask::shrinking(&prompts::CLARIFY, CLARIFY, &task, |prompt, shrink| {
        let doubts = doubts.iter().map(|doubt| format!("- {}", doubt.clarification()));
        prompt
            .set("question", UserText::new(task.conversation.in_context(&task.question)))
            .data("tools", &prompts::tools(&task.tools, shrink))
            .data("overrides", &prompts::overrides(&task.overrides))
            .data("conversation", &prompts::conversation(&task.conversation))
            .data("doubts", &prompts::lines(doubts))
    });
    cx.ask(ask).await
}

/// The user's answer: of whoever asks in this process, else of the thread, whose run ends until it comes.
async fn ask(
    engine: &Cx<DatasetState, Services>,
    cx: &DatasetCx,
    doubt: &Doubt,
    round: u32,
) -> Result<Option<String>, NodeError> {
    if let Some(expected) = &cx.services().replays {
        return Ok(expected.answer(round));
    }
    let clarification = doubt.clarification();
    let Some(clarifier) = &cx.services().asking.clarifier else {
        return engine.interrupt(interrupt(&clarification, format!("{ANSWER}/{round}"))).await.map(Some);
    };
    let asking = async {
        let (clarification, resume_token) = (clarification.clone(), None);
        cx.emit(DatasetEventKind::ClarificationRequired { clarification: clarification.clone(), resume_token });
        tokio::select! {
            biased;
            answer = clarifier.ask(clarification) => Ok::<_, Error>(answer),
            _ = cx.stopped() => Ok(None),
        }
    };
    match cx.once(ANSWER, &(round, &clarification), async |_| asking.await).await {
        Ok(answer) => Ok(answer),
        Err(Undone::Failed(error)) => Err(error.into()),
        Err(Undone::Unrecorded(error)) => Err(error),
    }
}
