//! Reports: a document of checked sentences with what they rest on, and its renderings.
//!
//! A [`ReportWriter`] takes only sentences that the checker let through, and makes a [`Report`]. That renders to Markdown, to one
//! HTML file and to JSON; every citation stands in each of them and leads to its aggregation or source.
//!
//! In Markdown a record is cited as its id in square brackets, an aggregation as its id in round ones. No other text of a report
//! stands in square brackets, so every marker can be resolved mechanically: [`resolve_citations`] does.

mod citation;
mod cited;
mod html;
mod json;
mod links;
mod markdown;
mod model;
mod writer;

use std::fmt;
use std::str::FromStr;

pub use self::citation::{Citations, Unresolved, resolve_citations};
pub use self::model::{
    Block, CoverageNote, DataRow, DataTable, Question, QuestionStatus, Report, Section, Sentence, SourceEntry, Version,
};
pub use self::writer::{ReportWriter, TableView};
use super::chart::ChartError;
use super::source::is_citable;

/// What a report can be written as.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Rendering {
    /// Markdown.
    #[default]
    Markdown,
    /// One HTML file that loads nothing and runs nothing.
    Html,
    /// The document itself.
    Json,
}

/// A report that could not be rendered.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RenderError {
    /// A chart failed.
    #[error(transparent)]
    Chart(#[from] ChartError),
    /// The document could not be written as JSON.
    #[error("the report could not be written as JSON")]
    Json(#[source] serde_json::Error),
}

impl Report {
    /// The report in one of its renderings. The bytes depend on nothing but the report.
    ///
    /// # Errors
    ///
    /// As those of the renderings.
    pub fn render(&self, rendering: Rendering) -> Result<String, RenderError> {
        match rendering {
            Rendering::Markdown => Ok(self.to_markdown()),
            Rendering::Html => self.to_html(),
            Rendering::Json => self.to_json(),
        }
    }

    /// The report as Markdown.
    pub fn to_markdown(&self) -> String {
        markdown::render(self)
    }

    /// The report as one HTML file with its charts: no script, nothing to load, readable on a phone, in the dark and in print.
    /// Text of others is escaped where it is put in, and what comes out passes a sanitiser.
    ///
    /// # Errors
    ///
    /// When a chart cannot be drawn.
    pub fn to_html(&self) -> Result<String, RenderError> {
        html::render(self)
    }

    /// The document as JSON, which [`from_json`](Report::from_json) reads.
    ///
    /// # Errors
    ///
    /// When a value has no form in JSON.
    pub fn to_json(&self) -> Result<String, RenderError> {
        json::render(self).map_err(RenderError::Json)
    }

    /// Reads a document that [`to_json`](Report::to_json) wrote. It is as true as who kept it: nothing is checked again but its
    /// form, that every text is a single line without hidden characters, and that ids hold nothing but what a marker may.
    ///
    /// # Errors
    ///
    /// When it is not such a document, or one of another version.
    pub fn from_json(text: &str) -> Result<Self, serde_json::Error> {
        let report: Self = serde_json::from_str(text)?;
        let cited =
            report.sentences().into_iter().flat_map(|sentence| sentence.sources.iter().chain(&sentence.aggregations));
        let listed = report.sources.iter().map(|source| &source.id).chain(report.data.iter().map(|table| &table.id));
        // Renderings write ids as they are.
        match cited.chain(listed).find(|id| !is_citable(id)) {
            Some(id) => Err(serde::de::Error::custom(format!("{id:?} is no id that a marker can hold"))),
            None => Ok(report),
        }
    }
}

impl FromStr for Rendering {
    type Err = UnknownRendering;

    /// By its name or the ending of a file: `md`, `markdown`, `txt`, `html`, `htm`, `json`, in any case.
    fn from_str(name: &str) -> Result<Self, UnknownRendering> {
        match name.to_ascii_lowercase().as_str() {
            "md" | "markdown" | "txt" => Ok(Self::Markdown),
            "html" | "htm" => Ok(Self::Html),
            "json" => Ok(Self::Json),
            _ => Err(UnknownRendering { name: name.to_owned() }),
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

/// A name that is not one of a [`Rendering`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a report can be written as md, html or json, not as `{name}`")]
pub struct UnknownRendering {
    /// The name.
    pub name: String,
}

#[cfg(test)]
mod tests;
