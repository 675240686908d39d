//! Tables of pairs of sentences that contradict each other, and of pairs that do not.

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::conflict::texts::*;
use crate::text::untrusted::Untrusted;

/// Returns records whose only prose is in `notes`, each with further fields.
fn registry(records: &[(&str, Value)]) -> SourceRegistry {
    let mut sources = SourceRegistry::default();
    for (at, (notes, fields)) in records.iter().enumerate() {
        let mut fields = fields.as_object().unwrap().clone();
        fields.insert("notes".into(), json!(notes));
        sources.register(Source {
            tool: "t".into(),
            record: format!("r{at}"),
            text: Untrusted::new(format!("notes: {notes}")),
            fields: Untrusted::new(fields),
            ..Source::default()
        });
    }
    sources
}

/// Returns the pairs that are found for questions with all words of the texts.
fn found(records: &[(&str, Value)]) -> Vec<(String, String)> {
    let questions: Vec<&str> = records.iter().map(|(notes, _)| *notes).collect();
    let pairs = between_texts(&registry(records), &questions);
    pairs.into_iter().map(|(a, b)| (a.text, b.text)).collect()
}

/// Returns the numbers of pairs within one record, and across two records without further fields.
fn both_ways(a: &str, b: &str) -> (usize, usize) {
    let one = format!("{a} {b}");
    (
        found(&[(&one, json!({}))]).len(),
        found(&[(a, json!({})), (b, json!({}))]).len(),
    )
}

/// Asserts how many contradictions each pair of sentences has, in either order: within one record,
/// and across two.
#[track_caller]
fn assert_contradictions(expected: usize, pairs: &[(&str, &str)]) {
    for (a, b) in pairs {
        assert_eq!(both_ways(a, b), (expected, expected), "{a} / {b}");
        assert_eq!(both_ways(b, a), (expected, expected), "{b} / {a}");
    }
}

#[test]
fn sentences_on_a_thing_with_a_number_contradict_in_one_record_and_across_two() {
    // English.
    assert_contradictions(
        1,
        &[
            (
                "The shaft of pump 31 was replaced in March.",
                "The shaft of pump 31 was not replaced in March.",
            ),
            (
                "The shaft of pump 31 was replaced.",
                "The shaft of pump 31 wasn't replaced.",
            ),
            (
                "In March, the shaft of pump 31 was replaced.",
                "The shaft of pump 31 was never replaced in March.",
            ),
            (
                "The motor of pump 8 ran at 1450 rpm.",
                "The motor of pump 8 ran at 1480 rpm.",
            ),
            (
                "The motor of pump 8 ran at 1,450 rpm.",
                "The motor of pump 8 ran with 1\u{202f}480 r.p.m.",
            ),
            (
                "Pump 31's shaft was replaced.",
                "The shaft of pump 31 was not replaced.",
            ),
            (
                "Valve B-17 leaks at the lower flange.",
                "Valve B-17 does not leak at the lower flange.",
            ),
            ("Valve B-17 closed.", "Valve B-17 did not close."),
            ("Pump 31 has 3 impellers.", "Pump 31 has 4 impellers."),
            (
                "Pump 31 ran without noise at full load.",
                "Pump 31 ran with noise at full load.",
            ),
            (
                "Tank 4 holds 200 litres.",
                "Tank 4 holds 350 l, which is enough for a day.",
            ),
            (
                "On 3 May 2024 pump 31 was cleaned.",
                "Pump 31 was not cleaned on 3 May 2024.",
            ),
            ("Pump 31 weighs 20 kg.", "Pump 31 has a weight of 25 kg."),
        ],
    );

    // Other languages.
    assert_contradictions(
        1,
        &[
            (
                "Die Welle der Pumpe 31 wurde ersetzt.",
                "Die Welle der Pumpe 31 wurde nicht ersetzt.",
            ),
            (
                "L'arbre de la pompe 31 a été remplacé.",
                "L'arbre de la pompe 31 n'a pas été remplacé.",
            ),
            (
                "El eje de la bomba 31 fue cambiado.",
                "El eje de la bomba 31 no fue cambiado.",
            ),
            (
                "Der Motor der Pumpe 8 lief mit 1450 U/min.",
                "Der Motor der Pumpe 8 lief mit 1480 U/min.",
            ),
        ],
    );
}

