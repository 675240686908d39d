//! A question of a server as a question of a run.

use research_core::{Ask, Cx, NodeError, Question, State};
use research_mcp::{ElicitAnswer, Elicitation, Wanted};
use serde_json::{Value, json};

/// The key of the payload under which the question stands.
const KEY: &str = "elicitation";

/// What a server asks the user, if an open question of a run is one of a server. The answer to it is an [`ElicitAnswer`] as JSON:
/// `{"accept": {…}}`, `{"accept": null}` after the page of an address was visited, `"decline"` or `"cancel"`.
///
/// All but the server's name are the server's own words and untrusted: show who asks, and the whole of an address before anybody opens it.
#[must_use]
pub fn asked(question: &Question) -> Option<Elicitation> {
    serde_json::from_value(question.payload.get(KEY)?.clone()).ok()
}

/// Asks the user. An address that is none of the web is declined unseen: nobody should open it.
pub(super) async fn ask<S: State, R>(
    cx: &Cx<S, R>,
    key: &str,
    question: &Elicitation,
) -> Result<ElicitAnswer, NodeError> {
    if let Wanted::Url { url, .. } = &question.wanted
        && !is_web(url)
    {
        tracing::warn!(server = question.server, "a server wants the user to visit what is no page; it is declined");
        return Ok(ElicitAnswer::Decline);
    }
    let payload = json!({ KEY: question });
    cx.interrupt(Ask::new(key, payload).schema(schema(&question.wanted))).await
}

fn is_web(url: &str) -> bool {
    let scheme = url.split_once("://").map(|(scheme, _)| scheme.to_ascii_lowercase());
    matches!(scheme.as_deref(), Some("https" | "http"))
}

/// The schema of the answer.
fn schema(wanted: &Wanted) -> Value {
    let accepted = match wanted {
        Wanted::Form { schema, .. } => schema.clone(),
        _ => json!({"type": "null"}),
    };
    let accept = json!({"type": "object", "properties": {"accept": accepted}, "required": ["accept"]});
    json!({"oneOf": [accept, {"enum": ["decline", "cancel"]}]})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_pages_of_the_web_are_shown() {
        for url in ["https://sign.example/in", "HTTP://localhost:1/x"] {
            assert!(is_web(url), "{url}");
        }
        for url in ["javascript:alert(1)", "file:///etc/passwd", "vscode://run", "", "https:/x", " https://x"] {
            assert!(!is_web(url), "{url}");
        }
    }

    #[test]
    fn the_schema_of_the_answer_holds_what_the_server_wants() {
        let wanted: Wanted = serde_json::from_value(json!({"form": {"schema": {"type": "object"}}})).unwrap();
        assert_eq!(schema(&wanted)["oneOf"][0]["properties"]["accept"], json!({"type": "object"}));
        let answer: ElicitAnswer = serde_json::from_value(json!({"accept": {"n": 1}})).unwrap();
        assert_eq!(answer, ElicitAnswer::Accept(json!({"n": 1})));
        assert_eq!(serde_json::from_value::<ElicitAnswer>(json!("decline")).unwrap(), ElicitAnswer::Decline);
    }
}
