//! Many real documents: time, memory and right results beside ripgrep and SQLite FTS5.
//!
//! ```sh
//! cargo run --release -p research-agents-sources --features index-file \
//!     --example many_documents -- [FOLDER] [NUMBER]
//! ```
//!
//! Takes `NUMBER` HTML files (20,000 by default) of `FOLDER`, by default of the documentation that
//! the Rust toolchain installs. Each engine reads the same files in a process of its own, whose
//! peak memory is read from the kernel. FTS5 gets the passages that our reader made, because SQLite
//! reads no HTML; ripgrep searches the files as they are and ranks nothing. The best ten passages
//! of every query are compared with those of a scorer that reads all passages and has no index.

#![expect(clippy::print_stdout, reason = "a program prints its tables")]

mod engines;
mod queries;
mod sample;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::engines::{Measured, brute, fts5, grep, ours};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    // A child process, which is one engine.
    if let [flag, engine, folder] = &arguments[..]
        && flag == "--engine"
    {
        let folder = Path::new(folder);
        let measured = match engine.as_str() {
            "ours" => ours::measure(folder, None)?,
            "ours-file" => ours::measure(folder, Some(&folder.with_extension("index")))?,
            "fts5" => fts5::measure(folder)?,
            "ripgrep" => grep::measure(folder)?,
            "brute" => brute::measure(folder)?,
            other => return Err(format!("there is no engine `{other}`").into()),
        };
        println!("{}", serde_json::to_string(&measured)?);
        return Ok(());
    }

    let from = match arguments.first() {
        Some(folder) => PathBuf::from(folder),
        None => sample::documentation_of_the_toolchain()?,
    };
    let number = match arguments.get(1) {
        Some(number) => number.parse()?,
        None => 20_000,
    };
    let scratch = tempfile::tempdir()?;
    let folder = scratch.path().join("documents");
    let sample = sample::copy(&from, &folder, number)?;
    println!(
        "{} HTML files, {:.1} MB, of {}",
        sample.files,
        sample.megabytes,
        from.display()
    );

    let mut measured = Vec::new();
    // The second run over the file finds every document unchanged.
    for engine in ["ours", "ours-file", "ours-file", "fts5", "ripgrep", "brute"] {
        match in_its_own_process(engine, &folder) {
            Ok(one) => measured.push(one),
            Err(error) => println!("{engine}: not measured: {error}"),
        }
    }
    report(&measured)
}

fn in_its_own_process(engine: &str, folder: &Path) -> Result<Measured, Box<dyn Error>> {
    let program = std::env::current_exe()?;
    let output = Command::new(program)
        .args(["--engine", engine])
        .arg(folder)
        .output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr)
            .trim()
            .to_owned()
            .into());
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// Prints the table, and compares the results with those of the scorer without an index.
fn report(measured: &[Measured]) -> Result<(), Box<dyn Error>> {
    println!(
        "| engine | documents | passages | read, s | index, s | memory, MB | query, median ms | \
         slowest ms |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for one in measured {
        let mut times = one.query_ms.clone();
        times.sort_by(f64::total_cmp);
        let median = times.get(times.len() / 2).copied().unwrap_or_default();
        let slowest = times.last().copied().unwrap_or_default();
        println!(
            "| {} | {} | {} | {:.1} | {:.1} | {:.0} | {median:.2} | {slowest:.2} |",
            one.engine, one.documents, one.passages, one.read_s, one.index_s, one.memory_mb
        );
    }

    let Some(truth) = measured.iter().find(|one| one.engine == engines::BRUTE) else {
        return Err("there is nothing to compare the results with".into());
    };
    for one in measured.iter().filter(|one| one.ranks_as_we_do) {
        let same = one
            .best
            .iter()
            .zip(&truth.best)
            .filter(|(ours, theirs)| agree(ours, theirs));
        println!(
            "{}: the best ten of {} of {} queries",
            one.engine,
            same.count(),
            truth.best.len()
        );
    }
    Ok(())
}

/// Whether two rankings have the same scores, and the same passages wherever scores differ.
fn agree(ours: &[(String, f64)], theirs: &[(String, f64)]) -> bool {
    let near = |a: f64, b: f64| (a - b).abs() <= 1e-3 * a.abs().max(1.0);
    ours.len() == theirs.len()
        && ours
            .iter()
            .zip(theirs)
            .all(|(ours, theirs)| near(ours.1, theirs.1))
        && ours.iter().all(|(name, score)| {
            let last = theirs.last().is_some_and(|last| near(last.1, *score));
            last || theirs.iter().any(|(other, _)| other == name)
        })
}
