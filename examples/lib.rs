//! What several examples share.

pub mod cli;
#[cfg(feature = "sources")]
pub mod documents;

pub use research_examples_dataset as dataset;

/// Returns the folder of the data that is shipped with the examples.
pub fn data() -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("data")
}
