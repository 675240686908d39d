//! The errors of rendering.

use crate::chart::draw::ChartError;

/// An error while rendering a report.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RenderError {
    /// A chart could not be drawn.
    #[error(transparent)]
    Chart(#[from] ChartError),
    /// The document could not be written as JSON.
    #[error("the report could not be written as JSON")]
    Json(#[source] serde_json::Error),
}
