//! The operations on single fields and on slots of updates that the derive macro's output calls.
//!
//! A written update is a list of chunks as in the body of a checkpoint: a value that replaces the field, a delta, or a list of
//! deltas.

use super::error::{CodecError, CodecErrorKind};
use super::stored::{Changed, Form, Stored};
use crate::checkpoint::{BodyWriter, Op, chunks};
use crate::reduce::slot::Fold;

/// Length of a field.
pub fn length<T: for<'x> Stored<'x, F, D>, F: Form, D>(field: &T) -> usize {
    field.length()
}

/// Writes a field, or its tail.
pub fn store<T: for<'x> Stored<'x, F, D>, F: Form, D>(
    field: &T,
    name: &str,
    mark: Option<usize>,
    out: &mut Vec<u8>,
) -> Result<(), CodecError> {
    field.store(mark, out).map_err(|error| error.at(name))
}

/// Reads a field.
pub fn restore<T: for<'x> Stored<'x, F, D>, F: Form, D>(
    field: &mut T,
    name: &str,
    value: &[u8],
) -> Result<(), CodecError> {
    *field = T::restore(value).map_err(|error| error.at(name))?;
    Ok(())
}

/// Applies changes to a field that folds by id.
pub fn apply<T, F: Form, D>(field: &mut T, name: &str, changes: &[u8]) -> Result<(), CodecError>
where
    T: for<'x> Stored<'x, F, D> + for<'x> Changed<'x, D>,
{
    field.apply(T::restore_delta(changes).map_err(|error| error.at(name))?);
    Ok(())
}

/// Writes the delta of a slot, if it has one.
pub fn store_delta<T: for<'x> Stored<'x, F, D>, F: Form, D>(
    slot: &Fold<T, D>,
    name: &str,
    out: &mut Vec<u8>,
) -> Result<(), CodecError> {
    match slot {
        Fold::Delta(delta) => T::store_delta(delta, out).map_err(|error| error.at(name)),
        Fold::Unset | Fold::Overwrite(_) => Ok(()),
    }
}

/// Adds the slot of a field without a reducer to a written update.
pub fn write_plain<T: for<'x> Stored<'x, F, D>, F: Form, D>(
    slot: &Option<T>,
    name: &str,
    out: &mut Vec<u8>,
) -> Result<(), CodecError> {
    match slot {
        Some(value) => write(Op::Set, name, out, |out| value.store(None, out)),
        None => Ok(()),
    }
}

/// Adds the slot of a folded field to a written update.
pub fn write_fold<T: for<'x> Stored<'x, F, D>, F: Form, D>(
    slot: &Fold<T, D>,
    name: &str,
    out: &mut Vec<u8>,
) -> Result<(), CodecError> {
    match slot {
        Fold::Unset => Ok(()),
        Fold::Delta(delta) => write(delta_op::<F>(), name, out, |out| T::store_delta(delta, out)),
        Fold::Overwrite(value) => write(Op::Set, name, out, |out| value.store(None, out)),
    }
}

const fn delta_op<F: Form>() -> Op {
    if F::LISTS { Op::Changes } else { Op::Concat }
}

fn write(
    op: Op,
    name: &str,
    out: &mut Vec<u8>,
    fill: impl FnOnce(&mut Vec<u8>) -> Result<(), CodecError>,
) -> Result<(), CodecError> {
    let mut writer = BodyWriter { bytes: std::mem::take(out) };
    let written = writer.chunk(op, name, fill);
    *out = writer.bytes;
    written.map(drop).map_err(|error| error.at(name))
}

/// One write of a written update.
#[derive(Clone, Copy, Debug)]
pub struct Slot<'a> {
    /// Name of the field.
    pub name: &'a str,
    op: Op,
    data: &'a [u8],
}

/// The writes of a written update; an error and nothing more where it is damaged.
pub fn slots(update: &[u8]) -> impl Iterator<Item = Result<Slot<'_>, CodecError>> {
    chunks(update).map(|chunk| match chunk {
        Ok(chunk) => Ok(Slot { name: chunk.field, op: chunk.op, data: chunk.data }),
        Err(source) => Err(CodecError::new(CodecErrorKind::Damaged).with_source(source)),
    })
}

/// Reads the write of a field without a reducer.
pub fn read_plain<T: for<'x> Stored<'x, F, D>, F: Form, D>(slot: Slot<'_>) -> Result<Option<T>, CodecError> {
    match slot.op {
        Op::Set => T::restore(slot.data).map(Some).map_err(|error| error.at(slot.name)),
        Op::Concat | Op::Changes => Err(CodecError::other_reducer(slot.name)),
    }
}

/// Reads the write of a folded field.
pub fn read_fold<T: for<'x> Stored<'x, F, D>, F: Form, D>(slot: Slot<'_>) -> Result<Fold<T, D>, CodecError> {
    let read = match slot.op {
        Op::Set => T::restore(slot.data).map(Fold::Overwrite),
        op if op == delta_op::<F>() => T::restore_delta(slot.data).map(Fold::Delta),
        Op::Concat | Op::Changes => Err(CodecError::new(CodecErrorKind::OtherReducer)),
    };
    read.map_err(|error| error.at(slot.name))
}
