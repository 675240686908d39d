//! Questions over invented and real schemas, and what must be read out of them.

use serde_json::{Value, json};

use super::*;

fn field(name: &str, kind: FieldKind, values: &[&str]) -> FieldFacts {
    FieldFacts { name: name.into(), kind, values: values.iter().map(|v| json!(v)).collect(), range: None }
}

fn strikes() -> Vec<FieldFacts> {
    vec![
        field(
            "Airport Name",
            FieldKind::Text,
            &[
                "DALLAS/FORT WORTH INTL ARPT",
                "CHICAGO O'HARE INTL ARPT",
                "SACRAMENTO INTL",
                "LOUISVILLE INTL ARPT",
                "MEMPHIS INTL",
            ],
        ),
        field("Aircraft Make Model", FieldKind::Text, &[]),
        field("Effect Amount of damage", FieldKind::Text, &["B", "C", "Medium", "Minor", "None", "Substantial"]),
        field("Flight Date", FieldKind::Date, &[]),
        field(
            "Aircraft Airline Operator",
            FieldKind::Text,
            &[
                "AMERICAN AIRLINES",
                "US AIRWAYS*",
                "DELTA AIR LINES",
                "SOUTHWEST AIRLINES",
                "UNITED AIRLINES",
                "MILITARY",
                "BUSINESS",
                "CONTINENTAL AIRLINES",
                "NORTHWEST AIRLINES",
            ],
        ),
        field("Origin State", FieldKind::Text, &["Texas", "California", "New York", "New Jersey", "DC", "Louisiana"]),
        field(
            "Phase of flight",
            FieldKind::Text,
            &["Approach", "Climb", "Descent", "Landing Roll", "Parked", "Take-off run", "Taxi"],
        ),
        field("Wildlife Size", FieldKind::Text, &["Large", "Medium", "Small"]),
        field(
            "Wildlife Species",
            FieldKind::Text,
            &[
                "Unknown bird - small",
                "Unknown bird - medium",
                "Unknown bird - large",
                "Unknown bird or bat",
                "Canada goose",
                "European starling",
                "Herring gull",
            ],
        ),
        field("Time of day", FieldKind::Text, &["Dawn", "Day", "Dusk", "Night"]),
        field("Cost Other", FieldKind::Number, &[]),
        field("Cost Repair", FieldKind::Number, &[]),
        field("Cost Total $", FieldKind::Number, &[]),
        field("Speed IAS in knots", FieldKind::Number, &[]),
    ]
}

fn events() -> Vec<FieldFacts> {
    vec![
        field("country", FieldKind::Text, &["India", "United States", "Brazil", "Germany"]),
        field("event_theme", FieldKind::Text, &["AI", "Cloud", "Security", "Internet of Things"]),
        field("city", FieldKind::Text, &[]),
        field("attendees", FieldKind::Number, &[]),
        field("start_date", FieldKind::Date, &[]),
        field("is_online", FieldKind::Boolean, &[]),
    ]
}

fn products() -> Vec<FieldFacts> {
    vec![
        field("name", FieldKind::Text, &[]),
        field("category", FieldKind::Text, &["Laptops", "Phones", "Office Chairs"]),
        field("price", FieldKind::Number, &[]),
        field("rating", FieldKind::Number, &[]),
        field("weightKg", FieldKind::Number, &[]),
        field("year", FieldKind::Number, &[]),
        field("color", FieldKind::Text, &["Red", "Dark Blue", "Blue", "Other"]),
    ]
}

fn städte() -> Vec<FieldFacts> {
    vec![
        field("Stadt", FieldKind::Text, &["Zürich", "Genève", "São Paulo", "東京"]),
        field("Fläche", FieldKind::Number, &[]),
        field("Sprache", FieldKind::Text, &["Deutsch", "Français", "日本語"]),
    ]
}

#[track_caller]
fn check(fields: &[FieldFacts], question: &str, filters: Value, groups: &[&str], course: Option<(&str, &str)>) {
    let meant = interpret(question, fields);
    assert_eq!(Value::Object(meant.filters.clone()), filters, "filters of {question:?}: {meant:#?}");
    assert_eq!(meant.group_by, groups, "groups of {question:?}: {meant:#?}");
    let histogram = meant.histogram.as_ref().map(|h| (h.field.as_str(), h.interval));
    assert_eq!(histogram, course, "course of {question:?}: {meant:#?}");
}

