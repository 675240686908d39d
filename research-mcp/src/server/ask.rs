//! Questions to the client in the middle of a request, and their answers.
#![expect(deprecated, reason = "clients offer sampling and roots, although MCP 2026-07-28 advises against both")]

use rmcp::model::{
    CreateMessageRequest, CreateMessageRequestParams, ElicitRequest, ElicitRequestParams, InputRequest,
    ListRootsRequest,
};
use serde_json::{Value, json};

use super::arguments::Checker;
use super::capability::Capability;
use super::failure::Refusal;
use crate::elicit::ElicitAnswer;
use crate::output::Content;

/// A question to the client.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Question {
    /// Values from the user.
    #[non_exhaustive]
    Form {
        /// What is asked.
        message: String,
        /// JSON schema of the object that is wanted; MCP allows properties of primitive types and lists of choices.
        schema: Value,
    },
    /// That the user visits a page.
    #[non_exhaustive]
    Visit {
        /// Why.
        message: String,
        /// Its address.
        url: String,
    },
    /// Text from the client's model.
    Sample(Sampling),
    /// The folders and addresses that matter to the client.
    Roots,
}

impl Question {
    /// Asks the user for values.
    pub fn form(message: impl Into<String>, schema: Value) -> Self {
        Self::Form { message: message.into(), schema }
    }

    /// Asks the user to visit a page.
    pub fn visit(message: impl Into<String>, url: impl Into<String>) -> Self {
        Self::Visit { message: message.into(), url: url.into() }
    }

    pub(super) fn capability(&self) -> Capability {
        match self {
            Self::Form { .. } | Self::Visit { .. } => Capability::Elicitation,
            Self::Sample(_) => Capability::Sampling,
            Self::Roots => Capability::Roots,
        }
    }

    pub(super) fn method(&self) -> &'static str {
        match self {
            Self::Form { .. } | Self::Visit { .. } => "elicitation/create",
            Self::Sample(_) => "sampling/createMessage",
            Self::Roots => "roots/list",
        }
    }

    pub(super) fn params(&self, key: &str) -> Value {
        match self {
            Self::Form { message, schema } => json!({"mode": "form", "message": message, "requestedSchema": schema}),
            Self::Visit { message, url } => {
                json!({"mode": "url", "message": message, "url": url, "elicitationId": key})
            }
            Self::Sample(sampling) => sampling.params(),
            Self::Roots => json!({}),
        }
    }

    /// The question as a part of a result.
    pub(super) fn request(&self, key: &str) -> Result<InputRequest, Refusal> {
        let unreadable =
            |error: serde_json::Error| Refusal::internal(format!("the question `{key}` cannot be asked: {error}"));
        let params = self.params(key);
        Ok(match self {
            Self::Form { .. } | Self::Visit { .. } => {
                let params: ElicitRequestParams = serde_json::from_value(params).map_err(unreadable)?;
                InputRequest::Elicitation(ElicitRequest::new(params))
            }
            Self::Sample(_) => {
                let params: CreateMessageRequestParams = serde_json::from_value(params).map_err(unreadable)?;
                InputRequest::CreateMessage(CreateMessageRequest::new(params))
            }
            Self::Roots => InputRequest::ListRoots(ListRootsRequest::default()),
        })
    }

    /// An answer of the client, when it is one to this question.
    pub(super) fn read(&self, answer: &Value) -> Option<Answer> {
        Some(match self {
            Self::Form { schema, .. } => Answer::User(match answer.get("action")?.as_str()? {
                "accept" => {
                    let content = answer.get("content").filter(|content| content.is_object())?;
                    // A schema that is none checks nothing.
                    if let Ok(checker) = Checker::new(schema)
                        && !checker.found(content).is_empty()
                    {
                        return None;
                    }
                    ElicitAnswer::Accept(content.clone())
                }
                other => refused(other)?,
            }),
            Self::Visit { .. } => Answer::User(match answer.get("action")?.as_str()? {
                "accept" => ElicitAnswer::Accept(Value::Null),
                other => refused(other)?,
            }),
            Self::Sample(_) => Answer::Model(Sampled::read(answer)?),
            Self::Roots => Answer::Roots(answer.get("roots")?.as_array()?.iter().filter_map(Root::read).collect()),
        })
    }
}

