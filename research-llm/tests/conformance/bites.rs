//! The suite finds the flaws of flawed providers.

use std::sync::Arc;

use research_llm::ChatModel;
use research_llm::openai::{Api, Quirks};
use research_llm::testing::conformance::{Setup, Suite, cases};
use research_llm::testing::wire::{AnthropicMessages, OpenAiChat};

use crate::flaws::{Flaw, Flawed};
use crate::open::{open_ai, open_anthropic};

fn spoiled(inner: Arc<dyn ChatModel>, flaw: Flaw, setup: &Setup) -> Arc<dyn ChatModel> {
    Arc::new(Flawed { inner, flaw, key: setup.key.clone() })
}

/// The two formats, spoken by a provider with this flaw.
fn suites(flaw: Flaw) -> [Suite; 2] {
    [
        Suite::new(OpenAiChat::new(), move |setup| {
            spoiled(Arc::new(open_ai(Api::Chat, Quirks::OPENAI, setup)), flaw, setup)
        }),
        Suite::new(AnthropicMessages::new(), move |setup| spoiled(Arc::new(open_anthropic(setup)), flaw, setup)),
    ]
}

async fn finds(flaw: Flaw, case: &str) {
    assert!(cases().any(|name| name == case), "there is no case {case}");
    // At the same time, because a case that finds a flaw has often waited in vain.
    let found = suites(flaw).map(async |suite| {
        assert!(suite.run(case).await.is_err(), "{case} does not find that a provider {flaw:?}: {suite:?}");
    });
    futures::future::join_all(found).await;
}

macro_rules! flaws {
    ($($flaw:ident is found by $($case:ident),+;)+) => {
        mod found {
            $(
                #[tokio::test]
                #[expect(non_snake_case, reason = "the test is named like the flaw")]
                async fn $flaw() {
                    $(super::finds(crate::flaws::Flaw::$flaw, stringify!($case)).await;)+
                }
            )+
        }
    };
}

flaws! {
    HidesTruncation is found by a_stream_cut_at_any_byte_is_an_error_or_whole, a_reset_stream_is_an_error_or_whole;
    ForgetsWhatArrived is found by
        a_stream_that_stalls_is_given_up_and_keeps_what_arrived, a_failure_within_a_stream_keeps_what_arrived, garbage_within_a_stream_keeps_what_arrived;
    LosesRetryAfter is found by a_rate_limit_says_when_to_come_back;
    DropsUsage is found by usage_is_told_whole_and_streamed;
    WaitsForTheWhole is found by a_streamed_answer_comes_in_pieces_and_is_the_same;
    HoldsTheTextBack is found by a_dropped_stream_closes_the_connection;
    OutlivesItsCaller is found by a_dropped_call_closes_the_connection;
    IsEager is found by a_stream_that_is_not_polled_sends_nothing;
    MixesCalls is found by parallel_calls_are_kept_apart;
    TriesAgain is found by a_failure_of_the_provider_is_retryable;
    SendsTheTask is found by fields_of_the_providers_own_are_sent_and_nothing_of_the_task;
    IgnoresDeadlines is found by a_deadline_ends_the_wait;
    IsBlind is found by pictures_are_sent;
    ForgetsTheSchema is found by a_schema_is_sent_and_optional_stays_optional;
    BlamesTheServer is found by
        a_refusal_is_not_retryable, a_request_that_is_too_long_is_told_apart,
        a_server_that_is_not_there_is_a_connection_error, a_server_that_stays_silent_is_given_up,
        a_redirect_is_not_followed, a_page_of_another_kind_is_no_answer;
    SwallowsGarbage is found by garbage_is_no_answer;
    TellsTheKey is found by the_key_is_in_no_error;
}

/// OpenAI's chat completions have nothing to hand back, so this flaw shows in one format only.
#[tokio::test]
async fn dropped_items_are_found() {
    let [_, anthropic] = suites(Flaw::DropsItems);
    assert!(anthropic.run("what_the_provider_wants_back_is_handed_back_unchanged").await.is_err());
}
