//! Bundles of runs as files: written after a run with `--export`, and read by `--replay`.

use std::error::Error;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use research_agents::dataset::{DatasetReport, DatasetStream, replay};
use research_agents::kernel::Bundle;
use research_examples::cli::report_file::{not_written, writable};
use research_examples::cli::whole_file;

use super::teller::Teller;

/// A file that a bundle can be written to.
pub struct BundleFile(PathBuf);

impl BundleFile {
    /// Finds out before the work that the bundle can be written after it. Leaves no file behind, for the work may fail.
    pub fn open(path: &Path) -> Result<Self, Box<dyn Error>> {
        writable(path).map_err(|error| not_written("--export", path, &error))?;
        Ok(Self(path.to_path_buf()))
    }

    /// Writes the bundle of a run, and says whether the run replays from it: it is tried at once, which asks nobody.
    pub async fn write(&self, report: &DatasetReport, teller: &mut Teller) -> Result<(), Box<dyn Error>> {
        let path = self.0.display();
        let kept =
            report.bundle().ok_or_else(|| format!("--export {path}: the run has no report that can be checked"))?;
        // What is tried is what a reader gets.
        let mut bundle = Bundle::from_json(&kept.to_json()?)?;
        let outcome = match replay(&bundle) {
            Ok(replay) => replay.await.map(drop),
            Err(error) => Err(error),
        };
        bundle.replays = outcome.is_ok();
        whole_file::write(&self.0, &bundle.to_json()?).map_err(|error| not_written("--export", &self.0, &error))?;
        let exchanges: usize = bundle.effects.iter().map(|effect| effect.exchanges.len()).sum();
        let holds = format!("{} records and {exchanges} recorded exchanges", bundle.evidence.sources.len());
        match outcome {
            Ok(()) => {
                teller.note(&format!("exported to {path}: {holds}; --replay gives the same report byte for byte"))
            }
            Err(error) => {
                teller.note(&format!("exported to {path}: {holds}"));
                teller.note(&format!("WARNING: this bundle does not replay, and says so: {error}"));
            }
        }
        Ok(())
    }
}

/// The run of a bundle, to be gone through again.
pub fn open_replay(path: &Path) -> Result<DatasetStream, Box<dyn Error>> {
    let told = |error: &dyn Error| format!("--replay {}: {error}", path.display());
    let file = File::open(path).map_err(|error| {
        let remedy = match error.kind() {
            io::ErrorKind::NotFound => "; name a file that --export has written",
            _ => "",
        };
        format!("{}{remedy}", told(&error))
    })?;
    let bundle = Bundle::read(file).map_err(|error| told(&error))?;
    Ok(replay(&bundle).map(|replay| replay.stream()).map_err(|error| told(&error))?)
}
