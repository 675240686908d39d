//! The program `durable_fanout` as a real process: killed, interrupted, raced, and misused.

mod errors;
mod independent;
mod interrupted;
mod killed;
mod log;
mod program;
mod raced;
mod store;
mod turns;
