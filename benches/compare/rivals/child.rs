//! A child process in a group of its own, which ends with its parent's interest in it.

use std::io;
use std::process::Stdio;
use std::time::Duration;

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use tokio::io::AsyncReadExt;
use tokio::process::Command;
use tokio::time::{sleep, timeout};

use crate::stop::Stop;

/// No build and no turn takes this long unless it hangs.
const PATIENCE: Duration = Duration::from_secs(30 * 60);
/// Time for a group to tidy up after it was asked to end.
const GRACE: Duration = Duration::from_secs(2);

/// How a child ended.
#[derive(Debug)]
pub struct Ended {
    pub success: bool,
    /// Its standard output.
    pub printed: String,
}

/// Runs a command to its end. When the comparison is to stop, or the child takes too long, its whole group is ended and an
/// error says so. Its standard error goes where ours goes.
pub async fn output(command: &mut Command, stop: &Stop) -> io::Result<Ended> {
    let spawned = command.stdin(Stdio::null()).stdout(Stdio::piped()).process_group(0).spawn();
    let mut child = spawned.map_err(|error| {
        io::Error::new(error.kind(), format!("{}: {error}", command.as_std().get_program().to_string_lossy()))
    })?;
    let mut group = Group(child.id().map(|id| Pid::from_raw(id.cast_signed())));
    let mut printed = Vec::new();
    let mut pipe = child.stdout.take();
    let finish = async {
        if let Some(pipe) = &mut pipe {
            pipe.read_to_end(&mut printed).await?;
        }
        child.wait().await
    };
    let ended = tokio::select! {
        ended = timeout(PATIENCE, finish) => ended.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into())),
        () = stop.wait() => Err(io::ErrorKind::Interrupted.into()),
    };
    match ended {
        Ok(status) => {
            group.0 = None;
            Ok(Ended { success: status.success(), printed: String::from_utf8_lossy(&printed).into_owned() })
        }
        Err(error) => {
            group.signal(Signal::SIGTERM);
            let _ = timeout(GRACE, child.wait()).await;
            sleep(Duration::from_millis(100)).await;
            Err(error)
        }
    }
}

/// The processes of one child, by its id. Those left when this value goes are killed.
struct Group(Option<Pid>);

impl Group {
    fn signal(&self, signal: Signal) {
        if let Some(group) = self.0 {
            // The group may have ended by itself.
            let _ = killpg(group, signal);
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.signal(Signal::SIGKILL);
    }
}
