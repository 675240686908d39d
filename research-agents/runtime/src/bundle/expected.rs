//! The recording that a replay follows, and the report that it must reproduce.

use std::sync::Arc;

use research_agents_report::text::Marker;

use crate::error::model::Error;
use crate::tape::task::Recording;

/// The recording that a replay follows, and the report that it must reproduce byte for byte.
#[derive(Debug)]
pub struct Expected {
    recording: Arc<Recording>,
    markdown: String,
    marker: String,
    could_ask: bool,
    replies: Vec<String>,
}

impl Expected {
    /// Creates the expectation of a replay: what was recorded, the report, and the word that marked
    /// untrusted lines.
    pub fn new(
        recording: Recording,
        markdown: impl Into<String>,
        marker: impl Into<String>,
    ) -> Self {
        Self {
            recording: Arc::new(recording),
            markdown: markdown.into(),
            marker: marker.into(),
            could_ask: false,
            replies: Vec::new(),
        }
    }

    /// Sets whether the recorded run could ask its user, and what the user replied.
    #[must_use]
    pub fn with_replies(mut self, could_ask: bool, replies: Vec<String>) -> Self {
        self.could_ask = could_ask;
        self.replies = replies;
        self
    }

    /// Returns `true` if the recorded run could ask its user.
    pub fn could_ask(&self) -> bool {
        self.could_ask
    }

    /// Returns the user's reply to the question of this round, counted from 0.
    pub fn reply(&self, round: u32) -> Option<String> {
        self.replies.get(round as usize).cloned()
    }

    /// Returns the recorded effects.
    pub fn recording(&self) -> Arc<Recording> {
        Arc::clone(&self.recording)
    }

    /// Returns the marker of the recorded prompts.
    pub fn marker(&self) -> Marker {
        Marker::fixed(&self.marker)
    }

    /// Compares the outcome of the replay with the recorded run: the Markdown of its report, or its
    /// error.
    ///
    /// # Errors
    ///
    /// [`Error::Diverged`] when the replay took another path than the recording, or its report
    /// differs.
    pub fn compare(&self, outcome: Result<&str, &Error>) -> Result<(), Error> {
        match outcome {
            Ok(markdown) => self.compare_report(markdown),
            Err(error) => {
                self.check_path()?;
                match error.root() {
                    Error::Diverged { what } => Err(Error::Diverged { what: what.clone() }),
                    _ => Ok(()),
                }
            }
        }
    }

    /// Compares a report with the recorded one.
    ///
    /// # Errors
    ///
    /// [`Error::Diverged`] when the replay took another path than the recording, or the report
    /// differs in a line.
    pub fn compare_report(&self, markdown: &str) -> Result<(), Error> {
        self.check_path()?;
        if markdown == self.markdown {
            return Ok(());
        }

        let lines = self.markdown.lines().zip(markdown.lines());
        let same = lines.take_while(|(recorded, now)| recorded == now).count();
        Err(Error::Diverged {
            what: format!("its report differs in line {}", same + 1),
        })
    }

    fn check_path(&self) -> Result<(), Error> {
        let what = self
            .recording
            .diverged()
            .map(|place| format!("it has nothing for {place}"));
        what.map_or(Ok(()), |what| Err(Error::Diverged { what }))
    }
}
