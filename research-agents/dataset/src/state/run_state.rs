//! The state of the dataset agent as the runtime sees it.

use std::borrow::Cow;
use std::time::Duration;

use research_agents_report::document::Report;
use research_agents_runtime::job::JobDone;
use research_agents_runtime::limits::Usage;
use research_agents_runtime::run::{Beginning, RunState};
use research_agents_runtime::tape::TaskRecord;

use crate::state::input::RunInput;
use crate::state::model::{DatasetState, DatasetStateUpdate};

impl RunState for DatasetState {
    type Input = RunInput;

    fn from_input(input: RunInput) -> Self {
        Self {
            question: input.question,
            overrides: input.overrides,
            requested_tools: input.requested_tools,
            format: input.format,
            max_iterations: input.max_iterations,
            requested_language: input.language,
            turns: input.turns,
            earlier: input.earlier,
            ..Self::default()
        }
    }

    fn to_input(&self, can_ask: bool) -> RunInput {
        RunInput {
            question: self.question.clone(),
            overrides: self.overrides.clone(),
            requested_tools: self.requested_tools.clone(),
            format: self.format,
            max_iterations: self.max_iterations,
            language: self.requested_language,
            turns: self.turns.clone(),
            earlier: self.earlier.clone(),
            can_ask,
            answers: Vec::new(),
        }
    }

    fn question(&self) -> &str {
        &self.question
    }

    fn replies(&self) -> &[String] {
        &self.answers
    }

    fn usage(&self) -> Usage {
        self.usage
    }

    fn active(&self) -> Duration {
        Duration::from_millis(self.active_ms)
    }

    fn beginning(&self) -> Option<&Beginning<RunInput>> {
        self.recorded.as_deref()
    }

    fn set_beginning(&mut self, beginning: Beginning<RunInput>) {
        self.recorded = Some(Box::new(beginning));
    }

    fn recording(&self) -> impl Iterator<Item = &TaskRecord> {
        self.recording.iter()
    }

    fn document(&self) -> Option<&Report> {
        self.final_document.as_ref()
    }

    fn markdown(&self) -> Option<Cow<'_, str>> {
        self.final_report.as_deref().map(Cow::Borrowed)
    }

    fn place(&self, node: &str, index: usize) -> String {
        format!(
            "{node} {}.{}.{index}",
            self.iteration,
            self.completed_calls.len()
        )
    }

    fn record(update: DatasetStateUpdate, done: JobDone) -> DatasetStateUpdate {
        let active = u64::try_from(done.active.as_millis()).unwrap_or(u64::MAX);
        let update = update.usage(done.usage).active_ms(active);
        done.record
            .into_iter()
            .fold(update, |update, record| update.recording([record]))
    }
}
