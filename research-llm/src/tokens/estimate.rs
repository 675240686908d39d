//! The estimate: cheap, without a vocabulary, and high.

/// Costs are counted in twentieths of a token.
const TOKEN: u64 = 20;

/// About how many tokens a text has at most.
///
/// The text is read once and split as the tokenizers of language models split it: a space goes with the word after it,
/// and words, digits, punctuation and line ends are counted apart. A word of up to 3 letters is one token and every
/// further letter half of one; every digit is one, as some tokenizers have no longer numbers; a word that changes between
/// capitals, small letters and digits all the time (base 64, hashes) is counted nearly by letter; other scripts by letter,
/// at a rate for each script, and characters without a rate by their bytes in UTF-8, which is what a tokenizer of bytes
/// needs at most.
///
/// The rates were set so that prose, code, JSON and encoded bytes are never below the count of OpenAI's `cl100k_base` and
/// `o200k_base` (a test of the feature `tokenizer` keeps that true), and prose at most 2.5 times above the larger of the
/// two. Texts made to need many tokens, and tokenizers of much smaller vocabularies, can be above the estimate.
///
/// ```
/// use research_llm::tokens::estimate;
///
/// // 10 tokens for `o200k_base`.
/// let tokens = estimate("The quick brown fox jumps over the lazy dog.");
/// assert!((10..=20).contains(&tokens));
/// ```
#[must_use]
pub fn estimate(text: &str) -> u64 {
    let mut count = Count::default();
    for c in text.chars() {
        count.add(c);
    }
    count.finish().div_ceil(TOKEN)
}

/// What a character is to the count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    Lower,
    Upper,
    Digit,
    /// A Latin letter with accents, with what it costs besides.
    Accented(u64),
    Space,
    Line,
    Punctuation,
    /// A letter of a script that has a rate; `bool` says whether a space before it is free.
    Script(u64, bool),
    Other(u64),
}

fn class(c: char) -> Class {
    match c {
        'a'..='z' => Class::Lower,
        'A'..='Z' => Class::Upper,
        '0'..='9' => Class::Digit,
        ' ' | '\t' => Class::Space,
        '\n' | '\r' => Class::Line,
        '!'..='~' => Class::Punctuation,
        // Latin; those of Vietnamese have their own block.
        '\u{c0}'..='\u{ff}' => Class::Accented(14),
        '\u{100}'..='\u{24f}' => Class::Accented(22),
        '\u{1e00}'..='\u{1eff}' => Class::Accented(34),
        // Greek, Cyrillic, Hebrew, Arabic.
        '\u{370}'..='\u{3ff}' => Class::Script(24, true),
        '\u{400}'..='\u{4ff}' => Class::Script(15, true),
        '\u{590}'..='\u{5ff}' => Class::Script(26, true),
        '\u{600}'..='\u{6ff}' => Class::Script(20, true),
        // Devanagari, Thai.
        '\u{900}'..='\u{97f}' => Class::Script(28, true),
        '\u{e00}'..='\u{e7f}' => Class::Script(26, false),
        // Kana, Han, Hangul.
        '\u{3040}'..='\u{30ff}' => Class::Script(24, false),
        '\u{4e00}'..='\u{9fff}' => Class::Script(34, false),
        '\u{ac00}'..='\u{d7a3}' => Class::Script(36, true),
        // Quotation marks and dashes; punctuation of full width.
        '\u{2010}'..='\u{2027}' => Class::Other(TOKEN),
        '\u{3000}'..='\u{303f}' | '\u{ff01}'..='\u{ff5e}' => Class::Other(TOKEN * 3 / 2),
        other => Class::Other(other.len_utf8() as u64 * TOKEN),
    }
}

#[derive(Default)]
struct Count {
    cost: u64,
    before: Option<Class>,
    word: Word,
    spaces: u64,
    /// Length of the run of punctuation or of line ends.
    run: u64,
}

/// A run of Latin letters and digits.
#[derive(Default)]
struct Word {
    length: u64,
    /// Changes between small letters, capitals and digits.
    changes: u64,
    /// Length of the part without a change.
    part: u64,
    cost: u64,
}

impl Word {
    /// What the whole run costs.
    fn finish(self) -> u64 {
        let is_code = self.length >= 8 && self.changes * 4 >= self.length;
        if is_code { self.cost.max(self.length * TOKEN * 9 / 10) } else { self.cost }
    }
}

impl Count {
    fn add(&mut self, c: char) {
        let class = class(c);
        let before = self.before.replace(class);
        if !matches!(class, Class::Lower | Class::Upper | Class::Digit | Class::Accented(_)) && self.word.length > 0 {
            self.cost += std::mem::take(&mut self.word).finish();
        }
        if class == Class::Space {
            self.spaces += 1;
            return;
        }
        let follows = before == Some(class);
        self.end_spaces(class);
        match class {
            Class::Lower | Class::Upper | Class::Digit | Class::Accented(_) => self.letter(class, before),
            Class::Punctuation | Class::Line => {
                self.run = if follows { self.run + 1 } else { 0 };
                self.cost += match (self.run, class) {
                    (0, _) => TOKEN,
                    (_, Class::Line) => TOKEN / 4,
                    _ => TOKEN * 3 / 4,
                };
            }
            Class::Script(cost, _) | Class::Other(cost) => self.cost += cost,
            Class::Space => {}
        }
    }

    fn letter(&mut self, class: Class, before: Option<Class>) {
        let word = &mut self.word;
        let is_small = |class| matches!(class, Some(Class::Lower | Class::Accented(_)));
        let is_same = match class {
            Class::Digit => before == Some(Class::Digit),
            Class::Upper => before == Some(Class::Upper),
            // A capital at the beginning belongs to the small letters after it.
            _ => is_small(before) || (before == Some(Class::Upper) && word.part == 1),
        };
        if word.length > 0 && !is_same {
            word.changes += 1;
        }
        word.part = if is_same && word.length > 0 { word.part + 1 } else { 1 };
        word.length += 1;
        word.cost += match (class, word.part) {
            (Class::Digit, _) | (_, 1) => TOKEN,
            (Class::Upper, 2) => TOKEN / 4,
            (Class::Upper, _) => TOKEN * 3 / 4,
            (_, 2 | 3) => 2,
            _ => TOKEN / 2,
        };
        if let Class::Accented(more) = class {
            word.cost += more;
        }
    }

    /// Counts the spaces before something: a single one goes with a word or with punctuation.
    fn end_spaces(&mut self, next: Class) {
        let spaces = std::mem::take(&mut self.spaces);
        let joins = matches!(
            next,
            Class::Lower | Class::Upper | Class::Accented(_) | Class::Punctuation | Class::Script(_, true)
        );
        self.cost += match spaces {
            0 => 0,
            1 if joins => 0,
            more => TOKEN + more * TOKEN / 16,
        };
    }

    fn finish(mut self) -> u64 {
        self.end_spaces(Class::Line);
        self.cost + self.word.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_costs_nothing_and_every_text_something() {
        assert_eq!(estimate(""), 0);
        for text in [" ", "a", "\n", "7", "é", "字", "🙂"] {
            assert!(estimate(text) >= 1, "{text:?}");
        }
    }
}
