//! Citations, the entries that they lead to, and what both must not contain.

use serde_json::json;

use crate::check::failure::Failure;
use crate::claim::Statistic;
use crate::document::render::tests::*;
use crate::language::tag::Language;
use crate::text::line::Line;

/// Returns records with more fields than fit into their snippets.
fn strikes() -> Evidence {
    let mut sources = SourceRegistry::default();
    let rows = [
        ("1", json!("Night"), json!(45_004)),
        ("2", json!("Night"), json!(0)),
        ("3", json!(""), json!(null)),
    ];

    for (id, light, cost) in rows {
        let fields = json!({
            "Size": "Small",
            "Remark": "x".repeat(150),
            "Time of day": light,
            "Cost [$]": cost
        });
        let fields = Untrusted::new(fields.as_object().unwrap().clone());
        let snippet = Untrusted::new(format!(
            "Size: Small; Remark: {}; Time of d…",
            "x".repeat(150)
        ));
        sources.register(Source {
            tool: "t".into(),
            record: id.into(),
            fields,
            snippet,
            ..Source::default()
        });
    }

    Evidence {
        sources,
        tables: Vec::new(),
        ..Evidence::default()
    }
}

fn count(field: &str, value: serde_json::Value, number: u64) -> Claim {
    Claim::Count {
        over: Basis::Records,
        field: field.into(),
        value,
        number,
    }
}

#[test]
fn a_source_shows_what_it_is_cited_for() {
    let evidence = strikes();
    let checker = Checker::new(&evidence, []);
    let mut writer = ReportWriter::new(&evidence, "");
    let mut say = |text: &str, claims: Vec<Claim>| {
        writer.bullets(&[checker
            .check(&Statement {
                text: text.into(),
                claims,
            })
            .unwrap()]);
    };
    say(
        "Two were small at Night.",
        vec![count("Size,Time of day", json!(["Small", "Night"]), 2)],
    );
    say(
        "Of one the time is not given.",
        vec![count("time of day", json!(null), 1)],
    );
    let largest = Claim::Statistic {
        field: "Cost [$]".into(),
        statistic: Statistic::Max,
        number: 45_004.0,
        source: Some("1".into()),
    };
    say("The largest is 45004.", vec![largest]);
    let report = writer.finish();

    let shown: Vec<Vec<&str>> = report
        .sources
        .iter()
        .map(|source| source.cited.iter().map(Line::as_str).collect())
        .collect();
    let expected = [
        vec!["Time of day: Night", "Cost [$]: 45004"],
        vec!["Time of day: Night"],
        vec!["Time of day: (none)"],
    ];
    assert_eq!(
        shown, expected,
        "what the beginning shows is not repeated, and each value is the record's own"
    );
    assert!(
        report
            .sources
            .iter()
            .all(|source| source.snippet.as_str().chars().count() <= 160),
        "{:?}",
        report.sources
    );
    let markdown = report.to_markdown();
    assert!(
        markdown.contains("\n- [1] Time of day: Night; Cost ($): 45004 · Size: Small; Remark: xxx"),
        "{markdown}"
    );
    assert!(resolve_citations(&markdown).is_ok(), "{markdown}");
    let html = report.to_html().unwrap();
    assert!(
        html.contains("<span class=\"fields\">Time of day: Night; Cost [$]: 45004</span> · <span"),
        "{html}"
    );
    assert_eq!(
        Report::from_json(&report.to_json().unwrap()).unwrap(),
        report
    );
}

