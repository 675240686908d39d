//! Pauses, and which arguments become smaller.

use research_llm::ModelError;
use serde_json::{Value, json};

use super::*;
use crate::dataset::record::Object;

fn far() -> Instant {
    Instant::now() + Duration::from_secs(86_400)
}

fn failure(retry_after: Option<u64>) -> Error {
    ModelError::rate_limit("slow down", retry_after.map(Duration::from_secs)).into()
}

#[test]
fn defaults_are_those_of_the_requirements() {
    let policy = RetryPolicy::default();
    assert_eq!((FACTOR, policy.retries, policy.first_wait, policy.jitter), (2, 2, Duration::from_secs(1), 0.2));
}

#[test]
fn pauses_double_and_stray_by_a_fifth() {
    let policy = RetryPolicy { retries: 9, ..RetryPolicy::default() };
    for (failed, seconds) in [(1, 1.0), (2, 2.0), (3, 4.0), (7, 60.0), (9, 60.0)] {
        let waits: Vec<f64> =
            (0..200).map(|_| policy.wait(failed, &failure(None), far()).unwrap().as_secs_f64()).collect();
        assert!(waits.iter().all(|wait| (0.8 * seconds..=1.2 * seconds).contains(wait)), "{failed}: {waits:?}");
        assert!(waits.iter().any(|wait| *wait != waits[0]), "they are to differ");
    }
}

#[test]
fn what_the_other_side_asks_for_is_the_least() {
    let policy = RetryPolicy::default();
    for _ in 0..200 {
        let wait = policy.wait(1, &failure(Some(7)), far()).unwrap().as_secs_f64();
        assert!((7.0..=8.4).contains(&wait), "{wait}");
    }
    assert_eq!(policy.wait(1, &failure(Some(301)), far()), None, "more than the patience");
}

#[test]
fn there_is_an_end_of_trying() {
    let policy = RetryPolicy::default();
    assert!(policy.wait(2, &failure(None), far()).is_some());
    assert_eq!(policy.wait(3, &failure(None), far()), None);
    assert_eq!(policy.wait(1, &ModelError::authentication("m").into(), far()), None);
    assert_eq!(policy.wait(1, &Error::BlankQuestion, far()), None);
    let soon = Instant::now() + Duration::from_millis(500);
    assert_eq!(policy.wait(1, &failure(None), soon), None, "the time is over before the pause");
    assert_eq!(RetryPolicy::default().retries(0).wait(1, &failure(None), far()), None);
}

#[test]
fn what_is_too_long_is_tried_at_once() {
    let error = ModelError::token_limit("m", None, None).into();
    assert_eq!(RetryPolicy::default().wait(1, &error, far()), Some(Duration::ZERO));
}

fn reduced(value: Value) -> (Value, Changed) {
    let mut arguments: Object = value.as_object().unwrap().clone();
    let changed = reduce(&mut arguments);
    (Value::Object(arguments), changed)
}

#[test]
fn sizes_halve_down_to_their_floors() {
    for (name, values) in [
        ("batch_size", &[75, 37, 18, 10, 10][..]),
        ("page_size", &[100, 50, 25, 12, 10, 10]),
        ("top_n", &[20, 10, 5, 5]),
        ("top_n_per_group", &[7, 3, 2, 2]),
        ("samples_per_bucket", &[3, 1, 1]),
        ("samples_per_bucket", &[0, 0]),
        ("batch_size", &[7, 7]),
    ] {
        for pair in values.windows(2) {
            let (arguments, changed) = reduced(json!({name: pair[0]}));
            assert_eq!(arguments, json!({name: pair[1]}));
            assert_eq!(changed.is_empty(), pair[0] == pair[1]);
        }
    }
}

#[test]
fn smaller_batches_cover_as_much() {
    assert_eq!(reduced(json!({"batch_size": 75, "max_batches": 4})).0, json!({"batch_size": 37, "max_batches": 9}));
    assert_eq!(reduced(json!({"max_batches": 4})).0, json!({"max_batches": 4}), "fewer batches would read less");
    assert_eq!(reduced(json!({"batch_size": 10, "max_batches": 4})).0, json!({"batch_size": 10, "max_batches": 4}));
}

#[test]
fn what_is_no_size_stays_as_it_is() {
    for arguments in [
        json!({"top_n": "20", "batch_size": 75.5, "page_size": -3, "samples_per_bucket": null}),
        json!({"page": 3, "page_size": 100}),
        json!({"page_no": 3, "page_size": 100}),
        json!({"pageIndex": 3, "page_size": 100}),
        json!({"limit": 80, "nested": {"top_n": 20}}),
    ] {
        let (after, changed) = reduced(arguments.clone());
        assert_eq!((after, changed.len()), (arguments, 0));
    }
}

#[test]
fn what_was_not_asked_for_is_said() {
    let object = |value: Value| value.as_object().unwrap().clone();
    let (wanted, sent) = (object(json!({"top_n": 20, "q": "x"})), object(json!({"top_n": 5, "q": "x"})));
    assert_eq!(shortfall(&wanted, &sent).unwrap(), "after a failure less was asked for: top_n 5 instead of 20");
    assert_eq!(shortfall(&sent, &sent), None);
}
