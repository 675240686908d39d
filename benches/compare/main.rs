//! The engine, plain tokio and other graph engines on the same work, in turn on one machine.

mod arguments;
mod reading;
mod rivals;
mod sides;
mod stop;
mod table;
mod workload;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;
use research_benches::side::{Side, time};

use arguments::Arguments;
use reading::{Reading, rows};
use rivals::Rivals;
use stop::Stop;
use workload::{Group, Workload};

// As many workers as the programs of the rivals start, and like theirs the main task runs beside them.
#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match compare(&arguments).await {
        Ok(true) => ExitCode::SUCCESS,
        // What a shell reports for a program that an interrupt ended.
        Ok(false) => ExitCode::from(130),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("compare: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Whether it came to its end.
async fn compare(arguments: &Arguments) -> io::Result<bool> {
    let groups = workload::groups(&arguments.only);
    if groups.is_empty() {
        return Err(io::Error::other(format!("no workload's name contains {:?}; --help lists them", arguments.only)));
    }
    let stop = Stop::listen()?;
    let mut rivals = match &arguments.peers {
        Some(folder) => Some(Rivals::prepare(folder, arguments, &stop).await?),
        None => None,
    };
    let mut out = io::stdout();
    if !arguments.json {
        writeln!(out, "{}", table::head())?;
    }
    for group in &groups {
        let readings = contest(group, arguments.passes, rivals.as_mut(), &stop).await;
        for workload in &group.workloads {
            write_rows(&mut out, arguments.json, &readings, workload)?;
        }
        if stop.asked() {
            eprintln!("Stopped at {}; what was measured is shown", group.filter);
            return Ok(false);
        }
    }
    if !arguments.json {
        writeln!(out, "{}", table::LEGEND)?;
        for note in rivals.iter().flat_map(|rivals| &rivals.notes) {
            writeln!(out, "{note}")?;
        }
    }
    Ok(true)
}

/// Everybody's turns at the workloads of a group.
async fn contest(group: &Group, passes: u16, mut rivals: Option<&mut Rivals>, stop: &Stop) -> Vec<Reading> {
    let own: Vec<(&Workload, Vec<(String, Side)>)> = group.workloads.iter().map(|&one| (one, sides::of(one))).collect();
    let mut readings = Vec::new();
    for pass in 1..=passes {
        if stop.asked() {
            break;
        }
        eprintln!("{}: pass {pass} of {passes}", group.filter);
        for (workload, sides) in &own {
            for (who, side) in (0..workload.turns).flat_map(|_| sides) {
                let (taken, bytes) = time(side, workload.steps, workload.runs).await;
                let (workload, steps) = (workload.name.to_string(), workload.steps);
                readings.push(Reading { workload, who: who.clone(), steps, taken, bytes });
            }
        }
        if let Some(rivals) = rivals.as_deref_mut() {
            readings.extend(rivals.turn(group).await);
        }
    }
    readings
}

fn write_rows(out: &mut impl Write, json: bool, readings: &[Reading], workload: &Workload) -> io::Result<()> {
    let rows = rows(readings, workload.name);
    if json {
        for row in &rows {
            writeln!(out, "{}", serde_json::to_string(row)?)?;
        }
    } else if !rows.is_empty() {
        writeln!(out, "{}", table::block(&rows))?;
    }
    out.flush()
}
