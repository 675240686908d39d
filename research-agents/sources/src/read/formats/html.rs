//! Reads HTML pages: what a person sees of the main content.

#[cfg(feature = "html")]
pub(crate) mod tree;
#[cfg(feature = "html")]
pub(crate) mod hidden;
#[cfg(feature = "html")]
pub(crate) mod content;
#[cfg(feature = "html")]
pub(crate) mod walk;

#[cfg(feature = "html")]
pub(crate) use walk::{append, read};
#[cfg(not(feature = "html"))]
pub(crate) use without_reader::{append, read};

#[cfg(not(feature = "html"))]
mod without_reader {
    use crate::read::builder::{Builder, Built};
    use crate::read::error::ReadError;
    use crate::read::format::Format;
    use crate::read::limits::ReadLimits;

    pub(crate) fn read(_: &str, _: &ReadLimits) -> Result<Built, ReadError> {
        Err(ReadError::NotBuilt {
            format: Format::Html,
        })
    }

    /// Leaves the elements out.
    pub(crate) fn append(_: &str, _: &ReadLimits, _: &mut Builder) -> Result<(), ReadError> {
        Ok(())
    }
}
