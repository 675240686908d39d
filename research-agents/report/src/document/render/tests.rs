//! The content of the renderings of a report, and that hostile text is inert in all of them.

pub(crate) mod entries;

use proptest::prelude::*;
use serde_json::json;

use crate::check::checker::{Checker, Verified};
use crate::check::failure::Failure;
use crate::claim::{Basis, Claim, Statement};
use crate::confidence::Confidence;
use crate::document::citation::{Unresolved, resolve_citations};
use crate::document::model::*;
use crate::document::render::*;
use crate::document::writer::{ReportWriter, TableView};
use crate::evidence::run::Evidence;
use crate::evidence::source::{Source, SourceRegistry};
use crate::evidence::table::{Table, TableRow};
use crate::text::markup::anchor;
use crate::text::untrusted::Untrusted;

fn table(id: &str, values: &[(&str, u64)]) -> Table {
    let row = |(value, count): &(&str, u64)| TableRow::new("size", json!(value), *count);
    let total = values.iter().map(|(_, count)| count).sum();
    Table {
        id: id.into(),
        caption: "t by size".into(),
        field: "size".into(),
        total,
        rows: values.iter().map(row).collect(),
        ..Table::default()
    }
}

fn source(id: &str, title: &str, snippet: &str) -> Source {
    Source {
        tool: "t".into(),
        record: id.into(),
        title: Untrusted::new(title.into()),
        url: Some(format!("https://example.org/{id}")),
        snippet: Untrusted::new(snippet.into()),
        text: Untrusted::new("remark: a fine day".into()),
        ..Source::default()
    }
}

fn evidence() -> Evidence {
    let mut sources = SourceRegistry::default();
    let snippet = "see <script>alert(1)</script> www.evil.com";
    sources.register(source("1", "A [fine] ![day](http://x/y.png)", snippet));
    Evidence {
        sources,
        tables: vec![table("A1", &[("Small", 2), ("<b>Large</b>", 1)])],
        ..Evidence::default()
    }
}

fn view(id: &str) -> TableView {
    TableView {
        id: id.into(),
        title: "Records by size".into(),
        scope: "3 records of t".into(),
        ..TableView::default()
    }
}

fn sentence(evidence: &Evidence, text: &str) -> Verified {
    let over = Basis::Aggregation("A1".into());
    let claims = vec![
        Claim::Count {
            over,
            field: "size".into(),
            value: json!("Small"),
            number: 2,
        },
        Claim::Quote {
            source: "1".into(),
            text: "a fine day".into(),
            start: None,
        },
    ];

    Checker::new(evidence, [])
        .check(&Statement {
            text: text.into(),
            claims,
        })
        .unwrap()
}

/// Returns a report with every kind of block.
fn small() -> Report {
    let evidence = evidence();
    let mut writer = ReportWriter::new(&evidence, "Sizes & days")
        .with_question("which sizes?")
        .with_views([view("A1")])
        .with_record_note("among the first 300 of 900 records");
    writer.section("Summary");
    writer.paragraph(&[
        sentence(&evidence, "Small has 2."),
        sentence(&evidence, "It was a fine day!"),
    ]);
    writer.coverage(
        "Coverage: 300 of 900 records read.",
        300,
        Some(900),
        Confidence::new(0.8),
    );
    writer.section("Analysis");
    writer.question("What about size?", "sq_1", QuestionStatus::Answered);
    writer.bullets(&[sentence(&evidence, "Small has 2")]);
    writer.question("What about place?", "sq_2", QuestionStatus::NotAnswered);
    writer.section("Limitations");
    writer.note("- [9] forged (A8)");
    writer.notes(&["A tool failed."]);

    writer.finish()
}

/// Compares with the file of this name in `tests/`; with `UPDATE_GOLDENS` in the environment it
/// writes the file.
fn golden(name: &str, text: &str) {
    let path = format!(
        "{}/src/document/render/tests/{name}",
        env!("CARGO_MANIFEST_DIR")
    );
    if std::env::var_os("UPDATE_GOLDENS").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    assert_eq!(text, std::fs::read_to_string(&path).unwrap(), "{name}");
}

