//! No minute holds more requests or tokens than the limit, and nobody waits forever.

use std::time::Duration;

use futures::future::join_all;
use proptest::prelude::*;
use research_llm::layer::RateLimit;
use research_llm::{ChatModel, ChatModelExt, ErrorKind, Request, collect};
use tokio::time::{Instant, sleep, timeout};

use crate::fake::{Fake, answer, ask, finish, later, ms, on_paused_clock, start, text, usage};

const MINUTE: Duration = Duration::from_secs(60);

/// A request that is estimated at so many tokens.
fn of(tokens: u32) -> Request {
    ask().max_output_tokens(tokens)
}

fn tokens_of(request: &Request) -> u64 {
    u64::from(request.max_output_tokens.unwrap())
}

fn limit() -> RateLimit {
    RateLimit::new().estimate(tokens_of)
}

proptest! {
    #[test]
    fn no_minute_holds_more_than_the_limits(
        calls in prop::collection::vec((0_u64..150_000, 1_u32..100), 1..40),
        requests in 1_usize..12,
        tokens in 100_u64..300,
        as_stream: bool,
    ) {
        let model = Fake::new(|_, request| {
            vec![start(), later(700, text("done")), usage(tokens_of(request)), finish()]
        });
        let paced = model.clone().with(limit().requests_per_minute(requests).tokens_per_minute(tokens));
        on_paused_clock(join_all(calls.iter().map(|&(at, tokens)| {
            let paced = &paced;
            async move {
                sleep(ms(at)).await;
                if as_stream { collect("m", paced.stream(of(tokens))).await } else { paced.complete(&of(tokens)).await }.unwrap();
            }
        })));
        let made = model.calls();
        prop_assert_eq!(made.len(), calls.len());
        for (from, _) in &made {
            let within: Vec<_> = made.iter().filter(|(at, _)| *at >= *from && *at < *from + MINUTE).collect();
            prop_assert!(within.len() <= requests);
            prop_assert!(within.iter().map(|(_, request)| tokens_of(request)).sum::<u64>() <= tokens);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn who_comes_first_is_served_first() {
    let model = Fake::new(|_, _| answer("done"));
    let paced = model.clone().with(limit().tokens_per_minute(100));
    // The small ones behind the large one would fit before it.
    let sizes = [90, 80, 1, 2, 3];
    join_all(sizes.map(|size| {
        let paced = &paced;
        async move { paced.complete(&of(size)).await.unwrap() }
    }))
    .await;
    let order: Vec<_> = model.calls().iter().map(|(_, request)| tokens_of(request)).collect();
    assert_eq!(order, [90, 80, 1, 2, 3]);
}

#[tokio::test(start_paused = true)]
async fn a_call_larger_than_the_limit_goes_alone() {
    let model = Fake::new(|_, _| answer("done"));
    let paced = model.clone().with(limit().tokens_per_minute(100));
    let begin = Instant::now();
    for size in [10, 1_000, 10] {
        paced.complete(&of(size)).await.unwrap();
    }
    let made: Vec<_> = model.calls().iter().map(|(at, _)| *at - begin).collect();
    assert!(made[1] >= MINUTE && made[2] >= made[1] + MINUTE, "{made:?}");
}

#[tokio::test(start_paused = true)]
async fn a_waiting_call_that_is_dropped_leaves_the_queue() {
    let model = Fake::new(|_, _| answer("done"));
    let paced = model.clone().with(limit().requests_per_minute(1));
    let begin = Instant::now();
    paced.complete(&of(1)).await.unwrap();
    let (second, third) = (of(2), of(3));
    let gives_up = timeout(ms(5), paced.complete(&second));
    let stays = paced.complete(&third);
    let (gave_up, stayed) = tokio::join!(gives_up, stays);
    assert!(gave_up.is_err());
    stayed.unwrap();
    let made = model.calls();
    assert_eq!((made.len(), tokens_of(&made[1].1)), (2, 3));
    assert!(made[1].0 - begin < MINUTE + ms(10), "the place of the dropped call was given on");
}

#[tokio::test(start_paused = true)]
async fn tokens_that_were_not_used_are_given_back() {
    for as_stream in [false, true] {
        let model = Fake::new(|_, _| vec![start(), usage(90), later(1_000, text("short")), usage(5), finish()]);
        let paced = model.clone().with(limit().tokens_per_minute(100));
        let begin = Instant::now();
        let both = join_all([90, 91].map(|size| {
            let paced = &paced;
            async move {
                if as_stream { collect("m", paced.stream(of(size))).await } else { paced.complete(&of(size)).await }
            }
        }));
        assert!(both.await.iter().all(Result::is_ok));
        let waited = model.calls()[1].0 - begin;
        assert!(waited >= ms(1_000) && waited < MINUTE, "waited {waited:?} for a call that used 5 of its 90 tokens");
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_without_room_before_its_deadline_fails_at_once() {
    let model = Fake::new(|_, _| answer("done"));
    let paced = model.clone().with(limit().requests_per_minute(1));
    paced.complete(&of(1)).await.unwrap();
    let begin = Instant::now();
    let error = paced.complete(&of(1).deadline(begin + ms(20_000))).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::RateLimit);
    assert!(error.retry_after().is_some_and(|after| after <= MINUTE && after > MINUTE - ms(10)));
    assert_eq!((begin.elapsed(), model.calls().len()), (Duration::ZERO, 1));
}

#[tokio::test(start_paused = true)]
async fn clones_count_together() {
    let model = Fake::new(|_, _| answer("done"));
    let account = limit().requests_per_minute(1);
    let (small, large) = (model.clone().with(account.clone()), model.clone().with(account));
    let begin = Instant::now();
    small.complete(&of(1)).await.unwrap();
    large.complete(&of(1)).await.unwrap();
    assert!(begin.elapsed() >= MINUTE);
}
