//! One JSON object a line.

use std::io::{self, Write};

use research_agents::dataset::DatasetEvent;

use super::View;

pub struct Json<W>(pub W);

impl<W: Write> View for Json<W> {
    fn show(&mut self, event: &DatasetEvent) -> io::Result<()> {
        serde_json::to_writer(&mut self.0, event)?;
        self.0.write_all(b"\n")?;
        self.0.flush()
    }
}
