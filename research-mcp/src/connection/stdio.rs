//! The command of a server that speaks over standard input and output.

use std::fmt;
use std::path::PathBuf;

use tokio::process::Command;

/// Variables of our own environment that a child inherits; nothing else of it, and so no key or token, reaches a server.
const INHERITED: &[&str] = &["HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"];

/// A server that is started as a child process and speaks MCP over its standard input and output.
///
/// The child sees only `HOME`, `LOGNAME`, `PATH`, `SHELL`, `TERM` and `USER` of our environment, and what [`env`](Self::env) adds. It
/// runs in a process group of its own, so that closing reaches what a wrapper such as `npx` or `sh -c` started.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct StdioServer {
    /// The program; looked up in `PATH` when it holds no slash. No shell is involved.
    pub command: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// Variables to set for it, in addition to the inherited ones.
    pub env: Vec<(String, String)>,
    /// Its working directory; ours when absent.
    pub cwd: Option<PathBuf>,
}

impl fmt::Debug for StdioServer {
    /// Without the values of the environment, which often are keys.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let env: Vec<&str> = self.env.iter().map(|(name, _)| name.as_str()).collect();
        f.debug_struct("StdioServer")
            .field("command", &self.command)
            .field("args", &self.args)
            .field("env", &env)
            .field("cwd", &self.cwd)
            .finish()
    }
}

impl StdioServer {
    /// A program without arguments.
    pub fn new(command: impl Into<String>) -> Self {
        Self { command: command.into(), args: Vec::new(), env: Vec::new(), cwd: None }
    }

    /// Adds one argument.
    #[must_use]
    pub fn arg(mut self, arg: impl Into<String>) -> Self {
        self.args.push(arg.into());
        self
    }

    /// Adds arguments.
    #[must_use]
    pub fn args<A: Into<String>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// Sets a variable of the child's environment.
    #[must_use]
    pub fn env(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.env.push((name.into(), value.into()));
        self
    }

    /// Sets the working directory.
    #[must_use]
    pub fn cwd(mut self, directory: impl Into<PathBuf>) -> Self {
        self.cwd = Some(directory.into());
        self
    }

    pub(super) fn to_command(&self) -> Command {
        let mut command = Command::new(&self.command);
        command.args(&self.args).env_clear();
        command.envs(INHERITED.iter().filter_map(|name| Some((name, std::env::var_os(name)?))));
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
        if let Some(directory) = &self.cwd {
            command.current_dir(directory);
        }
        command
    }
}
