//! A model that counts, and findings.

use std::sync::Arc;
use std::time::Duration;

use futures::executor::block_on;
use research_agents_runtime::limits::RetryPolicy;
use research_agents_runtime::offline::OfflineModel;
use research_agents_scr::memo::{Finding, Quality, Reflection, Scr, SectionKind};
use research_agents_scr::synthesizer::{
    After, History, REFINE, REFLECT, SECTION, ScrSynthesizer, ScrSynthesizerBuilder, SectionEdits,
    SectionTask, answers,
};
use research_llm::testing::{Reply, ScriptedModel};
use research_llm::{Abilities, ChatModel, ModelInfo, ModelKind, Request};

pub(crate) const QUESTION: &str = "Should we move to version 16?";

/// A language model that gives the answers of the rules, and judges with a quality.
pub(crate) fn model(quality: Quality) -> Arc<ScriptedModel> {
    answering(quality, |_| None)
}

/// The same, with other answers where `other` has one.
pub(crate) fn answering(
    quality: Quality,
    other: impl Fn(&SectionTask) -> Option<SectionEdits> + Send + Sync + 'static,
) -> Arc<ScriptedModel> {
    let info = ModelInfo::new("counting", "counting", ModelKind::Language);
    let reflection = Reflection {
        overall_quality: quality,
        ..Reflection::default()
    };
    scripted(info.abilities(Abilities::default()), reflection, other)
}

/// The same for any model, with all of a reflection.
pub(crate) fn scripted(
    info: ModelInfo,
    reflection: Reflection,
    other: impl Fn(&SectionTask) -> Option<SectionEdits> + Send + Sync + 'static,
) -> Arc<ScriptedModel> {
    let rules = OfflineModel::new(answers());
    let model = ScriptedModel::named(info);

    Arc::new(model.otherwise(move |request: &Request| {
        let task = request.task.as_ref()?;
        if task.name == REFLECT {
            return Some(Reply::json(serde_json::to_value(&reflection).ok()?));
        }
        let asked: SectionTask = task.parse().ok()?;
        if let Some(edits) = other(&asked) {
            return Some(Reply::json(serde_json::to_value(edits).ok()?));
        }
        let answer = block_on(rules.complete(request)).ok()?;
        Some(Reply::text(answer.text))
    }))
}

/// A synthesizer without delays.
pub(crate) fn with(model: &Arc<ScriptedModel>) -> ScrSynthesizerBuilder {
    let retry = RetryPolicy::default().first_wait(Duration::from_millis(1));
    ScrSynthesizer::builder(Arc::clone(model) as _).retry(retry)
}

/// Findings of one delivery: a fact, a problem and a proposal.
pub(crate) fn delivery(number: usize) -> Vec<Finding> {
    vec![
        Finding::new(
            format!("Node {number} stores {} records.", 1000 + number),
            format!("facts-{number}.md"),
        ),
        Finding::new(
            format!("The backup of node {number} fails. We recommend disk {number}."),
            format!("log-{number}.md"),
        ),
    ]
}

/// Gives a memo `passes` deliveries, and completes it after the last one.
pub(crate) async fn run(
    model: &Arc<ScriptedModel>,
    early: Option<After>,
    history: History,
    passes: usize,
) -> Scr {
    let synthesizer = with(model)
        .early_decision(early)
        .history(history)
        .build()
        .unwrap();
    let mut memo = Scr::new(QUESTION);
    for pass in 0..passes {
        synthesizer.update(&mut memo, delivery(pass)).await.unwrap();
    }
    synthesizer.complete(&mut memo).await.unwrap();
    memo
}

/// The sections that were asked for, in order.
pub(crate) fn sections(model: &ScriptedModel) -> Vec<SectionKind> {
    let calls = model.calls().into_iter();
    calls
        .filter_map(|call| call.task)
        .filter(|task| task.name == SECTION)
        .map(|task| task.parse::<SectionTask>().unwrap().section)
        .collect()
}

/// How often the model was asked for sections, reflections and refinements.
pub(crate) fn counts(model: &ScriptedModel) -> [usize; 3] {
    [SECTION, REFLECT, REFINE].map(|task| model.calls_of(task).len())
}

/// The last message of a request.
pub(crate) fn prompt(request: &Request) -> String {
    request.messages.last().unwrap().text()
}
