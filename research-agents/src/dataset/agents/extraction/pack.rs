//! Packs records by the tokens that they take of a prompt, so that every request fits the model.

use super::{Brief, fill, task};
use crate::dataset::fit::tokens;
use crate::dataset::prompts;
use crate::dataset::services::DatasetCx;
use crate::dataset::task::{DocumentText, ExtractorLlmResponse};
use crate::kernel::untrusted::CUT;
use crate::kernel::{Marker, Prompt, Untrusted};

/// Characters of a record below which it is not cut any further.
const LEAST: usize = 300;

/// What a pack of records may take, and what measures it.
pub(super) struct Scale<'a> {
    marker: &'a Marker,
    /// Tokens of records in one request.
    room: usize,
}

impl<'a> Scale<'a> {
    /// What the model can hold beside everything else in the prompt, the schema and the answer; at most what the settings
    /// say. A program that computes its answers has no limit.
    pub(super) fn of(cx: &'a DatasetCx, brief: &Brief, ids: &[String]) -> Self {
        let room = cx.room_at("room", &(&brief.focus, ids));
        let most = if room.is_bounded() { cx.config().extraction_tokens } else { usize::MAX };
        let room = room.prompt::<ExtractorLlmResponse>().map(|room| {
            let empty = fill(Prompt::new(&prompts::EXTRACT, cx.marker()), &task(brief, Vec::new()), 0);
            // A template that does not fit its slots is reported when it is sent.
            room.saturating_sub(empty.finish().map_or(0, |prompt| tokens(&prompt)))
        });
        Self { marker: cx.marker(), room: room.unwrap_or(most).min(most) }
    }

    /// Tokens that a record takes, with the marks of its lines.
    fn measure(&self, document: &DocumentText) -> usize {
        let block = |text| tokens(&self.marker.block(&text, usize::MAX));
        let frame = block(Untrusted::new(String::new()));
        block(prompts::documents(std::slice::from_ref(document))).saturating_sub(frame).max(1)
    }

    /// The record, its text cut where it would not fit a request of its own.
    fn fitted(&self, mut document: DocumentText) -> (DocumentText, usize) {
        let mut size = self.measure(&document);
        while size > self.room {
            let Some(shorter) = shorten(&document, self.room, size) else { break };
            document = shorter;
            size = self.measure(&document);
        }
        (document, size)
    }
}

/// The record with a text of about `part` in `whole` of its length, a visible mark at its end; `None` when it is short
/// already.
fn shorten(document: &DocumentText, part: usize, whole: usize) -> Option<DocumentText> {
    let text = document.text.strip_suffix(CUT).unwrap_or(&document.text);
    let length = text.chars().count();
    // At least a tenth goes each time, so that this comes to an end.
    let wanted = (length * part / whole.max(1)).min(length * 9 / 10).max(LEAST.min(length));
    (wanted < length).then(|| {
        let kept: String = text.chars().take(wanted).collect();
        DocumentText { text: format!("{kept}{CUT}"), ..document.clone() }
    })
}

/// Splits records into packs that fit; every pack has at least one.
pub(super) fn pack(documents: Vec<DocumentText>, scale: &Scale<'_>) -> Vec<Vec<DocumentText>> {
    if scale.room == usize::MAX {
        return if documents.is_empty() { Vec::new() } else { vec![documents] };
    }
    let mut packs: Vec<Vec<DocumentText>> = Vec::new();
    let mut left = 0;
    for (document, size) in documents.into_iter().map(|document| scale.fitted(document)) {
        match packs.last_mut() {
            Some(pack) if size <= left => {
                left -= size;
                pack.push(document);
            }
            _ => {
                left = scale.room.saturating_sub(size);
                packs.push(vec![document]);
            }
        }
    }
    packs
}

/// A pack that was refused, in parts: by what is known of the model now, else in halves; a single record with half of its
/// text. `None` when nothing can be made smaller.
pub(super) fn smaller(documents: &[DocumentText], scale: &Scale<'_>) -> Option<Vec<Vec<DocumentText>>> {
    let packs = pack(documents.to_vec(), scale);
    match documents {
        _ if packs.len() > 1 => Some(packs),
        [] => None,
        [one] => {
            let [packed] = packs.first()?.as_slice() else { return None };
            let is_shorter = packed.text.len() < one.text.len();
            Some(vec![vec![if is_shorter { packed.clone() } else { shorten(one, 1, 2)? }]])
        }
        several => {
            let (first, second) = several.split_at(several.len() / 2);
            Some(vec![first.to_vec(), second.to_vec()])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records(lengths: &[usize]) -> Vec<DocumentText> {
        let text = |length: &usize| "word ".repeat(*length / 5);
        lengths.iter().map(|length| DocumentText { id: "1".into(), text: text(length), ..Default::default() }).collect()
    }

    fn packed(lengths: &[usize], room: usize) -> Vec<Vec<DocumentText>> {
        pack(records(lengths), &Scale { marker: &Marker::fixed("m4rk"), room })
    }

    fn sizes(packs: &[Vec<DocumentText>]) -> Vec<usize> {
        packs.iter().map(Vec::len).collect()
    }

    #[test]
    fn records_are_packed_in_order_by_what_they_take() {
        let marker = Marker::fixed("m4rk");
        let one = Scale { marker: &marker, room: 0 }.measure(&records(&[600])[0]);
        assert_eq!(sizes(&packed(&[600, 600, 600], 3 * one)), [3]);
        assert_eq!(sizes(&packed(&[600, 600, 600], 3 * one - 1)), [2, 1]);
        assert_eq!(sizes(&packed(&[600, 600, 600], one)), [1, 1, 1]);
        assert_eq!(sizes(&packed(&[600; 3], usize::MAX)), [3]);
        assert!(packed(&[], 10).is_empty());
    }

    #[test]
    fn a_record_that_fits_no_request_is_cut_visibly() {
        let packs = packed(&[9_000, 50], 200);
        let text = &packs[0][0].text;
        assert!(text.ends_with(CUT) && text.len() < 2_000, "{} bytes", text.len());
        let marker = Marker::fixed("m4rk");
        assert!(Scale { marker: &marker, room: 200 }.measure(&packs[0][0]) <= 200);
        assert_eq!(packs[1][0].text.len(), 50, "a short one stays whole");
    }

    #[test]
    fn a_refused_pack_is_halved_and_a_single_record_cut_until_nothing_is_left_to_cut() {
        let marker = Marker::fixed("m4rk");
        let scale = Scale { marker: &marker, room: 50_000 };
        let parts = smaller(&records(&[600; 5]), &scale).unwrap();
        assert_eq!(sizes(&parts), [2, 3]);
        let mut rounds = 0;
        let mut open = records(&[20_000]);
        while let Some(parts) = smaller(&open, &scale) {
            assert!(parts[0][0].text.len() < open[0].text.len());
            open = parts.into_iter().next().unwrap();
            rounds += 1;
        }
        assert!((4..=12).contains(&rounds), "{rounds}");
        assert!(open[0].text.len() < 2 * LEAST);
    }
}
