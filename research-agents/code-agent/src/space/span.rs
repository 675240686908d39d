//! Lines of a file as evidence.

use research_agents_code::facts::LineIndex;
use research_agents_code::tree::{FileBytes, RelPath};
use research_agents_report::text::Untrusted;

use crate::run::{EvidenceDraft, Provenance};

/// Maximum number of lines that one action opens.
pub const MAX_SPAN_LINES: usize = 200;

/// Maximum number of bytes of lines that evidence shows. The hash is that of all of them.
pub const MAX_CONTENT: usize = 64 * 1024;

/// Returns the lines `start` to `end` of a file as evidence. Lines after the last one are left out.
/// `None` if `start` is 0, after `end`, or after the last line.
pub fn lines_of(
    path: &RelPath,
    bytes: &[u8],
    (start, end): (usize, usize),
    reason: &str,
    provenance: Provenance,
) -> Option<EvidenceDraft> {
    let index = LineIndex::new(bytes);
    let range = index.bytes(start, end)?;
    let text = bytes.get(range)?;

    let mut shown = text.len().min(MAX_CONTENT);
    while shown < text.len() && (text[shown] & 0xC0) == 0x80 {
        shown -= 1;
    }
    let mut content = String::from_utf8_lossy(text.get(..shown)?).into_owned();
    if shown < text.len() {
        content.push('…');
    }

    Some(EvidenceDraft {
        file_path: path.clone(),
        start_line: start,
        end_line: end.min(index.count()),
        content: Untrusted::new(content),
        content_sha256: FileBytes::new(text.to_vec()).hash,
        reason: reason.to_owned(),
        provenance,
        score: None,
        symbol_id: None,
        symbol_kind: None,
    })
}
