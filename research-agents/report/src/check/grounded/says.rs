//! Statements that passages of a run carry: the quote at its place, the passage as it was read, and
//! the sentence held against it.

use std::ops::Range;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::check::grounded::ground::ground;
use crate::check::grounded::mismatch::Mismatch;
use crate::check::grounded::verdict::{Cited, Grounded, Grounding};
use crate::check::quote;
use crate::language::Language;
use crate::passage::PassageRegistry;
use crate::text::locate::{LOCATED, locate};

/// A passage says what a sentence states.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Says {
    /// Id of the passage.
    pub passage: String,
    /// The words of the passage that carry the sentence. In a draft they need not be exact: the
    /// passage's own words at the place that is most similar are taken.
    pub quote: String,
    /// Byte offset of the quote in the passage. The checker fills it in when it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<usize>,
}

/// A sentence with the quotes that carry it, and the verdict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stated {
    /// The sentence.
    pub text: String,
    /// Its quotes, each with the passage's own words and their place.
    pub says: Vec<Says>,
    /// The verdict on it.
    pub grounding: Grounding,
}

/// Checks a drafted sentence. A quote is located, and replaced by the passage's own words there.
///
/// ```
/// use research_agents_report::check::grounded::{Grounded, Says, check_says, verify_says};
/// use research_agents_report::language::Language;
/// use research_agents_report::passage::{Document, Found, PassageRegistry};
///
/// let mut passages = PassageRegistry::default();
/// let text = "The pump was inspected in May. Its seal is worn.";
/// let source = passages.add_document(Document::new("pump.md", text));
/// let id = passages.add(&source, 0..text.len(), Found::default()).unwrap();
///
/// let says = Says { passage: id, quote: "its seal was worn".into(), start: None };
/// let sentence = "The seal of the pump is worn.";
/// let stated = check_says(sentence, Language::ENGLISH, &[says], &passages);
/// assert_eq!(stated.says[0].quote, "Its seal is worn");
/// assert_eq!(stated.grounding.verdict, Grounded::Holds);
///
/// // What was printed is verified again by exact places.
/// assert_eq!(verify_says(&stated, Language::ENGLISH, &passages), Ok(()));
/// ```
pub fn check_says(
    sentence: &str,
    language: Language,
    says: &[Says],
    passages: &PassageRegistry,
) -> Stated {
    let mut located = Vec::new();
    let mut failure = None;
    for one in says {
        match place(one, passages) {
            Ok(range) => {
                let text = passages
                    .get(&one.passage)
                    .map_or("", |passage| passage.text.for_code().as_str());
                located.push(Says {
                    passage: one.passage.clone(),
                    quote: text[range.clone()].to_owned(),
                    start: Some(range.start),
                });
            }
            Err(mismatch) => {
                located.push(one.clone());
                failure = failure.or(Some(mismatch));
            }
        }
    }

    let mut grounding = ground(sentence, language, &cited(&located, passages));
    if let Some(mismatch) = failure {
        grounding.verdict = Grounded::Fails(mismatch);
    }
    Stated {
        text: sentence.to_owned(),
        says: located,
        grounding,
    }
}

/// Verifies a finished sentence: its passages are as they were read, its quotes are at their
/// places, and it has the verdict that it claims.
///
/// # Errors
///
/// Returns the first thing that differs.
pub fn verify_says(
    stated: &Stated,
    language: Language,
    passages: &PassageRegistry,
) -> Result<(), Mismatch> {
    let damage = passages.damage();
    for one in &stated.says {
        let id = || one.passage.clone();
        let passage = passages
            .get(&one.passage)
            .ok_or_else(|| Mismatch::UnknownPassage { passage: id() })?;
        let is_damaged = damage
            .iter()
            .any(|damage| damage.concerns(&passage.id, &passage.source));
        if is_damaged {
            return Err(Mismatch::Damaged { passage: id() });
        }

        let text = passage.text.for_code();
        let is_there = one.start.is_some_and(|start| {
            text.get(start..start + one.quote.len()) == Some(one.quote.as_str())
        });
        if !is_there {
            return Err(Mismatch::QuoteNotFound { passage: id() });
        }
    }

    let grounding = ground(&stated.text, language, &cited(&stated.says, passages));
    match grounding.verdict {
        Grounded::Fails(mismatch) => Err(mismatch),
        verdict if verdict == stated.grounding.verdict => Ok(()),
        Grounded::Unsure { missing } => Err(Mismatch::NotCarried { missing }),
        Grounded::Holds => Ok(()),
    }
}

