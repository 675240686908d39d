//! Actions on language servers. Without a server for a file, the result says so.

use std::future::Future;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::actions::action::Action;
use crate::actions::context::ActionContext;
use crate::actions::result::ActionResult;
use crate::lsp::{Asked, LspError, LspPlace, Servers};
use crate::run::{EvidenceDraft, Provenance};

/// Maximum number of references that are read as evidence.
const MAX_EVIDENCE: usize = 10;
/// Maximum number of characters of a hover, and of the message of a problem.
const MAX_WORDS: usize = 2_000;
/// Maximum number of files whose problems are asked for.
const MAX_FILES: usize = 10;

/// Asks where the name at a place is defined.
#[derive(Clone, Debug, Default)]
pub struct LspDefinition(pub Servers);

/// Asks where the name at a place is used.
#[derive(Clone, Debug, Default)]
pub struct LspReferences(pub Servers);

/// Asks what is known about the name at a place.
#[derive(Clone, Debug, Default)]
pub struct LspHover(pub Servers);

/// Asks for the problems of files.
#[derive(Clone, Debug, Default)]
pub struct LspDiagnostics(pub Servers);

/// A place in a file.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct PlaceInput {
    /// Path beneath the root.
    file_path: String,
    /// Line, counted from 1.
    line: usize,
    /// Column in characters, counted from 0.
    column: usize,
}

/// Files.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct FilesInput {
    /// Paths beneath the root.
    file_paths: Vec<String>,
}

impl Action for LspDefinition {
    const NAME: &'static str = "lsp_definition";
    const DESCRIPTION: &'static str =
        "Asks a language server where the name at a place is defined.";
    type Input = PlaceInput;

    async fn execute(&self, input: PlaceInput, cx: &ActionContext) -> ActionResult {
        let found = places(cx, &input, |path, at| async move {
            self.0.definition(&cx.view, &path, at).await
        });
        evidence(cx, found.await, "definition").await
    }
}

impl Action for LspReferences {
    const NAME: &'static str = "lsp_references";
    const DESCRIPTION: &'static str = "Asks a language server where the name at a place is used. \
        Its list may be incomplete; compute_answer counts.";
    type Input = PlaceInput;

    async fn execute(&self, input: PlaceInput, cx: &ActionContext) -> ActionResult {
        let found = places(cx, &input, |path, at| async move {
            self.0.references(&cx.view, &path, at).await
        });
        evidence(cx, found.await, "reference").await
    }
}

impl Action for LspHover {
    const NAME: &'static str = "lsp_hover";
    const DESCRIPTION: &'static str =
        "Asks a language server what it says about the name at a place.";
    type Input = PlaceInput;

    async fn execute(&self, input: PlaceInput, cx: &ActionContext) -> ActionResult {
        let path = match cx.view.path(&input.file_path) {
            Ok(path) => path,
            Err(error) => return ActionResult::failed(error),
        };

        match self
            .0
            .hover(&cx.view, &path, (input.line, input.column))
            .await
        {
            Ok(Asked {
                value: Some(words),
                is_early,
                ..
            }) => {
                let words: String = words.chars().take(MAX_WORDS).collect();
                // What a server says is not in the code base, and cannot be cited.
                let place = (input.line, input.line);
                let line = cx.view.lines(&path, place, "hover", Provenance::Lsp);
                ActionResult::done("the server knows the name")
                    .with_data(json!({"hover": words, "is_early": is_early}))
                    .with_evidence(line.into_iter().collect())
            }
            Ok(_) => ActionResult::done("the server says nothing about this place"),
            Err(error) => ActionResult::failed(error),
        }
    }
}

impl Action for LspDiagnostics {
    const NAME: &'static str = "lsp_diagnostics";
    const DESCRIPTION: &'static str = "Asks a language server for the problems of files.";
    type Input = FilesInput;

    async fn execute(&self, input: FilesInput, cx: &ActionContext) -> ActionResult {
        let (mut problems, mut lines) = (Vec::new(), Vec::new());
        let mut is_early = false;

        for file in input.file_paths.iter().take(MAX_FILES) {
            let path = match cx.view.path(file) {
                Ok(path) => path,
                Err(error) => return ActionResult::failed(error),
            };
            let found = match self.0.diagnostics(&cx.view, &path).await {
                Ok(found) => found,
                Err(error) => return ActionResult::failed(error),
            };
            is_early |= found.is_early;
            for (line, message) in found.value {
                let message: String = message.chars().take(MAX_WORDS).collect();
                problems.push(json!({"path": path, "line": line, "message": message}));
                lines.extend(
                    cx.view
                        .lines(&path, (line, line), "problem", Provenance::Lsp),
                );
            }
        }

        lines.truncate(MAX_EVIDENCE);
        ActionResult::done(format!("{} problems", problems.len()))
            .with_data(json!({"problems": problems, "is_early": is_early}))
            .with_evidence(lines)
    }
}

/// Asks for places after the path was checked.
async fn places<F>(
    cx: &ActionContext,
    input: &PlaceInput,
    ask: impl FnOnce(research_agents_code::tree::RelPath, (usize, usize)) -> F,
) -> Result<Asked<Vec<LspPlace>>, LspError>
where
    F: Future<Output = Result<Asked<Vec<LspPlace>>, LspError>>,
{
    let path = cx.view.path(&input.file_path)?;
    ask(path, (input.line, input.column)).await
}

/// Reads the places of an answer as evidence.
async fn evidence(
    cx: &ActionContext,
    asked: Result<Asked<Vec<LspPlace>>, LspError>,
    reason: &'static str,
) -> ActionResult {
    let asked = match asked {
        Ok(asked) => asked,
        Err(error) => return ActionResult::failed(error),
    };

    cx.blocking(move |view| {
        let places = asked.value.iter().take(MAX_EVIDENCE);
        let lines = places.filter_map(|place| {
            view.lines(&place.path, place.lines, reason, Provenance::Lsp)
                .ok()
        });
        let lines: Vec<EvidenceDraft> = lines.collect();
        let all: Vec<_> = asked
            .value
            .iter()
            .map(|place| json!({"path": place.path, "lines": [place.lines.0, place.lines.1]}))
            .collect();

        let early = if asked.is_early { ", early" } else { "" };
        ActionResult::done(format!("{} places{early}", all.len()))
            .with_data(json!({
                "places": all,
                "is_early": asked.is_early,
                "outside": asked.outside,
            }))
            .with_evidence(lines)
    })
    .await
}
