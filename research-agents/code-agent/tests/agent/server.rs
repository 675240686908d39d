//! The programs as real processes: the MCP server over stdio and HTTP, and the command line.

use std::process::Command;
use std::time::Duration;

use research_llm::tokens::estimate;
use research_mcp::{CallOutput, Hub, StdioServer, ToolSource};
use serde_json::{Value, json};

use crate::project::Project;

const SERVER: &str = env!("CARGO_BIN_EXE_research-code-mcp");
const PROGRAM: &str = env!("CARGO_BIN_EXE_research-code");

async fn connect(project: &Project) -> Hub {
    let server = StdioServer::new(SERVER)
        .arg("--cache")
        .arg("memory")
        .arg("--root")
        .arg(project.path().to_string_lossy());
    Hub::builder()
        .stdio("code", server)
        .connect()
        .await
        .unwrap()
}

async fn call(hub: &Hub, arguments: Value) -> CallOutput {
    let arguments = arguments.as_object().unwrap().clone();
    hub.call_tool("code_deep_research", arguments)
        .await
        .unwrap()
}

#[tokio::test]
async fn one_tool_is_listed_with_its_schemas_and_hints() {
    let project = Project::new();
    let hub = connect(&project).await;

    let tools = hub.list_tools().await.unwrap().tools;

    assert_eq!(tools.len(), 1);
    let tool = &tools[0];
    assert_eq!(tool.name, "code_deep_research");
    let properties = tool.input_schema["properties"].as_object().unwrap();
    let names: Vec<&str> = properties.keys().map(String::as_str).collect();
    assert_eq!(names, ["question", "scope", "budget", "debug"]);
    assert_eq!(properties["budget"]["default"], 10);
    assert_eq!(properties["debug"]["default"], false);
    assert!(tool.output_schema.is_some());
    assert_eq!(tool.hints.read_only, Some(true));

    let definition = json!({
        "name": tool.name,
        "description": tool.description,
        "inputSchema": tool.input_schema,
        "outputSchema": tool.output_schema,
        "annotations": {"readOnlyHint": true, "destructiveHint": false, "idempotentHint": true,
            "openWorldHint": false},
    });
    let tokens = estimate(&definition.to_string())
        + estimate(research_agents_code_agent::server::INSTRUCTIONS);
    assert!(tokens <= 700, "{tokens} tokens");
    hub.close().await;
}

#[tokio::test]
async fn a_call_answers_and_its_run_is_a_resource() {
    let project = Project::new();
    let hub = connect(&project).await;

    let answer = call(&hub, json!({"question": "Who calls `lookup`?"})).await;

    assert!(!answer.is_error, "{}", answer.text);
    assert!(answer.text.contains("**Citations:**") && answer.text.contains("*Run ID: "));
    let structured = answer.structured.as_ref().unwrap();
    let id = structured["run_id"].as_str().unwrap();
    assert!(!structured.to_string().contains("lookup"), "{structured}");
    for (address, part) in [
        (format!("research://runs/{id}/report.md"), "## Evidence"),
        (
            format!("research://runs/{}/report.md", &id[..8]),
            "## Evidence",
        ),
        (format!("research://runs/{id}/trace.json"), "\"reasoning\""),
        (format!("research://runs/{id}/evidence.json"), "\"content\""),
        ("research://runs".to_owned(), id),
    ] {
        let read = hub.read_resource("code", &address).await.unwrap();
        let text = read
            .first()
            .and_then(|content| content.text.clone())
            .unwrap();
        assert!(text.contains(part), "{address}");
    }
    for address in [
        "research://runs/ffffffff/report.md",
        "research://runs/../report.md",
    ] {
        assert!(
            hub.read_resource("code", address).await.is_err(),
            "{address}"
        );
    }
    hub.close().await;
}

#[tokio::test]
async fn wrong_calls_are_errors_of_the_tool() {
    let project = Project::new();
    let hub = connect(&project).await;

    let empty = call(&hub, json!({"question": " "})).await;
    assert!(
        empty.is_error && empty.text.contains("empty"),
        "{}",
        empty.text
    );
    let scope = call(
        &hub,
        json!({"question": "Where is `warm`?", "scope": "../**"}),
    )
    .await;
    assert!(
        scope.is_error && scope.text.contains(".."),
        "{}",
        scope.text
    );
    let clamped = call(
        &hub,
        json!({"question": "Where is `warm` defined?", "budget": -5}),
    )
    .await;
    assert!(clamped.text.contains("budget"), "{}", clamped.text);
    hub.close().await;
}

