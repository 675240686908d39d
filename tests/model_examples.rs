//! The examples that talk to a model, as programs: against a server on loopback that speaks like OpenAI, and without a model.

use std::process::{Output, Stdio};

use research_llm::testing::wire::{OpenAiChat, WireFormat};
use research_llm::testing::{Answer, FakeServer, Received};
use research_llm::{FinishReason, Response, ToolCall, Usage};
use serde_json::{Value, json};
use tokio::process::Command;

const CHAT: &str = env!("CARGO_BIN_EXE_chat");
const STRUCTURED: &str = env!("CARGO_BIN_EXE_structured");
const STREAM_TOKENS: &str = env!("CARGO_BIN_EXE_stream_tokens");
const TOOL_LOOP: &str = env!("CARGO_BIN_EXE_tool_loop");
const BUDGET: &str = env!("CARGO_BIN_EXE_budget");
const ALL: [&str; 5] = [CHAT, STRUCTURED, STREAM_TOKENS, TOOL_LOOP, BUDGET];

/// A server that speaks like OpenAI and answers what this says.
async fn server(answer: impl Fn(&Value) -> Response + Send + Sync + 'static) -> FakeServer {
    let server = FakeServer::start().await.unwrap();
    server.otherwise(move |received: &Received| {
        let wire = OpenAiChat::new();
        match received.json() {
            Some(body) if received.path.ends_with("/chat/completions") => {
                let response = answer(&body);
                if body["stream"] == true {
                    Answer::events(wire.frames(&response).into_iter().map(|frame| frame.bytes).collect::<String>())
                } else {
                    Answer::json(200, &wire.answer(&response))
                }
            }
            _ => Answer::json(404, &json!({"error": {"message": "no such path"}})),
        }
    });
    server
}

async fn run(program: &str, arguments: &[&str]) -> Output {
    let mut command = Command::new(program);
    for variable in ["RESEARCH_MODEL", "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_BASE_URL"] {
        command.env_remove(variable);
    }
    command.args(arguments).stdin(Stdio::null()).output().await.unwrap()
}

/// What a program prints on standard output and standard error when all goes well.
async fn works(program: &str, arguments: &[&str]) -> (String, String) {
    let output = run(program, arguments).await;
    let (out, errors) = texts(&output);
    assert!(output.status.success(), "{program} {arguments:?}: {errors}");
    (out, errors)
}

fn texts(output: &Output) -> (String, String) {
    (String::from_utf8_lossy(&output.stdout).into_owned(), String::from_utf8_lossy(&output.stderr).into_owned())
}

fn address(server: &FakeServer) -> String {
    format!("{}/v1", server.url())
}

#[tokio::test]
async fn without_a_model_every_example_says_how_to_get_one() {
    for program in ALL {
        let output = run(program, &[]).await;
        let (out, errors) = texts(&output);
        assert_eq!((output.status.code(), out.as_str()), (Some(2), ""), "{program}: {errors}");
        for word in ["--model", "RESEARCH_MODEL", "OPENAI_API_KEY", "http://127.0.0.1"] {
            assert!(errors.contains(word), "{program}: no `{word}` in {errors}");
        }
        let (help, _) = works(program, &["--help"]).await;
        assert!(help.contains("Examples:") && help.contains("--model"), "{help}");
    }
}

#[tokio::test]
async fn chat_prints_the_answer_or_the_whole_response() {
    let answer = Response::new("m", "Because of the air.").usage(Usage::new(12, 5));
    let server = server(move |_| answer.clone()).await;
    let model = address(&server);
    let (out, errors) = works(CHAT, &["--model", &model, "Why", "is", "the sky blue?"]).await;
    assert_eq!((out.as_str(), errors.as_str()), ("Because of the air.\n", ""));
    let asked = server.received().last().unwrap().json().unwrap();
    assert!(asked.to_string().contains("Why is the sky blue?"), "{asked}");

    let (out, _) = works(CHAT, &["--model", &model, "--json", "Why?"]).await;
    let response: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(out.lines().count(), 1);
    assert_eq!((&response["text"], &response["finish"]), (&json!("Because of the air."), &json!("stop")));
    assert_eq!(response["usage"], json!({"input_tokens": 12, "output_tokens": 5}));
}

