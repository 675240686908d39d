//! A budget holds, whatever the calls do, and forgets nothing that was used.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures::StreamExt;
use futures::future::join_all;
use proptest::prelude::*;
use research_llm::layer::{Budget, BudgetLayer, BudgetLimits, Cache, MemoryCache, Spending};
use research_llm::price::{Price, PriceEntry, PriceTable, Usd};
use research_llm::testing::{Reply, ScriptedModel};
use research_llm::{
    ChatModel, ChatModelExt, ErrorKind, EventStream, FinishReason, ModelError, ModelInfo, ModelKind, Request, Response,
    StreamEvent, Usage, async_trait, tokens,
};

fn tokens(limit: u64) -> Budget {
    Budget::new(BudgetLimits::new().tokens(limit))
}

fn ask(text: &str) -> Request {
    Request::new().user(text).max_output_tokens(50)
}

fn estimated(request: &Request) -> u64 {
    tokens::estimate_request(request)
}

#[tokio::test]
async fn a_call_is_charged_what_the_model_reports() {
    let budget = tokens(1_000);
    let model = ScriptedModel::new().then(Reply::text("ok").usage(Usage::new(7, 3))).with(budget.layer());
    model.complete(&ask("hi")).await.unwrap();
    let snapshot = budget.snapshot();
    assert_eq!(snapshot.spent, Spending::new(10, Usd::ZERO, 1));
    assert_eq!((snapshot.reserved, snapshot.estimated), (Spending::default(), Spending::default()));
    assert_eq!(snapshot.remaining().tokens, Some(990));
}

#[tokio::test]
async fn a_stream_is_charged_what_the_model_reports() {
    let budget = tokens(1_000);
    let model = ScriptedModel::new().then(Reply::text("ok").usage(Usage::new(7, 3))).with(budget.layer());
    let mut stream = model.stream(ask("hi"));
    assert_eq!(budget.snapshot().reserved, Spending::default(), "a stream that is not read reserves nothing");
    stream.next().await.unwrap().unwrap();
    assert!(budget.snapshot().reserved.tokens >= 50);
    while stream.next().await.is_some() {}
    assert_eq!((budget.snapshot().spent.tokens, budget.snapshot().reserved.tokens), (10, 0));
}

#[tokio::test]
async fn what_is_not_reported_is_estimated() {
    for streamed in [false, true] {
        let budget = tokens(1_000);
        let model = ScriptedModel::new().then("a few words of an answer").with(budget.layer());
        let request = ask("hi");
        if streamed {
            assert_eq!(
                model.stream(request.clone()).filter(|event| std::future::ready(event.is_err())).count().await,
                0
            );
        } else {
            model.complete(&request).await.unwrap();
        }
        let snapshot = budget.snapshot();
        let arrived = tokens::estimate("a few words of an answer");
        assert_eq!(snapshot.spent.tokens, estimated(&request) + arrived.min(50));
        assert_eq!(snapshot.estimated, snapshot.spent);
    }
}

#[tokio::test]
async fn a_request_without_a_limit_gets_one() {
    let budget = tokens(100_000);
    let info = ModelInfo::new("p", "m", ModelKind::Language).max_output_tokens(300);
    let model = Arc::new(ScriptedModel::named(info).then("a").then("b").then("c"));
    let open = Request::new().user("hi");
    Arc::clone(&model).with(budget.layer()).complete(&open).await.unwrap();
    Arc::clone(&model).with(budget.layer().output_tokens(20)).complete(&open).await.unwrap();
    Arc::clone(&model).with(budget.layer()).complete(&ask("hi")).await.unwrap();
    let limits: Vec<_> = model.calls().iter().map(|request| request.max_output_tokens).collect();
    assert_eq!(limits, [Some(300), Some(20), Some(50)]);
}

#[tokio::test]
async fn a_call_that_does_not_fit_is_refused_before_it_is_made() {
    let budget = Budget::new(BudgetLimits::new().tokens(200).calls(1));
    let inner = Arc::new(ScriptedModel::new().then(Reply::text("ok").usage(Usage::new(5, 5))));
    let model = Arc::clone(&inner).with(budget.layer());
    let error = model.complete(&ask("hi").max_output_tokens(500)).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Budget);
    assert!(error.to_string().contains("budget of 200 tokens"), "{error}");
    let error = model.stream(ask("hi").max_output_tokens(500)).next().await.unwrap().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Budget);
    assert!(inner.calls().is_empty());

    model.complete(&ask("hi")).await.unwrap();
    let error = model.complete(&ask("hi")).await.unwrap_err();
    assert!(error.to_string().contains("budget of 1 calls"), "{error}");
    assert!(budget.snapshot().is_exhausted());
}

