//! What is due after a checkpoint, by name.

use std::collections::BTreeMap;

use super::bytes::{Reader, damaged};
use crate::Fingerprint;
use crate::persist::CodecError;

/// Version of the layout.
pub(crate) const LAYOUT: u8 = 1;
pub(crate) const WOUND_UP: u8 = 1;
pub(crate) const LEFT: u8 = 2;

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
    pub(crate) calls: Vec<(usize, String)>,
    /// Old and new names that a migration gave to nodes, in order; not stored.
    pub(crate) renamed: Vec<(String, String)>,
    /// The nodes that ran in the step that made the checkpoint, in task-path order.
    pub(crate) ran: Vec<String>,
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
    if reader.byte()? != LAYOUT {
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
    let calls = reader.list(|reader| Some((usize::try_from(reader.number()?).ok()?, name(reader)?)))?;
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
        renamed: Vec::new(),
        ran,
    })
}
