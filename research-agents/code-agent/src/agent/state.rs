//! The state of a run.

use std::time::Duration;

use research_agents_code::answer::Answer;
use research_agents_report::document::Report;
use research_agents_runtime::job::JobDone;
use research_agents_runtime::limits::{Usage, add_usage};
use research_agents_runtime::run::{Beginning, RunState};
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

impl RunState for CodeState {
    type Input = CodeInput;

    fn from_input(input: CodeInput) -> Self {
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

    fn to_input(&self, can_ask: bool) -> CodeInput {
        CodeInput {
            can_ask,
            ..self.input.clone()
        }
    }

    fn question(&self) -> &str {
        &self.input.question
    }

    fn replies(&self) -> &[String] {
        &self.replies
    }

    fn usage(&self) -> Usage {
        self.usage
    }

    fn active(&self) -> Duration {
        Duration::from_millis(self.active_ms)
    }

    fn beginning(&self) -> Option<&Beginning<CodeInput>> {
        self.beginning.as_deref()
    }

    fn set_beginning(&mut self, beginning: Beginning<CodeInput>) {
        self.beginning = Some(Box::new(beginning));
    }

    fn recording(&self) -> impl Iterator<Item = &TaskRecord> {
        self.recording.iter()
    }

    fn document(&self) -> Option<&Report> {
        self.report.as_ref()
    }

    fn place(&self, node: &str, index: usize) -> String {
        format!("{node} {}.{index}", self.tasks_done)
    }

    fn record(update: CodeStateUpdate, done: JobDone) -> CodeStateUpdate {
        let active = u64::try_from(done.active.as_millis()).unwrap_or(u64::MAX);
        let update = update.usage(done.usage).active_ms(active).tasks_done(1_u64);
        done.record
            .into_iter()
            .fold(update, |update, record| update.recording([record]))
    }
}
