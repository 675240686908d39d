//! Says what an occurrence of a name is, by the facts of its file.

use std::ops::Range;

use crate::facts::{FileFacts, ReferenceKind, RegionKind, SymbolKind};
use crate::lang::FileKind;
use crate::ledger::class::Class;

/// Returns the class of an occurrence. Without facts, the kind of the file decides.
pub(crate) fn classify(kind: FileKind, facts: Option<&FileFacts>, span: &Range<usize>) -> Class {
    let Some(facts) = facts else {
        return match kind {
            FileKind::Document => Class::Document,
            FileKind::Code(_) | FileKind::Other => Class::Unclassified,
        };
    };
    match facts.region(span.start).map(|region| region.kind) {
        Some(RegionKind::Comment) => return Class::Comment,
        Some(RegionKind::String) => return Class::String,
        None => {}
    }

    let is_defined = facts
        .symbols
        .iter()
        .any(|symbol| symbol.kind != SymbolKind::Impl && covers(&symbol.name_span, span));
    if is_defined {
        return Class::Definition;
    }

    let reference = facts
        .references
        .iter()
        .filter(|reference| covers(&reference.span, span))
        .map(|reference| reference.kind)
        .next();
    match reference {
        Some(ReferenceKind::Call) => Class::Call,
        Some(ReferenceKind::Import) => Class::Import,
        Some(ReferenceKind::Type) => Class::TypeUse,
        None => Class::OtherCode,
    }
}

/// Returns whether a name contains an occurrence, which may be a part of it: `b` in `a::b`.
fn covers(name: &Range<usize>, occurrence: &Range<usize>) -> bool {
    name.start <= occurrence.start && occurrence.end <= name.end
}
