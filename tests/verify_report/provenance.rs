//! Where a report comes from: its question is that of the recorded run, an effect is recorded once, and what a bundle says about
//! itself is listed as not covered. A bundle of any size is verified in the time that its size takes.

use research_agents::dataset;
use research_agents::dataset::record::ReportFormat::{BulletPoints, ComprehensiveReport};
use research_agents::kernel::Bundle;
use research_agents::kernel::bundle::CheckKind;
use research_agents::kernel::bundle::verify::Outcome;
use serde_json::{Value, json};

use crate::failures;
use crate::forgery::forge;
use crate::runs::{events, file, orders};

const OTHER: &str = "Were there 4711 orders at dawn?";

/// Replaces a text wherever it stands in a value.
fn replace(value: &mut Value, from: &str, to: &str) {
    match value {
        Value::String(text) => *text = text.replace(from, to),
        Value::Array(items) => items.iter_mut().for_each(|item| replace(item, from, to)),
        Value::Object(fields) => fields.values_mut().for_each(|field| replace(field, from, to)),
        _ => {}
    }
}

#[tokio::test]
async fn another_question_is_not_that_of_the_recorded_run() {
    let question = "Orders by channel";
    let bundle = file("orders.csv", &orders(), question, ComprehensiveReport).await;
    let stated = ["question", "report", "context"];
    for (what, parts) in [
        ("the question alone", &stated[..1]),
        ("what the report states", &stated[..]),
        ("and the input", &["question", "report", "context", "input"]),
        ("and the journal", &["question", "report", "context", "journal"]),
        ("all but the prompts", &["question", "report", "context", "input", "journal"]),
    ] {
        let forged = forge(&bundle, |whole| parts.iter().for_each(|part| replace(&mut whole[*part], question, OTHER)));
        let verification = dataset::verify(&forged);
        assert!(!verification.holds(), "{what}");
        let of_the_run = verification.failures().any(|check| {
            check.kind == CheckKind::Provenance || check.what.contains("prompts") || check.kind == CheckKind::Context
        });
        assert!(of_the_run, "{what}: {:#?}", failures(&verification));
    }
}

#[tokio::test]
async fn what_a_bundle_says_about_itself_is_listed_as_not_covered() {
    let bundle = events("India events by theme", BulletPoints).await;
    let forged = forge(&bundle, |whole| {
        whole["replays"] = true.into();
        whole["program"] = json!({"name": "notary", "version": "9"});
        whole["journal"] = json!([]);
    });
    let verification = dataset::verify(&forged);
    assert!(verification.holds(), "{:#?}", failures(&verification));
    for part in ["replays", "program", "journal", "model", "settings", "input"] {
        let check = verification.checks.iter().find(|check| check.what == part);
        let outcome = check.map(|check| &check.outcome);
        assert!(matches!(outcome, Some(Outcome::NotCovered { .. })), "{part}: {outcome:?}");
    }
    let words = verification.tally(CheckKind::Words).not_covered;
    let headings = bundle.report.sections.iter().filter(|section| !section.heading.is_empty()).count();
    assert!(words > headings, "the title and each heading are listed: {words}");
}

#[tokio::test]
async fn an_effect_that_is_recorded_twice_is_found() {
    let mut bundle = events("India events by theme", BulletPoints).await;
    let copies: Vec<_> = bundle.effects.clone();
    for _ in 0..50 {
        bundle.effects.extend(copies.iter().cloned());
    }
    bundle.seal().unwrap();

    let verification = dataset::verify(&bundle);

    let twice = verification.failures().find(|check| check.kind == CheckKind::Provenance);
    assert!(twice.is_some(), "{:#?}", failures(&verification));
}

#[tokio::test]
async fn a_sentence_with_thousands_of_claims_is_refused_without_counting_them() {
    let bundle = file("orders.csv", &orders(), "Orders by channel", ComprehensiveReport).await;
    let mut whole = serde_json::to_value(&bundle).unwrap();
    let block = whole["report"]["sections"][0]["blocks"].as_array_mut().unwrap();
    let sentence = block.iter_mut().find_map(|block| block.get_mut("sentences")?.get_mut(0)).unwrap();
    let claim = sentence["claims"][0].clone();
    sentence["claims"] = vec![claim; 20_000].into();
    let mut forged: Bundle = serde_json::from_value(whole).unwrap();
    forged.markdown = forged.report.to_markdown();
    forged.seal().unwrap();

    let verification = dataset::verify(&forged);

    let failures = failures(&verification);
    assert!(failures.iter().any(|failure| failure.contains("20000 claims")), "{failures:#?}");
    assert!(verification.checks.len() < 5_000, "{} checks", verification.checks.len());
}
