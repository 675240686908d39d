//! Which errors another model is asked after, and what is said of it.

use std::time::Duration;

use futures::StreamExt;
use research_llm::layer::{Fallback, Retry};
use research_llm::{ChatModel, ChatModelExt, ErrorKind, ModelError, StreamEvent, collect};
use tokio::time::Instant;

use crate::fake::{Fake, answer, ask, fails, later, start, text};

fn broken(error: ModelError) -> Fake {
    Fake::new(move |_, _| vec![start(), fails(error.clone())])
}

fn down() -> ModelError {
    ModelError::server(Some(503), "down", None)
}

#[tokio::test(start_paused = true)]
async fn another_model_is_asked_after_trouble_of_one_alone() {
    for error in [
        down(),
        ModelError::rate_limit("slow down", None),
        ModelError::connection("refused", None),
        ModelError::timeout(Duration::from_secs(1)),
        ModelError::token_limit("too long", None, None),
        ModelError::authentication("no key"),
        ModelError::no_such_model("no"),
        ModelError::invalid_response("a page", None),
    ] {
        let model = broken(error).with(Fallback::to(Fake::new(|_, _| answer("reserve"))));
        assert_eq!(model.complete(&ask()).await.unwrap().metadata["fallback"], 1);
        let streamed = collect("m", model.stream(ask())).await.unwrap();
        assert_eq!((streamed.text.as_str(), &streamed.metadata["fallback"]), ("reserve", &1.into()));
    }
}

#[tokio::test(start_paused = true)]
async fn no_other_is_asked_after_a_fault_of_the_request() {
    for error in [
        ModelError::invalid_request("malformed", None),
        ModelError::Cancelled,
        ModelError::unsupported_task("m", None, &[]),
    ] {
        let kind = error.kind();
        let reserve = Fake::new(|_, _| answer("reserve"));
        let model = broken(error).with(Fallback::to(reserve.clone()));
        assert_eq!(model.complete(&ask()).await.unwrap_err().kind(), kind);
        assert_eq!(collect("m", model.stream(ask())).await.unwrap_err().kind(), kind);
        assert!(reserve.calls().is_empty());
    }
}

#[tokio::test(start_paused = true)]
async fn the_rule_can_be_replaced() {
    let model = broken(ModelError::unsupported_task("m", None, &[]))
        .with(Fallback::to(Fake::new(|_, _| answer("reserve"))).when(|error| error.kind() == ErrorKind::Unsupported));
    assert_eq!(model.complete(&ask()).await.unwrap().text, "reserve");
}

#[tokio::test(start_paused = true)]
async fn an_answer_of_the_first_model_is_left_as_it_is() {
    let model = Fake::new(|_, _| answer("first")).with(Fallback::to(broken(down())));
    assert!(!model.complete(&ask()).await.unwrap().metadata.contains_key("fallback"));
}

#[tokio::test(start_paused = true)]
async fn when_all_fail_every_error_is_kept() {
    let last = ModelError::rate_limit("slow down", Some(Duration::from_secs(9)));
    let model = broken(down()).with(Fallback::to(broken(ModelError::authentication("no key"))).or(broken(last)));
    for error in [model.complete(&ask()).await.unwrap_err(), collect("m", model.stream(ask())).await.unwrap_err()] {
        let ModelError::AllFailed { errors, .. } = &error else { panic!("{error:?}") };
        let kinds: Vec<_> = errors.iter().map(|(model, error)| (model.as_str(), error.kind())).collect();
        assert_eq!(
            kinds,
            [
                ("fake:fake", ErrorKind::ServerError),
                ("fake:fake", ErrorKind::Authentication),
                ("fake:fake", ErrorKind::RateLimit)
            ]
        );
        assert_eq!(error.kind(), ErrorKind::RateLimit);
        assert_eq!(error.retry_after(), None, "the first one may answer at once");
        assert!(error.to_string().contains("no key") && !error.user_message().contains("no key"));
    }
}

#[tokio::test(start_paused = true)]
async fn a_stream_falls_back_only_before_its_first_content() {
    let reserve = Fake::new(|_, _| answer("reserve"));
    let first = Fake::new(|_, _| vec![start(), text("half"), fails(down())]);
    let model = first.with(Fallback::to(reserve.clone()));
    let error = collect("m", model.stream(ask())).await.unwrap_err();
    assert_eq!(error.received().unwrap().text, "half");
    assert!(reserve.calls().is_empty());
}

#[tokio::test(start_paused = true)]
async fn the_stream_says_who_answers_before_the_answer() {
    let reserve = Fake::new(|_, _| vec![text("a"), text("b"), crate::fake::finish()]);
    let model = broken(down()).with(Fallback::to(reserve));
    let events: Vec<_> = model.stream(ask()).map(Result::unwrap).collect().await;
    assert!(matches!(&events[0], StreamEvent::Metadata(fields) if fields["fallback"] == 1), "{events:?}");
    assert_eq!(events.len(), 4);
}

#[tokio::test(start_paused = true)]
async fn nobody_is_asked_past_the_deadline() {
    let reserve = Fake::new(|_, _| answer("reserve"));
    let first = Fake::new(|_, _| vec![later(1_000, fails(down()))]);
    let model = first.with(Fallback::to(reserve.clone()));
    let request = ask().deadline(Instant::now() + Duration::from_millis(500));
    assert_eq!(model.complete(&request).await.unwrap_err().kind(), ErrorKind::ServerError);
    assert!(reserve.calls().is_empty());
}

#[tokio::test(start_paused = true)]
async fn each_model_of_a_chain_can_have_its_own_tries() {
    let first = broken(down());
    let model = first.clone().with(Retry::new().attempts(2)).with(Fallback::to(Fake::new(|_, _| answer("reserve"))));
    assert_eq!(model.complete(&ask()).await.unwrap().text, "reserve");
    assert_eq!(first.calls().len(), 2);
}
