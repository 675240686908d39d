//! Denials, doubts, defaults and what the user fixed.

use crate::question::interpret::tests::*;

#[test]
fn a_denial_never_becomes_a_positive_filter() {
    let f = strikes();
    check(
        &f,
        "strikes not on approach by size",
        json!({"Phase of flight": ["Climb", "Descent", "Landing Roll", "Parked", "Take-off run",
            "Taxi"]}),
        &["Wildlife Size"],
        None,
    );
    check(
        &f,
        "strikes except at night and dusk by phase",
        json!({"Time of day": ["Dawn", "Day"]}),
        &["Phase of flight"],
        None,
    );
    check(
        &f,
        "strikes by phase, excluding large birds",
        json!({"Wildlife Size": ["Medium", "Small"]}),
        &["Phase of flight"],
        None,
    );
    check(
        &f,
        "strikes other than climb at 120 knots",
        json!({"Phase of flight": ["Approach", "Descent", "Landing Roll", "Parked", "Take-off run",
            "Taxi"], "Speed IAS in knots": 120}),
        &[],
        None,
    );
    check(
        &f,
        "strikes that weren't small",
        json!({"Wildlife Size": ["Large", "Medium"]}),
        &[],
        None,
    );
    for question in [
        "strikes not 120 knots",
        "strikes except 1995",
        "strikes not in Canada",
    ] {
        assert_eq!(
            Value::Object(interpret(question, &f).filters),
            json!({}),
            "{question}"
        );
    }

    check(
        &f,
        "strikes at no more than 90 knots",
        json!({"Speed IAS in knots": {"lte": 90}}),
        &[],
        None,
    );
}

#[test]
fn a_proper_noun_that_only_may_mean_a_value_is_said_and_not_applied() {
    let meant = interpret("strikes in Louisville", &strikes());
    assert!(meant.filters.is_empty());
    assert_eq!(
        meant.refused,
        [
            "“Louisville” (it may mean Airport Name = LOUISVILLE INTL ARPT; name the field to \
             apply it)"
        ]
    );
    assert_eq!(meant.unmatched, ["strikes", "Louisville"]);
}

#[test]
fn a_default_grouping_is_a_handy_category() {
    let f = strikes();
    let meant = interpret("What about bird strikes?", &f).with_default_grouping(&f);
    assert_eq!(meant.group_by, ["Effect Amount of damage"]);
    assert!(!meant.grouping_asked);
    assert_eq!(meant.subject.as_deref(), Some("bird strikes"));
    assert_eq!(meant.unmatched, ["bird", "strikes"]);
}

#[test]
fn the_explanation_says_what_was_derived_and_what_was_not() {
    let meant = interpret(
        "Bird strikes on approach at 120 knots by wildlife size",
        &strikes(),
    );
    let said = meant.explanation();
    for part in [
        "“approach” gives Phase of flight = Approach",
        "“at 120 knots” gives Speed IAS in knots = 120",
        "the grouping Wildlife Size",
        "match no field or value: Bird, strikes",
    ] {
        assert!(said.contains(part), "{said}");
    }
}

#[test]
fn what_the_user_fixed_wins() {
    let overrides = QueryOverrides {
        filters: Some(Object::new()),
        group_by: Some(vec!["Time of day".into()]),
    };
    let meant = interpret("approach by wildlife size", &strikes()).overridden(&overrides);
    assert!(meant.filters.is_empty());
    assert_eq!(meant.group_by, ["Time of day"]);
}

#[test]
fn a_generic_word_names_the_field_that_is_called_so() {
    let fields = [
        field("amount", FieldKind::Number, &[]),
        field("city", FieldKind::Text, &["Bonn", "Ulm"]),
    ];
    let meant = interpret("amount by city", &fields);
    assert_eq!(
        (meant.mentioned, meant.group_by),
        (vec!["amount".to_owned()], vec!["city".to_owned()])
    );
    assert!(meant.unmatched.is_empty(), "{:?}", meant.unmatched);
}

#[test]
fn what_which_asks_for_is_looked_for_in_all_texts() {
    let notes = field("notes", FieldKind::Text, &[]);
    let cause = field("cause", FieldKind::Text, &["Valve", "Seal", "Motor"]);
    let kind = field("category", FieldKind::Text, &["Laptop", "Phone"]);
    let with = [notes, cause.clone(), kind.clone()];
    for question in [
        "Which valve leaks, and what was done about it?",
        "What motor is loud?",
        "Which seal leaked at Bonn?",
    ] {
        check(&with, question, json!({}), &[], None);
    }

    for (question, cause) in [
        ("Which valve failures were there?", "Valve"),
        ("Which valve leaks were found?", "Valve"),
        ("Which pumps have a valve that leaks?", "Valve"),
        ("Which reports are of the motor?", "Motor"),
        ("Which seals leak?", "Seal"),
    ] {
        check(&with, question, json!({"cause": cause}), &[], None);
    }

    check(
        &with,
        "Which laptop is best?",
        json!({"category": "Laptop"}),
        &[],
        None,
    );
    // Without texts there is nothing else that could name one.
    check(
        &[cause, kind],
        "Which valve leaks?",
        json!({"cause": "Valve"}),
        &[],
        None,
    );
}

#[test]
fn what_is_absent_is_a_value_where_the_field_has_one_for_it() {
    let f = strikes();
    let none = || json!({"Effect Amount of damage": "None"});

    check(
        &f,
        "How many strikes happened without damage?",
        none(),
        &[],
        None,
    );
    check(
        &f,
        "strikes with no damage by phase",
        none(),
        &["Phase of flight"],
        None,
    );
    check(&f, "strikes without any damage", none(), &[], None);
    check(&f, "strikes without passengers", json!({}), &[], None);
    check(
        &f,
        "strikes by damage",
        json!({}),
        &["Effect Amount of damage"],
        None,
    );
}
