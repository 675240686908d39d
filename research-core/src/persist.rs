//! What a state must be able to do to be stored: its fields to bytes and back.
//!
//! Each field is one `MessagePack` value (<https://github.com/msgpack/msgpack/blob/master/spec.md>): structs as maps by field
//! name and variants of enums by name, so that types inside of a field may grow fields with `#[serde(default)]`.

mod error;
pub(crate) mod slot;
pub(crate) mod stored;
pub(crate) mod wire;

pub use error::{CodecError, CodecErrorKind};
pub(crate) use wire::{decode as from_bytes, to_bytes, to_key};

use crate::state::State;

/// A state that a checkpointer can store: one whose fields have serde's `Serialize` and `Deserialize`.
///
/// `#[derive(State)]` implements it under that condition, so that states without serde run as long as no checkpointer is attached.
/// Not the state itself needs serde, only the types of its fields, of the items of what is appended or merged, and the
/// `delta` types of `with`. Fields marked `untracked` need nothing and are never stored: a thread that is read back has
/// their default.
///
/// # What survives
///
/// Everything that serde can tell apart: NaN and infinities, keys of maps that are no texts, bytes, integers up to 128 bits,
/// `serde_json::Value`. A field of the type `Option<Option<T>>`, `Option<()>` or `Option<Value>` keeps `Some` of nothing apart
/// from `None`; inside of other types they are one, as in JSON. Values that nest deeper than 256 levels are refused when they
/// are written. Serde attributes inside of the types of fields hold; those of a field of the state itself that would change
/// what is stored, such as `skip` and `with`, do not compile unless the field is `untracked`.
///
/// ```
/// use research_core::{Persist, State};
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Clone, Debug, Serialize, Deserialize)]
/// struct Note {
///     text: String,
///     #[serde(default)]
///     pages: Vec<u32>,
/// }
///
/// #[derive(Clone, Debug, Default, State)]
/// struct Survey {
///     #[reduce(append)]
///     notes: Vec<Note>,
///     #[reduce(untracked)]
///     started: Option<std::time::Instant>,
/// }
///
/// fn storable<S: Persist>() {}
/// storable::<Survey>();
/// ```
#[diagnostic::on_unimplemented(
    message = "the state `{Self}` cannot be stored in checkpoints",
    label = "a checkpointer needs to write and read every field of this state",
    note = "`#[derive(State)]` implements it where the types of all fields have `#[derive(serde::Serialize, serde::Deserialize)]`, but for fields marked `#[reduce(untracked)]`"
)]
pub trait Persist: State {
    /// Length of an append field in units of its `Append::mark`; 0 for others.
    #[doc(hidden)]
    fn mark(&self, position: usize) -> usize;

    /// Writes a field as one value: whole, or the tail of an append field from `mark` on.
    #[doc(hidden)]
    fn write(&self, position: usize, mark: Option<usize>, out: &mut Vec<u8>) -> Result<(), CodecError>;

    /// Reads the whole value of a field.
    #[doc(hidden)]
    fn read(&mut self, position: usize, value: &[u8]) -> Result<(), CodecError>;

    /// Applies a list of changes to a field that folds by id.
    #[doc(hidden)]
    fn apply(&mut self, position: usize, changes: &[u8]) -> Result<(), CodecError>;

    /// Writes the delta of a merged field, or the changes of one that folds by id; nothing where there is none.
    #[doc(hidden)]
    fn write_delta(update: &Self::Update, position: usize, out: &mut Vec<u8>) -> Result<(), CodecError>;

    /// Writes an update: every field that is set, but for untracked ones.
    #[doc(hidden)]
    fn write_update(update: &Self::Update, out: &mut Vec<u8>) -> Result<(), CodecError>;

    /// Reads an update that [`write_update`](Persist::write_update) wrote.
    #[doc(hidden)]
    fn read_update(bytes: &[u8]) -> Result<Self::Update, CodecError>;
}
