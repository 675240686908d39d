//! Recording what was asked of a model and what it answered, and answering from such a record.

mod diff;
mod fault;
mod interaction;
mod replayer;
mod scrub;

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;

use super::shared::observe::{Observer, lazily, observe};
use super::stack::Layer;
use crate::error::ModelError;
use crate::model::{ChatModel, ModelInfo};
use crate::redact::Redactor;
use crate::request::Request;
use crate::response::Response;
use crate::stream::{EventStream, StreamEvent};

use fault::Fault;
use interaction::{Interaction, Outcome};
use scrub::Scrubber;

pub use diff::{Difference, NotRecorded};
pub use replayer::Replayer;

/// Writes every call of a model and its outcome to a cassette, from which a [`Replayer`] answers. A clone is another handle
/// on the same cassette, so that several models can be recorded into one.
///
/// A cassette is text: one interaction in JSON on each line, written when the call is over, with the model, the request, and
/// the answer, the events of the stream or the error. A stream whose reader went away is kept as far as it was read; a whole
/// answer that nobody waited for is not.
///
/// Secrets are taken out before anything is written: the texts given to [`secret`](Self::secret), words that are shaped
/// like keys (`sk-…`, `Bearer …` and the like), and the values of [extra](Request::extra) fields whose names say that they
/// are one, such as `api_key`. In a stream a secret is also found where it is spread over several pieces.
///
/// Trouble with the file does not disturb the calls; [`finish`](Self::finish) tells of it.
///
/// ```
/// use research_llm::layer::{Recorder, Replayer};
/// use research_llm::testing::ScriptedModel;
/// use research_llm::{ChatModel, ChatModelExt, Request};
///
/// # futures::executor::block_on(async {
/// # let directory = tempfile::tempdir().unwrap();
/// # let path = directory.path().join("capitals.jsonl");
/// let recorder = Recorder::create(&path)?;
/// let model = ScriptedModel::new().then("Graz").with(recorder.clone());
/// let request = Request::new().user("The capital of Styria?");
/// model.complete(&request).await?;
/// recorder.finish()?;
///
/// let model = Replayer::open(&path)?;
/// assert_eq!(model.complete(&request).await?.text, "Graz");
/// model.finish()?;
///
/// let other = model.complete(&Request::new().user("The capital of Carinthia?")).await.unwrap_err();
/// assert!(other.to_string().contains("/messages/0/parts/0/text"), "{other}");
/// # Ok::<(), research_llm::ModelError>(()) }).unwrap();
/// ```
#[derive(Clone)]
pub struct Recorder {
    tape: Arc<Mutex<Tape>>,
    scrubber: Scrubber,
}

/// Takes words that are shaped like keys and the [registered](crate::redact::register_secret) ones out of all texts of a value,
/// names of fields among them, as a [`Recorder`] does.
///
/// ```
/// use research_llm::layer::redact_keys;
/// use serde_json::json;
///
/// let mut told = json!({"message": "the key sk-proj-abcdefghijklmnop1234 is not accepted"});
/// redact_keys(&mut told);
/// assert_eq!(told["message"], "the key [redacted] is not accepted");
/// ```
pub fn redact_keys(value: &mut Value) {
    Redactor::known().value(value);
    Scrubber::default().value(value);
}

struct Tape {
    out: Box<dyn Write + Send>,
    trouble: Option<ModelError>,
}

impl std::fmt::Debug for Recorder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Recorder").finish_non_exhaustive()
    }
}

impl Recorder {
    /// Records into a new file, in place of one that is there.
    ///
    /// # Errors
    /// [`ModelError::Other`] if the file cannot be made.
    pub fn create(path: impl AsRef<Path>) -> Result<Self, ModelError> {
        let path = path.as_ref();
        File::create(path).map(Self::to_writer).map_err(|error| unwritable(path, error))
    }

