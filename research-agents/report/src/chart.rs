//! Charts of aggregations, as data that a user interface can draw and as SVG.
//!
//! A [`Chart`] contains labels and counts that are ready to be drawn: long lists are folded, and
//! gaps in a series of months are filled. Its [SVG](Chart::svg) has the same bytes for the same
//! chart, needs no font file, and contains its content as text for screen readers.

pub(crate) mod canvas;
pub(crate) mod columns;
pub(crate) mod draw;
pub(crate) mod fold;
pub(crate) mod label;
pub(crate) mod model;
pub(crate) mod rows;

pub use draw::ChartError;
pub use model::{Chart, ChartGroup, ChartKind};
