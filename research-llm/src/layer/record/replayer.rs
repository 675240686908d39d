//! A model that answers from a cassette.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use futures::stream::{self, StreamExt};
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;

use super::diff::{Difference, NotRecorded, compare};
use super::interaction::{FORM, Interaction, Outcome};
use super::scrub::Scrubber;
use crate::error::ModelError;
use crate::model::{ChatModel, ModelInfo, ModelKind};
use crate::request::Request;
use crate::response::Response;
use crate::stream::EventStream;

/// Answers from a cassette that a [`Recorder`](super::Recorder) wrote: the same answers, the same events and the same errors.
///
/// What is asked must have been recorded, in every part of the request but the deadline, and in the same way, as a whole or in
/// pieces. Equal requests get their answers in the order they were recorded, each once; with [`in_order`](Self::in_order)
/// all requests must come in the recorded order. A request that was not recorded is an error that names the first difference
/// from the nearest one: see [`NotRecorded`]. What was not asked is found by [`finish`](Self::finish).
///
/// Streams are replayed without their pauses. A stream whose reader went away when it was recorded ends where he did, with
/// [`ModelError::Truncated`].
pub struct Replayer {
    info: ModelInfo,
    tape: Vec<Interaction>,
    used: Mutex<Vec<bool>>,
    scrubber: Scrubber,
    is_torn: bool,
    in_order: bool,
    regardless: bool,
}

impl std::fmt::Debug for Replayer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Replayer")
            .field("info", &self.info)
            .field("interactions", &self.tape.len())
            .finish_non_exhaustive()
    }
}

impl Replayer {
    /// Answers from a file. It gives itself out for the first model in it.
    ///
    /// # Errors
    /// [`ModelError::Other`] if the file cannot be read, or a line of it is no interaction. A last line that a crash cut off is
    /// left out, and [`is_torn`](Self::is_torn) says so.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, ModelError> {
        let path = path.as_ref();
        let bytes = std::fs::read(path).map_err(|error| {
            ModelError::other(format!("the cassette `{}` cannot be read", path.display()), Some(Arc::new(error)))
        })?;
        // A cut in the middle of a letter is in the last line, which is judged below.
        Self::parse(&String::from_utf8_lossy(&bytes))
    }

    /// Answers from the text of a cassette.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn parse(text: &str) -> Result<Self, ModelError> {
        let (whole, rest) = text.rfind('\n').map_or(("", text), |end| text.split_at(end + 1));
        let is_torn = !rest.trim().is_empty();
        if is_torn {
            tracing::warn!("the last line of the cassette is cut off and left out");
        }
        let lines = whole.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let tape = lines.map(|(at, line)| read(at + 1, line)).collect::<Result<Vec<_>, _>>()?;
        let info = tape.first().map_or_else(
            || ModelInfo::new("replayed", "replayed", ModelKind::Scripted),
            |interaction| interaction.model.clone(),
        );
        let used = Mutex::new(vec![false; tape.len()]);
        Ok(Self { info, tape, used, scrubber: Scrubber::default(), is_torn, in_order: false, regardless: false })
    }

    /// Answers only what was asked of the model with this [id](ModelInfo::id), and gives itself out for it.
    #[must_use]
    pub fn model(mut self, id: &str) -> Self {
        self.tape.retain(|interaction| interaction.model.id() == id);
        self.used = Mutex::new(vec![false; self.tape.len()]);
        if let Some(first) = self.tape.first() {
            self.info = first.model.clone();
        }
        self
    }

    /// Wants the requests in the order they were recorded.
    #[must_use]
    pub fn in_order(mut self) -> Self {
        self.in_order = true;
        self
    }

    /// Answers with the next interaction whatever is asked, if it is asked in the same way, as a whole or in pieces: for a
    /// caller who finds by other means what belongs together.
    ///
    /// ```
    /// use research_llm::layer::{Recorder, Replayer};
    /// use research_llm::testing::ScriptedModel;
    /// use research_llm::{ChatModel, ChatModelExt, Request};
    ///
    /// # futures::executor::block_on(async {
    /// # let directory = tempfile::tempdir().unwrap();
    /// # let path = directory.path().join("capitals.jsonl");
    /// let model = ScriptedModel::new().then("Graz").with(Recorder::create(&path)?);
    /// model.complete(&Request::new().user("The capital of Styria?")).await?;
    ///
    /// let model = Replayer::open(&path)?.regardless();
    /// assert_eq!(model.complete(&Request::new().user("Styria's capital?")).await?.text, "Graz");
    /// # Ok::<(), research_llm::ModelError>(()) }).unwrap();
    /// ```
    #[must_use]
    pub fn regardless(mut self) -> Self {
        self.regardless = true;
        self
    }

    /// Takes this text out of what is asked, as the recorder did.
    #[must_use]
    pub fn secret(mut self, secret: impl Into<SecretString>) -> Self {
        self.scrubber = self.scrubber.with(secret.into().expose_secret());
        self
    }

    /// Whether the last line was cut off and is left out.
    #[must_use]
    pub fn is_torn(&self) -> bool {
        self.is_torn
    }

    /// How many interactions were not asked for yet.
    #[must_use]
    pub fn left(&self) -> usize {
        self.lock().iter().filter(|used| !**used).count()
    }

    /// Says whether everything was asked for.
    ///
    /// # Errors
    /// [`ModelError::Other`] with the number of interactions that are left, and the first of their requests.
    pub fn finish(&self) -> Result<(), ModelError> {
        let used = self.lock();
        let mut left =
            self.tape.iter().zip(used.iter()).filter(|(_, used)| !**used).map(|(interaction, _)| interaction);
        let Some(first) = left.next() else { return Ok(()) };
        let count = 1 + left.count();
        Err(ModelError::other(
            format!("{count} interactions of the cassette were not asked for, the first one: {}", first.request),
            None,
        ))
    }

    fn lock(&self) -> MutexGuard<'_, Vec<bool>> {
        // Nothing that holds this lock can panic half-way.
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What became of a request when it was recorded.
    fn take(&self, request: &Request, mode: &'static str) -> Result<Outcome, ModelError> {
        let asked = self.as_written(request);
        let mut used = self.lock();
        let is_same = |interaction: &Interaction| {
            (self.regardless || interaction.request == asked) && interaction.outcome.mode() == mode
        };
        let mut open = self.tape.iter().zip(used.iter()).enumerate().filter(|(_, (_, used))| !**used);
        let found = if self.in_order {
            open.next().filter(|(_, (interaction, _))| is_same(interaction))
        } else {
            open.find(|(_, (interaction, _))| is_same(interaction))
        };
        if let Some((at, (interaction, _))) = found {
            let outcome = interaction.outcome.clone();
            used[at] = true;
            return Ok(outcome);
        }
        let reason = self.explain(&asked, mode, &used);
        Err(ModelError::other(reason.to_string(), Some(Arc::new(reason))))
    }

    #[cold]
    fn explain(&self, asked: &Value, mode: &'static str, used: &[bool]) -> NotRecorded {
        let open = || self.tape.iter().zip(used).filter(|(_, used)| !**used).map(|(interaction, _)| interaction);
        let left = open().count();
        let candidates = || -> Box<dyn Iterator<Item = &Interaction> + '_> {
            match left {
                // Where all are used up, the nearest of those still tells what was meant.
                0 => Box::new(self.tape.iter()),
                _ if self.in_order => Box::new(open().take(1)),
                _ => Box::new(open()),
            }
        };
        let differences = candidates().filter_map(|interaction| match compare(&interaction.request, asked) {
            // The requests are the same: they were asked in different ways, or this one is used up.
            None => {
                let recorded = interaction.outcome.mode();
                let (path, asked) = ("mode".to_owned(), mode.to_owned());
                (recorded != mode).then(|| (Difference { path, recorded: recorded.to_owned(), asked }, 0))
            }
            found => found,
        });
        let same = |interaction: &&Interaction| interaction.request == *asked && interaction.outcome.mode() == mode;
        NotRecorded {
            left,
            used: self.tape.iter().zip(used).filter(|(one, used)| **used && same(one)).count(),
            difference: differences.min_by_key(|(_, size)| *size).map(|(difference, _)| difference),
        }
    }

    /// The request as it would have been written and read again.
    fn as_written(&self, request: &Request) -> Value {
        let mut value = serde_json::to_value(request).unwrap_or_default();
        self.scrubber.request(&mut value);
        serde_json::from_str(&value.to_string()).unwrap_or(value)
    }
}

