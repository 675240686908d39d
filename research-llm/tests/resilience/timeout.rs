//! How long a call may take, and what is left of one that took longer.

use futures::StreamExt;
use research_llm::layer::Timeout;
use research_llm::{ChatModel, ChatModelExt, ErrorKind, ModelError, collect};
use tokio::time::{Instant, sleep};

use crate::fake::{Fake, answer, ask, fails, finish, later, ms, start, text};

#[tokio::test(start_paused = true)]
async fn a_call_that_takes_too_long_is_dropped() {
    let model = Fake::new(|_, _| vec![start(), later(5_000, text("late")), finish()]);
    let begin = Instant::now();
    let error = model.with(Timeout::new(ms(300))).complete(&ask()).await.unwrap_err();
    assert!(matches!(error, ModelError::Timeout { after, .. } if after == ms(300)), "{error:?}");
    assert!(begin.elapsed() < ms(310));
}

#[tokio::test(start_paused = true)]
async fn the_earlier_deadline_counts_and_is_handed_on() {
    let inner = Fake::new(|_, _| answer("quick"));
    let model = inner.clone().with(Timeout::new(ms(300)));
    let now = Instant::now();
    model.complete(&ask()).await.unwrap();
    model.complete(&ask().deadline(now + ms(100))).await.unwrap();
    collect("m", model.stream(ask().deadline(now + ms(9_000)))).await.unwrap();
    let deadlines: Vec<_> = inner.calls().iter().map(|(at, request)| request.deadline.unwrap() - *at).collect();
    assert_eq!(deadlines[0], ms(300));
    assert!(deadlines[1] <= ms(100), "{deadlines:?}");
    assert_eq!(deadlines[2], ms(300));
}

#[tokio::test(start_paused = true)]
async fn a_silent_stream_fails_with_what_had_arrived() {
    let model = Fake::new(|_, _| vec![start(), text("half"), later(60_000, text("never")), finish()]);
    let model = model.with(Timeout::new(ms(100_000)).silence(ms(2_000)));
    let begin = Instant::now();
    let error = collect("m", model.stream(ask())).await.unwrap_err();
    assert_eq!((error.kind(), error.received().unwrap().text.as_str()), (ErrorKind::Timeout, "half"));
    assert!(begin.elapsed() >= ms(2_000) && begin.elapsed() < ms(2_010));
}

#[tokio::test(start_paused = true)]
async fn the_first_event_has_a_limit_of_its_own() {
    let slow = |first: u64| {
        Fake::new(move |_, _| vec![later(first, start()), later(900, text("a")), later(900, text("b")), finish()])
    };
    let limits = Timeout::new(ms(100_000)).first_event(ms(500));
    let error = collect("m", slow(600).with(limits).stream(ask())).await.unwrap_err();
    assert!(matches!(error, ModelError::Timeout { after, .. } if after == ms(500)), "{error:?}");
    let whole = collect("m", slow(400).with(limits).stream(ask())).await.unwrap();
    assert_eq!(whole.text, "ab", "between later events there may be more");
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_never_ends_is_ended() {
    let model = Fake::new(|_, _| (0..1_000).map(|_| later(100, text("."))).collect());
    let error = collect("m", model.with(Timeout::new(ms(1_050)).silence(ms(500))).stream(ask())).await.unwrap_err();
    assert_eq!((error.kind(), error.received().unwrap().text.as_str()), (ErrorKind::Timeout, ".........."));
}

#[tokio::test(start_paused = true)]
async fn a_slow_reader_is_no_silence() {
    let model = Fake::new(|_, _| answer("all"));
    let model = model.with(Timeout::new(ms(100_000)).first_event(ms(50)).silence(ms(50)));
    let mut events = model.stream(ask());
    let mut seen = 0;
    while let Some(event) = events.next().await {
        event.unwrap();
        seen += 1;
        sleep(ms(1_000)).await;
    }
    assert_eq!(seen, 3);
}

#[tokio::test(start_paused = true)]
async fn other_errors_pass_with_what_had_arrived() {
    let model = Fake::new(|_, _| vec![text("half"), fails(ModelError::server(Some(500), "down", None))]);
    let error = collect("m", model.with(Timeout::new(ms(1_000))).stream(ask())).await.unwrap_err();
    assert_eq!((error.kind(), error.received().unwrap().text.as_str()), (ErrorKind::ServerError, "half"));
    let model = Fake::new(|_, _| vec![text("half")]);
    let error = collect("m", model.with(Timeout::new(ms(1_000))).stream(ask())).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Connection);
}
