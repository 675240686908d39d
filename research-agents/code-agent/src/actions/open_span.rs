//! `open_span`: reads lines of a file.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::actions::action::Action;
use crate::actions::context::ActionContext;
use crate::actions::result::ActionResult;
use crate::run::Provenance;

/// Reads lines of a file and registers them as evidence.
#[derive(Clone, Copy, Debug, Default)]
pub struct OpenSpan;

/// Which lines to read.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct OpenSpanInput {
    /// Path beneath the root.
    file_path: String,
    /// First line, counted from 1.
    start_line: usize,
    /// Last line, inclusive; at most 200 lines.
    end_line: usize,
}

impl Action for OpenSpan {
    const NAME: &'static str = "open_span";
    const DESCRIPTION: &'static str = "Reads lines of a file, at most 200, as evidence.";
    type Input = OpenSpanInput;

    async fn execute(&self, input: OpenSpanInput, cx: &ActionContext) -> ActionResult {
        cx.blocking(move |view| {
            let opened = view.path(&input.file_path).and_then(|path| {
                let lines = (input.start_line, input.end_line);
                view.open(&path, lines, "opened lines", Provenance::Manual)
            });

            match opened {
                Ok(lines) => {
                    let (path, first, last) = (&lines.file_path, lines.start_line, lines.end_line);
                    let cut = if last < input.end_line {
                        ", the end of the file"
                    } else {
                        ""
                    };
                    let summary = format!("read {}:{first}-{last}{cut}", path.encoded());
                    ActionResult::done(summary).with_evidence(vec![lines])
                }
                Err(error) => ActionResult::failed(error),
            }
        })
        .await
    }
}
