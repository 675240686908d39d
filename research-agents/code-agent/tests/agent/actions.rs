//! The actions, each through a run.

use std::sync::Arc;

use futures::future::BoxFuture;
use research_agents_code::tree::RelPath;
use research_agents_code_agent::actions::{ActionRegistry, HybridSearch, VectorSearch};
use research_agents_code_agent::run::AgentConfig;
use research_agents_code_agent::run::{ActionStep, Provenance, ResearchRun};
use research_agents_code_agent::space::View;
use serde_json::{Value, json};

use crate::project::{Project, choose, finalize, script};

async fn run(project: &Project, scope: &str, action: &str, input: Value) -> ResearchRun {
    let model = script([choose(action, input), finalize("Nothing.")]);
    let agent = project.with(model, AgentConfig::default());
    agent
        .ask("A question")
        .scope(scope)
        .run()
        .await
        .unwrap()
        .run
}

async fn step(project: &Project, action: &str, input: Value) -> (ActionStep, ResearchRun) {
    let run = run(project, "", action, input).await;
    (run.steps[0].clone(), run)
}

fn span(path: &str, first: i64, last: i64) -> Value {
    json!({"file_path": path, "start_line": first, "end_line": last})
}

#[tokio::test]
async fn opened_lines_are_those_of_the_file() {
    let project = Project::new();
    project.write("crlf.txt", b"\xEF\xBB\xBFone\r\ntwo\r\nthree");

    let (_, run) = step(&project, "open_span", span("crlf.txt", 2, 9)).await;

    let lines = &run.evidence[0].lines;
    assert_eq!((lines.start_line, lines.end_line), (2, 3));
    assert_eq!(run.evidence[0].text(), "two\r\nthree");
    assert_eq!(lines.provenance, Provenance::Manual);
}

#[tokio::test]
async fn lines_that_cannot_be_opened_are_refused() {
    let project = Project::new();
    project.write("bin.dat", b"a\0b");
    project.write("long.txt", "x\n".repeat(500));
    for (path, first, last, reason) in [
        ("src/lib.rs", 90, 95, "has 26 lines"),
        ("src/lib.rs", 0, 5, "cannot be opened"),
        ("src/lib.rs", 5, 4, "cannot be opened"),
        ("long.txt", 1, 201, "at most 200"),
        ("bin.dat", 1, 1, "binary"),
        ("/etc/passwd", 1, 1, "absolute"),
        ("../x", 1, 1, "leaves the root"),
    ] {
        let (step, run) = step(&project, "open_span", span(path, first, last)).await;
        let error = step.error.unwrap_or_default();
        assert!(error.contains(reason), "{path}: {error}");
        assert!(run.evidence.is_empty());
    }
}

#[tokio::test]
async fn nothing_outside_of_the_scope_is_opened_or_found() {
    let project = Project::new();
    let opened = run(&project, "docs/**", "open_span", span("src/lib.rs", 1, 2)).await;
    assert!(
        opened.steps[0]
            .error
            .as_ref()
            .unwrap()
            .contains("outside of the scope")
    );

    let found = run(
        &project,
        "docs/**",
        "hybrid_search",
        json!({"query": "warm lookup"}),
    )
    .await;
    assert!(!found.evidence.is_empty());
    for evidence in &found.evidence {
        assert_eq!(evidence.lines.file_path.as_str(), "docs/guide.md");
    }
}

#[tokio::test]
async fn search_finds_parts_of_names_and_real_lines() {
    let project = Project::new();
    let (_, run) = step(
        &project,
        "hybrid_search",
        json!({"query": "max entries", "k": 3}),
    )
    .await;

    let best = &run.evidence[0];
    assert_eq!(best.lines.file_path.as_str(), "src/lib.rs");
    assert!(best.text().contains("MAX_ENTRIES"));
    assert!(best.lines.score.is_some() && best.lines.provenance == Provenance::Bm25);
}

struct Fixed;

impl VectorSearch for Fixed {
    fn search<'a>(
        &'a self,
        _: &'a View,
        _: &'a str,
        _: usize,
    ) -> BoxFuture<'a, Vec<(RelPath, (usize, usize), f64)>> {
        let guide = RelPath::parse("docs/guide.md").unwrap();
        let outside = RelPath::parse("nowhere.md").unwrap();
        Box::pin(async move { vec![(guide, (1, 3), 0.9), (outside, (1, 1), 0.8)] })
    }
}

#[tokio::test]
async fn rankings_of_words_and_vectors_are_fused() {
    let project = Project::new();
    let search = HybridSearch::with_vectors(Arc::new(Fixed));
    let actions = ActionRegistry::standard().with(search).build().unwrap();
    let model = script([
        choose("hybrid_search", json!({"query": "warm"})),
        finalize("Nothing."),
    ]);
    let builder = project.builder();
    let agent = builder
        .model(Arc::new(model))
        .actions(actions)
        .build()
        .unwrap();

    let run = agent.research("A question").await.unwrap();

    assert!(
        run.evidence
            .iter()
            .all(|one| one.lines.provenance == Provenance::Hybrid)
    );
    assert_eq!(run.evidence[0].lines.file_path.as_str(), "docs/guide.md");
}