/// Returns the place of a quote in its passage: where it is word for word, else where it is most
/// similar.
fn place(says: &Says, passages: &PassageRegistry) -> Result<Range<usize>, Mismatch> {
    let id = || says.passage.clone();
    let passage = passages
        .get(&says.passage)
        .ok_or_else(|| Mismatch::UnknownPassage { passage: id() })?;
    let text = passage.text.for_code();
    quote::find(text, &says.quote, says.start)
        .or_else(|| locate(text, &says.quote, LOCATED).map(|located| located.span))
        .ok_or_else(|| Mismatch::QuoteNotFound { passage: id() })
}

/// Returns what quotes cite.
fn cited<'p>(says: &[Says], passages: &'p PassageRegistry) -> Vec<Cited<'p>> {
    let known = says.iter().filter_map(|one| {
        let passage = passages.get(&one.passage)?;
        let document = passages.document_of(passage)?;
        let start = one.start?;
        let quote = start..start + one.quote.len();
        Some(Cited::passage(passage, document, quote))
    });
    known.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passage::{Document, Found};

    const TEXT: &str = "The pump was inspected in May. Its seal is worn. The motor runs.";

    fn stated(sentence: &str, quote: &str) -> (Stated, PassageRegistry) {
        let mut passages = PassageRegistry::default();
        let source = passages.add_document(Document::new("pump.md", TEXT));
        let id = passages
            .add(&source, 0..TEXT.len(), Found::default())
            .unwrap();
        let says = Says {
            passage: id,
            quote: quote.into(),
            start: None,
        };
        let stated = check_says(sentence, Language::ENGLISH, &[says], &passages);
        (stated, passages)
    }

    #[test]
    fn the_quoted_sentence_must_carry_the_claim() {
        let sentence = "The motor runs.";
        let (own, _) = stated(sentence, "The motor runs");
        assert_eq!(own.grounding.verdict, Grounded::Holds);

        let (other, _) = stated(sentence, "The pump was inspected in May");
        assert!(matches!(other.grounding.verdict, Grounded::Fails(_)));
        let (none, _) = stated(sentence, "Birds fly south in winter");
        let missing = Grounded::Fails(Mismatch::QuoteNotFound {
            passage: "E1".into(),
        });
        assert_eq!(none.grounding.verdict, missing);
    }

    #[test]
    fn a_changed_byte_of_a_passage_is_found() {
        let (stated, passages) = stated("The motor runs.", "The motor runs");
        assert_eq!(verify_says(&stated, Language::ENGLISH, &passages), Ok(()));

        let stored = serde_json::to_string(&passages).unwrap();
        let changed = stored.replacen("in May", "in Jun", 1);
        let changed: PassageRegistry = serde_json::from_str(&changed).unwrap();
        let found = verify_says(&stated, Language::ENGLISH, &changed);
        assert!(matches!(found, Err(Mismatch::Damaged { .. })), "{found:?}");
    }

    #[test]
    fn a_moved_or_changed_quote_is_found() {
        let (stated, passages) = stated("The motor runs.", "The motor runs");
        let mut moved = stated.clone();
        moved.says[0].start = Some(3);
        let mut changed = stated;
        changed.text = "The motor does not run.".into();

        let found = |stated: &Stated| verify_says(stated, Language::ENGLISH, &passages);
        assert!(matches!(found(&moved), Err(Mismatch::QuoteNotFound { .. })));
        assert!(matches!(found(&changed), Err(Mismatch::Denied { .. })));
    }
}
