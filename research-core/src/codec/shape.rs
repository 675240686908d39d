//! Which fields of a state are stored in which way, worked out when the program is compiled.

use std::marker::PhantomData;

use crate::state::{Field, FieldSet, Growth, State};

/// The fields of `S` by the way they are stored; untracked ones are in none of these sets, ephemeral ones are stored whole.
pub(crate) struct Shape<S>(PhantomData<S>);

impl<S: State> Shape<S> {
    /// All that are stored.
    pub(crate) const TRACKED: FieldSet = select(S::FIELDS, Trait::Tracked);

    /// Those that go back to their default after a step.
    pub(crate) const EPHEMERAL: FieldSet = select(S::FIELDS, Trait::Ephemeral).and(Self::TRACKED);

    /// Those of which the end is stored.
    pub(crate) const TAILS: FieldSet = select(S::FIELDS, Trait::Tail).and(Self::TRACKED).without(Self::EPHEMERAL);

    /// Those of which the deltas of updates are stored.
    pub(crate) const DELTAS: FieldSet = select(S::FIELDS, Trait::Deltas).and(Self::TRACKED).without(Self::EPHEMERAL);

    /// Those that are always stored as a whole.
    pub(crate) const WHOLE: FieldSet = Self::TRACKED.without(Self::TAILS).without(Self::DELTAS);
}

enum Trait {
    Tracked,
    Ephemeral,
    Tail,
    Deltas,
}

const fn select(fields: &[Field], wanted: Trait) -> FieldSet {
    let (mut set, mut position) = (FieldSet::EMPTY, 0);
    while position < fields.len() {
        let field = fields[position];
        let has = match wanted {
            Trait::Tracked => !field.untracked,
            Trait::Ephemeral => field.ephemeral,
            Trait::Tail => matches!(field.growth, Growth::Tail),
            Trait::Deltas => matches!(field.growth, Growth::Merged | Growth::Changes),
        };
        set = set.with(position, has);
        position += 1;
    }
    set
}
