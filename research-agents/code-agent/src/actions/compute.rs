//! `compute_answer`: what code can compute of a question, without a model.

use research_agents_code::answer::{Answer, LedgerSummary, Outcome, answer_in};
use research_agents_code::question::QuestionClass;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::actions::action::Action;
use crate::actions::context::ActionContext;
use crate::actions::result::ActionResult;
use crate::run::EvidenceDraft;
use crate::space::{SpaceError, View};

/// Confidence of an answer that code has computed and checked, and of one that it has not computed.
const COMPUTED: f64 = 0.95;
const NOT_COMPUTED: f64 = 0.2;

/// Computes an answer from definitions, occurrences and documents.
#[derive(Clone, Copy, Debug, Default)]
pub struct ComputeAnswer;

/// The question.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct ComputeInput {
    #[doc = " What to compute, with names in backticks: where a name is defined, who calls it, \
             what implements it, what it returns, its value, or what changed."]
    question: String,
}

/// A sentence that code has computed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ComputedSentence {
    /// The sentence.
    pub text: String,
    /// Positions of its lines in the evidence of the action.
    pub lines: Vec<usize>,
}

/// What the action has computed, in its `data`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Computed {
    /// Class of the question.
    pub class: QuestionClass,
    /// What became of the question.
    pub outcome: Outcome,
    /// The sentences, most important first.
    pub sentences: Vec<ComputedSentence>,
    /// How sure the answer is, from 0 to 1.
    pub confidence: f64,
    /// Places of sites that are counted and not in a sentence.
    pub further: Vec<String>,
    /// The accounts of the names.
    pub ledgers: Vec<LedgerSummary>,
    /// Names like one that is not in the code.
    pub nearest: Vec<String>,
    /// The answer with its claims, for the check before it leaves.
    pub answer: Answer,
}

impl Action for ComputeAnswer {
    const NAME: &'static str = "compute_answer";
    const DESCRIPTION: &'static str = "Computes where a name is defined and used, what implements \
        it, its value, what it returns, or what changed, with exact counts over the whole scope.";
    type Input = ComputeInput;

    async fn execute(&self, input: ComputeInput, cx: &ActionContext) -> ActionResult {
        cx.blocking(move |view| compute(view, &input.question).unwrap_or_else(ActionResult::failed))
            .await
    }
}

fn compute(view: &View, question: &str) -> Result<ActionResult, SpaceError> {
    let files = view.snapshot()?;
    let mut answer = answer_in(&files, question, view.scope(), view.cancel_flag())?;
    let further: Vec<String> = answer.further.iter().map(|span| span.location()).collect();
    answer.further.clear();

    let sentences = answer.sentences.iter().map(|sentence| ComputedSentence {
        text: sentence.text.clone(),
        lines: sentence.spans.clone(),
    });
    let computed = Computed {
        class: answer.class,
        outcome: answer.outcome,
        sentences: sentences.collect(),
        confidence: match answer.outcome {
            Outcome::NotComputed => NOT_COMPUTED,
            _ => COMPUTED,
        },
        further,
        ledgers: answer.ledgers.clone(),
        nearest: answer.nearest.clone(),
        answer,
    };

    let evidence: Vec<EvidenceDraft> = computed
        .answer
        .spans
        .iter()
        .map(|span| EvidenceDraft::from(span.clone()))
        .collect();
    let count = computed.sentences.len();
    let summary = match computed.outcome {
        Outcome::Computed if count == 1 => "computed 1 sentence".to_owned(),
        Outcome::Computed => format!("computed {count} sentences"),
        Outcome::Absent => "the code has nothing with this name".to_owned(),
        _ => "no answer can be computed; the best lines are quoted".to_owned(),
    };
    let data = serde_json::to_value(&computed).unwrap_or_default();
    Ok(ActionResult::done(summary)
        .with_data(data)
        .with_evidence(evidence))
}
