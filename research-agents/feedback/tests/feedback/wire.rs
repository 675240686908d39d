//! The bodies that providers send over whole runs, with calls that fail and a run that is resumed:
//! each request of a conversation begins with the bytes of the ones before it.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use futures::StreamExt;
use research_agents_feedback::config::FeedbackConfig;
use research_agents_feedback::tasks::{COMPLEXITY, DECIDE, LEAD as LEAD_TASK};
use research_agents_scr::memo::{Finding, Scr};
use research_agents_scr::synthesizer::{History, ScrConfig};
use research_agents_scr::system::{MemoInput, memo_system};
use research_core::MemoryCheckpointer;
use research_llm::anthropic::Anthropic;
use research_llm::openai::OpenAi;
use research_llm::testing::{Answer, FakeServer, ScriptedModel};
use research_llm::{
    ChatModel, EventStream, ModelError, ModelInfo, Request, Response, replay_lazily,
};
use serde_json::{Value, json};

use crate::support::{QUESTION, model, notes, over, prompt};

/// The beginnings of the conversations: of the memo, and of the plans.
const MEMO: &str = "You keep a memo of three sections";
const LEAD: &str = "You lead the research towards a decision";
/// The mark that tells Anthropic how far to cache.
const MARK: &str = r#","cache_control":{"type":"ephemeral"}"#;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Provider {
    OpenAi,
    Anthropic,
}

const PROVIDERS: [Provider; 2] = [Provider::OpenAi, Provider::Anthropic];

/// A provider whose server on loopback gives the answers of a scripted model.
struct Wired {
    provider: Arc<dyn ChatModel>,
    script: Arc<ScriptedModel>,
    /// By the last message of a request, its answer.
    answers: Arc<Mutex<HashMap<String, String>>>,
    /// Whether every fourth request of a conversation is answered with words that are no JSON.
    rambles: bool,
    asked: AtomicUsize,
}

/// An answer that nothing can read.
const RAMBLING: &str = "All nodes are well today.";

impl Wired {
    /// Starts the server, which refuses some requests as overloaded.
    async fn start(provider: Provider, script: Arc<ScriptedModel>) -> (Arc<Self>, FakeServer) {
        let (wired, server) = Self::new(provider, script).await;
        (Arc::new(wired), server)
    }

    async fn new(provider: Provider, script: Arc<ScriptedModel>) -> (Self, FakeServer) {
        let server = FakeServer::start().await.unwrap();
        let answers = Arc::<Mutex<HashMap<String, String>>>::default();
        let (known, count) = (Arc::clone(&answers), AtomicUsize::new(0));
        server.otherwise(move |received| {
            if count.fetch_add(1, Ordering::SeqCst) % 7 == 4 {
                return Answer::json(503, &json!({"error": {"message": "overloaded"}}));
            }
            let body = received.json().unwrap();
            let last = &body["messages"].as_array().unwrap().last().unwrap()["content"];
            let last = last.as_str().or_else(|| last[0]["text"].as_str()).unwrap();
            Answer::json(200, &provider.answer(&known.lock().unwrap()[last]))
        });

        let provider = provider.client(&server.url());
        let wired = Self {
            provider,
            script,
            answers,
            rambles: false,
            asked: AtomicUsize::new(0),
        };
        (wired, server)
    }
}

#[async_trait]
impl ChatModel for Wired {
    fn info(&self) -> &ModelInfo {
        self.provider.info()
    }

    async fn complete(&self, request: &Request) -> Result<Response, ModelError> {
        let mut answer = self.script.complete(request).await?;
        let asked = prompt(request);
        let system = request.messages[0].text();
        let is_conversation = system.starts_with(MEMO) || system.starts_with(LEAD);
        if self.rambles && is_conversation && self.asked.fetch_add(1, Ordering::SeqCst) % 4 == 1 {
            RAMBLING.clone_into(&mut answer.text);
        }
        self.answers.lock().unwrap().insert(asked, answer.text);
        self.provider.complete(request).await
    }

