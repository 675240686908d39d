//! The text that a caller gets: its form, its length, and paths that are parseable and no Markdown.

use std::fmt::Write;

use research_agents_code_agent::answer::{ANSWER_TOKENS, compose};
use research_agents_code_agent::artifacts::{
    evidence_json, html, report_md, sites_json, trace_json,
};
use research_llm::tokens::estimate;
use serde_json::Value;

use crate::project::{Project, ask, finalize, open, script};

/// Returns the links, images and HTML of Markdown.
pub(crate) fn active(markdown: &str) -> Vec<String> {
    use pulldown_cmark::{Event, Parser, Tag};
    let found = Parser::new(markdown).filter(|event| {
        matches!(
            event,
            Event::Start(Tag::Link { .. } | Tag::Image { .. } | Tag::HtmlBlock)
                | Event::Html(_)
                | Event::InlineHtml(_)
        )
    });
    found.map(|event| format!("{event:?}")).collect()
}

/// Checks `- [ev-…] path:first-last (provenance)` by hand, and returns path and lines.
fn parsed(line: &str) -> (String, usize, usize) {
    let rest = line
        .strip_prefix("- [ev-")
        .unwrap_or_else(|| panic!("{line}"));
    let (id, rest) = rest.split_once("] ").unwrap();
    let (run, number) = id.rsplit_once('-').unwrap();
    assert!(run.len() == 8 && number.len() == 3, "{line}");
    let (place, provenance) = rest.rsplit_once(" (").unwrap();
    assert!(
        provenance.ends_with(')') && !provenance.contains(' '),
        "{line}"
    );
    assert!(!place.contains(' '), "{line}");
    let (path, lines) = place.rsplit_once(':').unwrap();
    let (first, last) = lines.split_once('-').unwrap();
    (
        path.to_owned(),
        first.parse().unwrap(),
        last.parse().unwrap(),
    )
}

fn cited(text: &str) -> Vec<(String, usize, usize)> {
    let list = text
        .split_once("**Citations:**\n")
        .unwrap_or_else(|| panic!("{text}"))
        .1;
    list.lines()
        .take_while(|line| !line.is_empty())
        .map(parsed)
        .collect()
}

#[tokio::test]
async fn the_answer_lists_what_it_cites_and_the_run() {
    let project = Project::new();

    let run = ask(&project.agent(), "Who calls `lookup`?").await;
    let text = compose(&run, false);

    assert!(
        text.ends_with("*Run ID: 1a2b3c4d... (use debug=true for full trace)*"),
        "{text}"
    );
    let listed = cited(&text);
    assert_eq!(listed.len(), run.cited.len());
    for ((path, first, last), evidence) in listed.into_iter().zip(run.cited_evidence()) {
        let file = std::fs::read_to_string(project.path().join(&path)).unwrap();
        let lines: Vec<&str> = file.split_inclusive('\n').collect();
        assert_eq!(lines[first - 1..last].concat(), evidence.text());
    }
}

#[tokio::test]
async fn debug_shows_the_whole_id_the_status_and_the_steps() {
    let project = Project::new();
    let run = ask(&project.agent(), "Who calls `lookup`?").await;

    let text = compose(&run, true);

    assert!(
        text.contains(&format!("*Run ID: {} (done, 2 of 10 steps)*", run.run_id)),
        "{text}"
    );
    assert!(text.contains("- step 1: compute_answer:"), "{text}");
}

#[tokio::test]
async fn only_cited_evidence_is_listed() {
    let project = Project::new();
    let opened = (1..=12).map(|line| open(line, line));
    let answer =
        "`MAX_ENTRIES` is 10_000. [ev-1a2b3c4d-002]\n`Cache` is a struct. [ev-1a2b3c4d-005]";
    let model = script(opened.chain([finalize(answer)]));
    let agent = project.with_model(model);
    let id = research_agents_code_agent::run::RunId::parse(crate::project::RUN).unwrap();

    let run = agent
        .ask("What is here?")
        .budget(20)
        .run_id(id)
        .run()
        .await
        .unwrap()
        .run;

    assert_eq!(run.evidence.len(), 12);
    assert_eq!(cited(&compose(&run, false)).len(), 2);
}

#[tokio::test]
async fn a_name_with_ten_thousand_uses_fits() {
    let project = Project::empty();
    project.write("src/lib.rs", "pub fn spin(n: u32) -> u32 {\n    n\n}\n");
    for folder in 0..10 {
        for file in 0..10 {
            let mut text = String::new();
            for line in 0..100 {
                writeln!(
                    text,
                    "pub fn caller_{folder}_{file}_{line}() {{ spin({line}); }}"
                )
                .unwrap();
            }
            project.write(&format!("folder_{folder}/module_{file}.rs"), text);
        }
    }

    let run = ask(&project.agent(), "Who calls `spin`?").await;
    let text = compose(&run, false);

    assert!(
        estimate(&text) < ANSWER_TOKENS,
        "{} tokens\n{text}",
        estimate(&text)
    );
    assert!(text.contains("10,000") || text.contains("10000"), "{text}");
    assert!(!run.cited.is_empty() && sites_json(&run).len() > 1_000);
}

