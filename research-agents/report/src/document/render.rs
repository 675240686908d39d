//! The renderings of a report.

use std::fmt;
use std::str::FromStr;

use crate::document::error::RenderError;
use crate::document::model::Report;
use crate::document::{html, json, markdown};
use crate::evidence::source::is_citable;

/// The formats of a report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Rendering {
    /// Markdown.
    #[default]
    Markdown,
    /// A single HTML file, which loads nothing and runs no script.
    Html,
    /// The document as JSON.
    Json,
}

impl Report {
    /// Renders the report. The bytes depend on nothing but the report.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`to_html`](Self::to_html) and [`to_json`](Self::to_json).
    pub fn render(&self, rendering: Rendering) -> Result<String, RenderError> {
        match rendering {
            Rendering::Markdown => Ok(self.to_markdown()),
            Rendering::Html => self.to_html(),
            Rendering::Json => self.to_json(),
        }
    }

    /// Renders the report as Markdown.
    pub fn to_markdown(&self) -> String {
        markdown::render(self)
    }

    /// Renders the report as a single HTML file with its charts. It runs no script, loads nothing,
    /// and is readable on a phone, in dark mode and in print. Text is escaped where it is inserted,
    /// and the result passes a sanitizer.
    ///
    /// # Errors
    ///
    /// Returns [`RenderError::Chart`] if a chart cannot be drawn.
    pub fn to_html(&self) -> Result<String, RenderError> {
        html::render(self)
    }

    /// Renders the document as JSON, which [`from_json`](Report::from_json) reads.
    ///
    /// # Errors
    ///
    /// Returns [`RenderError::Json`] if a value cannot be represented in JSON.
    pub fn to_json(&self) -> Result<String, RenderError> {
        json::render(self).map_err(RenderError::Json)
    }

    /// Reads a document that [`to_json`](Report::to_json) wrote. Its sentences are not verified
    /// again: only its form is checked, that ids can be in a marker, and texts become single lines
    /// without invisible characters.
    ///
    /// # Errors
    ///
    /// Returns an error if the text is not such a document, or if its version is unknown.
    pub fn from_json(text: &str) -> Result<Self, serde_json::Error> {
        let report: Self = serde_json::from_str(text)?;
        let cited = report
            .sentences()
            .into_iter()
            .flat_map(|sentence| sentence.sources.iter().chain(&sentence.aggregations));
        let listed = report
            .sources
            .iter()
            .map(|source| &source.id)
            .chain(report.data.iter().map(|table| &table.id));

        // Renderings do not escape ids.
        match cited.chain(listed).find(|id| !is_citable(id)) {
            Some(id) => Err(serde::de::Error::custom(format!(
                "{id:?} is no id that a marker can hold"
            ))),
            None => Ok(report),
        }
    }
}

impl FromStr for Rendering {
    type Err = UnknownRendering;

    /// Parses a name or a file extension in any letter case: `md`, `markdown`, `txt`, `html`,
    /// `htm`, `json`.
    fn from_str(name: &str) -> Result<Self, UnknownRendering> {
        match name.to_ascii_lowercase().as_str() {
            "md" | "markdown" | "txt" => Ok(Self::Markdown),
            "html" | "htm" => Ok(Self::Html),
            "json" => Ok(Self::Json),
            _ => Err(UnknownRendering {
                name: name.to_owned(),
            }),
        }
    }
}

impl fmt::Display for Rendering {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Markdown => "Markdown",
            Self::Html => "HTML",
            Self::Json => "JSON",
        })
    }
}

/// A name that is not that of a [`Rendering`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a report can be written as md, html or json, not as `{name}`")]
pub struct UnknownRendering {
    /// The name.
    pub name: String,
}

#[cfg(test)]
mod tests;
