//! How sure it is that a use of a name is a use of a definition.

use std::cmp::Reverse;

use serde::{Deserialize, Serialize};

use crate::base::Place;
use crate::facts::{FileFacts, SymbolKind, base_name};
use crate::lang::Language;
use crate::resolve::definition::Definition;
use crate::resolve::module::{names_last, names_module};
use crate::tree::RelPath;

/// How sure a link from a use to a definition is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// The file itself, an import, a path, or an object of a known type names the definition.
    Resolved,
    /// Only the name is the same.
    Possible,
}

/// A use of a name that is to be linked to a definition.
pub(crate) struct Site<'s> {
    pub(crate) path: &'s RelPath,
    pub(crate) facts: &'s FileFacts,
    /// First byte of the name.
    pub(crate) at: usize,
    pub(crate) name: &'s str,
    /// What is written before the name and joined to it.
    pub(crate) receiver: Option<&'s str>,
    /// Name of the folder of the code base.
    pub(crate) root: &'s str,
}

/// Words for the object or type of the method that contains them.
const SELF: &[&str] = &[
    "self", "this", "cls", "Self", "super", "super()", "base", "parent", "static", "@",
];

impl Site<'_> {
    /// Returns the definition that this use is resolved to. `None` if only the name is the same.
    ///
    /// Of definitions that fit equally well it is the one nearest in the tree of folders: the
    /// source of a package rather than a built copy of it.
    pub(crate) fn resolve(&self, definitions: &[Definition]) -> Option<usize> {
        let mut best: Option<((u8, Reverse<usize>), usize)> = None;
        for (at, definition) in definitions.iter().enumerate() {
            let is_code = definition.kind != SymbolKind::Impl
                && is_same_family(definition.language, self.facts.language);
            if !is_code {
                continue;
            }
            let Some(rank) = self.rank(definition) else {
                continue;
            };
            let fit = (rank, Reverse(shared_folders(self.path, &definition.path)));
            if best.is_none_or(|(known, _)| fit < known) {
                best = Some((fit, at));
            }
        }
        best.map(|(_, at)| at)
    }

    /// Returns how well a definition fits; less is better. `None` if only the name fits.
    fn rank(&self, definition: &Definition) -> Option<u8> {
        match self.receiver {
            None => self.rank_alone(definition),
            Some(receiver) => self.rank_with(receiver, definition),
        }
    }

    /// Ranks a definition for a name without a receiver.
    fn rank_alone(&self, definition: &Definition) -> Option<u8> {
        let is_same_file = definition.path == *self.path;
        let is_member = definition.owner.is_some();
        let language = definition.language;
        if is_member {
            // Members are in reach without a receiver only within their own type.
            let is_implicit = matches!(
                language,
                Language::Java | Language::CSharp | Language::Cpp | Language::Ruby
            );
            let is_within = self
                .types_around()
                .any(|name| Some(name) == definition.owner.as_deref());
            let is_inherited = is_implicit && self.inherits(definition);
            let is_constructor = definition.owner.as_deref() == Some(self.name);
            return match is_implicit && is_within || is_constructor && is_same_file {
                true => Some(0),
                false if is_inherited => Some(1),
                false if self.is_imported(definition) => Some(3),
                false => None,
            };
        }
        if definition.is_local {
            return (is_same_file && self.is_beside(definition)).then_some(0);
        }
        if is_same_file {
            return Some(1);
        }

        if self.is_imported(definition) {
            return Some(2);
        }
        let is_same_folder = definition.path.folder() == self.path.folder();
        match language {
            Language::Go | Language::Java | Language::CSharp | Language::Php => {
                is_same_folder.then_some(3)
            }
            Language::C | Language::Cpp => (!definition.signature.starts_with("static "))
                .then_some(3 + u8::from(definition.is_declaration) + u8::from(!is_same_folder)),
            Language::Ruby => Some(4),
            Language::Rust if definition.signature.starts_with("macro_rules") => Some(3),
            _ => None,
        }
    }

    /// Ranks a definition for a name after a receiver.
    fn rank_with(&self, receiver: &str, definition: &Definition) -> Option<u8> {
        if SELF.contains(&receiver) {
            let owner = definition.owner.as_deref();
            if owner.is_some() && self.types_around().any(|name| Some(name) == owner) {
                return Some(0);
            }
            return match self.inherits(definition) {
                true => Some(1),
                false if matches!(receiver, "super" | "self") && owner.is_none() => {
                    names_last(receiver, definition, self.root).then_some(3)
                }
                false => None,
            };
        }

        if let Some(owner) = definition.owner.as_deref() {
            let last = base_name(receiver);
            if last == owner {
                return Some(0);
            }
            return match self.type_of(receiver) {
                Some(of) if of == owner => Some(1),
                Some(of) if self.extends(of, owner) => Some(2),
                _ => None,
            };
        }
        // A function after a module.
        let import = self
            .facts
            .imports
            .iter()
            .find(|import| import.local == receiver);
        match import {
            Some(import) => {
                let module = match import.name.as_str() {
                    "" | "*" => import.module.clone(),
                    name => format!("{}.{name}", import.module),
                };
                names_module(&module, definition, self.root).then_some(2)
            }
            None if receiver == "()" => None,
            None => names_last(receiver, definition, self.root).then_some(3),
        }
    }

    /// Returns whether the file imports the name from the module of a definition.
    fn is_imported(&self, definition: &Definition) -> bool {
        self.facts.imports.iter().any(|import| {
            let is_name =
                import.local == self.name || import.name == self.name || import.name == "*";
            is_name && names_module(&import.module, definition, self.root)
        })
    }

    /// Returns the types around the use, the innermost first.
    fn types_around(&self) -> impl Iterator<Item = &str> {
        let mut names = Vec::new();
        let mut symbol = self.facts.enclosing(self.at);
        while let Some(outer) = symbol {
            names.extend(self.facts.owner(outer));
            if outer.kind.is_type() {
                names.push(base_name(&outer.name));
            }
            symbol = outer.parent.and_then(|at| self.facts.symbols.get(at));
        }
        names.into_iter()
    }

    /// Returns whether a type around the use inherits from the owner of a definition.
    fn inherits(&self, definition: &Definition) -> bool {
        let Some(owner) = definition.owner.as_deref() else {
            return false;
        };
        let around: Vec<&str> = self.types_around().collect();
        around.into_iter().any(|name| self.extends(name, owner))
    }

    /// Returns whether this file says that a type extends another, directly or through types of
    /// this file.
    fn extends(&self, by: &str, of: &str) -> bool {
        let mut open = vec![by];
        let mut seen = Vec::new();
        while let Some(name) = open.pop() {
            if seen.contains(&name) {
                continue;
            }
            seen.push(name);
            for found in &self.facts.implementations {
                if base_name(&found.by) == name {
                    if found.of == of {
                        return true;
                    }
                    open.push(&found.of);
                }
            }
        }
        false
    }

    /// Returns the type of an object by the declaration nearest before the use.
    fn type_of(&self, receiver: &str) -> Option<&str> {
        let (before, last) = match receiver.rsplit_once(['.', ':', '>']) {
            Some((before, last)) => (Some(before), last),
            None => (None, receiver),
        };
        let is_field =
            before.is_some_and(|before| SELF.contains(&before.trim_end_matches(['.', ':', '-'])));
        let within = self
            .facts
            .symbols
            .iter()
            .filter(|symbol| symbol.span.contains(&self.at));
        let function = within
            .filter(|symbol| symbol.kind.is_function())
            .min_by_key(|symbol| symbol.span.start);

        let mut bindings = self
            .facts
            .bindings
            .iter()
            .filter(|binding| binding.name == last);
        let nearest = bindings.rfind(|binding| {
            is_field
                || binding.at < self.at
                    && function.is_none_or(|function| function.span.contains(&binding.at))
        });
        nearest.map(|binding| binding.of.as_str())
    }

    /// Returns whether a local definition is within the function of the use.
    fn is_beside(&self, definition: &Definition) -> bool {
        let Some(symbol) = self.facts.symbols.get(definition.symbol) else {
            return false;
        };
        let outer = symbol.parent.and_then(|at| self.facts.symbols.get(at));
        outer.is_some_and(|outer| outer.span.contains(&self.at))
    }
}

/// Returns the number of folders from the root that two paths have in common.
fn shared_folders(one: &RelPath, other: &RelPath) -> usize {
    let (one, other) = (one.folder(), other.folder());
    one.split('/')
        .zip(other.split('/'))
        .take_while(|(one, other)| one == other)
        .count()
}

/// Returns whether code of one language can use code of the other.
fn is_same_family(one: Language, other: Language) -> bool {
    let family = |language| match language {
        Language::TypeScript | Language::Tsx | Language::JavaScript => Language::JavaScript,
        Language::Cpp => Language::C,
        other => other,
    };
    family(one) == family(other)
}

/// Returns whether a use within a function of tests is one of tests.
pub(crate) fn place_within(facts: &FileFacts, at: usize, place: Place) -> Place {
    let mut symbol = facts.enclosing(at);
    while let Some(outer) = symbol {
        let is_tests =
            outer.kind == SymbolKind::Module && matches!(outer.name.as_str(), "tests" | "test");
        if is_tests && place == Place::Source {
            return Place::Test;
        }
        symbol = outer.parent.and_then(|at| facts.symbols.get(at));
    }
    place
}
