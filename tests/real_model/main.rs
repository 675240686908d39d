//! What only a real model can show: that the wire formats are those of a real server, and that a research run on a small
//! model ends with a report whose numbers come from the data.
//!
//! `tests/real_model/run` fetches a model, serves it on loopback and starts these tests; otherwise they are ignored. What is
//! asserted holds for any model: formats, counts, limits, coverage, numbers. What a small model writes is not.

mod providers;
mod research;
mod server;
