//! One agent on the engine and on a plain loop: the same calls, the same tape.

use std::sync::{Arc, Mutex};

use research_agents::core::{Cx, END, Graph, NodeError, State};
use research_agents::mcp::Object;
use research_agents::runtime::error::Error;
use research_agents::runtime::event::RunEvent;
use research_agents::runtime::job::{Job, JobDone, Kit, PlainLoop, Settings};
use research_agents::runtime::limits::{Policy, RetryPolicy};
use research_llm::Request;
use research_llm::testing::ScriptedModel;
use serde_json::json;

use crate::texts::Texts;

/// Reads texts until one has the word, and lets the model name it. It knows neither engine nor loop.
async fn agent(job: &Job) -> Result<String, Error> {
    let job = job.in_role("reader");
    let listed = job.call_tool("list_texts", Object::new()).await?.into_json()?;
    for id in listed.as_array().into_iter().flatten() {
        let read = job.call_tool("read_text", Object::from_iter([("id".to_owned(), id.clone())])).await?;
        let text = read.into_json()?["text"].as_str().unwrap_or_default().to_owned();
        let length: usize = job.outside("measure", &text, || async { Ok(text.len()) }).await?;
        if text.contains("Rain") {
            let answer = job.chat("name", Request::new().user(format!("{length} bytes")), false, |_| {}).await?;
            return Ok(answer.text);
        }
    }
    Ok("nothing".to_owned())
}

fn kit(texts: &Texts) -> Kit {
    let model = ScriptedModel::new().then("It is about rain.");
    let settings =
        Settings::new(Policy::new().role("reader", ["*"])).retry(RetryPolicy::default().first_wait(Default::default()));
    Kit::new(Arc::new(model), Arc::new(texts.clone()), settings)
}

#[derive(Clone, Default, State)]
struct Nothing {
    said: String,
}

#[tokio::test]
async fn engine_and_plain_loop_give_equal_tapes() {
    for failures in [0, 2] {
        let texts = || Texts { failures: Arc::new(failures.into()), ..Texts::default() };

        let heard = Arc::new(Mutex::new(Vec::new()));
        let listener = Arc::clone(&heard);
        let context = PlainLoop::with_listener(move |event: RunEvent| listener.lock().unwrap().push(event));
        let job = Job::new(context, &kit(&texts()), "agent", true);
        let said = agent(&job).await.unwrap();
        let looped = job.done();

        let on_engine: Arc<Mutex<Option<JobDone>>> = Arc::default();
        let done = Arc::clone(&on_engine);
        let node = move |cx: Cx<Nothing, Kit>| {
            let done = Arc::clone(&done);
            async move {
                let job = Job::new(cx.clone(), &cx.resources, "agent", true);
                let said = agent(&job).await?;
                *done.lock().unwrap() = Some(job.done());
                Ok::<_, NodeError>(Nothing::update().said(said))
            }
        };
        let mut g = Graph::<Nothing, Kit>::new("agent");
        let node = g.node("agent", node);
        g.entry(node).edge(node, END);
        let ended = g.compile().unwrap().run(Nothing::update()).resources(kit(&texts())).await.unwrap();
        let engine = on_engine.lock().unwrap().take().unwrap();

        assert_eq!((said.as_str(), ended.state.said.as_str()), ("It is about rain.", "It is about rain."));
        assert_eq!(looped.usage, engine.usage);
        let tape = |done: &JobDone| json!(done.record.as_ref().unwrap());
        assert_eq!(tape(&looped)["effects"], tape(&engine)["effects"]);
        assert!(tape(&looped)["effects"].as_array().unwrap().len() > 6);
        let retries = heard.lock().unwrap().iter().filter(|event| matches!(event, RunEvent::Retry { .. })).count();
        assert_eq!(retries, failures);
    }
}