#[tokio::test]
async fn money_is_counted_at_the_price_of_the_model() {
    let prices = PriceTable::default().entry(PriceEntry::new("p", "m", Price::new(Usd::dollars(10), Usd::dollars(20))));
    let budget = Budget::new(BudgetLimits::new().cost(Usd::cents(1)));
    let info = ModelInfo::new("p", "m", ModelKind::Language);
    let model = ScriptedModel::named(info).then(Reply::text("ok").usage(Usage::new(100, 10)));
    let model = model.with(budget.layer().prices(prices));
    model.complete(&ask("hi")).await.unwrap();
    assert_eq!(budget.snapshot().spent.cost, "0.0012".parse().unwrap());
    let error = model.complete(&ask("hi").max_output_tokens(500)).await.unwrap_err();
    assert!(error.to_string().contains("budget of $0.01"), "{error}");
}

#[tokio::test]
async fn a_model_without_a_price_is_refused_when_money_is_limited() {
    let info = ModelInfo::new("nobody", "knows", ModelKind::Language);
    let budget = Budget::new(BudgetLimits::new().cost(Usd::dollars(1)));
    let model = Arc::new(ScriptedModel::named(info).then(Reply::text("ok").usage(Usage::new(100, 10))));
    let error = Arc::clone(&model).with(budget.layer()).complete(&ask("hi")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Budget);
    assert!(error.to_string().contains("price of `nobody:knows` is not known"), "{error}");

    let assumed = budget.layer().assume(Price::new(Usd::dollars(1), Usd::dollars(1)));
    Arc::clone(&model).with(assumed).complete(&ask("hi")).await.unwrap();
    assert_eq!(budget.snapshot().spent.cost, "0.00011".parse().unwrap());

    // Where only tokens are limited it may be used, and the tokens are told apart.
    let budget = tokens(1_000);
    let model = ScriptedModel::named(model.info().clone()).then(Reply::text("ok").usage(Usage::new(100, 10)));
    model.with(budget.layer()).complete(&ask("hi")).await.unwrap();
    assert_eq!(budget.snapshot().unpriced_tokens, 110);
}

#[tokio::test]
async fn a_call_that_was_turned_away_costs_nothing() {
    let refused = std::io::Error::from(std::io::ErrorKind::ConnectionRefused);
    for error in [
        ModelError::rate_limit("slow down", Some(Duration::from_secs(1))),
        ModelError::authentication("no key"),
        ModelError::token_limit("too long", None, None),
        ModelError::invalid_request("malformed", None),
        ModelError::server(Some(529), "overloaded", None),
        ModelError::connection("refused", Some(Arc::new(refused))),
    ] {
        let budget = tokens(1_000);
        let model = ScriptedModel::new().fail(2, error.clone()).with(budget.layer());
        model.complete(&ask("hi")).await.unwrap_err();
        model.stream(ask("hi")).next().await.unwrap().unwrap_err();
        let snapshot = budget.snapshot();
        assert_eq!((snapshot.spent, snapshot.reserved), (Spending::default(), Spending::default()), "{error}");
    }
}

#[tokio::test]
async fn a_call_that_may_have_been_answered_is_charged_in_full() {
    for error in [
        ModelError::timeout(Duration::from_secs(1)),
        ModelError::connection("reset", Some(Arc::new(std::io::Error::from(std::io::ErrorKind::ConnectionReset)))),
        ModelError::Cancelled,
    ] {
        let budget = tokens(1_000);
        let model = ScriptedModel::new().fail(1, error).with(budget.layer());
        let request = ask("hi");
        model.complete(&request).await.unwrap_err();
        assert_eq!(budget.snapshot().spent, Spending::new(estimated(&request) + 50, Usd::ZERO, 1));
        assert_eq!(budget.snapshot().estimated, budget.snapshot().spent);
    }
}

