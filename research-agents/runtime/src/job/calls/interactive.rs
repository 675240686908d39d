//! Calls whose servers may ask the user: the run is interrupted, and the call is made again with
//! the answers.

use std::sync::Arc;

use research_core::{Ask, NodeError};
use research_mcp::{ElicitAnswer, Elicitation, McpError, Object, Operation, Wanted};
use serde_json::{Value, json};

use crate::error::model::Error;
use crate::job::calls::gate::{Answered, GateRequest, ToolAnswer, unanswered};
use crate::job::source::Turn;
use crate::job::task::Job;
use crate::tape::exchange::{Exchange, ToolQuestion};

/// Maximum number of times that one call may ask, as the hub limits it within one call.
const MAX_ROUNDS: usize = 10;

/// Maximum number of questions that one call may ask together.
const MAX_QUESTIONS: usize = 16;

/// The key of an interrupt's payload that holds the question.
pub(crate) const PAYLOAD_KEY: &str = "elicitation";

impl Job {
    /// Calls a tool whose server may ask the user. `key` distinguishes the call from the others of
    /// the task; `label` is what its progress is reported under.
    ///
    /// A question interrupts the run of a thread until an answer resumes it. Requests that have
    /// ended are recorded: when the node runs again, they are not made again. Without a thread no
    /// one can be asked.
    ///
    /// # Errors
    ///
    /// The outer error is the engine's while a question is open, and is passed on with `?`. The
    /// inner error is that of the call, as for [`call_tool`](Self::call_tool).
    pub async fn call_and_ask(
        &self,
        key: &str,
        label: &str,
        name: &str,
        arguments: Object,
    ) -> Result<Result<ToolAnswer, Error>, NodeError> {
        let tools = self.tools();
        let mut turn = self.first_turn(key, label);
        for round in 0..MAX_ROUNDS {
            let request = GateRequest {
                name,
                turn: &turn,
                round: Some((key, round)),
            };
            let asked = tools.request(&request, arguments.clone());
            let identity = (key, round, &arguments);
            let what = format!("call {name}");
            let asked = self.unless_stopped(&what, &identity, asked).await;
            let question = match asked.map_err(Error::from).and_then(|asked| asked) {
                Ok(Answered::Done(answer)) => return Ok(Ok(*answer)),
                Ok(Answered::Asked(question)) => question,
                Err(error) => return Ok(Err(error)),
            };

            // Ask all questions together, so that the user sees all of them.
            let place = format!("{key}/{round}");
            match question {
                ToolQuestion::Required(required) if required.questions.len() > MAX_QUESTIONS => {
                    return Ok(Err(unusable(
                        name,
                        "it asks the user too many questions at once",
                    )));
                }
                ToolQuestion::Required(required) if !turn.can_ask => {
                    let error = unanswered(name, ToolQuestion::Required(required));
                    return Ok(Err(error.into()));
                }
                ToolQuestion::Required(required) => {
                    let asked = required.questions.iter().enumerate();
                    let asked = asked.map(|(at, (name, question))| {
                        let place = format!("{place}/{at}");
                        async move { Ok((name.clone(), self.ask_user(&place, question).await?)) }
                    });
                    let answers: Vec<Result<_, NodeError>> = futures::future::join_all(asked).await;
                    let answers = answers.into_iter().collect::<Result<_, _>>()?;
                    turn.answers = Some(required.answered(answers));
                }
                ToolQuestion::Interrupting(question) => {
                    let answer = self.ask_user(&place, &question).await?;
                    turn.answered.push((question, answer));
                }
            }
        }
        Ok(Err(unusable(name, "it asks the user again and again")))
    }

    fn first_turn(&self, key: &str, label: &str) -> Turn {
        let context = Arc::clone(&self.context);
        // Other runs may use the same hub, so the place alone does not identify the call.
        let mut turn = Turn::new(format!("{}/{key}/{}", self.tape.place(), fastrand::u64(..)));
        label.clone_into(&mut turn.key);
        turn.can_ask = self.is_durable() || self.tape.is_replaying();
        turn.on_progress = Arc::new(move |progress| context.emit_progress(progress));
        turn
    }

    /// Asks the user a question of a server. An address that is not a web page is declined without
    /// being shown.
    async fn ask_user(
        &self,
        place: &str,
        question: &Elicitation,
    ) -> Result<ElicitAnswer, NodeError> {
        if let Wanted::Url { url, .. } = &question.wanted
            && !is_web_page(url)
        {
            tracing::warn!(
                server = question.server,
                "a server wants the user to visit an address that is not a web page; it is declined"
            );
            return Ok(ElicitAnswer::Decline);
        }

        // A replay reads the answer that the user gave to the recorded run.
        let mark = self.tape.mark("answer", &place);
        if self.tape.is_replaying() {
            return match self.tape.kept(&mark) {
                Some(Exchange::Local { value }) => Ok(serde_json::from_value(value)?),
                _ => Err(NodeError::from("the recording has no answer of the user")),
            };
        }

        let payload = json!({ PAYLOAD_KEY: question });
        let ask = Ask::new(place, payload).schema(answer_schema(&question.wanted));
        let answer = self.context.interrupt_for_server(ask).await?;
        let value = serde_json::to_value(&answer)?;
        self.tape.keep(mark, Exchange::Local { value });
        Ok(answer)
    }
}

fn unusable(tool: &str, reason: &str) -> Error {
    let error = McpError::Protocol {
        server: String::new(),
        tool: Some(tool.to_owned()),
        operation: Operation::Call,
        code: None,
        reason: reason.to_owned(),
    };
    Error::from(error)
}

fn is_web_page(url: &str) -> bool {
    let scheme = url
        .split_once("://")
        .map(|(scheme, _)| scheme.to_ascii_lowercase());
    matches!(scheme.as_deref(), Some("https" | "http"))
}

/// Returns the schema of the answer.
fn answer_schema(wanted: &Wanted) -> Value {
    let accepted = match wanted {
        Wanted::Form { schema, .. } => schema.clone(),
        _ => json!({"type": "null"}),
    };
    let accept =
        json!({"type": "object", "properties": {"accept": accepted}, "required": ["accept"]});
    json!({"oneOf": [accept, {"enum": ["decline", "cancel"]}]})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_web_pages_are_shown() {
        for url in ["https://sign.example/in", "HTTP://localhost:1/x"] {
            assert!(is_web_page(url), "{url}");
        }
        for url in [
            "javascript:alert(1)",
            "file:///etc/passwd",
            "vscode://run",
            "",
            "https:/x",
            " https://x",
        ] {
            assert!(!is_web_page(url), "{url}");
        }
    }

    #[test]
    fn answer_schema_contains_the_wanted_form() {
        let wanted: Wanted =
            serde_json::from_value(json!({"form": {"schema": {"type": "object"}}})).unwrap();

        assert_eq!(
            answer_schema(&wanted)["oneOf"][0]["properties"]["accept"],
            json!({"type": "object"})
        );
        let answer: ElicitAnswer = serde_json::from_value(json!({"accept": {"n": 1}})).unwrap();
        assert_eq!(answer, ElicitAnswer::Accept(json!({"n": 1})));
        assert_eq!(
            serde_json::from_value::<ElicitAnswer>(json!("decline")).unwrap(),
            ElicitAnswer::Decline
        );
    }
}
