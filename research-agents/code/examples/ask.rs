//! Answers questions about a folder of code: `ask [--root DIR] [--scope GLOB] [--cache DIR]
//! [--json] [--verify] QUESTION…`, or `-` to read a question from each line of standard input.

#![expect(clippy::print_stderr, reason = "a program that prints")]

use std::error::Error;
use std::io::{self, BufRead, Write, stdin, stdout};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use research_agents_code::answer::{Answer, answer};
use research_agents_code::base::{CacheAt, CodeBase};
use research_agents_code::tree::Scope;
use research_agents_code::verify::verify;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if is_broken_pipe(&*error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Returns whether the reader of the output has gone, as `head` does.
fn is_broken_pipe(error: &(dyn Error + 'static)) -> bool {
    error
        .downcast_ref::<io::Error>()
        .is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

fn run() -> Result<(), Box<dyn Error>> {
    let mut root = PathBuf::from(".");
    let mut scope = Scope::default();
    let mut cache = CacheAt::Memory;
    let mut is_json = false;
    let mut is_checked = false;
    let mut questions = Vec::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or("a value is missing");
        match argument.as_str() {
            "--root" => root = value()?.into(),
            "--scope" => scope = Scope::parse(&value()?)?,
            "--cache" => cache = CacheAt::Folder(value()?.into()),
            "--json" => is_json = true,
            "--verify" => is_checked = true,
            "-" => questions.extend(stdin().lock().lines().map_while(Result::ok)),
            question => questions.push(question.to_owned()),
        }
    }
    if questions.is_empty() {
        return Err("usage: ask [--root DIR] [--scope GLOB] [--cache DIR] QUESTION…".into());
    }

    let base = CodeBase::open(&root, &cache)?;
    let mut out = stdout().lock();
    for question in questions {
        let start = Instant::now();
        let answer = answer(&base, &question, &scope, &AtomicBool::new(false))?;
        if is_checked {
            let checked = verify(&answer, &base, &AtomicBool::new(false))?;
            for problem in &checked.problems {
                writeln!(out, "PROBLEM {question}: {}", problem.text)?;
            }
        }
        if is_json {
            writeln!(out, "{}", serde_json::to_string(&answer)?)?;
        } else {
            print(&mut out, &answer)?;
            eprintln!("{} ms", start.elapsed().as_millis());
        }
    }
    Ok(())
}

fn print(out: &mut impl Write, answer: &Answer) -> io::Result<()> {
    writeln!(out, "# {} ({})", answer.question, answer.class.name())?;
    writeln!(out, "{}", answer.text())?;
    for (at, span) in answer.spans.iter().enumerate() {
        writeln!(
            out,
            "  [{}] {} ({})",
            at + 1,
            span.location(),
            span.provenance.name()
        )?;
    }
    if !answer.further.is_empty() {
        writeln!(out, "  and {} further spans", answer.further.len())?;
    }
    writeln!(out)
}
