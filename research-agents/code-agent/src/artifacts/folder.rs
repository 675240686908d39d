//! Runs as files of a folder outside of the code base.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::run::{ResearchRun, RunId};

/// A folder with a file for each run.
#[derive(Clone, Debug)]
pub(super) struct Folder(PathBuf);

impl Folder {
    /// Opens a folder, which is made when it is not there.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        fs::create_dir_all(path)?;
        Ok(Self(path.canonicalize()?))
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    /// Returns the name of the file of a run: its id, which has only hexadecimal digits.
    fn file(&self, id: &RunId) -> PathBuf {
        self.0.join(format!("{id}.json"))
    }

    /// Reads the runs that are younger than a time, oldest first, with their age. Older files of
    /// runs are removed; other files are left alone.
    pub(super) fn read(&self, life: Duration) -> Vec<(Duration, ResearchRun)> {
        let mut runs = Vec::new();
        let entries = fs::read_dir(&self.0).into_iter().flatten().flatten();
        for entry in entries {
            let path = entry.path();
            let name = path.file_name().and_then(|name| name.to_str());
            let id = name.and_then(|name| RunId::parse(name.strip_suffix(".json")?));
            let modified = entry.metadata().and_then(|metadata| metadata.modified());
            let (Some(id), Ok(modified)) = (id, modified) else {
                continue;
            };

            let age = SystemTime::now()
                .duration_since(modified)
                .unwrap_or_default();
            if age >= life {
                self.remove(&id);
                continue;
            }
            let run = fs::read(&path).ok();
            let run = run.and_then(|bytes| serde_json::from_slice::<ResearchRun>(&bytes).ok());
            runs.extend(run.filter(|run| run.run_id == id).map(|run| (age, run)));
        }
        runs.sort_by_key(|(age, _)| std::cmp::Reverse(*age));
        runs
    }

    /// Writes a run as a whole: under another name first, which then replaces it.
    pub(super) fn write(&self, run: &ResearchRun) -> io::Result<()> {
        let file = self.file(&run.run_id);
        let part = file.with_extension("part");
        let text = serde_json::to_vec(run)?;
        fs::write(&part, text).and_then(|()| fs::rename(&part, &file))
    }

    pub(super) fn remove(&self, id: &RunId) {
        // A file that is gone needs no removal.
        drop(fs::remove_file(self.file(id)));
    }
}
