//! Checks finished sentences: those that stand in a report.

use super::{Checker, Failure, Rigour, Verified};
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
        let verified = self.check_claims(sentence.text.as_str().to_owned(), &sentence.claims, Rigour::Finished)?;
        if (verified.tables(), verified.sources()) != (&sentence.aggregations[..], &sentence.sources[..]) {
            let ids = |tables: &[String], sources: &[String]| [tables, sources].concat();
            return Err(Failure::WrongCitations {
                stated: ids(&sentence.aggregations, &sentence.sources),
                actual: ids(verified.tables(), verified.sources()),
            });
        }
        self.check_words(&verified)?;
        Ok(verified)
    }
}
