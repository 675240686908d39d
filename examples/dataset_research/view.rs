//! The two faces of a run: people on a terminal or in a log, and programs that read JSON.

mod json;
mod people;

use std::io;

use research_agents::dataset::DatasetEvent;

pub use json::Json;
pub use people::People;

/// Shows the events of a run as they come.
pub trait View {
    fn show(&mut self, event: &DatasetEvent) -> io::Result<()>;
}
