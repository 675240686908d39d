//! Checks finished sentences: those that stand in a report.

use super::{Checker, Failure, Rigour, Verified};
use crate::kernel::claim::Claim;
use crate::kernel::report::Sentence;

impl Checker<'_> {
    /// Checks a sentence of a finished report as a reader would who trusts nobody: its claims exactly as they stand, every quote
    /// at its span, its words, and its citations, which must be those that the claims give. Every sentence that
    /// [`check`](Self::check) has let pass and a [`ReportWriter`](crate::kernel::ReportWriter) has written passes, given the
    /// same evidence and context.
    ///
    /// # Errors
    ///
    /// The first reason why it does not hold.
    pub fn verify(&self, sentence: &Sentence) -> Result<Verified, Failure> {
        let verified = self.verify_claims(sentence.text.as_str(), &sentence.claims)?;
        if (verified.tables(), verified.sources()) != (&sentence.aggregations[..], &sentence.sources[..]) {
            let ids = |tables: &[String], sources: &[String]| [tables, sources].concat();
            return Err(Failure::WrongCitations {
                stated: ids(&sentence.aggregations, &sentence.sources),
                actual: ids(verified.tables(), verified.sources()),
            });
        }
        self.verify_words(&verified)?;
        Ok(verified)
    }

    /// Checks claims exactly as they stand; what is said with them is not looked at.
    pub(in crate::kernel) fn verify_claims(&self, text: &str, claims: &[Claim]) -> Result<Verified, Failure> {
        self.check_claims(text.to_owned(), claims, Rigour::Finished)
    }

    /// Checks what is said with claims that hold.
    pub(in crate::kernel) fn verify_words(&self, verified: &Verified) -> Result<(), Failure> {
        self.check_words(verified)?;
        match self.marker_in(&verified.text, &verified.claims) {
            Some(marker) => Err(Failure::MarkerInWords { marker }),
            None => Ok(()),
        }
    }
}
