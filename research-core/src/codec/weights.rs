//! How many stored bytes count, and how many are there in vain.

use super::shape::Shape;
use crate::checkpoint::Op;
use crate::state::State;

/// What a row of a store costs beside its body, in bytes.
const ROW: usize = 32;

/// Superseded bytes that are not worth a full body however small the state is: those of about ten rows of one number.
const SPARED: usize = 512;

/// What a chunk takes beside its data and the name of its field, in bytes.
const CHUNK: usize = 7;

/// The bytes since the last full body, this one included.
///
/// Those of a delta of a merged field or of a change by id count as superseded at once: what they add to the field is
/// known only when it is written as a whole.
pub(crate) struct Weights {
    by_field: Box<[usize]>,
    live: usize,
    superseded: usize,
}

impl Weights {
    pub(crate) fn new<S: State>() -> Self {
        Self { by_field: vec![0; S::FIELDS.len()].into(), live: 0, superseded: 0 }
    }

    /// Starts anew, before a full body.
    pub(crate) fn restart(&mut self) {
        self.by_field.fill(0);
        (self.live, self.superseded) = (0, 0);
    }

    /// Counts a chunk of a field with data of so many bytes.
    pub(crate) fn add<S: State>(&mut self, position: usize, op: Op, len: usize) {
        let head = CHUNK + S::FIELDS[position].name.len();
        match op {
            Op::Set => {
                let old = std::mem::replace(&mut self.by_field[position], len + head);
                self.superseded += old;
                self.live = self.live - old + len + head;
            }
            Op::Concat if Shape::<S>::TAILS.has(position) => {
                self.by_field[position] += len;
                self.live += len;
                self.superseded += head;
            }
            Op::Concat | Op::Changes => self.superseded += len + head,
        }
    }

    /// Counts bytes that are there in vain.
    pub(crate) const fn add_superseded(&mut self, len: usize) {
        self.superseded += len;
    }

    /// Counts a row that is no full one.
    pub(crate) const fn add_row(&mut self) {
        self.superseded += ROW;
    }

    /// Whether it is worth writing everything.
    pub(crate) fn full_due(&self) -> bool {
        self.superseded > self.live.max(SPARED)
    }
}
