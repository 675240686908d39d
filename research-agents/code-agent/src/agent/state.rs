//! The state of a run.

use research_agents_code::answer::Answer;
use research_agents_report::document::Report;
use research_agents_runtime::limits::{Usage, add_usage};
use research_agents_runtime::run::Beginning;
use research_agents_runtime::run_state;
use research_agents_runtime::tape::TaskRecord;
use research_core::{Log, State};
use serde::{Deserialize, Serialize};

use crate::actions::{ActionSelection, FinalizeInput};
use crate::agent::input::CodeInput;
use crate::check::Fact;
use crate::run::{ResearchRun, RunStatus, Verification};

/// The state of a run: the run itself, whether it should stop, and what the next step needs.
#[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
pub struct CodeState {
    pub(super) input: CodeInput,
    #[reduce(append)]
    pub(super) replies: Vec<String>,
    #[reduce(with = add_usage)]
    pub(super) usage: Usage,
    #[reduce(max)]
    pub(super) active_ms: u64,
    #[reduce(add)]
    pub(super) tasks_done: u64,
    pub(super) beginning: Option<Box<Beginning<CodeInput>>>,
    #[reduce(append)]
    pub(super) recording: Log<TaskRecord>,
    pub(super) report: Option<Report>,
    /// The run so far.
    pub(super) run: ResearchRun,
    /// Whether the run ends after this step.
    pub(super) should_stop: bool,
    /// The decision that is to be executed.
    pub(super) chosen: Option<ActionSelection>,
    /// The answer that is to be verified.
    pub(super) proposed: Option<Proposed>,
    /// What code has computed.
    pub(super) facts: Vec<Fact>,
    /// The computed answers, with their claims.
    pub(super) computed: Vec<Answer>,
    /// How sure it is.
    pub(super) confidence: f64,
    /// What was wrong with the answer before.
    pub(super) feedback: Vec<String>,
    /// Number of decisions in a row that could not be used.
    pub(super) failures: u32,
    /// Why the run stopped before an answer was verified.
    pub(super) stopped: Option<String>,
}

/// An answer that was given, before and after its verification.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Proposed {
    pub(super) answer: String,
    pub(super) confidence: f64,
    /// Whether it was verified; only then it is shown.
    pub(super) verified: Option<Verified>,
}

/// What holds of an answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Verified {
    /// Lead, text, cited ids, and whether a line ends, for each sentence.
    pub(super) kept: Vec<(String, String, Vec<String>, bool)>,
    pub(super) verification: Verification,
}

impl From<FinalizeInput> for Proposed {
    fn from(input: FinalizeInput) -> Self {
        Self {
            confidence: input.clamped(),
            answer: input.answer,
            verified: None,
        }
    }
}

impl CodeState {
    /// Returns the run.
    pub fn run(&self) -> &ResearchRun {
        &self.run
    }

    /// Returns whether the run ends after this step.
    pub fn should_stop(&self) -> bool {
        self.should_stop
    }

    /// Returns how many steps are left.
    pub(super) fn left(&self) -> u32 {
        self.run.budget_steps.saturating_sub(self.run.budget_used)
    }
}

impl From<CodeInput> for CodeState {
    fn from(input: CodeInput) -> Self {
        let run = ResearchRun {
            run_id: input.run_id.clone(),
            question: input.question.clone(),
            status: RunStatus::Running,
            scope: Some(input.scope.clone()).filter(|scope| !scope.is_empty()),
            budget_steps: input.budget,
            notes: input.notes.clone(),
            ..ResearchRun::default()
        };
        Self {
            input,
            run,
            ..Self::default()
        }
    }
}

run_state!(CodeState, CodeInput, input.question);
