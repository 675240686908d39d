//! Parsing of limits, the end of gathering, and calls that count once.

use std::sync::Barrier;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use research_llm::testing::{Reply, ScriptedModel};
use research_llm::{ErrorKind, Request};

use crate::limits::budget::*;
use crate::limits::budget_limits::BudgetSyntax;

/// Number of tasks that take calls concurrently.
const CONCURRENT: usize = 5;
/// Number of races: a single race may be won by chance.
const ROUNDS: usize = 2_000;

fn limits(text: &str) -> Result<BudgetLimits, BudgetSyntax> {
    text.parse()
}

#[test]
fn limits_are_finite_by_default() {
    let default = BudgetLimits::default();
    assert_eq!(
        (default.tokens, default.calls, default.time),
        (1_000_000, 1_000, Duration::from_secs(1_200))
    );
    assert_eq!(default.money(), Usd::dollars(5));
}

#[test]
fn limits_are_read_in_any_order_and_the_rest_keeps_its_default() {
    let read = limits("usd=0.50, time=1h30m5s ,calls=50").unwrap();
    assert_eq!(
        read,
        BudgetLimits::default()
            .usd(Usd::cents(50))
            .calls(50)
            .time(Duration::from_secs(5_405))
    );
    assert_eq!(limits("tokens=200_000").unwrap().tokens, 200_000);
    assert_eq!(
        limits("time=250ms").unwrap().time,
        Duration::from_millis(250)
    );
}

#[test]
fn an_invalid_limit_names_the_valid_form() {
    let cases = [
        ("", "`` is no limit"),
        ("50", "`50` is no limit"),
        ("calls=", "`` is no number of calls"),
        ("calls=many", "`many` is no number of calls"),
        ("calls=-1", "`-1` is no number of calls"),
        ("calls=1,calls=2", "`calls` is there twice"),
        ("time=20", "`20` is no span of time"),
        ("time=99999999999h", "`99999999999h` is no span of time"),
        ("time=1d", "`1d` is no span of time"),
        ("time=9999h", "allows more than 30 days"),
        ("usd=x", "`x` is no amount of US dollars"),
        ("iterations=3", "`iterations` is not limited"),
        ("calls=0", "allows no call"),
        ("tokens=0", "allows no token"),
        ("time=0s", "allows no time"),
    ];

    for (text, problem) in cases {
        let error = limits(text).unwrap_err().to_string();
        assert!(error.contains(problem), "{text}: {error}");
        assert!(
            error.ends_with("write limits such as tokens=200000,calls=50,time=20m,usd=0.50"),
            "{error}"
        );
    }
}

fn model() -> Arc<dyn ChatModel> {
    Arc::new(ScriptedModel::new().always(
        "ask",
        Reply::text("done").usage(research_llm::Usage::new(900, 50)),
    ))
}

fn request() -> Request {
    let task = research_llm::Task::of("ask", &"x").unwrap();
    Request::new()
        .user("What?")
        .task(task)
        .max_output_tokens(100)
}

#[tokio::test]
async fn calls_of_model_and_tools_count_once_and_together() {
    let budget = Budget::new(BudgetLimits::default().calls(100));
    let model = budget.around(model());
    model.complete(&request()).await.unwrap();
    budget.take_call().unwrap();
    assert_eq!((budget.spent().calls, budget.spent().tokens), (2, 950));
}

#[test]
fn concurrent_tasks_leave_the_calls_of_the_report() {
    for _ in 0..ROUNDS {
        let budget = Budget::new(BudgetLimits::default().calls(8));
        let begin = Barrier::new(CONCURRENT);
        std::thread::scope(|tasks| {
            for _ in 0..CONCURRENT {
                tasks.spawn(|| {
                    begin.wait();
                    while budget.take_call().is_ok() {}
                });
            }
        });
        assert_eq!(budget.spent().calls, 6);
    }
}

#[tokio::test]
async fn a_tenth_of_the_tokens_is_left_for_the_report() {
    let budget = Budget::new(BudgetLimits::default().tokens(1_050));
    let model = budget.around(model());
    assert_eq!(budget.exceeded(), None);
    model.complete(&request()).await.unwrap();
    assert_eq!(budget.exceeded().unwrap().limit, "1050 tokens");
    assert_eq!(
        budget.take_call().unwrap_err().to_string(),
        "the budget of 1050 tokens is used up"
    );
}

