//! The program under test, on a database and a log of its own.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::log::Log;
use crate::store;

/// A folder with the program's database and log, and how it is started.
pub struct Scene {
    folder: TempDir,
    arguments: BTreeMap<&'static str, String>,
    pub tasks: u64,
}

impl Scene {
    /// Tasks of this many milliseconds, so many at a time.
    pub fn new(tasks: u64, task_ms: u64, parallel: u32, durability: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let arguments = BTreeMap::from([
            ("--db", format!("sqlite:{}", folder.path().join("fan.db").display())),
            ("--tasks", tasks.to_string()),
            ("--task-ms", task_ms.to_string()),
            ("--parallel", parallel.to_string()),
            ("--durability", durability.to_string()),
        ]);
        Self { folder, arguments, tasks }
    }

    /// Starts the program on a thread, with the log that belongs to it.
    pub fn start(&self, thread: &str) -> Child {
        self.start_with(thread, &[])
    }

    /// Runs the program to its end.
    pub fn finish(&self, thread: &str) -> Ended {
        self.finish_with(thread, &[])
    }

    /// The same, with arguments in place of those of the scene.
    pub fn finish_with(&self, thread: &str, arguments: &[&str]) -> Ended {
        Ended::of(self.start_with(thread, arguments))
    }

    fn start_with(&self, thread: &str, arguments: &[&str]) -> Child {
        let mut all = self.arguments.clone();
        all.insert("--thread", thread.to_string());
        all.insert("--log", self.path(&format!("{thread}.log")).display().to_string());
        for pair in arguments.chunks(2) {
            let name = all.keys().find(|name| **name == pair[0]).copied().unwrap();
            all.insert(name, pair[1].to_string());
        }
        program().args(all.iter().flat_map(|(name, value)| [*name, value.as_str()])).spawn().unwrap()
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn log(&self, thread: &str) -> Log {
        Log::read(&self.path(&format!("{thread}.log")))
    }

    /// The tasks of a thread whose results are stored. Nobody may be running.
    pub fn recorded(&self, thread: &str) -> BTreeSet<u64> {
        store::recorded(&self.path("fan.db"), thread, self.tasks)
    }

    /// The sum of the squares of all tasks.
    pub fn sum(&self) -> u64 {
        (0..self.tasks).map(|number| number * number).sum()
    }
}

/// Waits until `ready`, or until the process has ended.
pub fn wait_for(child: &mut Child, mut ready: impl FnMut() -> bool) {
    let began = Instant::now();
    while !ready() && child.try_wait().unwrap().is_none() {
        assert!(began.elapsed() < Duration::from_secs(60), "the program hangs");
        sleep(Duration::from_micros(500));
    }
}

/// The program, with its output kept apart.
pub fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_durable_fanout"));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// How a process ended, and what it said.
#[derive(Debug)]
pub struct Ended {
    pub status: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Ended {
    pub fn of(child: Child) -> Self {
        Self::from(child.wait_with_output().unwrap())
    }

    /// The number after a word at the begin of a line.
    fn number(&self, word: &str) -> Option<u64> {
        self.stdout.lines().find_map(|line| line.strip_prefix(word)?.trim().parse().ok())
    }

    pub fn resumed(&self) -> Option<u64> {
        self.number("resumed ")
    }

    pub fn done(&self) -> Option<u64> {
        self.number("done ")
    }
}

impl From<Output> for Ended {
    fn from(Output { status, stdout, stderr }: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Self { status: status.code(), stdout: text(stdout), stderr: text(stderr) }
    }
}
