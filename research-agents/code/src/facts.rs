//! What a file contains: its symbols, and the names that it uses.

mod lines;
mod fact;
mod clock;
mod imports;
mod bindings;
mod walk;
mod found;
mod extract;

pub(crate) use self::extract::syntax;
pub use self::extract::{Extraction, FactSource, Parse, extract};
pub(crate) use self::fact::base_name;
pub use self::fact::{
    Binding, FileFacts, Implementation, Import, Reference, ReferenceKind, Region, RegionKind,
    Symbol, SymbolKind,
};
pub(crate) use self::found::receiver;
pub use self::lines::LineIndex;