fn refused(action: &str) -> Option<ElicitAnswer> {
    match action {
        "decline" => Some(ElicitAnswer::Decline),
        "cancel" => Some(ElicitAnswer::Cancel),
        _ => None,
    }
}

/// What the client's model is asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Sampling {
    messages: Vec<(&'static str, Content)>,
    system: Option<String>,
    temperature: Option<f32>,
    max_tokens: u32,
}

impl Sampling {
    /// Asks for an answer to this text, of at most so many tokens.
    pub fn new(prompt: impl Into<String>, max_tokens: u32) -> Self {
        Self { messages: Vec::new(), system: None, temperature: None, max_tokens }.user(Content::text(prompt))
    }

    /// Adds a turn of the user.
    #[must_use]
    pub fn user(mut self, content: Content) -> Self {
        self.messages.push(("user", content));
        self
    }

    /// Adds a turn of the model.
    #[must_use]
    pub fn assistant(mut self, content: Content) -> Self {
        self.messages.push(("assistant", content));
        self
    }

    /// Sets the system prompt. The client may leave it out.
    #[must_use]
    pub fn system(mut self, prompt: impl Into<String>) -> Self {
        self.system = Some(prompt.into());
        self
    }

    /// Sets the temperature.
    #[must_use]
    pub fn temperature(mut self, temperature: f32) -> Self {
        self.temperature = Some(temperature);
        self
    }

    fn params(&self) -> Value {
        let message = |(role, content): &(&str, Content)| json!({"role": role, "content": super::wire::block(content)});
        let mut params = json!({
            "messages": self.messages.iter().map(message).collect::<Vec<_>>(),
            "maxTokens": self.max_tokens,
        });
        if let Some(system) = &self.system {
            params["systemPrompt"] = system.as_str().into();
        }
        if let Some(temperature) = self.temperature {
            params["temperature"] = f64::from(temperature).into();
        }
        params
    }
}

/// An answer of the client to a [`Question`]. It is untrusted.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Answer {
    /// Of the user, to [`Question::Form`] and [`Question::Visit`]. What the user accepted fits the schema.
    User(ElicitAnswer),
    /// Of the client's model, to [`Question::Sample`].
    Model(Sampled),
    /// To [`Question::Roots`].
    Roots(Vec<Root>),
}

impl Answer {
    /// The values that the user agreed to give, if that is what it is.
    #[must_use]
    pub fn accepted(&self) -> Option<&Value> {
        match self {
            Self::User(ElicitAnswer::Accept(content)) => Some(content),
            _ => None,
        }
    }
}

/// What the client's model said.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Sampled {
    /// Which model, as the client calls it.
    pub model: String,
    /// What it said.
    pub content: Vec<Content>,
    /// Why it ended, such as `endTurn` or `maxTokens`.
    pub stop_reason: Option<String>,
}

impl Sampled {
    fn read(answer: &Value) -> Option<Self> {
        let content = answer.get("content")?;
        let blocks = match content {
            Value::Array(blocks) => blocks.clone(),
            Value::Object(_) => vec![content.clone()],
            _ => return None,
        };
        let text = |key: &str| answer.get(key).and_then(Value::as_str).map(str::to_owned);
        Some(Self {
            model: text("model").unwrap_or_default(),
            content: blocks.into_iter().map(Content::raw).collect(),
            stop_reason: text("stopReason"),
        })
    }

    /// Its text.
    #[must_use]
    pub fn text(&self) -> String {
        self.content.iter().filter_map(Content::as_text).collect::<Vec<_>>().join("\n")
    }
}

/// A folder or address that matters to the client.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Root {
    /// Its address, such as `file:///home/ada/project`.
    pub uri: String,
    /// What the client calls it.
    pub name: Option<String>,
}

impl Root {
    fn read(root: &Value) -> Option<Self> {
        let text = |key: &str| root.get(key).and_then(Value::as_str).map(str::to_owned);
        Some(Self { uri: text("uri")?, name: text("name") })
    }
}
