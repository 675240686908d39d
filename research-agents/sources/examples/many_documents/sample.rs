//! The files that are read.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What was taken.
pub(crate) struct Sample {
    pub(crate) files: usize,
    pub(crate) megabytes: f64,
}

/// Returns the folder of the documentation that rustup's component `rust-docs` installs.
pub(crate) fn documentation_of_the_toolchain() -> Result<PathBuf, Box<dyn Error>> {
    let output = Command::new("rustc")
        .args(["--print", "sysroot"])
        .output()?;
    let root = PathBuf::from(String::from_utf8(output.stdout)?.trim());
    let folder = root.join("share/doc");
    if folder.is_dir() {
        return Ok(folder);
    }
    Err(
        "the toolchain has no documentation: `rustup component add rust-docs`, or name a folder"
            .into(),
    )
}

/// Copies a number of HTML files, evenly spread over the paths in order.
pub(crate) fn copy(from: &Path, to: &Path, number: usize) -> Result<Sample, Box<dyn Error>> {
    let mut paths = Vec::new();
    collect(from, &mut paths)?;
    paths.sort_unstable();
    let number = number.min(paths.len());

    let mut bytes = 0;
    for taken in 0..number {
        let path = &paths[taken * paths.len() / number];
        let target = to.join(path.strip_prefix(from)?);
        if let Some(folder) = target.parent() {
            fs::create_dir_all(folder)?;
        }
        bytes += fs::copy(path, target)?;
    }
    #[expect(clippy::cast_precision_loss, reason = "a size that is printed")]
    Ok(Sample {
        files: number,
        megabytes: bytes as f64 / 1e6,
    })
}

fn collect(folder: &Path, paths: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let (kind, path) = (entry.file_type()?, entry.path());
        if kind.is_dir() {
            collect(&path, paths)?;
        } else if kind.is_file() && path.extension().is_some_and(|ending| ending == "html") {
            paths.push(path);
        }
    }
    Ok(())
}
