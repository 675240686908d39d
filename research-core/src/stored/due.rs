//! What is due after a checkpoint, by name.

use std::collections::BTreeMap;

use super::bytes::{Reader, damaged};
use crate::checkpoint::CheckpointId;
use crate::handle::Fingerprint;
use crate::persist::CodecError;

/// Version of the layout. Layout 1, which is still read, did not say what subgraphs remember.
pub(crate) const LAYOUT: u8 = 2;
const WITHOUT_MEMORIES: u8 = 1;
pub(crate) const WOUND_UP: u8 = 1;
pub(crate) const LEFT: u8 = 2;
/// What subgraphs remember is not known of all of them: the thread began under layout 1.
pub(crate) const UNKNOWN_MEMORIES: u8 = 4;

/// What is due, by name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Due {
    pub(crate) fingerprint: Fingerprint,
    pub(crate) nodes: Vec<String>,
    pub(crate) deferred: Vec<String>,
    /// Names of tasks, with their inputs.
    pub(crate) sends: Vec<(String, Vec<u8>)>,
    pub(crate) joins: Vec<StoredJoin>,
    pub(crate) spent: BTreeMap<String, u64>,
    pub(crate) wound_up: bool,
    pub(crate) left: Option<Vec<String>>,
    /// By place of the task, the names of calls of subgraphs that began before an update from outside.
    pub(crate) calls: Vec<CallName>,
    /// What subgraphs remember over all calls.
    pub(crate) memories: Memories,
    /// The version that the graph had given itself; 0 without one.
    pub(crate) version: u64,
    /// The name of the graph, where it is known.
    pub(crate) graph: Option<String>,
    /// Old and new names that a migration gave to nodes, in order; not stored.
    pub(crate) renamed: Vec<(String, String)>,
    /// The nodes that ran in the step that made the checkpoint, in task-path order.
    pub(crate) ran: Vec<String>,
}

/// The name that a task has for the subgraph that it calls, where that is not the one which its place would give it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CallName {
    /// Place of the task.
    pub(crate) task: usize,
    pub(crate) call: String,
    /// The name that the node had when the call began, where it has another one now.
    pub(crate) node: Option<String>,
}

/// Where a subgraph that is kept for the whole thread has its state, at a checkpoint of the graph that calls it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SubgraphMemory {
    /// The namespace of its checkpoints.
    pub namespace: String,
    /// The checkpoint that its last call ended with.
    pub checkpoint: CheckpointId,
}

/// What the subgraphs of a graph that are kept for the whole thread remember.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Memories {
    /// By name of the node.
    pub(crate) known: BTreeMap<String, SubgraphMemory>,
    /// One that is not among them may have a state all the same, the newest of its namespace: earlier versions of this library
    /// did not note it.
    pub(crate) incomplete: bool,
}

/// A join that some sources have arrived at.
#[derive(Clone, Debug)]
pub(crate) struct StoredJoin {
    pub(crate) key: String,
    pub(crate) arrived: Vec<u64>,
    pub(crate) fired: bool,
}

/// Reads what is due.
pub(crate) fn decode(bytes: &[u8]) -> Result<Due, CodecError> {
    read(&mut Reader(bytes)).ok_or_else(damaged)
}

fn read(reader: &mut Reader<'_>) -> Option<Due> {
    let name = |reader: &mut Reader<'_>| reader.text().map(ToString::to_string);
    let layout = reader.byte()?;
    if !(WITHOUT_MEMORIES..=LAYOUT).contains(&layout) {
        return None;
    }
    let (fingerprint, rest) = reader.0.split_first_chunk()?;
    reader.0 = rest;
    let flags = reader.byte()?;
    let nodes = reader.list(name)?;
    let ran = reader.list(name)?;
    let deferred = reader.list(name)?;
    let sends = reader.list(|reader| Some((name(reader)?, reader.bytes()?.to_vec())))?;
    let joins = reader.list(|reader| {
        Some(StoredJoin { key: name(reader)?, fired: reader.byte()? != 0, arrived: reader.list(Reader::number)? })
    })?;
    let spent = reader.list(|reader| Some((name(reader)?, reader.number()?)))?;
    let left = if flags & LEFT == 0 { None } else { Some(reader.list(name)?) };
    let has_memories = layout > WITHOUT_MEMORIES;
    let calls = reader.list(|reader| {
        let (task, call) = (usize::try_from(reader.number()?).ok()?, name(reader)?);
        let node = if has_memories { Some(name(reader)?).filter(|node| !node.is_empty()) } else { None };
        Some(CallName { task, call, node })
    })?;
    let memory = |reader: &mut Reader<'_>| {
        let (node, namespace) = (name(reader)?, name(reader)?);
        Some((node, SubgraphMemory { namespace, checkpoint: CheckpointId(reader.number()?) }))
    };
    let known = if has_memories { reader.list(memory)? } else { Vec::new() };
    let version = if has_memories { reader.number()? } else { 0 };
    let graph = if has_memories { Some(name(reader)?) } else { None };
    let memories =
        Memories { known: known.into_iter().collect(), incomplete: !has_memories || flags & UNKNOWN_MEMORIES != 0 };
    Some(Due {
        fingerprint: Fingerprint(u64::from_le_bytes(*fingerprint)),
        nodes,
        deferred,
        sends,
        joins,
        spent: spent.into_iter().collect(),
        wound_up: flags & WOUND_UP != 0,
        left,
        calls,
        memories,
        version,
        graph,
        renamed: Vec::new(),
        ran,
    })
}
