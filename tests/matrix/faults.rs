//! Every total with every batch size, for each fault, of tools that say how many match and of tools that do not.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::SystemTime;

use crate::cell::{Cell, check};
use crate::shapes::Shape;
use crate::tool::{Fault, Times};

/// One below, at and one above where batches, pages and the limit end; nothing, one, and far more.
const TOTALS: [usize; 20] =
    [0, 1, 74, 75, 76, 99, 100, 101, 149, 150, 151, 165, 224, 225, 226, 299, 300, 301, 1_000, 10_000];
/// The smallest, one that does not divide the limit, the default, a page, and more than a page.
const BATCHES: [usize; 5] = [1, 70, 75, 100, 150];

/// Batches that tools which do not say how many match are read in.
const UNTOLD: [usize; 2] = [75, 150];

/// Nothing is left out.
fn is_full() -> bool {
    std::env::var("MATRIX_FULL").is_ok_and(|value| value == "1")
}

/// Where batches of one record are crossed with a fault that does not end the scan: what happens at the second call is the
/// same for all totals in between, and each of them takes hundreds of calls.
fn is_apart(total: usize, batch: usize, fault: Fault) -> bool {
    let ends = matches!(
        fault,
        Fault::None
            | Fault::RepeatedCursor
            | Fault::EmptyPage
            | Fault::ServerError(Times::Always)
            | Fault::Timeout(Times::Always)
            | Fault::CutJson(Times::Always)
            | Fault::ErrorAsResult(Times::Always)
    );
    batch > 1 || ends || total <= 101 || (299..=301).contains(&total)
}

/// Whether a cell is in the sample of today: every fourth one, others on the next day.
fn is_sampled(cell: &Cell) -> bool {
    let day = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs() / 86_400);
    let seed = std::env::var("MATRIX_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(day);
    let mut hasher = DefaultHasher::new();
    (seed, format!("{cell:?}")).hash(&mut hasher);
    hasher.finish().is_multiple_of(4)
}

async fn all(fault: Fault) {
    let shape = Shape::List("documents");
    for total in TOTALS {
        let told = BATCHES.into_iter().filter(|batch| is_full() || is_apart(total, *batch, fault));
        let told = told.map(|batch| Cell { total, batch, fault, shape, told: true });
        let untold = BATCHES.into_iter().filter(|batch| is_full() || UNTOLD.contains(batch));
        let untold = untold.map(|batch| Cell { total, batch, fault, shape, told: false });
        for cell in told.chain(untold).filter(|cell| is_full() || is_sampled(cell)) {
            check(cell).await;
        }
    }
}

#[tokio::test]
async fn without_a_fault_each_record_is_read_once_with_the_fewest_calls() {
    all(Fault::None).await;
}

#[tokio::test]
async fn documents_that_come_again_cost_calls_and_no_record() {
    all(Fault::Overlap).await;
}

#[tokio::test]
async fn a_cursor_that_comes_again_ends_the_scan_and_is_told() {
    all(Fault::RepeatedCursor).await;
}

#[tokio::test]
async fn a_tool_that_claims_more_for_ever_is_left_after_one_vain_call() {
    all(Fault::Endless).await;
}

#[tokio::test]
async fn an_empty_page_in_the_middle_ends_the_scan_and_is_told() {
    all(Fault::EmptyPage).await;
}

#[tokio::test]
async fn a_call_that_came_too_soon_is_made_again() {
    all(Fault::SlowDown).await;
}

#[tokio::test]
async fn a_breakdown_that_passes_costs_no_record() {
    all(Fault::ServerError(Times::Once)).await;
}

#[tokio::test]
async fn a_breakdown_that_stays_leaves_the_first_page_and_is_told() {
    all(Fault::ServerError(Times::Always)).await;
}

#[tokio::test]
async fn an_answer_that_comes_too_late_once_costs_no_record() {
    all(Fault::Timeout(Times::Once)).await;
}

#[tokio::test]
async fn a_tool_that_answers_no_more_leaves_the_first_page_and_is_told() {
    all(Fault::Timeout(Times::Always)).await;
}

#[tokio::test]
async fn an_answer_that_is_cut_once_costs_no_record() {
    all(Fault::CutJson(Times::Once)).await;
}

#[tokio::test]
async fn answers_that_are_always_cut_leave_the_first_page_and_are_told() {
    all(Fault::CutJson(Times::Always)).await;
}

#[tokio::test]
async fn an_error_in_place_of_a_result_that_passes_costs_no_record() {
    all(Fault::ErrorAsResult(Times::Once)).await;
}

#[tokio::test]
async fn an_error_in_place_of_a_result_that_stays_leaves_the_first_page_and_is_told() {
    all(Fault::ErrorAsResult(Times::Always)).await;
}
