//! Fields and report file from the command line.

use std::error::Error;
use std::fs::{self, OpenOptions};
use std::io;
use std::path::Path;

/// The fields of a comma-separated list.
pub fn split_fields(list: &str) -> Result<Vec<String>, Box<dyn Error>> {
    let fields: Vec<String> =
        list.split(',').map(str::trim).filter(|field| !field.is_empty()).map(str::to_string).collect();
    if fields.is_empty() {
        return Err("--group-by names no field; --list-fields shows which there are".into());
    }
    Ok(fields)
}

/// Finds out before the work that the report can be written after it. Leaves no file behind, for the work may fail.
pub fn check_writable(path: &Path) -> Result<(), Box<dyn Error>> {
    let checked = match OpenOptions::new().write(true).create_new(true).open(path) {
        Ok(_) => fs::remove_file(path),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            OpenOptions::new().append(true).open(path).map(drop)
        }
        Err(error) => Err(error),
    };
    checked.map_err(|error| not_written(path, &error))
}

/// Writes the report.
pub fn write_report(path: &Path, report: &str) -> Result<(), Box<dyn Error>> {
    fs::write(path, report).map_err(|error| not_written(path, &error))
}

fn not_written(path: &Path, error: &io::Error) -> Box<dyn Error> {
    let remedy = match error.kind() {
        io::ErrorKind::NotFound => "create its directory first",
        _ => "name a file that you may write",
    };
    format!("--report {}: {error}; {remedy}", path.display()).into()
}
