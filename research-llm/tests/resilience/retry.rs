//! What is tried again, when, and what not.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::StreamExt;
use proptest::prelude::*;
use research_llm::layer::Retry;
use research_llm::{ChatModel, ChatModelExt, ErrorKind, ModelError, StreamEvent, collect};
use tokio::time::Instant;

use crate::fake::{Fake, answer, ask, at_once, fails, finish, ms, on_paused_clock, start, text, usage};

fn overloaded() -> ModelError {
    ModelError::server(Some(529), "overloaded", None)
}

proptest! {
    #[test]
    fn no_try_is_sooner_than_the_provider_asked(
        waits in prop::collection::vec(prop::option::of(0_u64..200_000), 1..6),
        jitter in 0.0_f64..=1.0,
        as_stream: bool,
    ) {
        let asked = waits.clone();
        let model = Fake::new(move |call, _| match asked.get(call) {
            Some(wait) => vec![start(), fails(ModelError::rate_limit("slow down", wait.map(ms)))],
            None => answer("done"),
        });
        let tried = model.clone().with(Retry::new().attempts(10).jitter(jitter));
        let response = on_paused_clock(async {
            if as_stream { collect("m", tried.stream(ask())).await } else { tried.complete(&ask()).await }
        });
        prop_assert_eq!(response.unwrap().text, "done");
        let calls = model.calls();
        prop_assert_eq!(calls.len(), waits.len() + 1);
        for (failed, (pair, asked)) in calls.windows(2).zip(&waits).enumerate() {
            let waited = pair[1].0 - pair[0].0;
            let asked = ms(asked.unwrap_or(0));
            prop_assert!(waited >= asked, "waited {waited:?}, asked {asked:?}");
            let backoff = Duration::from_secs(1 << failed).min(Duration::from_secs(60));
            prop_assert!(waited >= backoff.mul_f64(1.0 - jitter) && waited <= asked.max(backoff).mul_f64(1.0 + jitter) + ms(2));
        }
    }
}

#[tokio::test(start_paused = true)]
async fn three_tries_in_all_and_then_the_last_error() {
    let model = Fake::new(|call, _| vec![fails(ModelError::server(Some(500 + call as u16), "down", None))]);
    let error = model.clone().with(Retry::new()).complete(&ask()).await.unwrap_err();
    assert!(matches!(error, ModelError::Server { status: Some(502), .. }), "{error:?}");
    assert_eq!(model.calls().len(), 3);
}

#[tokio::test(start_paused = true)]
async fn what_would_fail_again_is_tried_once() {
    for error in [
        ModelError::token_limit("too long", None, None),
        ModelError::authentication("no"),
        ModelError::invalid_request("no", None),
        ModelError::invalid_response("a page", None),
        ModelError::no_such_model("no"),
        ModelError::Cancelled,
    ] {
        let kind = error.kind();
        let model = Fake::new(move |_, _| vec![fails(error.clone())]);
        let tried = model.clone().with(Retry::new());
        assert_eq!(tried.complete(&ask()).await.unwrap_err().kind(), kind);
        assert_eq!(collect("m", tried.stream(ask())).await.unwrap_err().kind(), kind);
        assert_eq!(model.calls().len(), 2, "{kind}: once whole, once streamed");
    }
}

#[tokio::test(start_paused = true)]
async fn a_wait_that_would_pass_the_deadline_is_not_begun() {
    let model = Fake::new(|_, _| vec![fails(ModelError::rate_limit("slow down", Some(Duration::from_secs(30))))]);
    let begin = Instant::now();
    let request = ask().deadline(begin + Duration::from_secs(20));
    let error = model.clone().with(Retry::new()).complete(&request).await.unwrap_err();
    assert_eq!(error.retry_after(), Some(Duration::from_secs(30)));
    assert_eq!((begin.elapsed(), model.calls().len()), (Duration::ZERO, 1));
}

