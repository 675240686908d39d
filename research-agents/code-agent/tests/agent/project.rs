//! A small code base, and models that follow a script.

use std::path::Path;
use std::sync::Arc;

use research_agents_code::base::{CacheAt, CodeBase};
use research_agents_code_agent::CodeAgent;
use research_agents_code_agent::agent::CodeAgentBuilder;
use research_agents_code_agent::run::{AgentConfig, ResearchRun, RunId};
use research_llm::testing::ScriptedModel;
use serde_json::{Value, json};
use tempfile::TempDir;

pub(crate) const LIB: &str = "\
//! A cache of numbers.
pub(crate) const MAX_ENTRIES: usize = 10_000;

/// Keeps numbers by their names.
pub(crate) struct Cache {
    size: usize,
}

impl Cache {
    /// Returns a number.
    pub fn get(&self, key: &str) -> Option<u32> {
        lookup(key)
    }
}

fn lookup(key: &str) -> Option<u32> {
    if key.is_empty() {
        return None;
    }
    Some(1)
}

pub(crate) fn warm() {
    lookup(\"a\");
    lookup(\"b\");
}
";

/// The id of runs whose answers cite evidence.
pub(crate) const RUN: &str = "1a2b3c4d000000000000000000000000";

/// A model that gives the same answer each time.
pub(crate) fn always(reply: String) -> ScriptedModel {
    ScriptedModel::new().otherwise(move |_| Some(reply.clone().into()))
}

/// Asks a question under a fixed id of the run.
pub(crate) async fn ask(agent: &CodeAgent, question: &str) -> ResearchRun {
    let id = RunId::parse(RUN).unwrap();
    agent.ask(question).run_id(id).run().await.unwrap().run
}

pub(crate) struct Project(TempDir);

impl Project {
    pub(crate) fn new() -> Self {
        let project = Self(tempfile::tempdir().unwrap());
        project.write("src/lib.rs", LIB);
        project.write("docs/guide.md", "# Guide\n\nCall `warm` first.\n");
        project
    }

    pub(crate) fn empty() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let file = self.path().join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }

    /// An agent that is being built, which keeps nothing outside of this process.
    pub(crate) fn builder(&self) -> CodeAgentBuilder {
        CodeAgent::on(Arc::new(
            CodeBase::open(self.path(), &CacheAt::Memory).unwrap(),
        ))
    }

    pub(crate) fn agent(&self) -> CodeAgent {
        self.builder().build().unwrap()
    }

    pub(crate) fn with_model(&self, model: impl Into<Arc<ScriptedModel>>) -> CodeAgent {
        self.with(model, AgentConfig::default())
    }

    pub(crate) fn with(
        &self,
        model: impl Into<Arc<ScriptedModel>>,
        config: AgentConfig,
    ) -> CodeAgent {
        let builder = self.builder();
        builder.model(model.into()).config(config).build().unwrap()
    }
}

/// A decision as a model writes it.
pub(crate) fn choose(action: &str, input: Value) -> String {
    json!({"action": action, "reasoning": "by the script", action: input}).to_string()
}

pub(crate) fn open(first: usize, last: usize) -> String {
    let input = json!({"file_path": "src/lib.rs", "start_line": first, "end_line": last});
    choose("open_span", input)
}

pub(crate) fn finalize(answer: &str) -> String {
    choose("finalize", json!({"answer": answer, "confidence": 0.7}))
}

/// A model that gives these answers in order.
pub(crate) fn script(replies: impl IntoIterator<Item = String>) -> ScriptedModel {
    replies
        .into_iter()
        .fold(ScriptedModel::new(), ScriptedModel::then)
}
