//! The tokens of a sentence.

use std::ops::Range;

use crate::check::grounded::lexicon::Lexicon;
use crate::language::Language;
use crate::text::words::fold;
use crate::trust::value::{Typed, Value, values};

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A word without content.
    Function,
    /// A word with content.
    Content,
    /// A word that names something, by its capital.
    Name,
    /// An option, a path, an identifier, an abbreviation.
    Code,
    /// A part of a number, a date or a version: its index among the values.
    Number(usize),
    /// A part of a value that is compared with it: a unit or a bound.
    Part,
    /// A mark.
    Mark(char),
}

/// A token.
#[derive(Clone, Debug)]
pub(crate) struct Token {
    pub(crate) at: Range<usize>,
    /// The folded word, or the code in lower case without brackets.
    pub(crate) lower: String,
    pub(crate) stem: String,
    pub(crate) kind: Kind,
    /// Whether it begins with a capital.
    pub(crate) is_capital: bool,
    /// The clause that it belongs to.
    pub(crate) clause: usize,
}

impl Token {
    /// Returns whether the token must be in the evidence.
    pub(crate) fn is_content(&self) -> bool {
        matches!(self.kind, Kind::Content | Kind::Name | Kind::Code)
    }

    /// Returns whether it is a word of any kind.
    pub(crate) fn is_word(&self) -> bool {
        !matches!(self.kind, Kind::Mark(_))
    }
}

/// Splits a sentence into tokens, and returns them with its values.
pub(crate) fn tokens(
    text: &str,
    language: Language,
    lexicon: &Lexicon,
) -> (Vec<Token>, Vec<Typed>) {
    let values: Vec<Typed> = values(text, language)
        .into_iter()
        .filter(|typed| !is_weak(text, typed))
        .collect();
    let mut found = Vec::new();

    for (start, chunk) in chunks(text) {
        push_chunk(start, chunk, language, lexicon, &mut found);
    }

    // Parts of values.
    for (index, value) in values.iter().enumerate() {
        for token in found.iter_mut().filter(|token: &&mut Token| {
            token.at.start < value.span.end && value.span.start < token.at.end
        }) {
            let is_core = token.at.start < value.core.end && value.core.start < token.at.end;
            token.kind = match token.kind {
                Kind::Mark(_) if !is_core => token.kind,
                _ if is_core => Kind::Number(index),
                _ => Kind::Part,
            };
        }
    }
    (found, values)
}

/// Returns whether a value is the word *one*, which is mostly not a number.
fn is_weak(text: &str, typed: &Typed) -> bool {
    const ONE: &str = "one ein eine einen einem einer eins un une uno una um uma may march";
    let word = fold(&text[typed.core.clone()]);
    matches!(&typed.value, Value::Number(_) | Value::Date(_))
        && ONE.split_whitespace().any(|one| one == word)
}

/// Returns the chunks of a string between white space, with their positions.
fn chunks(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.split_whitespace()
        .map(move |chunk| (chunk.as_ptr().addr() - text.as_ptr().addr(), chunk))
}

/// Marks at the beginning and at the end of a chunk.
fn is_mark(c: char) -> bool {
    ",;:!?()[]{}\"“”„«»‘’'`*…–—|<>".contains(c)
}

fn push_chunk(
    start: usize,
    chunk: &str,
    language: Language,
    lexicon: &Lexicon,
    found: &mut Vec<Token>,
) {
    let mut core = chunk;
    let mut at = start;
    while let Some(c) = core.chars().next().filter(|c| is_mark(*c)) {
        // `<file>` and `'s` are marks around words; `(s)` is not split further.
        found.push(mark(at, c));
        at += c.len_utf8();
        core = &core[c.len_utf8()..];
    }
    let mut marks = Vec::new();
    while let Some(c) = core.chars().next_back() {
        let is_call = core.ends_with("()");
        if !(is_mark(c) || c == '.') || is_call {
            break;
        }
        core = &core[..core.len() - c.len_utf8()];
        marks.push(mark(at + core.len(), c));
    }

    if !core.is_empty() {
        push_core(at, core, language, lexicon, found);
    }
    found.extend(marks.into_iter().rev());
}

fn mark(at: usize, c: char) -> Token {
    Token {
        at: at..at + c.len_utf8(),
        lower: c.to_string(),
        stem: String::new(),
        kind: Kind::Mark(c),
        is_capital: false,
        clause: 0,
    }
}

