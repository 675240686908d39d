//! A model that says the last message again.

use async_trait::async_trait;

use crate::error::ModelError;
use crate::model::{Abilities, ChatModel, ModelInfo, ModelKind};
use crate::request::Request;
use crate::response::{Response, Usage};
use crate::stream::{EventStream, replay_lazily};

/// Says the text of the last message again.
///
/// Its usage counts words, one token each, so that what it reports follows from what was sent.
///
/// ```
/// use research_llm::testing::EchoModel;
/// use research_llm::{ChatModel, Request, Usage};
///
/// # futures::executor::block_on(async {
/// let answer = EchoModel::new().complete(&Request::new().system("Be brief.").user("Is it raining?")).await?;
/// assert_eq!(answer.text, "Is it raining?");
/// assert_eq!(answer.usage, Usage::new(5, 3));
/// # Ok::<(), research_llm::ModelError>(()) }).unwrap();
/// ```
#[derive(Clone, Debug)]
pub struct EchoModel {
    info: ModelInfo,
}

impl EchoModel {
    /// A model named `echo:echo`.
    #[must_use]
    pub fn new() -> Self {
        let abilities = Abilities { streaming: true, ..Abilities::default() };
        Self { info: ModelInfo::new("echo", "echo", ModelKind::Scripted).abilities(abilities) }
    }

    fn answer(&self, request: &Request) -> Response {
        let words = |text: &str| text.split_whitespace().count() as u64;
        let read = request.messages.iter().map(|message| words(&message.text())).sum();
        let last = request.messages.last().map(|message| message.text()).unwrap_or_default();
        let usage = Usage::new(read, words(&last));
        Response::new(&self.info.name, last).usage(usage)
    }
}

impl Default for EchoModel {
    fn default() -> Self {
        Self::new()
    }
}

#[async_trait]
impl ChatModel for EchoModel {
    fn info(&self) -> &ModelInfo {
        &self.info
    }

    async fn complete(&self, request: &Request) -> Result<Response, ModelError> {
        Ok(self.answer(request))
    }

    fn stream(&self, request: Request) -> EventStream<'_> {
        replay_lazily(async move { Ok(self.answer(&request)) })
    }
}
