//! A child process in a process group of its own, and its end.

use std::io;
use std::process::ExitStatus;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::process::{Child, ChildStdin, ChildStdout};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout, timeout_at};

use super::stderr::StderrTail;
use super::stdio::StdioServer;

/// How long an error waits for the exit status and the last words of a child whose output has ended. Both come at once, and on a
/// machine with much to do a little later; a child that only closed its output, or left another behind, costs all of this.
const END_WAIT: Duration = Duration::from_secs(2);

/// How long an error waits for more words of a child that may well be alive.
const WORDS_WAIT: Duration = Duration::from_millis(200);

/// So long is read on after a child has ended: its last answer may be on the way.
const LAST_ANSWER: Duration = Duration::from_millis(200);

/// A running child and what it wrote to standard error.
pub(super) struct ChildProcess {
    /// Owns the child and waits for its end.
    reaper: JoinHandle<()>,
    /// Whether it has ended, and how as far as that is known.
    exit: watch::Receiver<Option<Option<ExitStatus>>>,
    kill: mpsc::Sender<()>,
    group: Option<u32>,
    closed: AtomicBool,
    stderr: Option<StderrTail>,
}

impl ChildProcess {
    /// Starts the command with piped streams; returns the child, its standard output and its standard input.
    pub(super) fn spawn(server: &StdioServer) -> io::Result<(Self, ChildStdout, ChildStdin)> {
        let mut command = server.to_command();
        command
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .kill_on_drop(true);
        #[cfg(unix)]
        command.process_group(0);
        let mut child = command.spawn()?;
        let (Some(stdout), Some(stdin)) = (child.stdout.take(), child.stdin.take()) else {
            return Err(io::Error::other("the child has no standard streams"));
        };
        let (group, stderr) = (child.id(), child.stderr.take().map(StderrTail::follow));
        let (told, exit) = watch::channel(None);
        let (kill, asked) = mpsc::channel(1);
        let process = Self {
            reaper: tokio::spawn(reap(child, asked, told)),
            exit,
            kill,
            group,
            stderr,
            closed: AtomicBool::new(false),
        };
        Ok((process, stdout, stdin))
    }

    /// What it wrote last to standard error, as far as it was read.
    pub(super) fn last_words(&self) -> String {
        self.stderr.as_ref().map(StderrTail::text).unwrap_or_default()
    }

    /// Waits for its end, and says how it ended as far as that is known.
    async fn status(&self) -> Option<ExitStatus> {
        let mut exit = self.exit.clone();
        exit.wait_for(Option::is_some).await.ok().and_then(|status| status.flatten())
    }

    /// Resolves when it has ended and its last answer was read. What it started may keep its output open for ever.
    pub(super) async fn ended(&self) {
        if self.exit.borrow().is_some() {
            return;
        }
        self.status().await;
        sleep(LAST_ANSWER).await;
    }

    /// Whether it is known to have ended.
    pub(super) fn has_ended(&self) -> bool {
        matches!(*self.exit.borrow(), Some(Some(_)))
    }

    /// How it ended, when it has, and its last words; for a child whose output has ended.
    pub(super) async fn end(&self) -> (Option<ExitStatus>, String) {
        let until = Instant::now() + END_WAIT;
        let status = timeout_at(until, self.status()).await.ok().flatten();
        (status, self.words_by(until).await)
    }

    /// How it ended, if that is known by now, and its last words; for a child that may well be alive.
    pub(super) async fn so_far(&self) -> (Option<ExitStatus>, String) {
        let words = self.words_by(Instant::now() + WORDS_WAIT).await;
        (self.exit.borrow().flatten(), words)
    }

    async fn words_by(&self, until: Instant) -> String {
        match &self.stderr {
            Some(stderr) => stderr.text_at_end(until).await,
            None => String::new(),
        }
    }

    /// Waits for the child to end by itself, its standard input being closed; then TERM, then KILL, for its whole group.
    pub(super) async fn close(&self, grace: Duration) {
        if timeout(grace, self.status()).await.is_err() {
            self.signal(Signal::Term);
            if timeout(grace, self.status()).await.is_err() {
                self.signal(Signal::Kill);
                // An error says that it was asked already, or has ended.
                let _ = self.kill.try_send(());
                self.status().await;
            }
        }
        self.sweep(grace).await;
        self.closed.store(true, Ordering::Release);
    }

    /// Ends what the child started and left behind.
    async fn sweep(&self, grace: Duration) {
        if !self.signal(Signal::Term) {
            return;
        }
        let step = Duration::from_millis(20).min(grace);
        let mut waited = Duration::ZERO;
        while waited < grace {
            tokio::time::sleep(step).await;
            waited += step.max(Duration::from_millis(1));
            if !self.signal(Signal::Probe) {
                return;
            }
        }
        self.signal(Signal::Kill);
    }

    /// Signals the group; whether there was anybody in it.
    #[cfg(unix)]
    fn signal(&self, signal: Signal) -> bool {
        use nix::sys::signal::{Signal as Unix, killpg};
        use nix::unistd::Pid;
        let Some(group) = self.group.and_then(|group| i32::try_from(group).ok()) else {
            return false;
        };
        let signal = match signal {
            Signal::Probe => None,
            Signal::Term => Some(Unix::SIGTERM),
            Signal::Kill => Some(Unix::SIGKILL),
        };
        killpg(Pid::from_raw(group), signal).is_ok()
    }

    /// Without process groups only the child itself is ended, by `close`.
    #[cfg(not(unix))]
    fn signal(&self, _: Signal) -> bool {
        let _ = self.group;
        false
    }
}

/// Waits for the end of a child, and kills it when asked to.
async fn reap(mut child: Child, mut asked: mpsc::Receiver<()>, told: watch::Sender<Option<Option<ExitStatus>>>) {
    let status = tokio::select! {
        status = child.wait() => status.ok(),
        Some(()) = asked.recv() => {
            if let Err(error) = child.kill().await {
                tracing::warn!(%error, "a server could not be killed");
            }
            child.wait().await.ok()
        }
    };
    told.send_replace(Some(status));
}

impl Drop for ChildProcess {
    /// The child itself is killed by `kill_on_drop` with the task that owns it; its group must not outlive it.
    fn drop(&mut self) {
        if !self.closed.load(Ordering::Acquire) {
            self.signal(Signal::Kill);
        }
        self.reaper.abort();
    }
}

#[derive(Clone, Copy)]
enum Signal {
    Probe,
    Term,
    Kill,
}
