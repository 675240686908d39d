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
    /// Those of them that a name takes the place of, such as *there*.
    pub(crate) place: HashSet<String>,
    /// Pronouns that a name takes the place of, such as *that*, unless they open a clause.
    pub(crate) pronoun: HashSet<String>,
    /// Words that point back to a time, such as *back then*.
    pub(crate) then: HashSet<String>,
    /// Who speaks, such as *we*.
    pub(crate) speaker: HashSet<String>,
    /// Words other than *and* that connect a sentence with a question, such as *so*.
    pub(crate) connective: HashSet<String>,
    /// What is to be shown without saying more of it, such as *both* and *numbers*.
    pub(crate) shown: HashSet<String>,
    /// Prepositions before whom a request is to help, as in *find out for me*.
    pub(crate) favour: HashSet<String>,
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
            "speaker" => &mut self.speaker,
            "connective" => &mut self.connective,
            "shown" => &mut self.shown,
            "favour" => &mut self.favour,
            "place" | "pronoun" | "then" => {
                let phrases = words.map(phrase_words);
                match name {
                    "place" => self.place.extend(phrases),
                    "pronoun" => self.pronoun.extend(phrases),
                    _ => self.then.extend(phrases),
                }
                return true;
            }
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
