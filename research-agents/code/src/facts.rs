//! What a file contains: its symbols, and the names that it uses.

mod extract;
mod fact;
mod lines;

pub use self::extract::{Extraction, extract};
pub use self::fact::{
    FileFacts, Implementation, Reference, ReferenceKind, Region, RegionKind, Symbol, SymbolKind,
};
pub use self::lines::LineIndex;
