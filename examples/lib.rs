//! What several examples share.

pub mod cli;
pub mod dataset;
#[cfg(feature = "sources")]
pub mod documents;

/// Returns the folder of the data that is shipped with the examples.
pub fn data() -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("data")
}
