//! The tests.

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use futures::executor::block_on;
use research_core::checkpoint::{CheckpointId, Checkpointer, Query};
use research_core::{IfIdle, ThreadError};
use research_core_sqlite::SqliteCheckpointer;
use rusqlite::Connection;

use crate::roles::{content, thread};
use crate::rollout::{EARLY, HEALTHY, THREADS, expected, gate};
use crate::workers::{self, Count, RUNS, TERM};

pub(crate) fn run_all() {
    a_rolling_deployment_loses_nothing_and_harms_no_healthy_run();
    of_two_processes_the_one_that_claimed_last_writes();
    processes_that_contend_lose_nothing_and_share_no_number();
    a_process_that_is_killed_loses_nothing_that_was_reported_as_written();
    workers_that_retry_the_same_thread_take_turns();
    the_lease_of_a_worker_that_is_killed_expires();
    a_disk_that_takes_no_more_loses_nothing_that_was_reported_as_written();
    what_may_not_be_written_is_reported_as_such();
}

/// A runtime for what a process runs.
pub(crate) fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap()
}

/// A process in a role, and what it says.
struct Process {
    child: Child,
    lines: BufReader<ChildStdout>,
}

impl Process {
    fn start(role: &str, path: &Path) -> Self {
        Self::of(
            Command::new(std::env::current_exe().unwrap())
                .arg("role")
                .arg(role)
                .arg(path),
        )
    }

    fn of(command: &mut Command) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap());
        Self { child, lines }
    }

    /// The next line; none when the process has ended.
    fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        let whole = self.lines.read_line(&mut line).unwrap() > 0 && line.ends_with('\n');
        whole.then(|| line.trim_end().to_owned())
    }

    /// All lines until the process ends by itself, which it must do well.
    fn finish(mut self) -> Vec<String> {
        let lines = std::iter::from_fn(|| self.line()).collect();
        assert!(self.child.wait().unwrap().success());
        lines
    }
}

fn go_on(process: &mut Process) {
    process
        .child
        .stdin
        .take()
        .unwrap()
        .write_all(b"\n")
        .unwrap();
}

fn a_rolling_deployment_loses_nothing_and_harms_no_healthy_run() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("threads.db");
    let mut one = Process::start("version-1", &path);
    let numbers = |lines: &[String], word: &str| -> Vec<usize> {
        let of_word = lines
            .iter()
            .filter_map(|line| line.strip_prefix(word)?.split(' ').nth(1)?.parse().ok());
        let mut numbers: Vec<usize> = of_word.collect();
        numbers.sort_unstable();
        numbers
    };
    // Some end, and the others come to their gate.
    let lines: Vec<String> = (0..THREADS).map(|_| one.line().unwrap()).collect();
    assert_eq!(numbers(&lines, "done"), (0..EARLY).collect::<Vec<_>>());
    assert_eq!(
        numbers(&lines, "waits"),
        (EARLY..THREADS).collect::<Vec<_>>()
    );

    // The new version is refused everywhere, and those that go on with the old one end well.
    let mut two = Process::start("version-2", &path);
    assert_eq!(two.line().as_deref(), Some("refused"));
    fs::write(gate(&path, EARLY).unwrap(), "").unwrap();
    let lines: Vec<String> = (EARLY..HEALTHY).map(|_| one.line().unwrap()).collect();
    assert_eq!(
        numbers(&lines, "done"),
        (EARLY..HEALTHY).collect::<Vec<_>>(),
        "{lines:?}"
    );

    // It takes over what is left, one by one, and every thread has each of its rounds once.
    go_on(&mut two);
    let taken = two.finish();
    assert_eq!(taken, (0..THREADS).map(expected).collect::<Vec<_>>());
    fs::write(gate(&path, HEALTHY).unwrap(), "").unwrap();
    let lines = one.finish();
    assert_eq!(
        numbers(&lines, "lost"),
        (HEALTHY..THREADS).collect::<Vec<_>>(),
        "{lines:?}"
    );
    assert_eq!(lines.len(), THREADS - HEALTHY, "{lines:?}");
}