#[tokio::test(start_paused = true)]
async fn a_provider_that_asks_for_too_long_a_wait_is_not_waited_for() {
    let model = Fake::new(|_, _| vec![fails(ModelError::rate_limit("tomorrow", Some(Duration::from_secs(86_400))))]);
    let begin = Instant::now();
    let tried = model.clone().with(Retry::new());
    assert_eq!(tried.complete(&ask()).await.unwrap_err().kind(), ErrorKind::RateLimit);
    assert_eq!((begin.elapsed(), model.calls().len()), (Duration::ZERO, 1));
    let patient = model.clone().with(Retry::new().attempts(2).max_retry_after(Duration::MAX));
    assert_eq!(patient.complete(&ask()).await.unwrap_err().kind(), ErrorKind::RateLimit);
    assert!(begin.elapsed() >= Duration::from_secs(86_400));
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_fails_before_its_first_content_leaves_no_trace() {
    let model = Fake::new(|call, _| match call {
        0 => vec![start(), usage(9), fails(overloaded())],
        1 => vec![start()],
        _ => answer("whole"),
    });
    let events: Vec<_> = model.clone().with(Retry::new()).stream(ask()).collect().await;
    let events: Vec<StreamEvent> = events.into_iter().map(Result::unwrap).collect();
    let expected: Vec<StreamEvent> = answer("whole").into_iter().map(|(_, event)| event.unwrap()).collect();
    assert_eq!(events, expected);
    assert_eq!(model.calls().len(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_fails_later_is_passed_on_with_what_had_arrived() {
    for ending in [Some(fails(overloaded())), None] {
        let is_truncated = ending.is_none();
        let steps = move || [start(), text("half")].into_iter().chain(ending.clone()).collect();
        let model = Fake::new(move |_, _| steps());
        let events: Vec<_> = model.clone().with(Retry::new()).stream(ask()).collect().await;
        let error = events.last().unwrap().as_ref().unwrap_err();
        assert_eq!(error.received().unwrap().text, "half");
        assert_eq!(error.kind() == ErrorKind::Connection, is_truncated);
        assert_eq!((events.len(), model.calls().len()), (3, 1));
    }
}

#[tokio::test(start_paused = true)]
async fn an_empty_answer_is_an_answer() {
    let model = Fake::new(|_, _| vec![start(), finish()]);
    let response = collect("m", model.clone().with(Retry::new()).stream(ask())).await.unwrap();
    assert_eq!((response.text.as_str(), model.calls().len()), ("", 1));
}

#[tokio::test(start_paused = true)]
async fn content_is_passed_on_as_it_comes() {
    let model = Fake::new(|_, _| {
        vec![start(), text("now"), (Duration::from_secs(3_600), at_once(StreamEvent::Text("later".into())).1)]
    });
    let tried = model.with(Retry::new());
    let mut events = tried.stream(ask());
    let begin = Instant::now();
    assert!(matches!(events.next().await, Some(Ok(StreamEvent::Metadata(_)))));
    assert!(matches!(events.next().await, Some(Ok(StreamEvent::Text(_)))));
    assert_eq!(begin.elapsed(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn the_observer_sees_every_wait() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let model = Fake::new(|call, _| if call < 2 { vec![fails(overloaded())] } else { answer("done") });
    let record = Arc::clone(&seen);
    let retry = Retry::new().jitter(0.0).on_retry(move |event| {
        record.lock().unwrap().push((
            event.model.to_owned(),
            event.failed,
            event.attempts,
            event.wait,
            event.error.kind(),
        ));
    });
    model.with(retry).complete(&ask()).await.unwrap();
    let expected =
        |failed, seconds| ("fake:fake".to_owned(), failed, 3, Duration::from_secs(seconds), ErrorKind::ServerError);
    assert_eq!(*seen.lock().unwrap(), [expected(1, 1), expected(2, 2)]);
}