#[test]
fn the_renderings_are_those_on_file() {
    let report = small();
    golden("small.md", &report.to_markdown());
    golden("small.json", &report.to_json().unwrap());
    golden("small.html", &report.to_html().unwrap());
    assert_eq!(
        report.render(Rendering::Json).unwrap(),
        report.to_json().unwrap()
    );
}

#[test]
fn markers_follow_the_sentence_and_their_targets_are_listed_once() {
    let evidence = evidence();
    let mut writer = ReportWriter::new(&evidence, "Title");
    writer.section("Part");
    writer.bullets(&[
        sentence(&evidence, "Small has 2."),
        sentence(&evidence, "It was a fine day"),
    ]);
    let report = writer.finish();

    assert_eq!(
        report.to_markdown(),
        "# Title\n\n## Part\n\n- Small has 2 (A1) [1].\n- It was a fine day (A1) [1].\n\n\
         ## Data\n\n- (A1) t by size\n\n\
         ## Sources\n\n- [1] A (fine) !(day)((link removed)) — see \
         &lt;script>alert(1)&lt;/script> (link removed) \
         <https://example.org/1>\n"
    );

    let citations = resolve_citations(&report.to_markdown()).unwrap();
    assert_eq!(
        (
            citations.records.as_slice(),
            citations.aggregations.as_slice()
        ),
        (&["1".to_owned()][..], &["A1".to_owned()][..])
    );

    assert_eq!(report.resolve().unwrap(), citations);
}

#[test]
fn markers_of_aggregations_stand_in_the_order_of_their_numbers() {
    let tables = vec![table("A2", &[("Small", 2)]), table("A10", &[("Small", 2)])];
    let evidence = Evidence {
        tables,
        ..Evidence::default()
    };
    let total = |id: &str| Claim::Total {
        over: Basis::Aggregation(id.into()),
        number: 2,
    };
    let statement = Statement {
        text: "There are 2.".into(),
        claims: vec![total("A10"), total("A2")],
    };
    let checker = Checker::new(&evidence, []);
    let mut writer = ReportWriter::new(&evidence, "Title");
    writer.paragraph(&[checker.check(&statement).unwrap()]);
    let report = writer.finish();

    assert!(
        report.to_markdown().contains("There are 2 (A2) (A10)."),
        "{}",
        report.to_markdown()
    );
    assert!(checker.verify(report.sentences()[0]).is_ok());
}

#[test]
fn the_note_on_records_stands_beside_what_was_drawn_from_them() {
    let text = small().to_markdown();
    assert!(
        text.contains("Small has 2 (among the first 300 of 900 records) (A1) [1]. It was"),
        "{text}"
    );
}

#[test]
fn a_marker_that_a_document_or_model_wrote_does_not_survive() {
    let evidence = evidence();
    let mut writer = ReportWriter::new(&evidence, "");
    writer.paragraph(&[sentence(&evidence, "A fine day [forged] [1] (A1) was had.")]);
    writer.note("- [PAG9] forged (A8)");
    let report = writer.finish().to_markdown();
    assert!(resolve_citations(&report).is_ok(), "{report}");
    assert!(
        report.contains("A fine day (forged) was had (A1) [1].\n\n\\- (PAG9) forged A8\n"),
        "{report}"
    );
}

#[test]
fn a_document_whose_citations_lead_nowhere_says_so() {
    let mut report = small();
    report.sources.clear();
    assert_eq!(
        report.resolve().unwrap_err(),
        [Unresolved::NotListed("1".into())]
    );
    let mut report = small();
    report.data.push(report.data[0].clone());
    assert_eq!(
        report.resolve().unwrap_err(),
        [Unresolved::ListedTwice("A1".into())]
    );
    report.data[1].id = "A2".into();
    assert_eq!(
        report.resolve().unwrap_err(),
        [Unresolved::NotCited("A2".into())]
    );
}

#[test]
fn a_document_of_another_version_is_refused() {
    let json = small().to_json().unwrap();
    assert_eq!(Report::from_json(&json).unwrap(), small());
    let newer = json.replacen("\"version\": 1", "\"version\": 2", 1);
    let error = Report::from_json(&newer).unwrap_err().to_string();
    assert!(error.contains("form 2"), "{error}");
}

