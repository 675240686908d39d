//! Limits of reading one file.

use std::time::Duration;

/// Limits of reading one file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReadLimits {
    /// Maximum size of the file in bytes. Defaults to 64 MiB.
    pub file: u64,
    /// Maximum size in bytes that a compressed file may unpack to. Defaults to 256 MiB.
    pub unpacked: u64,
    /// Maximum length of the text in bytes. Defaults to 32 MiB.
    pub text: usize,
    /// Maximum nesting of elements. Defaults to 512.
    pub depth: usize,
    /// Maximum time. Defaults to 30 seconds.
    pub time: Duration,
}

impl Default for ReadLimits {
    fn default() -> Self {
        Self {
            file: 64 << 20,
            unpacked: 256 << 20,
            text: 32 << 20,
            depth: 512,
            time: Duration::from_secs(30),
        }
    }
}

impl ReadLimits {
    /// Sets the maximum size of the file in bytes.
    #[must_use]
    pub fn file(mut self, bytes: u64) -> Self {
        self.file = bytes;
        self
    }

    /// Sets the maximum size in bytes that a compressed file may unpack to.
    #[must_use]
    pub fn unpacked(mut self, bytes: u64) -> Self {
        self.unpacked = bytes;
        self
    }

    /// Sets the maximum length of the text in bytes.
    #[must_use]
    pub fn text(mut self, bytes: usize) -> Self {
        self.text = bytes;
        self
    }

    /// Sets the maximum nesting of elements.
    #[must_use]
    pub fn depth(mut self, levels: usize) -> Self {
        self.depth = levels;
        self
    }

    /// Sets the maximum time.
    #[must_use]
    pub fn time(mut self, time: Duration) -> Self {
        self.time = time;
        self
    }
}
