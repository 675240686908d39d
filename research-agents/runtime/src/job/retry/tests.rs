//! Delays between retries, and what they depend on.

use research_llm::ModelError;

use super::*;
use crate::limits::retry::REDUCTION_FACTOR;

fn far() -> Instant {
    Instant::now() + Duration::from_secs(86_400)
}

fn failure(retry_after: Option<u64>) -> Error {
    ModelError::rate_limit("slow down", retry_after.map(Duration::from_secs)).into()
}

#[test]
fn defaults_are_those_of_the_requirements() {
    let policy = RetryPolicy::default();
    assert_eq!(
        (
            REDUCTION_FACTOR,
            policy.retries,
            policy.first_wait,
            policy.jitter
        ),
        (2, 2, Duration::from_secs(1), 0.2)
    );
}

#[test]
fn pauses_double_and_stray_by_a_fifth() {
    let policy = RetryPolicy {
        retries: 9,
        ..RetryPolicy::default()
    };

    for (failed, seconds) in [(1, 1.0), (2, 2.0), (3, 4.0), (7, 60.0), (9, 60.0)] {
        let waits: Vec<f64> = (0..200)
            .map(|_| {
                policy
                    .wait(failed, &failure(None), far())
                    .unwrap()
                    .as_secs_f64()
            })
            .collect();
        assert!(
            waits
                .iter()
                .all(|wait| (0.8 * seconds..=1.2 * seconds).contains(wait)),
            "{failed}: {waits:?}"
        );
        assert!(
            waits.iter().any(|wait| *wait != waits[0]),
            "they are to differ"
        );
    }
}

#[test]
fn what_the_other_side_asks_for_is_the_least() {
    let policy = RetryPolicy::default();
    for _ in 0..200 {
        let wait = policy
            .wait(1, &failure(Some(7)), far())
            .unwrap()
            .as_secs_f64();
        assert!((7.0..=8.4).contains(&wait), "{wait}");
    }
    assert_eq!(
        policy.wait(1, &failure(Some(301)), far()),
        None,
        "more than the patience"
    );
}

#[test]
fn there_is_an_end_of_trying() {
    let policy = RetryPolicy::default();

    assert!(policy.wait(2, &failure(None), far()).is_some());
    assert_eq!(policy.wait(3, &failure(None), far()), None);
    assert_eq!(
        policy.wait(1, &ModelError::authentication("m").into(), far()),
        None
    );
    assert_eq!(policy.wait(1, &Error::BlankQuestion, far()), None);

    let soon = Instant::now() + Duration::from_millis(500);
    assert_eq!(
        policy.wait(1, &failure(None), soon),
        None,
        "the time is over before the pause"
    );
    assert_eq!(
        RetryPolicy::default()
            .retries(0)
            .wait(1, &failure(None), far()),
        None
    );
}

#[test]
fn what_is_too_long_is_tried_at_once() {
    let error = ModelError::token_limit("m", None, None).into();
    assert_eq!(
        RetryPolicy::default().wait(1, &error, far()),
        Some(Duration::ZERO)
    );
}