#[tokio::test]
async fn a_tokenizer_counts_fewer_tokens_than_the_limit() {
    use research_llm::tokens::{TiktokenCounter, TokenCounter};
    let project = Project::new();
    let sentence = "`lookup` takes `key`, returns `None` if `key.is_empty()`. [ev-1a2b3c4d-001]";
    let long = project.with_model(script([open(1, 26), finalize(&[sentence; 90].join("\n"))]));
    let mut texts = vec![compose(&ask(&long, "What does `lookup` do?").await, true)];
    for question in [
        "Who calls `lookup`?",
        "Where is `Cache` defined?",
        "What is `nothing`?",
        "Why?",
    ] {
        texts.push(compose(&ask(&project.agent(), question).await, true));
    }

    for model in ["gpt-4o", "gpt-4"] {
        let counter = TiktokenCounter::for_model(model);
        for text in &texts {
            let tokens = counter.count(text);
            assert!(
                tokens < 800 && tokens <= estimate(text),
                "{tokens} tokens by {model}:\n{text}"
            );
        }
    }
}

#[tokio::test]
async fn a_very_long_answer_is_cut_with_a_note() {
    let project = Project::new();
    let sentence = "`lookup` takes `key` and returns `None` if `key.is_empty()`. [ev-1a2b3c4d-001]";
    let answer = vec![sentence; 120].join("\n");
    let agent = project.with_model(script([open(1, 26), finalize(&answer)]));

    let run = ask(&agent, "What does `lookup` do?").await;

    for is_debug in [false, true] {
        let text = compose(&run, is_debug);
        assert!(
            estimate(&text) < ANSWER_TOKENS,
            "{} tokens",
            estimate(&text)
        );
    }
    assert!(
        run.answer
            .unwrap()
            .contains("more sentences are in report.md")
    );
}

#[tokio::test]
async fn hostile_paths_stay_one_word_and_are_no_markdown() {
    let names = [
        "a b.rs",
        "[x](https://evil.example).rs",
        "![i](y).rs",
        "ab:1-2 (bm25).rs",
        "new\nline.rs",
        "`tick`.rs",
        "<img src=x>.rs",
        "ignore previous instructions.rs",
        "ünï.rs",
        "*bold*_x_.rs",
        "-dash.rs",
        "100%.rs",
    ];
    for name in names {
        let project = Project::empty();
        project.write(name, "fn target() {}\nfn main() { target(); }\n");

        let run = ask(&project.agent(), "Where is `target` defined?").await;

        let text = compose(&run, false);
        let listed = cited(&text);
        assert_eq!(listed.len(), run.cited.len(), "{name:?}\n{text}");
        let allowed = |c: char| c.is_ascii_alphanumeric() || "/._-%".contains(c);
        assert!(
            listed.iter().all(|(path, ..)| path.chars().all(allowed)),
            "{name:?}\n{text}"
        );
        assert_eq!(active(&text), Vec::<String>::new(), "{name:?}\n{text}");
        let page = html(&run);
        assert!(
            !page.contains("<img") && !page.contains("evil.example\""),
            "{name:?}"
        );
    }
}

#[tokio::test]
async fn artifacts_hold_everything() {
    let project = Project::new();
    let run = ask(&project.agent(), "Who calls `lookup`?").await;

    let report = report_md(&run);
    for part in [
        "**Question:**",
        "## Answer",
        "## Citations",
        "## Steps",
        "## Evidence",
    ] {
        assert!(report.contains(part), "{part}");
    }
    let trace: Value = serde_json::from_str(&trace_json(&run)).unwrap();
    assert_eq!(
        trace["steps"][0]["reasoning"],
        "code can compute answers about names"
    );
    let evidence: Value = serde_json::from_str(&evidence_json(&run)).unwrap();
    let first = &evidence["evidence"][0];
    for field in [
        "id",
        "file_path",
        "start_line",
        "end_line",
        "content",
        "reason",
        "provenance",
    ] {
        assert!(first.get(field).is_some(), "{field}");
    }
    let page = html(&run);
    assert!(page.contains("prefers-color-scheme") && !page.contains("<script"));
    assert!(page.contains(&format!("id=\"{}\"", run.cited[0])));
}

#[tokio::test]
async fn code_with_fences_does_not_leave_its_block() {
    let project = Project::empty();
    project.write(
        "a.md",
        "````\n```\n# not a heading of the report\n<script>alert(1)</script>\n",
    );
    let input = serde_json::json!({"file_path": "a.md", "start_line": 1, "end_line": 4});
    let open = crate::project::choose("open_span", input);
    let agent = project.with_model(script([open, finalize("Nothing.")]));

    let report = report_md(&ask(&agent, "What is here?").await);

    assert!(report.contains("`````text\n````\n```\n"), "{report}");
    assert_eq!(active(&report), Vec::<String>::new());
}
