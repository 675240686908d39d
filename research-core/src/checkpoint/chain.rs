//! How checkpoints are built on each other: what a store checks when one is written, and rewrites when some go.

use super::error::{StoreError, StoreErrorKind};
use super::record::{CheckpointId, Header};

/// The base to write a checkpoint with, when the newest of its history is `previous` (its number and base).
///
/// It is the header's own, unless the checkpoints that the writer read were rewritten in the meantime.
///
/// # Errors
///
/// A conflict, when the checkpoint or a later one is there already, or when the one before it, on which it is built, is not.
pub fn admit(previous: Option<(CheckpointId, CheckpointId)>, header: &Header) -> Result<CheckpointId, StoreError> {
    let Header { id, base, .. } = *header;
    match previous {
        Some((newest, _)) if newest >= id => Err(exists(id, newest)),
        _ if base == id => Ok(id),
        Some((newest, newest_base)) if base <= newest && newest.0 + 1 == id.0 => Ok(base.max(newest_base)),
        _ => Err(forerunner_is_gone(id)),
    }
}

#[cold]
fn exists(id: CheckpointId, newest: CheckpointId) -> StoreError {
    StoreError::new(
        StoreErrorKind::Conflict,
        format!("checkpoint {id} cannot be added, the newest is {newest}; nothing was written: read the thread again"),
    )
}

#[cold]
fn forerunner_is_gone(id: CheckpointId) -> StoreError {
    StoreError::new(
        StoreErrorKind::Conflict,
        format!("checkpoint {id} is built on one that is not there; nothing was written: read the thread again"),
    )
}

/// A checkpoint that stays and is read differently once others are gone.
///
/// When `squash_from` is set, its new body is [`squash`](super::squash) of the old bodies from there to itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rewrite {
    /// Which.
    pub id: CheckpointId,
    /// Its new base.
    pub base: CheckpointId,
    /// Its old base, when its body has to be made anew.
    pub squash_from: Option<CheckpointId>,
}

