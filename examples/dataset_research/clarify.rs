//! Who is asked when the question can be read in several ways: the user at the terminal, whoever resumes the thread, or nobody.

use std::io::{self, BufRead, IsTerminal};

use clap::ValueEnum;
use research_agents::dataset::{ClarificationPolicy, DatasetConfig};
use research_agents::kernel::{Clarification, Clarifier};
use research_agents::mcp::BoxFuture;
use tokio::sync::oneshot;

use super::args::Args;

/// Exit status of a run that waits for an answer.
pub const WAITS: u8 = 3;

/// What `--clarify` takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Clarify {
    /// Ask: at a terminal, or by ending with status 3 until --answer brings the answer to the --thread
    Ask,
    /// Take the likeliest reading, and say so in the report
    Assume,
    /// Do not look for other readings
    Never,
}

/// How this run asks.
#[derive(Clone, Copy, Debug)]
pub struct Manner {
    clarify: Clarify,
    /// Somebody sits at the terminal.
    pub at_terminal: bool,
}

impl Manner {
    /// What the command line says; without a word, people at a terminal are asked and programs are not.
    pub fn of(args: &Args) -> Self {
        let at_terminal = !args.json && io::stdin().is_terminal() && io::stderr().is_terminal();
        let usual = if at_terminal { Clarify::Ask } else { Clarify::Assume };
        Self { clarify: args.clarify.unwrap_or(usual), at_terminal }
    }

    /// The settings with it.
    pub fn put_into(self, config: DatasetConfig) -> DatasetConfig {
        match self.clarify {
            Clarify::Ask => DatasetConfig { clarification: ClarificationPolicy::Ask, ..config },
            Clarify::Assume => config,
            Clarify::Never => DatasetConfig { max_clarifications: 0, ..config },
        }
    }
}

/// Reads answers from standard input. The view shows the question.
pub struct AtTerminal;

impl Clarifier for AtTerminal {
    fn ask(&self, _: Clarification) -> BoxFuture<'_, Option<String>> {
        Box::pin(read_line())
    }
}

/// A line of standard input; `None` at its end. A thread of its own reads it, so that Ctrl-C ends the program all the same.
pub async fn read_line() -> Option<String> {
    let (sender, line) = oneshot::channel();
    std::thread::spawn(move || {
        let mut text = String::new();
        let read = io::stdin().lock().read_line(&mut text).is_ok_and(|bytes| bytes > 0);
        // Nobody listens any more when the run was stopped meanwhile.
        drop(sender.send(read.then(|| text.trim().to_string())));
    });
    line.await.ok().flatten()
}