#[test]
fn what_may_be_explained_does_not_contradict() {
    // Other things.
    assert_contradictions(
        0,
        &[
            (
                "The shaft of pump 30 was replaced.",
                "The shaft of pump 31 was not replaced.",
            ),
            (
                "The motor of pump 8 ran at 1450 rpm.",
                "The motor of pump 9 ran at 1480 rpm.",
            ),
            ("Engine #1 was damaged.", "Engine #2 was not damaged."),
            (
                "The left engine was damaged.",
                "The right engine was not damaged.",
            ),
            (
                "The 1st engine was damaged.",
                "The 2nd engine was not damaged.",
            ),
            ("A valve leaks.", "A valve does not leak."),
            ("Some valves leak.", "Some valves do not leak."),
            (
                "On pump 31, the shaft was replaced.",
                "On pump 30, the shaft was not replaced.",
            ),
            ("It is 2 m long.", "It is 3 m long."),
            ("The 2 m cord is too short.", "The 3 m cord is too short."),
            (
                "The inlet of pump 31 is 2 m wide.",
                "The inlet of pump 31 is 3 m high.",
            ),
            (
                "The shaft of pump 31 was replaced.",
                "The seal of pump 31 was not replaced.",
            ),
            ("Pump 31 feeds tank 4.", "Pump 31 does not feed tank 5."),
        ],
    );

    // Other times and conditions.
    assert_contradictions(
        0,
        &[
            (
                "In May the motor of pump 8 ran at 1450 rpm.",
                "After the repair the motor of pump 8 ran at 1480 rpm.",
            ),
            (
                "The motor of pump 8 ran at 1450 rpm in May.",
                "The motor of pump 8 ran at 1480 rpm in June.",
            ),
            (
                "The shaft of pump 31 was replaced in 2023.",
                "The shaft of pump 31 was not replaced in 2024.",
            ),
            (
                "Pump 31 ran at 1450 rpm at 14:30.",
                "Pump 31 ran at 1480 rpm at 15:00.",
            ),
            (
                "The motor of pump 8 ran at 1450 rpm.",
                "The motor of pump 8 now ran at 1480 rpm.",
            ),
            ("Pump 31 leaks.", "Pump 31 no longer leaks."),
            (
                "When hot, pump 31 draws 3 kW.",
                "When cold, pump 31 draws 5 kW.",
            ),
            (
                "If the lid is locked, pump 31 does not run.",
                "Pump 31 runs.",
            ),
            ("Pump 31 was hot.", "Pump 31 is not hot."),
        ],
    );

    // Parts of a whole.
    assert_contradictions(
        0,
        &[
            ("Pump 31 lost 2 bolts.", "Pump 31 lost 3 bolts."),
            ("Patient 7 was given 20 mg.", "Patient 7 was given 40 mg."),
            (
                "Runway 27 was closed for 20 minutes.",
                "Runway 27 was closed for 35 minutes.",
            ),
        ],
    );

    // Other ways to write a number.
    assert_contradictions(
        0,
        &[
            ("Tank 4 is about 2 m high.", "Tank 4 is 2.0 m high."),
            ("Tank 4 is 2 m high.", "Tank 4 is 200 cm high."),
            ("Tank 4 is 6 ft high.", "Tank 4 is 1.83 m high."),
            ("Pump 8 ran at 1,500 rpm.", "Pump 8 ran at 1487 rpm."),
            (
                "Tank 4 holds 200 to 300 litres.",
                "Tank 4 holds 250 litres.",
            ),
            ("Tank 4 holds between 200 and 300 l.", "Tank 4 holds 300 l."),
            (
                "Tank 4 holds at least 200 litres.",
                "Tank 4 holds 350 litres.",
            ),
            ("Tank 4 is two metres high.", "Tank 4 is 2 m high."),
        ],
    );

    // No plain statements.
    assert_contradictions(
        0,
        &[
            (
                "Was the shaft of pump 31 replaced?",
                "The shaft of pump 31 was not replaced.",
            ),
            (
                "The shaft of pump 31 may be damaged.",
                "The shaft of pump 31 may not be damaged.",
            ),
            ("Pump 31 was not only cleaned.", "Pump 31 was only cleaned."),
            (
                "Not all seals of pump 31 were replaced.",
                "The seals of pump 31 were replaced.",
            ),
            (
                "Tank 4 is taller than tank 5.",
                "Tank 5 is not taller than tank 4.",
            ),
            (
                "The log says “pump 31 runs”.",
                "The log says “pump 31 does not run”.",
            ),
            (
                "The shaft of pump 31 was not replaced.",
                "The shaft of pump 31 was not replaced.",
            ),
            (
                "Tank 4 does not hold 200 litres.",
                "Tank 4 does not hold 300 litres.",
            ),
            (
                "Pump 31 needs 2 bolts and a seal.",
                "Pump 31 needs a seal and 3 men.",
            ),
        ],
    );
}

