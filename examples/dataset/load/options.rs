//! How a file is read.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// How a file is read.
#[derive(Clone, Debug)]
pub struct LoadOptions {
    /// Most bytes of the file. Defaults to 4 GiB.
    pub max_bytes: u64,
    /// Leaves out lines that are not valid JSON, and says how many. Defaults to refusing the file.
    pub skip_bad_lines: bool,
    /// Table or view of a database. Defaults to the only one.
    pub table: Option<String>,
    /// Ends reading from another thread.
    pub stop: Stop,
}

impl Default for LoadOptions {
    fn default() -> Self {
        Self { max_bytes: 4 << 30, skip_bad_lines: false, table: None, stop: Stop::default() }
    }
}

impl LoadOptions {
    /// Reads a number of bytes: `1000000`, `500MB`, `4GiB`.
    ///
    /// # Errors
    ///
    /// When it is none, with examples.
    pub fn parse_size(text: &str) -> Result<u64, String> {
        const UNITS: [(&str, u64); 9] = [
            ("kib", 1 << 10),
            ("mib", 1 << 20),
            ("gib", 1 << 30),
            ("kb", 1_000),
            ("mb", 1_000_000),
            ("gb", 1_000_000_000),
            ("tb", 1_000_000_000_000),
            ("tib", 1 << 40),
            ("b", 1),
        ];
        let lower = text.trim().to_ascii_lowercase();
        let end = lower.find(|c: char| !c.is_ascii_digit()).unwrap_or(lower.len());
        let (number, unit) = (&lower[..end], lower[end..].trim());
        let factor =
            if unit.is_empty() { Some(1) } else { UNITS.iter().find(|(name, _)| *name == unit).map(|unit| unit.1) };
        let bytes = factor.zip(number.parse::<u64>().ok()).and_then(|(factor, number)| number.checked_mul(factor));
        bytes
            .filter(|bytes| *bytes > 0)
            .ok_or_else(|| "a size is a number of bytes, such as 1000000, 500MB or 4GiB".to_owned())
    }
}

/// Ends the reading of a file from another thread.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Ends the reading at the next record.
    pub fn stop(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Returns whether it should end.
    pub fn is_stopped(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        let sizes = ["100", "5MB", "4 GiB", "1kb"].map(|text| LoadOptions::parse_size(text).unwrap());
        assert_eq!(sizes, [100, 5_000_000, 4 << 30, 1_000]);
        for text in ["", "0", "-1", "5 parsecs", "99999999999TB"] {
            assert!(LoadOptions::parse_size(text).is_err(), "{text}");
        }
    }
}