fn read(number: usize, line: &str) -> Result<Interaction, ModelError> {
    let interaction: Interaction = serde_json::from_str(line).map_err(|error| {
        ModelError::other(format!("line {number} of the cassette is no interaction: {error}"), Some(Arc::new(error)))
    })?;
    if interaction.form != FORM {
        let form = interaction.form;
        return Err(ModelError::other(
            format!("line {number} of the cassette has the form {form}; this library reads form {FORM}"),
            None,
        ));
    }
    Ok(interaction)
}

#[async_trait]
impl ChatModel for Replayer {
    fn info(&self) -> &ModelInfo {
        &self.info
    }

    async fn complete(&self, request: &Request) -> Result<Response, ModelError> {
        match self.take(request, "complete")? {
            Outcome::Response(response) => Ok(*response),
            Outcome::Error(fault) => Err(fault.into_error()),
            Outcome::Stream { .. } => Err(ModelError::Truncated),
        }
    }

    fn stream(&self, request: Request) -> EventStream<'_> {
        stream::once(async move {
            let (events, end) = match self.take(&request, "stream") {
                Ok(Outcome::Stream { events, error: Some(fault) }) => (events, Some(fault.into_error())),
                Ok(Outcome::Stream { events, error: None }) => {
                    let is_finished = events.iter().any(|event| matches!(event, crate::stream::StreamEvent::Finish(_)));
                    (events, (!is_finished).then_some(ModelError::Truncated))
                }
                Ok(_) => (Vec::new(), Some(ModelError::Truncated)),
                Err(error) => (Vec::new(), Some(error)),
            };
            stream::iter(events.into_iter().map(Ok).chain(end.map(Err)))
        })
        .flatten()
        .boxed()
    }
}
