//! Definitions and uses of a name, all from one ledger.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use serde::{Deserialize, Serialize};

use crate::base::{Place, Snapshot};
use crate::error::CodeError;
use crate::facts::{FileFacts, SymbolKind, receiver};
use crate::ledger::{Class, HitFile, Ledger};
use crate::resolve::definition::Definition;
use crate::resolve::level::{Level, Site, place_within};
use crate::tree::{RelPath, Scope};

/// The symbol around a use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Within {
    /// Qualified name.
    pub name: String,
    /// Kind.
    pub kind: SymbolKind,
    /// First and last line, counted from 1.
    pub lines: (usize, usize),
}

/// A use of a name in code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Use {
    /// The file.
    pub path: RelPath,
    /// Index of the file in [`Ledger::files`].
    pub file: usize,
    /// What the file is for the project.
    pub place: Place,
    /// Line, counted from 1.
    pub line: usize,
    /// Bytes of the name.
    pub span: Range<usize>,
    /// What it is: a call, an import, a type or another use in code.
    pub class: Class,
    /// The innermost function, or else type, around it.
    pub within: Option<Within>,
    /// How sure the link to the definition is.
    pub level: Level,
    /// Index of the definition in [`Uses::definitions`], if it is resolved.
    pub definition: Option<usize>,
}

/// Definitions and uses of a name.
#[derive(Clone, Debug)]
pub struct Uses {
    /// Every occurrence with its class.
    pub ledger: Ledger,
    /// Definitions and declarations; those of the project's own code first.
    pub definitions: Vec<Definition>,
    /// Uses in code, in the order of the files.
    pub uses: Vec<Use>,
    pub(crate) hits: Vec<HitFile>,
}

impl Uses {
    /// Finds the definitions and uses of a name in a scope.
    ///
    /// # Errors
    ///
    /// [`CodeError::Pattern`] when the name cannot be searched for.
    pub fn find(
        files: &Snapshot,
        scope: &Scope,
        name: &str,
        is_cancelled: &AtomicBool,
    ) -> Result<Self, CodeError> {
        let (ledger, hits) = files.survey(scope, name, is_cancelled)?;
        let mut found = Self {
            definitions: Vec::new(),
            uses: Vec::new(),
            ledger,
            hits,
        };
        found.find_definitions(files);
        found.find_uses(files);
        Ok(found)
    }

    fn find_definitions(&mut self, files: &Snapshot) {
        for (tally, hit) in self.ledger.files.iter().zip(&self.hits) {
            let Some(facts) = &hit.facts else { continue };
            let place = files.place_of(&tally.path, facts.is_generated);
            for (at, symbol) in facts.symbols.iter().enumerate() {
                if symbol.name == self.ledger.name && symbol.kind != SymbolKind::Impl {
                    let content = (facts.as_ref(), hit.bytes.as_slice());
                    self.definitions.push(Definition::new(
                        &tally.path,
                        &tally.hash,
                        place,
                        content,
                        at,
                        symbol,
                    ));
                }
            }
        }

        self.definitions
            .sort_by_cached_key(|found| (found.rank(), found.path.clone(), found.lines));
    }

    fn find_uses(&mut self, files: &Snapshot) {
        let root = files.root_name();
        for (file, (tally, hit)) in self.ledger.files.iter().zip(&self.hits).enumerate() {
            let Some(facts) = &hit.facts else { continue };
            let of_file = files.place_of(&tally.path, facts.is_generated);

            for occurrence in &tally.occurrences {
                let is_use = matches!(
                    occurrence.class,
                    Class::Call | Class::Import | Class::TypeUse | Class::OtherCode
                );
                if !is_use {
                    continue;
                }
                let at = occurrence.span.start;
                let receiver = receiver(&hit.bytes, at);
                let site = Site {
                    path: &tally.path,
                    facts,
                    at,
                    name: &self.ledger.name,
                    receiver: receiver.as_deref(),
                    root: &root,
                };
                let definition = site.resolve(&self.definitions);
                self.uses.push(Use {
                    path: tally.path.clone(),
                    file,
                    place: place_within(facts, at, of_file),
                    line: occurrence.line,
                    span: occurrence.span.clone(),
                    class: occurrence.class,
                    within: within(facts, at),
                    level: match definition {
                        Some(_) => Level::Resolved,
                        None => Level::Possible,
                    },
                    definition,
                });
            }
        }
    }

    /// Returns the content and facts of the file of a use.
    pub(crate) fn hit(&self, file: usize) -> Option<&HitFile> {
        self.hits.get(file)
    }

    /// Returns the content and facts of a file by its path.
    pub(crate) fn hit_of(&self, path: &RelPath) -> Option<&HitFile> {
        let at = self
            .ledger
            .files
            .binary_search_by(|file| file.path.cmp(path))
            .ok()?;
        self.hits.get(at)
    }
}

/// Returns the innermost function around a byte, and otherwise the innermost type.
fn within(facts: &Arc<FileFacts>, at: usize) -> Option<Within> {
    let mut around: Vec<_> = facts
        .symbols
        .iter()
        .filter(|symbol| symbol.span.contains(&at))
        .collect();
    around.sort_by_key(|symbol| symbol.span.len());
    let symbol = around
        .iter()
        .find(|symbol| symbol.kind.is_function())
        .or_else(|| around.first())?;
    Some(Within {
        name: facts.qualified_name(symbol),
        kind: symbol.kind,
        lines: symbol.lines,
    })
}
