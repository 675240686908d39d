//! Answers as Rust types: ask with the schema, read, and ask again with the precise error.

mod extract;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use crate::error::{InvalidOutput, ModelError};
use crate::layer::Layer;
use crate::message::Message;
use crate::model::ChatModel;
use crate::request::{OutputSchema, Request};
use crate::response::Usage;

/// How often [`ChatModelExt::structured`] asks at most.
pub const MAX_ATTEMPTS: u32 = 3;

/// A value that a model answered.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Structured<T> {
    /// The value.
    pub value: T,
    /// What all attempts used together.
    pub usage: Usage,
    /// How often was asked, from 1.
    pub attempts: u32,
}

/// What every [`ChatModel`] can do besides.
#[async_trait]
pub trait ChatModelExt: ChatModel {
    /// Wraps the model in a layer. The layer that is added last sees a call first.
    fn with<L: Layer<Self>>(self, layer: L) -> L::Model
    where
        Self: Sized,
    {
        layer.layer(self)
    }

    /// Asks for a value of a type.
    ///
    /// The schema of the type goes with the request. The answer may be fenced or have prose around it, or commas too
    /// many; an answer that still does not fit goes back to the model with the place and the reason, at most
    /// [`MAX_ATTEMPTS`] times in all.
    ///
    /// # Errors
    /// * [`ModelError::InvalidOutput`] with the last answer when no attempt fits;
    /// * [`ModelError::ReaskFailed`] when a call after an unusable answer fails;
    /// * otherwise the error of the first call, as it is.
    ///
    /// ```
    /// use research_llm::testing::ScriptedModel;
    /// use research_llm::{ChatModelExt, Request};
    ///
    /// # futures::executor::block_on(async {
    /// let model = ScriptedModel::new().then("Here you are:\n```json\n[1, 2, 3,]\n```\nAnything else?");
    /// let numbers = model.structured::<Vec<u8>>(Request::new().user("Count to three.")).await?;
    /// assert_eq!((numbers.value, numbers.attempts), (vec![1, 2, 3], 1));
    /// # Ok::<(), research_llm::ModelError>(()) }).unwrap();
    /// ```
    async fn structured<T>(&self, request: Request) -> Result<Structured<T>, ModelError>
    where
        T: DeserializeOwned + JsonSchema + Send,
    {
        let schema = OutputSchema::of::<T>();
        let name = schema.name.clone();
        let mut request = request.schema(schema);
        let mut usage = Usage::default();
        let mut failed: Option<InvalidOutput> = None;
        for attempts in 1..=MAX_ATTEMPTS {
            let response = match (self.complete(&request).await, failed.take()) {
                (Ok(response), _) => response,
                (Err(error), None) => return Err(error),
                (Err(error), Some(before)) => {
                    return Err(ModelError::ReaskFailed { source: Box::new(error), before: Box::new(before) });
                }
            };
            usage += response.usage;
            match extract::read::<T>(&response.text) {
                Ok(value) => {
                    return Ok(Structured { value, usage, attempts });
                }
                Err(problem) => {
                    request = request
                        .message(Message::assistant(response.text.clone()))
                        .message(Message::user(ask_again(&problem)));
                    failed = Some(InvalidOutput::new(&name, problem, response.text).after(attempts, usage));
                }
            }
        }
        // The loop leaves a failure behind in every round that does not return.
        Err(failed.map_or(ModelError::Cancelled, |output| ModelError::InvalidOutput(Box::new(output))))
    }
}

impl<M: ChatModel + ?Sized> ChatModelExt for M {}

fn ask_again(problem: &str) -> String {
    format!(
        "Your answer cannot be used: {problem}. Answer again with the corrected JSON alone, without a fence and without \
         any words before or after it."
    )
}

#[cfg(test)]
mod tests;
