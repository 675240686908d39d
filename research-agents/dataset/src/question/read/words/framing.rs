//! The words that frame a question, such as *can you tell me*.

use std::collections::HashSet;

use crate::question::read::words::tokens::{folded_word, phrase_words};

/// Words that frame a question in one language.
#[derive(Debug, Default)]
pub(crate) struct Framing {
    /// Words that a request consists of.
    pub(crate) request: HashSet<String>,
    /// Words of a request that ask, such as *know*.
    pub(crate) asking: HashSet<String>,
    /// Words that may follow those that ask, such as *me*.
    pub(crate) particles: HashSet<String>,
    /// Verbs that make an order a request, such as *could*.
    pub(crate) polite: HashSet<String>,
    /// Of whom a sentence tells that asks nothing.
    pub(crate) teller: HashSet<String>,
    /// Words that open an indirect question of yes or no.
    pub(crate) whether: HashSet<String>,
    /// What opens a direct one.
    pub(crate) truth: String,
    /// The preposition of a year.
    pub(crate) within: String,
    /// Words that point back, in phrases.
    pub(crate) backward: Vec<String>,
}

impl Framing {
    /// Reads a line of a data file and returns whether it is one of framing words.
    pub(crate) fn read_line(&mut self, name: &str, phrases: &str) -> bool {
        let words = phrases.split(',').map(str::trim);

        let set = match name {
            "request" => &mut self.request,
            "asking" => &mut self.asking,
            "particles" => &mut self.particles,
            "polite" => &mut self.polite,
            "teller" => &mut self.teller,
            "whether" => &mut self.whether,
            "truth" | "within" => {
                let text = if name == "truth" {
                    &mut self.truth
                } else {
                    &mut self.within
                };
                phrases.trim().clone_into(text);
                return true;
            }
            "backward" => {
                self.backward.extend(words.map(phrase_words));
                return true;
            }
            _ => return false,
        };

        set.extend(words.map(folded_word));
        true
    }
}
