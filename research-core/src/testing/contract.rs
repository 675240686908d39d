//! What every store promises, as a suite that a store of your own can run.
//!
//! Each function checks one promise on an empty store, and panics with the promise when it is broken. [`run_all`] checks all of
//! them. It needs a [tokio] runtime with several threads, because two of them write from many tasks at once.
//!
//! ```
//! use research_core::checkpoint::MemoryCheckpointer;
//! use research_core::testing::contract;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # tokio::runtime::Builder::new_multi_thread().build()?.block_on(async {
//! // A closure that makes an empty store; it is called once for each promise.
//! contract::run_all(async || MemoryCheckpointer::new()).await;
//! # });
//! # Ok(()) }
//! ```

#![expect(clippy::panic, reason = "a test suite reports by panicking")]

mod concurrent;
mod copying;
mod fencing;
mod leasing;
mod listing;
mod pruning;
mod records;
mod removing;
mod scribe;
mod writing;

pub use concurrent::{many_threads_are_written_at_once, of_many_writers_on_a_thread_one_wins_each_number};
pub use copying::{
    a_copy_has_everything_of_the_original, a_copy_is_independent_of_the_original,
    a_thread_that_cannot_be_copied_is_refused,
};
pub use fencing::{
    a_batch_with_a_conflict_leaves_nothing, a_checkpoint_without_its_forerunner_is_refused,
    a_claim_of_what_was_seen_fences_off_an_earlier_one, a_claim_of_what_was_seen_is_refused_when_it_has_changed,
    a_later_claim_fences_off_an_earlier_one, a_number_that_is_taken_is_refused,
    claims_of_other_histories_do_not_interfere, only_a_claim_of_the_history_may_write,
};
pub use leasing::{
    a_claim_under_a_lease_is_refused_when_the_lease_was_lost, a_deleted_thread_is_under_no_lease,
    a_lease_is_granted_to_one_run_until_it_is_released, a_lease_that_expired_is_granted_to_another_run,
    a_renewed_lease_does_not_expire, of_many_runs_that_ask_at_once_one_is_granted_the_lease,
};
pub use listing::{
    filters_select_checkpoints, names_may_be_any_text, the_list_is_newest_first_with_a_limit,
    threads_and_namespaces_are_listed_in_order,
};
pub use pruning::{
    a_writer_goes_on_after_pruning, pruning_keeps_the_newest_of_each_namespace,
    pruning_spares_the_young_and_the_interrupted, pruning_spares_what_is_kept_and_drops_namespaces,
};
pub use records::{
    a_record_of_no_checkpoint_is_refused, records_are_removed_before_others_are_added,
    records_belong_to_one_checkpoint, records_come_in_order, settled_checkpoints_have_no_records,
    the_first_record_of_a_key_stays,
};
pub use removing::{
    a_deleted_run_leaves_the_rest_readable, a_deleted_thread_is_gone_and_its_writer_fenced_off,
    a_writer_goes_on_unless_its_newest_checkpoint_was_deleted,
};
pub use writing::{
    a_checkpoint_is_read_back_as_it_was_written, a_history_that_was_never_written_is_empty,
    bodies_are_kept_byte_for_byte, bodies_run_from_the_base_to_the_checkpoint, numbers_may_be_large,
    several_checkpoints_can_be_written_at_once, the_newest_checkpoint_is_the_head,
};

use crate::checkpoint::Checkpointer;

/// Checks every promise, each on a store of its own that `make` gives empty. Of a store that refuses leases as
/// [unsupported](crate::StoreErrorKind::Unsupported) it checks that it refuses all methods of leases in that way.
///
/// # Panics
///
/// When a promise is broken; the message says which.
pub async fn run_all<C: Checkpointer>(make: impl AsyncFn() -> C) {
    a_history_that_was_never_written_is_empty(make().await).await;
    a_checkpoint_is_read_back_as_it_was_written(make().await).await;
    bodies_are_kept_byte_for_byte(make().await).await;
    the_newest_checkpoint_is_the_head(make().await).await;
    bodies_run_from_the_base_to_the_checkpoint(make().await).await;
    several_checkpoints_can_be_written_at_once(make().await).await;
    numbers_may_be_large(make().await).await;

    a_later_claim_fences_off_an_earlier_one(make().await).await;
    claims_of_other_histories_do_not_interfere(make().await).await;
    only_a_claim_of_the_history_may_write(make().await).await;
    a_number_that_is_taken_is_refused(make().await).await;
    a_checkpoint_without_its_forerunner_is_refused(make().await).await;
    a_batch_with_a_conflict_leaves_nothing(make().await).await;

    records_come_in_order(make().await).await;
    records_belong_to_one_checkpoint(make().await).await;
    the_first_record_of_a_key_stays(make().await).await;
    records_are_removed_before_others_are_added(make().await).await;
    settled_checkpoints_have_no_records(make().await).await;
    a_record_of_no_checkpoint_is_refused(make().await).await;
    a_claim_of_what_was_seen_is_refused_when_it_has_changed(make().await).await;
    a_claim_of_what_was_seen_fences_off_an_earlier_one(make().await).await;

    a_lease_is_granted_to_one_run_until_it_is_released(make().await).await;
    a_lease_that_expired_is_granted_to_another_run(make().await).await;
    a_renewed_lease_does_not_expire(make().await).await;
    a_claim_under_a_lease_is_refused_when_the_lease_was_lost(make().await).await;
    of_many_runs_that_ask_at_once_one_is_granted_the_lease(make().await).await;

    the_list_is_newest_first_with_a_limit(make().await).await;
    filters_select_checkpoints(make().await).await;
    threads_and_namespaces_are_listed_in_order(make().await).await;
    names_may_be_any_text(make().await).await;

    a_deleted_thread_is_gone_and_its_writer_fenced_off(make().await).await;
    a_deleted_thread_is_under_no_lease(make().await).await;
    a_deleted_run_leaves_the_rest_readable(make().await).await;
    a_writer_goes_on_unless_its_newest_checkpoint_was_deleted(make().await).await;
    pruning_keeps_the_newest_of_each_namespace(make().await).await;
    pruning_spares_the_young_and_the_interrupted(make().await).await;
    pruning_spares_what_is_kept_and_drops_namespaces(make().await).await;
    a_writer_goes_on_after_pruning(make().await).await;
    a_copy_has_everything_of_the_original(make().await).await;
    a_copy_is_independent_of_the_original(make().await).await;
    a_thread_that_cannot_be_copied_is_refused(make().await).await;

    many_threads_are_written_at_once(make().await).await;
    of_many_writers_on_a_thread_one_wins_each_number(make().await).await;
}
