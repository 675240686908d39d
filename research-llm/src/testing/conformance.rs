//! What every provider must do, as a suite that a provider of your own can run.
//!
//! Each case checks one promise over real HTTP on loopback: the server's side is a [`FakeServer`](super::FakeServer) that speaks a
//! [`WireFormat`], and it misbehaves as real servers and networks do. A case that fails says which promise was
//! broken and how. It needs a [tokio] runtime with its clock running.
//!
//! ```no_run
//! use std::sync::Arc;
//! use research_llm::ChatModel;
//! use research_llm::testing::EchoModel;
//! use research_llm::testing::conformance::{Setup, Suite};
//! use research_llm::testing::wire::OpenAiChat;
//!
//! # fn my_provider(_: &Setup) -> Arc<dyn ChatModel> { Arc::new(EchoModel::new()) }
//! # async fn run() {
//! // The closure makes a model that talks to `setup.base_url` with `setup.key`, and waits no longer than `setup.patience`.
//! let suite = Suite::new(OpenAiChat::new(), |setup: &Setup| my_provider(setup));
//! let report = suite.run_all().await;
//! assert!(report.is_passed(), "{report}");
//! # }
//! ```

mod answers;
mod calls;
mod chunks;
mod content;
mod damage;
mod faults;
mod report;
mod requests;
mod samples;
mod secrets;
mod silence;
mod suite;
mod tools;
mod truncation;

use futures::future::BoxFuture;

pub use report::{Broken, Report};
pub use suite::{Setup, Suite};

use super::wire::WireFormat;
use report::Outcome;

/// A promise and how it is checked.
struct Case {
    name: &'static str,
    run: for<'a> fn(&'a Suite) -> BoxFuture<'a, Outcome>,
}

macro_rules! cases {
    ($($file:ident: $($name:ident),+;)+) => {
        const CASES: &[Case] = &[$($(
            Case { name: stringify!($name), run: |suite| Box::pin($file::$name(suite)) },
        )+)+];
    };
}

cases! {
    answers:
        a_whole_answer_is_read,
        a_streamed_answer_comes_in_pieces_and_is_the_same,
        an_empty_answer_is_no_error,
        the_reason_of_the_end_is_told,
        usage_is_told_whole_and_streamed,
        reasoning_is_shown,
        the_raw_answer_is_kept_only_on_demand;
    requests:
        the_conversation_and_the_settings_are_sent,
        fields_of_the_providers_own_are_sent_and_nothing_of_the_task,
        pictures_are_sent,
        a_schema_is_sent_and_optional_stays_optional,
        a_list_can_be_asked_for;
    tools:
        tools_are_offered_and_a_call_is_read,
        parallel_calls_are_kept_apart,
        a_call_without_arguments_is_an_empty_object,
        the_tool_choice_is_sent,
        results_go_back_to_their_calls;
    content:
        what_the_provider_wants_back_is_handed_back_unchanged,
        the_items_of_another_provider_are_left_out;
    chunks:
        every_chunking_gives_the_same_answer,
        every_kind_of_line_end_gives_the_same_answer,
        noise_is_passed_over;
    calls:
        a_stream_that_is_not_polled_sends_nothing,
        a_dropped_call_closes_the_connection,
        a_dropped_stream_closes_the_connection,
        calls_at_once_do_not_mix;
    faults:
        a_rate_limit_says_when_to_come_back,
        a_failure_of_the_provider_is_retryable,
        a_refusal_is_not_retryable,
        a_request_that_is_too_long_is_told_apart,
        a_failure_within_a_stream_keeps_what_arrived,
        a_server_that_is_not_there_is_a_connection_error;
    silence:
        a_slow_first_byte_is_waited_for,
        a_server_that_stays_silent_is_given_up,
        a_stream_that_stalls_is_given_up_and_keeps_what_arrived,
        a_body_that_stalls_is_given_up,
        a_steady_stream_may_take_longer_than_a_silence,
        a_deadline_ends_the_wait;
    truncation:
        a_stream_cut_at_any_byte_is_an_error_or_whole,
        a_reset_stream_is_an_error_or_whole,
        a_body_cut_at_any_byte_is_an_error;
    damage:
        garbage_is_no_answer,
        garbage_within_a_stream_keeps_what_arrived,
        a_page_of_another_kind_is_no_answer,
        a_redirect_is_not_followed;
    secrets:
        the_key_is_in_no_error;
}

/// Names of the cases, in the order in which [`Suite::run_all`] runs them.
pub fn cases() -> impl Iterator<Item = &'static str> {
    CASES.iter().map(|case| case.name)
}