/// What to rewrite before checkpoints of one history are removed, so that those which stay can be read.
///
/// Takes every checkpoint in ascending order as its number, its base, and whether it goes. A body is made anew once for each
/// chain that is cut; whatever was built on that one refers to it. All new bodies are to be made from the old ones.
pub fn rewrites(history: impl IntoIterator<Item = (CheckpointId, CheckpointId, bool)>) -> Vec<Rewrite> {
    let mut rewrites = Vec::new();
    // The first of the checkpoints that stay and follow each other without a gap up to the one looked at.
    let mut start: Option<CheckpointId> = None;
    let mut previous: Option<CheckpointId> = None;
    // The last body that is made anew, and from where.
    let mut made: Option<(CheckpointId, CheckpointId)> = None;
    for (id, base, goes) in history {
        let follows = previous.is_some_and(|previous| previous.0.checked_add(1) == Some(id.0));
        previous = Some(id);
        if goes {
            start = None;
            continue;
        }
        let first = start.filter(|_| follows).unwrap_or(id);
        start = Some(first);
        let inside = made.filter(|(made, _)| *made >= base);
        if base >= first && inside.is_none() {
            continue;
        }
        match inside {
            // It stands for the whole of this chain up to there.
            Some((made, from)) if made >= first && from == base => {
                rewrites.push(Rewrite { id, base: made, squash_from: None });
            }
            _ => {
                made = Some((id, base));
                rewrites.push(Rewrite { id, base: id, squash_from: Some(base) });
            }
        }
    }
    rewrites
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn plan(history: &[(u64, u64)], gone: &[u64]) -> Vec<(u64, u64, Option<u64>)> {
        rewrites(history.iter().map(|(id, base)| (CheckpointId(*id), CheckpointId(*base), gone.contains(id))))
            .into_iter()
            .map(|rewrite| (rewrite.id.0, rewrite.base.0, rewrite.squash_from.map(|from| from.0)))
            .collect()
    }

    #[test]
    fn nothing_is_rewritten_when_nothing_goes() {
        assert_eq!(plan(&[(1, 1), (2, 1), (4, 4), (5, 4)], &[]), []);
    }

    #[test]
    fn nothing_is_rewritten_when_the_newest_go() {
        assert_eq!(plan(&[(1, 1), (2, 1), (3, 1)], &[2, 3]), []);
    }

    #[test]
    fn the_first_that_stays_stands_for_what_went_and_the_others_refer_to_it() {
        assert_eq!(plan(&[(1, 1), (2, 1), (3, 1), (4, 1)], &[1, 2]), [(3, 3, Some(1)), (4, 3, None)]);
    }

    #[test]
    fn every_gap_makes_a_body_of_its_own() {
        let history = [(1, 1), (2, 1), (3, 1), (4, 1), (5, 1)];
        assert_eq!(plan(&history, &[2, 4]), [(3, 3, Some(1)), (5, 5, Some(1))]);
    }

    #[test]
    fn chains_that_begin_later_are_left_alone() {
        assert_eq!(plan(&[(1, 1), (2, 1), (3, 3), (4, 3)], &[1]), [(2, 2, Some(1))]);
    }

    #[test]
    fn a_chain_around_a_body_that_was_made_anew_gets_one_of_its_own() {
        assert_eq!(plan(&[(1, 1), (2, 2), (3, 1), (4, 2)], &[1]), [(3, 3, Some(1)), (4, 4, Some(2))]);
    }

    /// A history whose bodies list what each of them adds, in place of encoded ones.
    #[derive(Clone, Debug)]
    struct Model(Vec<(u64, u64, Vec<u64>)>);

    impl Model {
        fn read(&self, id: u64) -> Vec<u64> {
            let base = self.0.iter().find(|row| row.0 == id).unwrap().1;
            let chain: Vec<_> = self.0.iter().filter(|row| (base..=id).contains(&row.0)).collect();
            assert_eq!(chain.len() as u64, id - base + 1, "the chain of {id} from {base} has no gap");
            chain.into_iter().flat_map(|row| row.2.clone()).collect()
        }

        fn remove(&mut self, goes: impl Fn(u64) -> bool) {
            let old = self.clone();
            let history = old.0.iter().map(|row| (CheckpointId(row.0), CheckpointId(row.1), goes(row.0)));
            for rewrite in rewrites(history) {
                let row = self.0.iter_mut().find(|row| row.0 == rewrite.id.0).unwrap();
                row.1 = rewrite.base.0;
                if let Some(from) = rewrite.squash_from {
                    let chain = old.0.iter().filter(|row| (from.0..=rewrite.id.0).contains(&row.0));
                    row.2 = chain.flat_map(|row| row.2.clone()).collect();
                }
            }
            self.0.retain(|row| !goes(row.0));
        }
    }

    proptest! {
        #[test]
        fn what_stays_reads_as_before(
            whole in prop::collection::vec(prop::bool::weighted(0.2), 1..40),
            rounds in prop::collection::vec(any::<u64>(), 1..4),
        ) {
            let mut model = Model(Vec::new());
            let mut base = 1;
            for (id, whole) in (1..).zip(whole) {
                if whole || id == 1 {
                    base = id;
                }
                let adds = if base == id { (1..=id).collect() } else { vec![id] };
                model.0.push((id, base, adds));
            }
            let newest = model.0.last().unwrap().0;
            for round in rounds {
                model.remove(|id| round >> (id % 64) & 1 == 1);
                for (id, ..) in model.0.clone() {
                    prop_assert_eq!(model.read(id), (1..=id).collect::<Vec<_>>());
                }
            }
            // A writer that knows nothing of this goes on, if its newest is still there.
            if let Some((id, known, _)) = model.0.last().cloned().filter(|row| row.0 == newest) {
                let header = Header::new(
                    CheckpointId(id + 1), None, CheckpointId(base), "run-1".into(), std::time::SystemTime::UNIX_EPOCH, 0,
                    crate::checkpoint::Origin::Step, std::sync::Arc::default(), Vec::new(),
                );
                let known = Some((CheckpointId(id), CheckpointId(known)));
                model.0.push((id + 1, admit(known, &header).unwrap().0, vec![id + 1]));
                prop_assert_eq!(model.read(id + 1), (1..=id + 1).collect::<Vec<_>>());
            }
        }
    }
}