#[test]
fn strikes_are_read() {
    let f = strikes();
    let on = |q, filters, groups: &[&str]| check(&f, q, filters, groups, None);
    on(
        "Bird strikes on approach at 120 knots by wildlife size",
        json!({"Phase of flight": "Approach", "Speed IAS in knots": 120}),
        &["Wildlife Size"],
    );
    on(
        "bird strikes at 120 kt by size of the wildlife during approaches",
        json!({"Phase of flight": "Approach", "Speed IAS in knots": 120}),
        &["Wildlife Size"],
    );
    on(
        "Which wildlife species caused repair costs over 100,000 dollars?",
        json!({"Cost Repair": {"gt": 100_000}}),
        &["Wildlife Species"],
    );
    on(
        "strikes with total cost of at least $5k per operator",
        json!({"Cost Total $": {"gte": 5000}}),
        &["Aircraft Airline Operator"],
    );
    on(
        "Strikes in Texas and California at night by damage",
        json!({"Origin State": ["Texas", "California"], "Time of day": "Night"}),
        &["Effect Amount of damage"],
    );
    on("Medium damage by phase of flight", json!({"Effect Amount of damage": "Medium"}), &["Phase of flight"]);
    on("medium birds by phase", json!({"Wildlife Size": "Medium"}), &["Phase of flight"]);
    on(
        "How many small birds hit American Airlines planes during take off?",
        json!({"Wildlife Size": "Small", "Aircraft Airline Operator": "AMERICAN AIRLINES", "Phase of flight": "Take-off run"}),
        &[],
    );
    on(
        "birds on landing between 100 and 150 knots by time of day",
        json!({"Phase of flight": "Landing Roll", "Speed IAS in knots": {"gte": 100, "lte": 150}}),
        &["Time of day"],
    );
    on("speed under 80 by airport", json!({"Speed IAS in knots": {"lt": 80}}), &["Airport Name"]);
    on("compare day and night", json!({"Time of day": ["Day", "Night"]}), &["Time of day"]);
    on("aproach by wildlfie size", json!({"Phase of flight": "Approach"}), &["Wildlife Size"]);
    on("Canada geese strikes across states", json!({"Wildlife Species": "Canada goose"}), &["Origin State"]);
    on("strikes in Canada", json!({}), &[]);
    on("what share of strikes happens at night", json!({}), &["Time of day"]);
    on("strikes with gulls", json!({"Wildlife Species": "Herring gull"}), &[]);
    on("how expensive are strikes in Texas", json!({"Origin State": "Texas"}), &[]);
    on("which airports have the most strikes at night", json!({"Time of day": "Night"}), &["Airport Name"]);
    on("top 5 species", json!({}), &["Wildlife Species"]);
    on(
        "distribution of wildlife size and phase of flight at Louisville airport",
        json!({"Airport Name": "LOUISVILLE INTL ARPT"}),
        &["Wildlife Size", "Phase of flight"],
    );
    on("strikes by state and operator", json!({}), &["Origin State", "Aircraft Airline Operator"]);
    on("strikes in DC", json!({"Origin State": "DC"}), &[]);
    on("how many 7 foot tall unicorns", json!({}), &[]);
    on("Phase of flight = Climb", json!({"Phase of flight": "Climb"}), &[]);
    on(
        "Aircraft Make Model = B-737-300 by wildlife size",
        json!({"Aircraft Make Model": "B-737-300"}),
        &["Wildlife Size"],
    );
}

#[test]
fn dates_become_ranges() {
    let f = strikes();
    let range = |from: Option<&str>, to: Option<&str>| {
        let mut range = serde_json::Map::new();
        range.extend(from.map(|day| ("gte".to_owned(), json!(day))));
        range.extend(to.map(|day| ("lt".to_owned(), json!(day))));
        json!({"Flight Date": range})
    };
    for (question, from, to) in [
        ("strikes in 1995", Some("1995-01-01"), Some("1996-01-01")),
        ("strikes since 1994", Some("1994-01-01"), None),
        ("strikes after 1994", Some("1995-01-01"), None),
        ("strikes before 1994", None, Some("1994-01-01")),
        ("strikes until 1994", None, Some("1995-01-01")),
        ("strikes between 1994 and 1996", Some("1994-01-01"), Some("1997-01-01")),
        ("strikes from 1994 to 1996", Some("1994-01-01"), Some("1997-01-01")),
        ("strikes 1994-1996", Some("1994-01-01"), Some("1997-01-01")),
        ("strikes in the 1990s", Some("1990-01-01"), Some("2000-01-01")),
        ("strikes in March 1995", Some("1995-03-01"), Some("1995-04-01")),
        ("strikes in December 1995", Some("1995-12-01"), Some("1996-01-01")),
        ("strikes on 28 February 1996", Some("1996-02-28"), Some("1996-02-29")),
        ("strikes on March 31, 1995", Some("1995-03-31"), Some("1995-04-01")),
        ("strikes on 1999-12-31", Some("1999-12-31"), Some("2000-01-01")),
        ("strikes since 1999-05", Some("1999-05-01"), None),
    ] {
        check(&f, question, range(from, to), &[], None);
    }
}

