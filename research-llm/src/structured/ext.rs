//! The methods that every chat model has in addition to those of its trait.

use std::ops::ControlFlow;

use async_trait::async_trait;
use futures::stream::BoxStream;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::answer::{Partial, Structured};
use super::session::Session;
use super::stream;
use crate::error::ModelError;
use crate::layer::Layer;
use crate::model::ChatModel;
use crate::request::{OutputSchema, Request};

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
    /// The schema of the type goes with the request. The answer may be fenced, have prose or reasoning around it, commas
    /// too many or comments; an answer that still does not fit goes back to the model with the place and the reason, at
    /// most [`MAX_ATTEMPTS`](super::MAX_ATTEMPTS) times in all. What a [dialect](crate::schema::Dialect) of the provider turned round is
    /// [restored](crate::schema::restore()). With the feature `validate` the value is also checked against the whole
    /// schema, and every violation is told, up to ten.
    ///
    /// # Errors
    /// * [`ModelError::InvalidOutput`] with the last answer when no attempt fits;
    /// * [`ModelError::Withheld`] when the model refuses or a filter takes its answer; it is not asked again;
    /// * [`ModelError::ReaskFailed`] when a call after an unusable answer fails or the deadline of the request is over;
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
        ask(self, Session::new(request.schema(OutputSchema::of::<T>()), false)?).await
    }

    /// Asks for JSON of the schema in the request, which may be made at run time.
    ///
    /// The answer is checked against the schema: its types, fields and fixed values, and with the feature `validate`
    /// everything else, such as ranges, lengths and patterns. Otherwise this is like [`structured`](Self::structured).
    ///
    /// # Errors
    /// Those of [`structured`](Self::structured), and [`ModelError::InvalidRequest`] for a request without a schema.
    ///
    /// ```
    /// use research_llm::testing::ScriptedModel;
    /// use research_llm::{ChatModelExt, OutputSchema, Request};
    /// use serde_json::json;
    ///
    /// # futures::executor::block_on(async {
    /// let schema = json!({"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]});
    /// let model = ScriptedModel::new().then(r#"{"y": 1}"#).then(r#"{"x": 1}"#);
    /// let answer = model.structured_value(Request::new().user("x?").schema(OutputSchema::new("x", schema))).await?;
    /// assert_eq!((answer.value, answer.attempts), (json!({"x": 1}), 2));
    /// # Ok::<(), research_llm::ModelError>(()) }).unwrap();
    /// ```
    async fn structured_value(&self, request: Request) -> Result<Structured<Value>, ModelError> {
        ask(self, Session::new(request, true)?).await
    }

    /// Asks for a value of a type and shows it while it is being written.
    ///
    /// # Errors
    /// The stream ends after [`Partial::Done`] or after an error, one of those of [`structured`](Self::structured).
    ///
    /// ```
    /// use futures::StreamExt;
    /// use research_llm::structured::Partial;
    /// use research_llm::testing::ScriptedModel;
    /// use research_llm::{ChatModelExt, Request};
    ///
    /// # futures::executor::block_on(async {
    /// let text = "an answer that comes in several pieces as it is longer than one piece of the scripted model";
    /// let model = ScriptedModel::new().then(format!("[{text:?}]"));
    /// let pieces: Vec<_> = model.structured_stream::<Vec<String>>(Request::new().user("Go!")).collect().await;
    /// assert!(matches!(&pieces[0], Ok(Partial::Value(value)) if text.starts_with(value[0].as_str().unwrap())));
    /// assert!(matches!(pieces.last(), Some(Ok(Partial::Done(done))) if done.value == [text]));
    /// # });
    /// ```
    fn structured_stream<'a, T>(&'a self, request: Request) -> BoxStream<'a, Result<Partial<T>, ModelError>>
    where
        T: DeserializeOwned + JsonSchema + Send + 'a,
    {
        stream::pieces(self, Session::new(request.schema(OutputSchema::of::<T>()), false))
    }
}

async fn ask<M, T>(model: &M, mut session: Session) -> Result<Structured<T>, ModelError>
where
    M: ChatModel + ?Sized,
    T: DeserializeOwned,
{
    loop {
        let answer = model.complete(session.request()).await;
        if let ControlFlow::Break(end) = session.judge(answer) {
            return end;
        }
    }
}

impl<M: ChatModel + ?Sized> ChatModelExt for M {}
