//! Questions of servers to the user, in both eras of the protocol: the run ends, and goes on with the answers.

use std::sync::Arc;

use research_agents::mcp::{ElicitAnswer, Hub, HubTools, Interviewer, Lifecycle, Object, Wanted, asked};
use research_agents::tool_loop::{ToolAgent, ToolLoopEnd};
use research_core::{CompiledGraph, Cx, END, Graph, MemoryCheckpointer, NodeError, State};
use research_core_sqlite::SqliteCheckpointer;
use research_llm::testing::ScriptedModel;
use research_llm::tool::Toolbox;
use research_llm::{Response, ToolCall};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{ERAS, Logged, connected, results, watched, with};

#[derive(Clone, Default, Serialize, Deserialize, State)]
struct Trip {
    tool: String,
    said: String,
}

/// Calls the tool that the state names, after a note that must be made once.
async fn call(cx: Cx<Trip, HubTools>) -> Result<TripUpdate, NodeError> {
    cx.resources.call_in(&cx, "note", "note", Object::new()).await?;
    let output = cx.resources.call_in(&cx, "call", &cx.state.tool, Object::new()).await?;
    Ok(Trip::update().said(&*output.for_code().text))
}

fn graph() -> CompiledGraph<Trip, HubTools> {
    let mut g = Graph::<Trip, HubTools>::new("trip");
    let node = g.node("call", call);
    g.entry(node).edge(node, END);
    g.compile().unwrap()
}

async fn open(server: &Logged, era: Lifecycle) -> (Arc<Hub>, HubTools) {
    let interviewer = Arc::new(Interviewer::new());
    let builder = with("rail", server.asking(&[]), era).answer_later().elicitor(Arc::clone(&interviewer) as _);
    let hub = connected(builder).await;
    let tools = HubTools::builder(Arc::clone(&hub)).allow("rail", "*").interviewer(interviewer).build().await.unwrap();
    (hub, tools)
}

fn accept(value: Value) -> Value {
    serde_json::to_value(ElicitAnswer::Accept(value)).unwrap()
}