#[tokio::test]
async fn a_stream_that_is_left_or_breaks_is_charged_what_arrived() {
    let request = ask("hi");
    let arrived = "half an answer that goes on and on, piece after piece, without an end";

    let budget = tokens(1_000);
    let model = ScriptedModel::new().then(arrived).with(budget.layer());
    let mut stream = model.stream(request.clone());
    let mut text = String::new();
    while text.is_empty() {
        if let Some(Ok(StreamEvent::Text(piece))) = stream.next().await {
            text.push_str(&piece);
        }
    }
    drop(stream);
    let snapshot = budget.snapshot();
    assert_eq!(snapshot.spent.tokens, estimated(&request) + tokens::estimate(&text).min(50));
    assert_eq!(snapshot.reserved, Spending::default());

    let budget = tokens(1_000);
    let broken = Response::new("m", "ha").usage(Usage::new(9, 1));
    let model = ScriptedModel::new().fail(1, ModelError::Truncated.interrupting(broken)).with(budget.layer());
    model.complete(&request).await.unwrap_err();
    assert_eq!(budget.snapshot().spent.tokens, 9 + tokens::estimate("ha").max(1));
}

#[tokio::test]
async fn an_answer_of_a_cache_costs_nothing_even_when_it_is_left() {
    let budget = tokens(1_000);
    let inner = ScriptedModel::new().then(Reply::text("word ".repeat(40)).usage(Usage::new(5, 5)));
    let model = inner.with(Cache::new(MemoryCache::new(10))).with(budget.layer());
    model.complete(&ask("hi")).await.unwrap();
    model.complete(&ask("hi")).await.unwrap();
    let mut left = model.stream(ask("hi"));
    while !matches!(left.next().await, Some(Ok(StreamEvent::Text(_)))) {}
    drop(left);
    while model.stream(ask("hi")).next().await.is_none() {}
    assert_eq!(budget.snapshot().spent, Spending::new(10, Usd::ZERO, 1));
    assert_eq!(budget.snapshot().reserved, Spending::default());
}

#[tokio::test(start_paused = true)]
async fn a_dropped_call_is_charged_its_reservation() {
    let budget = tokens(1_000);
    let model = Fickle { info: priced(), used: Arc::default() }.with(budget.layer());
    let request = Request::new().user("waits 1000").max_output_tokens(50);
    let waiting = tokio::time::timeout(Duration::from_millis(1), model.complete(&request)).await;
    assert!(waiting.is_err());
    assert_eq!(budget.snapshot().spent.tokens, estimated(&request) + 50);
    assert_eq!(budget.snapshot().reserved, Spending::default());
}

/// Uses what it is told in the request: `input-tokens output-tokens milliseconds how-it-ends`.
struct Fickle {
    info: ModelInfo,
    /// Tokens that it really used, of all calls.
    used: Arc<AtomicU64>,
}

fn priced() -> ModelInfo {
    ModelInfo::new("p", "m", ModelKind::Language)
}

struct Plan {
    usage: Usage,
    wait: Duration,
    end: String,
}

impl Plan {
    fn of(request: &Request) -> Self {
        let text = request.messages[0].text();
        let mut numbers = text.split(|c: char| !c.is_ascii_digit()).filter_map(|n| n.parse::<u64>().ok());
        let wait = Duration::from_millis(numbers.next().unwrap_or(0));
        let output = numbers.next().unwrap_or(0).min(u64::from(request.max_output_tokens.unwrap_or(0)));
        // A model reads no more than the estimate, which errs high.
        let input = numbers.next().unwrap_or(0).min(estimated(request));
        Self { usage: Usage::new(input, output), wait, end: text.split(' ').next().unwrap_or_default().to_owned() }
    }
}

#[async_trait]
impl ChatModel for Fickle {
    fn info(&self) -> &ModelInfo {
        &self.info
    }

    async fn complete(&self, request: &Request) -> Result<Response, ModelError> {
        let plan = Plan::of(request);
        if plan.end == "refuses" {
            return Err(ModelError::rate_limit("slow down", None));
        }
        self.used.fetch_add(plan.usage.total(), Ordering::SeqCst);
        tokio::time::sleep(plan.wait).await;
        match plan.end.as_str() {
            "breaks" => Err(ModelError::connection("reset", None)),
            _ => Ok(Response::new("m", "x").usage(plan.usage)),
        }
    }

