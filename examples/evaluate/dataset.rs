//! The dataset agent under evaluation.

pub mod answer;
pub mod ask;
pub mod case;
pub mod generate;
pub mod metrics;
pub mod records;
pub mod score;
pub mod shelf;
pub mod spoil;
pub mod suite;
