//! Verifies a bundle without a model, a tool or a clock: every source, number, quote, citation and
//! rendering in it.
//!
//! | part | checked against |
//! |---|---|
//! | the whole, each source, the arguments of each recorded call | its hash |
//! | each source, each table | the recorded answers of tools, read as the run read them |
//! | each claim: counts, totals, statistics, quotes | the sources and tables of the bundle |
//! | each number in a sentence | its claims, and the question, filters and fields of the run |
//! | each citation | the claims of its sentence, and the lists of data and sources |
//! | each mark of a sentence | the independence and credibility of the passages that it cites |
//! | data, charts and sources of the report | the sources and tables of the bundle |
//! | coverage, in numbers and in words | the recorded answers, from which it is computed again |
//! | the question | the recorded input, the journal and the prompts |
//! | the Markdown | the document, byte for byte |
//!
//! Text without a claim is not checked; each line of it is reported as [`Outcome::NotCovered`]. So
//! is each part of the bundle that nothing else in it proves, such as the name of the program.
//!
//! A bundle that holds shows that its report follows from the traffic that is recorded in it. It
//! does not show who wrote it, nor that this traffic took place: the digest is not a signature.

pub(crate) mod coverage;
pub(crate) mod difference;
pub(crate) mod document;
pub(crate) mod evidence;
pub(crate) mod marks;
pub(crate) mod origins;
pub(crate) mod outcome;
pub(crate) mod provenance;
pub(crate) mod sentences;
pub(crate) mod tables;
pub(crate) mod words;

use crate::bundle::model::Bundle;
pub use crate::bundle::verify::origins::{CoverageReading, OriginTable, Origins};
pub use crate::bundle::verify::outcome::{Check, CheckKind, Outcome, Tally, Verification};

impl Bundle {
    /// Checks everything in the bundle, with its sources and tables against the given origins.
    /// Origins depend on how a system reads the answers of tools, so a caller uses
    /// [`verify`](crate::run::verify) of the system, which finds them.
    pub fn verify_against(&self, origins: &Origins) -> Verification {
        let mut found = Verification::default();
        self.check_digest(&mut found);

        let evidence = self.evidence.to_evidence();
        crate::bundle::verify::evidence::check(self, origins, &mut found);
        crate::bundle::verify::sentences::check(self, &evidence, origins, &mut found);
        crate::bundle::verify::document::check(self, &evidence, origins, &mut found);
        crate::bundle::verify::provenance::check(self, &mut found);
        found
    }

    fn check_digest(&self, found: &mut Verification) {
        let problem = match self.computed_digest() {
            Ok(actual) if actual == self.digest => None,
            Ok(actual) => Some(format!(
                "stated {}, the content has {actual}: something was changed",
                self.digest
            )),
            Err(error) => Some(error.to_string()),
        };
        found.judge(
            CheckKind::Digest,
            "bundle",
            "SHA-256 over the whole",
            problem,
        );
    }
}
