//! The two faces of a run: people on a terminal or in a log, and programs that read JSON.

mod json;
mod line;
mod page;
mod people;
mod words;

use std::fmt;
use std::io::{self, Write};

use research_agents::dataset::DatasetEvent;

pub use json::Json;
pub use people::People;

/// Shows the events of a run as they come.
pub trait View {
    /// Shows an event.
    fn show(&mut self, event: &DatasetEvent) -> io::Result<()>;

    /// Says something on standard error that is no event.
    fn note(&mut self, text: &str) {
        tell(text);
    }
}

/// Prints a line on standard error. Unlike the macro it does not panic when nobody reads there.
pub fn tell(line: impl fmt::Display) {
    drop(writeln!(io::stderr(), "{line}"));
}
