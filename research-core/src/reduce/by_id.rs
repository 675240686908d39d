//! The fold of records that carry an id, such as messages.

use serde::{Deserialize, Serialize};

/// A record with an id that is unique in its list.
#[diagnostic::on_unimplemented(
    message = "`by_id` cannot fold a list of `{Self}`",
    label = "these items have no id",
    note = "implement `research_core::reduce::Identified` for `{Self}`, or write `#[reduce(append)]`"
)]
pub trait Identified {
    /// The id.
    fn id(&self) -> &str;
}

/// One change to a list of identified records.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Change<T> {
    /// Replaces the record of the same id in its place, or pushes it.
    Put(T),
    /// Removes the record of this id; nothing happens when there is none.
    Remove(String),
}

impl<T> From<T> for Change<T> {
    fn from(item: T) -> Self {
        Self::Put(item)
    }
}

/// `#[reduce(by_id)]`: applies the changes in order.
pub fn by_id<T: Identified>(field: &mut Vec<T>, changes: Vec<Change<T>>) {
    for change in changes {
        match change {
            Change::Put(item) => match field.iter_mut().find(|known| known.id() == item.id()) {
                Some(known) => *known = item,
                None => field.push(item),
            },
            Change::Remove(id) => field.retain(|known| known.id() != id),
        }
    }
}