/// What the tool says that it was answered, by the names of its questions.
fn said(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[tokio::test]
async fn the_run_ends_with_the_question_and_goes_on_with_the_answer() {
    for era in ERAS {
        watched(async {
            let server = Logged::new();
            let store = || SqliteCheckpointer::open(server.path("trip.db"));
            let (hub, tools) = open(&server, era).await;
            let graph_1 = graph().with_checkpointer(store().await.unwrap());
            let run = graph_1.run(Trip::update().tool("book")).thread("t").resources(tools).await.unwrap();
            let question = asked(&run.questions()[0]).unwrap();
            assert_eq!((question.server.as_str(), question.message.as_str()), ("rail", "Which seat?"), "{era:?}");
            assert_eq!(question.tool.as_deref(), Some("book"));
            let schema = run.questions()[0].schema.clone().unwrap();
            assert_eq!(schema["oneOf"][0]["properties"]["accept"]["required"], json!(["seat"]));
            hub.close().await;
            drop(graph_1);

            let (hub, tools) = open(&server, era).await;
            let graph_2 = graph().with_checkpointer(store().await.unwrap());
            let resume = || graph_2.resume().thread("t").resources(tools.clone());
            let error = resume().answer(json!({"yes": 1})).await.unwrap_err();
            assert!(error.to_string().contains("not of the type"), "{error}");
            let done = resume().answer(accept(json!({"seat": "12A"}))).await.unwrap();
            assert!(done.is_complete());
            assert_eq!(said(&done.state.said)["seat"], json!({"action": "accept", "content": {"seat": "12A"}}));
            assert_eq!(server.calls(), ["note", "book", "book"], "{era:?}: what has ended is not called again");
            hub.close().await;
        })
        .await;
    }
}

#[tokio::test]
async fn two_questions_are_answered_in_the_order_in_which_they_come() {
    for era in ERAS {
        watched(async {
            let server = Logged::new();
            let (hub, tools) = open(&server, era).await;
            let graph = graph().with_checkpointer(MemoryCheckpointer::default());
            let mut run = graph.run(Trip::update().tool("plan")).thread("t").resources(tools.clone()).await.unwrap();
            let mut rounds = 0;
            while !run.is_complete() {
                rounds += 1;
                // A server of the new era asks both at once.
                let at_once = if era == Lifecycle::Discover { 2 } else { 1 };
                assert_eq!(run.questions().len(), at_once, "{era:?}");
                let mut resume = graph.resume().thread("t").resources(tools.clone());
                for question in run.questions() {
                    let answer = match asked(question).unwrap().message.as_str() {
                        "From where?" => accept(json!({"place": "Graz"})),
                        _ => json!("decline"),
                    };
                    resume = resume.answer_to(&question.id, answer);
                }
                run = resume.await.unwrap();
            }
            assert_eq!(rounds, if era == Lifecycle::Discover { 1 } else { 2 });
            let said = said(&run.state.said);
            assert_eq!((&said["from"]["content"]["place"], &said["to"]["action"]), (&json!("Graz"), &json!("decline")));
            assert_eq!(server.calls().iter().filter(|call| *call == "note").count(), 1);
            hub.close().await;
        })
        .await;
    }
}

#[tokio::test]
async fn one_of_two_answers_is_kept_until_the_other_comes() {
    watched(async {
        let server = Logged::new();
        let (hub, tools) = open(&server, Lifecycle::Discover).await;
        let graph = graph().with_checkpointer(MemoryCheckpointer::default());
        let run = graph.run(Trip::update().tool("plan")).thread("t").resources(tools.clone()).await.unwrap();
        let ids: Vec<String> = run.questions().iter().map(|question| question.id.clone()).collect();
        let place = |name: &str| accept(json!({"place": name}));
        let half = graph.resume().thread("t").resources(tools.clone()).answer_to(&ids[1], place("Wien")).await.unwrap();
        assert_eq!(half.questions().iter().map(|question| &question.id).collect::<Vec<_>>(), [&ids[0]]);
        let done = graph.resume().thread("t").resources(tools).answer(place("Graz")).await.unwrap();
        let said = said(&done.state.said);
        assert_eq!(
            (&said["from"]["content"]["place"], &said["to"]["content"]["place"]),
            (&json!("Graz"), &json!("Wien"))
        );
        assert_eq!(server.calls(), ["note", "plan", "plan"]);
        hub.close().await;
    })
    .await;
}

#[tokio::test]
async fn a_page_to_visit_is_shown_and_not_opened() {
    for era in ERAS {
        watched(async {
            let server = Logged::new();
            let (hub, tools) = open(&server, era).await;
            let graph = graph().with_checkpointer(MemoryCheckpointer::default());
            let run = graph.run(Trip::update().tool("sign")).thread("t").resources(tools.clone()).await.unwrap();
            let question = asked(&run.questions()[0]).unwrap();
            assert!(
                matches!(&question.wanted, Wanted::Url { url, .. } if url == "https://sign.example/in"),
                "{question:?}"
            );
            let done = graph.resume().thread("t").resources(tools).answer(accept(Value::Null)).await.unwrap();
            assert_eq!(said(&done.state.said)["page"]["action"], "accept", "{era:?}");
            hub.close().await;
        })
        .await;
    }
}

#[tokio::test]
async fn an_agent_with_tools_asks_and_goes_on_in_another_process_as_it_were() {
    for era in ERAS {
        watched(async {
            let server = Logged::new();
            let calls = Response::new("", "")
                .tool_call(ToolCall::new("n", "note", "{}"))
                .tool_call(ToolCall::new("b", "book", "{}"))
                .tool_call(ToolCall::new("s", "sign", "{}"));
            let first = Arc::new(ScriptedModel::new().then(calls));
            let second = Arc::new(ScriptedModel::new().then("Booked."));
            let agent = |model: &Arc<ScriptedModel>, tools| {
                let builder = ToolAgent::builder(Arc::clone(model), Toolbox::new()).hub(tools);
                let path = server.path("agent.db");
                async move { builder.checkpointer(SqliteCheckpointer::open(path).await.unwrap()).build().unwrap() }
            };
            let (hub, tools) = open(&server, era).await;
            let answer = agent(&first, tools).await.run("Book a seat.").thread("t").await.unwrap();
            assert_eq!((answer.end, answer.questions.len()), (ToolLoopEnd::Asking, 2), "{era:?}");
            hub.close().await;

            let (hub, tools) = open(&server, era).await;
            let agent = agent(&second, tools).await;
            let mut run = agent.resume("t");
            for question in &answer.questions {
                let answer = match asked(question).unwrap().wanted {
                    Wanted::Form { .. } => accept(json!({"seat": "3C"})),
                    _ => json!("cancel"),
                };
                run = run.answer_to(&question.id, answer);
            }
            let answer = run.await.unwrap();
            assert_eq!((answer.text.as_str(), answer.end), ("Booked.", ToolLoopEnd::Answered), "{era:?}");
            assert!(answer.questions.is_empty());
            let shown = results(&second.calls()[0]);
            assert!(shown.iter().all(|result| !result.is_error && result.content.starts_with("<<data ")), "{shown:?}");
            assert!(shown[1].content.contains("3C") && shown[2].content.contains("cancel"), "{shown:?}");
            let calls = server.calls();
            for (tool, times) in [("note", 1), ("book", 2), ("sign", 2)] {
                assert_eq!(calls.iter().filter(|call| *call == tool).count(), times, "{era:?} {tool}: {calls:?}");
            }
            hub.close().await;
        })
        .await;
    }
}

#[tokio::test]
async fn without_a_thread_the_model_is_told_that_nobody_can_be_asked() {
    for era in ERAS {
        watched(async {
            let server = Logged::new();
            let (hub, tools) = open(&server, era).await;
            let model = Arc::new(
                ScriptedModel::new()
                    .then(Response::new("", "").tool_call(ToolCall::new("b", "book", "{}")))
                    .then("I could not ask."),
            );
            let agent = ToolAgent::builder(Arc::clone(&model), Toolbox::new()).hub(tools.clone()).build().unwrap();
            let answer = agent.run("Book a seat.").await.unwrap();
            assert_eq!((answer.text.as_str(), answer.end), ("I could not ask.", ToolLoopEnd::Answered));
            let shown = results(&model.calls()[1]);
            match era {
                // An old server goes on as if the user had gone away.
                Lifecycle::Initialize => assert!(shown[0].content.contains("cancel"), "{shown:?}"),
                _ => assert!(shown[0].is_error && shown[0].content.contains("nobody can be asked"), "{shown:?}"),
            }
            // A node that asks by itself is told what it needs.
            let error = graph().run(Trip::update().tool("book")).resources(tools).await;
            match era {
                Lifecycle::Initialize => assert!(error.is_ok()),
                _ => assert!(error.unwrap_err().to_string().contains("thread")),
            }
            hub.close().await;
        })
        .await;
    }
}
