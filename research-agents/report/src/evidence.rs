//! Evidence: the sources of a run, and the tables that data sources computed.
//!
//! A source is a record that a report can cite, under an id that never changes during a run. It is
//! identified by the tool that returned it and by the record's own primary id, never by content or
//! address: two equal rows are two sources, and two records that share a page are not merged.
//! Records of two tools are one source if both their primary ids and their web addresses agree.

pub(crate) mod numbers;
pub(crate) mod run;
pub(crate) mod source;
pub(crate) mod table;
pub(crate) mod value;

pub use numbers::{mean_of_numbers, median_of_sorted, sum_of_numbers};
pub use run::Evidence;
pub use source::{Registered, Source, SourceRegistry, hex};
pub use table::{
    Searched, Table, TableCorrelation, TableKind, TableMeasure, TableOrder, TableRow, known_sum,
    sum_of,
};
pub use value::{ValueIndex, plain, same_value};
