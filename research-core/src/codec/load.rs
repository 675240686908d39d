//! Reads a state from the bodies of its checkpoints.

use std::error::Error;
use std::fmt;

use super::Codec;
use super::notes::{NOTES, Notes};
use super::recorder::{Recorder, Stored};
use super::shape::Shape;
use super::weights::Weights;
use crate::checkpoint::{StoreError, chunks, fields};
use crate::persist::wire;
use crate::{CodecError, FieldSet, State};

/// A state that was read.
pub(crate) struct Restored<S: State> {
    /// The state; what no body holds has its default.
    pub(crate) state: S,
    /// The recorder that goes on from there.
    pub(crate) recorder: Recorder<S>,
    /// The engine's notes.
    pub(crate) notes: Vec<Vec<u8>>,
    /// Fields that the bodies hold and the state does not have, in the order of their first mention.
    pub(crate) unknown: Vec<String>,
}

/// Why a state cannot be read.
#[derive(Debug)]
pub(crate) enum LoadError {
    /// A body is damaged.
    Store(StoreError),
    /// A field does not fit the state.
    Codec(CodecError),
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Store(error) => error.fmt(f),
            Self::Codec(error) => error.fmt(f),
        }
    }
}

impl Error for LoadError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Store(error) => error.source(),
            Self::Codec(error) => error.source(),
        }
    }
}

impl From<StoreError> for LoadError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<CodecError> for LoadError {
    fn from(error: CodecError) -> Self {
        Self::Codec(error)
    }
}

/// Reads the state that bodies hold, the first of which is a full one. Without a body it is the default one.
///
/// # Errors
///
/// When a body is damaged, or what it holds of a field does not fit the field.
pub(crate) fn load<S: State>(codec: &'static dyn Codec<S>, bodies: &[Vec<u8>]) -> Result<Restored<S>, LoadError> {
    let mut restored =
        Restored { state: S::default(), recorder: Recorder::new(codec), notes: Vec::new(), unknown: Vec::new() };
    if bodies.is_empty() {
        return Ok(restored);
    }
    let mut stored = Stored { weights: weigh::<S>(bodies)?, unstored: Shape::<S>::TRACKED, held: FieldSet::EMPTY };
    for (name, history) in fields(bodies.iter().map(Vec::as_slice))? {
        let value = history.value();
        if name == NOTES {
            restored.notes = value.as_deref().map(wire::decode).transpose()?.unwrap_or_default();
            continue;
        }
        let Some(position) = position::<S>(name) else {
            restored.unknown.push(name.to_string());
            continue;
        };
        if !Shape::<S>::TRACKED.has(position) {
            continue;
        }
        if let Some(value) = &value {
            codec.read(&mut restored.state, position, value)?;
        }
        for changes in &history.changes {
            codec.apply(&mut restored.state, position, changes)?;
        }
        stored.held = stored.held.with(position, Shape::<S>::EPHEMERAL.has(position));
        // What cannot be built on is written as a whole next time.
        let built_on = goes_on(codec, &restored.state, position, value.as_deref())?;
        stored.unstored = stored.unstored.without(FieldSet::EMPTY.with(position, built_on));
    }
    restored.recorder = Recorder::of(codec, stored, Notes::of(&restored.notes));
    Ok(restored)
}

fn position<S: State>(name: &str) -> Option<usize> {
    S::FIELDS.iter().position(|field| field.name == name)
}

/// Counts the bytes as they were counted when they were written.
fn weigh<S: State>(bodies: &[Vec<u8>]) -> Result<Weights, StoreError> {
    let mut weights = Weights::new::<S>();
    for (row, body) in bodies.iter().enumerate() {
        if row > 0 {
            weights.add_row();
        }
        for chunk in chunks(body) {
            let chunk = chunk?;
            match position::<S>(chunk.field) {
                Some(position) => weights.add::<S>(position, chunk.op, chunk.data.len()),
                None if chunk.field == NOTES => {}
                None => weights.add_superseded(chunk.data.len()),
            }
        }
    }
    Ok(weights)
}

/// Whether what is appended next is of the stored value's kind: a type may read a text and write a list.
fn goes_on<S: State>(
    codec: &dyn Codec<S>,
    state: &S,
    position: usize,
    value: Option<&[u8]>,
) -> Result<bool, CodecError> {
    if !Shape::<S>::TAILS.has(position) {
        return Ok(true);
    }
    let mut nothing = Vec::new();
    codec.write(state, position, Some(codec.mark(state, position)), &mut nothing)?;
    Ok(wire::joins(value.unwrap_or_default(), &nothing))
}
