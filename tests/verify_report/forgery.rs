//! Forgeries that are consistent in themselves: numbers changed everywhere, all hashes computed again.

use research_agents::dataset;
use research_agents::dataset::record::ReportFormat::ComprehensiveReport;
use research_agents::kernel::Bundle;
use research_agents::kernel::bundle::verify::Outcome;
use research_agents::kernel::bundle::{BundledSource, CheckKind};
use serde_json::Value;

use crate::runs::{STRIKES, events, file, orders, reports, strikes};
use crate::{failures, read};

/// Rewrites the report, the evidence and every hash, and leaves the recorded traffic as it is.
pub fn forge(bundle: &Bundle, change: impl Fn(&mut Value)) -> Bundle {
    let mut value = serde_json::to_value(bundle).unwrap();
    let effects = value["effects"].take();
    change(&mut value);
    value["effects"] = effects;
    let mut forged = read(&value).unwrap();
    for sealed in &mut forged.evidence.sources {
        sealed.sha256 = BundledSource::hash_of(&sealed.source);
    }
    forged.markdown = forged.report.to_markdown();
    forged.seal().unwrap();
    forged
}

/// Replaces a text in every string and a number in every number.
fn replace(value: &mut Value, text: (&str, &str), number: Option<(u64, u64)>) {
    match value {
        Value::String(own) => *own = own.replace(text.0, text.1),
        Value::Number(own) => {
            if let Some((_, to)) = number.filter(|(from, _)| own.as_u64() == Some(*from)) {
                *own = to.into();
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| replace(item, text, number)),
        Value::Object(fields) => fields.values_mut().for_each(|field| replace(field, text, number)),
        _ => {}
    }
}

/// The kinds of what does not hold.
fn broken(bundle: &Bundle) -> Vec<CheckKind> {
    let verification = dataset::verify(bundle);
    let mut kinds: Vec<CheckKind> = verification.failures().map(|check| check.kind).collect();
    kinds.dedup();
    kinds
}

/// Changes the first object in a value that fits, and says whether there was one.
fn change_first(value: &mut Value, change: &impl Fn(&mut Value) -> bool) -> bool {
    change(value)
        || match value {
            Value::Array(items) => items.iter_mut().any(|item| change_first(item, change)),
            Value::Object(fields) => fields.values_mut().any(|field| change_first(field, change)),
            _ => false,
        }
}

#[tokio::test]
async fn a_quote_that_ends_inside_a_number_or_word_is_not_what_the_source_says() {
    let bundle = file("reports.jsonl", &reports(), "What did crews see after takeoff?", ComprehensiveReport).await;
    let forged = forge(&bundle, |value| {
        let cut = |claim: &mut Value| {
            let Some(text) = claim["text"].as_str().filter(|_| claim["type"] == "quote") else { return false };
            let word = text.trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
            let cut = word[..word.len() - 1].to_owned();
            assert!(cut.ends_with(|c: char| c.is_ascii_alphanumeric()), "{cut}");
            claim["text"] = cut.into();
            true
        };
        assert!(change_first(&mut value["report"]["sections"], &cut));
    });
    assert!(broken(&forged).contains(&CheckKind::Quote), "{:?}", failures(&dataset::verify(&forged)));
}

#[tokio::test]
async fn a_statistic_that_is_rounded_is_not_the_one_that_the_records_give() {
    let question = "Net (EUR) by Region, 2nd level";
    let bundle = file("orders.csv", &orders(), question, ComprehensiveReport).await;
    for decimals in [0, 1] {
        let forged = forge(&bundle, |value| {
            let round = |claim: &mut Value| {
                let number = claim["number"].as_f64().filter(|_| claim["statistic"].is_string());
                let text = number.map(|number| format!("{number:.decimals$}"));
                match (number, text.map(|text| text.parse::<f64>().unwrap())) {
                    (Some(number), Some(rounded)) if rounded != number => {
                        claim["number"] = rounded.into();
                        true
                    }
                    _ => false,
                }
            };
            assert!(change_first(&mut value["report"]["sections"], &round), "{}", bundle.markdown);
        });
        assert!(broken(&forged).contains(&CheckKind::Number), "{:?}", failures(&dataset::verify(&forged)));
    }
}

#[tokio::test]
async fn a_marker_that_stands_in_the_words_of_a_sentence_is_none() {
    let bundle = events("India events by theme", ComprehensiveReport).await;
    let (source, table) = (&bundle.evidence.sources[0].source.id, &bundle.evidence.tables[0].id);
    for marker in [format!("[{source}]"), format!("({table})")] {
        let forged = forge(&bundle, |value| {
            let add = |sentence: &mut Value| {
                if !sentence["claims"].is_array() {
                    return false;
                }
                sentence["text"] = format!("{} {marker}", sentence["text"].as_str().unwrap()).into();
                true
            };
            assert!(change_first(&mut value["report"]["sections"], &add));
        });
        let verification = dataset::verify(&forged);
        let found: Vec<_> = verification.failures().filter(|check| check.place.contains("sentence 1")).collect();
        assert!(!found.is_empty(), "{marker}: {:?}", failures(&verification));
    }
}

#[tokio::test]
async fn a_question_is_not_planned_because_a_recorded_field_has_its_name() {
    let bundle = events("India events by theme", ComprehensiveReport).await;
    for name in ["model", "outcome", "arguments", ""] {
        let forged = forge(&bundle, |value| value["report"]["question"] = name.into());
        assert_eq!(broken(&forged).first(), Some(&CheckKind::Context), "{name}");
    }
}

#[tokio::test]
async fn what_a_source_is_cited_for_is_what_its_record_holds() {
    let bundle = strikes(STRIKES, ComprehensiveReport).await;
    let at = bundle.report.sources.iter().position(|source| !source.cited.is_empty()).unwrap();
    let id = bundle.report.sources[at].id.clone();
    type Change = fn(&mut Value);
    let changes: [(&str, Change); 3] = [
        ("changed", |cited| cited[0] = "Time of day: Dawn".into()),
        ("left out", |cited| drop(cited.as_array_mut().unwrap().pop())),
        ("added", |cited| cited.as_array_mut().unwrap().push("Damage: Total".into())),
    ];
    for (what, change) in changes {
        let forged = forge(&bundle, |value| change(&mut value["report"]["sources"][at]["cited"]));
        let verification = dataset::verify(&forged);
        let failures = failures(&verification);
        assert!(failures[0].starts_with(&format!("source [{id}]: ")), "{what}: {failures:?}");
        assert_eq!(broken(&forged), [CheckKind::Entry], "{what}: {failures:?}");
    }
}

#[tokio::test]
async fn a_count_that_is_changed_everywhere_is_not_what_the_tool_answered() {
    let bundle = events("India events by theme", ComprehensiveReport).await;
    assert!(bundle.markdown.contains("40"), "{}", bundle.markdown);
    let forged = forge(&bundle, |value| replace(value, ("40", "44"), Some((40, 44))));
    assert!(forged.markdown.contains("44") && !forged.markdown.contains("40"));
    let verification = dataset::verify(&forged);
    let table = verification.failures().find(|check| check.kind == CheckKind::Table).unwrap();
    let Outcome::Fails { why } = &table.outcome else { panic!("{table:?}") };
    assert!(why.contains("44 is stated, the recorded answer has") && why.contains(": 40"), "{why}");
    assert_eq!(verification.tally(CheckKind::Digest).fails, 0);
}

#[tokio::test]
async fn a_record_that_is_changed_everywhere_is_not_what_the_tool_answered() {
    let bundle = events("India events by theme", ComprehensiveReport).await;
    let forged = forge(&bundle, |value| replace(value, ("Mumbai", "Munich"), None));
    assert_eq!(broken(&forged).first(), Some(&CheckKind::Source));
    let verification = dataset::verify(&forged);
    assert!(failures(&verification)[0].contains("Mumbai"), "{:?}", failures(&verification));
}

#[tokio::test]
async fn a_record_that_no_tool_gave_is_found() {
    let bundle = events("India events by theme", ComprehensiveReport).await;
    let forged = forge(&bundle, |value| {
        let sources = value["evidence"]["sources"].as_array_mut().unwrap();
        let mut another = sources[0].clone();
        another["id"] = "PAG999".into();
        another["record"] = "PAG999".into();
        sources.push(another);
    });
    let verification = dataset::verify(&forged);
    let failures = failures(&verification);
    assert!(failures.iter().any(|failure| failure.contains("has the record PAG999")), "{failures:?}");
}

#[tokio::test]
async fn a_sentence_that_is_told_as_a_note_is_not_taken_for_checked() {
    let bundle = events("India events by theme", ComprehensiveReport).await;
    let before = dataset::verify(&bundle).tally(CheckKind::Words).not_covered;
    let forged = forge(&bundle, |value| {
        let sections = value["report"]["sections"].as_array_mut().unwrap();
        let note = serde_json::json!({"type": "note", "text": "There were 4711 events."});
        sections[0]["blocks"].as_array_mut().unwrap().push(note);
    });
    let verification = dataset::verify(&forged);
    assert_eq!(verification.tally(CheckKind::Words).not_covered, before + 1);
    let note = verification.checks.iter().find(|check| check.what.contains("4711")).unwrap();
    let Outcome::NotCovered { why } = &note.outcome else { panic!("{note:?}") };
    assert_eq!(why, "a line with a number that nothing here proves");
}

#[tokio::test]
async fn a_changed_sentence_quote_or_passage_is_found() {
    const SAID: &str = "The engine was inspected and no damage was found";
    let bundle = file("reports.jsonl", &reports(), "What did crews see after takeoff?", ComprehensiveReport).await;
    let quotes =
        |value: &Value| value["claims"][0]["type"] == "quote" && value["claims"].as_array().unwrap().len() == 1;
    let passage = |id: &str| {
        let sealed = bundle.evidence.sources.iter().find(|sealed| sealed.source.id == id).unwrap();
        sealed.source.text.for_code().clone()
    };

    // The sentence with one quote is carried by another part of its passage.
    let said = forge(&bundle, |value| {
        let change = |sentence: &mut Value| {
            if !quotes(sentence) || sentence["sources"].as_array().is_none_or(|ids| ids.len() != 1) {
                return false;
            }
            let id = sentence["sources"][0].as_str().unwrap().to_owned();
            let start = passage(&id).find(SAID).unwrap();
            sentence["text"] = format!("{SAID}.").into();
            sentence["claims"] = serde_json::json!([{"type": "says", "source": id, "text": SAID, "start": start}]);
            true
        };
        assert!(change_first(&mut value["report"]["sections"], &change));
    });
    assert!(dataset::verify(&said).holds(), "{:#?}", failures(&dataset::verify(&said)));

    type Change = fn(&mut Value);
    let changes: [(&str, Change); 5] = [
        ("denied", |sentence| sentence["text"] = "The engine was not inspected and no damage was found.".into()),
        ("another predicate", |sentence| sentence["text"] = "The engine was replaced and no damage was found.".into()),
        ("another quote", |sentence| {
            sentence["claims"][0]["text"] = "The engine was inspected and damage was found".into()
        }),
        ("another part", |sentence| {
            let start = sentence["claims"][0]["start"].as_u64().unwrap();
            sentence["claims"][0]["start"] = (start + 4).into();
        }),
        ("no place", |sentence| drop(sentence["claims"][0].as_object_mut().unwrap().remove("start"))),
    ];
    for (what, change) in changes {
        let forged = forge(&said, |value| {
            let change = |sentence: &mut Value| {
                let is_said = sentence["claims"][0]["type"] == "says";
                if is_said {
                    change(sentence);
                }
                is_said
            };
            assert!(change_first(&mut value["report"]["sections"], &change), "{what}");
        });
        assert!(!dataset::verify(&forged).holds(), "{what}");
    }

    let forged = forge(&said, |value| {
        let all = value["evidence"]["sources"].as_array_mut().unwrap();
        all.iter_mut().for_each(|source| replace(source, ("no damage was found", "some damage was found"), None));
    });
    assert!(!dataset::verify(&forged).holds(), "the passage");
}
