//! One line of a cassette.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::fault::Fault;
use super::scrub::Scrubber;
use crate::model::ModelInfo;
use crate::request::Request;
use crate::response::Response;
use crate::stream::StreamEvent;

/// The form of a line. A line of another form is not read.
pub(super) const FORM: u32 = 1;

/// A call and what became of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Interaction {
    pub(super) form: u32,
    pub(super) model: ModelInfo,
    /// The request as JSON, without secrets.
    pub(super) request: Value,
    pub(super) outcome: Outcome,
}

/// What became of a call.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Outcome {
    /// A whole answer.
    Response(Box<Response>),
    /// A whole answer was wanted, and there was none.
    Error(Fault),
    /// An answer in pieces, as far as it was read.
    Stream {
        events: Vec<StreamEvent>,
        /// What ended it before its time.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        error: Option<Fault>,
    },
}

impl Outcome {
    /// How the model was asked.
    pub(super) fn mode(&self) -> &'static str {
        match self {
            Self::Response(_) | Self::Error(_) => "complete",
            Self::Stream { .. } => "stream",
        }
    }
}

impl Interaction {
    pub(super) fn new(model: &ModelInfo, request: &Request, outcome: Outcome) -> Self {
        let request = serde_json::to_value(request).unwrap_or_default();
        Self { form: FORM, model: model.clone(), request, outcome }
    }

    /// The line, without secrets and with the end of line.
    pub(super) fn into_line(mut self, scrubber: &Scrubber) -> Result<String, serde_json::Error> {
        if let Outcome::Stream { events, .. } = &mut self.outcome {
            scrubber.events(events);
        }
        scrubber.request(&mut self.request);
        let mut line = serde_json::to_value(self)?;
        scrubber.value(&mut line);
        Ok(format!("{line}\n"))
    }
}
