//! Starts the program and collects what it says.

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// The program.
pub(crate) const EVALUATE: &str = env!("CARGO_BIN_EXE_evaluate");

/// What the program left behind.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// The program with these arguments, and no model but the one that they name.
pub(crate) fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(EVALUATE);
    command.args(arguments).env_remove("RESEARCH_MODEL").stdin(Stdio::null());
    command
}

/// Runs it to its end.
pub(crate) fn run(arguments: &[&str]) -> Ran {
    ran(command(arguments).output().unwrap())
}

/// What it said.
pub(crate) fn ran(output: Output) -> Ran {
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Ran { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
}

/// The evaluation's folder of the repository.
pub(crate) fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../examples/evaluate")
}

/// The committed baseline of the model that computes.
pub(crate) fn baseline() -> String {
    folder().join("baselines/offline.json").to_string_lossy().into_owned()
}

/// A folder that is removed at the end.
pub(crate) struct Scratch(TempDir);

impl Scratch {
    pub(crate) fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    /// The path of a file in it.
    pub(crate) fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_string_lossy().into_owned()
    }

    /// Writes a file in it.
    pub(crate) fn file(&self, name: &str, text: &str) -> String {
        std::fs::write(self.0.path().join(name), text).unwrap();
        self.path(name)
    }

    /// Reads a file in it.
    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.0.path().join(name)).unwrap()
    }

    /// Reads a file of JSON in it.
    pub(crate) fn json(&self, name: &str) -> Value {
        serde_json::from_str(&self.read(name)).unwrap()
    }
}