    /// Records at the end of a file, which is made when it is not there. The rest of a line that a crash cut off is removed.
    ///
    /// # Errors
    /// [`ModelError::Other`] if the file cannot be read and written.
    pub fn append(path: impl AsRef<Path>) -> Result<Self, ModelError> {
        let path = path.as_ref();
        let open = || {
            let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes)?;
            let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
            file.set_len(whole as u64)?;
            file.seek(SeekFrom::End(0))?;
            Ok(file)
        };
        open().map(Self::to_writer).map_err(|error| unwritable(path, error))
    }

    /// Records into anything that takes bytes. It gets a whole line at once, on the thread of the call.
    #[must_use]
    pub fn to_writer(out: impl Write + Send + 'static) -> Self {
        let tape = Tape { out: Box::new(out), trouble: None };
        Self { tape: Arc::new(Mutex::new(tape)), scrubber: Scrubber::default() }
    }

    /// Takes this text out of everything that is recorded through this handle and its later clones. An empty one is left
    /// alone.
    #[must_use]
    pub fn secret(mut self, secret: impl Into<SecretString>) -> Self {
        self.scrubber = self.scrubber.with(secret.into().expose_secret());
        self
    }

    /// Brings everything to the file, and says whether all calls so far were recorded.
    ///
    /// # Errors
    /// [`ModelError::Other`] with the first trouble there was.
    pub fn finish(&self) -> Result<(), ModelError> {
        let mut tape = self.lock();
        if let Some(trouble) = &tape.trouble {
            return Err(trouble.clone());
        }
        tape.out.flush().map_err(|error| not_recorded(Arc::new(error)))
    }

    fn write(&self, interaction: Interaction) {
        let line = interaction.into_line(&self.scrubber);
        let mut tape = self.lock();
        let written = line
            .map_err(|error| not_recorded(Arc::new(error)))
            .and_then(|line| tape.out.write_all(line.as_bytes()).map_err(|error| not_recorded(Arc::new(error))));
        if let Err(trouble) = written {
            tracing::error!(%trouble, "a call of a model is missing in the cassette");
            tape.trouble.get_or_insert(trouble);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Tape> {
        // A writer that panicked is the writer's trouble; the next line is tried again.
        self.tape.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn unwritable(path: &Path, error: io::Error) -> ModelError {
    ModelError::other(format!("the cassette `{}` cannot be written", path.display()), Some(Arc::new(error)))
}

fn not_recorded(cause: crate::error::Cause) -> ModelError {
    ModelError::other("a call could not be recorded", Some(cause))
}

impl<M: ChatModel> Layer<M> for Recorder {
    type Model = Recorded<M>;

    fn layer(self, inner: M) -> Recorded<M> {
        Recorded { inner, recorder: self }
    }
}

/// A model whose calls are recorded.
#[derive(Clone, Debug)]
pub struct Recorded<M> {
    inner: M,
    recorder: Recorder,
}

#[async_trait]
impl<M: ChatModel> ChatModel for Recorded<M> {
    fn info(&self) -> &ModelInfo {
        self.inner.info()
    }

    async fn complete(&self, request: &Request) -> Result<Response, ModelError> {
        let answer = self.inner.complete(request).await;
        let outcome = match &answer {
            Ok(response) => Outcome::Response(Box::new(response.clone())),
            Err(error) => Outcome::Error(Fault::of(error)),
        };
        self.recorder.write(Interaction::new(self.inner.info(), request, outcome));
        answer
    }

    fn stream(&self, request: Request) -> EventStream<'_> {
        lazily(move || {
            let watch = Watch {
                recorder: &self.recorder,
                info: self.inner.info(),
                request: request.clone(),
                events: Vec::new(),
                error: None,
            };
            observe(self.inner.stream(request), watch)
        })
    }
}

/// One stream under way. It is written when it is dropped, whether it ended or its reader went away.
struct Watch<'a> {
    recorder: &'a Recorder,
    info: &'a ModelInfo,
    request: Request,
    events: Vec<StreamEvent>,
    error: Option<Fault>,
}

impl Observer for Watch<'_> {
    fn event(&mut self, event: &StreamEvent) {
        self.events.push(event.clone());
    }

    fn error(&mut self, error: &ModelError) {
        self.error = Some(Fault::of(error));
    }
}

impl Drop for Watch<'_> {
    fn drop(&mut self) {
        let outcome = Outcome::Stream { events: std::mem::take(&mut self.events), error: self.error.take() };
        let request = std::mem::take(&mut self.request);
        self.recorder.write(Interaction::new(self.info, &request, outcome));
    }
}
