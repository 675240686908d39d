//! Reads Parquet files, when the program is built with the feature `parquet`.

use super::super::data::Dataset;
use super::super::error::LoadError;
use super::source::Source;

/// Reads the file.
pub(super) fn read(source: &Source<'_>) -> Result<Dataset, LoadError> {
    Err(LoadError::LeftOut { name: source.name.clone(), format: "Parquet", feature: "parquet" })
}
