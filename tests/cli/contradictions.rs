//! Records whose texts contradict each other: the report shows both sides with their records, and says of none that it is right.

use serde_json::json;

use crate::events::Events;
use crate::program::events;
use crate::report::{citations_resolve, section};
use crate::scratch::Scratch;

/// What stands around the sentences: texts of a kind that is prose.
const AROUND: [&str; 4] = [
    "During the visit the coupling was cleaned and put back, and the pressure was read twice.",
    "The early shift ordered spare parts, nothing else was seen, and the gate stayed closed.",
    "During the visit the intake screen was greased, and a test run followed without a pause.",
    "The contractor took photographs of the base plate, and the flow was steady all the while.",
];

/// The run over visits of which these say something of a pump, each at its site.
fn asked(visits: &[(&str, &str)], question: &str) -> Events {
    let scratch = Scratch::new();
    let mut lines = String::new();
    for number in 0..20 {
        let around = [AROUND[number % AROUND.len()], AROUND[(number + 1) % AROUND.len()]].join(" ");
        let (site, text) = match visits.get(number / 3).filter(|_| number % 3 == 1) {
            Some((site, text)) => (*site, format!("{around} {text}")),
            None => (["Harbour", "Millbrook"][number % 2], around),
        };
        let visit = json!({"id": format!("v{number}"), "site": site, "reported": format!("2024-05-{:02}", number + 1), "notes": text});
        lines.push_str(&format!("{visit}\n"));
    }
    let file = scratch.write("visits.jsonl", lines);
    let run = events(&["--data", &file, question]);
    citations_resolve(&run);
    run
}

#[test]
fn both_sides_are_told_with_their_records() {
    let question = "Was the shaft of pump 31 replaced?";
    let (yes, no) = ("The shaft of pump 31 was replaced in March.", "The shaft of pump 31 was not replaced in March.");
    let run = asked(&[("Harbour", yes), ("Harbour", no), ("Harbour", yes)], question);
    let told = section(run.report(), "Contradictions");
    let [line] = told.as_slice() else { panic!("{}", run.report()) };
    let (first, second) = (line.find(yes.trim_end_matches('.')), line.find(no.trim_end_matches('.')));
    assert!(first.is_some() && second.is_some(), "{line}");
    assert!(line.contains("[v1]") && line.contains("[v4]"), "{line}");
    for claim in ["right", "wrong", "true", "correct"] {
        assert!(!line.contains(claim), "{line}");
    }

    let other = asked(&[("Harbour", yes), ("Harbour", &no.replace("31", "30")), ("Harbour", yes)], question);
    assert!(section(other.report(), "Contradictions").is_empty(), "{}", other.report());
    let elsewhere = asked(&[("Harbour", yes), ("Millbrook", no)], question);
    assert!(section(elsewhere.report(), "Contradictions").is_empty(), "{}", elsewhere.report());
}

#[test]
fn one_record_can_contradict_itself() {
    let twice = "The motor of pump 8 ran at 1450 rpm. The motor of pump 8 ran at 1480 rpm.";
    let run = asked(&[("Harbour", twice)], "How fast did the motor of pump 8 run?");
    let told = section(run.report(), "Contradictions").join("\n");
    assert!(told.contains("1450 rpm") && told.contains("1480 rpm") && told.contains("[v1]"), "{}", run.report());

    let off_the_point = asked(&[("Harbour", twice)], "Visits by site");
    assert!(section(off_the_point.report(), "Contradictions").is_empty(), "{}", off_the_point.report());
}
