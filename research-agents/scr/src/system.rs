//! The synthesizer as a system of the runtime: with threads, resumption after a crash, events,
//! budgets, bundles, verification and replay.
//!
//! Each step is one execution of a node, so that a run that is killed resumes at the step where it
//! was.
//!
//! ```
//! use std::sync::Arc;
//!
//! use research_agents_runtime::offline::OfflineModel;
//! use research_agents_scr::memo::{Finding, Scr};
//! use research_agents_scr::synthesizer::{ScrConfig, answers};
//! use research_agents_scr::system::{MemoInput, memo_system};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut config = ScrConfig::default();
//! config.early_decision = None;
//! let system = memo_system(Arc::new(OfflineModel::new(answers())), config)?;
//!
//! let findings = vec![Finding::new("Backups fail on old disks.", "a.md")];
//! let input = MemoInput::new(Scr::new("Should we move?"), findings).with_config(config);
//! let ended = system.run(input).await?;
//! assert!(ended.markdown().contains("Backups fail on old disks [E1]."));
//! assert_eq!(ended.state.memo().complication.statements.len(), 1);
//! # Ok(()) }
//! ```

use std::sync::Arc;

use research_agents_report::document::Report;
use research_agents_report::evidence::Evidence;
use research_agents_runtime::bundle::Bundle;
use research_agents_runtime::bundle::verify::Origins;
use research_agents_runtime::error::Error;
use research_agents_runtime::event::RunEvent;
use research_agents_runtime::job::{Kit, NoTools, Settings};
use research_agents_runtime::limits::{Policy, Usage, add_usage};
use research_agents_runtime::run::{Beginning, Hosted, NodeJob, RunInput, Workflow};
use research_agents_runtime::run_state;
use research_agents_runtime::tape::TaskRecord;
use research_core::{CompiledGraph, Cx, END, Graph, Log, NodeError, State, Targets};
use research_llm::ChatModel;
use serde::{Deserialize, Serialize};

use crate::memo::{Finding, Scr, SectionKind};
use crate::report::{MemoReport, documents_of, evidence_of};
use crate::synthesizer::{Feedback, ScrConfig, Step, Steps};
use crate::update::Delivery;

/// What a run is asked to do, as its bundle keeps it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct MemoInput {
    /// The memo as it is.
    pub memo: Scr,
    /// The findings that are delivered.
    pub findings: Vec<Finding>,
    /// Whether sections are written that wait for a decision.
    pub completes: bool,
    /// Why research went on, if a decision says so.
    pub feedback: Option<Feedback>,
    /// The settings.
    pub config: ScrConfig,
    /// `true` if the user could be asked.
    pub can_ask: bool,
    /// The user's replies.
    pub answers: Vec<String>,
}

impl MemoInput {
    /// Creates the delivery of findings to a memo.
    pub fn new(memo: Scr, findings: Vec<Finding>) -> Self {
        Self {
            memo,
            findings,
            ..Self::default()
        }
    }

    /// Sets the settings.
    #[must_use]
    pub fn with_config(mut self, config: ScrConfig) -> Self {
        self.config = config;
        self
    }

    /// Writes the sections that wait for a decision.
    #[must_use]
    pub fn completing(mut self) -> Self {
        self.completes = true;
        self
    }

    /// Returns the last section that is written.
    fn until(&self) -> SectionKind {
        if self.completes {
            SectionKind::Resolution
        } else {
            self.config.until()
        }
    }
}

impl RunInput for MemoInput {
    fn can_ask(&self) -> bool {
        self.can_ask
    }

    fn replies(&self) -> &[String] {
        &self.answers
    }

    fn set_replies(&mut self, replies: Vec<String>) {
        self.answers = replies;
    }
}

/// The state of a run.
#[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
pub struct MemoState {
    input: MemoInput,
    #[reduce(append)]
    replies: Vec<String>,
    #[reduce(with = add_usage)]
    usage: Usage,
    #[reduce(max)]
    active_ms: u64,
    #[reduce(add)]
    tasks_done: u64,
    beginning: Option<Box<Beginning<MemoInput>>>,
    #[reduce(append)]
    recording: Log<TaskRecord>,
    report: Option<Report>,
    has_begun: bool,
    memo: Scr,
    delivery: Delivery,
}

impl MemoState {
    /// Returns the memo as the run leaves it.
    pub fn memo(&self) -> &Scr {
        &self.memo
    }

    /// Returns what the findings changed.
    pub fn delivery(&self) -> &Delivery {
        &self.delivery
    }

