//! Questions that a server asks the user in the middle of a call, and their answers.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::future::BoxFuture;
use crate::tool::Object;

/// Somebody who answers the questions of servers: a person behind a form, or rules in their place.
///
/// Give one to [`HubBuilder::elicitor`](crate::HubBuilder::elicitor). While a question is open, the call's limit without progress
/// stands still; its hard limit does not. A question is dropped when its call ends.
///
/// ```
/// use research_mcp::{BoxFuture, ElicitAnswer, Elicitation, Elicitor};
/// use serde_json::json;
///
/// struct AlwaysGreen;
///
/// impl Elicitor for AlwaysGreen {
///     fn ask(&self, question: Elicitation) -> BoxFuture<'_, ElicitAnswer> {
///         Box::pin(async move {
///             if question.message.contains("colour") {
///                 ElicitAnswer::Accept(json!({"colour": "green"}))
///             } else {
///                 ElicitAnswer::Decline
///             }
///         })
///     }
/// }
/// ```
pub trait Elicitor: Send + Sync {
    /// Answers a question.
    fn ask(&self, question: Elicitation) -> BoxFuture<'_, ElicitAnswer>;
}

/// A question of a server. All of it but the server's name in the hub is the server's own words and untrusted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Elicitation {
    /// Name of the server in the hub.
    pub server: String,
    /// The tool whose call asks, where that is known: servers of MCP 2025-11-25 and before do not say it, so that it is known only
    /// when a single call is under way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// What is asked.
    pub message: String,
    /// What kind of answer is wanted.
    pub wanted: Wanted,
}

/// What kind of answer a server wants.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Wanted {
    /// Values that are sent to the server.
    #[non_exhaustive]
    Form {
        /// JSON schema of the object that is wanted; MCP allows properties of primitive types.
        schema: Value,
    },
    /// That the user visits a page; the server learns there what it wants to know. Nothing here visits it. Show the whole address
    /// and ask before it is opened.
    #[non_exhaustive]
    Url {
        /// Address of the page.
        url: String,
    },
}

/// The answer to a question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ElicitAnswer {
    /// The user agrees: with the wanted object, or with `null` to visiting a page.
    Accept(Value),
    /// The user does not want to say it.
    Decline,
    /// The user went away without a choice.
    Cancel,
}

impl ElicitAnswer {
    /// The answer as MCP writes it.
    pub(crate) fn to_wire(&self) -> Value {
        match self {
            Self::Accept(Value::Null) => json!({"action": "accept"}),
            Self::Accept(content) => json!({"action": "accept", "content": content}),
            Self::Decline => json!({"action": "decline"}),
            Self::Cancel => json!({"action": "cancel"}),
        }
    }
}

impl Elicitation {
    /// The values that the server proposes, by the name of the property: what a form shows before the user has changed anything.
    /// [`Accept`](ElicitAnswer::Accept) with them says that the user left all as it was.
    #[must_use]
    pub fn defaults(&self) -> Object {
        let Wanted::Form { schema } = &self.wanted else { return Object::new() };
        let properties = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
        properties.filter_map(|(name, property)| Some((name.clone(), property.get("default")?.clone()))).collect()
    }

    /// Reads the parameters of `elicitation/create`.
    pub(crate) fn read(server: &str, tool: Option<&str>, params: &Value) -> Option<Self> {
        let wanted = match (params.get("url").and_then(Value::as_str), params.get("requestedSchema")) {
            (Some(url), _) => Wanted::Url { url: url.to_owned() },
            (None, Some(schema)) => Wanted::Form { schema: schema.clone() },
            (None, None) => return None,
        };
        Some(Self {
            server: server.to_owned(),
            tool: tool.map(str::to_owned),
            message: params.get("message").and_then(Value::as_str)?.to_owned(),
            wanted,
        })
    }
}

