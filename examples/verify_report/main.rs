//! Checks a bundle of a research run again, and prints what holds and what does not.

mod args;
mod json;
mod people;

use std::error::Error;
use std::fmt;
use std::io::{self, Read, Write};
use std::process::ExitCode;

use clap::Parser;
use research_agents::dataset;
use research_agents::kernel::Bundle;
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
    let bundle = Bundle::from_json(&read(args)?).map_err(|error| format!("{}: {error}", args.bundle.display()))?;
    let verification = dataset::verify(&bundle);
    let text = if args.json {
        json::text(&bundle, &verification)?
    } else {
        people::text(&args.bundle.display().to_string(), &bundle, &verification, args.verbose)
    };
    io::stdout().write_all(text.as_bytes())?;
    Ok(verification.holds())
}

/// The text of the file, or of standard input for `-`.
fn read(args: &Args) -> Result<String, Unreadable> {
    let text = if args.bundle.as_os_str() == "-" {
        let mut text = String::new();
        io::stdin().read_to_string(&mut text).map(|_| text)
    } else {
        std::fs::read_to_string(&args.bundle)
    };
    text.map_err(|source| Unreadable { file: args.bundle.display().to_string(), source })
}

/// A file that could not be read.
#[derive(Debug)]
struct Unreadable {
    file: String,
    source: io::Error,
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, source } = self;
        match source.kind() {
            io::ErrorKind::NotFound => {
                write!(f, "{file}: there is no such file; `dataset_research --export {file}` writes one")
            }
            io::ErrorKind::InvalidData => write!(f, "{file}: this is no text, and so no bundle of a run"),
            _ => write!(f, "{file}: {source}"),
        }
    }
}

impl Error for Unreadable {}

/// Whoever read our output has gone, as `head` does; there is nobody to say it to.
fn is_broken_pipe(error: &(dyn Error + 'static)) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
