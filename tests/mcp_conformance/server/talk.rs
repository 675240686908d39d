//! Tools that speak to the client while they work: progress, log, changed lists, and questions of one round.

use std::time::Duration;

use research_mcp::ElicitAnswer;
use research_mcp::server::{Answer, LogLevel, Question, Sampling, ServerTool, ToolCall, ToolFailure, ToolReply};
use serde_json::{Value, json};
use tokio::time::sleep;

use super::contents::nothing;
use super::prompts;

/// Between two steps, so that a client hears them one by one.
const STEP: Duration = Duration::from_millis(50);

pub(crate) fn tools() -> Vec<ServerTool> {
    let sampled = one_text("prompt", "What the model is asked.");
    let asked = one_text("message", "What the user is asked.");
    vec![
        ServerTool::new("test_tool_with_progress", "Reports its progress.", nothing(), progress),
        ServerTool::new("test_tool_with_logging", "Writes to the log in three steps.", nothing(), log),
        ServerTool::new("test_logging_tool", "Writes to the log.", nothing(), log),
        ServerTool::new("test_sampling", "Asks the model of the client.", sampled, |call| async move {
            let prompt = call.arguments()["prompt"].as_str().unwrap_or_default().to_owned();
            sample(&call, prompt).await
        }),
        ServerTool::new("test_missing_capability", "Needs the model of the client.", nothing(), |call| async move {
            sample(&call, "Are you there?".to_owned()).await
        }),
        ServerTool::new("test_elicitation", "Asks the user who they are.", asked, |call| async move {
            let message = call.arguments()["message"].as_str().unwrap_or_default().to_owned();
            let text = |description: &str| json!({"type": "string", "description": description});
            let properties = json!({"username": text("User's response"), "email": text("User's email address")});
            let schema = json!({"type": "object", "properties": properties, "required": ["username", "email"]});
            elicit(&call, "User response", &message, schema).await
        }),
        elicits("test_elicitation_sep1034_defaults", "Asks for a value of each type, with a default.", defaults()),
        elicits(
            "test_elicitation_sep1330_enums",
            "Asks for choices in each form that a schema has for them.",
            choices(),
        ),
        elicits("test_streaming_elicitation", "Asks for a confirmation.", confirmation()),
        ServerTool::new("test_trigger_tool_change", "Changes the list of tools.", nothing(), |call| async move {
            let added = ServerTool::new("test_added", "Was added meanwhile.", nothing(), |_| async {
                Ok(ToolReply::text("added"))
            });
            let announcer = call.caller().announcer();
            announcer.set_tool(added).await?;
            announcer.remove_tool("test_added").await;
            Ok(ToolReply::text("The list of tools has changed twice."))
        }),
        ServerTool::new("test_trigger_prompt_change", "Changes the list of prompts.", nothing(), |call| async move {
            let announcer = call.caller().announcer();
            announcer.set_prompt(prompts::simple("test_added_prompt")).await;
            announcer.remove_prompt("test_added_prompt").await;
            Ok(ToolReply::text("The list of prompts has changed twice."))
        }),
    ]
}

fn one_text(name: &str, description: &str) -> Value {
    json!({"type": "object", "properties": {name: {"type": "string", "description": description}}, "required": [name]})
}

async fn progress(call: ToolCall) -> Result<ToolReply, ToolFailure> {
    for done in [0.0, 50.0, 100.0] {
        if done > 0.0 {
            sleep(STEP).await;
        }
        call.caller().progress(done, 100.0, None).await;
    }
    Ok(ToolReply::text("Done, with progress reported on the way."))
}

async fn log(call: ToolCall) -> Result<ToolReply, ToolFailure> {
    for (step, words) in ["started", "processing data", "completed"].into_iter().enumerate() {
        if step > 0 {
            sleep(STEP).await;
        }
        let words = if step == 1 { format!("Tool {words}") } else { format!("Tool execution {words}") };
        call.caller().log(LogLevel::Info, words).await;
    }
    Ok(ToolReply::text("Done, with three messages for the log."))
}

async fn sample(call: &ToolCall, prompt: String) -> Result<ToolReply, ToolFailure> {
    match call.caller().ask("sample", Question::Sample(Sampling::new(prompt, 100))).await? {
        Answer::Model(sampled) => Ok(ToolReply::text(format!("LLM response: {}", sampled.text()))),
        _ => Err(ToolFailure::new("the model did not answer")),
    }
}

fn elicits(name: &str, description: &str, schema: Value) -> ServerTool {
    ServerTool::new(name, description, nothing(), move |call| {
        let schema = schema.clone();
        async move { elicit(&call, "Elicitation completed", "Please answer or accept what is proposed", schema).await }
    })
}

async fn elicit(call: &ToolCall, about: &str, message: &str, schema: Value) -> Result<ToolReply, ToolFailure> {
    let answer = call.caller().elicit("user", message, schema).await?;
    let (action, content) = match &answer {
        ElicitAnswer::Accept(content) => ("accept", content),
        ElicitAnswer::Decline => ("decline", &Value::Null),
        _ => ("cancel", &Value::Null),
    };
    Ok(ToolReply::text(format!("{about}: action={action}, content={content}")))
}

fn confirmation() -> Value {
    json!({"type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"]})
}

fn defaults() -> Value {
    json!({"type": "object", "properties": {
        "name": {"type": "string", "description": "User name", "default": "John Doe"},
        "age": {"type": "integer", "description": "User age", "default": 30},
        "score": {"type": "number", "description": "User score", "default": 95.5},
        "status": {"type": "string", "description": "User status", "enum": ["active", "inactive", "pending"], "default": "active"},
        "verified": {"type": "boolean", "description": "Verification status", "default": true},
    }})
}

fn choices() -> Value {
    let plain = json!(["option1", "option2", "option3"]);
    let titled = |kind: &str| {
        let choice =
            |number: u8, name: &str| json!({"const": format!("value{number}"), "title": format!("{name} {kind}")});
        json!([choice(1, "First"), choice(2, "Second"), choice(3, "Third")])
    };
    json!({"type": "object", "properties": {
        "untitledSingle": {"type": "string", "enum": plain},
        "titledSingle": {"type": "string", "oneOf": titled("Option")},
        "legacyEnum": {
            "type": "string",
            "enum": ["opt1", "opt2", "opt3"],
            "enumNames": ["Option One", "Option Two", "Option Three"],
        },
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": plain}},
        "titledMulti": {"type": "array", "items": {"anyOf": titled("Choice")}},
    }})
}
