//! Folds of sequences, maps and sets.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::hash::{BuildHasher, Hash};

use crate::log::Log;

/// A sequence that `append` folds.
#[diagnostic::on_unimplemented(
    message = "`append` cannot fold a field of type `{Self}`",
    label = "not a sequence",
    note = "`append` takes `Vec`, `VecDeque`, `String`, `Log` and `Option` of one; for maps and sets write `#[reduce(merge)]`, for numbers `#[reduce(add)]`"
)]
pub trait Append: Sized {
    /// Pushes `more` at the end, in order.
    fn append(&mut self, more: Self);
    /// Length in units that [`take_back`](Append::take_back) understands.
    fn mark(&self) -> usize;
    /// Moves everything from `mark` on back into `into`, which [`append`](Append::append) had emptied.
    fn take_back(&mut self, mark: usize) -> Self;
}

impl<T> Append for Vec<T> {
    fn append(&mut self, mut more: Self) {
        if self.is_empty() {
            *self = more;
        } else {
            Vec::append(self, &mut more);
        }
    }
    fn mark(&self) -> usize {
        self.len()
    }
    fn take_back(&mut self, mark: usize) -> Self {
        if mark == 0 { std::mem::take(self) } else { self.split_off(mark) }
    }
}

impl<T> Append for VecDeque<T> {
    fn append(&mut self, mut more: Self) {
        VecDeque::append(self, &mut more);
    }
    fn mark(&self) -> usize {
        self.len()
    }
    fn take_back(&mut self, mark: usize) -> Self {
        self.split_off(mark)
    }
}

impl Append for String {
    fn append(&mut self, more: Self) {
        self.push_str(&more);
    }
    fn mark(&self) -> usize {
        self.len()
    }
    fn take_back(&mut self, mark: usize) -> Self {
        self.split_off(mark)
    }
}

impl<T> Append for Log<T> {
    fn append(&mut self, more: Self) {
        self.extend_shared(&more);
    }
    fn mark(&self) -> usize {
        self.len()
    }
    fn take_back(&mut self, mark: usize) -> Self {
        self.split_off(mark)
    }
}

impl<A: Append> Append for Option<A> {
    fn append(&mut self, more: Self) {
        match (self.as_mut(), more) {
            (Some(field), Some(more)) => field.append(more),
            (None, Some(more)) => *self = Some(more),
            (_, None) => {}
        }
    }
    /// 0 stands for `None`, so that taking back restores it.
    fn mark(&self) -> usize {
        self.as_ref().map_or(0, |field| field.mark() + 1)
    }
    fn take_back(&mut self, mark: usize) -> Self {
        if mark == 0 { self.take() } else { self.as_mut().map(|field| field.take_back(mark - 1)) }
    }
}

/// A map or set that `merge` folds.
#[diagnostic::on_unimplemented(
    message = "`merge` cannot fold a field of type `{Self}`",
    label = "not a map or set",
    note = "`merge` takes `HashMap`, `BTreeMap`, `HashSet`, `BTreeSet` and `serde_json::Map`; for sequences write `#[reduce(append)]`"
)]
pub trait Merge: Sized {
    /// What must be remembered to take a merged update out again.
    type Undo;
    /// Inserts everything of `more`; its keys win.
    fn merge(&mut self, more: Self);
    /// As [`merge`](Merge::merge), leaving `more` empty and remembering what was there.
    fn merge_undoable(&mut self, more: &mut Self) -> Self::Undo;
    /// Puts back what was there and fills `more` again.
    fn unmerge(&mut self, more: &mut Self, undo: Self::Undo);
}

macro_rules! maps {
    ($([$($generics:tt)*] $map:ty, $key:ty, $value:ty;)*) => {$(
        impl<$($generics)*> Merge for $map {
            type Undo = Vec<($key, Option<$value>)>;
            fn merge(&mut self, more: Self) {
                self.extend(more);
            }
            fn merge_undoable(&mut self, more: &mut Self) -> Self::Undo {
                std::mem::take(more)
                    .into_iter()
                    .map(|(key, value)| (key.clone(), self.insert(key, value)))
                    .collect()
            }
            fn unmerge(&mut self, more: &mut Self, undo: Self::Undo) {
                for (key, old) in undo {
                    let new = match old {
                        Some(old) => self.insert(key.clone(), old),
                        None => self.remove(&key),
                    };
                    if let Some(new) = new {
                        more.insert(key, new);
                    }
                }
            }
        }
    )*};
}

maps! {
    [K: Eq + Hash + Clone, V, H: BuildHasher + Default] HashMap<K, V, H>, K, V;
    [K: Ord + Clone, V] BTreeMap<K, V>, K, V;
    [] serde_json::Map<String, serde_json::Value>, String, serde_json::Value;
}

macro_rules! sets {
    ($([$($generics:tt)*] $set:ty, $item:ty;)*) => {$(
        impl<$($generics)*> Merge for $set {
            /// Each item of the update with whether it was new.
            type Undo = Vec<($item, bool)>;
            fn merge(&mut self, more: Self) {
                self.extend(more);
            }
            fn merge_undoable(&mut self, more: &mut Self) -> Self::Undo {
                std::mem::take(more)
                    .into_iter()
                    .map(|item| (item.clone(), self.insert(item)))
                    .collect()
            }
            fn unmerge(&mut self, more: &mut Self, undo: Self::Undo) {
                for (item, new) in undo {
                    if new {
                        self.remove(&item);
                    }
                    more.insert(item);
                }
            }
        }
    )*};
}

sets! {
    [T: Eq + Hash + Clone, H: BuildHasher + Default] HashSet<T, H>, T;
    [T: Ord + Clone] BTreeSet<T>, T;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_merge_taken_out_leaves_the_map_as_it_was() {
        let before = BTreeMap::from([("a", 1), ("b", 2)]);
        let delta = BTreeMap::from([("b", 20), ("c", 30)]);
        let (mut map, mut more) = (before.clone(), delta.clone());
        let undo = map.merge_undoable(&mut more);
        assert_eq!(map, BTreeMap::from([("a", 1), ("b", 20), ("c", 30)]));
        map.unmerge(&mut more, undo);
        assert_eq!((map, more), (before, delta));
    }

    #[test]
    fn a_set_keeps_items_it_had_when_an_update_is_taken_out() {
        let (mut set, mut more) = (BTreeSet::from([1, 2]), BTreeSet::from([2, 3]));
        let undo = set.merge_undoable(&mut more);
        assert_eq!(set, BTreeSet::from([1, 2, 3]));
        set.unmerge(&mut more, undo);
        assert_eq!((set, more), (BTreeSet::from([1, 2]), BTreeSet::from([2, 3])));
    }

    #[test]
    fn appending_to_none_is_taken_back_to_none() {
        let mut field: Option<String> = None;
        let mark = field.mark();
        field.append(Some("x".into()));
        assert_eq!(field.take_back(mark), Some("x".into()));
        assert_eq!(field, None);
    }
}
