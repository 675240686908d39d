//! One question until it is answered: judges answers, asks again, and adds up what it took.

use std::ops::ControlFlow;

use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::time::Instant;

use super::answer::{MAX_ATTEMPTS, Structured};
use super::read::Reader;
use crate::error::{InvalidOutput, ModelError};
use crate::message::{Message, Part};
use crate::request::Request;
use crate::response::{FinishReason, Response, Usage};

pub(super) struct Session {
    request: Request,
    /// Number of messages that the question came with.
    asked: usize,
    reader: Reader,
    name: String,
    is_untyped: bool,
    usage: Usage,
    attempts: u32,
    failed: Option<InvalidOutput>,
    started: Instant,
}

/// Either the end, or the problem that the model was told of.
pub(super) type Verdict<T> = ControlFlow<Result<Structured<T>, ModelError>, String>;

impl Session {
    /// A question whose schema is in the request.
    pub(super) fn new(request: Request, is_untyped: bool) -> Result<Self, ModelError> {
        let Some(output) = &request.schema else {
            return Err(ModelError::invalid_request("a structured answer needs a schema in the request", None));
        };
        Ok(Self {
            reader: Reader::new(output)?,
            name: output.name.clone(),
            asked: request.messages.len(),
            request,
            is_untyped,
            usage: Usage::default(),
            attempts: 0,
            failed: None,
            started: Instant::now(),
        })
    }

    /// What to ask now.
    pub(super) fn request(&self) -> &Request {
        &self.request
    }

    /// The schema that was asked with.
    pub(super) fn schema(&self) -> &Value {
        self.reader.schema()
    }

    /// Judges an answer. The session goes on when the model is to be asked again.
    pub(super) fn judge<T: DeserializeOwned>(&mut self, answer: Result<Response, ModelError>) -> Verdict<T> {
        let response = match answer {
            Ok(response) => response,
            Err(error) => return ControlFlow::Break(Err(self.failure(error))),
        };
        self.usage += response.usage;
        self.attempts += 1;
        if response.finish == FinishReason::ContentFilter {
            let error = ModelError::withheld(words_of_refusal(&response), self.usage);
            return ControlFlow::Break(Err(error));
        }
        let problem = match self.reader.read(&response.text, self.is_untyped) {
            Ok(value) => {
                let (usage, attempts) = (self.usage, self.attempts);
                let rejected = self.request.messages.split_off(self.asked);
                return ControlFlow::Break(Ok(Structured { value, usage, attempts, response, rejected }));
            }
            Err(problem) => problem,
        };
        let is_too_long = response.finish == FinishReason::Length;
        let problem = if is_too_long { format!("it reached the limit of its length; {problem}") } else { problem };
        self.reject(response, &problem, is_too_long);
        if self.attempts >= MAX_ATTEMPTS {
            let output = self.failed.take().map_or(ModelError::Cancelled, |o| ModelError::InvalidOutput(Box::new(o)));
            return ControlFlow::Break(Err(output));
        }
        if self.request.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            let error = ModelError::timeout(self.started.elapsed());
            return ControlFlow::Break(Err(self.failure(error)));
        }
        ControlFlow::Continue(problem)
    }

    /// The error of a call, with the unusable answer before it.
    fn failure(&mut self, error: ModelError) -> ModelError {
        match self.failed.take() {
            Some(before) => ModelError::ReaskFailed { source: Box::new(error), before: Box::new(before) },
            None => error,
        }
    }

    fn reject(&mut self, response: Response, problem: &str, is_too_long: bool) {
        let mut said = response.to_message();
        // Calls that nobody answers would make the next request invalid.
        said.parts.retain(|part| !matches!(part, Part::ToolCall(_)));
        let messages = &mut self.request.messages;
        if !response.text.is_empty() {
            messages.push(said);
        }
        messages.push(Message::user(ask_again(problem, is_too_long)));
        self.failed = Some(InvalidOutput::new(&self.name, problem, response.text).after(self.attempts, self.usage));
    }
}

fn ask_again(problem: &str, is_too_long: bool) -> String {
    let shorter = if is_too_long { " Make it shorter than before." } else { "" };
    format!(
        "Your answer cannot be used: {problem}. Answer again with the corrected JSON alone, without a fence and without \
         any words before or after it.{shorter}"
    )
}

/// What the model or its provider said instead of an answer.
fn words_of_refusal(response: &Response) -> Option<String> {
    let refusal = response.metadata.get("refusal").and_then(Value::as_str);
    refusal.or(Some(response.text.as_str())).filter(|words| !words.trim().is_empty()).map(str::to_owned)
}
