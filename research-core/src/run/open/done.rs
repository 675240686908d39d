//! Results of tasks that were recorded.

use crate::checkpoint::CheckpointId;
use crate::codec::Codec;
use crate::command::Command;
use crate::graph::Inner;
use crate::persist::CodecError;
use crate::run::durable::{HAS_MEMORY, take_spent};
use crate::run::wire::decode_command;
use crate::state::State;
use crate::stored::{Reader, SubgraphMemory, damaged};

/// A result that was recorded.
pub(crate) struct Done<S: State> {
    pub(crate) index: usize,
    pub(crate) node: String,
    pub(crate) attempt: u32,
    pub(crate) spent: Vec<(String, u64)>,
    /// What its subgraph remembers from now on.
    pub(crate) memory: Option<SubgraphMemory>,
    pub(crate) command: Command<S>,
}

/// Reads the record of a result.
pub(crate) fn done<S: State, R>(
    graph: &Inner<S, R>,
    codec: &dyn Codec<S>,
    index: usize,
    data: &[u8],
) -> Result<Done<S>, CodecError> {
    let mut reader = Reader(data);
    let head = (|| {
        let node = reader.text()?.to_string();
        let attempt = reader.number()?;
        let spent = take_spent(&mut reader)?;
        let memory = if attempt & HAS_MEMORY == 0 {
            None
        } else {
            let namespace = reader.text()?.to_string();
            Some(SubgraphMemory { namespace, checkpoint: CheckpointId(reader.number()?) })
        };
        Some((node, u32::try_from(attempt & !HAS_MEMORY).ok()?, spent, memory))
    })();
    let (node, attempt, spent, memory) = head.ok_or_else(damaged)?;
    let command = decode_command(graph, codec, reader.0)?;
    Ok(Done { index, node, attempt, spent, memory, command })
}
