//! The example programs as processes.

use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// A program that has ended with status 0.
pub(crate) struct Finished(Output);

/// Runs a program to its end.
pub(crate) fn run(program: &str, arguments: &[&str]) -> Finished {
    let mut command = Command::new(program);
    let command = command.args(arguments).env_remove("RESEARCH_MODEL").stdin(Stdio::null());
    let output = command.output().unwrap();
    let finished = Finished(output);
    assert!(finished.0.status.success(), "{arguments:?}: {}\n{}", finished.errors(), finished.out());
    finished
}

impl Finished {
    pub(crate) fn out(&self) -> String {
        String::from_utf8(self.0.stdout.clone()).unwrap()
    }

    pub(crate) fn errors(&self) -> String {
        String::from_utf8_lossy(&self.0.stderr).into_owned()
    }

    /// What the program printed as JSON, an object a line.
    pub(crate) fn events(&self) -> Vec<Value> {
        self.out().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}
