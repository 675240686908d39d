//! Unpacks a body while it arrives, up to a size.

use std::io::Write;

use flate2::write::MultiGzDecoder;

use crate::fetch::error::FetchError;

/// Maximum length of words of a server in an error, in characters.
const SHOWN: usize = 80;

/// Returns words of a server, made safe for an error message.
pub(crate) fn cut(text: &str) -> String {
    text.chars()
        .filter(|c| !c.is_control())
        .take(SHOWN)
        .collect()
}

/// A body that is unpacked while it arrives.
pub(crate) enum Unpacker {
    Plain(Capped),
    Gzip(Box<MultiGzDecoder<Capped>>),
}

impl Unpacker {
    pub(crate) fn plain(limit: usize) -> Self {
        Self::Plain(Capped::new(limit))
    }

    pub(crate) fn gzip(limit: usize) -> Self {
        Self::Gzip(Box::new(MultiGzDecoder::new(Capped::new(limit))))
    }

    /// Adds bytes as they came.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<(), FetchError> {
        let (written, sink) = match self {
            Self::Plain(sink) => (sink.write_all(bytes), &*sink),
            Self::Gzip(decoder) => (decoder.write_all(bytes), decoder.get_ref()),
        };
        judged(written, sink)
    }

    /// Returns the unpacked body.
    pub(crate) fn finish(self) -> Result<Vec<u8>, FetchError> {
        match self {
            Self::Plain(sink) => Ok(sink.bytes),
            Self::Gzip(mut decoder) => {
                let ended = decoder.try_finish();
                judged(ended, decoder.get_ref())?;
                Ok(std::mem::take(&mut decoder.get_mut().bytes))
            }
        }
    }
}

fn judged(written: std::io::Result<()>, sink: &Capped) -> Result<(), FetchError> {
    match written {
        Ok(()) => Ok(()),
        Err(_) if sink.is_full => Err(FetchError::TooLarge { limit: sink.limit }),
        Err(error) => Err(FetchError::Connection {
            problem: cut(&format!("the compressed page is damaged: {error}")),
        }),
    }
}

/// Bytes up to a limit.
pub(crate) struct Capped {
    bytes: Vec<u8>,
    limit: usize,
    is_full: bool,
}

impl Capped {
    fn new(limit: usize) -> Self {
        Self {
            bytes: Vec::new(),
            limit,
            is_full: false,
        }
    }
}

impl Write for Capped {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.bytes.len() + bytes.len() > self.limit {
            self.is_full = true;
            return Err(std::io::Error::other("too large"));
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