/// Numbers of what is stored, by body; checks that everything can be read and belongs together.
fn stored(path: &Path) -> BTreeMap<u64, Vec<u8>> {
    block_on(async {
        let store = SqliteCheckpointer::open(path).await.unwrap();
        let mut bodies = BTreeMap::new();
        for header in store.list(&thread(), &Query::all()).await.unwrap() {
            let mut loaded = store
                .read(&thread(), Some(header.id))
                .await
                .unwrap()
                .unwrap();
            assert_eq!(
                loaded.records.len(),
                1,
                "a checkpoint and its record are written together"
            );
            bodies.insert(header.id.0, loaded.bodies.remove(0));
        }
        bodies
    })
}

fn of_two_processes_the_one_that_claimed_last_writes() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("threads.db");
    let mut first = Process::start("hold", &path);
    assert_eq!(first.line().as_deref(), Some("claimed"));
    let mut second = Process::start("hold", &path);
    assert_eq!(second.line().as_deref(), Some("claimed"));
    let winner = second.child.id();
    go_on(&mut first);
    assert_eq!(first.finish(), ["Conflict"]);
    assert!(stored(&path).is_empty());
    go_on(&mut second);
    assert_eq!(second.finish(), ["written"]);
    assert_eq!(stored(&path), BTreeMap::from([(1, content(1, winner))]));
}

fn processes_that_contend_lose_nothing_and_share_no_number() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("threads.db");
    let processes: Vec<Process> = (0..3).map(|_| Process::start("contend", &path)).collect();
    let mut won = BTreeMap::new();
    for process in processes {
        let writer = process.child.id();
        for line in process.finish() {
            let id = line.parse().unwrap();
            assert!(
                won.insert(id, content(id, writer)).is_none(),
                "two processes were told that {id} is theirs"
            );
        }
    }
    assert!(
        won.keys().copied().eq(1..=won.len() as u64),
        "{:?}",
        won.keys()
    );
    assert!(!won.is_empty() && stored(&path) == won);
}

fn a_process_that_is_killed_loses_nothing_that_was_reported_as_written() {
    for role in ["write", "write-normal"] {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("threads.db");
        let mut known = BTreeMap::new();
        for round in 0..20_usize {
            let mut process = Process::start(role, &path);
            let writer = process.child.id();
            // Rounds end after another number of writes each, wherever the writer happens to be; some before the first.
            let mut told = Vec::new();
            told.extend(std::iter::from_fn(|| process.line()).take(round * 7 % 60));
            process.child.kill().unwrap();
            process.child.wait().unwrap();
            told.extend(std::iter::from_fn(|| process.line()));
            for line in &told {
                let id: u64 = line.parse().unwrap();
                assert!(
                    known.insert(id, content(id, writer)).is_none(),
                    "{id} was written twice"
                );
            }
            let stored = stored(&path);
            for (id, body) in &known {
                assert_eq!(stored.get(id), Some(body), "{id} was reported as written");
            }
            // The last may have been written without anybody having been told.
            assert!(
                stored.len() <= known.len() + 1,
                "{} stored, {} known",
                stored.len(),
                known.len()
            );
            known = stored;
        }
        let check: String = Connection::open(&path)
            .unwrap()
            .query_row("PRAGMA integrity_check", [], |row| row.get(0))
            .unwrap();
        assert_eq!(check, "ok");
    }
}

fn workers_that_retry_the_same_thread_take_turns() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("threads.db");

    let processes = [(); 3].map(|()| Process::start("retrying-worker", &path));
    let lines: Vec<String> = processes.into_iter().flat_map(Process::finish).collect();

    let mut totals: Vec<usize> = lines
        .iter()
        .map(|line| line.strip_prefix("done ").unwrap().parse().unwrap())
        .collect();
    totals.sort_unstable();
    let expected: Vec<usize> = (1..=3 * RUNS).map(|run| 3 * run).collect();
    assert_eq!(totals, expected, "every run counted on the one before it");
}

fn the_lease_of_a_worker_that_is_killed_expires() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("threads.db");
    let mut worker = Process::start("hanging-worker", &path);
    assert_eq!(worker.line().as_deref(), Some("hangs"));

    runtime().block_on(async {
        let graph = workers::graph(&path, false).await;
        let resume = |if_idle| graph.resume().thread("t").if_idle(if_idle).into_future();

        // While it lives it renews its lease, also for longer than the term.
        let refused = resume(IfIdle::wait(TERM * 3 / 2)).await.unwrap_err();
        assert!(refused.is_thread_busy(), "{refused}");
        worker.child.kill().unwrap();
        worker.child.wait().unwrap();

        let refused = resume(IfIdle::refuse()).await.unwrap_err();
        let busy = refused.find::<ThreadError>().unwrap();
        assert!(matches!(busy, ThreadError::Busy { .. }), "{refused}");
        let ThreadError::Busy { holder, .. } = busy else {
            return;
        };
        let killed = std::time::SystemTime::now();
        assert!(holder.until <= killed + TERM, "{holder:?}");
        let done = resume(IfIdle::wait(TERM * 30)).await.unwrap();
        assert!(std::time::SystemTime::now() >= holder.until);
        let Count { steps } = done.state;
        assert_eq!(steps, 3, "what the killed worker had done is kept");
    });
}