#[test]
fn on_two_records_a_thing_without_a_number_is_another_thing() {
    for (a, b) in [
        ("The engine was damaged.", "The engine was not damaged."),
        (
            "The aircraft flew at 120 knots.",
            "The aircraft flew at 140 knots.",
        ),
        (
            "The aircraft returned to gate 5.",
            "The aircraft did not return to gate 5.",
        ),
        (
            "The runway at Denver was closed.",
            "The runway at Denver was not closed.",
        ),
    ] {
        assert_eq!(both_ways(a, b), (1, 0), "{a} / {b}");
    }
}

#[test]
fn records_of_other_days_tell_of_a_change_unless_they_name_the_time_or_what_stays() {
    let dated = |a: &str, b: &str| {
        found(&[
            (a, json!({"reported": "2023-04-16"})),
            (b, json!({"reported": "2024-12-13"})),
        ])
        .len()
    };

    assert_eq!(
        dated("Valve B-17 leaks badly.", "Valve B-17 does not leak badly."),
        0
    );
    assert_eq!(
        dated("Pump 31 was replaced.", "Pump 31 was not replaced."),
        0
    );
    assert_eq!(
        dated("Pump 31 ran at 1450 rpm.", "Pump 31 ran at 1480 rpm."),
        0
    );
    assert_eq!(
        dated(
            "Pump 31 was replaced in March 2023.",
            "Pump 31 was not replaced in March 2023."
        ),
        1
    );
    assert_eq!(dated("Tank 4 is 2 m high.", "Tank 4 is 3 m high."), 1);
    assert_eq!(dated("Tank 4 was 2 m high.", "Tank 4 was 3 m high."), 0);
}

#[test]
fn a_number_means_another_thing_at_another_place() {
    let at = |a: &str, b: &str| {
        let (first, second) = (
            "Pump 31 was replaced in March.",
            "Pump 31 was not replaced in March.",
        );
        found(&[(first, json!({"site": a})), (second, json!({"site": b}))]).len()
    };
    assert_eq!(
        (at("Millbrook", "Harbour"), at("Millbrook", "Millbrook")),
        (0, 1)
    );
}

#[test]
fn the_number_of_a_kind_is_not_that_of_a_piece() {
    let of = |make: &str| {
        let records = [
            ("The B-737 was damaged.", json!({"make": make})),
            ("The B-737 was not damaged.", json!({"make": make})),
        ];
        found(&records).len()
    };
    assert_eq!((of("B-737-300"), of("Boeing")), (0, 1));
}

#[test]
fn reviews_of_one_product_contradict_on_what_belongs_to_all_of_it() {
    let reviews = |a: &str, b: &str| {
        let review = |month: &str, product: &str| json!({"product": product, "month": month});
        let same = found(&[
            (a, review("2025-02", "Blender Max")),
            (b, review("2025-04", "Blender Max")),
        ]);
        let other = found(&[
            (a, review("2025-02", "Blender Max")),
            (b, review("2025-04", "Kettle One")),
        ]);
        assert!(other.is_empty(), "{other:?}");
        same.len()
    };

    for (a, b) in [
        ("The cord is 2 metres long.", "the cord is 3 metres"),
        (
            "The cord of the blender is 2 metres long, which reaches from the wall to the table.",
            "The cord of the blender is 1 metre long, so that we had to buy an extension before we \
             could use it.",
        ),
        (
            "The blender's cord measures 2 m.",
            "The cord of the blender has a length of 1.2 m.",
        ),
        ("The length of the cord is 2 m.", "The cord is 3 m long."),
        (
            "The battery lasts 8 hours.",
            "The battery lasts four hours.",
        ),
        (
            "The Blender Max is dishwasher-safe.",
            "The Blender Max is not dishwasher-safe.",
        ),
        (
            "The cord is two metres long.",
            "The cord is three metres long.",
        ),
    ] {
        assert_eq!(reviews(a, b), 1, "{a} / {b}");
    }

    for (a, b) in [
        ("The lid does not close.", "The lid closes."),
        (
            "The lid of the Blender Max is broken.",
            "The lid of the Blender Max is not broken.",
        ),
        (
            "The scratch on the lid is 2 cm long.",
            "The scratch on the lid is 3 cm long.",
        ),
        ("The price is 49 euros.", "The price is 59 euros."),
        (
            "The delivery is 2 days late.",
            "The delivery is 3 days late.",
        ),
        ("My cord is 2 metres long.", "My cord is 3 metres long."),
        (
            "The cord of the old one is 2 m long.",
            "The cord of the old one is 3 m long.",
        ),
        (
            "The cord is 2 metres long.",
            "The cord is about 2.2 m long.",
        ),
    ] {
        assert_eq!(reviews(a, b), 0, "{a} / {b}");
    }
}

