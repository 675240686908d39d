//! The nodes of the graph, one file each, named as in the picture of the seed document.

mod accumulate;
mod check_complete;
mod clarify;
mod execute;
mod initialize;
mod merge;
mod planner;
mod stream_report;
mod synthesizer;

pub(super) use accumulate::accumulate;
pub(super) use check_complete::check_complete;
pub(super) use clarify::clarify;
pub(super) use execute::{execute_agent, execute_tool};
pub(super) use initialize::initialize;
pub(super) use planner::plan;
pub(super) use stream_report::{stream_report, told};
pub(super) use synthesizer::synthesize;
