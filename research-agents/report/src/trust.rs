//! Trust that is computed: typed answers, independence of sources, and the confidence of claims.
//!
//! A language model may propose an answer; whether two sources agree, and whether they are
//! independent of each other, is decided here by rules.
//!
//! ```
//! use research_agents_report::trust::{Mark, Support, Thresholds, confidence, mark};
//!
//! let support = |site: &str, text: &str| Support::new(site, text, text);
//! let one = support("example.org", "The bridge is 120 m long and was opened in 1932.");
//! let copy = support("mirror.net", "The bridge is 120 m long and was opened in 1932.");
//! let other = support("example.com", "With a length of 120 m, it crosses the river Dee.");
//!
//! let thresholds = Thresholds::default();
//! assert_eq!(mark(&[one.clone()], thresholds), Mark::Single);
//! assert_eq!(mark(&[one.clone(), copy], thresholds), Mark::Single);
//! assert_eq!(mark(&[one.clone(), other.clone()], thresholds), Mark::CrossValidated);
//! assert_eq!(confidence(&[one, other]), 0.75);
//! ```

pub mod value;
pub(crate) mod independence;
pub(crate) mod confidence;

pub use confidence::{Mark, Thresholds, confidence, hallucination_score, mark};
pub use independence::{Dependence, Support, dependence, groups};
