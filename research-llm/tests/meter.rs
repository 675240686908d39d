//! A meter counts every call once, by how it ended.

use std::time::Duration;

use futures::StreamExt;
use research_llm::layer::{Cache, MemoryCache, Meter, MeterSnapshot};
use research_llm::price::{Price, PriceEntry, PriceTable, Usd};
use research_llm::testing::{Reply, ScriptedModel};
use research_llm::{
    ChatModel, ChatModelExt, EventStream, FinishReason, ModelError, ModelInfo, ModelKind, Request, Response,
    StreamEvent, Task, Usage, async_trait,
};

fn ask(task: &str) -> Request {
    Request::new().user("a private question").task(Task::new(task, serde_json::json!({})))
}

#[tokio::test]
async fn calls_are_counted_by_model_and_task_and_ending() {
    let meter = Meter::new();
    let model = ScriptedModel::new()
        .fail(1, ModelError::rate_limit("slow down", None))
        .then(Reply::text("one").usage(Usage::new(10, 2).cached(4, 0)))
        .then(Reply::text("two").usage(Usage::new(20, 3)))
        .then("three")
        .with(meter.layer());
    assert!(model.complete(&ask("plan")).await.is_err());
    model.complete(&ask("plan")).await.unwrap();
    assert!(model.stream(ask("write")).all(|event| std::future::ready(event.is_ok())).await);
    model.complete(&Request::new().user("no task")).await.unwrap();

    let seen = meter.snapshot();
    assert_eq!((seen.total.calls, seen.total.failed(), seen.total.unreported), (4, 1, 1));
    assert_eq!(seen.total.errors["rate_limit"], 1);
    assert_eq!(seen.total.usage, Usage::new(30, 5).cached(4, 0));
    assert_eq!((seen.tasks["plan"].calls, seen.tasks["write"].calls, seen.tasks.len()), (2, 1, 2));
    assert_eq!(seen.models["scripted:scripted"], seen.total);
    let json = serde_json::to_string(&seen).unwrap();
    assert_eq!(serde_json::from_str::<MeterSnapshot>(&json).unwrap(), seen);
}

#[tokio::test]
async fn tokens_without_a_price_are_told_apart() {
    let prices =
        PriceTable::default().entry(PriceEntry::new("p", "known", Price::new(Usd::dollars(1), Usd::dollars(2))));
    let meter = Meter::with_prices(prices);
    for name in ["known", "unknown"] {
        let info = ModelInfo::new("p", name, ModelKind::Language);
        let model = ScriptedModel::named(info).then(Reply::text("a").usage(Usage::new(1_000, 100))).with(meter.layer());
        model.complete(&Request::new().user("q")).await.unwrap();
    }
    let total = meter.snapshot().total;
    assert_eq!(total.cost, "0.0012".parse().unwrap());
    assert_eq!(total.unpriced, Usage::new(1_000, 100));
}

#[tokio::test]
async fn what_a_cache_answers_and_what_is_broken_off_is_told_apart() {
    let meter = Meter::new();
    let model = ScriptedModel::new().then(Reply::text("a").usage(Usage::new(5, 1)));
    let model = model.with(Cache::new(MemoryCache::new(1))).with(meter.layer());
    model.complete(&ask("t")).await.unwrap();
    model.complete(&ask("t")).await.unwrap();
    let mut left = model.stream(Request::new().user("other"));
    drop(left.next().await);
    drop(left);
    drop(model.stream(ask("t")));
    let mut left = model.stream(ask("t"));
    left.next().await.unwrap().unwrap();
    drop(left);
    let total = meter.snapshot().total;
    assert_eq!((total.calls, total.cached, total.failed(), total.cancelled), (4, 1, 1, 1));
    assert_eq!(total.usage, Usage::new(5, 1));
}

/// Says its first word after two seconds and ends after five.
struct Slow(ModelInfo);

#[async_trait]
impl ChatModel for Slow {
    fn info(&self) -> &ModelInfo {
        &self.0
    }
    async fn complete(&self, _: &Request) -> Result<Response, ModelError> {
        tokio::time::sleep(Duration::from_secs(5)).await;
        Ok(Response::new("m", "word"))
    }
    fn stream(&self, _: Request) -> EventStream<'_> {
        let steps = [(2, StreamEvent::Text("word".into())), (3, StreamEvent::Finish(FinishReason::Stop))];
        futures::stream::iter(steps)
            .then(|(seconds, event)| async move {
                tokio::time::sleep(Duration::from_secs(seconds)).await;
                Ok(event)
            })
            .boxed()
    }
}

#[tokio::test(start_paused = true)]
async fn the_first_piece_and_the_whole_are_timed() {
    let meter = Meter::new();
    let model = Slow(ModelInfo::new("p", "m", ModelKind::Language)).with(meter.layer());
    model.complete(&ask("t")).await.unwrap();
    assert_eq!(model.stream(ask("t")).count().await, 2);
    let total = meter.snapshot().total;
    assert_eq!((total.first_token.count, total.first_token.max), (1, Duration::from_secs(2)));
    assert_eq!((total.total.count, total.total.mean()), (2, Some(Duration::from_secs(5))));
    let waiting = tokio::time::timeout(Duration::from_secs(1), model.complete(&ask("t"))).await;
    assert!(waiting.is_err());
    assert_eq!((meter.snapshot().total.cancelled, meter.snapshot().total.total.min), (1, Duration::from_secs(1)));
}
