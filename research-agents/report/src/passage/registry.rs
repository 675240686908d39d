//! The registry that gives documents and passages their ids.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::passage::ids::IdScheme;
use crate::passage::model::{Document, Found, Lines, Passage, hash_of};
use crate::text::untrusted::Untrusted;

/// All documents and passages of a run, in the order in which they were first seen.
///
/// By default, documents are `S1`, `S2` …, and passages `E1`, `E2` …
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(from = "Stored", into = "Stored")]
pub struct PassageRegistry {
    document_ids: IdScheme,
    passage_ids: IdScheme,
    documents: Vec<Arc<Document>>,
    passages: Vec<Arc<Passage>>,
    /// Indices of documents by id.
    by_id: HashMap<String, usize>,
    /// Indices of documents by site, address and hash of the text.
    by_address: HashMap<(String, String, String), usize>,
    /// Indices of passages by id.
    passage_by_id: HashMap<String, usize>,
    /// Indices of passages by document and span.
    by_span: HashMap<(String, usize, usize), usize>,
}

/// The serialized form.
#[derive(Clone, Serialize, Deserialize)]
struct Stored {
    document_ids: IdScheme,
    passage_ids: IdScheme,
    documents: Vec<Document>,
    passages: Vec<Passage>,
}

/// A span that is not in the text of a registered document, or cuts a character.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("document {document} has no text at {}..{}", span.start, span.end)]
pub struct UnknownSpan {
    /// The id of the document.
    pub document: String,
    /// The span that was given.
    pub span: Range<usize>,
}

/// A difference between what is stored of a document or passage and its hash or place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Damage {
    /// The text of a document does not have the stored hash.
    #[error("the text of document {id} is not what was read: its hash differs")]
    DocumentHash {
        /// Id of the document.
        id: String,
    },
    /// The text of a passage does not have the stored hash.
    #[error("the text of passage {id} was changed: its hash differs")]
    PassageHash {
        /// Id of the passage.
        id: String,
    },
    /// The text of a passage is not at its place in the document.
    #[error("passage {id} is not at its place in document {document}")]
    NotAtSpan {
        /// Id of the passage.
        id: String,
        /// Id of the document.
        document: String,
    },
    /// The lines of a passage are not those of its place.
    #[error("passage {id} has other lines than its place")]
    Lines {
        /// Id of the passage.
        id: String,
    },
    /// Two entries have the same id.
    #[error("the id {id} is there twice")]
    Twice {
        /// The id.
        id: String,
    },
}

impl Damage {
    /// Returns the ids of what it concerns: a passage, a document, or either.
    pub fn ids(&self) -> Vec<&str> {
        match self {
            Self::DocumentHash { id }
            | Self::PassageHash { id }
            | Self::NotAtSpan { id, .. }
            | Self::Lines { id }
            | Self::Twice { id } => vec![id],
        }
    }

    /// Returns whether it concerns a passage or its document.
    pub(crate) fn concerns(&self, passage: &str, document: &str) -> bool {
        match self {
            Self::DocumentHash { id } => id == document,
            Self::PassageHash { id } | Self::NotAtSpan { id, .. } | Self::Lines { id } => {
                id == passage
            }
            Self::Twice { id } => id == passage || id == document,
        }
    }
}

impl Default for PassageRegistry {
    fn default() -> Self {
        Self::new(
            IdScheme::Counted("S".to_owned()),
            IdScheme::Counted("E".to_owned()),
        )
    }
}

impl PassageRegistry {
    /// Creates an empty registry with a scheme of ids for documents and one for passages.
    pub fn new(document_ids: IdScheme, passage_ids: IdScheme) -> Self {
        Self {
            document_ids,
            passage_ids,
            documents: Vec::new(),
            passages: Vec::new(),
            by_id: HashMap::new(),
            by_address: HashMap::new(),
            passage_by_id: HashMap::new(),
            by_span: HashMap::new(),
        }
    }

    /// Adds a document, and returns its id. Nothing is added if the registry has the same text from
    /// the same site and address.
    pub fn add_document(&mut self, mut document: Document) -> String {
        document.hash = hash_of(document.text.for_code());
        let key = address_of(&document);
        if let Some(known) = self
            .by_address
            .get(&key)
            .and_then(|at| self.documents.get(*at))
        {
            return known.id.clone();
        }

        let number = self.documents.len() + 1;
        let own = &document.origin.address;
        let is_taken = |id: &str| self.by_id.contains_key(id);
        document.id = self.document_ids.id(own, number, is_taken);
        let id = document.id.clone();
        self.insert_document(document);
        id
    }

