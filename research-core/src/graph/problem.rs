//! What can be wrong with a graph that was built, with names and remedies.

use std::error::Error;
use std::fmt;

/// One mistake in a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// No node is entered first.
    NoEntry,
    /// Two nodes have the same name.
    DuplicateName {
        /// The name.
        name: String,
    },
    /// A node was declared and never defined.
    Undefined {
        /// The node.
        node: String,
        /// It is a task, to be defined by [`define_task`](crate::Graph::define_task).
        takes_input: bool,
    },
    /// A task was defined as a node without an input.
    DefinedWithoutInput {
        /// The task.
        node: String,
    },
    /// A node was defined twice.
    DefinedTwice {
        /// The node.
        node: String,
    },
    /// An edge, a join or a declaration names a node that does not exist.
    UnknownNode {
        /// Where the name stands, such as ``an edge from `plan` ``.
        place: String,
        /// The name.
        name: String,
        /// The closest name that exists.
        suggestion: Option<String>,
    },
    /// A handle of another graph was used.
    ForeignHandle {
        /// Where it stands.
        place: String,
    },
    /// An edge leads to a node that takes an input.
    NeedsInput {
        /// Where the edge stands.
        place: String,
        /// The node that takes an input.
        node: String,
    },
    /// Something starts at `END`.
    EndAsSource {
        /// Where it stands.
        place: String,
    },
    /// A node that nothing leads to.
    Unreachable {
        /// The node.
        node: String,
    },
    /// A node from which nothing leads to `END`.
    NoWayToEnd {
        /// The node.
        node: String,
    },
    /// A join without sources.
    EmptyJoin {
        /// Its target.
        target: String,
    },
    /// A join that waits for none of its sources, or for more than it has.
    JoinNeed {
        /// Its target.
        target: String,
        /// How many sources it waits for.
        need: usize,
        /// How many different sources it has.
        sources: usize,
    },
    /// A task was deferred.
    DeferredTask {
        /// The task.
        node: String,
    },
    /// `END` was deferred.
    DeferredEnd,
    /// A task, of which several may run in one step, runs a subgraph that has one state for the whole thread.
    PerThreadTask {
        /// The task.
        node: String,
    },
    /// A node was given two policies of one kind.
    SetTwice {
        /// The node.
        node: String,
        /// The method that was called twice.
        method: &'static str,
    },
    /// A task is cached by a key that its input has no part in.
    CachedWithoutInput {
        /// The task.
        node: String,
    },
    /// A join that cannot fire because this source of it runs only after it.
    JoinNeverFires {
        /// Its target.
        target: String,
        /// The source.
        waits_for: String,
    },
    /// A declared write to a field that the state does not have.
    UnknownField {
        /// The node.
        node: String,
        /// The name.
        field: String,
        /// The closest field.
        suggestion: Option<String>,
        /// All fields.
        fields: Vec<&'static str>,
    },
    /// Two nodes that run in the same step declare that they write the same plain field.
    DoubleWrite {
        /// The field.
        field: String,
        /// The nodes.
        nodes: [String; 2],
        /// What makes both due at once.
        after: String,
    },
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let maybe = |suggestion: &Option<String>| {
            suggestion.as_ref().map(|name| format!("; did you mean `{name}`?")).unwrap_or_default()
        };
        match self {
            Self::NoEntry => f.write_str("no node is entered first; call `.entry(node)`"),
            Self::DuplicateName { name } => write!(f, "two nodes are called `{name}`; give each its own name"),
            Self::Undefined { node, takes_input } => write!(
                f,
                "node `{node}` was declared but never defined; call `.{}(…)`",
                if *takes_input { "define_task" } else { "define" }
            ),
            Self::DefinedWithoutInput { node } => {
                write!(f, "`{node}` was declared as a task and defined without its input; call `.define_task(…)`")
            }
            Self::DefinedTwice { node } => write!(f, "node `{node}` was defined twice; keep one definition"),
            Self::UnknownNode { place, name, suggestion } => {
                write!(f, "{place} names `{name}`, which is not in the graph{}", maybe(suggestion))
            }
            Self::ForeignHandle { place } => {
                write!(f, "{place} uses a handle of another graph; use the handle that this graph returned")
            }
            Self::NeedsInput { place, node } => write!(
                f,
                "{place} leads to `{node}`, which takes an input; reach it from a route with the handle's `send`"
            ),
            Self::EndAsSource { place } => write!(f, "{place} starts at END; nothing runs after the end"),
            Self::Unreachable { node } => {
                write!(f, "nothing leads to node `{node}`; add an edge or a route to it, or remove it")
            }
            Self::NoWayToEnd { node } => {
                write!(f, "nothing leads from node `{node}` to the end; add `.edge({node}, END)` or another way out")
            }
            Self::EmptyJoin { target } => {
                write!(f, "the join into `{target}` has no sources; name the nodes that it waits for")
            }
            Self::JoinNeed { target, need: 0, .. } => {
                write!(f, "the join into `{target}` waits for none of its sources; let it wait for at least one")
            }
            Self::JoinNeed { target, need, sources } => write!(
                f,
                "the join into `{target}` waits for {need} different sources and has {sources}; \
                 name more of them, or wait for {sources} at most"
            ),
            Self::DeferredTask { node } => write!(
                f,
                "`{node}` is deferred and takes an input, so that it runs once for each send; \
                 defer the node that its results lead to"
            ),
            Self::PerThreadTask { node } => write!(
                f,
                "`{node}` takes an input, so that several of it may run in one step, and its subgraph has one state for \
                 the whole thread; keep it `.per_call()`, or run it from a node"
            ),
            Self::DeferredEnd => f.write_str("END is deferred, which is no node; defer the node that leads to it"),
            Self::SetTwice { node, method } => {
                write!(f, "`.{method}(…)` was called twice for `{node}`; keep one of the calls")
            }
            Self::CachedWithoutInput { node } => write!(
                f,
                "`{node}` is cached and takes an input, which is no part of the key, so that all inputs would get one result; \
                 call `.cache_task(…)`"
            ),
            Self::JoinNeverFires { target, waits_for } => write!(
                f,
                "the join into `{target}` can never fire: it waits for `{waits_for}`, which runs only after the join; \
                 lead to `{waits_for}` in another way, or take it out of the join"
            ),
            Self::UnknownField { node, field, suggestion, fields } => {
                write!(f, "node `{node}` declares a write to `{field}`, which is not a field{}", maybe(suggestion))?;
                match suggestion {
                    Some(_) => Ok(()),
                    None => write!(f, "; the fields are `{}`", fields.join("`, `")),
                }
            }
            Self::DoubleWrite { field, nodes: [a, b], after } => write!(
                f,
                "`{a}` and `{b}` both run right after {after} and both write `{field}`; \
                 give the field a reducer or order the nodes"
            ),
        }
    }
}

/// Everything that is wrong with a graph, in one error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuildError {
    pub(crate) graph: String,
    pub(crate) problems: Vec<Problem>,
}

impl BuildError {
    /// All problems, in the order in which they were found; never empty.
    #[must_use]
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.problems.len();
        write!(f, "graph `{}` has {count} problem{}:", self.graph, if count == 1 { "" } else { "s" })?;
        self.problems.iter().try_for_each(|problem| write!(f, "\n  - {problem}"))
    }
}

impl Error for BuildError {}

/// The closest of `names` to `name`, when it is close enough to be a slip.
pub(crate) fn closest<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Option<String> {
    names
        .map(|known| (strsim::damerau_levenshtein(name, known), known))
        .filter(|(distance, known)| *distance <= known.chars().count().max(name.chars().count()) / 3)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, known)| known.to_string())
}
