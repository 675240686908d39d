//! Tools that a client of MCP 2026-07-28 calls in several rounds, because they ask something first.

use research_mcp::server::{Answer, Capability, Question, Sampling, ServerTool, ToolCall, ToolFailure, ToolReply};
use serde_json::{Value, json};

use super::contents::nothing;

pub(crate) fn tools() -> Vec<ServerTool> {
    vec![
        ServerTool::new(
            "test_input_required_result_elicitation",
            "Greets the user by name.",
            nothing(),
            |call| async move {
                let answer = call.caller().ask("user_name", name()).await?;
                Ok(ToolReply::text(format!("Hello, {}!", word(&answer, "name"))))
            },
        ),
        ServerTool::new("test_input_required_result_sampling", "Has the model answer.", nothing(), |call| async move {
            let answer = call.caller().ask("capital_question", sample("What is the capital of France?", 100)).await?;
            Ok(ToolReply::text(said(&answer)))
        }),
        ServerTool::new(
            "test_input_required_result_list_roots",
            "Names the roots of the client.",
            nothing(),
            |call| async move {
                let answer = call.caller().ask("client_roots", Question::Roots).await?;
                Ok(ToolReply::text(said(&answer)))
            },
        ),
        ServerTool::new("test_input_required_result_request_state", "Asks for a confirmation.", nothing(), confirm),
        ServerTool::new("test_input_required_result_tampered_state", "Asks for a confirmation.", nothing(), confirm),
        ServerTool::new(
            "test_input_required_result_multiple_inputs",
            "Asks the user, the model and for the roots.",
            nothing(),
            |call| async move {
                let greeting = sample("Generate a greeting", 50);
                let asked = [("user_name", name()), ("greeting", greeting), ("client_roots", Question::Roots)];
                let answers = call.caller().ask_all(asked).await?;
                Ok(ToolReply::text(answers.values().map(said).collect::<Vec<_>>().join("\n")))
            },
        ),
        ServerTool::new("test_input_required_result_multi_round", "Asks twice.", nothing(), |call| async move {
            let first = call.caller().ask("step1", form("Step 1: What is your name?", "name", "string")).await?;
            let second =
                call.caller().ask("step2", form("Step 2: What is your favorite color?", "color", "string")).await?;
            Ok(ToolReply::text(format!("{} likes {}.", word(&first, "name"), word(&second, "color"))))
        }),
        ServerTool::new(
            "test_input_required_result_capabilities",
            "Asks what can be asked.",
            nothing(),
            |call| async move {
                let possible = [
                    (Capability::Elicitation, "user_name", name()),
                    (Capability::Sampling, "greeting", sample("Generate a greeting", 50)),
                    (Capability::Roots, "client_roots", Question::Roots),
                ];
                let offered = possible.into_iter().filter(|(capability, ..)| call.caller().offers(*capability));
                let answers = call.caller().ask_all(offered.map(|(_, key, question)| (key, question))).await?;
                Ok(ToolReply::text(answers.values().map(said).collect::<Vec<_>>().join("\n")))
            },
        ),
    ]
}

async fn confirm(call: ToolCall) -> Result<ToolReply, ToolFailure> {
    let answer = call.caller().ask("confirm", form("Please confirm", "ok", "boolean")).await?;
    let confirmed = answer.accepted().is_some_and(|content| content["ok"] == json!(true));
    let state = if call.caller().is_asked_again() { "state-ok" } else { "no state" };
    Ok(ToolReply::text(format!("{state}, {}", if confirmed { "confirmed" } else { "not confirmed" })))
}

fn name() -> Question {
    form("What is your name?", "name", "string")
}

/// A form with one field that has to be filled in.
pub(crate) fn form(message: &str, field: &str, kind: &str) -> Question {
    let schema = json!({"type": "object", "properties": {field: {"type": kind}}, "required": [field]});
    Question::form(message, schema)
}

fn sample(prompt: &str, tokens: u32) -> Question {
    Question::Sample(Sampling::new(prompt, tokens))
}

/// What the user wrote into a field.
pub(crate) fn word(answer: &Answer, field: &str) -> String {
    let content = answer.accepted().map(|content| &content[field]);
    content.and_then(Value::as_str).unwrap_or("nobody").to_owned()
}

fn said(answer: &Answer) -> String {
    match answer {
        Answer::User(answer) => format!("The user: {answer:?}"),
        Answer::Model(sampled) => format!("The model: {}", sampled.text()),
        Answer::Roots(roots) => {
            let uris: Vec<&str> = roots.iter().map(|root| root.uri.as_str()).collect();
            format!("Roots: {}", uris.join(", "))
        }
        _ => "an answer of another kind".to_owned(),
    }
}
