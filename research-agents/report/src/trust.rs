//! Trust that is computed: typed answers, independence of sources, and the confidence of claims.
//!
//! A language model may propose an answer; whether two sources agree, and whether they are
//! independent of each other, is decided here by rules.

pub mod value;
