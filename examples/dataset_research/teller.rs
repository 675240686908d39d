//! Tells the view what happens, and sees to it that exactly one terminal event ends the run, whatever goes wrong.

use std::error::Error;
use std::io;

use research_agents::ErrorCategory;
use research_agents::core::{IdSource, RandomIds};
use research_agents::dataset::{DatasetEvent, EventKind, RunEvent};

use super::choice::ChoiceError;
use super::view::View;

/// A view and what was told so far.
pub struct Teller {
    view: Box<dyn View>,
    /// Number of the next event.
    seq: u64,
    run_id: Option<String>,
}

impl Teller {
    /// Nothing told yet.
    pub fn new(view: Box<dyn View>) -> Self {
        Self { view, seq: 0, run_id: None }
    }

    /// Shows an event of the run.
    pub fn tell(&mut self, event: &DatasetEvent) -> io::Result<()> {
        self.seq = event.seq + 1;
        self.run_id = Some(event.run_id.clone());
        self.view.show(event)
    }

    /// Says something that is no event.
    pub fn note(&mut self, text: &str) {
        self.view.note(text);
    }

    /// Ends a run that has not told its end itself, or could not even start.
    pub fn fail(&mut self, error: &(dyn Error + 'static)) {
        let typed = error.downcast_ref::<research_agents::Error>();
        let event = DatasetEvent {
            seq: self.seq,
            ts: format!("{:.3}", jiff::Timestamp::now()),
            run_id: self.run_id.clone().unwrap_or_else(|| RandomIds.run_id()),
            kind: EventKind::Run(RunEvent::Error {
                category: match typed {
                    Some(error) => error.category(),
                    None if error.is::<ChoiceError>() => ErrorCategory::McpToolError,
                    None => ErrorCategory::Unknown,
                },
                message: with_causes(error),
                user_message: typed.map(research_agents::Error::user_message).unwrap_or_default(),
                retryable: typed.is_some_and(research_agents::Error::is_retryable),
                fatal: true,
            }),
        };
        // Nobody is left to tell when the view itself is broken.
        drop(self.view.show(&event));
    }
}

/// The text of an error and of those causes that it does not tell itself.
fn with_causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let told = error.to_string();
        if !text.contains(&told) {
            text = format!("{text}: {told}");
        }
        cause = error.source();
    }
    text
}
