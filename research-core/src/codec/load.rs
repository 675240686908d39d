//! Reads a state from the bodies of its checkpoints.

use super::notes::{NOTES, Notes};
use super::object::Codec;
use super::recorder::{Recorder, Stored};
use super::shape::Shape;
use super::weights::Weights;
use crate::checkpoint::{StoreError, chunks, fields};
use crate::persist::{CodecError, wire};
use crate::state::{FieldSet, State};

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
    /// Fields that do not fit the state; never none.
    Codec(Vec<CodecError>),
}

impl LoadError {
    /// Everything that does not fit, a text each.
    pub(crate) fn misfits(&self) -> Vec<String> {
        match self {
            Self::Store(error) => vec![error.to_string()],
            Self::Codec(errors) => errors.iter().map(ToString::to_string).collect(),
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
        Self::Codec(vec![error])
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
    let mut misfits = Vec::new();
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
        let read = value.as_deref().map_or(Ok(()), |value| codec.read(&mut restored.state, position, value));
        let mut changes = history.changes.iter();
        if let Err(error) =
            read.and_then(|()| changes.try_for_each(|list| codec.apply(&mut restored.state, position, list)))
        {
            // The other fields are looked at all the same: whoever migrates the thread wants to know of all of them.
            misfits.push(error);
            continue;
        }
        stored.held = stored.held.with(position, Shape::<S>::EPHEMERAL.has(position));
        // What cannot be built on is written as a whole next time.
        let built_on = goes_on(codec, &restored.state, position, value.as_deref())?;
        stored.unstored = stored.unstored.without(FieldSet::EMPTY.with(position, built_on));
    }
    if !misfits.is_empty() {
        return Err(LoadError::Codec(misfits));
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