    /// Returns the next step; `None` when the memo is finished, or a step failed.
    fn next(&self) -> Option<Step> {
        if self.delivery.problem.is_some() {
            return None;
        }
        self.memo.next_step(self.input.until(), &self.input.config)
    }
}

impl From<MemoInput> for MemoState {
    fn from(input: MemoInput) -> Self {
        Self {
            input,
            ..Self::default()
        }
    }
}

run_state!(MemoState, MemoInput, input.memo.question);

/// Takes the findings with the first step, and one step each time.
async fn synthesizer(cx: Cx<MemoState, Kit>) -> Result<MemoStateUpdate, NodeError> {
    let (job, state) = (cx.job(), &cx.state);
    let (mut memo, mut delivery) = (state.memo.clone(), state.delivery.clone());
    if !state.has_begun {
        job.phase("synthesizing");
        memo = state.input.memo.clone();
        delivery = memo.deliver(state.input.findings.iter().cloned());
    }

    let steps = Steps::new(&job, &state.input.config).after(state.input.feedback.as_ref());
    if let Some(step) = memo.next_step(state.input.until(), &state.input.config) {
        job.progress(percent(step), step.to_string());
        if let Err(error) = steps.take(&mut memo, step, &mut delivery).await {
            if error.is_divergence() {
                return Err(Error::other(error.to_string()).into());
            }
            job.warn(&Error::other(error.to_string()));
            delivery.problem = Some(error.to_string());
        }
    }
    let update = MemoState::update()
        .has_begun(true)
        .memo(memo)
        .delivery(delivery);
    Ok(cx.done(&job, update))
}

fn percent(step: Step) -> u8 {
    match step {
        Step::Section(kind) => [5, 30, 55][kind.step() - 1],
        Step::Reflection => 75,
        Step::Refinement(kind) => [80, 85, 90][kind.step() - 1],
    }
}

/// Writes the report of the memo.
async fn write(cx: Cx<MemoState, Kit>) -> Result<MemoStateUpdate, NodeError> {
    let (job, state) = (cx.job(), &cx.state);
    let mut memo = state.memo.clone();
    if memo != state.input.memo {
        memo.version += 1;
    }
    let (evidence, passages_of) = evidence_of(&memo.findings);
    let mut report = MemoReport::new(&memo, &evidence, &passages_of);
    if let Some(problem) = &state.delivery.problem {
        report = report.note(&format!("The memo is not complete: {problem}"));
    }

    let report = report.finish();
    for event in RunEvent::report(&report.to_markdown(), Some(report.clone())) {
        job.emit(event);
    }
    job.progress(100, "done");
    Ok(cx.done(&job, MemoState::update().memo(memo).report(report)))
}

/// The synthesizer for [`Hosted`].
#[derive(Debug)]
pub struct MemoWorkflow;

impl Workflow for MemoWorkflow {
    const NAME: &'static str = "scr";

    type State = MemoState;
    type Config = ScrConfig;

    fn graph() -> Result<CompiledGraph<MemoState, Kit>, Error> {
        let mut g = Graph::<MemoState, Kit>::new(Self::NAME);
        let synthesizing = g.node("synthesizer", synthesizer);
        let writing = g.node("writer", write);

        g.entry(synthesizing).edge(writing, END).route(
            synthesizing,
            move |state: &MemoState| -> Targets {
                if state.next().is_some() {
                    synthesizing.into()
                } else {
                    writing.into()
                }
            },
        );
        Ok(g.compile()?)
    }

    fn limits(config: &ScrConfig) -> Settings {
        Settings::new(Policy::new()).budget(config.budget)
    }

    fn evidence(state: &MemoState) -> Evidence {
        evidence_of(&state.memo.findings).0
    }

    fn origins(bundle: &Bundle) -> Origins {
        let input = MemoInput::deserialize(&bundle.input);
        let problem = input.as_ref().err().map(ToString::to_string);
        let input = input.unwrap_or_default();
        let all = [input.memo.findings.as_slice(), &input.findings].concat();
        let documents = documents_of(&all).into_iter();
        Origins {
            documents: documents.map(|(_, document)| document).collect(),
            context: vec![bundle.question.clone()],
            answers: vec![("the findings of the run".to_owned(), problem)],
            ..Origins::default()
        }
    }
}

/// Returns the system that keeps memos with a model.
///
/// # Errors
///
/// The engine's error, if it refuses the graph.
pub fn memo_system(
    model: Arc<dyn ChatModel>,
    config: ScrConfig,
) -> Result<Hosted<MemoWorkflow>, Error> {
    Hosted::new(model, Arc::new(NoTools), config)
}
