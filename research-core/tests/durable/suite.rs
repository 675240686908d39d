//! The behaviours of the durable engine, each over every store and every durability. A store joins in as a [`lab::Place`] and
//! one line `matrix!(…)`.

pub(crate) mod lab;

pub(crate) mod breakpoints;
pub(crate) mod budgets;
pub(crate) mod chaos;
pub(crate) mod children;
pub(crate) mod crash;
pub(crate) mod effects;
pub(crate) mod handlers;
pub(crate) mod idle;
pub(crate) mod inner_stops;
pub(crate) mod lossless;
pub(crate) mod memories;
pub(crate) mod migration;
pub(crate) mod nested;
pub(crate) mod outside;
pub(crate) mod parity;
pub(crate) mod pruning;
pub(crate) mod questions;
pub(crate) mod refusals;
pub(crate) mod refused;
pub(crate) mod resume;
pub(crate) mod stopped;
pub(crate) mod time_travel;
pub(crate) mod updates;
pub(crate) mod writers;

/// A test for each behaviour and each durability, over the given place.
macro_rules! matrix {
    ($place:ty) => {
        behaviours! { $place;
            resume: [
                a_finished_sibling_is_not_run_again_whichever_ended_first,
                a_failure_leaves_the_state_of_the_last_barrier_in_the_error,
                all_failures_are_reported_in_path_order_whatever_their_timing,
                a_panic_is_a_failure_that_leaves_what_finished,
                siblings_that_ended_before_the_others_were_cancelled_are_kept,
                a_complete_thread_ends_at_once,
                a_new_thread_has_nothing_to_resume_and_run_or_resume_starts_it,
                a_new_input_replaces_what_was_due,
                sends_joins_and_deferred_nodes_stay_due,
                joins_of_some_sources_absorb_stragglers_over_a_resume,
                where_a_recorded_task_led_is_kept,
                a_restored_task_says_so,
                ephemeral_fields_hold_one_step_and_untracked_ones_are_not_kept,
                what_is_recorded_of_a_step_goes_when_the_step_is_complete,
            ]
            stopped: [
                a_dropped_run_keeps_what_was_recorded,
                a_cancelled_run_keeps_what_finished,
                a_run_that_is_cancelled_between_two_steps_goes_on_there,
                a_drained_run_stops_at_the_next_barrier_and_goes_on_there,
                a_resumed_run_at_its_limit_names_the_step_that_it_stopped_before,
                a_run_at_its_step_limit_goes_on_with_a_new_one,
                a_run_or_a_step_that_takes_too_long_keeps_what_finished,
                the_time_of_a_step_begins_with_the_step,
            ]
            refused: [
                a_failed_route_is_asked_again_without_its_node,
                a_route_to_an_unknown_target_is_asked_again_without_its_node,
                a_node_that_went_to_an_unknown_target_runs_again_and_its_sibling_does_not,
                a_node_that_used_a_handle_of_another_graph_runs_again_and_its_sibling_does_not,
                a_panicking_reducer_leaves_the_thread_as_it_was_and_siblings_are_not_run_again,
                what_a_refused_step_would_have_merged_is_not_stored,
                a_failing_route_is_told_beside_a_failing_node_and_its_node_runs_once,
                a_conflict_leaves_the_thread_readable_and_goes_on_when_its_cause_is_gone,
                a_value_that_cannot_be_written_is_an_error_that_names_the_field,
                an_input_of_a_task_that_cannot_be_written_is_an_error_that_names_the_task,
                a_task_by_name_is_recorded_and_one_whose_input_does_not_fit_is_not,
            ]
            parity: [
                the_final_state_is_that_of_a_run_without_a_thread,
                there_is_a_checkpoint_for_each_barrier_or_one_for_each_run,
                a_failure_in_any_node_is_followed_by_the_same_rest,
                a_question_in_a_later_step_is_answered_the_same,
                a_failing_store_ends_the_run_with_its_error_and_leaves_the_thread_readable,
                a_thread_needs_a_checkpointer_and_a_resume_needs_a_thread,
                metadata_of_a_run_select_its_checkpoints,
            ]
            crash: [
                a_run_dropped_at_any_await_ends_the_same_and_repeats_nothing_recorded,
            ]
            chaos: [
                whatever_goes_wrong_the_end_is_that_of_an_undisturbed_run,
            ]
            questions: [
                a_question_ends_the_run_and_its_answer_goes_on,
                a_run_without_an_answer_asks_again_and_runs_nothing,
                several_questions_of_one_node_are_told_apart_by_their_keys,
                a_node_asks_in_a_loop_until_the_answer_is_valid,
                siblings_are_answered_one_by_one_or_at_once_and_finished_ones_run_once,
                one_of_several_sent_tasks_asks_and_the_others_run_once,
                null_is_an_answer,
                an_answer_of_the_wrong_type_is_refused_and_the_question_stays_open,
                answers_that_cannot_be_taken_are_typed_errors_and_change_nothing,
                a_new_input_abandons_the_question_and_says_so,
                a_question_is_read_and_answered_by_another_graph_and_handle,
                neither_retry_nor_handler_swallows_a_question,
                a_handler_asks_and_goes_on_when_it_is_answered,
                a_node_that_swallows_the_error_is_interrupted_all_the_same,
                a_question_beside_a_failure_is_kept,
                an_answer_is_kept_when_the_run_that_brought_it_breaks,
                a_question_without_a_thread_is_an_error_that_says_what_it_needs,
                a_question_that_is_not_asked_again_is_closed,
                a_question_is_asked_again_in_other_words,
            ]
            refusals: [
                no_refused_operation_harms_a_run_at_any_moment,
                a_second_answer_to_a_question_does_not_harm_the_run_that_works_on_the_first,
                what_is_refused_leaves_the_thread_as_it_was,
            ]
            effects: [
                an_effect_happens_once_over_questions_retries_and_failures,
                an_effect_that_fails_is_not_recorded_and_the_next_step_has_its_own,
                an_effect_is_kept_while_somebody_watches_the_run,
                a_key_that_is_used_twice_in_one_execution_is_an_error,
                an_effect_that_fails_or_is_dropped_may_be_tried_again_under_its_key,
                the_id_of_a_task_is_the_same_in_every_execution,
                no_two_tasks_of_a_thread_have_the_same_id,
            ]
            breakpoints: [
                a_run_pauses_before_and_after_nodes_and_goes_on,
                a_run_is_taken_step_by_step,
                a_run_pauses_after_every_step_but_the_last,
                a_breakpoint_in_a_loop_holds_in_every_round,
                the_state_is_edited_at_a_breakpoint,
                a_node_is_skipped_at_a_breakpoint,
                a_breakpoint_that_an_edit_leads_to_holds,
                a_thread_that_stopped_otherwise_pauses_where_it_resumes,
                breakpoints_need_a_thread_and_nodes_that_exist,
            ]
            inner_stops: [
                a_run_pauses_inside_a_subgraph_and_goes_on,
                a_subgraph_has_breakpoints_of_its_own,
                the_breakpoints_of_a_graph_hold_for_runs_that_name_none,
                a_run_that_pauses_at_every_place_ends_as_one_that_never_does,
                a_subgraph_pauses_beside_a_sibling_that_asks,
                names_in_paths_are_escaped_as_in_namespaces,
                a_breakpoint_inside_needs_a_node_that_exists_and_a_subgraph_that_is_kept,
            ]
            time_travel: [
                the_layout_of_a_run_of_two_nodes,
                the_state_at_a_checkpoint_is_that_of_the_values_event,
                a_run_is_replayed_from_each_checkpoint_and_the_old_branch_stays,
                branches_are_independent,
                questions_are_asked_again_on_a_fork,
                an_input_starts_from_an_older_checkpoint,
                a_checkpoint_that_is_not_there_is_a_typed_error,
                a_copy_and_its_original_go_on_each_by_itself,
                a_copy_takes_recorded_siblings_along,
                a_deleted_thread_is_new_again,
                a_deleted_run_leaves_what_was_before_it,
                a_pruned_thread_goes_on,
                visits_count_what_ran,
                updates_and_forks_take_the_clock_and_the_ids_of_the_graph,
            ]
            updates: [
                an_update_counts_as_a_run_of_its_node_and_recorded_siblings_stay_so,
                an_update_of_an_earlier_node_makes_its_successors_due_once,
                sent_tasks_stay_recorded_at_their_places,
                the_node_is_the_one_that_ran_last_when_that_is_one,
                an_unknown_node_is_an_error_that_suggests_one,
                a_complete_thread_goes_on_where_an_update_leads,
                a_new_thread_is_started_with_an_input_rather_than_an_update,
                several_updates_are_stored_together_or_not_at_all,
                an_older_checkpoint_is_updated_as_a_branch,
                an_update_in_place_of_the_node_that_asks_answers_its_question,
                effects_and_answers_move_with_their_task,
                two_writes_of_a_plain_field_in_an_update_are_two_steps,
                a_route_that_fails_refuses_the_update,
            ]
            writers: [
                the_newer_run_wins_and_the_older_one_gets_a_typed_conflict,
                an_update_during_a_run_wins_over_it,
                a_thread_that_is_deleted_during_a_run_stays_deleted,
                readers_disturb_nobody,
                threads_go_on_side_by_side,
                a_run_that_lost_its_thread_does_not_disturb_the_subgraphs_of_the_winner,
                a_run_that_loses_its_thread_in_a_subgraph_gets_the_same_conflict,
            ]
            idle: [
                a_run_for_an_idle_thread_is_refused_while_another_works_and_harms_nothing,
                a_run_waits_until_the_thread_is_idle,
                a_wait_ends_at_its_limit_and_when_the_run_is_stopped,
                workers_that_retry_the_same_thread_all_finish,
                a_thread_whose_worker_died_is_taken_over_when_its_lease_has_expired,
                a_run_renews_its_lease_for_as_long_as_it_works,
                a_run_that_has_lost_its_lease_is_stopped,
                a_run_that_was_too_slow_to_claim_its_thread_leaves_it_to_the_next,
                every_end_of_a_run_releases_the_thread,
                a_run_without_the_option_takes_the_thread_over,
            ]
            children: [
                a_child_maps_its_input_and_output_whatever_is_kept,
                a_failed_child_goes_on_at_its_failing_node_if_it_is_kept,
                a_retried_child_goes_on_at_its_failing_node,
                a_finished_child_is_not_run_again_beside_a_failing_sibling,
                a_child_asks_and_is_answered_through_its_parent,
                questions_come_from_two_levels_down_and_answers_go_there,
                a_child_that_is_not_kept_cannot_ask_and_says_so,
                several_tasks_run_one_child_side_by_side,
                what_is_kept_for_a_thread_is_there_in_the_next_call_and_what_is_kept_for_a_call_is_not,
                a_child_that_shares_the_state_gives_back_what_it_changed_and_no_more,
                namespaces_nest_and_a_child_is_read_as_a_thread_of_its_own,
                what_a_child_spends_counts_for_its_parent_once,
                a_child_directs_its_parent_and_that_outlives_a_crash,
                a_finished_child_is_known_when_its_parent_crashed_before_it_was_told,
                a_lost_run_leaves_nothing_that_another_input_would_take_for_its_own,
                a_child_goes_on_after_its_parent_was_updated_as_another_node,
                a_fork_runs_its_children_anew,
                the_state_of_a_child_is_edited_in_its_namespace,
            ]
            nested: [
                a_child_is_kept_for_its_call_unless_it_says_otherwise,
                a_branch_that_an_update_makes_runs_its_children_anew,
                a_fork_of_an_updated_thread_leaves_the_call_of_the_old_branch,
                a_child_that_changed_is_treated_as_it_says_itself,
                a_graph_without_a_parent_that_directs_it_fails,
                a_context_that_outlives_its_task_neither_asks_nor_records_for_another,
            ]
            memories: [
                a_fork_of_the_parent_begins_with_what_its_child_remembered_there,
                what_a_child_remembers_follows_the_branch_whatever_happens,
                a_lost_run_leaves_no_trace_in_what_a_child_remembers,
                an_edit_of_what_a_child_remembers_counts_in_the_next_call,
                a_renamed_node_takes_along_what_its_child_remembers,
                a_renamed_node_goes_on_with_the_call_that_it_began,
                a_removed_child_that_remembers_is_refused_and_can_be_forgotten,
                nodes_whose_names_look_like_paths_remember_apart,
                a_thread_of_an_earlier_version_remembers_what_it_did,
                pruning_removes_finished_calls_and_keeps_what_is_remembered_and_asked,
                the_policy_for_changes_holds_wherever_it_is_set,
                nothing_that_is_set_on_a_graph_is_forgotten_in_any_order,
                a_memory_for_the_thread_is_refused_wherever_tasks_could_share_it,
            ]
            pruning: [
                a_thread_pruned_wherever_its_run_broke_off_ends_the_same,
                a_run_does_not_notice_that_its_thread_is_pruned,
            ]
            outside: [
                why_tasks_failed_is_read_by_another_process_until_they_succeed,
                finished_siblings_are_read_with_their_values_before_the_barrier,
                a_new_thread_is_filled_by_an_update,
                an_update_at_the_end_drops_what_is_due,
                threads_are_found_by_metadata_status_and_questions,
                retention_holds_over_all_threads,
            ]
            budgets: [
                a_counter_counts_over_all_runs_since_the_input,
                what_a_restored_task_spent_counts_once,
                what_a_failed_task_spent_counts_too,
                a_spent_budget_leads_to_the_node_for_that_case,
                a_run_that_breaks_while_it_wraps_up_goes_on_wrapping_up,
                a_question_that_is_asked_while_wrapping_up_is_answered_there,
                a_budget_that_is_found_spent_on_resume_leaves_old_records_alone,
                steps_and_time_count_for_one_run,
                the_budget_of_a_node_counts_over_all_runs_since_the_input,
                what_one_node_spends_is_not_what_another_does,
                a_subgraph_whose_node_has_spent_its_budget_ends_and_its_parent_goes_on,
            ]
            handlers: [
                a_crash_between_failure_and_handler_is_followed_by_the_handler_alone,
                what_a_handler_gave_is_kept_and_neither_it_nor_its_node_runs_again,
                after_a_handler_has_failed_a_resumed_run_begins_with_the_node,
            ]
            lossless: [
                some_of_nothing_is_not_taken_for_nothing,
                a_value_that_panics_when_it_is_written_is_an_error_that_names_the_field,
                effects_of_a_run_that_could_not_be_stored_are_not_taken_for_those_of_the_next,
            ]
            migration: [
                a_field_changes_from_replace_to_append_and_back,
                any_change_is_refused_where_that_was_asked_for,
                a_removed_field_is_refused_and_a_migration_handles_it,
                an_input_on_an_older_thread_migrates_it_too,
                a_failing_migration_is_a_typed_error_and_changes_nothing,
                a_renamed_node_that_is_due_is_refused_and_a_migration_renames_it,
                what_is_due_is_added_and_removed_by_a_migration,
                a_join_that_waits_and_is_gone_is_refused_and_can_be_forgotten,
                a_change_of_types_alone_is_migrated,
                a_change_of_types_is_migrated_wherever_the_older_run_broke_off,
                every_field_that_does_not_fit_is_named_with_its_reason,
                another_graph_does_not_take_the_state_of_a_thread,
                a_version_of_its_own_tells_a_graph_from_an_older_one,
                a_graph_that_only_grew_goes_on_and_keeps_what_was_recorded,
                what_is_known_of_a_task_moves_with_it_when_new_names_change_the_order,
                a_recorded_result_that_does_not_fit_is_refused_and_runs_again_after_a_migration,
            ]
        }
    };
}

/// The tests of a list of behaviours, by module.
macro_rules! behaviours {
    ($place:ty; $($module:ident: [$($behaviour:ident,)+])+) => {
        $(
            #[cfg(test)]
            mod $module {
                $(
                    mod $behaviour {
                        use research_core::Durability;

                        use crate::suite::{$module::$behaviour, lab::World};

                        #[tokio::test]
                        async fn sync() {
                            $behaviour(World::<$place>::new(Durability::Sync)).await;
                        }

                        #[tokio::test]
                        async fn in_the_background() {
                            $behaviour(World::<$place>::new(Durability::Async)).await;
                        }

                        #[tokio::test]
                        async fn at_exit() {
                            $behaviour(World::<$place>::new(Durability::Exit)).await;
                        }
                    }
                )+
            }
        )+
    };
}
