//! The trait of a layer.

use crate::model::ChatModel;

/// Wraps a model in another.
///
/// ```
/// use research_llm::layer::Layer;
/// use research_llm::testing::ScriptedModel;
/// use research_llm::{ChatModel, ChatModelExt, EventStream, ModelError, ModelInfo, Request, Response, async_trait};
///
/// /// Puts a house rule before every conversation.
/// struct HouseRule(&'static str);
///
/// struct Ruled<M>(M, &'static str);
///
/// impl<M: ChatModel> Layer<M> for HouseRule {
///     type Model = Ruled<M>;
///
///     fn layer(self, inner: M) -> Ruled<M> {
///         Ruled(inner, self.0)
///     }
/// }
///
/// impl<M> Ruled<M> {
///     fn rule(&self, request: &Request) -> Request {
///         let mut request = request.clone();
///         request.messages.insert(0, research_llm::Message::system(self.1));
///         request
///     }
/// }
///
/// #[async_trait]
/// impl<M: ChatModel> ChatModel for Ruled<M> {
///     fn info(&self) -> &ModelInfo {
///         self.0.info()
///     }
///     async fn complete(&self, request: &Request) -> Result<Response, ModelError> {
///         self.0.complete(&self.rule(request)).await
///     }
///     fn stream(&self, request: Request) -> EventStream<'_> {
///         self.0.stream(self.rule(&request))
///     }
/// }
///
/// let model = ScriptedModel::new().then("Servus!").with(HouseRule("Answer in German."));
/// # futures::executor::block_on(async {
/// assert_eq!(model.complete(&Request::new().user("Hello!")).await?.text, "Servus!");
/// # Ok::<(), ModelError>(()) }).unwrap();
/// ```
pub trait Layer<M> {
    /// The model around it.
    type Model: ChatModel;

    /// Wraps a model.
    fn layer(self, inner: M) -> Self::Model;
}