/// Adds the tokens of a chunk without the marks around it.
fn push_core(
    start: usize,
    core: &str,
    language: Language,
    lexicon: &Lexicon,
    found: &mut Vec<Token>,
) {
    let in_word = |c: char| c.is_alphabetic() || matches!(c, '\'' | '’');
    let joins = |c: char| matches!(c, '-' | '/' | '–' | '—' | '‐' | '‑');
    let plain = core.chars().all(|c| in_word(c) || joins(c))
        && core.starts_with(char::is_alphabetic)
        && core.ends_with(|c: char| in_word(c))
        && !core.contains("//");
    // `a`/`b`/`c` is a list.
    if core.contains("`/`") {
        let mut from = 0;
        for part in core.split('/') {
            let bare = part.trim_matches('`');
            let indent = part.len() - part.trim_start_matches('`').len();
            if !bare.is_empty() {
                push_core(start + from + indent, bare, language, lexicon, found);
            }
            from += part.len() + 1;
        }
        return;
    }
    if !plain {
        let kind = if core.chars().any(char::is_alphanumeric) {
            Kind::Code
        } else {
            Kind::Mark(core.chars().next().unwrap_or('-'))
        };
        let lower = code_form(core);
        found.push(Token {
            at: start..start + core.len(),
            stem: lower.clone(),
            lower,
            kind,
            is_capital: core.starts_with(char::is_uppercase),
            clause: 0,
        });
        return;
    }

    let mut from = 0;
    for part in core.split(joins) {
        let at = start + from;
        from += part.len()
            + core[from + part.len()..]
                .chars()
                .next()
                .map_or(0, char::len_utf8);
        if !part.is_empty() {
            push_word(at, part, language, lexicon, found);
        }
    }
}

/// Returns a code without brackets and in lower case.
fn code_form(core: &str) -> String {
    let bare = core.trim_end_matches("()").trim_matches(['`', '"']);
    bare.replace(['’', '‘'], "'").to_lowercase()
}

fn push_word(at: usize, word: &str, language: Language, lexicon: &Lexicon, found: &mut Vec<Token>) {
    let lower = fold(word);
    let is_english = language == Language::ENGLISH;

    // *don't* is *do* and *not*; *can't* and *cannot* too.
    if is_english && (lower.ends_with("n't") || lower == "cannot") {
        let stem_length = if lower == "cannot" {
            3
        } else {
            word.len() - "n't".len().min(word.len())
        };
        let cut = word
            .char_indices()
            .map(|(at, _)| at)
            .find(|at| *at >= stem_length)
            .unwrap_or(word.len());
        let verb = match lower.as_str() {
            "can't" => "can",
            "won't" => "will",
            "shan't" => "shall",
            "cannot" => "can",
            other => other.trim_end_matches("n't"),
        };
        found.push(word_token(
            at..at + cut,
            verb,
            Kind::Function,
            lexicon,
            word,
        ));
        found.push(word_token(
            at + cut..at + word.len(),
            "not",
            Kind::Function,
            lexicon,
            "",
        ));
        return;
    }

    let bare = ["'s", "'re", "'ve", "'ll", "'d", "'m", "'"]
        .iter()
        .find_map(|ending| lower.strip_suffix(ending))
        .filter(|_| is_english)
        .unwrap_or(&lower)
        .to_owned();
    let letters = word.trim_end_matches(['s', '\'', '’']);
    let capitals = letters.chars().filter(|c| c.is_uppercase()).count();
    let first = word.starts_with(char::is_uppercase);
    let is_first = found.iter().all(|token| !token.is_word())
        || matches!(
            found.last().map(|token| token.kind),
            Some(Kind::Mark(':' | '.' | '?' | '!' | '“' | '"'))
        );
    let kind = if capitals > 1 {
        Kind::Code
    } else if is_english && lexicon.is_function(&bare) {
        Kind::Function
    } else if first && !is_first && is_english {
        Kind::Name
    } else {
        Kind::Content
    };
    let kind = if bare.is_empty() {
        Kind::Function
    } else {
        kind
    };
    found.push(word_token(at..at + word.len(), &bare, kind, lexicon, word));
}

fn word_token(
    at: Range<usize>,
    lower: &str,
    kind: Kind,
    lexicon: &Lexicon,
    written: &str,
) -> Token {
    Token {
        at,
        lower: lower.to_owned(),
        stem: lexicon.stem(lower),
        kind,
        is_capital: written.starts_with(char::is_uppercase),
        clause: 0,
    }
}