    fn stream(&self, request: Request) -> EventStream<'_> {
        let plan = Plan::of(&request);
        if plan.end == "refuses" {
            return futures::stream::once(async { Err(ModelError::rate_limit("slow down", None)) }).boxed();
        }
        let pieces = plan.usage.output_tokens;
        let wait = plan.wait;
        let start = futures::stream::once(async move {
            self.used.fetch_add(plan.usage.input_tokens, Ordering::SeqCst);
            Ok(StreamEvent::Usage(Usage::new(plan.usage.input_tokens, 0)))
        });
        // One token is one piece of one word, and is used when it is sent.
        let text = futures::stream::iter(0..pieces).then(move |_| async move {
            tokio::time::sleep(wait / 10).await;
            self.used.fetch_add(1, Ordering::SeqCst);
            Ok(StreamEvent::Text("word ".into()))
        });
        let end: Vec<Result<StreamEvent, ModelError>> = match plan.end.as_str() {
            "breaks" => vec![Err(ModelError::connection("reset", None))],
            "stops" => vec![],
            _ => vec![Ok(StreamEvent::Usage(plan.usage)), Ok(StreamEvent::Finish(FinishReason::Stop))],
        };
        start.chain(text).chain(futures::stream::iter(end)).boxed()
    }
}

#[derive(Clone, Debug)]
struct Move {
    end: &'static str,
    wait: u64,
    output: u64,
    input: u64,
    limit: Option<u32>,
    streamed: bool,
    patience: u64,
}

fn moves() -> impl Strategy<Value = Vec<Move>> {
    let one = (
        prop::sample::select(vec!["answers", "answers", "breaks", "refuses", "stops"]),
        0_u64..60,
        0_u64..80,
        1_u64..60,
        prop::option::of(1_u32..80),
        any::<bool>(),
        0_u64..120,
    )
        .prop_map(|(end, wait, output, input, limit, streamed, patience)| Move {
            end,
            wait,
            output,
            input,
            limit,
            streamed,
            patience,
        });
    prop::collection::vec(one, 100)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// A hundred calls at once, whole and streamed, of which some are refused, break, end without an end or are dropped: at
    /// every moment what is spent and reserved is within the limits, and in the end nothing is reserved any more and no less is
    /// charged than was really used.
    #[test]
    fn a_budget_is_never_exceeded(moves in moves(), limit in 500_u64..8_000, cents in 1_u64..20, calls in 20_u64..120) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        runtime.block_on(async {
            let budget = Budget::new(BudgetLimits::new().tokens(limit).cost(Usd::cents(cents)).calls(calls));
            let prices = PriceTable::default().entry(PriceEntry::new("p", "m", Price::new(Usd::dollars(20), Usd::dollars(50))));
            let used = Arc::new(AtomicU64::new(0));
            let layer = BudgetLayer::new(budget.clone()).prices(prices).output_tokens(40);
            let model = Fickle { info: priced(), used: Arc::clone(&used) }.with(layer);
            let check = || {
                let now = budget.snapshot();
                assert!(now.spent.tokens + now.reserved.tokens <= limit, "{now:?}");
                assert!(now.spent.cost + now.reserved.cost <= Usd::cents(cents), "{now:?}");
                assert!(now.spent.calls + now.reserved.calls <= calls, "{now:?}");
            };
            let run = |plan: Move| {
                let (model, check) = (&model, &check);
                async move {
                    let text = format!("{} {} {} {}", plan.end, plan.wait, plan.output, plan.input);
                    let mut request = Request::new().user(text);
                    request.max_output_tokens = plan.limit;
                    let call = async {
                        check();
                        if plan.streamed {
                            let mut events = model.stream(request);
                            while let Some(event) = events.next().await {
                                check();
                                if event.is_err() {
                                    break;
                                }
                            }
                        } else {
                            let _ = model.complete(&request).await;
                        }
                        check();
                    };
                    let _ = tokio::time::timeout(Duration::from_millis(plan.patience), call).await;
                    check();
                }
            };
            join_all(moves.into_iter().map(run)).await;
            let end = budget.snapshot();
            prop_assert_eq!(end.reserved, Spending::default());
            prop_assert!(end.spent.tokens >= used.load(Ordering::SeqCst), "{:?} of {:?}", end, used);
            Ok(())
        })?;
    }
}
