//! The README says what is so: its Rust code stands in this file, where tests run it, and its examples and links are there.

use std::path::{Path, PathBuf};

use research_agents::mcp::StdioServer;
use serde_json::Value;

type Outcome = Result<(), Box<dyn std::error::Error>>;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_path_buf()
}

fn readme() -> String {
    std::fs::read_to_string(root().join("README.md")).unwrap()
}

/// The blocks of a page in this language.
fn blocks(text: &str, language: &str) -> Vec<String> {
    let fence = format!("\n```{language}\n");
    let starts = text.split(&fence).skip(1);
    starts.map(|rest| rest.split_once("\n```").unwrap().0.to_string()).collect()
}

#[test]
fn the_rust_code_of_the_readme_and_the_first_of_the_models_is_compiled_and_run_here() {
    let trimmed = |text: &str| text.lines().map(|line| format!("{}\n", line.trim())).collect::<String>();
    let here = format!("\n{}", trimmed(include_str!("readme.rs")));
    let models = std::fs::read_to_string(root().join("docs/models.md")).unwrap();
    let blocks = [blocks(&readme(), "rust"), blocks(&models, "rust")[..1].to_vec()].concat();
    for block in &blocks {
        assert!(here.contains(&format!("\n{}", trimmed(block))), "not in tests/readme.rs:\n{block}");
    }
    assert_eq!(blocks.len(), 3);
}

#[test]
fn the_first_command_answers_a_question_and_the_second_runs_the_tests() {
    let commands = blocks(&readme(), "console");
    let first: Vec<&str> = commands[0].lines().collect();
    assert_eq!(first, ["$ cargo run --example dataset_research", "$ cargo test --workspace"]);
}

#[test]
fn every_example_and_every_link_of_the_readme_is_there() {
    let text = readme();
    let examples = std::fs::read_to_string(root().join("examples/Cargo.toml")).unwrap();
    let named = text.split("--example ").skip(1).filter_map(|rest| rest.split([' ', '`', '\n']).next());
    for name in named {
        let of_a_crate = root().join(format!("research-agents/code/examples/{name}.rs")).exists()
            || root().join(format!("research-agents/sources/examples/{name}.rs")).exists();
        let is_there = of_a_crate || examples.contains(&format!("name = \"{name}\""));
        assert!(is_there, "there is no example `{name}`");
    }
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    for target in targets.filter(|target| !target.starts_with("http")) {
        let file = target.split('#').next().unwrap();
        assert!(file.is_empty() || root().join(file).exists(), "`{target}` is not there");
    }
}

mod agent {
    use std::sync::Arc;

    use research_agents::dataset::DatasetAgent;
    use research_agents::mcp::{Hub, StdioServer};
    use research_agents::offline::OfflineModel;

    pub async fn ask(server: StdioServer, question: &str) -> Result<String, research_agents::Error> {
        let hub = Arc::new(Hub::builder().stdio("data", server).connect().await?);
        let agent = DatasetAgent::builder(OfflineModel::new(), Arc::clone(&hub)).build()?;
        let report = agent.run(question).await?;
        hub.close().await;
        println!("{} of {:?} records read", report.coverage.fetched, report.coverage.total);
        Ok(report.markdown)
    }
}

#[tokio::test]
async fn the_dataset_agent_answers_over_a_server_in_a_process_of_its_own() -> Outcome {
    let data = root().join("examples/data/penguins.json");
    let server = StdioServer::new(env!("CARGO_BIN_EXE_dataset_server")).arg(data.to_string_lossy());
    let report = agent::ask(server, "Penguins on Biscoe and Dream by species").await?;
    let penguins: Vec<Value> = serde_json::from_slice(&std::fs::read(data)?)?;
    let asked = penguins.iter().filter(|one| one["Island"] == "Biscoe" || one["Island"] == "Dream");
    let gentoo = asked.filter(|one| one["Species"] == "Gentoo").count();
    assert!(gentoo > 0 && report.contains(&format!("Gentoo {gentoo}")), "{report}");
    Ok(())
}

#[tokio::test]
async fn the_engine_folds_what_tasks_bring() -> Outcome {
    use research_core::{Cx, END, Graph, NodeError, Sends, State};

    #[derive(Clone, Debug, Default, State)]
    struct Survey {
        topics: Vec<String>,
        #[reduce(append)]
        notes: Vec<String>,
        #[reduce(add)]
        words: u64,
    }

    async fn read(_cx: Cx<Survey>, topic: String) -> Result<SurveyUpdate, NodeError> {
        Ok(Survey::update().words(topic.len() as u64).notes([format!("read about {topic}")]))
    }

    let mut g = Graph::<Survey>::new("survey");
    let plan = g.node("plan", |_cx| async { Ok(Survey::update().topics(["bees".to_string(), "ants".to_string()])) });
    let read = g.task("read", read);
    g.entry(plan)
        .route(plan, move |s: &Survey| s.topics.iter().map(|t| read.send(t.clone())).collect::<Sends>())
        .edge(read, END);
    let graph = g.compile()?; // every mistake at once, by name

    let done = graph.run(Survey::update()).await?;
    assert_eq!(done.state.notes, ["read about bees", "read about ants"]);
    assert_eq!(done.state.words, 8);
    Ok(())
}

#[test]
fn a_model_is_opened_with_its_layers() -> Outcome {
    use std::time::Duration;

    use research_llm::layer::{Budget, BudgetLimits, Retry, Timeout};
    use research_llm::{ChatModel, ChatModelExt, Providers};

    let model = Providers::standard()
        .open("ollama:qwen3")?
        .with(Budget::new(BudgetLimits::new().tokens(200_000)).layer())
        .with(Timeout::new(Duration::from_secs(180)))
        .with(Retry::new());
    assert_eq!(model.info().id(), "ollama:qwen3");
    Ok(())
}
