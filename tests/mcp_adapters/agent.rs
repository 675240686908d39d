//! The example `mcp_agent` as a program, with a model on loopback that says what the test wrote.

use std::process::Stdio;

use research_llm::testing::wire::{OpenAiChat, WireFormat};
use research_llm::testing::{Answer, FakeServer, Received};
use research_llm::{Response, ToolCall};
use serde_json::{Value, json};
use tokio::process::Command;

use crate::{Logged, watched};

/// A server that speaks like OpenAI: it calls `book` until it was told a seat, and then says so.
async fn model() -> FakeServer {
    let server = FakeServer::start().await.unwrap();
    server.otherwise(|received: &Received| {
        let wire = OpenAiChat::new();
        let Some(body) = received.json().filter(|_| received.path.ends_with("/chat/completions")) else {
            return Answer::json(404, &json!({"error": {"message": "no such path"}}));
        };
        let told = body["messages"].to_string();
        let response = match () {
            () if told.contains("12A") => Response::new("m", "You have seat 12A."),
            () if told.contains("no tool `book` may be called") => Response::new("m", "I may not."),
            () => Response::new("m", "").tool_call(ToolCall::new("c", "book", "{}")),
        };
        match body["stream"] == true {
            true => Answer::events(wire.frames(&response).into_iter().map(|frame| frame.bytes).collect::<String>()),
            false => Answer::json(200, &wire.answer(&response)),
        }
    });
    server
}

/// Exit code, standard output and standard error.
async fn run(arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mcp_agent"));
    for variable in ["RESEARCH_MODEL", "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_BASE_URL"] {
        command.env_remove(variable);
    }
    let output = command.args(arguments).stdin(Stdio::null()).output().await.unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

fn config(server: &Logged) -> String {
    let path = server.path("mcp.json");
    let (command, log) = (env!("CARGO_BIN_EXE_asking_server"), server.log());
    let config = json!({"mcpServers": {"rail": {"command": command, "args": ["--log", log]}}});
    std::fs::write(&path, config.to_string()).unwrap();
    path
}

#[tokio::test]
async fn it_asks_the_user_and_another_process_goes_on_with_the_answer() {
    watched(async {
        let (server, model) = (Logged::new(), model().await);
        let (config, keep, model) = (config(&server), server.path("run.db"), format!("{}/v1", model.url()));
        let common = ["--config", &config, "--allow", "rail/book", "--model", &model, "--keep", &keep];
        let (code, out, errors) = run(&[&common[..], &["Book a seat."]].concat()).await;
        assert_eq!((code, out.as_str()), (Some(3), ""), "{errors}");
        assert!(errors.contains("`rail` asks: \"Which seat?\"") && errors.contains("\"seat\""), "{errors}");
        assert_eq!(server.calls(), ["book"]);

        let (code, _, errors) = run(&[&common[..], &["--answer", "perhaps"]].concat()).await;
        assert!(code == Some(1) && errors.contains("is no answer"), "{errors}");
        let two = ["--answer", "decline", "--answer", "decline"];
        let (code, _, errors) = run(&[&common[..], &two].concat()).await;
        assert!(code == Some(1) && errors.contains("1 questions are open and 2 answers given"), "{errors}");
        assert_eq!(server.calls(), ["book"], "the question stays open, and nothing was called");

        let (code, out, errors) = run(&[&common[..], &["--answer", r#"{"seat": "12A"}"#]].concat()).await;
        assert_eq!((code, out.trim()), (Some(0), "You have seat 12A."), "{errors}");
        let answers: Vec<Value> = server.lines().iter().map(|line| line["answers"]["seat"]["action"].clone()).collect();
        assert_eq!(answers, [json!(null), json!("accept"), json!("accept")], "asked, called again, done");
    })
    .await;
}

#[tokio::test]
async fn nothing_is_called_that_is_not_allowed() {
    watched(async {
        let (server, model) = (Logged::new(), model().await);
        let (config, model) = (config(&server), format!("{}/v1", model.url()));
        for flags in
            [&["--allow", "rail/note"][..], &["--allow", "rail/*", "--deny", "rail/b*"], &["--allow", "mail/*"], &[]]
        {
            let common = ["--config", &config, "--model", &model, "Book a seat."];
            let (code, out, errors) = run(&[flags, &common].concat()).await;
            assert_eq!((code, out.trim()), (Some(0), "I may not."), "{flags:?}: {errors}");
            assert_eq!(errors.contains("`mail/*` matches no tool"), flags.contains(&"mail/*"), "{errors}");
        }
        assert!(server.calls().is_empty());
    })
    .await;
}

#[tokio::test]
async fn wrong_use_is_explained() {
    let (code, out, _) = run(&["--help"]).await;
    assert!(code == Some(0) && out.contains("Examples:") && out.contains("--allow"), "{out}");
    let (code, _, errors) = run(&["--config", "x.json", "--allow", "files", "--model", "echo", "Hello"]).await;
    assert!(code == Some(2) && errors.contains("write SERVER/TOOL"), "{errors}");
    let (code, _, errors) = run(&["--config", "/nowhere/mcp.json", "--model", "echo", "Hello"]).await;
    assert!(code == Some(1) && errors.contains("/nowhere/mcp.json"), "{errors}");
    let (code, _, errors) = run(&["--config", "x.json", "Hello"]).await;
    assert!(code == Some(2) && errors.contains("--model"), "{errors}");
}
