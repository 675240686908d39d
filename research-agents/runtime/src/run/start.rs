//! Starts a run: on a new thread, from where a thread stopped, or as a follow-up.

use std::sync::Arc;

use research_agents_report::text::Marker;
use research_core::Supplied;

use crate::error::model::Error;
use crate::job::Kit;
use crate::run::options::Run;
use crate::run::state::{Beginning, RunState};
use crate::run::system::System;

/// Maximum length of a question in bytes: some 4,000 words. Reading a question takes time by its
/// words and the fields and values of the data.
pub(crate) const MAX_QUESTION_BYTES: usize = 32 * 1024;

/// A run of the engine that has its resources.
pub(crate) type EngineRun<S> = research_core::Run<
    <S as System>::State,
    <S as System>::Resources,
    Supplied<<S as System>::Resources>,
>;

impl<S: System> Run<S> {
    /// Returns the run of the engine, and its question, which a resumed run takes from its thread.
    pub(crate) async fn start(mut self) -> Result<(EngineRun<S>, String), Error> {
        let resumes = self.input.question().trim().is_empty();
        if resumes && self.answer.is_none() && !self.is_resumed {
            return Err(Error::BlankQuestion);
        }
        let bytes = self.input.question().len();
        if bytes > MAX_QUESTION_BYTES {
            return Err(Error::LongQuestion {
                bytes,
                limit: MAX_QUESTION_BYTES,
            });
        }

        // Gather what the run works with.
        self.asking.is_answered = self.answer.is_some();
        let mut kit = Kit::new(
            self.system.model(),
            self.system.tools(),
            self.system.limits(),
        )
        .with_cancel(self.cancel.clone())
        .with_asking(self.asking.clone())
        .with_steering(self.steering.clone());
        if let Some(expected) = &self.expected {
            kit = kit.replaying(Arc::clone(expected));
        }
        let can_ask = kit.can_ask(self.thread.is_some());

        // A thread continues its run, or a new question follows on a finished one.
        let mut question = self.input.question().to_owned();
        let graph = self.system.graph();
        let mut stored = match &self.thread {
            Some(thread) => graph.thread(thread.as_str()).state().await?,
            None => None,
        };
        let is_follow_up = stored
            .as_ref()
            .is_some_and(|stored| !resumes && stored.state.question() != question);
        let mut input = self.input;
        if let Some(before) = stored.take_if(|_| is_follow_up) {
            if !before.is_complete() {
                let thread = self.thread.unwrap_or_default();
                return Err(Error::OtherQuestion {
                    thread,
                    stored: before.state.question().to_owned(),
                });
            }
            input = S::follow_up(before.state, input);
        }
        if let Some(stored) = &stored {
            stored.state.question().clone_into(&mut question);
        }

        // A run is recorded from its start or not at all.
        match stored.as_ref().map(|stored| stored.state.beginning()) {
            // Marked lines are measured, so the marker of the first process stays.
            Some(Some(beginning)) => kit = kit.with_marker(Marker::fixed(&beginning.marker)),
            Some(None) if self.is_recorded => {
                return Err(Error::NotRecorded {
                    thread: self.thread.unwrap_or_default(),
                });
            }
            None if self.is_recorded => {
                let beginning = Beginning {
                    input: input.to_input(can_ask),
                    settings: serde_json::to_value(self.system.config())?,
                    model: kit.model().clone(),
                    marker: kit.marker().word().to_owned(),
                };
                input.set_beginning(beginning);
            }
            _ => {}
        }

        let steps = self.system.step_limit(&input);
        let run = match self.thread {
            None => graph.run(input),
            Some(thread) if resumes => graph.resume().thread(thread),
            Some(thread) if is_follow_up => graph.run(input).thread(thread),
            Some(thread) => graph.run_or_resume(input).thread(thread),
        };
        let run = self
            .from
            .into_iter()
            .fold(run, research_core::Run::from_checkpoint);
        let run = match self.answer {
            None => run,
            Some((None, answer)) => run.answer(answer),
            Some((Some(token), answer)) => run.answer_to(token, answer),
        };
        Ok((
            run.resources(self.system.resources(kit)).step_limit(steps),
            question,
        ))
    }
}
