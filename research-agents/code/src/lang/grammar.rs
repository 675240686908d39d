//! The grammar of a language with the query of its facts, compiled once in a process.

use std::sync::OnceLock;

use tree_sitter::{Node, Query};

use crate::lang::language::Language;
use crate::lang::role::NodeRole;

/// A grammar and the query that finds the facts of a file.
#[derive(Debug)]
pub(crate) struct Grammar {
    pub(crate) language: tree_sitter::Language,
    pub(crate) query: Query,
    /// The role of each kind of nodes, by its number.
    roles: Vec<NodeRole>,
}

impl Grammar {
    fn new(language: tree_sitter::Language, query: Query) -> Self {
        let kinds = language.node_kind_count();
        let roles = (0..kinds)
            .map(|id| u16::try_from(id).unwrap_or_default())
            .map(|id| {
                let kind = language.node_kind_for_id(id).unwrap_or_default();
                match language.node_kind_is_named(id) {
                    true => NodeRole::from_kind(kind),
                    false => NodeRole::None,
                }
            })
            .collect();
        Self {
            language,
            query,
            roles,
        }
    }

    /// Returns what a walk does at a node.
    pub(crate) fn role(&self, node: &Node<'_>) -> NodeRole {
        let id = usize::from(node.kind_id());
        self.roles.get(id).copied().unwrap_or(NodeRole::None)
    }
}

/// Returns the grammar of a language. `None` if its feature is disabled.
pub(crate) fn grammar(language: Language) -> Option<&'static Grammar> {
    static GRAMMARS: [OnceLock<Option<Grammar>>; Language::ALL.len()] =
        [const { OnceLock::new() }; Language::ALL.len()];
    let at = Language::ALL.iter().position(|known| *known == language)?;
    GRAMMARS
        .get(at)?
        .get_or_init(|| {
            let (language, queries) = parts(language)?;
            // A test compiles every query.
            let query = Query::new(&language, queries).ok()?;
            Some(Grammar::new(language, query))
        })
        .as_ref()
}

/// Returns the grammar and the text of the query.
pub(crate) fn parts(language: Language) -> Option<(tree_sitter::Language, &'static str)> {
    match language {
        #[cfg(feature = "rust")]
        Language::Rust => Some((
            tree_sitter_rust::LANGUAGE.into(),
            include_str!("../../queries/rust.scm"),
        )),
        #[cfg(feature = "python")]
        Language::Python => Some((
            tree_sitter_python::LANGUAGE.into(),
            include_str!("../../queries/python.scm"),
        )),

        #[cfg(feature = "typescript")]
        Language::TypeScript => Some((
            tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
            include_str!("../../queries/typescript.scm"),
        )),
        #[cfg(feature = "typescript")]
        Language::Tsx => Some((
            tree_sitter_typescript::LANGUAGE_TSX.into(),
            include_str!("../../queries/typescript.scm"),
        )),
        #[cfg(feature = "javascript")]
        Language::JavaScript => Some((
            tree_sitter_javascript::LANGUAGE.into(),
            include_str!("../../queries/javascript.scm"),
        )),

        #[cfg(feature = "go")]
        Language::Go => Some((
            tree_sitter_go::LANGUAGE.into(),
            include_str!("../../queries/go.scm"),
        )),
        #[cfg(feature = "java")]
        Language::Java => Some((
            tree_sitter_java::LANGUAGE.into(),
            include_str!("../../queries/java.scm"),
        )),

        #[cfg(feature = "c")]
        Language::C => Some((
            tree_sitter_c::LANGUAGE.into(),
            include_str!("../../queries/c.scm"),
        )),
        #[cfg(feature = "cpp")]
        Language::Cpp => Some((
            tree_sitter_cpp::LANGUAGE.into(),
            include_str!("../../queries/cpp.scm"),
        )),
        #[cfg(feature = "csharp")]
        Language::CSharp => Some((
            tree_sitter_c_sharp::LANGUAGE.into(),
            include_str!("../../queries/csharp.scm"),
        )),

        #[cfg(feature = "ruby")]
        Language::Ruby => Some((
            tree_sitter_ruby::LANGUAGE.into(),
            include_str!("../../queries/ruby.scm"),
        )),
        #[cfg(feature = "php")]
        Language::Php => Some((
            tree_sitter_php::LANGUAGE_PHP.into(),
            include_str!("../../queries/php.scm"),
        )),

        #[cfg(not(all(
            feature = "rust",
            feature = "python",
            feature = "typescript",
            feature = "javascript",
            feature = "go",
            feature = "java",
            feature = "c",
            feature = "cpp",
            feature = "csharp",
            feature = "ruby",
            feature = "php"
        )))]
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_query_compiles() {
        for language in Language::ALL {
            let compiled = parts(language).map(|(grammar, queries)| Query::new(&grammar, queries));
            assert!(
                compiled.is_none_or(|query| query.is_ok()),
                "{}",
                language.name()
            );
        }
    }
}