#[test]
fn courses_of_time_are_asked_of_the_date_field() {
    let f = strikes();
    check(&f, "strikes over time", json!({}), &[], Some(("Flight Date", "year")));
    check(&f, "strikes per year by wildlife size", json!({}), &["Wildlife Size"], Some(("Flight Date", "year")));
    check(
        &f,
        "monthly strikes in 1995",
        json!({"Flight Date": {"gte": "1995-01-01", "lt": "1996-01-01"}}),
        &[],
        Some(("Flight Date", "month")),
    );
    check(&f, "strikes by month and phase", json!({}), &["Phase of flight"], Some(("Flight Date", "month")));
    check(&f, "trend of night strikes", json!({"Time of day": "Night"}), &[], Some(("Flight Date", "year")));
    let without = interpret("sales over time", &products());
    assert!(without.histogram.is_none() && without.refused[0].contains("no field holds dates"), "{without:?}");
}

#[test]
fn events_are_read() {
    let f = events();
    check(&f, "India events by theme", json!({"country": "India"}), &["event_theme"], None);
    check(
        &f,
        "events in the united states by event theme",
        json!({"country": "United States"}),
        &["event_theme"],
        None,
    );
    check(
        &f,
        "AI and internet of things events per country",
        json!({"event_theme": ["AI", "Internet of Things"]}),
        &["country"],
        None,
    );
    check(
        &f,
        "online events with more than 500 attendees by country",
        json!({"is_online": true, "attendees": {"gt": 500}}),
        &["country"],
        None,
    );
    check(
        &f,
        "events with at most 1,000 attendees in Brazil",
        json!({"country": "Brazil", "attendees": {"lte": 1000}}),
        &[],
        None,
    );
    check(&f, "events in city \"New Delhi\" by theme", json!({"city": "New Delhi"}), &["event_theme"], None);
    check(&f, "events starting since March 2024", json!({"start_date": {"gte": "2024-03-01"}}), &[], None);
}

#[test]
fn products_are_read() {
    let f = products();
    check(&f, "laptops under 1500 dollars", json!({"category": "Laptops", "price": {"lt": 1500}}), &[], None);
    check(&f, "laptops under $1,500 by color", json!({"category": "Laptops", "price": {"lt": 1500}}), &["color"], None);
    check(&f, "products cheaper than 99.5", json!({"price": {"lt": 99.5}}), &[], None);
    check(
        &f,
        "dark blue office chairs rated 4 or more",
        json!({"color": "Dark Blue", "category": "Office Chairs", "rating": {"gte": 4}}),
        &[],
        None,
    );
    check(
        &f,
        "phones of 2019 heavier than 0.2 kg by category",
        json!({"category": "Phones", "year": 2019, "weightKg": {"gt": 0.2}}),
        &["category"],
        None,
    );
    check(&f, "price from 10 to 20 by year", json!({"price": {"gte": 10, "lte": 20}}), &["year"], None);
    check(&f, "products since 2018", json!({"year": {"gte": 2018}}), &[], None);
    check(&f, "other products", json!({}), &[], None);
    check(&f, "products with other color", json!({"color": "Other"}), &[], None);
}

#[test]
fn dotted_names_are_named_by_their_parts_and_prose_is_no_value() {
    let story = "Birds were ingested by the left engine during the approach, and the crew returned to the airport.";
    let f = vec![
        field("location.country", FieldKind::Text, &["France", "Spain"]),
        field("location.city", FieldKind::Text, &["Paris", "Madrid"]),
        field("narrative", FieldKind::Text, &[story, "Nothing."]),
    ];
    check(&f, "birds in Spain by city", json!({"location.country": "Spain"}), &["location.city"], None);
}

