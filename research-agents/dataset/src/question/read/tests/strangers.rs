//! What tables and questions of strangers have: names written in other ways, codes, slips of the
//! hand, years in the names of columns, and questions that no field answers.

use serde_json::{Value, json};

use crate::question::read::tests::tables::{many, reading, text};
use crate::question::reading::YesNoTest;

fn number(name: &str, low: f64, high: f64) -> Value {
    json!({"name": name, "kind": "number", "range": [low, high], "distinct": 400})
}

fn exact(text: &str, field: &str) -> Value {
    let candidate = json!({"field": field, "value": text, "doc_count": 1, "match": "exact"});
    json!({"text": text, "candidates": [candidate]})
}

fn towns() -> Value {
    let population = |year: u32| number(&format!("population_{year}"), 100.0, 3e6);
    json!([
        many("name", 414),
        population(2011),
        population(2016),
        population(2021)
    ])
}

#[test]
fn a_year_in_the_name_of_a_column_tells_it_from_the_others() {
    let entries = json!([exact("Ajax", "name")]);

    let read = reading("What was the population of Ajax in 2021?", towns(), entries);

    assert_eq!(read.wanted, ["name", "population_2021"]);
    assert_eq!(json!(read.filters), json!({"name": "Ajax"}));
    assert!(read.dropped().next().is_none(), "{:?}", read.conditions);
}

#[test]
fn a_state_is_found_by_its_code_in_a_column_of_states_only() {
    let question = "How many breaches happened in California?";
    let with = |name: &str| json!([text(name, &["CA", "TX"]), number("affected", 0.0, 1e6)]);

    let states = reading(question, with("state"), json!([]));
    let grades = reading(question, with("grade"), json!([]));

    assert_eq!(json!(states.filters), json!({"state": "CA"}));
    assert_eq!(json!(grades.filters), json!({}));

    let named = json!([
        text("state", &["California", "Indiana"]),
        number("affected", 0.0, 1e6)
    ]);
    let by_code = reading("How many breaches in state CA?", named, json!([]));
    assert_eq!(json!(by_code.filters), json!({"state": "California"}));
}

#[test]
fn a_value_in_cells_with_several_is_searched_for_within_them() {
    let question = "How many hurricanes hit FL?";
    let cells = |values: &[&str]| json!([text("states", values)]);

    let lists = reading(question, cells(&["FL", "FL,AL", "AL", "GA,FL"]), json!([]));
    let single = reading(question, cells(&["FL", "AL", "GA"]), json!([]));

    assert_eq!(json!(lists.filters), json!({"states": {"contains": "FL"}}));
    assert_eq!(json!(single.filters), json!({"states": "FL"}));
}

#[test]
fn slips_in_words_of_the_question_and_of_fields_are_corrected_and_noted() {
    let loans = || {
        json!([
            text("purpose", &["car", "house"]),
            number("interest_rate", 5.0, 30.0)
        ])
    };

    let mean = reading("avrage intrest rate for purpose car", loans(), json!([]));
    let count = reading("how meny have purpose car", loans(), json!([]));

    assert_eq!(mean.measures[0].field, "interest_rate");
    assert_eq!(json!(mean.filters), json!({"purpose": "car"}));
    assert_eq!(mean.notes[0], "“avrage” is read as “average”");
    assert_eq!(json!(count.answer), json!("count"));
}

#[test]
fn a_percent_sign_asks_for_a_share() {
    let fields = json!([text("education", &["Doctor", "Master"])]);

    let read = reading("what % of staff have education Doctor", fields, json!([]));

    assert_eq!(json!(read.answer), json!("share"));
    assert_eq!(json!(read.part), json!({"education": "Doctor"}));
}

#[test]
fn phrases_over_function_words_commas_and_numbers_are_looked_up() {
    let art = || json!([many("title", 4000), many("medium", 900)]);
    let further = |question: &str| reading(question, art(), json!([])).further;

    assert!(further("oil paint on canvas works").contains(&"oil paint on canvas".into()));
    assert!(further("works from Atlanta, Georgia").contains(&"Atlanta, Georgia".into()));
    assert!(further("who made the Ryzen 7 3700X").contains(&"Ryzen 7 3700X".into()));
}

#[test]
fn parts_of_a_name_are_values_of_different_columns() {
    let fields = json!([
        many("first_name", 400),
        many("last_name", 450),
        many("team", 30)
    ]);
    let both = |text: &str, fields: &[&str]| {
        let candidates = fields
            .iter()
            .map(|field| json!({"field": field, "value": text, "doc_count": 2, "match": "exact"}));
        json!({"text": text, "candidates": candidates.collect::<Vec<_>>()})
    };
    let entries = json!([
        both("LeBron", &["first_name"]),
        both("James", &["first_name", "last_name"]),
        {"text": "LeBron James"}
    ]);

    let read = reading("what team does LeBron James play for", fields, entries);

    assert_eq!(
        json!(read.filters),
        json!({"first_name": "LeBron", "last_name": "James"})
    );
}

