//! What a generated update holds for one field, and the operations that the derive macro's output calls on it.

use std::mem;

use super::{Append, Merge};

/// A write to a folded field: nothing, a delta `D`, or a value that replaces the folded one.
#[derive(Clone, Debug)]
pub enum Fold<T, D = T> {
    /// Not written.
    Unset,
    /// To be folded.
    Delta(D),
    /// To replace the value as a whole.
    Overwrite(T),
}

#[expect(clippy::derivable_impls, reason = "derived, it would ask `Default` of the types")]
impl<T, D> Default for Fold<T, D> {
    fn default() -> Self {
        Self::Unset
    }
}

impl<T, D> Fold<T, D> {
    /// Whether anything was written.
    pub const fn is_set(&self) -> bool {
        !matches!(self, Self::Unset)
    }

    /// Whether the write overwrites.
    pub const fn is_overwrite(&self) -> bool {
        matches!(self, Self::Overwrite(_))
    }
}

/// What a setter takes for a field of type `T`: whatever converts into it.
#[diagnostic::on_unimplemented(
    message = "a field or delta of the type `{T}` cannot be set to `{Self}`",
    label = "this does not convert into `{T}`",
    note = "a list of texts wants `String`s: write `[\"a\".to_string()]`, or `[\"a\"].map(String::from)`",
    note = "another type of your own may implement `Into<{T}>`"
)]
pub trait IntoField<T> {
    /// The value.
    fn into_field(self) -> T;
}

#[diagnostic::do_not_recommend]
impl<T, V: Into<T>> IntoField<T> for V {
    fn into_field(self) -> T {
        self.into()
    }
}

/// Adds a delta to what the update already holds.
pub fn push<T, D>(slot: &mut Fold<T, D>, delta: D, combine: impl FnOnce(&mut D, D), reduce: impl FnOnce(&mut T, D)) {
    match slot {
        Fold::Unset => *slot = Fold::Delta(delta),
        Fold::Delta(held) => combine(held, delta),
        Fold::Overwrite(value) => reduce(value, delta),
    }
}

/// Overwrites: what the update held before is dropped.
pub fn set<T, D>(slot: &mut Fold<T, D>, value: T) {
    *slot = Fold::Overwrite(value);
}

/// Takes a later slot of the same field in. Where a field is `overwritten`, only overwrites count.
pub fn absorb<T, D>(
    slot: &mut Fold<T, D>,
    later: Fold<T, D>,
    overwritten: bool,
    combine: impl FnOnce(&mut D, D),
    reduce: impl FnOnce(&mut T, D),
) {
    match later {
        Fold::Overwrite(value) => set(slot, value),
        Fold::Delta(delta) if !overwritten => push(slot, delta, combine, reduce),
        _ if overwritten && !slot.is_overwrite() => *slot = Fold::Unset,
        _ => {}
    }
}

/// Takes a later slot of a field without a reducer in.
pub fn absorb_plain<T>(slot: &mut Option<T>, later: Option<T>) {
    if later.is_some() {
        *slot = later;
    }
}

/// Folds a slot into its field.
pub fn fold<T, D>(slot: Fold<T, D>, field: &mut T, overwritten: bool, reduce: impl FnOnce(&mut T, D)) {
    match slot {
        Fold::Unset => {}
        Fold::Delta(delta) => {
            if !overwritten {
                reduce(field, delta);
            }
        }
        Fold::Overwrite(value) => *field = value,
    }
}

/// Folds a slot of a field without a reducer.
pub fn fold_plain<T>(slot: Option<T>, field: &mut T) {
    if let Some(value) = slot {
        *field = value;
    }
}

/// Swaps a plain write in, or out again.
pub fn swap_plain<T>(slot: &mut Option<T>, field: &mut T) {
    if let Some(value) = slot {
        mem::swap(value, field);
    }
}

/// Puts an appended delta in and gives back the mark to take it out.
pub fn append_in<T: Append>(slot: &mut Fold<T>, field: &mut T) -> Option<usize> {
    match slot {
        Fold::Unset => None,
        // A delta of nothing stays where it is: what is taken back could not tell `None` from an empty list.
        Fold::Delta(delta) if delta.mark() == 0 => None,
        Fold::Delta(_) => {
            let mark = field.mark();
            if let Fold::Delta(delta) = mem::take(slot) {
                field.append(delta);
            }
            // The empty delta keeps the place of the one that went into the field.
            *slot = Fold::Delta(field.take_back(field.mark()));
            Some(mark)
        }
        Fold::Overwrite(value) => {
            mem::swap(value, field);
            None
        }
    }
}

/// Takes an appended delta out.
pub fn append_out<T: Append>(slot: &mut Fold<T>, field: &mut T, mark: Option<usize>) {
    match (slot, mark) {
        (Fold::Delta(delta), Some(mark)) => *delta = field.take_back(mark),
        (Fold::Overwrite(value), _) => mem::swap(value, field),
        _ => {}
    }
}

/// Puts a merged delta in and gives back what undoes it.
pub fn merge_in<T: Merge>(slot: &mut Fold<T>, field: &mut T) -> Option<T::Undo> {
    match slot {
        Fold::Unset => None,
        Fold::Delta(delta) => Some(field.merge_undoable(delta)),
        Fold::Overwrite(value) => {
            mem::swap(value, field);
            None
        }
    }
}

/// Takes a merged delta out.
pub fn merge_out<T: Merge>(slot: &mut Fold<T>, field: &mut T, undo: Option<T::Undo>) {
    match (slot, undo) {
        (Fold::Delta(delta), Some(undo)) => field.unmerge(delta, undo),
        (Fold::Overwrite(value), _) => mem::swap(value, field),
        _ => {}
    }
}

/// Puts a delta of any reducer in, keeping a copy of the field.
pub fn clone_in<T: Clone, D: Clone>(slot: &mut Fold<T, D>, field: &mut T, reduce: impl FnOnce(&mut T, D)) -> Option<T> {
    match slot {
        Fold::Unset => None,
        Fold::Delta(delta) => {
            let old = field.clone();
            reduce(field, delta.clone());
            Some(old)
        }
        Fold::Overwrite(value) => {
            mem::swap(value, field);
            None
        }
    }
}

/// Takes a delta of any reducer out.
pub fn clone_out<T, D>(slot: &mut Fold<T, D>, field: &mut T, old: Option<T>) {
    match (slot, old) {
        (_, Some(old)) => *field = old,
        (Fold::Overwrite(value), None) => mem::swap(value, field),
        _ => {}
    }
}
