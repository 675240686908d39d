//! Remembers what has changed since the last checkpoint, and writes it.
//!
//! What is appended is read after the fold, from the state itself, so that no item is copied. The deltas of merged fields and
//! the changes by id cannot be found there and are written before the fold, into the body that is under way.
//!
//! A body with everything is written when the bodies since the last such one hold more in vain than they hold: its cost
//! is then paid for by bytes that were written already, and a state is read from about twice its own size at most.

use super::notes::Notes;
use super::object::Codec;
use super::shape::Shape;
use super::weights::Weights;
use crate::checkpoint::{BodyWriter, Op};
use crate::persist::CodecError;
use crate::state::{FieldSet, Growth, State, Update};

/// Bodies up to this length are copied out of a buffer that is used again; longer ones are given away with it.
const COPIED: usize = 4096;

/// The recorder of one thread's changes.
pub(crate) struct Recorder<S: State> {
    codec: &'static dyn Codec<S>,
    /// The body under way, with the deltas that cannot be read from the state later.
    body: BodyWriter,
    /// Fields to be written as a whole.
    whole: FieldSet,
    /// Fields of which the end is to be written.
    grown: FieldSet,
    /// Ephemeral fields that may hold something.
    held: FieldSet,
    /// Lengths of grown fields when they first grew since the last checkpoint, by field.
    marks: Box<[usize]>,
    weights: Weights,
    full_due: bool,
    notes: Notes,
}

/// The body of a checkpoint.
#[derive(Debug)]
pub(crate) struct Taken {
    /// What the checkpoint stores.
    pub(crate) body: Vec<u8>,
    /// It holds everything: no body before it is needed.
    pub(crate) full: bool,
}

impl<S: State> Recorder<S> {
    /// The recorder of a thread that has no checkpoint yet: its first body is a full one.
    pub(crate) fn new(codec: &'static dyn Codec<S>) -> Self {
        let parts = Stored { weights: Weights::new::<S>(), unstored: FieldSet::EMPTY, held: FieldSet::EMPTY };
        Self { full_due: true, ..Self::of(codec, parts, Notes::default()) }
    }

    /// The recorder of a thread that was read.
    pub(super) fn of(codec: &'static dyn Codec<S>, stored: Stored, notes: Notes) -> Self {
        Self {
            codec,
            body: BodyWriter::default(),
            whole: stored.unstored,
            grown: FieldSet::EMPTY,
            held: stored.held,
            marks: vec![0; S::FIELDS.len()].into(),
            weights: stored.weights,
            full_due: false,
            notes,
        }
    }