#[test]
fn a_word_in_small_letters_is_a_name_only_where_nothing_has_capitals() {
    let fields = || json!([many("animal_name", 9000), text("species", &["Cat", "Dog"])]);
    let entries = || {
        json!([{"text": "biscuit", "candidates": [
        {"field": "animal_name", "value": "Biscuit", "doc_count": 3, "match": "case"}]}])
    };

    let ordinary = reading("How many Dogs like a biscuit?", fields(), entries());
    let written_so = reading("how many dogs are named biscuit", fields(), entries());

    assert_eq!(json!(ordinary.filters), json!({"species": "Dog"}));
    assert_eq!(
        json!(written_so.filters),
        json!({"species": "Dog", "animal_name": "Biscuit"})
    );
}

#[test]
fn places_with_commas_and_columns_of_numbers_are_compared() {
    let queens = json!([many("hometown", 90), number("age", 20.0, 50.0)]);
    let entries = json!([
        exact("Atlanta, Georgia", "hometown"),
        exact("Chicago, Illinois", "hometown")
    ]);
    let votes = json!([
        text("district", &["A", "B"]),
        number("Coderre", 0.0, 9000.0),
        number("Bergeron", 0.0, 9000.0)
    ]);

    let question = "Did more queens come from Atlanta, Georgia than from Chicago, Illinois?";
    let places = reading(question, queens, entries);
    let question = "Did Coderre get more votes than Bergeron?";
    let columns = reading(question, votes, json!([]));

    let Some(YesNoTest::Groups { field, values, .. }) = &places.test else {
        panic!("{places:?}");
    };
    assert_eq!(
        (field.as_str(), &values[0]),
        ("hometown", &json!("Atlanta, Georgia"))
    );
    let measured: Vec<&str> = columns
        .measures
        .iter()
        .map(|one| one.field.as_str())
        .collect();
    assert_eq!(measured, ["Coderre", "Bergeron"]);
}

#[test]
fn an_article_is_no_value_between_a_word_for_missing_and_its_field() {
    let fields = json!([text("population", &["a", "lv"]), text("grade", &["A", "B"])]);

    let read = reading("How many polls come without a grade?", fields, json!([]));

    assert_eq!(json!(read.filters), json!({"grade": {"missing": true}}));
}

#[test]
fn what_no_field_says_is_declined() {
    let hits = || json!([many("track", 317), {"name": "artist", "kind": "text", "distinct": 228}]);
    let songs = || json!([exact("Maria", "track")]);
    let unheld = |question: &str| reading(question, hits(), songs()).unheld;

    assert_eq!(unheld("Why did people like Maria?"), ["Why"]);
    assert_eq!(unheld("How many copies did Maria sell?"), ["copies"]);
    assert_eq!(unheld("Where was Maria filmed?"), ["filmed"]);
    assert!(unheld("How many tracks are by artists?").is_empty());
}

#[test]
fn the_older_of_two_things_with_years_has_the_lower_one() {
    let schools = json!([
        text("school", &["Yale", "Princeton"]),
        number("year_founded", 1636.0, 2020.0)
    ]);

    let read = reading("Is Yale older than Princeton?", schools, json!([]));

    assert!(
        matches!(
            read.test,
            Some(YesNoTest::Groups {
                sign: crate::question::reading::Sign::Below,
                ..
            })
        ),
        "{:?}",
        read.test
    );
}

#[test]
fn a_part_may_be_what_has_a_value_of_a_field() {
    let brands = json!([many("title", 3000), many("guidelines", 800)]);

    let read = reading(
        "What share of the brands has guidelines?",
        brands,
        json!([]),
    );

    assert_eq!(json!(read.part), json!({"guidelines": {"missing": false}}));
}

#[test]
fn a_word_in_the_name_of_records_is_searched_for_there() {
    let foods = json!([many("food_name", 540), text("group", &["fruit", "nuts"])]);

    let read = reading(
        "How many entries have brinjal in the name?",
        foods,
        json!([]),
    );

    assert_eq!(
        json!(read.filters),
        json!({"food_name": {"contains": "brinjal"}})
    );
}

#[test]
fn a_doer_is_not_the_value_with_the_same_stem() {
    let brands = json!([many("title", 3000), text("license", &["custom", "MIT"])]);

    let read = reading("How many customers are there?", brands, json!([]));

    assert_eq!(json!(read.filters), json!({}));
}

