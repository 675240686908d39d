//! The symbols and calls of all files, by name. Built when a question needs all of them.

use std::collections::HashMap;
use std::sync::Arc;

use crate::base::names::{FileNames, NamedCall, NamedSymbol};
use crate::base::place::Place;
use crate::lang::Language;
use crate::tree::{RelPath, Scope};

/// A file of an index.
#[derive(Clone, Debug)]
pub(crate) struct IndexedFile {
    pub(crate) path: RelPath,
    pub(crate) hash: String,
    pub(crate) language: Language,
    pub(crate) place: Place,
    pub(crate) names: Arc<FileNames>,
}

/// The place of a symbol or call: its file, and its number there.
pub(crate) type At = (u32, u32);

/// Symbols and calls of all files by name.
#[derive(Debug, Default)]
pub(crate) struct Index {
    pub(crate) files: Vec<IndexedFile>,
    symbols: HashMap<Arc<str>, Vec<At>>,
    calls: HashMap<Arc<str>, Vec<At>>,
}

impl Index {
    /// Creates the index of files.
    pub(crate) fn new(files: Vec<IndexedFile>) -> Self {
        let mut symbols: HashMap<Arc<str>, Vec<At>> = HashMap::new();
        let mut calls: HashMap<Arc<str>, Vec<At>> = HashMap::new();
        for (file, indexed) in (0_u32..).zip(&files) {
            for (at, symbol) in (0_u32..).zip(&indexed.names.symbols) {
                let known = symbols.entry(Arc::clone(&symbol.name)).or_default();
                known.push((file, at));
            }
            for (at, call) in (0_u32..).zip(&indexed.names.calls) {
                let known = calls.entry(Arc::clone(&call.name)).or_default();
                known.push((file, at));
            }
        }
        Self {
            files,
            symbols,
            calls,
        }
    }

    /// Returns the names of the symbols in the files of a scope.
    pub(crate) fn names(&self, scope: &Scope) -> impl Iterator<Item = &str> {
        let is_admitted: Vec<bool> = self
            .files
            .iter()
            .map(|file| scope.admits(&file.path))
            .collect();
        let admits = move |at: &At| is_admitted.get(at.0 as usize).copied().unwrap_or(false);
        self.symbols
            .iter()
            .filter(move |(_, places)| places.iter().any(&admits))
            .map(|(name, _)| name.as_ref())
    }

    /// Returns the places of the symbols with a name.
    pub(crate) fn symbols(&self, name: &str) -> &[At] {
        self.symbols.get(name).map_or(&[], Vec::as_slice)
    }

    /// Returns the places of the calls of a name.
    pub(crate) fn calls(&self, name: &str) -> &[At] {
        self.calls.get(name).map_or(&[], Vec::as_slice)
    }

    /// Returns a symbol with its file.
    pub(crate) fn symbol(&self, (file, at): At) -> Option<(&IndexedFile, &NamedSymbol)> {
        let file = self.files.get(file as usize)?;
        Some((file, file.names.symbols.get(at as usize)?))
    }

    /// Returns a call with its file.
    pub(crate) fn call(&self, (file, at): At) -> Option<(&IndexedFile, &NamedCall)> {
        let file = self.files.get(file as usize)?;
        Some((file, file.names.calls.get(at as usize)?))
    }
}
