//! Starts the programs and collects what they say.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::events::Events;
use crate::scratch::Scratch;

/// The program that answers questions.
const RESEARCH: &str = env!("CARGO_BIN_EXE_dataset_research");
/// The program that serves a file.
pub(crate) const SERVER: &str = env!("CARGO_BIN_EXE_dataset_server");
/// A server without data.
pub(crate) const ECHO: &str = env!("CARGO_BIN_EXE_bad_server");
/// The server that misbehaves as it is told.
pub(crate) const FIXTURE: &str = env!("CARGO_BIN_EXE_fixture_server");

/// A program that runs longer hangs. No test asserts how long anything takes.
const WATCHDOG: Duration = Duration::from_secs(600);
/// Variables that would change which model it asks and what it prints.
const NOT_PASSED_ON: [&str; 2] = ["RESEARCH_MODEL", "CLICOLOR_FORCE"];

/// What a program that has ended left behind.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Runs the program to its end.
pub(crate) fn research(arguments: &[&str]) -> Ran {
    Running::start(arguments, None).end()
}

/// Runs the program with `--json` to its end, and checks the laws of the stream of events.
pub(crate) fn events(arguments: &[&str]) -> Events {
    events_in(arguments, None)
}

/// As [`events`], in another working directory.
pub(crate) fn events_in(arguments: &[&str], directory: Option<&Path>) -> Events {
    let arguments: Vec<&str> = arguments.iter().copied().chain(["--json"]).collect();
    Events::new(Running::start(&arguments, directory).end())
}

/// The command of the fixture server with these flags, for `--mcp-command`.
pub(crate) fn fixture(flags: &str) -> String {
    format!("{} {flags}", crate::quoted(FIXTURE))
}

/// A file for `--mcp-config` with the data server over the shipped file. The server reads that before it answers, which takes a slow
/// machine longer than a server is waited for unless the user says otherwise.
pub(crate) fn shipped_in_a_process(scratch: &Scratch) -> String {
    let server = json!({"command": SERVER, "policy": {"connectTimeout": 500}});
    scratch.write("shipped.json", json!({"mcpServers": {"data": server}}).to_string())
}

/// The data server over HTTP, as long as this lives.
pub(crate) struct Served {
    child: Child,
    pub(crate) url: String,
}

impl Served {
    /// Starts it on a free port.
    pub(crate) fn start(arguments: &[&str]) -> Self {
        let mut command = Command::new(SERVER);
        command.args(arguments).args(["--http", "0"]);
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
        let url = lines.filter_map(|line| line.strip_prefix("listening on ").map(str::to_owned)).next().unwrap();
        Self { child, url }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// A program that runs.
pub(crate) struct Running {
    child: Child,
    lines: Receiver<String>,
    stdout: String,
    stderr_lines: Receiver<String>,
    stderr: String,
    readers: Vec<JoinHandle<()>>,
}

impl Running {
    /// Starts the program. The model is the one it has by itself, whatever the environment of the tests says.
    pub(crate) fn start(arguments: &[&str], directory: Option<&Path>) -> Self {
        Self::start_with(arguments, directory, &[])
    }

    /// As [`start`](Self::start), with these variables in its environment.
    pub(crate) fn start_with(arguments: &[&str], directory: Option<&Path>, variables: &[(&str, &str)]) -> Self {
        let mut command = Command::new(RESEARCH);
        for name in NOT_PASSED_ON {
            command.env_remove(name);
        }
        command.args(arguments).envs(variables.iter().copied());

        // Most tests are about the parts that only a comprehensive report has.
        let names_format = ["--format", "--replay", "--help", "--version"];
        if !arguments.iter().any(|argument| names_format.contains(argument)) {
            command.args(["--format", "comprehensive"]);
        }
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(directory) = directory {
            command.current_dir(directory);
        }
        let mut child = command.spawn().unwrap();
        let (lines, reader) = follow(child.stdout.take().unwrap());
        let (stderr_lines, stderr_reader) = follow(child.stderr.take().unwrap());
        let readers = vec![reader, stderr_reader];
        Self { child, lines, stdout: String::new(), stderr_lines, stderr: String::new(), readers }
    }

    /// Its process id.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Reads standard output up to the first line that fits.
    pub(crate) fn wait_for(&mut self, fits: impl Fn(&str) -> bool) {
        loop {
            let line = self.lines.recv_timeout(WATCHDOG).expect("the line that was waited for did not come");
            self.stdout.push_str(&line);
            if fits(&line) {
                return;
            }
        }
    }

    /// Reads standard error up to the first line that holds this.
    pub(crate) fn wait_for_note(&mut self, text: &str) {
        loop {
            let line = self.stderr_lines.recv_timeout(WATCHDOG).expect("the note that was waited for did not come");
            self.stderr.push_str(&line);
            if line.contains(text) {
                return;
            }
        }
    }

    /// Waits until something is seen, or the program has ended.
    pub(crate) fn wait_until(&mut self, seen: impl Fn() -> bool) {
        let start = Instant::now();
        while !seen() && self.child.try_wait().unwrap().is_none() {
            assert!(start.elapsed() < WATCHDOG, "what was waited for did not come");
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Presses Ctrl-C.
    pub(crate) fn interrupt(&self) {
        self.signal(nix::sys::signal::Signal::SIGINT);
    }

    /// Sends it a signal.
    pub(crate) fn signal(&self, signal: nix::sys::signal::Signal) {
        let id = nix::unistd::Pid::from_raw(i32::try_from(self.id()).unwrap());
        nix::sys::signal::kill(id, signal).unwrap();
    }

    /// Kills it with SIGKILL; whether it was still running.
    pub(crate) fn kill(mut self) -> bool {
        let ran = self.child.try_wait().unwrap().is_none();
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        self.readers.drain(..).for_each(|reader| reader.join().unwrap());
        ran
    }

    /// Waits for its end.
    pub(crate) fn end(mut self) -> Ran {
        let start = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            if start.elapsed() > WATCHDOG {
                self.child.kill().unwrap();
                panic!("the program did not end");
            }
            std::thread::sleep(Duration::from_millis(5));
        };
        self.readers.drain(..).for_each(|reader| reader.join().unwrap());
        self.stdout.extend(self.lines.try_iter());
        self.stderr.extend(self.stderr_lines.try_iter());
        Ran { code: status.code(), stdout: self.stdout, stderr: self.stderr }
    }
}

/// Reads lines, so that the program never waits for its reader.
fn follow(stream: impl Read + Send + 'static) -> (Receiver<String>, JoinHandle<()>) {
    let (sender, receiver) = channel();
    let reader = std::thread::spawn(move || {
        let mut stream = BufReader::new(stream);
        let mut line = String::new();
        while stream.read_line(&mut line).unwrap() > 0 {
            // A test that has seen enough no longer listens.
            drop(sender.send(std::mem::take(&mut line)));
        }
    });
    (receiver, reader)
}