fn crimes() -> Value {
    let number = |name: &str, low: f64, high: f64| {
        json!({"name": name, "kind": "number",
        "range": [low, high], "distinct": 300})
    };
    let whole = |name: &str, low: i64, high: i64| {
        json!({"name": name, "kind": "number",
        "range": [low, high], "distinct": 300})
    };
    json!([
        text("district", &["Ashfield", "Birchmore", "Cedarly"]),
        whole("year", 1980, 2020),
        whole("murder", 0, 300),
        number("murder per 100,000 people", 0.0, 60.0),
        whole("student_count", 0, 9000),
        whole("cylinders", 2, 12)
    ])
}

fn measured(question: &str) -> (Value, Value) {
    let read = reading(question, crimes(), json!([]));
    (json!(read.measures), json!(read.filters))
}

#[test]
fn what_a_field_counts_is_summed_over_the_records() {
    let sum = json!([{"function": "sum", "field": "murder"}]);
    let there = json!({"district": "Ashfield"});

    for question in [
        "How many murders did Ashfield have?",
        "number of homicides in Ashfield",
        "homicides in Ashfield, all years together",
        "¿Cuántos asesinatos hubo en total en Ashfield?",
        "Wie viele Morde gab es in Ashfield?",
    ] {
        assert_eq!(
            measured(question),
            (sum.clone(), there.clone()),
            "{question}"
        );
    }
}

#[test]
fn a_count_may_be_called_by_more_than_its_noun() {
    let sum = json!([{"function": "sum", "field": "student_count"}]);

    assert_eq!(measured("How many students are in Birchmore?").0, sum);
    assert_eq!(measured("Wie viele Studierende hat Birchmore?").0, sum);
}

#[test]
fn what_one_thing_has_a_few_of_is_not_summed() {
    assert_eq!(
        measured("How many cylinders are there in Ashfield?").0,
        json!([])
    );
}

#[test]
fn a_value_that_was_taken_back_is_read_as_the_next_one_and_noted() {
    let fields = json!([
        text("shape", &["Disc", "Cone"]),
        many("place", 900),
        text("state", &["AZ", "NV"])
    ]);
    let candidate = json!({"field": "place", "value": "Arizona??", "doc_count": 1,
        "match": "case"});
    let found = json!({"text": "Arizona", "candidates": [candidate],
        "searched": {"fields": 3, "records": 4000}});
    let refused = json!({"text": "", "taken_back": [
        {"said": "Arizona", "field": "place", "value": "Arizona??"}]});

    let first = reading("discs over Arizona", fields.clone(), json!([found]));
    let second = reading("discs over Arizona", fields, json!([found, refused]));

    assert_eq!(
        first.filters.get("place"),
        Some(&json!("Arizona??")),
        "{first:?}"
    );
    assert_eq!(first.supposed[0].field, "place");
    assert_eq!(
        json!(second.filters),
        json!({"shape": "Disc", "state": "AZ"})
    );
    assert!(
        second
            .notes
            .iter()
            .any(|note| note.contains("“Arizona” is not read as"))
    );
}

#[test]
fn an_exact_value_is_not_supposed() {
    let candidate = json!({"field": "grade", "value": "clerk", "doc_count": 60,
        "match": "exact"});
    let found = json!([{"text": "clerk", "candidates": [candidate],
        "searched": {"fields": 1, "records": 900}}]);

    let read = reading(
        "Who has the grade clerk?",
        json!([many("grade", 400)]),
        found,
    );

    assert_eq!(json!(read.filters), json!({"grade": "clerk"}));
    assert!(read.supposed.is_empty(), "{read:?}");
}

#[test]
fn a_number_behind_the_name_of_its_kind_is_a_value() {
    let stations = || {
        json!([
            many("station", 400),
            {"name": "type_code", "kind": "number", "range": [1, 6], "distinct": 6,
                "values": [1, 2, 3, 4, 5, 6]},
            text("category", &["2", "5"]),
            text("added_in", &["13.1", "16.0"])
        ])
    };
    let filters = |question: &str| json!(reading(question, stations(), json!([])).filters);

    assert_eq!(
        filters("How many stations of type 6?"),
        json!({"type_code": 6})
    );
    assert_eq!(
        filters("How many cat 5 stations?"),
        json!({"category": "5"})
    );
    assert_eq!(
        filters("¿Cuántas estaciones no son del tipo 1?"),
        json!({"type_code": {"not": 1}})
    );
    assert_eq!(
        filters("How many stations came with version 16.0?"),
        json!({"added_in": "16.0"})
    );
}