    /// Adds a passage of a registered document, and returns its id. A span that is there already
    /// keeps its id, and how it was found first.
    ///
    /// # Errors
    ///
    /// [`UnknownSpan`] if the document is unknown or has no text at the span.
    pub fn add(
        &mut self,
        document: &str,
        span: Range<usize>,
        found: Found,
    ) -> Result<String, UnknownSpan> {
        let unknown = || UnknownSpan {
            document: document.to_owned(),
            span: span.clone(),
        };
        let holder = Arc::clone(self.document(document).ok_or_else(unknown)?);
        let whole = holder.text.for_code();
        let text = whole.get(span.clone()).ok_or_else(unknown)?;
        if text.trim().is_empty() {
            return Err(unknown());
        }

        let key = (document.to_owned(), span.start, span.end);
        if let Some(known) = self.by_span.get(&key).and_then(|at| self.passages.get(*at)) {
            return Ok(known.id.clone());
        }

        let number = self.passages.len() + 1;
        let is_taken = |id: &str| self.passage_by_id.contains_key(id);
        let own = format!("{document}:{}", span.start);
        let id = self.passage_ids.id(&own, number, is_taken);
        self.insert(Passage {
            id: id.clone(),
            source: document.to_owned(),
            lines: Lines::from_bytes(whole, span.clone()),
            bytes: span.into(),
            hash: hash_of(text),
            text: Untrusted::new(text.to_owned()),
            found,
        });
        Ok(id)
    }

    fn insert_document(&mut self, document: Document) {
        let at = self.documents.len();
        self.by_id.entry(document.id.clone()).or_insert(at);
        self.by_address.entry(address_of(&document)).or_insert(at);
        self.documents.push(Arc::new(document));
    }

    fn insert(&mut self, passage: Passage) {
        let at = self.passages.len();
        let span = (
            passage.source.clone(),
            passage.bytes.start,
            passage.bytes.end,
        );
        self.passage_by_id.entry(passage.id.clone()).or_insert(at);
        self.by_span.entry(span).or_insert(at);
        self.passages.push(Arc::new(passage));
    }

    /// Returns the document with this id.
    pub fn document(&self, id: &str) -> Option<&Arc<Document>> {
        self.by_id.get(id).and_then(|at| self.documents.get(*at))
    }

    /// Returns the passage with this id.
    pub fn get(&self, id: &str) -> Option<&Arc<Passage>> {
        self.passage_by_id
            .get(id)
            .and_then(|at| self.passages.get(*at))
    }

    /// Returns the document of a passage.
    pub fn document_of(&self, passage: &Passage) -> Option<&Arc<Document>> {
        self.document(&passage.source)
    }

    /// Returns all documents in the order in which they were first seen.
    pub fn documents(&self) -> impl ExactSizeIterator<Item = &Arc<Document>> {
        self.documents.iter()
    }

    /// Returns all passages in the order in which they were first seen.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Arc<Passage>> {
        self.passages.iter()
    }

    /// Returns the number of passages.
    pub fn len(&self) -> usize {
        self.passages.len()
    }

    /// Returns `true` if there are neither documents nor passages.
    pub fn is_empty(&self) -> bool {
        self.documents.is_empty() && self.passages.is_empty()
    }

    /// Compares every text with its hash, and every passage with its place: what was changed after
    /// it was read is found.
    pub fn damage(&self) -> Vec<Damage> {
        let mut found = Vec::new();

        for (at, document) in self.documents.iter().enumerate() {
            let id = document.id.clone();
            if self.by_id.get(&id) != Some(&at) {
                found.push(Damage::Twice { id: id.clone() });
            }
            if hash_of(document.text.for_code()) != document.hash {
                found.push(Damage::DocumentHash { id });
            }
        }

        for (at, passage) in self.passages.iter().enumerate() {
            let id = || passage.id.clone();
            if self.passage_by_id.get(&passage.id) != Some(&at) {
                found.push(Damage::Twice { id: id() });
            }
            if hash_of(passage.text.for_code()) != passage.hash {
                found.push(Damage::PassageHash { id: id() });
            }

            let whole = self
                .document_of(passage)
                .map(|document| document.text.for_code().as_str())
                .unwrap_or_default();
            let range: Range<usize> = passage.bytes.into();
            if whole.get(range.clone()) != Some(passage.text.for_code().as_str()) {
                let document = passage.source.clone();
                found.push(Damage::NotAtSpan { id: id(), document });
            } else if Lines::from_bytes(whole, range) != passage.lines {
                found.push(Damage::Lines { id: id() });
            }
        }

        found
    }
}

