//! Lines of a file, by byte.

/// The starts of the lines of a file. Lines end at LF; a CR before it belongs to the line.
#[derive(Clone, Debug)]
pub struct LineIndex {
    starts: Vec<usize>,
    len: usize,
}

impl LineIndex {
    /// Creates the index of a file.
    pub fn new(bytes: &[u8]) -> Self {
        let mut starts = vec![0];
        starts.extend(
            bytes
                .iter()
                .enumerate()
                .filter(|(at, byte)| **byte == b'\n' && at + 1 < bytes.len())
                .map(|(at, _)| at + 1),
        );
        Self {
            starts,
            len: bytes.len(),
        }
    }

    /// Returns the number of lines. An empty file has one.
    pub fn count(&self) -> usize {
        self.starts.len()
    }

    /// Returns the line of a byte, counted from 1.
    pub fn line(&self, byte: usize) -> usize {
        self.starts.partition_point(|start| *start <= byte)
    }

    /// Returns the bytes of the lines `first` to `last`, counted from 1, with their line ends.
    /// `None` if `first` is 0, does not exist, or is above `last`. A `last` beyond the file is its
    /// last line.
    pub fn bytes(&self, first: usize, last: usize) -> Option<std::ops::Range<usize>> {
        let start = *self.starts.get(first.checked_sub(1)?)?;
        if last < first {
            return None;
        }
        let end = self.starts.get(last).copied().unwrap_or(self.len);
        Some(start..end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_in_every_way() {
        let text = b"a\r\nbb\n\nc";
        let index = LineIndex::new(text);
        assert_eq!(index.count(), 4);
        assert_eq!(
            [0, 2, 3, 6, 7].map(|byte| index.line(byte)),
            [1, 1, 2, 3, 4]
        );
        assert_eq!(index.bytes(1, 2), Some(0..6));
        assert_eq!(index.bytes(4, 9), Some(7..8));
        assert_eq!(
            (index.bytes(0, 1), index.bytes(5, 5), index.bytes(2, 1)),
            (None, None, None)
        );
        assert_eq!(LineIndex::new(b"a\n").count(), 1);
        assert_eq!(LineIndex::new(b"").count(), 1);
    }
}
