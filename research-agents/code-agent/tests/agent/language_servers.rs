//! Language servers as real processes: what they answer is checked, and how they misbehave is told.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use research_agents_code_agent::lsp::{ServerSpec, Servers, SpecError};
use research_agents_code_agent::run::{ActionStep, AgentConfig, Provenance, ResearchRun};
use serde_json::{Value, json};

use crate::project::{LIB, Project, choose, finalize, script};

/// Returns the absolute path of the Python that the search path has.
fn python() -> PathBuf {
    let path = std::env::var_os("PATH").unwrap();
    let found = std::env::split_paths(&path).map(|folder| folder.join("python3"));
    found.into_iter().find(|program| program.is_file()).unwrap()
}

fn spec(mode: &str) -> ServerSpec {
    let server = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agent/language_server.py");
    let arguments = [server.to_string_lossy().into_owned(), mode.to_owned()];
    ServerSpec::new(["rs".to_owned()], python(), arguments).unwrap()
}

async fn step(
    project: &Project,
    servers: &Servers,
    action: &str,
    input: Value,
) -> (ActionStep, ResearchRun) {
    let config = AgentConfig {
        action_timeout_seconds: 20,
        ..AgentConfig::default()
    };
    step_within(project, servers, action, input, config).await
}

async fn step_within(
    project: &Project,
    servers: &Servers,
    action: &str,
    input: Value,
    config: AgentConfig,
) -> (ActionStep, ResearchRun) {
    let model = script([choose(action, input), finalize("Nothing.")]);
    let builder = project.builder().config(config);
    let agent = builder
        .model(Arc::new(model))
        .language_servers(servers.clone())
        .build()
        .unwrap();
    let run = agent.research("A question").await.unwrap();
    (run.steps[0].clone(), run)
}

fn place(line: usize, column: usize) -> Value {
    json!({"file_path": "src/lib.rs", "line": line, "column": column})
}

/// The lines of the sample that have the name.
const LINES: [usize; 4] = [12, 16, 24, 25];

fn lines(run: &ResearchRun) -> Vec<usize> {
    run.evidence
        .iter()
        .map(|evidence| evidence.lines.start_line)
        .collect()
}

#[tokio::test]
async fn references_are_evidence_with_their_provenance() {
    let project = Project::new();
    for mode in ["normal", "utf16", "late", "asks", "floods"] {
        let servers = Servers::new([spec(mode)]);
        let (step, run) = step(&project, &servers, "lsp_references", place(16, 3)).await;

        assert_eq!(step.error, None, "{mode}");
        assert_eq!(lines(&run), LINES, "{mode}");
        assert!(
            run.evidence
                .iter()
                .all(|one| one.lines.provenance == Provenance::Lsp)
        );
        assert_eq!(step.data["is_early"], false, "{mode}");
    }
}

#[tokio::test]
async fn columns_are_converted_in_a_line_that_is_not_ascii() {
    let project = Project::empty();
    project.write(
        "src/lib.rs",
        format!("{LIB}fn größe() {{ let _ = (\"🙂\", lookup(\"\")); }}\n"),
    );
    for mode in ["normal", "utf16"] {
        let servers = Servers::new([spec(mode)]);
        let (step, run) = step(&project, &servers, "lsp_definition", place(27, 27)).await;
        assert_eq!(step.error, None);
        assert_eq!(lines(&run), [12], "{mode}: {step:?}");
    }
}

#[tokio::test]
async fn places_outside_of_the_code_base_are_counted_and_not_read() {
    let project = Project::new();
    project.write(".env", "SECRET=1\n");
    let servers = Servers::new([spec("outside")]);

    let (step, run) = step(&project, &servers, "lsp_references", place(16, 3)).await;

    assert_eq!(lines(&run), LINES);
    assert_eq!(step.data["outside"], 5);
}

#[tokio::test]
async fn a_server_that_dies_is_reported_and_started_again() {
    let project = Project::new();
    let servers = Servers::new([spec("dies")]);
    for _ in 0..2 {
        let (step, run) = step(&project, &servers, "lsp_references", place(16, 3)).await;
        assert_eq!(step.error.as_deref(), Some("the language server ended"));
        assert_eq!(run.steps[1].action, "finalize");
        let (hover, _) = self::step(&project, &servers, "lsp_hover", place(16, 3)).await;
        assert_eq!(hover.error, None);
    }
}

#[tokio::test]
async fn a_server_that_hangs_costs_its_step_only() {
    let project = Project::new();
    let servers = Servers::new([spec("hangs")]);
    let config = AgentConfig {
        action_timeout_seconds: 3,
        ..AgentConfig::default()
    };

    let (step, run) = step_within(&project, &servers, "lsp_references", place(16, 3), config).await;

    assert_eq!(
        step.error.as_deref(),
        Some("the action took longer than 3 seconds")
    );
    assert_eq!(run.steps[1].action, "finalize");
}

#[tokio::test]
async fn hovers_and_problems_are_data() {
    let project = Project::new();
    let servers = Servers::new([spec("normal")]);

    let (hover, run) = step(&project, &servers, "lsp_hover", place(16, 3)).await;
    assert!(hover.data["hover"].as_str().unwrap().contains("PWNED"));
    assert!(!run.answer.unwrap().contains("PWNED"));

    let files = json!({"file_paths": ["src/lib.rs"]});
    let (found, run) = step(&project, &servers, "lsp_diagnostics", files).await;
    assert_eq!(found.data["problems"][0]["message"], "a problem");
    assert_eq!(lines(&run), [2]);
}

#[tokio::test]
async fn a_program_in_the_code_base_is_never_started() {
    let project = Project::new();
    let mark = project.path().join("started");
    let script = format!("#!/bin/sh\ntouch {}\n", mark.display());
    project.write("node_modules/.bin/server", script);
    let program = project.path().join("node_modules/.bin/server");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let servers = Servers::new([ServerSpec::new(["rs".to_owned()], &program, []).unwrap()]);

    let (step, _) = step(&project, &servers, "lsp_hover", place(1, 0)).await;

    assert!(
        step.error
            .unwrap()
            .contains("is in the code base and is not started")
    );
    assert!(!mark.exists());
}

#[test]
fn a_program_is_named_by_an_absolute_path() {
    let relative = ServerSpec::new(["rs".to_owned()], "rust-analyzer", []);
    assert!(matches!(relative, Err(SpecError::Relative { .. })));
    assert!(matches!(
        "=/bin/true".parse::<ServerSpec>(),
        Err(SpecError::Syntax { .. })
    ));
}

#[tokio::test]
async fn a_missing_program_is_a_result_that_says_so() {
    let project = Project::new();
    let spec = ServerSpec::new(["rs".to_owned()], "/nowhere/server", []).unwrap();

    let (step, run) = step(&project, &Servers::new([spec]), "lsp_hover", place(1, 0)).await;

    assert!(
        step.error
            .unwrap()
            .contains("`/nowhere/server` is not a program")
    );
    assert_eq!(run.steps[1].action, "finalize");
}

#[tokio::test]
async fn one_server_serves_all_files_of_a_code_base() {
    let project = Project::new();
    project.write("src/other.rs", "fn other() {}\n");
    let servers = Servers::new([spec("normal")]);
    assert_eq!(servers.running().await, 0);

    step(&project, &servers, "lsp_hover", place(1, 0)).await;
    let other = json!({"file_path": "src/other.rs", "line": 1, "column": 3});
    step(&project, &servers, "lsp_hover", other).await;

    assert_eq!(servers.running().await, 1);
}