#[test]
fn values_in_other_languages_are_found() {
    let f = städte();
    check(&f, "was ist in zurich nach Sprache", json!({"Stadt": "Zürich"}), &["Sprache"], None);
    check(&f, "Sao Paulo", json!({"Stadt": "São Paulo"}), &[], None);
    check(&f, "東京 by Sprache", json!({"Stadt": "東京"}), &["Sprache"], None);
    check(&f, "Fläche über 100 in Genève", json!({"Stadt": "Genève", "Fläche": 100}), &[], None);
}

#[test]
fn a_denial_never_becomes_a_positive_filter() {
    let f = strikes();
    check(
        &f,
        "strikes not on approach by size",
        json!({"Phase of flight": ["Climb", "Descent", "Landing Roll", "Parked", "Take-off run", "Taxi"]}),
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
        json!({"Phase of flight": ["Approach", "Descent", "Landing Roll", "Parked", "Take-off run", "Taxi"], "Speed IAS in knots": 120}),
        &[],
        None,
    );
    check(&f, "strikes that weren't small", json!({"Wildlife Size": ["Large", "Medium"]}), &[], None);
    for question in ["strikes not 120 knots", "strikes except 1995", "strikes not in Canada"] {
        assert_eq!(Value::Object(interpret(question, &f).filters), json!({}), "{question}");
    }
    check(&f, "strikes at no more than 90 knots", json!({"Speed IAS in knots": {"lte": 90}}), &[], None);
}

#[test]
fn a_proper_noun_that_only_may_mean_a_value_is_said_and_not_applied() {
    let meant = interpret("strikes in Louisville", &strikes());
    assert!(meant.filters.is_empty());
    assert_eq!(
        meant.refused,
        ["“Louisville” (it may mean Airport Name = LOUISVILLE INTL ARPT; name the field to apply it)"]
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
    let meant = interpret("Bird strikes on approach at 120 knots by wildlife size", &strikes());
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
    let overrides = QueryOverrides { filters: Some(Object::new()), group_by: Some(vec!["Time of day".into()]) };
    let meant = interpret("approach by wildlife size", &strikes()).overridden(&overrides);
    assert!(meant.filters.is_empty());
    assert_eq!(meant.group_by, ["Time of day"]);
}

#[test]
fn a_generic_word_names_the_field_that_is_called_so() {
    let fields = [field("amount", FieldKind::Number, &[]), field("city", FieldKind::Text, &["Bonn", "Ulm"])];
    let meant = interpret("amount by city", &fields);
    assert_eq!((meant.mentioned, meant.group_by), (vec!["amount".to_owned()], vec!["city".to_owned()]));
    assert!(meant.unmatched.is_empty(), "{:?}", meant.unmatched);
}

#[test]
fn what_which_asks_for_is_looked_for_in_all_texts() {
    let notes = field("notes", FieldKind::Text, &[]);
    let cause = field("cause", FieldKind::Text, &["Valve", "Seal", "Motor"]);
    let kind = field("category", FieldKind::Text, &["Laptop", "Phone"]);
    let with = [notes, cause.clone(), kind.clone()];
    for question in
        ["Which valve leaks, and what was done about it?", "What motor is loud?", "Which seal leaked at Bonn?"]
    {
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
    check(&with, "Which laptop is best?", json!({"category": "Laptop"}), &[], None);
    // Without texts there is nothing else that could name one.
    check(&[cause, kind], "Which valve leaks?", json!({"cause": "Valve"}), &[], None);
}

#[test]
fn what_is_absent_is_a_value_where_the_field_has_one_for_it() {
    let f = strikes();
    let none = || json!({"Effect Amount of damage": "None"});
    check(&f, "How many strikes happened without damage?", none(), &[], None);
    check(&f, "strikes with no damage by phase", none(), &["Phase of flight"], None);
    check(&f, "strikes without any damage", none(), &[], None);
    check(&f, "strikes without passengers", json!({}), &[], None);
    check(&f, "strikes by damage", json!({}), &["Effect Amount of damage"], None);
}

#[test]
fn which_month_asks_for_the_course_of_time() {
    let f = strikes();
    check(&f, "In which month do most strikes occur?", json!({}), &[], Some(("Flight Date", "month")));
    check(
        &f,
        "What year had the most strikes at night?",
        json!({"Time of day": "Night"}),
        &[],
        Some(("Flight Date", "year")),
    );
    let fields = [field("month", FieldKind::Text, &["2024-01", "2024-02"]), field("date", FieldKind::Date, &[])];
    check(&fields, "Which month was best?", json!({}), &["month"], None);
}
