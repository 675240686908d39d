//! What a builder has gathered, before it is checked.

use std::sync::atomic::{AtomicU32, Ordering};

use super::source::Source;
use crate::command::{Target, Targets};
use crate::node::Body;
use crate::{NodeError, State};

/// Numbers graphs, so that a handle of one is not taken for a handle of another. 0 is the graph of `END`.
static GRAPHS: AtomicU32 = AtomicU32::new(1);

/// A route as the engine stores it.
pub(crate) type Decide<S> = Box<dyn Fn(&S) -> Result<Targets, NodeError> + Send + Sync>;

pub(super) struct Draft<S: State, R> {
    pub(super) id: u32,
    pub(super) name: String,
    pub(super) nodes: Vec<NodeDef<S, R>>,
    pub(super) entries: Vec<Target>,
    pub(super) entry_routes: Vec<RouteDef<S>>,
    pub(super) edges: Vec<(Source, Target)>,
    pub(super) routes: Vec<(Source, RouteDef<S>)>,
    pub(super) joins: Vec<(Vec<Source>, Target)>,
    pub(super) gotos: Vec<(Source, Vec<Target>)>,
    pub(super) writes: Vec<(Source, Vec<String>)>,
    /// Definitions for handles of other graphs.
    pub(super) strays: usize,
}

pub(super) struct NodeDef<S: State, R> {
    pub(super) name: String,
    pub(super) body: Option<Box<dyn Body<S, R>>>,
    pub(super) definitions: usize,
    /// Its body takes an input exactly when its handle does.
    pub(super) fits: bool,
    pub(super) takes_input: bool,
    /// It returns commands, so that it can go anywhere unless its gotos are declared.
    pub(super) may_goto: bool,
}

pub(super) struct RouteDef<S> {
    pub(super) decide: Decide<S>,
    /// Where it can lead; `None` when that was not declared.
    pub(super) targets: Option<Vec<Target>>,
}

impl<S: State, R> Draft<S, R> {
    pub(super) fn new(name: String) -> Self {
        Self {
            id: GRAPHS.fetch_add(1, Ordering::Relaxed),
            name,
            nodes: Vec::new(),
            entries: Vec::new(),
            entry_routes: Vec::new(),
            edges: Vec::new(),
            routes: Vec::new(),
            joins: Vec::new(),
            gotos: Vec::new(),
            writes: Vec::new(),
            strays: 0,
        }
    }
}