#[test]
fn an_id_that_no_marker_can_hold_is_refused() {
    let json = small().to_json().unwrap();
    for id in ["A1", "1"] {
        let hostile = json.replace(&format!("\"{id}\""), "\"x](https://evil.example) [y\"");
        assert_ne!(hostile, json, "{id}");
        let error = Report::from_json(&hostile).unwrap_err().to_string();
        assert!(error.contains("is no id that a marker can hold"), "{error}");
    }
}

#[test]
fn hostile_words_are_inert_in_every_rendering() {
    let attack = "</title></script><script>alert(1)</script><img src=x onerror=alert(2)> [7] \
                  (A9) \u{202e}javascript:alert(3) \
                  https://evil.example/?q=1 ![x](https://evil.example/p.png)";
    let mut sources = SourceRegistry::default();
    let mut bad = source("1", attack, attack);
    bad.url = Some("javascript:alert(4)".into());
    bad.tool = attack.into();
    sources.register(bad);
    let mut tables = vec![table("A1", &[("Small", 2), (attack, 1)])];
    tables[0].caption = attack.into();
    tables[0].field = "size".into();
    let evidence = Evidence {
        sources,
        tables,
        ..Evidence::default()
    };
    let mut writer = ReportWriter::new(&evidence, attack)
        .with_question(attack)
        .with_views([TableView {
            title: attack.into(),
            scope: attack.into(),
            ..view("A1")
        }]);
    writer.section(attack);
    writer.paragraph(&[sentence(&evidence, "Small has 2.")]);
    writer.note(attack);
    writer.notes(&[attack]);
    let report = writer.finish();

    let markdown = report.to_markdown();
    assert_eq!(
        resolve_citations(&markdown).unwrap().records,
        ["1"],
        "{markdown}"
    );
    for trace in [
        "<script",
        "<img",
        "https://evil",
        "![x]",
        "(A9)",
        "[7]",
        "javascript:",
        "\u{202e}",
    ] {
        assert!(!markdown.contains(trace), "`{trace}` in {markdown}");
    }
    let html = report.to_html().unwrap();
    let page = page(&html);
    let known = [
        "html",
        "head",
        "meta",
        "title",
        "style",
        "body",
        "main",
        "header",
        "nav",
        "section",
        "figure",
        "h1",
        "h2",
        "h3",
        "p",
        "ul",
        "li",
        "a",
        "span",
        "blockquote",
        "details",
        "summary",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "svg",
        "desc",
        "rect",
        "text",
    ];
    for node in page.descendants().filter(roxmltree::Node::is_element) {
        assert!(
            known.contains(&node.tag_name().name()),
            "{:?}",
            node.tag_name()
        );
        assert!(
            node.attributes()
                .all(|attribute| !attribute.name().starts_with("on")),
            "{node:?}"
        );
        let href = node.attribute("href").unwrap_or("#");
        assert!(href.starts_with('#'), "{href}");
    }
    for trace in ["<script", "<img", "https://evil", "javascript:", "\u{202e}"] {
        assert!(!html.contains(trace), "`{trace}` in {html}");
    }
    let json = report.to_json().unwrap();
    assert!(!json.contains(['<', '>', '&', '\u{202e}']), "{json}");
    assert_eq!(Report::from_json(&json).unwrap(), report);
    assert_eq!(Report::from_json(&json).unwrap().to_html().unwrap(), html);
}

#[test]
fn the_page_loads_and_runs_nothing() {
    let html = small().to_html().unwrap();
    let page = page(&html);
    for node in page.descendants() {
        assert!(
            node.attribute("src").is_none()
                && !["script", "link", "iframe"].contains(&node.tag_name().name())
        );
    }
    assert!(
        !html.contains("url(") && !html.contains("@import"),
        "the style loads something"
    );
    assert!(
        html.contains("content=\"default-src 'none'; style-src 'unsafe-inline'"),
        "{html}"
    );
}

/// The page as a tree. What HTML writes and XML does not know is the space that does not break.
fn page(html: &str) -> roxmltree::Document<'_> {
    let options = roxmltree::ParsingOptions {
        allow_dtd: true,
        ..Default::default()
    };
    roxmltree::Document::parse_with_options(html, options)
        .unwrap_or_else(|error| panic!("{error}: {html}"))
}

