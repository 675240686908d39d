//! What [`Persist`] does, behind an object.

use std::any::Any;
use std::marker::PhantomData;

use crate::persist::{CodecError, Persist};
use crate::state::State;

/// What [`Persist`] does, as an object: `&'static dyn Codec<S>` is at hand only where a state can be stored.
pub(crate) trait Codec<S: State>: Send + Sync {
    /// Length of an append field in units of its mark; 0 for others.
    fn mark(&self, state: &S, position: usize) -> usize;
    /// Writes a field as one value: whole, or the tail of an append field from `mark` on.
    fn write(&self, state: &S, position: usize, mark: Option<usize>, out: &mut Vec<u8>) -> Result<(), CodecError>;
    /// Reads the whole value of a field.
    fn read(&self, state: &mut S, position: usize, value: &[u8]) -> Result<(), CodecError>;
    /// Applies a list of changes to a field that folds by id.
    fn apply(&self, state: &mut S, position: usize, changes: &[u8]) -> Result<(), CodecError>;
    /// Writes the delta of a merged field or the changes of one that folds by id.
    fn write_delta(&self, update: &S::Update, position: usize, out: &mut Vec<u8>) -> Result<(), CodecError>;
    /// Writes an update, but for untracked fields.
    fn write_update(&self, update: &S::Update, out: &mut Vec<u8>) -> Result<(), CodecError>;
    /// Reads an update.
    fn read_update(&self, bytes: &[u8]) -> Result<S::Update, CodecError>;
}

/// What stores a state, for [`State::stored_by`].
struct StoredBy<S: State>(&'static dyn Codec<S>);

/// Returns what stores a state, where all its fields can be stored.
pub(crate) fn codec_of<S: State>() -> Option<&'static dyn Codec<S>> {
    S::stored_by()?.downcast::<StoredBy<S>>().ok().map(|stored| stored.0)
}

/// Asks whether a state can be stored, from generated code that must compile either way.
///
/// [`StoredByItself`] is found first, where the state implements [`Persist`]; otherwise the compiler goes on to
/// [`NotStored`], which needs one reference more.
#[derive(Debug)]
pub struct Storage<S>(PhantomData<fn() -> S>);

impl<S> Storage<S> {
    /// Asks about `S`.
    #[expect(clippy::new_without_default, reason = "called by generated code only")]
    pub const fn new() -> Self {
        Self(PhantomData)
    }
}

/// The answer for a state that can be stored.
pub trait StoredByItself {
    /// Returns what stores it.
    fn stored_by(&self) -> Option<Box<dyn Any>>;
}

impl<S: Persist> StoredByItself for Storage<S> {
    fn stored_by(&self) -> Option<Box<dyn Any>> {
        Some(Box::new(StoredBy(PersistCodec::of::<S>())))
    }
}

/// The answer for any other state.
pub trait NotStored {
    /// Returns nothing.
    fn stored_by(&self) -> Option<Box<dyn Any>>;
}

impl<S> NotStored for &Storage<S> {
    fn stored_by(&self) -> Option<Box<dyn Any>> {
        None
    }
}

/// The codec of a state that derives its own.
#[derive(Debug)]
pub(crate) struct PersistCodec;

impl PersistCodec {
    /// The codec, as the engine keeps it.
    pub(crate) fn of<S: Persist>() -> &'static dyn Codec<S> {
        &PersistCodec
    }
}

impl<S: Persist> Codec<S> for PersistCodec {
    fn mark(&self, state: &S, position: usize) -> usize {
        state.mark(position)
    }
    fn write(&self, state: &S, position: usize, mark: Option<usize>, out: &mut Vec<u8>) -> Result<(), CodecError> {
        state.write(position, mark, out)
    }
    fn read(&self, state: &mut S, position: usize, value: &[u8]) -> Result<(), CodecError> {
        state.read(position, value)
    }
    fn apply(&self, state: &mut S, position: usize, changes: &[u8]) -> Result<(), CodecError> {
        state.apply(position, changes)
    }
    fn write_delta(&self, update: &S::Update, position: usize, out: &mut Vec<u8>) -> Result<(), CodecError> {
        S::write_delta(update, position, out)
    }
    fn write_update(&self, update: &S::Update, out: &mut Vec<u8>) -> Result<(), CodecError> {
        S::write_update(update, out)
    }
    fn read_update(&self, bytes: &[u8]) -> Result<S::Update, CodecError> {
        S::read_update(bytes)
    }
}
