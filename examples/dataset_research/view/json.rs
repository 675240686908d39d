//! One JSON object a line.

use std::io::{self, Write};

use research_agents::dataset::DatasetEvent;
use research_examples::cli::json;

use super::View;

pub struct Json<W>(pub W);

impl<W: Write> View for Json<W> {
    fn show(&mut self, event: &DatasetEvent) -> io::Result<()> {
        writeln!(self.0, "{}", json(event)?)?;
        self.0.flush()
    }
}
