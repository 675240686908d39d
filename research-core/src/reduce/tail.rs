//! What of an append field was added since a mark, so that a checkpoint stores it alone.

use std::collections::VecDeque;

use serde::ser::{Error, Serialize, Serializer};

use super::collection::Append;
use crate::log::{Log, sequence};

/// A sequence whose end can be written without the rest.
///
/// A field of a type of your own that `append` folds needs it, beside serde's traits, once a checkpointer is attached.
/// `Vec`, `VecDeque`, `String`, [`Log`] and `Option` of one have it.
///
/// ```
/// use research_core::reduce::{Append, Tail};
/// use serde::{Deserialize, Serialize, Serializer};
///
/// #[derive(Clone, Debug, Default, Serialize, Deserialize)]
/// struct Lines(Vec<String>);
///
/// impl Append for Lines {
///     fn append(&mut self, more: Self) {
///         self.0.extend(more.0);
///     }
///     fn mark(&self) -> usize {
///         self.0.len()
///     }
///     fn take_back(&mut self, mark: usize) -> Self {
///         Self(self.0.split_off(mark))
///     }
/// }
///
/// impl Tail for Lines {
///     fn serialize_tail<Z: Serializer>(&self, mark: usize, serializer: Z) -> Result<Z::Ok, Z::Error> {
///         serializer.collect_seq(self.0.iter().skip(mark))
///     }
/// }
/// # let mut lines = Lines(vec!["a".into()]);
/// # lines.append(Lines(vec!["b".into()]));
/// # assert_eq!(lines.serialize_tail(1, serde_json::value::Serializer).unwrap(), serde_json::json!(["b"]));
/// ```
#[diagnostic::on_unimplemented(
    message = "the end of `{Self}` cannot be written to a checkpoint",
    label = "a checkpoint stores what was appended, and this type cannot give it alone",
    note = "implement `research_core::reduce::Tail` for `{Self}`, or mark the field `#[reduce(untracked)]`"
)]
pub trait Tail: Append {
    /// Serializes what was appended since `mark`, a length that [`Append::mark`] gave: a value of the same shape as the whole
    /// one, so that the two joined end to end are the field.
    ///
    /// # Errors
    ///
    /// What an item or the serializer refuses, and a sequence that is shorter than `mark`.
    fn serialize_tail<Z: Serializer>(&self, mark: usize, serializer: Z) -> Result<Z::Ok, Z::Error>;
}

impl<T: Serialize> Tail for Vec<T> {
    fn serialize_tail<Z: Serializer>(&self, mark: usize, serializer: Z) -> Result<Z::Ok, Z::Error> {
        self.get(mark..).ok_or_else(shorter)?.serialize(serializer)
    }
}

impl<T: Serialize> Tail for VecDeque<T> {
    fn serialize_tail<Z: Serializer>(&self, mark: usize, serializer: Z) -> Result<Z::Ok, Z::Error> {
        match mark <= self.len() {
            true => sequence(self.len() - mark, self.range(mark..), serializer),
            false => Err(shorter()),
        }
    }
}

impl Tail for String {
    fn serialize_tail<Z: Serializer>(&self, mark: usize, serializer: Z) -> Result<Z::Ok, Z::Error> {
        serializer.serialize_str(self.get(mark..).ok_or_else(shorter)?)
    }
}

impl<T: Serialize> Tail for Log<T> {
    fn serialize_tail<Z: Serializer>(&self, mark: usize, serializer: Z) -> Result<Z::Ok, Z::Error> {
        match self.len().checked_sub(mark) {
            Some(len) => sequence(len, self.iter_from(mark), serializer),
            None => Err(shorter()),
        }
    }
}

impl<A: Tail + Serialize> Tail for Option<A> {
    fn serialize_tail<Z: Serializer>(&self, mark: usize, serializer: Z) -> Result<Z::Ok, Z::Error> {
        match (self, mark.checked_sub(1)) {
            (Some(field), Some(mark)) => field.serialize_tail(mark, serializer),
            (field, None) => field.serialize(serializer),
            (None, Some(_)) => Err(shorter()),
        }
    }
}

#[cold]
fn shorter<E: Error>() -> E {
    E::custom("the field is shorter than it was at the last checkpoint, though `append` only adds")
}
