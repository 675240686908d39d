//! A run that is killed resumes: no recorded decision is asked for again.

use std::process::Stdio;
use std::time::Duration;

use research_llm::testing::{Answer, FakeServer};
use serde_json::{Value, json};

use crate::project::{Project, choose, finalize};

const PROGRAM: &str = env!("CARGO_BIN_EXE_research-code");

/// Answers like a server of chat completions: first an action, then silence until it may end.
async fn model() -> FakeServer {
    let server = FakeServer::start().await.unwrap();
    server.otherwise(|request| {
        if !request.path.ends_with("/chat/completions") {
            return Answer::json(200, &json!({"data": [{"id": "m", "object": "model"}]}));
        }
        let body = request.json().unwrap_or_default().to_string();
        let text = match (
            body.contains("1. open_span:"),
            body.contains("2. open_span:"),
        ) {
            (false, _) => open(2),
            (true, false) => open(5),
            (true, true) => return Answer::silence(),
        };
        Answer::json(200, &completion(&text))
    });
    server
}

fn open(line: usize) -> String {
    choose(
        "open_span",
        json!({"file_path": "src/lib.rs", "start_line": line, "end_line": line}),
    )
}

fn completion(text: &str) -> Value {
    json!({
        "id": "c", "object": "chat.completion", "model": "m",
        "choices": [{
            "index": 0, "finish_reason": "stop",
            "message": {"role": "assistant", "content": text},
        }],
        "usage": {"prompt_tokens": 10, "completion_tokens": 10, "total_tokens": 20},
    })
}

fn asked(server: &FakeServer) -> usize {
    let received = server.received();
    received
        .iter()
        .filter(|request| request.path.ends_with("/chat/completions"))
        .count()
}

fn program(project: &Project, server: &FakeServer) -> tokio::process::Command {
    let mut program = tokio::process::Command::new(PROGRAM);
    program
        .args([
            "--root",
            ".",
            "--db",
            "../runs.sqlite",
            "--thread",
            "t",
            "--json",
        ])
        .args(["--model", &format!("{}/v1", server.url())])
        .arg("What is `MAX_ENTRIES`?")
        .current_dir(project.path().join("src"))
        .env_remove("RESEARCH_MODEL")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    program
}

#[tokio::test]
async fn a_killed_run_resumes_without_asking_again() {
    let project = Project::new();
    project.write("src/src/lib.rs", crate::project::LIB);
    let server = model().await;
    let mut first = program(&project, &server).spawn().unwrap();
    // Two decisions are answered; the third one waits.
    let waits = async {
        while asked(&server) < 3 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), waits)
        .await
        .unwrap();
    tokio::time::sleep(Duration::from_millis(300)).await;

    first.kill().await.unwrap();

    let before = asked(&server);
    server.otherwise(|request| {
        let text = finalize("`MAX_ENTRIES` is 10_000.");
        match request.path.ends_with("/chat/completions") {
            true => Answer::json(200, &completion(&text)),
            false => Answer::json(200, &json!({"data": [{"id": "m", "object": "model"}]})),
        }
    });
    let output = program(&project, &server).output().await.unwrap();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    let run: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{errors}"));

    let actions: Vec<&str> = run["steps"]
        .as_array()
        .unwrap()
        .iter()
        .map(|step| step["action"].as_str().unwrap())
        .collect();
    assert_eq!(actions[..2], ["open_span", "open_span"], "{actions:?}");
    assert!(
        actions[2..].iter().all(|action| *action == "finalize"),
        "{actions:?}"
    );
    assert_eq!(asked(&server) - before, actions.len() - 2, "{errors}");
}