    fn stream(&self, request: Request) -> EventStream<'_> {
        replay_lazily(async move { self.complete(&request).await })
    }
}

impl Provider {
    fn client(self, url: &str) -> Arc<dyn ChatModel> {
        match self {
            Self::OpenAi => {
                let client = OpenAi::builder("gpt-4o").base_url(format!("{url}/v1"));
                Arc::new(client.api_key("key").build().unwrap())
            }
            Self::Anthropic => {
                let client = Anthropic::builder("claude-haiku-4-5").base_url(url);
                Arc::new(client.api_key("key").build().unwrap())
            }
        }
    }

    fn answer(self, text: &str) -> Value {
        match self {
            Self::OpenAi => json!({
                "id": "c1", "object": "chat.completion", "model": "gpt-4o",
                "choices": [{
                    "index": 0, "finish_reason": "stop",
                    "message": {"role": "assistant", "content": text},
                }],
                "usage": {"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7},
            }),
            Self::Anthropic => json!({
                "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-haiku-4-5",
                "content": [{"type": "text", "text": text}],
                "stop_reason": "end_turn", "stop_sequence": null,
                "usage": {"input_tokens": 3, "output_tokens": 4},
            }),
        }
    }
}

/// The bodies of a conversation, in order.
fn bodies(server: &FakeServer, beginning: &str) -> Vec<String> {
    let received = server.received().into_iter();
    let bodies = received.map(|one| String::from_utf8(one.body).unwrap());
    bodies.filter(|body| body.contains(beginning)).collect()
}

/// The system message and the other messages of a body, each as it is in the body.
fn parts(body: &str) -> Vec<String> {
    let value: Value = serde_json::from_str(body).unwrap();
    let messages = value["messages"].as_array().unwrap().iter();
    let system = value.get("system").into_iter();
    let parts: Vec<String> = system.chain(messages).map(Value::to_string).collect();

    for part in &parts {
        assert!(body.contains(part), "{part} is not in the bytes of {body}");
    }
    parts
}

/// Asserts that each body begins with the one before it. Returns how many messages the last has.
fn assert_grows(provider: Provider, bodies: &[String]) -> usize {
    let unmarked = |body: &str| -> Vec<String> {
        let parts = parts(body).into_iter();
        parts.map(|part| part.replace(MARK, "")).collect()
    };
    let all: Vec<Vec<String>> = bodies.iter().map(|body| unmarked(body)).collect();
    for pair in all.windows(2) {
        assert!(pair[1].starts_with(&pair[0]), "{provider:?}: {pair:#?}");
    }

    // What is sent again is marked to its end, and the new prompt is not. An answer that could not be
    // read is sent back once without a new prompt.
    let is_repeated = |body: &&String| !parts(body).iter().rev().nth(1).unwrap().contains(RAMBLING);
    for body in bodies.iter().filter(is_repeated) {
        let marks: Vec<bool> = parts(body).iter().map(|part| part.contains(MARK)).collect();
        let (last, history) = marks.split_last().unwrap();
        let is_marked = provider == Provider::Anthropic;
        assert_eq!((history.last(), *last), (Some(&is_marked), false), "{body}");
        assert_eq!(history.first(), Some(&is_marked), "{body}");
    }
    all.last().unwrap().len()
}

#[tokio::test]
async fn a_run_repeats_its_beginning_byte_for_byte() {
    for provider in PROVIDERS {
        let folder = notes();
        let script = model(|task| match task.name.as_str() {
            DECIDE => Some(json!({"needs_more_research": true, "key_factors": ["tape storage"]})),
            COMPLEXITY => Some(json!({"recommended_workers": 2, "max_iterations": 3})),
            _ => None,
        });
        let (wired, server) = Wired::start(provider, script).await;
        let mut config = FeedbackConfig::default();
        config.memo.history = Some(History::Append);
        let builder = over(&folder).model(wired).config(config);
        let agent = builder.build().unwrap();
        let agent = agent.with_checkpointer(MemoryCheckpointer::new());

        // The stream is dropped in the middle of the memo, and the run is resumed.
        let mut events = Box::pin(agent.run(QUESTION).thread("t").stream());
        while bodies(&server, MEMO).len() < 2 && events.next().await.is_some() {}
        drop(events);
        assert!(!bodies(&server, MEMO).is_empty());
        let ended = agent.run(QUESTION).thread("t").await.unwrap();

        assert_eq!(ended.state.iteration_count(), 3);
        assert_eq!(assert_grows(provider, &bodies(&server, LEAD)), 6);
        assert!(assert_grows(provider, &bodies(&server, MEMO)) >= 6);
        let refused = server.received().len() / 7;
        assert!(refused >= 1, "no call failed");
    }
}

#[tokio::test]
async fn a_memo_repeats_its_beginning_byte_for_byte() {
    for provider in PROVIDERS {
        let (wired, server) = Wired::start(provider, model(|_| None)).await;
        let mut config = ScrConfig::default();
        (config.early_decision, config.history) = (None, Some(History::Append));
        let system = memo_system(wired, config).unwrap();
        let system = system.checkpointer(MemoryCheckpointer::new());
        let findings = |pass: usize| {
            let text = format!(
                "Node {pass} holds {} GB. We recommend disk {pass}.",
                40 + pass
            );
            vec![Finding::new(text, format!("{pass}.md"))]
        };

        let mut memo = Scr::new(QUESTION);
        for pass in 0..3 {
            let input = MemoInput::new(memo, findings(pass)).with_config(config);
            let thread = format!("t{pass}");
            let before = bodies(&server, MEMO).len();
            let mut events = Box::pin(system.run(input.clone()).thread(&*thread).stream());
            while bodies(&server, MEMO).len() < before + 2 && events.next().await.is_some() {}
            drop(events);
            let ended = system.run(input).thread(thread).await.unwrap();
            memo = ended.state.memo().clone();
        }

        assert_eq!(memo.spent.section_calls, 9);
        assert_eq!(assert_grows(provider, &bodies(&server, MEMO)), 18);
    }
}

/// Answers that cannot be read, and plans that cannot be used, stay in the conversation.
#[tokio::test]
async fn what_could_not_be_used_stays_in_the_conversation() {
    for provider in PROVIDERS {
        let folder = notes();
        let plans = AtomicUsize::new(0);
        let script = model(move |task| match task.name.as_str() {
            DECIDE => Some(json!({"needs_more_research": true, "key_factors": ["tape storage"]})),
            COMPLEXITY => Some(json!({"recommended_workers": 2, "max_iterations": 3})),
            LEAD_TASK if plans.fetch_add(1, Ordering::SeqCst).is_multiple_of(2) => {
                Some(json!({"approaches": [], "tasks": []}))
            }
            _ => None,
        });
        let (mut wired, server) = Wired::new(provider, script).await;
        wired.rambles = true;
        let mut config = FeedbackConfig::default();
        config.memo.history = Some(History::Append);
        let agent = over(&folder).model(Arc::new(wired)).config(config);
        let ended = agent.build().unwrap().run(QUESTION).await.unwrap();
        assert_eq!(ended.state.iteration_count(), 3);

        for beginning in [LEAD, MEMO] {
            let bodies = bodies(&server, beginning);
            let repeated = bodies.iter().filter(|body| body.contains(RAMBLING));
            assert!(repeated.count() > 1, "{provider:?}: {beginning}");
            assert_grows(provider, &bodies);
        }
        let refused = bodies(&server, LEAD).into_iter();
        let mut refused = refused.filter(|body| body.contains("could not be used"));
        assert!(refused.next().is_some(), "every plan was used");
    }
}
