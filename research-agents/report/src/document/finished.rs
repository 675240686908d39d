//! Checks the sentences of finished reports.

use crate::check::checker::{Checker, Verified};
use crate::check::failure::Failure;
use crate::check::rigour::Rigour;
use crate::claim::Claim;
use crate::document::model::Sentence;

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

    /// Verifies claims without completing them. `text` is not checked.
    ///
    /// # Errors
    ///
    /// Returns the first reason why a claim does not hold.
    pub fn verify_claims(&self, text: &str, claims: &[Claim]) -> Result<Verified, Failure> {
        self.check_claims(text.to_owned(), claims, Rigour::Finished)
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
