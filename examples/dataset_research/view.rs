//! The two faces of a run: people on a terminal or in a log, and programs that read JSON.

mod json;
mod people;
mod words;

use std::io;

use research_agents::dataset::DatasetEvent;
pub use research_examples::cli::say as tell;

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
