//! Checks the sentences of finished reports.

use crate::check::checker::{Checker, Verified};
use crate::check::failure::Failure;
use crate::check::rigour::Rigour;
use crate::claim::Claim;
use crate::document::links::Links;
use crate::document::model::Sentence;
use crate::language::phrase::Phrase;

impl Checker<'_> {
    /// Verifies a sentence of a finished report without completing or correcting it: its claims,
    /// every quote at its span, its text, and its citations, which must be those of its claims.
    /// Every sentence that [`check`](Self::check) has verified and a
    /// [`ReportWriter`](crate::document::ReportWriter) has written passes with the same evidence
    /// and context.
    ///
    /// # Errors
    ///
    /// Returns the first reason why it does not hold.
    pub fn verify(&self, sentence: &Sentence) -> Result<Verified, Failure> {
        let verified = self.verify_claims(sentence.text.as_str(), &sentence.claims)?;

        if (verified.tables(), verified.sources())
            != (&sentence.aggregations[..], &sentence.sources[..])
        {
            let ids = |tables: &[String], sources: &[String]| [tables, sources].concat();
            return Err(Failure::WrongCitations {
                stated: ids(&sentence.aggregations, &sentence.sources),
                actual: ids(verified.tables(), verified.sources()),
            });
        }

        self.verify_words(&verified)?;
        Ok(verified)
    }

    /// Verifies claims without completing them. `text` is not checked; addresses that a writer
    /// removed from it are those of the quotes again.
    ///
    /// # Errors
    ///
    /// Returns the first reason why a claim does not hold.
    pub fn verify_claims(&self, text: &str, claims: &[Claim]) -> Result<Verified, Failure> {
        let is_whole = !text.contains(&self.language().say(Phrase::LinkRemoved));
        let text = if is_whole {
            text.to_owned()
        } else {
            let links = Links::of(self.evidence(), self.language());
            links.restored(text, claims.iter().filter_map(Claim::text))
        };
        self.check_claims(text, claims, Rigour::Finished)
    }

    /// Verifies the text of a sentence whose claims hold.
    ///
    /// # Errors
    ///
    /// Returns the first reason why it does not hold.
    pub fn verify_words(&self, verified: &Verified) -> Result<(), Failure> {
        self.check_words(verified)?;
        match self.marker_in(&verified.text, &verified.claims) {
            Some(marker) => Err(Failure::MarkerInWords { marker }),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::check::checker::Checker;
    use crate::check::failure::Failure;
    use crate::claim::{Claim, Statement};
    use crate::document::model::{Block, Sentence};
    use crate::document::writer::ReportWriter;
    use crate::evidence::run::Evidence;
    use crate::passage::{Document, Found};
    use crate::text::line::Line;

    const SAID: &str =
        "CVE-2021-1 is fixed, see [1](https://a.example/x) and <https://b.example/y>.";

    fn evidence() -> (Evidence, String) {
        let mut evidence = Evidence::default();
        let text = format!("{SAID} It was found by a user.");
        let length = text.len();
        let document = Document::new("notes", text);
        let document = evidence.passages.add_document(document);
        let passage = evidence
            .passages
            .add(&document, 0..length, Found::by("test"));
        (evidence, passage.unwrap())
    }

    fn written(evidence: &Evidence, passage: &str) -> Sentence {
        let says = Claim::Says {
            source: passage.to_owned(),
            text: SAID.to_owned(),
            start: None,
        };
        let statement = Statement {
            text: SAID.to_owned(),
            claims: vec![says],
        };
        let verified = Checker::new(evidence, []).check(&statement).unwrap();
        let mut writer = ReportWriter::new(evidence, "t");
        writer.section("s");
        writer.bullets(&[verified]);

        match &writer.finish().sections[0].blocks[0] {
            Block::Bullets { sentences } => sentences[0].clone(),
            block => panic!("{block:?}"),
        }
    }

    #[test]
    fn a_sentence_without_its_addresses_holds() {
        let (evidence, passage) = evidence();
        let sentence = written(&evidence, &passage);
        assert_eq!(
            sentence.text.as_str(),
            "CVE-2021-1 is fixed, see [1]((link removed)) and <(link removed)>."
        );
        let verified = Checker::new(&evidence, []).verify(&sentence);
        assert!(verified.is_ok(), "{verified:?}");
    }

    #[test]
    fn a_sentence_that_is_changed_around_a_removed_address_fails() {
        let (evidence, passage) = evidence();
        let whole = written(&evidence, &passage);

        for (from, to) in [
            ("is fixed", "is not fixed"),
            ("CVE-2021-1", "CVE-2021-2"),
            ("<(link removed)>", "<https://c.example/z>"),
            ("see", "never see"),
        ] {
            let mut sentence = whole.clone();
            let text = whole.text.as_str().replace(from, to);
            assert_ne!(text, whole.text.as_str());
            sentence.text = Line::new(&text);

            let refused = Checker::new(&evidence, []).verify(&sentence);
            assert!(
                matches!(refused, Err(Failure::Ungrounded { .. })),
                "{text}: {refused:?}"
            );
        }
    }
}
