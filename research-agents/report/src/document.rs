//! Reports: documents of checked sentences with their evidence, and their renderings.
//!
//! A [`ReportWriter`] takes only sentences that the checker has verified, and makes a [`Report`],
//! which renders to Markdown, to a single HTML file and to JSON. Every rendering contains every
//! citation, and every citation leads to its aggregation or source.
//!
//! In Markdown a record is cited as its id in square brackets, and an aggregation as its id in
//! round ones. No other text of a report is in square brackets, so that every marker can be
//! resolved mechanically, as [`resolve_citations`] does.

pub(crate) mod citation;
pub(crate) mod cited;
pub(crate) mod error;
pub(crate) mod finished;
pub(crate) mod html;
pub(crate) mod json;
pub(crate) mod links;
pub(crate) mod markdown;
pub(crate) mod model;
pub(crate) mod render;
pub(crate) mod table;
pub(crate) mod writer;

pub use citation::{Citations, Unresolved, resolve_citations};
pub use error::RenderError;
pub use model::{
    Block, CoverageNote, Question, QuestionStatus, Report, Section, Sentence, SourceEntry, Version,
};
pub use render::{Rendering, UnknownRendering};
pub use table::{
    DataCorrelation, DataMeasure, DataRow, DataTable, MAX_CELL, RecordRow, RecordTable,
};
pub use writer::{RecordList, ReportWriter, TableView};
