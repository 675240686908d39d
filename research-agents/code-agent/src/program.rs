//! What the programs share: opening a model, errors, signals, and text that cannot command a
//! terminal.

use std::error::Error;
use std::fmt;
use std::future::Future;
use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use research_agents_code::base::CacheAt;
use research_agents_report::text::visible;
use research_agents_runtime::offline::OfflineModel;
use research_llm::redact::Redactor;
use research_llm::{ChatModel, ModelError, ModelSpec, Providers};

use crate::agent::answers;

/// How long a program that has ended waits for work on other threads.
const END: Duration = Duration::from_secs(2);

/// Opens a model by its specification: `offline`, a provider's model, or the address of a server.
///
/// # Errors
///
/// [`ModelError`] when the model does not exist or cannot be used, such as without a key.
pub async fn open_model(spec: &str) -> Result<Arc<dyn ChatModel>, ModelError> {
    let offline = |spec: &ModelSpec| -> Result<Arc<dyn ChatModel>, ModelError> {
        Ok(Arc::new(OfflineModel::open(spec, answers())?))
    };
    Providers::standard()
        .with("offline", offline)
        .open_and_probe(spec.trim())
        .await
}

/// Parses where facts of files are kept: `memory`, or a folder outside of the code base.
pub fn parse_cache(text: &str) -> CacheAt {
    match text {
        "memory" => CacheAt::Memory,
        folder => CacheAt::Folder(folder.into()),
    }
}

/// Runs a program to its end and returns its exit code. SIGTERM and SIGHUP end it.
pub fn run(program: impl Future<Output = ExitCode>) -> ExitCode {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build();
    let runtime = match runtime {
        Ok(runtime) => runtime,
        Err(error) => {
            say(format_args!("error: {error}"));
            return ExitCode::FAILURE;
        }
    };

    let code = runtime.block_on(async {
        tokio::select! {
            code = program => code,
            number = terminated() => ExitCode::from(128 + number),
        }
    });
    runtime.shutdown_timeout(END);
    code
}

#[cfg(unix)]
async fn terminated() -> u8 {
    use tokio::signal::unix::{SignalKind, signal};
    let signals = (
        signal(SignalKind::terminate()),
        signal(SignalKind::hangup()),
    );
    let (Ok(mut terminate), Ok(mut hang_up)) = signals else {
        return std::future::pending().await;
    };
    tokio::select! {
        _ = terminate.recv() => 15,
        _ = hang_up.recv() => 1,
    }
}

#[cfg(not(unix))]
async fn terminated() -> u8 {
    std::future::pending().await
}

/// Reports an error with its causes on standard error, and returns the exit code 1.
pub fn fail(error: &(dyn Error + 'static)) -> ExitCode {
    let mut message = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_message = cause.to_string();
        if !message.contains(&cause_message) {
            message.push_str(": ");
            message.push_str(&cause_message);
        }
        source = cause.source();
    }
    say(format_args!("error: {message}"));
    ExitCode::FAILURE
}

/// Writes a line to standard error as [`plain`] text. A closed standard error is ignored.
pub fn say(line: impl fmt::Display) {
    drop(writeln!(io::stderr(), "{}", plain(&line.to_string())));
}

/// Writes plain text and a line end to standard output.
///
/// # Errors
///
/// When standard output cannot be written, such as a pipe whose reader has gone.
pub fn print(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{}", plain(text))?;
    out.flush()
}

/// Returns the text without what a terminal would obey or a reader would not see, and without the
/// keys of this process.
pub fn plain(text: &str) -> String {
    Redactor::known().text(&visible(text)).into_owned()
}
