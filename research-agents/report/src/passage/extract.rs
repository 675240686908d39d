//! An answer without a language model: sentences of passages, picked, ordered and quoted.
//!
//! Every sentence is a quotation of a passage, and the answer says so: see [`Extract::NOTICE`].

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::passage::model::Passage;
use crate::passage::registry::PassageRegistry;
use crate::text::rank::{pick, scores};
use crate::text::segment::sentences;

/// Characters of the shortest sentence that is quoted.
const SHORTEST: usize = 20;
/// Characters of the longest sentence that is quoted.
const LONGEST: usize = 500;

/// A sentence that is quoted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Quoted {
    /// Id of the passage.
    pub passage: String,
    /// Id of its document.
    pub source: String,
    /// The sentence, as it is in the passage.
    pub text: String,
    /// Its place in the passage, in bytes.
    pub span: Range<usize>,
    /// Its BM25 score.
    pub score: f32,
}

/// An answer of quoted sentences.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Extract {
    /// The sentences: the most relevant one first, then the others in the order of the documents.
    pub sentences: Vec<Quoted>,
}

impl Extract {
    /// What a report says about such an answer.
    pub const NOTICE: &'static str = "No language model was used: every sentence is a quotation.";

    /// Picks up to `limit` sentences of all passages that answer a question: by BM25, with the
    /// headings above them, and so that they differ from each other. Sentences without a word of
    /// the question are never picked.
    ///
    /// ```
    /// use research_agents_report::passage::extract::Extract;
    /// use research_agents_report::passage::{Document, Found, PassageRegistry};
    ///
    /// let mut passages = PassageRegistry::default();
    /// let text = "The pump was inspected in May. It leaks. The seal of the pump is worn.";
    /// let source = passages.add_document(Document::new("pump.md", text));
    /// passages.add(&source, 0..text.len(), Found::default()).unwrap();
    ///
    /// let extract = Extract::new("Which seal is worn?", &passages, 1);
    /// assert_eq!(extract.sentences[0].text, "The seal of the pump is worn.");
    /// ```
    pub fn new(question: &str, passages: &PassageRegistry, limit: usize) -> Self {
        let mut found: Vec<(&Passage, Range<usize>, String)> = Vec::new();
        for passage in passages.iter() {
            let text = passage.text.for_code();
            let title = passages
                .document_of(passage)
                .map(|document| document.title.for_code().clone())
                .unwrap_or_default();
            let headings = [&[title], passage.found.section.as_slice()]
                .concat()
                .join(" ");
            for span in sentences(text) {
                let length = text[span.clone()].chars().count();
                if (SHORTEST..=LONGEST).contains(&length) {
                    let searched = format!("{headings} {}", &text[span.clone()]);
                    found.push((passage, span, searched));
                }
            }
        }

        // Passages may overlap: a sentence is quoted once.
        let searched: Vec<&str> = found.iter().map(|(.., text)| text.as_str()).collect();
        let scores = scores(question, &searched);
        let mut used: Vec<(&str, usize)> = Vec::new();
        let picked = pick(&searched, &scores, limit, |index| {
            let (passage, span, _) = &found[index];
            let place = (passage.source.as_str(), passage.bytes.start + span.start);
            let is_new = !used.contains(&place);
            if is_new {
                used.push(place);
            }
            is_new
        });

        let mut rest = picked.get(1..).unwrap_or_default().to_vec();
        rest.sort_unstable();
        let order = picked.first().copied().into_iter().chain(rest);
        let quoted = order.map(|index| {
            let (passage, span, _) = &found[index];
            Quoted {
                passage: passage.id.clone(),
                source: passage.source.clone(),
                text: passage.text.for_code()[span.clone()].to_owned(),
                span: span.clone(),
                score: scores[index],
            }
        });
        Self {
            sentences: quoted.collect(),
        }
    }
}