#[tokio::test]
async fn a_call_that_does_not_fit_ends_gathering() {
    let budget = Budget::new(BudgetLimits::default().tokens(50));
    let error = budget
        .around(model())
        .complete(&request())
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Budget);
    assert_eq!(budget.exceeded(), None);
    assert_eq!(budget.refused(&error).unwrap().limit, "50 tokens");
    assert_eq!(budget.exceeded().unwrap().limit, "50 tokens");
    assert_eq!(budget.refused(&ModelError::Truncated), None);
}

#[test]
fn the_limit_that_was_reached_first_stays_the_reason() {
    let budget = Budget::new(
        BudgetLimits::default()
            .calls(4)
            .time(Duration::from_millis(1)),
    );
    std::thread::sleep(Duration::from_millis(2));
    assert_eq!(budget.exceeded().unwrap().limit, "1ms");
    budget.take_report_call();
    budget.take_report_call();
    budget.take_report_call();
    assert_eq!(budget.exceeded().unwrap().limit, "1ms");
}

#[test]
fn what_an_earlier_process_used_is_counted_once() {
    let budget = Budget::new(BudgetLimits::default());
    let used = Usage {
        tokens_in: 1_000_000,
        tokens_out: 10,
        llm_calls: 3,
        mcp_calls: 4,
        ..Usage::default()
    };
    let info = ModelInfo::new("openai", "gpt-4o-mini", ModelKind::Language);
    budget.carry(&used, Duration::from_secs(600), &info);
    budget.carry(&used, Duration::from_secs(600), &info);
    let spent = budget.spent();

    assert_eq!((spent.tokens, spent.calls), (1_000_010, 7));
    assert!(spent.cost > Usd::ZERO);
    assert!(
        budget.elapsed() >= Duration::from_secs(600)
            && budget.elapsed() < Duration::from_secs(1_200)
    );
    assert_eq!(budget.cost(&info), Some(spent.cost));

    let left = budget.left();
    assert_eq!(
        (left.tokens, left.calls, left.usd),
        (0, 993, None),
        "{left:?}"
    );
    assert!(left.seconds <= 600, "{left:?}");
}

#[test]
fn the_remaining_money_is_known_where_money_is_limited() {
    let budget = Budget::new(BudgetLimits::default().usd(Usd::cents(50)));
    assert_eq!(budget.left().usd, Some(0.5));
    let free = ModelInfo::new("offline", "extractive", ModelKind::Extractive);
    let unknown = ModelInfo::new("local", "llama", ModelKind::Language);
    assert_eq!(
        (budget.cost(&free), budget.cost(&unknown)),
        (Some(Usd::ZERO), None)
    );
}

#[test]
fn money_cannot_be_limited_where_the_price_is_not_known() {
    let unknown = ModelInfo::new("local", "llama", ModelKind::Language);
    let limits = BudgetLimits::default();
    assert_eq!(Budget::problem(&limits, &unknown), None);
    let problem = Budget::problem(&limits.usd(Usd::cents(50)), &unknown).unwrap();
    assert!(
        problem.contains("the price of `local:llama` is not known"),
        "{problem}"
    );
    let known = ModelInfo::new("openai", "gpt-4o-mini", ModelKind::Language);
    assert_eq!(Budget::problem(&limits.usd(Usd::cents(50)), &known), None);
}

#[tokio::test]
async fn a_call_waits_for_what_others_have_reserved() {
    // The budget holds one reservation at a time, and all calls one after the other.
    let budget = Budget::new(BudgetLimits::default().tokens(4_000));
    let slow = ScriptedModel::new().always(
        "ask",
        Reply::text("done").usage(research_llm::Usage::new(10, 10)),
    );
    let model = budget.around(Arc::new(research_llm::testing::SlowModel::new(
        slow,
        Duration::from_millis(5),
    )));
    let request = request().max_output_tokens(3_000);
    let refused = AtomicUsize::new(0);
    let calls = (0..4).map(|_| {
        budget.retry_while_reserved(|| async {
            let answer = model.complete(&request).await;
            refused.fetch_add(usize::from(answer.is_err()), Ordering::Relaxed);
            answer
        })
    });
    let answers = futures::future::join_all(calls).await;

    assert!(answers.iter().all(Result::is_ok), "{answers:?}");
    assert!(
        refused.into_inner() > 0,
        "they were to get into each other's way"
    );
    assert_eq!(budget.spent().calls, 4);
}
