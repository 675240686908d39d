//! The keys of rows: integers made of a history and the number of a checkpoint.

use research_core::checkpoint::{CheckpointId, StoreError, StoreErrorKind};

/// Number of bits of a key for the number of a checkpoint.
const ID_BITS: u32 = 32;

/// The key of a history, which is a thread and namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HistoryKey(pub(crate) i64);

impl HistoryKey {
    /// Returns the history of an epoch. A history counts its claims from its key times 2³², and
    /// keys are not reused, so no two claims of a file have the same epoch.
    pub(crate) const fn from_epoch(epoch: u64) -> Self {
        Self((epoch >> ID_BITS).cast_signed())
    }

    /// Returns the epoch before the first claim.
    pub(crate) const fn first_epoch(self) -> i64 {
        self.0 << ID_BITS
    }

    /// Returns the key of a checkpoint, if its number is in range.
    pub(crate) fn checkpoint(self, id: CheckpointId) -> Option<i64> {
        Some(self.lowest() | i64::from(u32::try_from(id.0).ok()?))
    }

    /// Returns the key of a checkpoint that is to be written.
    ///
    /// # Errors
    ///
    /// `Full` when its number is out of range.
    pub(crate) fn new_checkpoint(self, id: CheckpointId) -> Result<i64, StoreError> {
        self.checkpoint(id).ok_or_else(|| {
            StoreError::new(
                StoreErrorKind::Full,
                format!(
                    "checkpoint {id} cannot be stored: the highest number is {}",
                    u32::MAX
                ),
            )
        })
    }

    /// Returns the lowest key that a checkpoint of this history can have.
    pub(crate) const fn lowest(self) -> i64 {
        self.0 << ID_BITS
    }

    /// Returns the highest key that a checkpoint of this history can have.
    pub(crate) const fn highest(self) -> i64 {
        self.lowest() | u32::MAX as i64
    }

    /// Returns `true` if checkpoints of this history can have keys.
    pub(crate) const fn fits(self) -> bool {
        self.0 < 1 << (63 - ID_BITS)
    }
}

/// Returns the number of the checkpoint with this key.
pub(crate) const fn id(key: i64) -> CheckpointId {
    CheckpointId((key & u32::MAX as i64).cast_unsigned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_a_history_are_contiguous_and_ordered() {
        let history = HistoryKey(7);
        let keys = [0, 1, 2, u64::from(u32::MAX)]
            .map(|number| history.checkpoint(CheckpointId(number)).unwrap());
        assert!(keys.is_sorted());
        assert_eq!((keys[0], keys[3]), (history.lowest(), history.highest()));
        assert!(history.highest() < HistoryKey(8).lowest());
        assert_eq!(id(keys[2]), CheckpointId(2));
        assert_eq!(history.checkpoint(CheckpointId(1 << 32)), None);
        assert!(history.new_checkpoint(CheckpointId(1 << 32)).is_err());
    }

    #[test]
    fn epochs_of_a_history_lead_to_it() {
        for history in [1, 2, i64::from(i32::MAX)].map(HistoryKey) {
            assert!(history.fits());
            assert!(history.highest() > 0);
            for claims in [0, 1, 1_000_000] {
                assert_eq!(
                    HistoryKey::from_epoch((history.first_epoch() + claims).cast_unsigned()),
                    history
                );
            }
        }
        assert!(!HistoryKey(1 << 31).fits());
    }
}
