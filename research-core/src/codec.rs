//! States to the bodies of checkpoints and back, behind an object, so that a run without a checkpointer asks no serde of its state.

mod load;
mod notes;
mod object;
mod recorder;
mod shape;
#[cfg(test)]
mod tests;
mod weights;

pub(crate) use load::{LoadError, Restored, load};
pub(crate) use object::{Codec, PersistCodec, codec_of};
pub use object::{NotStored, Storage, StoredByItself};
pub(crate) use recorder::Recorder;
