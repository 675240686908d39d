//! Turns the bytes of a file into text, whatever program wrote them.

use std::io::{self, Read};
use std::str;

use encoding_rs::{CoderResult, Decoder, Encoding, UTF_8, WINDOWS_1252};

use super::super::error::LoadError;
use super::source::Source;

/// Bytes that are read at once.
const CHUNK: usize = 64 * 1024;

/// What is known of a text before it is read.
#[derive(Debug)]
pub(super) struct Text {
    encoding: &'static Encoding,
    /// Bytes of the byte-order mark.
    mark: usize,
    /// The first character that is no white space.
    pub(super) first: Option<char>,
    /// There is a character 0, which no text file has.
    pub(super) has_nul: bool,
    /// The encoding had to be assumed.
    pub(super) warning: Option<String>,
}

/// Finds out the encoding.
///
/// A byte-order mark decides (UTF-8 or UTF-16). Without one, what is valid UTF-8 is UTF-8, and anything else is read as
/// Windows-1252, of which Latin-1 is a part.
pub(super) fn examine(source: &Source<'_>) -> Result<Text, LoadError> {
    let failed = |error| source.failed(error);
    let mut head = Vec::new();
    source.reader()?.take(4).read_to_end(&mut head).map_err(failed)?;
    let (encoding, mark, warning) = match Encoding::for_bom(&head) {
        Some((encoding, mark)) => (encoding, mark, None),
        None if is_utf8(source.reader()?).map_err(failed)? => (UTF_8, 0, None),
        None => (WINDOWS_1252, 0, Some("the file is not UTF-8; it was read as Windows-1252".to_owned())),
    };

    let mut text = Text { encoding, mark, first: None, has_nul: false, warning };
    let mut reader = text.reader(source)?;
    let mut start = Vec::new();
    let mut chunk = vec![0; CHUNK];
    loop {
        let read = reader.read(&mut chunk).map_err(failed)?;
        if read == 0 {
            break;
        }
        text.has_nul |= chunk[..read].contains(&0);
        if text.first.is_none() {
            start.extend_from_slice(&chunk[..read]);
            let (begin, complete) = complete(&start);
            text.first = begin.trim_start().chars().next();
            // White space alone: what follows is looked at with the rest of a character that was cut.
            start.drain(..complete);
        }
    }
    drop(reader);
    Ok(text)
}

impl Text {
    /// Returns a reader of the text as UTF-8, without the mark.
    pub(super) fn reader<'s>(&self, source: &'s Source<'_>) -> Result<Box<dyn Read + 's>, LoadError> {
        let mut bytes = source.reader()?;
        let mut mark = [0; 4];
        bytes.read_exact(&mut mark[..self.mark]).map_err(|error| source.failed(error))?;
        if self.encoding == UTF_8 && self.mark == 0 {
            return Ok(bytes);
        }
        Ok(Box::new(Decoded {
            bytes,
            decoder: self.encoding.new_decoder_without_bom_handling(),
            input: vec![0; CHUNK],
            pending: 0..0,
            output: vec![0; 4 * CHUNK],
            decoded: 0..0,
            ended: false,
            finished: false,
        }))
    }
}

/// The beginning that is whole characters, and its length.
fn complete(bytes: &[u8]) -> (&str, usize) {
    match str::from_utf8(bytes) {
        Ok(text) => (text, bytes.len()),
        Err(error) => (str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default(), error.valid_up_to()),
    }
}

fn is_utf8(mut reader: Box<dyn Read + '_>) -> io::Result<bool> {
    let mut chunk = vec![0; CHUNK];
    let mut kept = 0;
    loop {
        let read = reader.read(&mut chunk[kept..])?;
        if read == 0 {
            return Ok(kept == 0);
        }
        let filled = kept + read;
        kept = match str::from_utf8(&chunk[..filled]) {
            Ok(_) => 0,
            Err(error) if error.error_len().is_none() => {
                chunk.copy_within(error.valid_up_to()..filled, 0);
                filled - error.valid_up_to()
            }
            Err(_) => return Ok(false),
        };
    }
}

/// A reader that decodes.
struct Decoded<'s> {
    bytes: Box<dyn Read + 's>,
    decoder: Decoder,
    input: Vec<u8>,
    /// Bytes of the input that are not decoded yet.
    pending: std::ops::Range<usize>,
    output: Vec<u8>,
    /// Bytes of the output that are not read yet.
    decoded: std::ops::Range<usize>,
    ended: bool,
    finished: bool,
}

impl Read for Decoded<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.decoded.is_empty() {
            if self.finished {
                return Ok(0);
            }
            if self.pending.is_empty() && !self.ended {
                let read = self.bytes.read(&mut self.input)?;
                self.pending = 0..read;
                self.ended = read == 0;
            }
            let input = &self.input[self.pending.clone()];
            let (result, read, written, _) = self.decoder.decode_to_utf8(input, &mut self.output, self.ended);
            self.pending.start += read;
            self.decoded = 0..written;
            // A decoder must not be asked again after the end.
            self.finished = self.ended && result == CoderResult::InputEmpty;
        }
        let taken = buffer.len().min(self.decoded.len());
        buffer[..taken].copy_from_slice(&self.output[self.decoded.start..self.decoded.start + taken]);
        self.decoded.start += taken;
        Ok(taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(bytes: &[u8]) -> (String, Option<String>) {
        let source = Source::bytes("t", bytes);
        let text = examine(&source).unwrap();
        let mut decoded = String::new();
        text.reader(&source).unwrap().read_to_string(&mut decoded).unwrap();
        (decoded, text.warning)
    }

    #[test]
    fn marks_and_code_pages() {
        assert_eq!(decode(b"\xef\xbb\xbfa\xc3\xbc").0, "aü");
        assert_eq!(decode(b"\xff\xfea\0\xfc\0").0, "aü");
        assert_eq!(decode("aü".as_bytes()), ("aü".to_owned(), None));
        let (text, warning) = decode(b"caf\xe9 \x80");
        assert_eq!(text, "café €");
        assert!(warning.is_some());
    }

    #[test]
    fn characters_across_chunks_stay_whole() {
        let long = format!("a{}", "ü".repeat(3 * CHUNK));
        assert_eq!(decode(long.as_bytes()), (long.clone(), None));
        let wide: Vec<u8> = [0xff, 0xfe].into_iter().chain(long.encode_utf16().flat_map(u16::to_le_bytes)).collect();
        assert_eq!(decode(&wide).0, long);
        assert!(examine(&Source::bytes("t", b" \n\t ")).unwrap().first.is_none());
    }
}
