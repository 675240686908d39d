//! Commands and sent tasks as bytes. Nodes are named, never numbered, so that what is stored outlives changes of the graph.

use crate::codec::Codec;
use crate::command::{Command, Goto, Next, Target, Targets};
use crate::graph::Inner;
use crate::handle::{END, END_INDEX, Node, Sent};
use crate::persist::{CodecError, CodecErrorKind};
use crate::state::State;
use crate::stored::{Reader, damaged, put_bytes, put_number};

const NO_GOTO: u8 = 0;
const GOTO: u8 = 1;
const ALSO_GOTO: u8 = 2;
const GOTO_PARENT: u8 = 3;

const TO_END: u8 = 0;
const TO_NODE: u8 = 1;
const TO_TASK: u8 = 2;

/// The result of a task: its update and where it leads.
pub(crate) fn encode_command<S: State, R>(
    graph: &Inner<S, R>,
    codec: &dyn Codec<S>,
    command: &Command<S>,
) -> Result<Vec<u8>, CodecError> {
    let mut out = Vec::new();
    match command.goto.as_deref() {
        None => out.push(NO_GOTO),
        Some(Goto { targets, also, parent }) => {
            out.push(if *parent {
                GOTO_PARENT
            } else if *also {
                ALSO_GOTO
            } else {
                GOTO
            });
            match &targets.0 {
                Next::Nowhere => put_number(&mut out, 0),
                Next::One(target) => {
                    put_number(&mut out, 1);
                    put_target(graph, target, &mut out)?;
                }
                Next::Many(targets) => {
                    put_number(&mut out, targets.len() as u64);
                    targets.iter().try_for_each(|target| put_target(graph, target, &mut out))?;
                }
                Next::Sends(sends) => {
                    put_number(&mut out, sends.len() as u64);
                    for sent in sends {
                        out.push(TO_TASK);
                        put_sent(graph, sent, &mut out)?;
                    }
                }
            }
        }
    }
    codec.write_update(&command.update, &mut out)?;
    Ok(out)
}

fn put_target<S: State, R>(graph: &Inner<S, R>, target: &Target, out: &mut Vec<u8>) -> Result<(), CodecError> {
    match target {
        Target::Node(Node { index: END_INDEX, .. }) => out.push(TO_END),
        Target::Node(node) => {
            // A handle of another graph has no name here; it is refused at the barrier, before anything is written.
            let name = graph.names.get(node.index as usize).filter(|_| node.graph == graph.id);
            out.push(TO_NODE);
            put_bytes(out, name.map_or(&[], |name| name.as_bytes()));
        }
        Target::Name(name) => {
            out.push(TO_NODE);
            put_bytes(out, name.as_bytes());
        }
        Target::Sent(sent) => {
            out.push(TO_TASK);
            put_sent(graph, sent, out)?;
        }
        // Whether it fits is known: what does not is not recorded.
        Target::NamedTask(task) => {
            out.push(TO_TASK);
            put_bytes(out, task.name.as_bytes());
            put_bytes(out, &task.input);
        }
    }
    Ok(())
}

/// A task with its input.
pub(crate) fn put_sent<S: State, R>(graph: &Inner<S, R>, sent: &Sent, out: &mut Vec<u8>) -> Result<(), CodecError> {
    let own = graph.nodes.get(sent.node.index as usize).filter(|_| sent.node.graph == graph.id);
    let (Some(task), Some(name)) = (own, graph.names.get(sent.node.index as usize)) else {
        // The barrier refuses it, before anything is written.
        return Err(CodecError::new(CodecErrorKind::Encode).with_source("it is for a task of another graph"));
    };
    let input = match &task.input {
        Some(codec) => (codec.encode)(&sent.input).map_err(|error| error.at(&input_of(name)))?,
        None => {
            return Err(CodecError::new(CodecErrorKind::Encode).at(&input_of(name)).with_source("it takes no input"));
        }
    };
    put_bytes(out, name.as_bytes());
    put_bytes(out, &input);
    Ok(())
}

fn input_of(node: &str) -> String {
    format!("the input of `{node}`")
}

/// A name and an input, as a task of this graph.
pub(crate) fn take_sent<S: State, R>(graph: &Inner<S, R>, reader: &mut Reader<'_>) -> Result<Sent, CodecError> {
    let name = reader.text().ok_or_else(damaged)?;
    let input = reader.bytes().ok_or_else(damaged)?;
    let (index, codec) = graph
        .position(name)
        .and_then(|index| Some((index, graph.nodes[index as usize].input.as_ref()?)))
        .ok_or_else(|| {
            let missing = "the graph has no task of this name any more";
            CodecError::new(CodecErrorKind::UnknownField).at(&input_of(name)).with_source(missing)
        })?;
    let input = (codec.decode)(input).map_err(|error| error.at(&input_of(name)))?;
    Ok(Sent { node: Node { graph: graph.id, index }, input })
}

/// Reads a result that [`encode_command`] wrote.
pub(crate) fn decode_command<S: State, R>(
    graph: &Inner<S, R>,
    codec: &dyn Codec<S>,
    bytes: &[u8],
) -> Result<Command<S>, CodecError> {
    let mut reader = Reader(bytes);
    let kind = reader.byte().ok_or_else(damaged)?;
    let goto = match kind {
        NO_GOTO => None,
        GOTO | ALSO_GOTO | GOTO_PARENT => {
            let count = reader.number().ok_or_else(damaged)?;
            let targets = (0..count).map(|_| take_target(graph, &mut reader)).collect::<Result<Vec<_>, _>>()?;
            let targets = Targets(Next::Many(targets));
            Some(Box::new(Goto { targets, also: kind == ALSO_GOTO, parent: kind == GOTO_PARENT }))
        }
        _ => return Err(damaged()),
    };
    Ok(Command { update: codec.read_update(reader.0)?, goto })
}

fn take_target<S: State, R>(graph: &Inner<S, R>, reader: &mut Reader<'_>) -> Result<Target, CodecError> {
    Ok(match reader.byte().ok_or_else(damaged)? {
        TO_END => Target::Node(END),
        TO_NODE => Target::Name(reader.text().ok_or_else(damaged)?.into()),
        TO_TASK => Target::Sent(Box::new(take_sent(graph, reader)?)),
        _ => return Err(damaged()),
    })
}
