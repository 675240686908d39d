//! Opaque notes of the engine that are stored beside the state: a list that grows until it is cleared.

use crate::checkpoint::{BodyWriter, Op};
use crate::persist::CodecError;

/// The name that no field has.
pub(crate) const NOTES: &str = "";

/// The notes since they were last cleared, each encoded as `MessagePack` binary.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    entries: Vec<u8>,
    count: usize,
    /// Length and number of those that a checkpoint holds already.
    stored: (usize, usize),
    /// They were cleared since the last checkpoint, which held some.
    cleared: bool,
}

impl Notes {
    /// The notes that a checkpoint holds.
    pub(crate) fn of(notes: &[Vec<u8>]) -> Self {
        let mut all = Self::default();
        notes.iter().for_each(|note| all.push(note));
        all.settle();
        all
    }

    /// Adds one.
    pub(crate) fn push(&mut self, note: &[u8]) {
        write_len(&mut self.entries, [(8, 0xc4), (16, 0xc5), (32, 0xc6)], note.len());
        self.entries.extend_from_slice(note);
        self.count += 1;
    }

    /// Forgets all. Gives the length of those that a checkpoint holds in vain now.
    pub(crate) fn clear(&mut self) -> usize {
        let (len, count) = std::mem::take(&mut self.stored);
        self.cleared |= count > 0;
        self.entries.clear();
        self.count = 0;
        len
    }

    /// Whether there are none.
    pub(crate) const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Writes what a body must hold of them, if anything.
    pub(crate) fn write(&self, full: bool, body: &mut BodyWriter) -> Result<(), CodecError> {
        let (op, (start, before)) = match full || self.cleared {
            true => (Op::Set, (0, 0)),
            false => (Op::Concat, self.stored),
        };
        let count = self.count - before;
        if count > 0 || self.cleared && !full {
            body.chunk(op, NOTES, |out| {
                write_len(out, [(4, 0x90), (16, 0xdc), (32, 0xdd)], count);
                out.extend_from_slice(&self.entries[start..]);
                Ok::<(), CodecError>(())
            })?;
        }
        Ok(())
    }

    /// Counts all as stored.
    pub(crate) fn settle(&mut self) {
        self.stored = (self.entries.len(), self.count);
        self.cleared = false;
    }
}

/// Writes the shortest marker for a length: of the first number of bits that hold it, the marker and the length.
fn write_len(out: &mut Vec<u8>, markers: [(u32, u8); 3], len: usize) {
    let bytes = (len as u64).to_be_bytes();
    match markers.into_iter().find(|(bits, _)| (len as u64) >> bits == 0) {
        Some((4, marker)) => out.push(marker | bytes[7]),
        Some((bits, marker)) => {
            out.push(marker);
            out.extend_from_slice(&bytes[8 - bits as usize / 8..]);
        }
        // Four gigabytes of notes exceed a body, which refuses them.
        None => out.extend([0xc1]),
    }
}
