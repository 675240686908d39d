//! What a builder has gathered, before it is checked.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use super::input::InputCodec;
use super::policies::{Policies, Setting};
use super::sketch::Drawn;
use super::source::Source;
use crate::command::{Target, Targets};
use crate::error::NodeError;
use crate::node::Body;
use crate::state::State;

/// Numbers graphs, so that a handle of one is not taken for a handle of another. 0 is the graph of `END`.
static GRAPHS: AtomicU32 = AtomicU32::new(1);

/// A route as the engine stores it.
pub(crate) type Decide<S> = Box<dyn Fn(&S) -> Result<Targets, NodeError> + Send + Sync>;

pub(super) struct Draft<S: State, R> {
    pub(super) id: u32,
    pub(super) name: String,
    pub(super) version: u64,
    pub(super) nodes: Vec<NodeDef<S, R>>,
    pub(super) entries: Vec<Target>,
    pub(super) entry_routes: Vec<RouteDef<S>>,
    /// What runs when the budget is spent.
    pub(super) wind_up: Option<Target>,
    pub(super) edges: Vec<(Source, Target)>,
    pub(super) routes: Vec<(Source, RouteDef<S>)>,
    pub(super) joins: Vec<JoinDef>,
    pub(super) deferred: Vec<Source>,
    pub(super) gotos: Vec<(Source, Vec<Target>)>,
    pub(super) writes: Vec<(Source, Vec<String>)>,
    pub(super) policies: Policies<S, R>,
    /// Definitions for handles of other graphs.
    pub(super) strays: usize,
}

pub(super) struct NodeDef<S: State, R> {
    pub(super) name: String,
    pub(super) body: Option<Box<dyn Body<S, R>>>,
    pub(super) definitions: usize,
    /// Its body takes an input exactly when its handle does.
    pub(super) fits: bool,
    /// How its input is kept; `None` when it takes none.
    pub(super) input: Option<InputCodec>,
    /// The graph that runs inside of it.
    pub(super) child: Option<Arc<dyn Drawn>>,
    /// That graph has one state for the whole thread.
    pub(super) keeps_for_thread: bool,
    /// It returns commands, so that it can go anywhere unless its gotos are declared.
    pub(super) may_goto: bool,
}

pub(super) struct RouteDef<S> {
    pub(super) decide: Decide<S>,
    /// Where it can lead; `None` when that was not declared.
    pub(super) targets: Option<Vec<Target>>,
}

pub(super) struct JoinDef {
    pub(super) from: Vec<Source>,
    /// How many of the sources it waits for; `None` for all.
    pub(super) need: Option<usize>,
    pub(super) to: Target,
}

impl<S: State, R> Draft<S, R> {
    pub(super) fn new(name: String) -> Self {
        Self {
            id: GRAPHS.fetch_add(1, Ordering::Relaxed),
            name,
            version: 0,
            nodes: Vec::new(),
            entries: Vec::new(),
            entry_routes: Vec::new(),
            wind_up: None,
            edges: Vec::new(),
            routes: Vec::new(),
            joins: Vec::new(),
            deferred: Vec::new(),
            gotos: Vec::new(),
            writes: Vec::new(),
            policies: Policies::default(),
            strays: 0,
        }
    }

    /// Notes which nodes can go anywhere because their error handlers return commands.
    pub(super) fn note_handlers(&mut self) {
        for (node, setting) in &self.policies.of_nodes {
            let Setting::Handler { may_goto: true, .. } = setting else { continue };
            let def = match &node.0 {
                Target::Node(node) if node.graph == self.id => self.nodes.get_mut(node.index as usize),
                Target::Name(name) => self.nodes.iter_mut().find(|def| *def.name == **name),
                _ => None,
            };
            if let Some(def) = def {
                def.may_goto = true;
            }
        }
    }
}
