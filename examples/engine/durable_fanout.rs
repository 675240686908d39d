//! A program that can be killed: it fans out slow tasks, and a later start goes on with those that had not finished.
//!
//! Each task appends `start I` and `end I` to a log file, so that everybody can see what ran and what did not run again; a
//! join sums the squares that they give. Try it:
//!
//! ```sh
//! cargo run --example durable_fanout -- --db sqlite:fan.db --tasks 40 --task-ms 500
//! # kill -9 it from another terminal, or press Ctrl-C, and start it again in the same way
//! ```
//!
//! Standard output has `resumed K` where the thread was begun before, K being the results that were there already, and at the
//! end `done SUM`. Progress goes to standard error.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::{Parser, ValueEnum};
use indicatif::ProgressBar;
use research_core::checkpoint::StoreError;
use research_core::{BuildError, CompiledGraph, Cx, Durability, END, Graph, NodeError, RunError, Sends, State};
use research_core_sqlite::SqliteCheckpointer;
use serde::{Deserialize, Serialize};

const EXAMPLES: &str = "\
Examples:
  durable_fanout --db sqlite:fan.db
      16 tasks of 200 ms on the thread `default`; started again, it goes on where it was

  durable_fanout --db sqlite:fan.db --thread big --tasks 1000 --task-ms 50 --parallel 100
      another thread of the same file, which knows nothing of the first

  durable_fanout --db sqlite:fan.db --durability async --log fan.log
      stores results while others run: faster, and a kill may cost the last few of them";

