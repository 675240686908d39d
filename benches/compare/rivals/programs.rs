//! Builds a copy of the rivals' Rust workspace.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

use serde::Deserialize;
use tokio::process::Command;

use super::child::output;
use crate::stop::Stop;

/// The programs of `workspace`, built below `build`, by name.
pub async fn build(workspace: &Path, build: &Path, stop: &Stop) -> io::Result<Vec<PathBuf>> {
    eprintln!("Building the Rust rivals of {}", workspace.display());
    let copied = build.join("src");
    copy(workspace, &copied)?;
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    // What one program lacks must not cost the others theirs.
    command.args(["build", "--release", "--quiet", "--keep-going", "--message-format=json-render-diagnostics"]);
    command.arg("--target-dir").arg(build.join("target")).current_dir(&copied);
    let ended = output(&mut command, stop).await?;
    let mut programs: Vec<PathBuf> = ended.printed.lines().filter_map(executable).collect();
    programs.sort();
    if programs.is_empty() {
        return Err(io::Error::other("cargo build made no program"));
    }
    if !ended.success {
        eprintln!("Some of the Rust rivals could not be built; they are left out");
    }
    Ok(programs)
}

/// A line of Cargo about something that it built.
#[derive(Deserialize)]
struct Artifact {
    executable: Option<PathBuf>,
}

fn executable(line: &str) -> Option<PathBuf> {
    serde_json::from_str::<Artifact>(line).ok()?.executable
}

/// Copies what differs, so that an unchanged program is not built again.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            if entry.file_name() != "target" {
                copy(&path, &target)?;
            }
        } else if fs::read(&target).ok() != Some(fs::read(&path)?) {
            fs::copy(&path, &target)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use research_benches::folder::Folder;

    use super::{copy, executable};

    #[test]
    fn only_messages_with_a_program_name_one() {
        let built =
            r#"{"reason":"compiler-artifact","target":{"name":"bench-raw"},"executable":"/t/release/bench-raw"}"#;
        assert_eq!(executable(built).as_deref(), Some(Path::new("/t/release/bench-raw")));
        for other in [r#"{"reason":"compiler-artifact","executable":null}"#, r#"{"reason":"build-finished"}"#, "text"] {
            assert_eq!(executable(other), None);
        }
    }

    #[test]
    fn a_second_copy_leaves_what_is_the_same_untouched() {
        let (from, to) = (Folder::create().unwrap(), Folder::create().unwrap());
        fs::create_dir(from.path().join("src")).unwrap();
        fs::create_dir(from.path().join("target")).unwrap();
        fs::write(from.path().join("src/main.rs"), "fn main() {}").unwrap();
        copy(from.path(), to.path()).unwrap();
        let changed = |name| fs::metadata(to.path().join(name)).unwrap().modified().unwrap();
        let first = changed("src/main.rs");
        fs::write(from.path().join("Cargo.toml"), "[workspace]").unwrap();
        copy(from.path(), to.path()).unwrap();
        assert_eq!(changed("src/main.rs"), first);
        assert!(to.path().join("Cargo.toml").exists() && !to.path().join("target").exists());
    }
}
