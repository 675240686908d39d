//! Chat, streams, schemas, tools, limits and cancellation, through both providers.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures::StreamExt;
use research_agents::tool_loop::{ToolAgent, ToolLoopEnd};
use research_llm::tool::{Toolbox, tool_fn};
use research_llm::{Accumulated, ChatModelExt, ErrorKind, FinishReason, ModelError, Request, StreamEvent};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::server::{WATCHDOG, is_busy, models};

#[tokio::test]
async fn a_chat_is_answered_and_counted() {
    for (name, model) in models().await {
        assert_eq!(model.info().context_tokens, Some(8_192), "{name} says how much it holds");
        let request = Request::new()
            .system("Answer with one word.")
            .user("What is the capital of France?")
            .max_output_tokens(20)
            .temperature(0.0);
        let answer = model.complete(&request).await.unwrap();
        assert!(answer.text.contains("Paris"), "{name}: {}", answer.text);
        assert_eq!(answer.finish, FinishReason::Stop, "{name}");
        assert!(answer.usage.input_tokens > 10 && answer.usage.output_tokens > 0, "{name}: {:?}", answer.usage);
        assert!(!answer.model.is_empty(), "{name}");
    }
}

#[tokio::test]
async fn an_answer_that_reaches_its_limit_says_so() {
    for (name, model) in models().await {
        let request = Request::new()
            .user("Recite the English alphabet, one letter on each line, and nothing else.")
            .max_output_tokens(8);
        let answer = model.complete(&request).await.unwrap();
        assert_eq!((answer.finish, answer.usage.output_tokens), (FinishReason::Length, 8), "{name}: {}", answer.text);
    }
}

#[tokio::test]
async fn a_stream_comes_in_pieces_and_ends_once_with_its_usage() {
    for (name, model) in models().await {
        let request = Request::new().user("Name the four seasons.").max_output_tokens(60).temperature(0.0);
        let mut events = model.stream(request);
        let mut answer = Accumulated::new(&model.info().name);
        let (mut pieces, mut ends) = (0, 0);
        while let Some(event) = events.next().await {
            let event = event.unwrap_or_else(|error| panic!("{name}: {error}"));
            pieces += usize::from(matches!(event, StreamEvent::Text(_)));
            ends += usize::from(matches!(event, StreamEvent::Finish(_)));
            answer.add(event);
        }
        let answer = answer.finish().unwrap();
        assert!(pieces > 2, "{name}: {pieces} pieces of {}", answer.text);
        assert_eq!(ends, 1, "{name}");
        assert!(answer.text.to_lowercase().contains("winter"), "{name}: {}", answer.text);
        assert!(answer.usage.input_tokens > 0 && answer.usage.output_tokens > 2, "{name}: {:?}", answer.usage);
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Strike {
    /// The animal that was struck.
    animal: String,
    /// Knots.
    speed: Option<u32>,
    time_of_day: TimeOfDay,
    /// What was damaged; empty when nothing was.
    damage: Vec<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum TimeOfDay {
    Dawn,
    Day,
    Dusk,
    Night,
    Unknown,
}

#[tokio::test]
async fn an_answer_is_held_to_a_schema() {
    for (name, model) in models().await {
        let request = Request::new()
            .user("Read the report: At night a barn owl was struck at 120 knots. The radome was cracked.")
            .max_output_tokens(200)
            .temperature(0.0);
        let strike = model.structured::<Strike>(request).await.unwrap_or_else(|error| panic!("{name}: {error:?}"));
        assert!(strike.value.animal.to_lowercase().contains("owl"), "{name}: {strike:?}");
        // What else a small model reads is its own; that it is of these types is what the schema holds it to.
        let Strike { speed, time_of_day, damage, .. } = &strike.value;
        println!("{name}: {speed:?} knots, {time_of_day:?}, {damage:?}");
        assert!(strike.usage.output_tokens > 0, "{name}");
    }
}

#[derive(Deserialize, JsonSchema)]
struct City {
    /// Name of the city.
    city: String,
}

#[tokio::test]
async fn a_tool_loop_ends_and_uses_what_its_tool_returned() {
    let mut managed = 0;
    for (name, model) in models().await {
        let runs = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&runs);
        let weather = tool_fn("weather", "Tells the present weather of a city.", move |place: City| {
            counted.fetch_add(1, Ordering::SeqCst);
            async move { Ok::<_, ModelError>(format!("In {} it is hailing.", place.city)) }
        });
        let agent = ToolAgent::builder(model, Toolbox::new().with(weather));
        let agent = agent.max_iterations(3).max_output_tokens(200).build().unwrap();
        let answer = agent.run("What is the weather in Graz now? Use the tool.").await.unwrap();
        let runs = runs.load(Ordering::SeqCst);
        println!("{name}: {runs} calls of the tool, {:?}: {}", answer.end, answer.text);
        assert!(answer.usage.input_tokens > 0 && answer.iterations <= 3, "{name}");
        assert!(matches!(answer.end, ToolLoopEnd::Answered | ToolLoopEnd::IterationLimit), "{name}");
        managed += usize::from(runs > 0);
    }
    println!("the model called its tool through {managed} of 2 providers");
}

#[tokio::test]
async fn a_dropped_stream_stops_the_server() {
    for (name, model) in models().await {
        let request = Request::new().user("Write a very long story of a gull.").max_output_tokens(4_000);
        let mut tries = 0;
        let events = loop {
            let mut events = model.stream(request.clone());
            let mut pieces = 0;
            while pieces < 3 {
                let event = events.next().await.unwrap_or_else(|| panic!("{name}: the stream ended")).unwrap();
                pieces += usize::from(matches!(event, StreamEvent::Text(_)));
            }
            // A story that turned out short may be over by the time the server is asked.
            if is_busy().await {
                break events;
            }
            tries += 1;
            assert!(tries < 3, "{name}: four thousand tokens are not written yet");
        };
        drop(events);
        // An answer of that length takes longer than the watchdog waits, so an idle server has given it up.
        let idle = async {
            while is_busy().await {
                tokio::time::sleep(std::time::Duration::from_millis(50)).await;
            }
        };
        tokio::time::timeout(WATCHDOG, idle).await.unwrap_or_else(|_| panic!("{name}: the server goes on"));
    }
}

#[tokio::test]
async fn a_prompt_beyond_the_context_is_a_typed_error_with_both_counts() {
    for (name, model) in models().await {
        let request = Request::new().user("gull hawk goose owl ".repeat(3_000)).max_output_tokens(10);
        let error = model.complete(&request).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::TokenLimit, "{name}: {error:?}");
        let ModelError::TokenLimit { limit, requested, .. } = &error else { panic!("{name}: {error:?}") };
        assert_eq!(*limit, Some(8_192), "{name}");
        assert!(requested.is_some_and(|tokens| tokens > 8_192), "{name}: {requested:?}");
        let streamed = model.stream(request).next().await;
        assert!(matches!(&streamed, Some(Err(error)) if error.kind() == ErrorKind::TokenLimit), "{name}: {streamed:?}");
    }
}
