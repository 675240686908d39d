//! A conversation that only grows, so that its beginning stays in the provider's cache.

use serde::{Deserialize, Serialize};

use crate::message::{Message, ToolResult};
use crate::request::Request;
use crate::response::Response;

/// A conversation whose beginning never changes.
///
/// Providers keep what they have read of a request, and read a later one that begins with exactly the same tools and messages
/// for a tenth of the price. One changed word at the beginning, such as the time of day, and nothing is kept. So the tools,
/// the standing instructions and the settings are fixed at the start, and turns can only be added at the end.
///
/// Two places are marked for the provider's cache in every [`request`](Self::request): the end of the beginning, which other
/// conversations may share, and the last turn, which the next request goes on from. `testing::assert_stable_prefix` (feature
/// `testing`) holds the requests of a whole run to it.
///
/// ```
/// use research_llm::testing::{ScriptedModel, assert_stable_prefix};
/// use research_llm::{ChatModel, Conversation, Request};
///
/// # futures::executor::block_on(async {
/// let model = ScriptedModel::new().then("Graz.").then("302,749.");
/// let mut talk = Conversation::new(Request::new().system("Answer in one word.").max_output_tokens(20));
///
/// talk.user("The capital of Styria?");
/// talk.answer(&model.complete(&talk.request()).await?);
/// talk.user("How many live there?");
/// talk.answer(&model.complete(&talk.request()).await?);
///
/// assert_eq!(talk.messages().count(), 5);
/// assert_stable_prefix(&model.calls());
/// # Ok::<(), research_llm::ModelError>(()) }).unwrap();
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Conversation {
    start: Request,
    turns: Vec<Message>,
}

impl Conversation {
    /// A conversation with a beginning: tools, standing instructions, perhaps material that all turns are about, and the
    /// settings of every request.
    #[must_use]
    pub fn new(start: Request) -> Self {
        Self { start, turns: Vec::new() }
    }

    /// Adds a turn at the end.
    pub fn push(&mut self, turn: Message) {
        self.turns.push(turn);
    }

    /// Adds what is asked next.
    pub fn user(&mut self, text: impl Into<String>) {
        self.push(Message::user(text));
    }

    /// Adds what the model answered, with its tool calls and what its provider wants back.
    pub fn answer(&mut self, response: &Response) {
        self.push(response.to_message());
    }

    /// Adds the results of tools that the model called.
    pub fn tools(&mut self, results: impl IntoIterator<Item = ToolResult>) {
        self.push(Message::tools(results));
    }

    /// All messages so far, those of the beginning first.
    pub fn messages(&self) -> impl Iterator<Item = &Message> {
        self.start.messages.iter().chain(&self.turns)
    }

    /// The turns after the beginning.
    #[must_use]
    pub fn turns(&self) -> &[Message] {
        &self.turns
    }

    /// The request for the next answer, with the marks for the provider's cache.
    #[must_use]
    pub fn request(&self) -> Request {
        let mut request = self.start.clone();
        request.messages.extend(self.turns.iter().cloned());
        // Providers take few marks, so those of turns that are no longer the last are taken back.
        let last_of_start = self.start.messages.len().checked_sub(1);
        let last = request.messages.len().checked_sub(1);
        for (at, message) in request.messages.iter_mut().enumerate() {
            message.cache = Some(at) == last_of_start || Some(at) == last;
        }
        request
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marks(conversation: &Conversation) -> Vec<bool> {
        conversation.request().messages.iter().map(|message| message.cache).collect()
    }

    #[test]
    fn the_end_of_the_beginning_and_the_last_turn_are_marked() {
        let mut talk = Conversation::new(Request::new().system("a").system("b"));
        assert_eq!(marks(&talk), [false, true]);
        talk.push(Message::user("c").cached());
        talk.answer(&Response::new("m", "d"));
        assert_eq!(marks(&talk), [false, true, false, true]);
        assert!(marks(&Conversation::default()).is_empty());
    }

    #[test]
    fn the_settings_of_the_beginning_are_those_of_every_request() {
        let mut talk = Conversation::new(Request::new().system("a").temperature(0.5));
        talk.user("b");
        assert_eq!(talk.request().temperature, Some(0.5));
        assert_eq!(talk.turns().len(), 1);
    }

    #[test]
    fn a_conversation_round_trips_as_json() {
        let mut talk = Conversation::new(Request::new().system("a"));
        talk.user("b");
        let text = serde_json::to_string(&talk).unwrap();
        assert_eq!(serde_json::from_str::<Conversation>(&text).unwrap(), talk);
    }
}
