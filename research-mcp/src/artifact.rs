//! Where results go that are too large to be passed on whole.

mod directory;
mod store;

pub use self::directory::DirectoryArtifacts;
pub use store::{Artifact, ArtifactId, ArtifactStore, NoArtifactId};
