//! Which arguments become smaller.

use serde_json::{Value, json};

use super::*;

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
    assert_eq!(
        reduced(json!({"batch_size": 75, "max_batches": 4})).0,
        json!({"batch_size": 37, "max_batches": 9})
    );
    assert_eq!(
        reduced(json!({"max_batches": 4})).0,
        json!({"max_batches": 4}),
        "fewer batches would read less"
    );
    assert_eq!(
        reduced(json!({"batch_size": 10, "max_batches": 4})).0,
        json!({"batch_size": 10, "max_batches": 4})
    );
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
    let (wanted, sent) = (
        object(json!({"top_n": 20, "q": "x"})),
        object(json!({"top_n": 5, "q": "x"})),
    );
    assert_eq!(
        shortfall(&wanted, &sent).unwrap(),
        "after a failure less was asked for: top_n 5 instead of 20"
    );
    assert_eq!(shortfall(&sent, &sent), None);
}
