//! Text as evidence, measured: the grounded checker on true sentences and their mutations, typed
//! values, conflicts and independence.

mod measures;
mod mutations;
mod prose;
mod rules_of_truth;
mod tables;
mod written;
