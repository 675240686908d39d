//! Questions over three schemas, and what must be read out of them.

use crate::question::interpret::tests::*;

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

    on(
        "Medium damage by phase of flight",
        json!({"Effect Amount of damage": "Medium"}),
        &["Phase of flight"],
    );
    on(
        "medium birds by phase",
        json!({"Wildlife Size": "Medium"}),
        &["Phase of flight"],
    );
    on(
        "How many small birds hit American Airlines planes during take off?",
        json!({"Wildlife Size": "Small", "Aircraft Airline Operator": "AMERICAN AIRLINES",
            "Phase of flight": "Take-off run"}),
        &[],
    );

    on(
        "birds on landing between 100 and 150 knots by time of day",
        json!({"Phase of flight": "Landing Roll", "Speed IAS in knots": {"gte": 100, "lte": 150}}),
        &["Time of day"],
    );
    on(
        "speed under 80 by airport",
        json!({"Speed IAS in knots": {"lt": 80}}),
        &["Airport Name"],
    );

    on(
        "compare day and night",
        json!({"Time of day": ["Day", "Night"]}),
        &["Time of day"],
    );
    on(
        "aproach by wildlfie size",
        json!({"Phase of flight": "Approach"}),
        &["Wildlife Size"],
    );
    on(
        "Canada geese strikes across states",
        json!({"Wildlife Species": "Canada goose"}),
        &["Origin State"],
    );
    on("strikes in Canada", json!({}), &[]);
    on(
        "what share of strikes happens at night",
        json!({}),
        &["Time of day"],
    );

    on(
        "strikes with gulls",
        json!({"Wildlife Species": "Herring gull"}),
        &[],
    );
    on(
        "how expensive are strikes in Texas",
        json!({"Origin State": "Texas"}),
        &[],
    );
    on(
        "which airports have the most strikes at night",
        json!({"Time of day": "Night"}),
        &["Airport Name"],
    );
    on("top 5 species", json!({}), &["Wildlife Species"]);

    on(
        "distribution of wildlife size and phase of flight at Louisville airport",
        json!({"Airport Name": "LOUISVILLE INTL ARPT"}),
        &["Wildlife Size", "Phase of flight"],
    );
    on(
        "strikes by state and operator",
        json!({}),
        &["Origin State", "Aircraft Airline Operator"],
    );
    on("strikes in DC", json!({"Origin State": "DC"}), &[]);
    on("how many 7 foot tall unicorns", json!({}), &[]);

    on(
        "Phase of flight = Climb",
        json!({"Phase of flight": "Climb"}),
        &[],
    );
    on(
        "Aircraft Make Model = B-737-300 by wildlife size",
        json!({"Aircraft Make Model": "B-737-300"}),
        &["Wildlife Size"],
    );
}

#[test]
fn events_are_read() {
    let f = events();

    check(
        &f,
        "India events by theme",
        json!({"country": "India"}),
        &["event_theme"],
        None,
    );

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

    check(
        &f,
        "events in city \"New Delhi\" by theme",
        json!({"city": "New Delhi"}),
        &["event_theme"],
        None,
    );
    check(
        &f,
        "events starting since March 2024",
        json!({"start_date": {"gte": "2024-03-01"}}),
        &[],
        None,
    );
}

#[test]
fn products_are_read() {
    let f = products();

    check(
        &f,
        "laptops under 1500 dollars",
        json!({"category": "Laptops", "price": {"lt": 1500}}),
        &[],
        None,
    );
    check(
        &f,
        "laptops under $1,500 by color",
        json!({"category": "Laptops", "price": {"lt": 1500}}),
        &["color"],
        None,
    );

    check(
        &f,
        "products cheaper than 99.5",
        json!({"price": {"lt": 99.5}}),
        &[],
        None,
    );
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

    check(
        &f,
        "price from 10 to 20 by year",
        json!({"price": {"gte": 10, "lte": 20}}),
        &["year"],
        None,
    );
    check(
        &f,
        "products since 2018",
        json!({"year": {"gte": 2018}}),
        &[],
        None,
    );
    check(&f, "other products", json!({}), &[], None);
    check(
        &f,
        "products with other color",
        json!({"color": "Other"}),
        &[],
        None,
    );
}

#[test]
fn dotted_names_are_named_by_their_parts_and_prose_is_no_value() {
    let story = "Birds were ingested by the left engine during the approach, and the crew \
        returned to the airport.";
    let f = vec![
        field("location.country", FieldKind::Text, &["France", "Spain"]),
        field("location.city", FieldKind::Text, &["Paris", "Madrid"]),
        field("narrative", FieldKind::Text, &[story, "Nothing."]),
    ];
    check(
        &f,
        "birds in Spain by city",
        json!({"location.country": "Spain"}),
        &["location.city"],
        None,
    );
}

#[test]
fn values_in_other_languages_are_found() {
    let f = städte();

    check(
        &f,
        "was ist in zurich nach Sprache",
        json!({"Stadt": "Zürich"}),
        &["Sprache"],
        None,
    );
    check(&f, "Sao Paulo", json!({"Stadt": "São Paulo"}), &[], None);
    check(
        &f,
        "東京 by Sprache",
        json!({"Stadt": "東京"}),
        &["Sprache"],
        None,
    );
    check(
        &f,
        "Fläche über 100 in Genève",
        json!({"Stadt": "Genève", "Fläche": 100}),
        &[],
        None,
    );
}
