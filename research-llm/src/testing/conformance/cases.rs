//! The cases: each a promise, and how it is checked.

mod answers;
mod calls;
mod chunks;
mod content;
mod damage;
mod faults;
mod requests;
mod secrets;
mod silence;
mod tools;
mod truncation;

use std::time::Duration;

use futures::future::BoxFuture;

use super::report::{Broken, Outcome, Report, ensure};
use super::samples::request;
use super::suite::{PATIENT, Suite, failed, read};
use crate::error::ModelError;
use crate::testing::Answer;

/// A case that takes longer hangs.
const CASE_LIMIT: Duration = Duration::from_secs(300);

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

impl Suite {
    /// Runs all cases, one after the other.
    pub async fn run_all(&self) -> Report {
        let mut report = Report { format: self.format.name().to_owned(), cases: Vec::new() };
        for case in CASES {
            report.cases.push((case.name, self.check(case).await.err()));
        }
        report
    }

    /// Runs one case.
    ///
    /// # Errors
    /// The broken promise; also when there is no case of this name.
    pub async fn run(&self, name: &str) -> Result<(), Broken> {
        match CASES.iter().find(|case| case.name == name) {
            Some(case) => self.check(case).await,
            None => Err(Broken::new(format!("there is no case `{name}`"))),
        }
    }

    async fn check(&self, case: &Case) -> Outcome {
        match tokio::time::timeout(CASE_LIMIT, (case.run)(self)).await {
            Ok(outcome) => outcome,
            Err(_) => Err(Broken::new("the call never ends")),
        }
    }

    /// How a call fails as a whole and as a stream, when a server gives the same answer to both.
    async fn fails_both_ways(&self, answer: &Answer, patience: Option<Duration>) -> Outcome<[ModelError; 2]> {
        let server = self.server().await?;
        let answer = answer.clone();
        server.otherwise(move |_| answer.clone());
        let model = self.model_with(&server, patience.unwrap_or(PATIENT));
        let request = request();
        let whole = failed(model.complete(&request).await)?;
        let streamed = failed(read(&*model, &request).await)?;
        // Trying again is for a layer, which sees what it does.
        let count = server.received().len();
        ensure!(count <= 2, "{count} requests for two calls: a provider does not try again by itself");
        Ok([whole, streamed])
    }
}
