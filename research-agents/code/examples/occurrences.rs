//! Accounts for every occurrence of names: `occurrences FOLDER NAME…`, or `-` to read names from
//! standard input. With `--tsv`, prints the name and its number of occurrences by class.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program that prints"
)]

use std::io::{BufRead, stdin};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use research_agents_code::CodeError;
use research_agents_code::ledger::{Class, Ledger, account};
use research_agents_code::tree::{CodeRoot, CodeTree, Scope};

fn main() -> ExitCode {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let is_table = arguments.iter().any(|argument| argument == "--tsv");
    arguments.retain(|argument| argument != "--tsv");
    let Some((folder, names)) = arguments
        .split_first()
        .filter(|(_, names)| !names.is_empty())
    else {
        eprintln!("usage: occurrences FOLDER NAME… [--tsv]");
        return ExitCode::from(2);
    };

    let names: Vec<String> = if names == ["-"] {
        stdin().lock().lines().map_while(Result::ok).collect()
    } else {
        names.to_vec()
    };
    match run(folder, &names, is_table) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run(folder: &str, names: &[String], is_table: bool) -> Result<(), CodeError> {
    let go_on = AtomicBool::new(false);
    let tree = CodeTree::list(Arc::new(CodeRoot::open(folder)?), &go_on)?;
    for name in names {
        let ledger = account(&tree, &Scope::default(), name, &go_on)?;
        if is_table {
            print_row(&ledger);
        } else {
            print_account(&ledger);
        }
    }
    Ok(())
}

fn print_row(ledger: &Ledger) {
    let counts = ledger.by_class();
    let counts =
        Class::ALL.map(|class| counts.get(&class).copied().unwrap_or_default().to_string());
    println!("{}\t{}\t{}", ledger.name, ledger.total(), counts.join("\t"));
}

fn print_account(ledger: &Ledger) {
    println!("{}: {}", ledger.name, ledger.sentence());
    for file in &ledger.files {
        for occurrence in &file.occurrences {
            let (class, _) = occurrence.class.names();
            let within = occurrence.within.as_deref().unwrap_or("-");
            println!(
                "  {}:{}  {class}  {within}",
                file.path.encoded(),
                occurrence.line
            );
        }
    }
    for (reason, count) in &ledger.unread.counts {
        println!("  not searched: {count} ({reason:?})");
    }
}