#[tokio::test]
async fn chat_says_when_an_answer_was_cut() {
    let server = server(|_| Response::new("m", "Because of").finish(FinishReason::Length)).await;
    let (out, errors) = works(CHAT, &["--model", &address(&server), "--max-tokens", "2", "Why?"]).await;
    assert_eq!(out, "Because of\n");
    assert!(errors.contains("cut"), "{errors}");
}

#[tokio::test]
async fn stream_tokens_prints_the_text_and_what_it_took() {
    let text = "Bees dance in the dark of their hive, and the angle of the dance tells the way to the flowers.";
    let server = server(move |_| Response::new("m", text).usage(Usage::new(9, 20))).await;
    let (out, errors) = works(STREAM_TOKENS, &["--model", &address(&server)]).await;
    assert_eq!(out, format!("{text}\n"));
    assert!(errors.contains("9 tokens read, 20 written"), "{errors}");
    assert_eq!(server.received().last().unwrap().json().unwrap()["stream"], true);

    let (out, _) = works(STREAM_TOKENS, &["--model", "echo", "hello there"]).await;
    assert_eq!(out, "hello there\n");
}

#[tokio::test]
async fn structured_prints_json_of_the_type() {
    let event = json!({"title": "Kick-off", "place": "Graz", "date": "3 May 2027", "people": ["Ada", "Karl", "Mira"], "price": 12.5, "kind": "work"});
    let server = server({
        let event = event.clone();
        move |_| Response::new("m", event.to_string()).usage(Usage::new(80, 40))
    })
    .await;
    let (out, errors) = works(STRUCTURED, &["--model", &address(&server)]).await;
    assert_eq!(serde_json::from_str::<Value>(&out).unwrap(), event);
    assert!(errors.contains("the first answer fits"), "{errors}");
}

#[tokio::test]
async fn tool_loop_answers_from_what_the_tools_count() {
    let server = server(|body| {
        let said = body["messages"].to_string();
        // The count of the shipped data stands in what the tool returned, marked as data.
        let counted = said.split("\\\"matching\\\\\\\":").nth(1).or_else(|| said.split("matching\\\":").nth(1));
        match counted {
            None => Response::new("m", "").tool_call(ToolCall::new(
                "c1",
                "count",
                r#"{"field": "Time of day", "value": "Dusk"}"#,
            )),
            Some(rest) => Response::new(
                "m",
                format!("{} strikes.", rest.chars().take_while(char::is_ascii_digit).collect::<String>()),
            ),
        }
    })
    .await;
    let (out, errors) = works(TOOL_LOOP, &["--model", &address(&server)]).await;
    let rows = research_examples::dataset::shipped().unwrap().documents().unwrap();
    let dusk = rows.iter().filter(|row| row["Time of day"] == "Dusk").count();
    assert!(dusk > 0);
    assert_eq!(out.trim(), format!("{dusk} strikes."), "{errors}");
    assert!(errors.contains("→ count"), "{errors}");
}

#[tokio::test]
async fn budget_stops_before_the_call_that_would_not_fit() {
    let server = server(|_| Response::new("m", "A bird.").usage(Usage::new(40, 60))).await;
    let (out, errors) = works(BUDGET, &["--model", &address(&server), "--max-tokens", "350"]).await;
    let calls = server.received().iter().filter(|received| received.path.ends_with("/chat/completions")).count();
    assert!((1..=3).contains(&calls), "{calls} calls of 100 tokens each in a budget of 350");
    assert!(out.contains(&format!("spent: {} of 350 tokens in {calls} calls", calls * 100)), "{out}");
    assert!(errors.contains("stopped before") && errors.contains("Allow more"), "{errors}");
}

#[tokio::test]
async fn errors_say_what_happened_and_what_to_do() {
    for (arguments, words) in [
        (["--model", "http://127.0.0.1:9/v1", "hi"], ["could not be reached", "Check that the server runs"]),
        (["--model", "openai:gpt-5-mini", "hi"], ["key", "OPENAI_API_KEY"]),
        (["--model", "nonsense:x", "hi"], ["nonsense", "openai"]),
    ] {
        let output = run(CHAT, &arguments).await;
        let (out, errors) = texts(&output);
        assert_eq!((output.status.code(), out.as_str()), (Some(1), ""), "{arguments:?}: {errors}");
        assert!(errors.starts_with("error: ") && words.iter().all(|word| errors.contains(word)), "{errors}");
    }
}
