//! Packs records by the tokens that they take of a prompt, so that every request fits the model.

use research_agents_report::text::{CUT, Marker, Untrusted};
use research_agents_runtime::ask::{Prompt, tokens};

use crate::agents::extraction::request::{Brief, fill, task};
use crate::cx::DatasetCx;
use crate::data::task::{DocumentText, ExtractorLlmResponse};
use crate::prompts;

/// Characters of a record below which it is not cut any further.
const LEAST: usize = 300;

/// The size that a pack of records may have, and the marker that measures it.
pub(crate) struct Scale<'a> {
    marker: &'a Marker,
    /// Tokens of records in one request.
    capacity: usize,
}

impl<'a> Scale<'a> {
    /// Measures what the model can hold in addition to the rest of the prompt, the schema and the
    /// answer, at most what the settings allow. A program that computes its answers has no limit.
    pub(crate) fn new(cx: &'a DatasetCx, brief: &Brief, ids: &[String]) -> Self {
        let window = cx.job().window_at("room", &(&brief.focus, ids));
        let most = if window.is_bounded() {
            cx.config().extraction_tokens
        } else {
            usize::MAX
        };
        let capacity = window.prompt::<ExtractorLlmResponse>().map(|capacity| {
            let empty = fill(
                Prompt::new(&prompts::EXTRACT, cx.job().kit().marker()),
                &task(brief, Vec::new()),
                0,
            );
            // A template that does not fit its slots is reported when it is sent.
            capacity.saturating_sub(empty.finish().map_or(0, |prompt| tokens(&prompt)))
        });

        Self {
            marker: cx.job().kit().marker(),
            capacity: capacity.unwrap_or(most).min(most),
        }
    }

    /// Returns the number of tokens that a record takes, with the marks of its lines.
    fn measure(&self, document: &DocumentText) -> usize {
        let block = |text| tokens(&self.marker.block(&text, usize::MAX));
        let frame = block(Untrusted::new(String::new()));
        block(prompts::documents(std::slice::from_ref(document)))
            .saturating_sub(frame)
            .max(1)
    }

    /// Returns the record with its size, the text cut if it does not fit a request alone.
    fn fitted(&self, mut document: DocumentText) -> (DocumentText, usize) {
        let mut size = self.measure(&document);
        while size > self.capacity {
            let Some(shorter) = shorten(&document, self.capacity, size) else {
                break;
            };
            document = shorter;
            size = self.measure(&document);
        }
        (document, size)
    }
}

/// Returns the record with its text cut to about `part` in `whole` of its length and marked as cut;
/// `None` if it is short already.
fn shorten(document: &DocumentText, part: usize, whole: usize) -> Option<DocumentText> {
    let text = document.text.strip_suffix(CUT).unwrap_or(&document.text);
    let length = text.chars().count();
    // At least a tenth is removed each time, so that the loop ends.
    let wanted = (length * part / whole.max(1))
        .min(length * 9 / 10)
        .max(LEAST.min(length));
    (wanted < length).then(|| {
        let kept: String = text.chars().take(wanted).collect();
        DocumentText {
            text: format!("{kept}{CUT}"),
            ..document.clone()
        }
    })
}

/// Splits records into packs that fit; every pack has at least one.
pub(crate) fn pack(documents: Vec<DocumentText>, scale: &Scale<'_>) -> Vec<Vec<DocumentText>> {
    if scale.capacity == usize::MAX {
        return if documents.is_empty() {
            Vec::new()
        } else {
            vec![documents]
        };
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
                left = scale.capacity.saturating_sub(size);
                packs.push(vec![document]);
            }
        }
    }

    packs
}

/// Splits a pack that was refused: by what is known of the model now, else in halves; a single
/// record is cut in half. `None` if nothing can be made smaller.
pub(crate) fn smaller(
    documents: &[DocumentText],
    scale: &Scale<'_>,
) -> Option<Vec<Vec<DocumentText>>> {
    let packs = pack(documents.to_vec(), scale);

    match documents {
        _ if packs.len() > 1 => Some(packs),
        [] => None,
        [one] => {
            let [packed] = packs.first()?.as_slice() else {
                return None;
            };
            let is_shorter = packed.text.len() < one.text.len();
            Some(vec![vec![if is_shorter {
                packed.clone()
            } else {
                shorten(one, 1, 2)?
            }]])
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
        lengths
            .iter()
            .map(|length| DocumentText {
                id: "1".into(),
                text: text(length),
                ..Default::default()
            })
            .collect()
    }

    fn packed(lengths: &[usize], capacity: usize) -> Vec<Vec<DocumentText>> {
        pack(
            records(lengths),
            &Scale {
                marker: &Marker::fixed("m4rk"),
                capacity,
            },
        )
    }

    fn sizes(packs: &[Vec<DocumentText>]) -> Vec<usize> {
        packs.iter().map(Vec::len).collect()
    }

    #[test]
    fn records_are_packed_in_order_by_what_they_take() {
        let marker = Marker::fixed("m4rk");
        let one = Scale {
            marker: &marker,
            capacity: 0,
        }
        .measure(&records(&[600])[0]);
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
        assert!(
            text.ends_with(CUT) && text.len() < 2_000,
            "{} bytes",
            text.len()
        );
        let marker = Marker::fixed("m4rk");
        assert!(
            Scale {
                marker: &marker,
                capacity: 200
            }
            .measure(&packs[0][0])
                <= 200
        );
        assert_eq!(packs[1][0].text.len(), 50, "a short one stays whole");
    }

    #[test]
    fn a_refused_pack_is_halved_and_a_single_record_cut_until_nothing_is_left_to_cut() {
        let marker = Marker::fixed("m4rk");
        let scale = Scale {
            marker: &marker,
            capacity: 50_000,
        };
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
