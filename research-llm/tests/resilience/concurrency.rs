//! Never more calls in flight than allowed, and no place lost.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures::future::join_all;
use futures::{FutureExt, StreamExt};
use proptest::prelude::*;
use research_llm::layer::Concurrency;
use research_llm::{
    ChatModel, ChatModelExt, ErrorKind, EventStream, ModelError, ModelInfo, Request, Response, StreamEvent,
    async_trait, collect,
};
use tokio::time::{Instant, sleep, timeout};

use crate::fake::{Fake, answer, ask, fails, later, ms, on_paused_clock, start, text};

/// Counts the calls that are inside the model, however they leave it.
struct Counted {
    inner: Fake,
    inside: Arc<AtomicUsize>,
    most: Arc<AtomicUsize>,
}

struct Guard(Arc<AtomicUsize>);

impl Drop for Guard {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Counted {
    fn enter(&self) -> Guard {
        let now = self.inside.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(now, Ordering::SeqCst);
        Guard(Arc::clone(&self.inside))
    }
}

#[async_trait]
impl ChatModel for Counted {
    fn info(&self) -> &ModelInfo {
        self.inner.info()
    }
    async fn complete(&self, request: &Request) -> Result<Response, ModelError> {
        let _guard = self.enter();
        let response = self.inner.complete(request).await;
        assert!(request.seed != Some(13), "a defect in a model");
        response
    }
    fn stream(&self, request: Request) -> EventStream<'_> {
        let guard = self.enter();
        // The closure owns the guard, so that the call is inside until its stream is dropped.
        self.inner.stream(request).map(move |event| (&guard, event).1).boxed()
    }
}

#[derive(Clone, Copy, Debug)]
enum Way {
    Whole,
    Streamed,
    Broken,
    Panic,
    Dropped(u64),
    DroppedStream(u64),
}

fn way() -> impl Strategy<Value = Way> {
    prop_oneof![
        Just(Way::Whole),
        Just(Way::Streamed),
        Just(Way::Broken),
        Just(Way::Panic),
        (0_u64..300).prop_map(Way::Dropped),
        (0_u64..300).prop_map(Way::DroppedStream),
    ]
}

proptest! {
    #[test]
    fn the_limit_holds_and_no_place_is_lost(ways in prop::collection::vec((0_u64..200, way()), 1..40), limit in 1_usize..5) {
        let inner = Fake::new(|_, request| {
            let end = if request.seed == Some(7) { fails(ModelError::Truncated) } else { crate::fake::finish() };
            vec![start(), later(50, text("a")), later(50, text("b")), end]
        });
        let (inside, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let places = Concurrency::new(limit);
        let model = Counted { inner, inside: Arc::clone(&inside), most: Arc::clone(&most) }.with(places.clone());
        on_paused_clock(join_all(ways.iter().map(|&(at, way)| {
            let model = &model;
            async move {
                sleep(ms(at)).await;
                match way {
                    Way::Whole => assert!(model.complete(&ask()).await.is_ok()),
                    Way::Streamed => assert!(collect("m", model.stream(ask())).await.is_ok()),
                    Way::Broken => assert!(collect("m", model.stream(ask().seed(7))).await.is_err()),
                    Way::Panic => assert!(AssertUnwindSafe(model.complete(&ask().seed(13))).catch_unwind().await.is_err()),
                    Way::Dropped(after) => drop(timeout(ms(after), model.complete(&ask())).await),
                    Way::DroppedStream(after) => drop(timeout(ms(after), collect("m", model.stream(ask()))).await),
                }
            }
        })));
        prop_assert!(most.load(Ordering::SeqCst) <= limit);
        prop_assert_eq!(inside.load(Ordering::SeqCst), 0);
        prop_assert_eq!(places.in_flight(), 0);
    }
}

#[tokio::test(start_paused = true)]
async fn a_stream_is_in_flight_until_it_finishes_or_is_dropped() {
    let places = Concurrency::new(2);
    let model = Fake::new(|_, _| answer("done")).with(places.clone());
    let mut first = model.stream(ask());
    let mut second = model.stream(ask());
    assert_eq!(places.in_flight(), 0, "a stream is lazy");
    assert!(first.next().await.is_some() && second.next().await.is_some());
    assert_eq!(places.in_flight(), 2);
    drop(second);
    assert_eq!(places.in_flight(), 1);
    while !matches!(first.next().await, Some(Ok(StreamEvent::Finish(_)))) {}
    assert_eq!(places.in_flight(), 0, "a finished stream that is still held needs no place");
}

#[tokio::test(start_paused = true)]
async fn waiting_ends_with_the_deadline() {
    let model =
        Fake::new(|_, _| vec![start(), later(10_000, text("slow")), crate::fake::finish()]).with(Concurrency::new(1));
    let begin = Instant::now();
    let (first, second) = tokio::join!(async { model.complete(&ask()).await }, async {
        model.complete(&ask().deadline(begin + ms(500))).await
    },);
    assert!(first.is_ok());
    assert_eq!(second.unwrap_err().kind(), ErrorKind::Timeout);
}

#[tokio::test(start_paused = true)]
async fn who_comes_first_is_served_first() {
    let inner = Fake::new(|_, _| vec![start(), later(10, text("x")), crate::fake::finish()]);
    let model = inner.clone().with(Concurrency::new(1));
    join_all((0..20).map(|n| {
        let model = &model;
        async move { model.complete(&ask().seed(n + 100)).await.unwrap() }
    }))
    .await;
    let order: Vec<_> = inner.calls().iter().map(|(_, request)| request.seed.unwrap()).collect();
    assert_eq!(order, (100..120).collect::<Vec<_>>());
}
