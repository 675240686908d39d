//! What only a real model can show: that the wire formats are those of a real server, that a research run on a small
//! model ends with a report whose numbers come from the data and whose quotes come from the documents, and that a memo
//! loses nothing.
//!
//! `tests/real_model/run` fetches a model, serves it on loopback and starts these tests; `cargo test` alone leaves them out.
//! What is asserted holds for any model: formats, counts, limits, coverage, numbers. What a small model writes is not.

mod memo;
mod program;
mod providers;
mod research;
mod server;
mod studio;
