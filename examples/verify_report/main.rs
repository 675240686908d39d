//! Checks a bundle of a research run again, and prints what holds and what does not.

mod args;
mod json;
mod people;

use std::error::Error;
use std::fmt;
use std::fs::File;
use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;
use research_agents::dataset;
use research_agents::kernel::Bundle;
use research_agents::kernel::bundle::Verification;
#[cfg(feature = "sources")]
use research_agents::{
    feedback::FeedbackAgent,
    runtime::run::{self, Hosted, System},
    scr::system::MemoWorkflow,
    studio::Studio,
};
use research_examples::cli::say;

use args::Args;

/// Exit code when something does not hold.
const BROKEN: u8 = 1;
/// Exit code when there is nothing that could be checked.
const UNREADABLE: u8 = 2;

fn main() -> ExitCode {
    let args = Args::parse();
    match run(&args) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(BROKEN),
        Err(error) if is_broken_pipe(&*error) => ExitCode::from(UNREADABLE),
        Err(error) => {
            say(format_args!("error: {error}"));
            ExitCode::from(UNREADABLE)
        }
    }
}

/// Whether everything holds that could be checked.
fn run(args: &Args) -> Result<bool, Box<dyn Error>> {
    let bundle = read(args)?;
    let verification = verify(&bundle)?;
    let text = if args.json {
        json::text(&bundle, &verification)?
    } else {
        people::text(&args.bundle.display().to_string(), &bundle, &verification, args.verbose)
    };
    io::stdout().write_all(text.as_bytes())?;
    Ok(verification.holds())
}

/// Checks a bundle by the system that wrote it.
fn verify(bundle: &Bundle) -> Result<Verification, Box<dyn Error>> {
    match bundle.system.as_str() {
        #[cfg(feature = "sources")]
        <Studio as System>::NAME => Ok(run::verify::<Studio>(bundle)?),
        #[cfg(feature = "sources")]
        <FeedbackAgent as System>::NAME => Ok(run::verify::<FeedbackAgent>(bundle)?),
        #[cfg(feature = "sources")]
        <Hosted<MemoWorkflow> as System>::NAME => Ok(run::verify::<Hosted<MemoWorkflow>>(bundle)?),
        #[cfg(not(feature = "sources"))]
        "studio" | "feedback" | "scr" => {
            Err(format!("the bundle is of {}: build this program with `--features sources`", bundle.system).into())
        }
        _ => Ok(dataset::verify(bundle)),
    }
}

/// The bundle in the file, or in standard input for `-`.
fn read(args: &Args) -> Result<Bundle, Box<dyn Error>> {
    let file = args.bundle.display().to_string();
    let read = if args.bundle.as_os_str() == "-" {
        Bundle::read(io::stdin().lock())
    } else {
        Bundle::read(File::open(&args.bundle).map_err(|source| Missing { file: file.clone(), source })?)
    };
    Ok(read.map_err(|error| format!("{file}: {error}"))?)
}

/// A file that could not be opened.
#[derive(Debug)]
struct Missing {
    file: String,
    source: io::Error,
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, source } = self;
        match source.kind() {
            io::ErrorKind::NotFound => {
                write!(f, "{file}: there is no such file; `dataset_research --export {file}` writes one")
            }
            _ => write!(f, "{file}: {source}"),
        }
    }
}

impl Error for Missing {}

/// Whoever read our output has gone, as `head` does; there is nobody to say it to.
fn is_broken_pipe(error: &(dyn Error + 'static)) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