#[test]
fn records_that_are_only_examples_are_said_to_be_such() {
    let mut sources = SourceRegistry::default();

    for record in 1..=6_u32 {
        let fields = json!({"size": if record < 5 { "Small" } else { "Large" }, "cost": record});
        let fields = Untrusted::new(fields.as_object().unwrap().clone());
        sources.register(Source {
            tool: "t".into(),
            record: record.to_string(),
            fields,
            ..Source::default()
        });
    }

    let evidence = Evidence {
        sources,
        tables: Vec::new(),
        ..Evidence::default()
    };
    let (small, large) = (
        count("size", json!("Small"), 4),
        count("size", json!("Large"), 2),
    );
    let most = Claim::Statistic {
        field: "cost".into(),
        statistic: Statistic::Max,
        number: 6.0,
        source: Some("6".into()),
    };
    let written = |language: &str, text: &str, claims: &[&Claim]| {
        let language: Language = language.parse().unwrap();
        let claims = claims.iter().map(|claim| (*claim).clone()).collect();
        let statement = Statement {
            text: text.into(),
            claims,
        };
        let mut writer = ReportWriter::in_language(language, &evidence, "");
        writer.paragraph(&[Checker::in_language(language, &evidence, [])
            .check(&statement)
            .unwrap()]);
        let report = writer.finish();
        assert!(
            resolve_citations(&report.to_markdown()).is_ok(),
            "{}",
            report.to_markdown()
        );
        (report.to_markdown(), report.to_html().unwrap())
    };
    let (markdown, html) = written("en", "4 are Small.", &[&small]);

    assert!(
        markdown.contains("4 are Small, e.g. [1] [2] [3].\n"),
        "{markdown}"
    );
    assert!(
        html.contains("4 are Small, e.g. <a class=\"cite\""),
        "{html}"
    );
    assert!(
        written("de", "4 sind Small.", &[&small])
            .0
            .contains("4 sind Small, z. B. [1] [2] [3].\n")
    );

    let (markdown, _) = written("en", "2 are Large.", &[&large]);
    assert!(
        markdown.contains("2 are Large [5] [6].\n"),
        "these are all: {markdown}"
    );

    let (markdown, _) = written(
        "en",
        "The largest cost is 6; 4 are Small.",
        &[&most, &small],
    );

    assert!(
        markdown.contains("4 are Small [6] [1] [2].\n"),
        "the first one proves a claim: {markdown}"
    );
}

#[test]
fn no_rendering_shows_a_key() {
    let key = "sk-proj-0123456789abcdefghij";
    let mut sources = SourceRegistry::default();
    let mut bad = source(
        "1",
        &format!("Mail with {key}"),
        &format!("the key is {key}, ok"),
    );
    let fields = json!({"size": "Small", "note": key, "remark": "x".repeat(200)});
    bad.fields = Untrusted::new(fields.as_object().unwrap().clone());
    bad.text = Untrusted::new(format!("a fine day with {key}"));
    bad.url = Some(format!("https://example.org/?key={key}"));
    sources.register(bad);
    let mut tables = vec![table("A1", &[("Small", 2), (key, 1)])];
    tables[0].caption = format!("by size: Small 2, {key} 1");
    let evidence = Evidence {
        sources,
        tables,
        ..Evidence::default()
    };
    let checker = Checker::new(&evidence, []);
    let over = || Basis::Aggregation("A1".into());
    let quote = Claim::Quote {
        source: "1".into(),
        text: format!("a fine day with {key}"),
        start: None,
    };
    let counted = Claim::Count {
        over: over(),
        field: "size".into(),
        value: json!(key),
        number: 1,
    };

    for (text, claim) in [
        ("A fine day.", quote),
        ("It is 1.", counted),
        (
            key,
            Claim::Total {
                over: over(),
                number: 3,
            },
        ),
    ] {
        let failure = checker
            .check(&Statement {
                text: text.into(),
                claims: vec![claim],
            })
            .unwrap_err();
        assert_eq!(failure, Failure::HoldsKey, "{text}");
    }

    let mut writer = ReportWriter::new(&evidence, key).with_views([view("A1")]);
    writer.section(&format!("On {key}"));
    writer.paragraph(&[sentence(&evidence, "Small has 2.")]);
    let claims = vec![count("size", json!("Small"), 1)];
    writer.paragraph(&[checker
        .check(&Statement {
            text: "1 is Small.".into(),
            claims,
        })
        .unwrap()]);
    writer.notes(&[format!("{key} was there")]);
    let report = writer.finish();
    let renderings = [
        report.to_markdown(),
        report.to_html().unwrap(),
        report.to_json().unwrap(),
    ];

    for text in &renderings {
        assert!(
            !text.contains("sk-proj") && text.contains("the key is (key removed), ok"),
            "{text}"
        );
    }

    assert_eq!(
        report.sources[0].url, None,
        "an address with a key is none that may be linked"
    );
    assert!(
        resolve_citations(&renderings[0]).is_ok(),
        "{}",
        renderings[0]
    );
}

#[test]
fn what_is_only_quoted_keeps_its_beginning() {
    let report = small();
    assert!(
        report.sources.iter().all(|source| source.cited.is_empty()),
        "{:?}",
        report.sources
    );
}
