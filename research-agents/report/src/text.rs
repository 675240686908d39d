//! Text from outside and from the program: untrusted text, single lines, markup, words and their
//! ranking.

pub(crate) mod keys;
pub(crate) mod line;
pub(crate) mod locate;
pub(crate) mod markup;
pub mod mentions;
pub(crate) mod name_words;
pub(crate) mod rank;
pub(crate) mod segment;
pub(crate) mod similar;
pub(crate) mod stop_words;
pub(crate) mod untrusted;
pub(crate) mod words;

pub use line::Line;
pub use locate::{LOCATED, Located, locate};
pub use mentions::mentioned_words;
pub use name_words::{is_amount, name_words, word_list};
pub use rank::{content_stems, pick, scores, shared_words};
pub use segment::sentences;
pub use similar::{Shingles, SimilarIndex};
pub use stop_words::is_stop;
pub use untrusted::{CUT, Marker, Untrusted, render, visible};
pub use words::{Word, capitalised, fold, list, nearly, stems, words};
