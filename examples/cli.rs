//! What the programs that talk to a model share: the `--model` option, opening it, and errors with a remedy.

mod remedy;

use std::error::Error;
use std::fmt;
use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use research_agents::offline::OfflineModel;
use research_llm::testing::EchoModel;
use research_llm::{ChatModel, ModelError, Providers};

pub use remedy::remedy;

/// Exit code of a program that was not told which model to use, as of any other wrong use.
const USAGE: u8 = 2;

/// The option that names the model.
#[derive(Clone, Debug, Args)]
pub struct ModelArgs {
    /// The model: PROVIDER:MODEL, the address of a local server, or `echo`, which says your words again: it tries a program without
    /// a model, unless the answer must have a form of its own
    #[arg(long, value_name = "SPEC", env = "RESEARCH_MODEL")]
    pub model: Option<String>,
}

impl ModelArgs {
    /// Opens the model.
    ///
    /// # Errors
    /// [`NoModel`] when none is named, and what the provider says.
    pub async fn open(&self) -> Result<Arc<dyn ChatModel>, Box<dyn Error>> {
        match self.model.as_deref().map(str::trim).filter(|spec| !spec.is_empty()) {
            None => Err(NoModel.into()),
            Some("echo") => Ok(Arc::new(EchoModel::new())),
            Some(spec) => Ok(open(spec).await?),
        }
    }
}

/// Opens a model by its specification: the offline model, a provider's, or that of a server, which is asked what it serves
/// and how much that holds.
///
/// # Errors
/// [`ModelError`] when there is no such model, or when it cannot be used as things are, such as without a key.
pub async fn open(spec: &str) -> Result<Arc<dyn ChatModel>, ModelError> {
    Providers::standard().with("offline", OfflineModel::open).open_and_probe(spec).await
}

/// No model was named.
#[derive(Clone, Copy, Debug)]
pub struct NoModel;

impl fmt::Display for NoModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "no model is named. Name one with --model SPEC, or set RESEARCH_MODEL:\n\
             \x20 --model openai:gpt-5-mini           with a key in OPENAI_API_KEY\n\
             \x20 --model anthropic:claude-sonnet-4-5 with a key in ANTHROPIC_API_KEY\n\
             \x20 --model ollama:qwen2.5:1.5b         with Ollama on this machine\n\
             \x20 --model http://127.0.0.1:8080/v1    with llama.cpp, vLLM or another local server\n\
             \x20 --model echo                        says your words again, to try chat and stream_tokens without a model",
        )
    }
}

impl Error for NoModel {}

/// Tells an error and what can be done about it on standard error, and gives the exit code of the program: 2 for wrong use,
/// else 1. Nobody is told when whoever read the output has gone, as `head` does.
pub fn fail(error: &(dyn Error + 'static)) -> ExitCode {
    if error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe) {
        return ExitCode::FAILURE;
    }
    if error.is::<NoModel>() {
        say(error);
        return ExitCode::from(USAGE);
    }
    match model_error(error) {
        Some(model) => {
            say(format_args!("error: {}", model.user_message()));
            let detail = model.to_string();
            if !model.user_message().starts_with(&detail) {
                say(format_args!("  {detail}"));
            }
            remedy(model).iter().for_each(|remedy| say(format_args!("  {remedy}")));
        }
        None => say(format_args!("error: {error}")),
    }
    ExitCode::FAILURE
}

fn model_error<'e>(error: &'e (dyn Error + 'static)) -> Option<&'e ModelError> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(model) = error.downcast_ref::<ModelError>() {
            return Some(model);
        }
        if let Some(research_agents::Error::Model(model)) =
            error.downcast_ref::<research_agents::Error>().map(|e| e.root())
        {
            return Some(model);
        }
        next = error.source();
    }
    None
}

/// Writes a line on standard error. Unlike the macro it does not panic when nobody reads there.
pub fn say(line: impl fmt::Display) {
    drop(writeln!(io::stderr(), "{line}"));
}