    /// The codec it writes with.
    pub(crate) const fn codec(&self) -> &'static dyn Codec<S> {
        self.codec
    }

    /// Notes what the updates of a step are about to change. To be called right before they fold, and before ephemeral
    /// fields are reset; several steps may pass between two calls of [`take`](Recorder::take).
    ///
    /// # Errors
    ///
    /// When a delta cannot be written. The next body is then a full one.
    pub(crate) fn before<'a>(
        &mut self,
        state: &S,
        updates: impl Iterator<Item = &'a S::Update> + Clone,
        overwritten: FieldSet,
    ) -> Result<(), CodecError> {
        let (mut written, mut overwritten) = (FieldSet::EMPTY, overwritten);
        for update in updates.clone() {
            (written, overwritten) = (written.or(update.written()), overwritten.or(update.overwritten()));
        }
        let whole = written.and(Shape::<S>::WHOLE.or(overwritten)).and(Shape::<S>::TRACKED);
        self.whole = self.whole.or(whole).or(self.held);
        self.held = written.and(Shape::<S>::EPHEMERAL);
        for position in written.and(Shape::<S>::TAILS).without(self.whole.or(self.grown)).iter() {
            self.marks[position] = self.codec.mark(state, position);
            self.grown = self.grown.with(position, true);
        }
        let deltas = written.and(Shape::<S>::DELTAS).without(self.whole);
        if deltas.is_empty() || self.full_due { Ok(()) } else { self.write_deltas(updates, deltas) }
    }

    fn write_deltas<'a>(
        &mut self,
        updates: impl Iterator<Item = &'a S::Update>,
        deltas: FieldSet,
    ) -> Result<(), CodecError> {
        for update in updates {
            for position in update.written().and(deltas).iter() {
                let field = S::FIELDS[position];
                let op = if field.growth == Growth::Changes { Op::Changes } else { Op::Concat };
                let fill = |out: &mut Vec<u8>| self.codec.write_delta(update, position, out);
                match self.body.chunk(op, field.name, fill) {
                    Ok(len) => self.weights.add::<S>(position, op, len),
                    Err(error) => {
                        self.force_full();
                        return Err(error);
                    }
                }
            }
        }
        // More deltas would only make longer what is not worth writing any more.
        if self.weights.full_due() {
            self.force_full();
        }
        Ok(())
    }

    /// Writes what has changed since the last call, or everything; to be called after the fold.
    ///
    /// # Errors
    ///
    /// When a field cannot be written. The next body is then a full one.
    pub(crate) fn take(&mut self, state: &S) -> Result<Taken, CodecError> {
        let all = Shape::<S>::TRACKED.without(self.whole).is_empty() && self.notes.is_empty();
        let full = self.full_due || all || self.weights.full_due();
        let written = if full { self.write_all(state) } else { self.write_changes(state) };
        if let Err(error) = written {
            self.force_full();
            return Err(error);
        }
        (self.whole, self.grown, self.full_due) = (FieldSet::EMPTY, FieldSet::EMPTY, false);
        self.notes.settle();
        Ok(Taken { body: self.hand_out(), full })
    }

    fn write_changes(&mut self, state: &S) -> Result<(), CodecError> {
        self.weights.add_row();
        for position in self.whole.iter() {
            self.write(state, Op::Set, position, None)?;
        }
        for position in self.grown.without(self.whole).iter() {
            let mark = self.marks[position];
            if self.codec.mark(state, position) != mark {
                self.write(state, Op::Concat, position, Some(mark))?;
            }
        }
        self.write_notes(false)
    }

    fn write_all(&mut self, state: &S) -> Result<(), CodecError> {
        self.body.bytes.clear();
        self.weights.restart();
        for position in Shape::<S>::TRACKED.iter() {
            self.write(state, Op::Set, position, None)?;
        }
        self.write_notes(true)
    }

    fn write(&mut self, state: &S, op: Op, position: usize, mark: Option<usize>) -> Result<(), CodecError> {
        let fill = |out: &mut Vec<u8>| self.codec.write(state, position, mark, out);
        let len = self.body.chunk(op, S::FIELDS[position].name, fill)?;
        self.weights.add::<S>(position, op, len);
        Ok(())
    }

    fn write_notes(&mut self, full: bool) -> Result<(), CodecError> {
        self.notes.write(full, &mut self.body)?;
        Ok(())
    }

    fn hand_out(&mut self) -> Vec<u8> {
        if self.body.bytes.len() <= COPIED {
            let body = self.body.bytes.as_slice().into();
            self.body.bytes.clear();
            return body;
        }
        let mut body = std::mem::take(&mut self.body.bytes);
        body.shrink_to_fit();
        body
    }

    /// Makes the next body a full one.
    pub(crate) fn force_full(&mut self) {
        self.full_due = true;
        self.body.bytes.clear();
    }

    /// Adds a note, which is stored beside the state until all are cleared.
    pub(crate) fn note(&mut self, note: &[u8]) {
        self.notes.push(note);
    }

    /// Forgets all notes.
    pub(crate) fn clear_notes(&mut self) {
        self.weights.add_superseded(self.notes.clear());
    }
}

/// What is known of a thread that was read.
pub(super) struct Stored {
    pub(super) weights: Weights,
    /// Fields that are not stored as a whole yet.
    pub(super) unstored: FieldSet,
    /// Ephemeral fields that may hold something.
    pub(super) held: FieldSet,
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::codec::PersistCodec;

    #[derive(Clone, Debug, Default, crate::State)]
    #[state(crate = crate)]
    struct Table {
        #[reduce(merge)]
        map: BTreeMap<u8, String>,
    }

    #[test]
    fn deltas_that_wait_for_a_take_take_no_more_room_than_the_state() {
        let mut recorder = Recorder::<Table>::new(PersistCodec::of());
        let mut state = Table::default();
        recorder.take(&state).unwrap();
        for n in 0..10_000 {
            let update = Table::update().map([(0, format!("{n:050}"))]);
            recorder.before(&state, std::iter::once(&update), FieldSet::EMPTY).unwrap();
            update.fold(&mut state, FieldSet::EMPTY);
            assert!(recorder.body.bytes.len() < 1_000);
        }
        assert!(recorder.take(&state).unwrap().full);
    }
}