/// The log alone reaches the first limit, log and database the second.
fn a_disk_that_takes_no_more_loses_nothing_that_was_reported_as_written() {
    for (blocks, least) in [(600, 10), (3_000, 200)] {
        write_into_a_limit(blocks, least);
    }
}

/// No file may grow beyond so many blocks of 512 bytes; a write that would is an error of the system.
fn write_into_a_limit(blocks: u32, least: usize) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("threads.db");
    let mut shell = Command::new("sh");
    shell.args([
        "-c",
        &format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" role write \"$1\""),
    ]);
    shell.arg(std::env::current_exe().unwrap()).arg(&path);
    let process = Process::of(&mut shell);
    let writer = process.child.id();
    let mut told = process.finish();
    let outcome = told.pop().unwrap();
    assert!(outcome == "Full" || outcome == "Unavailable", "{outcome}");
    let stored = stored(&path);
    assert!(told.len() > least, "{told:?}");
    for line in &told {
        let id = line.parse().unwrap();
        assert_eq!(
            stored.get(&id),
            Some(&content(id, writer)),
            "{id} was reported as written"
        );
    }
    assert!(stored.len() <= told.len() + 1);
    // With room it goes on.
    block_on(async {
        let store = SqliteCheckpointer::open(&path).await.unwrap();
        let claim = store.claim(&thread(), None).await.unwrap();
        assert_eq!(claim.head, stored.keys().last().copied().map(CheckpointId));
        store.delete_thread(&thread().thread).await.unwrap();
    });
}

/// Starts a role as a user who may do less than the administrator, when that is who runs this.
fn unprivileged(directory: &Path, path: &Path) -> Process {
    let program = directory.join("program");
    if !program.exists() {
        fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
        fs::set_permissions(&program, Permissions::from_mode(0o755)).unwrap();
    }
    let mut command = Command::new(program);
    command.arg("role").arg("open").arg(path);
    let me: u32 = fs::metadata("/proc/self")
        .map_or(1, |metadata| std::os::unix::fs::MetadataExt::uid(&metadata));
    if me == 0 {
        // The user that systems call `nobody`.
        command.uid(65_534).gid(65_534);
    }
    Process::of(&mut command)
}

fn what_may_not_be_written_is_reported_as_such() {
    let directory = tempfile::tempdir().unwrap();
    let inner = directory.path().join("inner");
    fs::create_dir(&inner).unwrap();
    let path = inner.join("threads.db");
    block_on(async {
        let store = SqliteCheckpointer::open(&path).await.unwrap();
        store.claim(&thread(), None).await.unwrap();
    });
    let content = fs::read(&path).unwrap();
    let mode = |path: &Path, mode| fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    mode(directory.path(), 0o755);
    mode(&path, 0o666);
    mode(&inner, 0o555);
    let outcome = unprivileged(directory.path(), &path).finish();
    assert!(
        outcome == ["ReadOnly"] || outcome == ["Unavailable"],
        "a directory that may only be read: {outcome:?}"
    );
    let outcome = unprivileged(directory.path(), &inner.join("new.db")).finish();
    assert_eq!(
        outcome,
        ["ReadOnly"],
        "a new file in a directory that may only be read"
    );
    mode(&inner, 0o777);
    mode(&path, 0o444);
    assert_eq!(
        unprivileged(directory.path(), &path).finish(),
        ["ReadOnly"],
        "a file that may only be read"
    );
    mode(&path, 0o000);
    assert_eq!(
        unprivileged(directory.path(), &path).finish(),
        ["Unavailable"],
        "a file that may not be read"
    );
    mode(&path, 0o666);
    assert_eq!(unprivileged(directory.path(), &path).finish(), ["opened"]);
    assert!(fs::read(&path).unwrap() == content);
}
