//! The command line.

use std::path::PathBuf;

use clap::Parser;

const EXAMPLES: &str = "\
Examples:
  compare                                  the engine beside plain tokio
  compare --only d_accum                   three workloads of the list below
  compare --peers ../shared/peers          with the rivals in that folder, in turn
  compare --peers DIR --json > rows.jsonl  one object per line

Workloads (nanoseconds per step; of a fan-out, per task):
  a_chain_10, a_chain_1000                 nodes in a row that do nothing
  b_loop_1000                              one node and a route, on a counter
  c_fanout_100, c_fanout_1000              tasks whose results are appended, then a join
  d_accum_250, d_accum_1000, d_accum_4000  the loop, each step appends 200 bytes
  e_loop_ckpt_1000                         the loop, a checkpoint in memory after each step
  f_accum_ckpt_250, f_accum_ckpt_1000      the appending loop, likewise
  g_loop_sqlite_1000                       the loop, a checkpoint in SQLite after each step
  h_accum1k_sqlite_1000                    the loop, each step appends 1,000 bytes, likewise
  i_threads_sqlite_200x10                  200 threads at once of 10 steps each on one database";

/// Compares the engine with plain tokio and with other graph engines on the same work, in turn on this machine.
///
/// The table, or with --json one object per line, goes to standard output, progress to standard error.
#[derive(Debug, Parser)]
#[command(name = "compare", after_help = EXAMPLES)]
pub struct Arguments {
    /// Only workloads whose name contains PART
    #[arg(long, value_name = "PART", default_value = "", hide_default_value = true)]
    pub only: String,

    /// A folder with rivals: `rust/`, a workspace of programs, and `langgraph_bench.py`; it stays as it is
    #[arg(long, value_name = "DIR")]
    pub peers: Option<PathBuf>,

    /// Print one JSON object per line: workload, who, steps, wall_ns, cpu_ns, bytes
    #[arg(long)]
    pub json: bool,

    /// How often everybody has a turn at a workload; the figures are medians over the passes
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..))]
    pub passes: u16,

    /// The Python that runs LangGraph, or makes the environment to run it in
    #[arg(long, value_name = "PATH", default_value = "python3")]
    pub python: PathBuf,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::{Arguments, EXAMPLES};
    use crate::workload;

    #[test]
    fn the_arguments_are_well_formed() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn the_help_lists_every_workload() {
        for workload in workload::ALL {
            assert!(EXAMPLES.contains(workload.name), "{}", workload.name);
        }
    }
}