#[tokio::test]
async fn a_root_that_is_gone_is_told_and_the_run_is_kept() {
    let project = Project::new();
    let hub = connect(&project).await;
    std::fs::remove_dir_all(project.path()).unwrap();

    let gone = call(&hub, json!({"question": "Where is `warm` defined?"})).await;

    assert!(
        gone.is_error && gone.text.contains("cannot open the code base"),
        "{}",
        gone.text
    );
    let runs = hub.read_resource("code", "research://runs").await.unwrap();
    let text = runs
        .first()
        .and_then(|content| content.text.clone())
        .unwrap();
    assert!(text.contains("\"error\""), "{text}");
    hub.close().await;
}

#[tokio::test]
async fn concurrent_calls_are_separate_runs() {
    let project = Project::new();
    let hub = connect(&project).await;

    let questions = ["lookup", "warm", "Cache", "get"];
    let calls = questions.map(|name| {
        call(
            &hub,
            json!({"question": format!("Where is `{name}` defined?")}),
        )
    });
    let answers = futures::future::join_all(calls).await;

    let mut ids = std::collections::BTreeSet::new();
    for (answer, name) in answers.iter().zip(questions) {
        assert!(answer.text.contains(name), "{}", answer.text);
        ids.insert(answer.structured.as_ref().unwrap()["run_id"].to_string());
    }
    assert_eq!(ids.len(), 4);
    hub.close().await;
}

#[tokio::test]
async fn an_edit_is_in_the_next_answer() {
    let project = Project::new();
    let hub = connect(&project).await;
    let before = call(&hub, json!({"question": "Where is `warm` defined?"})).await;
    assert!(before.text.contains("src/lib.rs:23-26"), "{}", before.text);

    project.write(
        "src/lib.rs",
        format!("// one\n// two\n{}", crate::project::LIB),
    );

    let after = call(&hub, json!({"question": "Where is `warm` defined?"})).await;
    assert!(after.text.contains("src/lib.rs:25-28"), "{}", after.text);
    hub.close().await;
}