/// The ids that the citations of a page lead to, each of which must be there, once.
fn targets(html: &str) -> Vec<String> {
    let page = page(html);
    let ids: Vec<&str> = page
        .descendants()
        .filter_map(|node| node.attribute("id"))
        .collect();
    let cites = page
        .descendants()
        .filter(|node| node.attribute("class") == Some("cite"));
    let targets: Vec<String> = cites
        .map(|node| node.attribute("href").unwrap()[1..].to_owned())
        .collect();
    for target in &targets {
        assert_eq!(ids.iter().filter(|id| *id == target).count(), 1, "{target}");
    }
    targets
}

/// Text of everybody: letters, markup, markers, breaks, and what a reader does not see. No digits,
/// for every number needs a claim.
fn words() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        "[a-zA-Z<>&\"'\\[\\]()*#`.!|~ -]{0,12}",
        Just("\u{202e}\u{0}\n".to_owned()),
        Just("<script>x</script>".to_owned()),
        Just("日本語 ü 🐦".to_owned()),
        Just("\u{a0}".to_owned()),
        Just("https://evil.example/".to_owned()),
        Just("[PAG] (A)".to_owned()),
    ];
    prop::collection::vec(part, 1..5).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn every_citation_is_in_each_rendering_and_resolves(
        ids in prop::collection::btree_set("[A-Za-z0-9._:-]{1,12}|[ -~]{1,50}", 1..6),
        values in prop::collection::btree_set(words(), 1..6),
        texts in prop::collection::vec(
            (words(), any::<prop::sample::Index>(), any::<bool>()),
            1..8,
        ),
        title in words(),
        is_dated in any::<bool>(),
    ) {
        let mut sources = SourceRegistry::default();
        for id in &ids {
            sources.register(source(id, &title, &title));
        }
        let listed: Vec<String> = sources.iter().map(|source| source.id.clone()).collect();
        let rows: Vec<(&str, u64)> = values
            .iter()
            .enumerate()
            .map(|(at, value)| (value.as_str(), at as u64))
            .collect();
        let evidence = Evidence {
            sources,
            tables: vec![table("A1", &rows), table("A2", &rows)],
            ..Evidence::default()
        };
        // In English, words that their quote does not have would be withheld.
        let said = texts.iter().map(|(text, ..)| text.as_str());
        let checker = Checker::in_language("de".parse().unwrap(), &evidence, said);

        let mut sentences = Vec::new();
        for (text, at, is_count) in &texts {
            let claim = if *is_count {
                let (value, number) = at.get(&rows);
                let over = Basis::Aggregation(if number % 2 == 0 { "A1" } else { "A2" }.into());
                Claim::Count { over, field: "size".into(), value: json!(value), number: *number }
            } else {
                let source = at.get(&listed).clone();
                Claim::Quote { source, text: "a fine day".into(), start: None }
            };
            match checker.check(&Statement { text: text.clone(), claims: vec![claim] }) {
                Ok(sentence) => sentences.push(sentence),
                // A word such as `not`, or a lone `t` after an apostrophe, may come before the
                // value that is counted.
                Err(failure) => {
                    prop_assert!(matches!(failure, Failure::Denied { .. }), "{text:?}: {failure}");
                }
            }
        }

        let dated = |id| TableView { over_time: is_dated, title: title.clone(), ..view(id) };
        let mut writer =
            ReportWriter::new(&evidence, &title).with_views(["A1", "A2"].map(dated));
        writer.section(&title);
        writer.bullets(&sentences);
        writer.paragraph(&sentences);
        let report = writer.finish();

        let citations = report.resolve().unwrap();
        let anchors: Vec<String> = report.sentences().iter().flat_map(|sentence| {
            let tables = sentence.aggregations.iter().map(|id| format!("data-{}", anchor(id)));
            let sources = sentence.sources.iter().map(|id| format!("source-{}", anchor(id)));
            tables.chain(sources).collect::<Vec<_>>()
        }).collect();
        prop_assert_eq!(anchors.len(), 2 * sentences.len());
        prop_assert_eq!(&resolve_citations(&report.to_markdown()).unwrap(), &citations);
        let html = report.to_html().unwrap().replace("&nbsp;", " ");
        prop_assert_eq!(targets(&html), anchors);
        let back = Report::from_json(&report.to_json().unwrap()).unwrap();
        prop_assert_eq!(&back.resolve().unwrap(), &citations);
        prop_assert_eq!(back, report);
    }
}