/// What a server of MCP 2026-07-28 wants to know before it goes on with a call. It can be stored: the call is made again later, by
/// anybody, with [`CallOptions::answers`](crate::CallOptions::answers).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct InputRequired {
    /// The questions by the server's names for them.
    pub questions: BTreeMap<String, Elicitation>,
    /// What the server wants back as it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
}

impl InputRequired {
    /// Reads an `InputRequiredResult`.
    pub(crate) fn read(server: &str, tool: &str, result: &Value) -> Result<Self, &'static str> {
        let mut questions = BTreeMap::new();
        for (key, request) in result.get("inputRequests").and_then(Value::as_object).into_iter().flatten() {
            if request.get("method").and_then(Value::as_str) != Some("elicitation/create") {
                return Err("it asks for something else than an answer of the user, which this client does not offer");
            }
            let question = request.get("params").and_then(|params| Elicitation::read(server, Some(tool), params));
            questions.insert(key.clone(), question.ok_or("its question to the user cannot be read")?);
        }
        let state = result.get("requestState").and_then(Value::as_str).map(str::to_owned);
        if questions.is_empty() && state.is_none() {
            return Err("it asks for input but does not say which");
        }
        Ok(Self { questions, state })
    }

    /// The answers to go on with. A question that is left out is declined.
    #[must_use]
    pub fn answered(&self, mut answers: BTreeMap<String, ElicitAnswer>) -> Answers {
        let answer = |key: &String| (key.clone(), answers.remove(key).unwrap_or(ElicitAnswer::Decline));
        Answers { answers: self.questions.keys().map(answer).collect(), state: self.state.clone() }
    }
}

/// The answers to what a call asked for, to make it again with.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Answers {
    /// The answers by the server's names for the questions.
    pub answers: BTreeMap<String, ElicitAnswer>,
    /// What the server wants back as it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_kinds_of_questions_are_read() {
        let result = json!({"resultType": "input_required", "requestState": "s", "inputRequests": {
            "a": {"method": "elicitation/create", "params": {"message": "Name?", "requestedSchema": {"type": "object"}}},
            "b": {"method": "elicitation/create", "params": {"mode": "url", "message": "Sign in", "url": "https://x.example/"}},
        }});
        let read = InputRequired::read("s", "t", &result).unwrap();
        assert_eq!(read.questions["a"].wanted, Wanted::Form { schema: json!({"type": "object"}) });
        assert_eq!(read.questions["b"].wanted, Wanted::Url { url: "https://x.example/".into() });
        let answers = read.answered(BTreeMap::from([("a".into(), ElicitAnswer::Accept(json!({"name": "n"})))]));
        assert_eq!(answers.answers["b"], ElicitAnswer::Decline);
        assert_eq!(answers.state.as_deref(), Some("s"));
        assert_eq!(answers.answers["a"].to_wire(), json!({"action": "accept", "content": {"name": "n"}}));
        let stored = serde_json::to_string(&read).unwrap();
        assert_eq!(serde_json::from_str::<InputRequired>(&stored).unwrap(), read);
    }

    #[test]
    fn the_defaults_are_those_of_the_properties_that_have_one() {
        let asked = |params| Elicitation::read("s", None, &params).unwrap().defaults();
        let form = asked(json!({"message": "Who?", "requestedSchema": {"type": "object", "properties": {
            "name": {"type": "string", "default": "John"}, "age": {"type": "integer"}, "sure": {"type": "boolean", "default": false},
        }}}));
        assert_eq!(Value::Object(form), json!({"name": "John", "sure": false}));
        assert!(asked(json!({"message": "Sign in", "url": "https://x.example/"})).is_empty());
    }

    #[test]
    fn what_is_no_question_to_the_user_is_refused() {
        let sampling = json!({"inputRequests": {"a": {"method": "sampling/createMessage", "params": {}}}});
        assert!(InputRequired::read("s", "t", &sampling).is_err());
        assert!(InputRequired::read("s", "t", &json!({})).is_err());
    }
}
