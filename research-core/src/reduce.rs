//! Reducers: how a field folds what nodes write to it.
//!
//! | attribute | field | rule |
//! |---|---|---|
//! | none, `#[reduce(replace)]` | any | one write a step; two are an error that names both nodes |
//! | `append` | [`Append`]: `Vec`, `VecDeque`, `String`, [`Log`](crate::Log), `Option` of them | pushed at the end |
//! | `merge` | [`Merge`]: maps and sets | keys of the update win; sets unite |
//! | `add`, `min`, `max` | [`Number`], `Option` of one | sum (integers saturate), least, greatest; `None` counts as absent |
//! | `any`, `all` | `bool` | or, and |
//! | `last` | any | several writes allowed, the last in task-path order stays |
//! | `by_id` | `Vec` of [`Identified`] | same id replaces in place, a new id is pushed, [`Change::Remove`] removes |
//! | `with = f` | any | `f(&mut field, delta)`; `delta = T` names a delta type other than the field's |
//!
//! A fold starts from the field's default: `min` is of use with an `Option` or, like `all`, with a `Default` that is written
//! by hand (`u32::MAX`, `true`). A function given by `with` runs between the steps, outside every node: a panic in it
//! ends the run with a typed error.
//!
//! Two flags go with any of them: `ephemeral` (holds one step, then back to the default) and `untracked` (never
//! checkpointed). A folded field also gets `set_…` in its update, which overwrites the value as a whole: inside one step
//! it wins over every other write, and two of them are an error.
//!
//! How a field is [stored](crate::Growth) follows from its reducer; with a checkpointer attached, the types of its items need
//! serde, and a sequence of your own that `append` folds needs [`Tail`] too.

mod by_id;
mod collection;
mod number;
pub(crate) mod slot;
mod tail;

pub use by_id::{Change, Identified, by_id};
pub use collection::{Append, Merge};
pub use number::{Number, add, all, any, max, min};
pub use tail::Tail;