fn address_of(document: &Document) -> (String, String, String) {
    let origin = &document.origin;
    (
        origin.site.clone(),
        origin.address.clone(),
        document.hash.clone(),
    )
}

impl PartialEq for PassageRegistry {
    fn eq(&self, other: &Self) -> bool {
        self.documents == other.documents && self.passages == other.passages
    }
}

impl From<Stored> for PassageRegistry {
    /// Restores a stored registry as it is. Damage is reported by [`PassageRegistry::damage`].
    fn from(stored: Stored) -> Self {
        let mut registry = Self::new(stored.document_ids, stored.passage_ids);
        stored
            .documents
            .into_iter()
            .for_each(|document| registry.insert_document(document));
        stored
            .passages
            .into_iter()
            .for_each(|passage| registry.insert(passage));
        registry
    }
}

impl From<PassageRegistry> for Stored {
    fn from(registry: PassageRegistry) -> Self {
        Self {
            document_ids: registry.document_ids,
            passage_ids: registry.passage_ids,
            documents: registry
                .documents
                .iter()
                .map(|document| Document::clone(document))
                .collect(),
            passages: registry
                .passages
                .iter()
                .map(|passage| Passage::clone(passage))
                .collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn registry() -> PassageRegistry {
        let mut registry = PassageRegistry::default();
        let id = registry.add_document(Document::new("a.txt", "One.\nTwo ü.\nThree."));
        registry.add(&id, 5..12, Found::by("bm25")).unwrap();
        registry
    }

    #[test]
    fn a_registry_is_the_same_after_it_was_stored() {
        let registry = registry();
        let stored = serde_json::to_string(&registry).unwrap();
        let back: PassageRegistry = serde_json::from_str(&stored).unwrap();
        assert_eq!(back, registry);
        assert_eq!(back.damage(), []);
    }

    #[test]
    fn a_span_must_be_in_the_text() {
        let mut registry = registry();
        for (document, span) in [("S1", 5..100), ("S1", 5..10), ("S2", 0..1), ("S1", 4..5)] {
            assert!(registry.add(document, span, Found::default()).is_err());
        }
        assert_eq!(registry.len(), 1);
    }

    #[test]
    fn a_changed_byte_is_found() {
        let stored = serde_json::to_value(registry()).unwrap();
        let changed = |pointer: &str, value: serde_json::Value| {
            let mut stored = stored.clone();
            *stored.pointer_mut(pointer).unwrap() = value;
            let registry: PassageRegistry = serde_json::from_value(stored).unwrap();
            registry.damage()
        };
        let id = || "E1".to_owned();
        let document = || "S1".to_owned();

        let text = changed("/documents/0/text", "One.\nTwo ü!\nThree.".into());
        let moved = Damage::NotAtSpan {
            id: id(),
            document: document(),
        };
        assert_eq!(
            text,
            [Damage::DocumentHash { id: document() }, moved.clone()]
        );
        let text = changed("/passages/0/text", "Two ö.".into());
        assert_eq!(text, [Damage::PassageHash { id: id() }, moved.clone()]);
        assert_eq!(changed("/passages/0/bytes/start", 6.into()), [moved]);
        let lines = changed("/passages/0/lines/first", 1.into());
        assert_eq!(lines, [Damage::Lines { id: id() }]);
    }

    proptest! {
        #[test]
        fn ids_are_gap_free_and_stable_over_rounds(
            rounds in proptest::collection::vec(
                proptest::collection::vec((0_usize..6, 0_usize..8), 0..12), 1..5),
        ) {
            let run = IdScheme::Run { prefix: "ev".into(), run: "1a2b3c4d99".into() };
            let mut registry = PassageRegistry::new(IdScheme::Counted("S".into()), run);
            let mut known: HashMap<(usize, usize), (String, String)> = HashMap::new();

            for (document, place) in rounds.into_iter().flatten() {
                let text = "word ".repeat(10);
                let source = registry.add_document(Document::new(format!("{document}.txt"), text));
                let span = place * 5..place * 5 + 4;
                let id = registry.add(&source, span, Found::default()).unwrap();
                let ids = known.entry((document, place)).or_insert((source.clone(), id.clone()));
                prop_assert_eq!(&*ids, &(source, id));
            }

            for (at, passage) in registry.iter().enumerate() {
                prop_assert_eq!(&passage.id, &format!("ev-1a2b3c4d-{:03}", at + 1));
            }
            for (at, document) in registry.documents().enumerate() {
                prop_assert_eq!(&document.id, &format!("S{}", at + 1));
            }
            prop_assert!(registry.damage().is_empty());
        }
    }
}
