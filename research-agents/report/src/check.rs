//! The checker: decides by the claims of a sentence and the evidence of a run whether the sentence
//! may be printed.
//!
//! Every claim of a sentence is recounted, looked up or searched. Then the text is compared with
//! the claims: every number must follow from one of them or occur in the context (the user's
//! question, the filters), every name must occur in what the sentence cites, a value must have its
//! own number, and superlatives, comparisons, directions and negations must agree with the counts.
//! Only a sentence that passes becomes a [`Verified`], and only a [`Verified`] can be printed with
//! citations.
//!
//! [`Checker::check`] takes drafts, and completes what a model leaves out. [`Checker::verify`]
//! takes finished sentences, and accepts only what the writer of a report would have written.

pub(crate) mod checker;
pub(crate) mod computed;
pub(crate) mod counts;
pub(crate) mod failure;
pub(crate) mod fields;
pub(crate) mod figure;
pub(crate) mod glued;
pub mod grounded;
pub(crate) mod identifier;
pub(crate) mod quote;
pub(crate) mod rigour;
pub(crate) mod words;

pub use checker::{Checker, MAX_CLAIMS, MAX_SOURCES, Verified, numbers_stand_in, written_numbers};
pub use failure::{Failure, Flaw};