#[tokio::test]
async fn the_server_answers_over_http_on_loopback() {
    use tokio::io::{AsyncBufReadExt, BufReader};
    let project = Project::new();
    let mut server = tokio::process::Command::new(SERVER)
        .args(["--cache", "memory", "--http", "0", "--root"])
        .arg(project.path())
        .stderr(std::process::Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(server.stderr.take().unwrap()).lines();
    let line = tokio::time::timeout(Duration::from_secs(20), lines.next_line())
        .await
        .unwrap();
    let line = line.unwrap().unwrap();
    let url = line.strip_prefix("listening on ").unwrap();
    assert!(url.starts_with("http://127.0.0.1:"), "{url}");

    let hub = Hub::builder()
        .http("code", research_mcp::HttpServer::new(url))
        .connect()
        .await
        .unwrap();
    let answer = call(&hub, json!({"question": "Where is `warm` defined?"})).await;

    assert!(answer.text.contains("src/lib.rs:23-26"), "{}", answer.text);
    hub.close().await;
    server.kill().await.unwrap();
}

#[tokio::test]
async fn progress_is_reported_and_a_cancelled_call_ends_its_run() {
    use research_llm::testing::{Answer, FakeServer};
    let project = Project::new();
    let model = FakeServer::start().await.unwrap();
    model.otherwise(
        |request| match request.path.ends_with("/chat/completions") {
            true => Answer::silence(),
            false => Answer::json(200, &json!({"data": [{"id": "m", "object": "model"}]})),
        },
    );
    let server = StdioServer::new(SERVER)
        .arg("--cache")
        .arg("memory")
        .arg("--root")
        .arg(project.path().to_string_lossy())
        .arg("--model")
        .arg(format!("{}/v1", model.url()));
    let hub = Hub::builder()
        .stdio("code", server)
        .connect()
        .await
        .unwrap();

    let question = json!({"question": "What is here?"});
    let cut = tokio::time::timeout(Duration::from_secs(3), call(&hub, question)).await;
    assert!(cut.is_err(), "{cut:?}");

    // The run ends by itself, and its report says so.
    let mut text = String::new();
    for _ in 0..100 {
        let runs = hub.read_resource("code", "research://runs").await.unwrap();
        text = runs
            .first()
            .and_then(|content| content.text.clone())
            .unwrap();
        if text.contains("\"done\"") {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert!(text.contains("\"done\""), "{text}");
    hub.close().await;
}

fn program(project: &Project, arguments: &[&str]) -> (i32, String, String) {
    let output = Command::new(PROGRAM)
        .args(["--cache", "memory"])
        .args(arguments)
        .current_dir(project.path())
        .env_remove("RESEARCH_MODEL")
        .env_remove("OPENAI_API_KEY")
        .env("ANTHROPIC_API_KEY", "sk-ant-of-the-test-0123456789")
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (
        output.status.code().unwrap(),
        text(&output.stdout),
        text(&output.stderr),
    )
}

#[test]
fn the_program_answers_and_writes_reports() {
    let project = Project::new();
    let out = tempfile::tempdir().unwrap();
    let file = |name: &str| out.path().join(name).to_string_lossy().into_owned();
    let (page, notes) = (file("page.html"), file("notes.md"));

    let (code, text, errors) = program(&project, &["Who calls `lookup`?", "--report", &page]);
    assert_eq!((code, errors.as_str()), (0, ""));
    assert!(text.contains("**Citations:**"), "{text}");
    assert!(
        std::fs::read_to_string(&page)
            .unwrap()
            .contains("<figure id=\"ev-")
    );

    let (code, text, _) = program(
        &project,
        &["--json", "Where is `warm` defined?", "--report", &notes],
    );
    let run: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((code, run["status"].as_str()), (0, Some("done")));
    assert!(
        std::fs::read_to_string(&notes)
            .unwrap()
            .contains("## Evidence")
    );
}

#[test]
fn the_program_exports_verifies_and_replays() {
    let project = Project::new();
    let out = tempfile::tempdir().unwrap();
    let bundle = out.path().join("run.json").to_string_lossy().into_owned();
    let (code, answer, errors) = program(&project, &["Who calls `lookup`?", "--export", &bundle]);
    assert_eq!((code, errors.as_str()), (0, ""));
    std::fs::remove_dir_all(project.path().join("src")).unwrap();

    let (code, text, _) = program(&project, &["--verify", &bundle]);
    assert_eq!((code, text.trim()), (0, "everything holds"));
    let (code, replayed, _) = program(&project, &["--replay", &bundle]);
    assert_eq!((code, replayed), (0, answer));

    let changed = std::fs::read_to_string(&bundle)
        .unwrap()
        .replace("lookup(\\\"a\\\")", "lookup(\\\"z\\\")");
    std::fs::write(&bundle, changed).unwrap();
    let (code, text, _) = program(&project, &["--verify", &bundle]);
    assert_eq!(code, 1, "{text}");
}

#[test]
fn a_key_alone_chooses_no_language_model() {
    let project = Project::new();
    let (code, text, errors) = program(&project, &["--debug", "Where is `warm` defined?"]);
    assert_eq!((code, errors.as_str()), (0, ""));
    assert!(text.contains("step 1: compute_answer"), "{text}");
}

#[test]
fn wrong_use_has_its_exit_codes() {
    let project = Project::new();
    for (arguments, code, words) in [
        (
            &["--root", "/nowhere/at/all", "x"][..],
            1,
            "cannot open the code base",
        ),
        (
            &["--report", "x.pdf", "x"],
            1,
            "end the name in .html, .md or .json",
        ),
        (&["--scope", "/etc/**", "x"], 1, "absolute"),
        (&["--model", "nonsense:x", "x"], 1, "nonsense"),
        (&["--model", "openai:gpt-5-mini", "x"], 1, "OPENAI_API_KEY"),
        (&[""], 1, "the question is empty"),
        (&[], 2, "required"),
        (&["--unknown", "x"], 2, "unexpected argument"),
        (&["--verify", "none.json"], 1, "none.json"),
    ] {
        let (status, _, errors) = program(&project, arguments);
        assert_eq!(status, code, "{arguments:?}: {errors}");
        assert!(errors.contains(words), "{arguments:?}: {errors}");
    }
}
