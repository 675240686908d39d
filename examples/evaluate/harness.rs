//! The harness: runs the cases of a suite, adds up what they measure, compares with a baseline, and prints the tables.
//!
//! It knows no system. A system plugs in as a [`Suite`](suite::Suite), and what it measures is data: [`metric::Metric`].

pub mod compare;
pub mod glob;
pub mod meter;
pub mod metric;
pub mod results;
pub mod run;
pub mod score;
pub mod show;
pub mod suite;
pub mod unusable;