/// Fans out tasks, sums their results, and survives being killed in between.
#[derive(Debug, Parser)]
#[command(name = "durable_fanout", after_help = EXAMPLES)]
struct Arguments {
    /// The database: `sqlite:PATH`; the file is made when it is not there
    #[arg(long, value_name = "URL")]
    db: String,
    /// The thread that keeps the run; one that was begun is gone on with
    #[arg(long, value_name = "ID", default_value = "default")]
    thread: String,
    /// How many tasks a new thread begins with
    #[arg(long, value_name = "N", default_value_t = 16)]
    tasks: u64,
    /// How long each task takes, in milliseconds
    #[arg(long, value_name = "M", default_value_t = 200)]
    task_ms: u64,
    /// How many tasks run at the same time
    #[arg(long, value_name = "P", default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..))]
    parallel: u16,
    /// The file that `start I` and `end I` are appended to
    #[arg(long, value_name = "FILE", default_value = "durable_fanout.log")]
    log: PathBuf,
    /// When results are stored
    #[arg(long, value_enum, default_value_t = When::Sync)]
    durability: When,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum When {
    /// Each result as it comes, before anything is built on it: a kill costs what was running
    Sync,
    /// While other tasks run: a kill may also cost results of the last moments
    Async,
    /// When the program ends: a kill loses the run, and the next start begins anew
    Exit,
}

/// What the thread keeps. The time that a task takes and the log belong to the process: they are resources.
#[derive(Clone, Default, Serialize, Deserialize, State)]
struct Squares {
    tasks: u64,
    #[reduce(append)]
    squares: Vec<u64>,
    sum: u64,
}

struct Host {
    pause: Duration,
    log: File,
    progress: ProgressBar,
}

impl Host {
    /// Appends a line by one system call, so that lines of tasks and of processes that share the file never mix. What was
    /// handed to the system outlives the process.
    fn note(&self, line: String) -> io::Result<()> {
        (&self.log).write_all(line.as_bytes())
    }
}

async fn square(cx: Cx<Squares, Host>, number: u64) -> Result<SquaresUpdate, NodeError> {
    cx.resources.note(format!("start {number}\n"))?;
    tokio::time::sleep(cx.resources.pause).await;
    cx.resources.note(format!("end {number}\n"))?;
    cx.resources.progress.inc(1);
    Ok(Squares::update().squares([number * number]))
}

async fn sum(cx: Cx<Squares, Host>) -> Result<SquaresUpdate, NodeError> {
    Ok(Squares::update().sum(cx.state.squares.iter().sum::<u64>()))
}

fn graph() -> Result<CompiledGraph<Squares, Host>, BuildError> {
    let mut g = Graph::<Squares, Host>::new("durable fan-out");
    let (square, sum) = (g.task("square", square), g.node("sum", sum));
    g.entry_route(move |s: &Squares| (0..s.tasks).map(|number| square.send(number)).collect::<Sends>())
        .join([square], sum)
        .edge(sum, END);
    g.compile()
}

#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error("the log file `{}` cannot be written: {reason}", path.display())]
    Log { path: PathBuf, reason: io::Error },
    #[error("the database `{url}` cannot be opened: {reason}")]
    Open { url: String, reason: StoreError },
    #[error("another process has taken the thread `{thread}` over; it goes on from what was stored")]
    TakenOver { thread: String },
    #[error(transparent)]
    Build(#[from] BuildError),
    #[error(transparent)]
    Run(#[from] RunError),
}

#[tokio::main]
async fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match run(&arguments).await {
        Ok(Some(sum)) => {
            println!("done {sum}");
            ExitCode::SUCCESS
        }
        Ok(None) => {
            eprintln!("stopped; what finished is kept: start it again with the same --db and --thread to go on");
            ExitCode::from(130)
        }
        Err(failure) => {
            eprintln!("error: {failure}");
            ExitCode::FAILURE
        }
    }
}

/// Gives the sum, or nothing when Ctrl-C came first.
async fn run(arguments: &Arguments) -> Result<Option<u64>, Failure> {
    let Arguments { db, thread, tasks, task_ms, parallel, log, durability } = arguments;
    let log = OpenOptions::new()
        .create(true)
        .append(true)
        .open(log)
        .map_err(|reason| Failure::Log { path: log.clone(), reason })?;
    // Other processes may write to the file, and on a busy machine one of them can keep the rest waiting for a while.
    let store = SqliteCheckpointer::builder().busy_timeout(Duration::from_secs(60)).from_url(db).await;
    let store = store.map_err(|reason| Failure::Open { url: db.clone(), reason })?;
    let graph = graph()?.with_checkpointer(store);

    // The bar is drawn on standard error, and only where that is a terminal.
    let progress = ProgressBar::new(*tasks);
    if let Some(known) = graph.thread(&**thread).state().await? {
        // Results are recorded one by one while the fan-out runs; once it is complete they are in the state.
        let fans_out = known.next.iter().any(|name| name == "square");
        let results = known.state.squares.len() + if fans_out { known.recorded } else { 0 };
        println!("resumed {results}");
        if known.state.tasks != *tasks {
            eprintln!("the thread `{thread}` began with {} tasks, and goes on with them", known.state.tasks);
        }
        progress.set_length(known.state.tasks);
        progress.set_position(results as u64);
    }
    let host = Host { pause: Duration::from_millis(*task_ms), log, progress: progress.clone() };
    let done = graph
        .run_or_resume(Squares::update().tasks(*tasks))
        .thread(&**thread)
        .resources(host)
        .durability(match durability {
            When::Sync => Durability::Sync,
            When::Async => Durability::Async,
            When::Exit => Durability::Exit,
        })
        .max_concurrency(usize::from(*parallel))
        // Ctrl-C drops the tasks that run, keeps the results of those that finished, and ends the run in good order.
        .cancel_on(async {
            if tokio::signal::ctrl_c().await.is_err() {
                std::future::pending::<()>().await;
            }
        })
        .await;
    progress.abandon();
    match done {
        Ok(done) => Ok(Some(done.state.sum)),
        Err(error) if error.is_cancelled() => Ok(None),
        Err(error) if error.is_thread_conflict() => Err(Failure::TakenOver { thread: thread.clone() }),
        Err(error) => Err(error.into()),
    }
}
