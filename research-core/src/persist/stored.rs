//! The bound that the derive macro puts on the type of a field, and what follows from it: the field to bytes and back.
//!
//! The trait has a lifetime that nothing uses, so that a bound on a concrete type may be written that need not hold: whether
//! `for<'x> Vec<Note>: Stored<'x, Value>` does is asked where the state's `Persist` is wanted, not where it is derived.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::error::CodecError;
use super::wire::{decode, encode, encode_tail};
use crate::reduce::{Append, Change, Identified, Tail, by_id};

/// What a field is to its checkpoint; follows from its reducer.
pub trait Form {
    /// Whether deltas are kept one by one, in a list, rather than combined.
    const LISTS: bool;
}

/// A field that is written whole, or whose deltas are of its own type.
#[derive(Debug)]
pub enum Value {}

/// A field with a `Some` of nothing, which has to be told from nothing.
#[derive(Debug)]
pub enum Nested {}

/// A field that `append` folds.
#[derive(Debug)]
pub enum Sequence {}

/// A field that `by_id` folds.
#[derive(Debug)]
pub enum Records {}

/// A field that a function of the user folds.
#[derive(Debug)]
pub enum Folded {}

impl Form for Value {
    const LISTS: bool = false;
}

impl Form for Nested {
    const LISTS: bool = false;
}

impl Form for Sequence {
    const LISTS: bool = false;
}

impl Form for Records {
    const LISTS: bool = true;
}

impl Form for Folded {
    const LISTS: bool = true;
}

/// A field that a checkpoint can hold, in a form that follows from its reducer, and its deltas `D`.
pub trait Stored<'x, F: Form, D = Self>: Sized {
    /// Length in units of `Append::mark`; 0 where nothing is appended.
    fn length(&self) -> usize {
        0
    }
    /// Writes the whole, or what was appended since a mark.
    fn store(&self, mark: Option<usize>, out: &mut Vec<u8>) -> Result<(), CodecError>;
    /// Reads the whole.
    fn restore(value: &[u8]) -> Result<Self, CodecError>;
    /// Writes a delta.
    fn store_delta(delta: &D, out: &mut Vec<u8>) -> Result<(), CodecError>;
    /// Reads a delta.
    fn restore_delta(value: &[u8]) -> Result<D, CodecError>;
}

impl<T: Serialize + DeserializeOwned> Stored<'_, Value> for T {
    fn store(&self, _mark: Option<usize>, out: &mut Vec<u8>) -> Result<(), CodecError> {
        encode(self, out)
    }
    fn restore(value: &[u8]) -> Result<Self, CodecError> {
        decode(value)
    }
    fn store_delta(delta: &Self, out: &mut Vec<u8>) -> Result<(), CodecError> {
        encode(delta, out)
    }
    fn restore_delta(value: &[u8]) -> Result<Self, CodecError> {
        decode(value)
    }
}

/// What a `Some` begins with that is written as the map `{"some": value}`.
const SOME: &[u8] = b"\x81\xa4some";

/// `None` is nil, and `Some` is a map of one entry. Earlier versions of this library wrote the value itself, in which `Some` of
/// nothing was nil too.
impl<T: Serialize + DeserializeOwned> Stored<'_, Nested> for Option<T> {
    fn store(&self, _mark: Option<usize>, out: &mut Vec<u8>) -> Result<(), CodecError> {
        match self {
            None => encode(&(), out),
            Some(value) => {
                out.extend_from_slice(SOME);
                encode(value, out)
            }
        }
    }
    fn restore(value: &[u8]) -> Result<Self, CodecError> {
        match value.strip_prefix(SOME).map(decode::<T>) {
            Some(Ok(value)) => Ok(Some(value)),
            _ => decode(value),
        }
    }
    fn store_delta(delta: &Self, out: &mut Vec<u8>) -> Result<(), CodecError> {
        Stored::<Nested, Self>::store(delta, None, out)
    }
    fn restore_delta(value: &[u8]) -> Result<Self, CodecError> {
        Stored::<Nested, Self>::restore(value)
    }
}

impl<T: Tail + Serialize + DeserializeOwned> Stored<'_, Sequence> for T {
    fn length(&self) -> usize {
        Append::mark(self)
    }
    fn store(&self, mark: Option<usize>, out: &mut Vec<u8>) -> Result<(), CodecError> {
        match mark {
            None => encode(self, out),
            Some(mark) => encode_tail(self, mark, out),
        }
    }
    fn restore(value: &[u8]) -> Result<Self, CodecError> {
        decode(value)
    }
    fn store_delta(delta: &Self, out: &mut Vec<u8>) -> Result<(), CodecError> {
        encode(delta, out)
    }
    fn restore_delta(value: &[u8]) -> Result<Self, CodecError> {
        decode(value)
    }
}

impl<T: Serialize + DeserializeOwned> Stored<'_, Records, Vec<Change<T>>> for Vec<T> {
    fn store(&self, _mark: Option<usize>, out: &mut Vec<u8>) -> Result<(), CodecError> {
        encode(self, out)
    }
    fn restore(value: &[u8]) -> Result<Self, CodecError> {
        decode(value)
    }
    fn store_delta(delta: &Vec<Change<T>>, out: &mut Vec<u8>) -> Result<(), CodecError> {
        encode(delta, out)
    }
    fn restore_delta(value: &[u8]) -> Result<Vec<Change<T>>, CodecError> {
        decode(value)
    }
}

impl<T, D> Stored<'_, Folded, Vec<D>> for T
where
    T: Serialize + DeserializeOwned,
    D: Serialize + DeserializeOwned,
{
    fn store(&self, _mark: Option<usize>, out: &mut Vec<u8>) -> Result<(), CodecError> {
        encode(self, out)
    }
    fn restore(value: &[u8]) -> Result<Self, CodecError> {
        decode(value)
    }
    fn store_delta(delta: &Vec<D>, out: &mut Vec<u8>) -> Result<(), CodecError> {
        encode(delta, out)
    }
    fn restore_delta(value: &[u8]) -> Result<Vec<D>, CodecError> {
        decode(value)
    }
}

/// A field that takes changes by id.
pub trait Changed<'x, D>: Sized {
    /// Folds the changes.
    fn apply(&mut self, changes: D);
}

impl<T: Identified> Changed<'_, Vec<Change<T>>> for Vec<T> {
    fn apply(&mut self, changes: Vec<Change<T>>) {
        by_id(self, changes);
    }
}
