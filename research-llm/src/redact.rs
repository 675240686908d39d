//! Removes the keys that a program knows from what servers answer, whatever their shape.
//!
//! A server may return the key that it was sent, as it is or encoded, and a program records, shows and sends on what servers
//! return. Clients of models [register](register_secret) the keys that they send; a program registers those of its other
//! servers. [`Redacted`] takes the registered keys out of the answers of a model, and [`Redactor::value`] out of any JSON.

mod forms;
mod model;
mod redactor;

pub use model::Redacted;
pub use redactor::{MIN_SECRET, Redactor, register_secret};
