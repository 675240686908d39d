//! What the programs share: the `--model` option, opening it, errors with a remedy, Ctrl-C, and text that cannot command a
//! terminal.

pub mod interrupt;
pub mod line;
pub mod model;
pub mod page;
mod remedy;
pub mod report_file;
mod secrets;
pub mod whole_file;

use std::error::Error;
use std::fmt;
use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use research_agents::kernel::untrusted::visible;
use research_agents::offline::OfflineModel;
use research_llm::redact::Redactor;
use research_llm::testing::EchoModel;
use research_llm::{ChatModel, ModelError, Providers};
use serde::Serialize;

pub use remedy::remedy;
pub use secrets::{register_config, register_variables};

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

/// How long a program that has ended waits for what still computes on other threads.
const END: Duration = Duration::from_secs(2);

/// Runs a program to its end, and gives its exit code. What still computes then, such as a validation that was given up, does not
/// keep the process. SIGTERM and SIGHUP end the program, and with it the servers that it has started, by killing their process
/// groups.
///
/// # Panics
/// When the system gives no threads.
pub fn run(program: impl Future<Output = ExitCode>) -> ExitCode {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.expect("the system gives threads");
    let code = runtime.block_on(async {
        tokio::select! {
            code = program => code,
            number = terminated() => ExitCode::from(128 + number),
        }
    });

    // Drops the tasks that hold the servers.
    runtime.shutdown_timeout(END);
    code
}

/// Waits for a signal that ends the program, and gives its number.
#[cfg(unix)]
async fn terminated() -> u8 {
    use tokio::signal::unix::{SignalKind, signal};
    let (Ok(mut terminate), Ok(mut hang_up)) = (signal(SignalKind::terminate()), signal(SignalKind::hangup())) else {
        return std::future::pending().await;
    };
    tokio::select! {
        _ = terminate.recv() => 15,
        _ = hang_up.recv() => 1,
    }
}

/// There are no such signals.
#[cfg(not(unix))]
async fn terminated() -> u8 {
    std::future::pending().await
}

/// Ctrl-C from now on: it no longer ends the program, and is told by `recv`, even if nobody waits at the time.
/// `tokio::signal::ctrl_c` begins only when it is polled and hears one press.
///
/// # Errors
/// When the system does not let it be heard.
#[cfg(unix)]
pub fn ctrl_c() -> io::Result<tokio::signal::unix::Signal> {
    tokio::signal::unix::signal(tokio::signal::unix::SignalKind::interrupt())
}

/// Ctrl-C from now on: it no longer ends the program, and is told by `recv`, even if nobody waits at the time.
/// `tokio::signal::ctrl_c` begins only when it is polled and hears one press.
///
/// # Errors
/// When the system does not let it be heard.
#[cfg(windows)]
pub fn ctrl_c() -> io::Result<tokio::signal::windows::CtrlC> {
    tokio::signal::windows::ctrl_c()
}

/// Writes a line on standard error, as [`plain`] text. Unlike the macro it does not panic when nobody reads there.
pub fn say(line: impl fmt::Display) {
    drop(writeln!(io::stderr(), "{}", plain(&line.to_string())));
}

/// A text without what a terminal would obey or a reader not see, and without the secrets of this process: of the control
/// characters only line ends and tabs stay. What data, servers, models and files say passes here before it is printed.
#[must_use]
pub fn plain(text: &str) -> String {
    Redactor::known().text(&visible(text)).into_owned()
}

/// JSON on one line in which the characters that [`plain`] takes out are written as escapes; they occur in strings only.
///
/// # Errors
/// When a value has no form in JSON.
pub fn json(value: &impl Serialize) -> Result<String, serde_json::Error> {
    let text = serde_json::to_string(value)?;
    let text = Redactor::known().text(&text);
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        let is_plain = |own: &str| matches!(own.as_bytes(), [b' '..=b'~']) || visible(own) == own;
        if is_plain(character.encode_utf8(&mut [0; 4])) {
            out.push(character);
        } else {
            character.encode_utf16(&mut [0; 2]).iter().for_each(|unit| out.push_str(&format!("\\u{unit:04x}")));
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_data_cannot_command_the_terminal() {
        assert_eq!(plain("a\u{1b}[2Jb\u{9b}31mc\r\n\td\u{202e}é"), "a[2Jb31mc\n\tdé");
    }

    #[test]
    fn json_says_the_same_without_a_control_character() {
        let hostile = "a\u{1b}[2J\u{7f}\u{9b}31m\u{202e}\u{2028}\u{e0041}é\"\\ü";
        let text = json(&[hostile]).unwrap();
        assert!(!text.contains(char::is_control) && !text.contains(['\u{202e}', '\u{2028}', '\u{e0041}']), "{text}");
        assert!(text.contains('é') && text.contains("\\u009b"), "{text}");
        assert_eq!(serde_json::from_str::<Vec<String>>(&text).unwrap(), [hostile]);
    }
}
