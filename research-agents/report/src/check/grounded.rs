//! The grounded checker: decides by rules whether a sentence follows from the passages that it
//! cites.
//!
//! A sentence holds if one sentence of a passage carries it: all its numbers with their units, its
//! dates, codes and names are there, its words are there by stem or as a synonym, what is denied is
//! denied in both, no word is replaced by its opposite, nothing is exchanged, no cause is added and
//! no condition is left out. If words are missing, it is unsure, and they are named. A sentence
//! with several parts may be carried by several sentences, each part by one, if it is said of the
//! same subject.
//!
//! The rules are data: `rules/en`. Relations of words are from WordNet 3.0. What is true of the
//! world is not known here: a word that has another meaning in the passage, an irony, or a
//! statement that a whole passage makes and no sentence of it, are beyond the rules.

pub(crate) mod lexicon;
pub(crate) mod token;
pub(crate) mod parse;
pub(crate) mod align;
pub(crate) mod mismatch;
pub(crate) mod verdict;
pub(crate) mod rules;
pub(crate) mod judge;
pub(crate) mod segments;
pub(crate) mod other_languages;
pub(crate) mod ground;
pub(crate) mod says;

pub use ground::ground;
pub use lexicon::{have_one_meaning, is_general_verb, is_general_word};
pub use mismatch::Mismatch;
pub use says::{Says, Stated, check_says, verify_says};
pub use verdict::{Cited, Grounded, Grounding, Rules, Strictness};
