//! A run on the command line: its files, its events until it ends, and Ctrl-C.

use std::error::Error;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::process::ExitCode;

use futures::StreamExt;
use research_agents::kernel::Bundle;
use research_agents::runtime::event::{EventKind, RunEvent};
use research_agents::runtime::run::{Ended, RunStream, System, replay};
use serde::Serialize;
use tokio_util::sync::CancellationToken;

use crate::cli::interrupt::{Interrupted, Interrupts, Kept, STATUS, ended};
use crate::cli::line::Line;
use crate::cli::report_file::{ReportFile, not_written, writable};
use crate::cli::{self, whole_file};
use crate::documents::view::{Json, People, View};

/// Exit status of a run that waits for an answer.
const WAITS: u8 = 3;

/// Runs a program with the view that was asked for, and tells what ends it. `own` gives the lines of an event that only the
/// system has.
pub async fn present<E: Serialize + 'static>(
    (json, steps): (bool, bool),
    own: fn(&E) -> Vec<Line>,
    work: impl AsyncFnOnce(&mut dyn View<E>, Interrupts) -> Result<ExitCode, Box<dyn Error>>,
) -> ExitCode {
    let mut view: Box<dyn View<E>> =
        if json { Box::new(Json(io::stdout())) } else { Box::new(People::new(io::stdout(), steps, own)) };
    match work(&mut *view, Interrupts::listen()).await {
        Ok(code) => code,
        Err(error) if ended(&*error) => {
            view.note(&error.to_string());
            ExitCode::from(STATUS)
        }
        Err(error) => cli::fail(&*error),
    }
}

/// What is written next to standard output.
pub struct Files {
    report: Option<ReportFile>,
    bundle: Option<PathBuf>,
}

impl Files {
    /// Finds out before the work that the files can be written after it.
    pub fn open(report: Option<&Path>, bundle: Option<&Path>) -> Result<Self, Box<dyn Error>> {
        if let Some(path) = bundle {
            writable(path).map_err(|error| not_written("--export", path, &error))?;
        }
        Ok(Self { report: report.map(ReportFile::open).transpose()?, bundle: bundle.map(Path::to_path_buf) })
    }

    /// Whether a bundle is written.
    pub fn has_bundle(&self) -> bool {
        self.bundle.is_some()
    }

    /// Writes the bundle of a run, which says whether it replays: that is tried at once.
    async fn export<S: System>(&self, bundle: &Bundle, view: &mut dyn View<S::Event>) -> Result<(), Box<dyn Error>> {
        let Some(path) = &self.bundle else { return Ok(()) };
        let mut bundle = Bundle::from_json(&bundle.to_json()?)?;
        let tried = match replay::<S>(&bundle) {
            Ok(replay) => replay.await.map(drop),
            Err(error) => Err(error),
        };
        bundle.replays = tried.is_ok();
        whole_file::write(path, &bundle.to_json()?).map_err(|error| not_written("--export", path, &error))?;
        let documents = bundle.evidence.passages.documents().len();
        view.note(&format!("exported to {}: {documents} documents", path.display()));
        if let Err(error) = tried {
            view.note(&format!("WARNING: this bundle does not replay, and says so: {error}"));
        }
        Ok(())
    }
}

/// Opens the replay of a bundle.
pub fn open_replay<S: System>(path: &Path) -> Result<RunStream<S>, Box<dyn Error>> {
    let told = |error: &dyn Error| format!("--replay {}: {error}", path.display());
    let file = File::open(path).map_err(|error| told(&error))?;
    let bundle = Bundle::read(file).map_err(|error| told(&error))?;
    Ok(replay::<S>(&bundle).map(|replay| replay.stream()).map_err(|error| told(&error))?)
}

/// Shows the events of the run until it has ended. The first Ctrl-C ends it with a report of what was found, the second at
/// once. A run that is kept ends at the first: it can be gone on with.
pub async fn watch<S>(
    mut events: RunStream<S>,
    cancel: CancellationToken,
    is_kept: bool,
    view: &mut dyn View<S::Event>,
    files: &Files,
    interrupts: &Interrupts,
) -> Result<ExitCode, Box<dyn Error>>
where
    S: System<Outcome = Ended<<S as System>::State>>,
{
    let mut last = None;
    let mut first = pin!(interrupts.clone().reach(1));
    let mut second = pin!(interrupts.clone().reach(2));
    loop {
        let event = tokio::select! {
            biased;
            event = events.next() => event,
            () = &mut first, if !cancel.is_cancelled() => {
                if is_kept {
                    return Err(Kept.into());
                }
                view.note("stopping: the report will cover what was found so far (Ctrl-C again to stop at once)");
                cancel.cancel();
                continue;
            }
            () = &mut second => return Err(Interrupted.into()),
        };
        let Some(event) = event else { break };
        if let (EventKind::Run(RunEvent::ReportEnd { report, document }), Some(file)) = (&event.kind, &files.report) {
            file.write(report, document.as_deref())?;
        }
        if matches!(event.kind, EventKind::Run(RunEvent::RunCompleted { .. })) {
            last = Some(event);
            break;
        }
        view.show(&event)?;
    }

    let outcome = events.outcome().await;
    if let Ok(ended) = &outcome
        && let Some(bundle) = &ended.bundle
    {
        files.export::<S>(bundle, view).await?;
    }
    if let Some(event) = last {
        view.show(&event)?;
    }
    // What went wrong was told by the terminal event.
    Ok(match outcome {
        Ok(_) => ExitCode::SUCCESS,
        Err(research_agents::Error::ClarificationRequired { .. }) => {
            view.note("answer with the same --thread and --db and --answer \"…\"");
            ExitCode::from(WAITS)
        }
        Err(_) => ExitCode::FAILURE,
    })
}
