//! Programs of other engines: made ready from a folder that stays as it is, run in turn, their lines read.

mod child;
mod langgraph;
mod lines;
mod programs;

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::{env, io};

use research_benches::folder::Folder;
use tokio::process::Command;

use crate::arguments::Arguments;
use crate::reading::Reading;
use crate::stop::Stop;
use crate::workload::Group;
use child::{Ended, output};

/// What the rows of one of the programs are.
const RAW: &str = "raw is tokio without an engine as the rivals measure it; the word after it says in which way.";

/// A program that measures one or more participants.
struct Rival {
    program: PathBuf,
    /// The script that the program interprets, and that takes the filter as its argument.
    script: Option<PathBuf>,
    /// Filters for which it printed nothing.
    idle: HashSet<&'static str>,
}

/// All programs that could be made ready.
pub struct Rivals {
    all: Vec<Rival>,
    /// What the reader of the table should know about them.
    pub notes: Vec<String>,
    /// Where they keep what they write.
    scratch: Folder,
    stop: Stop,
}

impl Rivals {
    /// Builds what is in `folder`. What cannot be made ready is told on standard error and left out.
    pub async fn prepare(folder: &Path, arguments: &Arguments, stop: &Stop) -> io::Result<Self> {
        let (workspace, script) = (folder.join("rust"), folder.join("langgraph_bench.py"));
        if !workspace.join("Cargo.toml").is_file() && !script.is_file() {
            let text = format!("{}: neither rust/Cargo.toml nor langgraph_bench.py is there", folder.display());
            return Err(io::Error::new(io::ErrorKind::NotFound, text));
        }
        let mut rivals = Self { all: Vec::new(), notes: Vec::new(), scratch: Folder::create()?, stop: stop.clone() };
        let build = build_folder()?;
        if workspace.join("Cargo.toml").is_file() {
            match programs::build(&workspace, &build, stop).await {
                Ok(programs) => {
                    if programs.iter().any(|program| program.ends_with("bench-raw")) {
                        rivals.notes.push(RAW.to_string());
                    }
                    rivals.all.extend(programs.into_iter().map(|program| Rival::new(program, None)));
                }
                Err(problem) => eprintln!("The Rust rivals are left out: {problem}"),
            }
        }
        if script.is_file() && !stop.asked() {
            match langgraph::environment(&script, &arguments.python, &build, stop).await {
                Ok(ready) => {
                    rivals.all.push(Rival::new(ready.python, Some(script.canonicalize()?)));
                    rivals.notes.push(ready.note);
                }
                Err(problem) => eprintln!("LangGraph is left out: {problem}"),
            }
        }
        Ok(rivals)
    }

    /// Gives every rival its turn at the workloads of `group`.
    pub async fn turn(&mut self, group: &Group) -> Vec<Reading> {
        let mut readings = Vec::new();
        for rival in &mut self.all {
            if rival.idle.contains(group.filter) || self.stop.asked() {
                continue;
            }
            let printed = match output(&mut rival.command(group.filter, self.scratch.path()), &self.stop).await {
                Ok(Ended { success: true, printed }) => printed,
                Ok(Ended { printed, .. }) => {
                    eprintln!("{} failed at {}", rival.program.display(), group.filter);
                    printed
                }
                Err(_) if self.stop.asked() => break,
                Err(problem) => {
                    eprintln!("{} at {}: {problem}", rival.program.display(), group.filter);
                    continue;
                }
            };
            let found = printed.lines().filter_map(lines::read);
            let before = readings.len();
            readings.extend(found.filter(|reading| group.workloads.iter().any(|one| one.name == reading.workload)));
            if readings.len() == before {
                rival.idle.insert(group.filter);
            }
        }
        readings
    }
}

impl Rival {
    fn new(program: PathBuf, script: Option<PathBuf>) -> Self {
        Self { program, script, idle: HashSet::new() }
    }

    fn command(&self, filter: &str, scratch: &Path) -> Command {
        let mut command = Command::new(&self.program);
        match &self.script {
            Some(script) => command.arg(script).arg(filter),
            None => command.env("BENCH_ONLY", filter),
        };
        // A database server is no part of this comparison, and nothing may be written beside the script.
        command.env_remove("PG_URL").env("PYTHONDONTWRITEBYTECODE", "1").env("TMPDIR", scratch).current_dir(scratch);
        command
    }
}

/// A folder for copies and builds, in the target directory that this program was built in.
fn build_folder() -> io::Result<PathBuf> {
    let program = env::current_exe()?;
    let target = program.ancestors().nth(2).unwrap_or(Path::new("."));
    Ok(target.join("compare"))
}
