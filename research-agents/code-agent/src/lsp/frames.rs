//! The framing of the protocol: headers, an empty line, and JSON of the stated length.

use std::io;

use serde_json::Value;
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt};

/// Maximum length of a message in bytes.
const MAX_MESSAGE: usize = 32 << 20;

/// Maximum length of a header line in bytes, and maximum number of lines before a message.
const MAX_LINE: u64 = 4_096;
const MAX_LINES: usize = 1_000;

/// Returns a message with its header.
pub(super) fn frame(message: &Value) -> Vec<u8> {
    let body = message.to_string();
    format!("Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

/// Reads the next message; `None` at the end. Lines that are not headers are skipped.
pub(super) async fn read(reader: &mut (impl AsyncBufRead + Unpin)) -> io::Result<Option<Value>> {
    let refuse = |problem: &str| io::Error::new(io::ErrorKind::InvalidData, problem.to_owned());
    let mut length = None;

    for _ in 0..MAX_LINES {
        let mut line = Vec::new();
        let read = (&mut *reader)
            .take(MAX_LINE)
            .read_until(b'\n', &mut line)
            .await?;
        if read == 0 {
            return Ok(None);
        }
        let line = String::from_utf8_lossy(&line);
        let line = line.trim();
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse::<usize>().ok();
        }
        let Some(length) = length.filter(|_| line.is_empty()) else {
            continue;
        };

        if length > MAX_MESSAGE {
            return Err(refuse("the server sent a message that is too long"));
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).await?;
        let message = serde_json::from_slice(&body);
        return message
            .map(Some)
            .map_err(|error| refuse(&error.to_string()));
    }
    Err(refuse("the server sent no message"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[tokio::test]
    async fn messages_are_read_back_and_noise_is_skipped() {
        let message = json!({"id": 1, "text": "größe"});
        let mut bytes = b"a warning\n".to_vec();
        bytes.extend(frame(&message));
        bytes.extend(frame(&json!(2)));
        let mut reader = bytes.as_slice();

        assert_eq!(read(&mut reader).await.unwrap(), Some(message));
        assert_eq!(read(&mut reader).await.unwrap(), Some(json!(2)));
        assert_eq!(read(&mut reader).await.unwrap(), None);
    }

    #[tokio::test]
    async fn a_message_that_is_too_long_or_cut_is_an_error() {
        for bytes in [
            &b"Content-Length: 99999999999\r\n\r\n"[..],
            b"Content-Length: 9\r\n\r\n{}",
        ] {
            assert!(read(&mut &*bytes).await.is_err());
        }
    }
}
