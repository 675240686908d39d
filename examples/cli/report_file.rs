//! The file that the report is written to: Markdown, HTML or JSON, by its ending.

use std::error::Error;
use std::fs::{self, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use research_agents::kernel::{Rendering, Report};

use super::whole_file;

/// A file that can be written.
pub struct ReportFile {
    path: PathBuf,
    rendering: Rendering,
}

impl ReportFile {
    /// Finds out before the work that the report can be written after it. Leaves no file behind, for the work may fail.
    pub fn open(path: &Path) -> Result<Self, Box<dyn Error>> {
        let rendering = match path.extension() {
            None => Rendering::Markdown,
            Some(ending) => ending.to_string_lossy().parse().map_err(|error| {
                format!("--report {}: {error}; end the name in .md, .html or .json", path.display())
            })?,
        };
        writable(path).map_err(|error| not_written("--report", path, &error))?;
        Ok(Self { path: path.to_path_buf(), rendering })
    }

    /// Writes the report.
    pub fn write(&self, markdown: &str, document: Option<&Report>) -> Result<(), Box<dyn Error>> {
        let text = match document {
            Some(document) => document.render(self.rendering)?,
            None if self.rendering == Rendering::Markdown => markdown.to_owned(),
            None => {
                return Err(
                    format!("--report {}: the report is text only; end the name in .md", self.path.display()).into()
                );
            }
        };
        whole_file::write(&self.path, &text).map_err(|error| not_written("--report", &self.path, &error))
    }
}

/// Whether a file can be written. Leaves none behind.
pub fn writable(path: &Path) -> io::Result<()> {
    match OpenOptions::new().write(true).create_new(true).open(path) {
        Ok(_) => fs::remove_file(path),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            OpenOptions::new().append(true).open(path).map(drop)
        }
        Err(error) => Err(error),
    }
}

/// The error of an option whose file cannot be written.
pub fn not_written(option: &str, path: &Path, error: &io::Error) -> Box<dyn Error> {
    let remedy = match error.kind() {
        io::ErrorKind::NotFound => "create its directory first",
        _ => "name a file that you may write",
    };
    format!("{option} {}: {error}; {remedy}", path.display()).into()
}