#[tokio::test]
async fn the_syntax_tree_is_read() {
    let project = Project::new();

    let (outline, _) = step(&project, "ts_outline", json!({"file_path": "src/lib.rs"})).await;
    let symbols = outline.data["symbols"].as_array().unwrap();
    let cache = symbols
        .iter()
        .find(|symbol| symbol["name"] == "Cache")
        .unwrap();
    assert_eq!(
        (&cache["kind"], &cache["lines"]),
        (&json!("struct"), &json!([5, 7]))
    );
    assert!(
        cache["docstring"]
            .as_str()
            .unwrap()
            .contains("Keeps numbers")
    );

    let input = json!({"file_path": "src/lib.rs", "name": "lookup"});
    let (_, found) = step(&project, "ts_find_symbol", input).await;
    let lines = &found.evidence[0].lines;
    assert_eq!((lines.start_line, lines.end_line), (16, 21));
    assert_eq!(lines.symbol_id.as_deref(), Some("src/lib.rs::lookup"));
    assert_eq!(lines.provenance, Provenance::Treesitter);

    let input = json!({"file_path": "src/lib.rs", "line": 24});
    let (enclosing, _) = step(&project, "ts_enclosing_symbol", input).await;
    assert_eq!(enclosing.data["name"], "warm");

    let (none, _) = step(
        &project,
        "ts_outline",
        json!({"file_path": "docs/guide.md"}),
    )
    .await;
    assert!(none.error.unwrap().contains("language"));
}

#[tokio::test]
async fn the_graph_expands_packs_and_traces() {
    let project = Project::new();

    let input = json!({"seeds": ["lookup"], "edge_types": ["calls"], "depth": 9});
    let (expanded, _) = step(&project, "graph_expand", input).await;
    let edges = expanded.data["edges"].as_array().unwrap();
    let calls = |from: &str| {
        edges
            .iter()
            .any(|edge| edge["from"] == from && edge["to"] == "src/lib.rs::lookup")
    };
    assert!(calls("src/lib.rs::warm"), "{edges:?}");
    assert_eq!(expanded.data["notes"], json!(["depth 9 was set to 3"]));

    let (packed, _) = step(&project, "graph_pack", json!({"target_count": 2})).await;
    let nodes = packed.data["nodes"].as_array().unwrap();
    assert_eq!(nodes.len(), 2);
    assert!(
        nodes[0]["reasons"][0]
            .as_str()
            .unwrap()
            .contains("connections")
    );

    let input = json!({"from_symbol": "get", "to_symbol": "lookup"});
    let (_, traced) = step(&project, "graph_trace", input).await;
    assert_eq!(traced.evidence[0].lines.start_line, 12);
    assert_eq!(traced.evidence[0].lines.provenance, Provenance::Graph);

    let input = json!({"from_symbol": "lookup", "to_symbol": "warm"});
    let (nothing, _) = step(&project, "graph_trace", input).await;
    assert_eq!(nothing.output_summary, "no path within five steps");
}

#[tokio::test]
async fn a_memo_is_not_evidence() {
    let project = Project::new();
    let memo = json!({
        "summary": "s", "key_findings": ["f"], "relevant_files": ["src/lib.rs"], "gaps": [],
    });
    let model = script([
        crate::project::open(1, 2),
        choose("summarize_evidence", json!({"goal": "g"})),
        memo.to_string(),
        finalize("Nothing."),
    ]);

    let run = project
        .with_model(model)
        .research("A question")
        .await
        .unwrap();

    assert_eq!(run.steps[1].data["relevant_files"], json!(["src/lib.rs"]));
    assert!(run.steps[1].evidence_ids.is_empty() && run.evidence.len() == 1);
}

#[tokio::test]
async fn without_a_language_server_the_result_says_so() {
    let project = Project::new();
    let place = json!({"file_path": "src/lib.rs", "line": 1, "column": 0});
    for (action, input) in [
        ("lsp_definition", place.clone()),
        ("lsp_references", place.clone()),
        ("lsp_hover", place),
        ("lsp_diagnostics", json!({"file_paths": ["src/lib.rs"]})),
    ] {
        let (step, run) = step(&project, action, input).await;
        assert!(step.error.unwrap().contains("language server"), "{action}");
        assert_eq!(run.steps[1].action, "finalize");
    }
}

#[tokio::test]
async fn ids_have_no_gaps_and_repeated_lines_keep_theirs() {
    let project = Project::new();
    let model = script([
        crate::project::open(1, 2),
        crate::project::open(1, 2),
        crate::project::open(2, 3),
        finalize("Nothing."),
    ]);

    let run = project
        .with_model(model)
        .research("A question")
        .await
        .unwrap();

    let short = run.run_id.short();
    let ids: Vec<String> = run.evidence.iter().map(|one| one.id.clone()).collect();
    assert_eq!(ids, [format!("ev-{short}-001"), format!("ev-{short}-002")]);
    assert_eq!(run.steps[1].evidence_ids, [ids[0].clone()]);
}
