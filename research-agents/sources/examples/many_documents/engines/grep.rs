//! ripgrep over the files.

use std::error::Error;
use std::path::Path;
use std::process::Command;

use crate::engines::measured::Measured;

/// Lists the files that have any of the words. There is no index and no rank.
pub(crate) fn measure(folder: &Path) -> Result<Measured, Box<dyn Error>> {
    let mut measured = Measured::new("ripgrep, files with any word");
    measured.ask(|query| {
        let mut command = Command::new("rg");
        command.args([
            "--files-with-matches",
            "--ignore-case",
            "--word-regexp",
            "--no-messages",
        ]);
        for word in query
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
        {
            command.args(["-e", word]);
        }
        let output = command.arg(folder).output()?;
        let files = String::from_utf8_lossy(&output.stdout).lines().count();
        measured_files(files)
    })?;
    Ok(measured)
}

#[expect(clippy::cast_precision_loss, reason = "a number of files")]
fn measured_files(files: usize) -> std::io::Result<Vec<(String, f64)>> {
    Ok(vec![("files".to_owned(), files as f64)])
}
