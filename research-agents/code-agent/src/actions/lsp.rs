//! Actions on language servers. No server can be configured yet, and every action says so.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::actions::action::Action;
use crate::actions::context::ActionContext;
use crate::actions::result::ActionResult;

const NO_SERVER: &str = "no language server is configured; the syntax tree and the occurrences \
                         answer without one";

/// A place in a file.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "the fields are the schema")]
pub struct PlaceInput {
    /// Path beneath the root.
    file_path: String,
    /// Line, counted from 1.
    line: usize,
    /// Column, counted from 0.
    column: usize,
}

/// Files.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "the fields are the schema")]
pub struct FilesInput {
    /// Paths beneath the root.
    file_paths: Vec<String>,
}

macro_rules! without_server {
    ($Action:ident, $name:literal, $description:literal, $Input:ty) => {
        #[doc = $description]
        #[derive(Clone, Copy, Debug, Default)]
        pub struct $Action;

        impl Action for $Action {
            const NAME: &'static str = $name;
            const DESCRIPTION: &'static str = $description;
            type Input = $Input;

            async fn execute(&self, _: $Input, _: &ActionContext) -> ActionResult {
                ActionResult::failed(NO_SERVER)
            }
        }
    };
}

without_server!(
    LspDefinition,
    "lsp_definition",
    "Asks a language server where the name at a place is defined.",
    PlaceInput
);
without_server!(
    LspReferences,
    "lsp_references",
    "Asks a language server where the name at a place is used.",
    PlaceInput
);
without_server!(
    LspHover,
    "lsp_hover",
    "Asks a language server what it says about the name at a place.",
    PlaceInput
);
without_server!(
    LspDiagnostics,
    "lsp_diagnostics",
    "Asks a language server for the problems of files.",
    FilesInput
);
