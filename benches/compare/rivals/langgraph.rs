//! A Python environment with LangGraph, and the settings of its SQLite saver.

use std::path::{Path, PathBuf};
use std::{fs, io};

use tokio::process::Command;

use super::child::output;
use crate::stop::Stop;

/// Prints versions and settings, or fails where a package is missing.
const SAVER: &str = include_str!("saver.py");

/// A Python that can run the script.
pub struct Ready {
    pub python: PathBuf,
    /// Which versions it has and how the saver treats its database.
    pub note: String,
}

/// `python` itself when it has the packages, else an environment below `build` with those that the script's head asks for.
pub async fn environment(script: &Path, python: &Path, build: &Path, stop: &Stop) -> io::Result<Ready> {
    // A relative path stays valid whatever folder a child starts in; a bare name is looked up in the system's path.
    let python = if python.components().count() > 1 { std::path::absolute(python)? } else { python.to_path_buf() };
    if let Ok(note) = settings(&python, stop).await {
        return Ok(Ready { python, note });
    }
    let venv = build.join("venv");
    let own = venv.join("bin").join("python");
    if let Ok(note) = settings(&own, stop).await {
        return Ok(Ready { python: own, note });
    }
    let packages = requirements(&fs::read_to_string(script)?);
    if packages.is_empty() {
        return Err(io::Error::other(format!("{} does not name the packages it needs", script.display())));
    }
    eprintln!("Installing {} in {}", packages.join(" "), venv.display());
    fs::create_dir_all(build)?;
    succeed(Command::new(&python).args(["-m", "venv"]).arg(&venv), stop).await?;
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
    succeed(Command::new(&own).args(pip).args(&packages), stop).await?;
    Ok(Ready { note: settings(&own, stop).await?, python: own })
}

/// What the saver itself set up on a new database.
async fn settings(python: &Path, stop: &Stop) -> io::Result<String> {
    let mut command = Command::new(python);
    let printed = succeed(command.arg("-c").arg(SAVER).stderr(std::process::Stdio::null()), stop).await?;
    Ok(printed.trim().to_string())
}

async fn succeed(command: &mut Command, stop: &Stop) -> io::Result<String> {
    let ended = output(command, stop).await?;
    if ended.success {
        return Ok(ended.printed);
    }
    Err(io::Error::other(format!("{} failed", command.as_std().get_program().to_string_lossy())))
}

/// The packages of the first `pip install` in `text`, which may go on after lines that end with a backslash.
fn requirements(text: &str) -> Vec<String> {
    let Some((_, rest)) = text.split_once("pip install ") else { return Vec::new() };
    let mut packages = Vec::new();
    for line in rest.lines() {
        let (words, goes_on) = match line.trim_end().strip_suffix('\\') {
            Some(words) => (words, true),
            None => (line, false),
        };
        packages.extend(words.split_whitespace().map(|word| word.trim_matches(['\'', '"']).to_string()));
        if !goes_on {
            break;
        }
    }
    packages
}

#[cfg(test)]
mod tests {
    use super::requirements;

    #[test]
    fn the_packages_are_read_over_the_end_of_a_line() {
        let head =
            "\"\"\"A title.\n\nSetup:  V/bin/pip install one==1.2 two-three==3.1 \\\n    'four[binary]' five\nUsage: x";
        assert_eq!(requirements(head), ["one==1.2", "two-three==3.1", "four[binary]", "five"]);
        assert!(requirements("no such line").is_empty());
    }
}
