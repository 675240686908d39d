//! A child process in a process group of its own, and its end.

use std::io;
use std::process::ExitStatus;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::process::{Child, ChildStdin, ChildStdout};
use tokio::sync::Mutex;
use tokio::time::timeout;

use super::stderr::StderrTail;
use super::stdio::StdioServer;

/// How long an error waits for the exit status of a child whose output has ended.
const EXIT_STATUS_WAIT: Duration = Duration::from_millis(200);

/// A running child and what it wrote to standard error.
pub(super) struct ChildProcess {
    child: Mutex<Child>,
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
        let process = Self {
            group: child.id(),
            stderr: child.stderr.take().map(StderrTail::follow),
            child: Mutex::new(child),
            closed: AtomicBool::new(false),
        };
        Ok((process, stdout, stdin))
    }

    /// What it wrote last to standard error, as far as it was read.
    pub(super) fn last_words(&self) -> String {
        self.stderr.as_ref().map(StderrTail::text).unwrap_or_default()
    }

    /// How it ended, when it has, and its last words.
    pub(super) async fn end(&self) -> (Option<ExitStatus>, String) {
        let status = timeout(EXIT_STATUS_WAIT, async { self.child.lock().await.wait().await });
        let status = status.await.ok().and_then(Result::ok);
        let words = match &self.stderr {
            Some(stderr) => stderr.text_at_end().await,
            None => String::new(),
        };
        (status, words)
    }

    /// Waits for the child to end by itself, its standard input being closed; then TERM, then KILL, for its whole group.
    pub(super) async fn close(&self, grace: Duration) {
        let mut child = self.child.lock().await;
        if timeout(grace, child.wait()).await.is_err() {
            self.signal(Signal::Term);
            if timeout(grace, child.wait()).await.is_err() {
                self.signal(Signal::Kill);
                if let Err(error) = child.kill().await {
                    tracing::warn!(%error, "a server could not be killed");
                }
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

impl Drop for ChildProcess {
    /// The child itself is killed by `kill_on_drop`; its group must not outlive it.
    fn drop(&mut self) {
        if !self.closed.load(Ordering::Acquire) {
            self.signal(Signal::Kill);
        }
    }
}

#[derive(Clone, Copy)]
enum Signal {
    Probe,
    Term,
    Kill,
}
