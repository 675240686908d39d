//! Every case for every provider.

use research_llm::openai::{Quirks, SchemaMode};
use research_llm::testing::conformance::cases;

use crate::open::{anthropic, chat_of, openai_chat, openai_responses};

macro_rules! suite {
    ($($case:ident)+) => {
        suite!(@of openai_chat $($case)+);
        suite!(@of openai_responses $($case)+);
        suite!(@of anthropic $($case)+);

        #[test]
        fn no_case_is_left_out() {
            assert_eq!(cases().collect::<Vec<_>>(), [$(stringify!($case)),+]);
        }
    };
    (@of $provider:ident $($case:ident)+) => {
        mod $provider {
            $(
                #[tokio::test]
                async fn $case() {
                    if let Err(broken) = super::$provider().run(stringify!($case)).await {
                        panic!("{broken}");
                    }
                }
            )+
        }
    };
}

suite! {
    a_whole_answer_is_read
    a_streamed_answer_comes_in_pieces_and_is_the_same
    an_empty_answer_is_no_error
    the_reason_of_the_end_is_told
    usage_is_told_whole_and_streamed
    reasoning_is_shown
    the_raw_answer_is_kept_only_on_demand
    the_conversation_and_the_settings_are_sent
    fields_of_the_providers_own_are_sent_and_nothing_of_the_task
    pictures_are_sent
    a_schema_is_sent_and_optional_stays_optional
    a_list_can_be_asked_for
    tools_are_offered_and_a_call_is_read
    parallel_calls_are_kept_apart
    a_call_without_arguments_is_an_empty_object
    the_tool_choice_is_sent
    results_go_back_to_their_calls
    what_the_provider_wants_back_is_handed_back_unchanged
    the_items_of_another_provider_are_left_out
    every_chunking_gives_the_same_answer
    every_kind_of_line_end_gives_the_same_answer
    noise_is_passed_over
    a_stream_that_is_not_polled_sends_nothing
    a_dropped_call_closes_the_connection
    a_dropped_stream_closes_the_connection
    calls_at_once_do_not_mix
    a_rate_limit_says_when_to_come_back
    a_failure_of_the_provider_is_retryable
    a_refusal_is_not_retryable
    a_request_that_is_too_long_is_told_apart
    a_failure_within_a_stream_keeps_what_arrived
    a_server_that_is_not_there_is_a_connection_error
    a_slow_first_byte_is_waited_for
    a_server_that_stays_silent_is_given_up
    a_stream_that_stalls_is_given_up_and_keeps_what_arrived
    a_body_that_stalls_is_given_up
    a_steady_stream_may_take_longer_than_a_silence
    a_deadline_ends_the_wait
    a_stream_cut_at_any_byte_is_an_error_or_whole
    a_reset_stream_is_an_error_or_whole
    a_body_cut_at_any_byte_is_an_error
    garbage_is_no_answer
    garbage_within_a_stream_keeps_what_arrived
    a_page_of_another_kind_is_no_answer
    a_redirect_is_not_followed
    the_key_is_in_no_error
}

/// A server that holds answers to schemas as they are, and one that has no schema mode at all.
#[tokio::test]
async fn servers_with_other_manners_pass_too() {
    for quirks in [Quirks::LLAMA_CPP, Quirks::GENERIC.schema(SchemaMode::Prompt)] {
        let report = chat_of(quirks).run_all().await;
        assert!(report.is_passed(), "{report}");
    }
}