#[test]
fn within_a_text_a_change_or_several_things_explain_a_difference() {
    let text = |text: &str| found(&[(text, json!({}))]).len();

    assert_eq!(
        text("The motor of pump 8 ran at 1450 rpm. The motor of pump 8 ran at 1480 rpm."),
        1
    );
    assert_eq!(
        text(
            "The motor of pump 8 ran at 1450 rpm. Then the coupling was set. The motor of pump 8 \
             ran at 1480 rpm."
        ),
        0
    );
    assert_eq!(text("The fan was hot. The fan was not hot."), 1);
    assert_eq!(
        text("There are two fans. The fan was hot. The fan was not hot."),
        0
    );
    assert_eq!(
        text("Pump 30 was open. The seal was worn. Pump 31 was open. The seal was not worn."),
        0
    );
}

#[test]
fn only_sentences_that_bear_on_a_question_are_looked_at_and_each_disagreement_is_told_once() {
    let (yes, no) = (
        "The shaft of pump 31 was replaced in March.",
        "The shaft of pump 31 was not replaced in March.",
    );
    let sources = registry(&[
        (yes, json!({})),
        (no, json!({})),
        (yes, json!({})),
        (no, json!({})),
    ]);

    assert_eq!(
        between_texts(&sources, &["Was the shaft of pump 31 replaced?"]).len(),
        1
    );
    assert_eq!(
        between_texts(&sources, &["Which causes lead to the reports?"]),
        []
    );
    assert_eq!(between_texts(&sources, &[]), []);
}

#[test]
fn the_quotes_stand_in_the_records() {
    let sources = registry(&[
        ("All was well. Pump 31 was replaced.", json!({})),
        ("Nothing else. Pump 31 was not replaced.", json!({})),
    ]);
    let pairs = between_texts(&sources, &["Was pump 31 replaced?"]);
    let [(a, b)] = pairs.as_slice() else {
        panic!("{pairs:?}")
    };

    for sentence in [a, b] {
        let text = sources
            .get(&sentence.source)
            .unwrap()
            .text
            .for_code()
            .clone();
        assert!(text[sentence.start..].starts_with(&sentence.text));
    }

    assert_eq!((a.source.as_str(), b.source.as_str()), ("r0", "r1"));
}

proptest! {
    #[test]
    fn a_sentence_never_contradicts_itself_or_a_copy(
        words in proptest::collection::vec(
            prop_oneof![
                Just("the"), Just("pump 31"), Just("valve B-17"), Just("was"), Just("is"),
                Just("not"), Just("no"), Just("replaced"), Just("ran at"), Just("1450 rpm"),
                Just("about 2 m"), Just("long"), Just("in March"), Just(","), Just("and"),
                Just("which"), Just("3"), Just("impellers"), Just("2-3 bar"), Just("did"),
                Just("1.450"), Just("'s"), Just("Pumpe"), Just("ohne"), Just("-5 °C"),
                Just("#2"), Just("$"),
            ],
            1..14,
        ),
        text in ".{0,60}",
    ) {
        let sentence = format!("The {}. {text}", words.join(" "));
        let one = found(&[(&sentence, json!({}))]);
        let copies = found(&[(&sentence, json!({})), (&sentence, json!({}))]);

        // What contradicts itself within one text does so in a copy too, and nothing is added by
        // the copy.
        for (a, b) in copies.iter().chain(&one) {
            prop_assert_ne!(a, b);
        }

        let own = statements(&format!("The {}.", words.join(" ")));
        for statement in &own {
            prop_assert!(!contradict(statement, statement), "{:?}", statement);
        }
    }
}
