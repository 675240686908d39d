//! The words of a question with what surrounds them.

use research_agents_report::text::{Word, fold, words};
use rust_stemmers::{Algorithm, Stemmer};

/// Short words that are written before an apostrophe in French, Italian, Portuguese and Catalan.
const ELIDED: &str = " l d qu n s c j m t dell nell all dall sull un quell quest com dov cos jusqu \
    lorsqu puisqu quelqu presqu degl agl dagl negl sant bell po ";

/// A word of a question.
#[derive(Clone, Debug)]
pub(crate) struct Token<'q> {
    pub(crate) text: &'q str,
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// Folded: in lower case, without diacritics.
    pub(crate) lower: String,
    /// The stem in English.
    pub(crate) stem: String,
    /// The stem in the language of the question.
    pub(crate) own_stem: String,
    /// The text between the word before and this one.
    pub(crate) gap: &'q str,
    /// The number of the quotation that it is in.
    pub(crate) quoted: Option<usize>,
    /// Whether it opens a sentence.
    pub(crate) opens: bool,
}

impl Token<'_> {
    /// Returns whether it begins with a digit.
    pub(crate) fn is_number(&self) -> bool {
        self.text.starts_with(|c: char| c.is_ascii_digit())
    }

    /// Returns whether it is a time of day, such as `12:20`.
    pub(crate) fn is_clock(&self) -> bool {
        self.text
            .split_once(':')
            .is_some_and(|(hour, minute)| is_hour(hour) && is_minute(minute))
    }

    /// Returns whether it begins with a capital.
    pub(crate) fn is_capital(&self) -> bool {
        self.text.starts_with(char::is_uppercase)
    }

    /// Returns whether it looks like a code: letters with digits, or capitals only.
    pub(crate) fn is_code(&self) -> bool {
        let letters = self.text.chars().filter(|c| c.is_alphabetic()).count();
        let digits = self.text.chars().filter(char::is_ascii_digit).count();
        let capitals = self.text.chars().filter(|c| c.is_uppercase()).count();
        (letters > 0 && digits > 0) || (letters >= 2 && capitals == letters)
    }

    /// Splits it into two words at a byte of the text, which has as many bytes as its folded form.
    pub(crate) fn split(&self, cut: usize) -> (Self, Self) {
        let stem = |word: &str| {
            let found = words(word).pop();
            found.map_or_else(|| word.to_owned(), |word| word.stem)
        };
        let (lower, rest) = self.lower.split_at(cut);
        let head = Self {
            text: &self.text[..cut],
            end: self.start + cut,
            lower: lower.to_owned(),
            stem: stem(lower),
            own_stem: String::new(),
            ..self.clone()
        };

        let tail = Self {
            text: &self.text[cut..],
            start: self.start + cut,
            lower: rest.to_owned(),
            stem: stem(rest),
            own_stem: String::new(),
            gap: "",
            opens: false,
            ..self.clone()
        };
        (head, tail)
    }

    /// Returns whether a clause ends before it.
    pub(crate) fn breaks(&self) -> bool {
        self.gap != "."
            && self
                .gap
                .contains(['.', ',', ';', ':', '?', '!', '(', ')', '¿', '¡'])
    }
}

/// Returns a string in lower case, without diacritics and with `ss` for `ß`.
pub(crate) fn folded(text: &str) -> String {
    fold(text).replace('ß', "ss")
}

/// Returns a word folded, but for those that only a diacritic tells from others: `è` from `e`.
pub(crate) fn folded_word(word: &str) -> String {
    let lower = word.to_lowercase();
    if matches!(lower.as_str(), "è" | "é" | "où" | "à") {
        lower
    } else {
        folded(word)
    }
}

/// Splits folded text into words as the reader does.
pub(crate) fn phrase_words(text: &str) -> String {
    let words = text.split([' ', '-']).filter(|word| !word.is_empty());
    words.map(folded_word).collect::<Vec<_>>().join(" ")
}

/// Returns a stemmer of a language.
pub(crate) fn stemmer(language: &str) -> Stemmer {
    Stemmer::create(match language {
        "de" => Algorithm::German,
        "fr" => Algorithm::French,
        "es" => Algorithm::Spanish,
        "it" => Algorithm::Italian,
        "pt" => Algorithm::Portuguese,
        _ => Algorithm::English,
    })
}

/// Splits a question into its words.
pub(crate) fn tokens(question: &str) -> Vec<Token<'_>> {
    let mut found: Vec<Token<'_>> = Vec::new();
    for word in words(question) {
        if let Some(sign) = percent_before(question, &found, word.start) {
            push(&mut found, question, sign, &question[sign..=sign]);
            if let Some(last) = found.last_mut() {
                "percent".clone_into(&mut last.lower);
                "percent".clone_into(&mut last.stem);
            }
        }
        // `LeBron` is one word, whatever its capitals, and so is the time `12:20`.
        let is_joined = found.last().is_some_and(|last| {
            let letters = |text: &str| text.chars().all(char::is_alphabetic);
            let is_time = is_hour(last.text)
                && is_minute(word.text)
                && question.get(last.end..word.start) == Some(":");
            is_time || last.end == word.start && letters(last.text) && letters(word.text)
        });
        if is_joined && let Some(last) = found.pop() {
            push(
                &mut found,
                question,
                last.start,
                &question[last.start..word.end],
            );
            continue;
        }

        match elision(&word) {
            Some(cut) => {
                let (first, second) = (&question[word.start..cut], &question[cut..word.end]);
                push(&mut found, question, word.start, first);
                let skipped = second.len() - second.trim_start_matches(['\'', '’']).len();
                push(&mut found, question, cut + skipped, &second[skipped..]);
            }
            None => push(&mut found, question, word.start, word.text),
        }
    }
    mark_quotations(&mut found, question);
    join_abbreviations(&mut found);
    found
}

/// Takes the full stop of an abbreviation before a name for no end of a clause: *St. Francis*.
fn join_abbreviations(tokens: &mut [Token<'_>]) {
    const ABBREVIATIONS: [&str; 9] = ["st", "ste", "mt", "ft", "dr", "mr", "mrs", "ms", "jr"];
    for at in 1..tokens.len() {
        let [before, token] = &mut tokens[at - 1..=at] else {
            continue;
        };
        let is_short = ABBREVIATIONS.contains(&before.lower.as_str()) && before.is_capital();
        if is_short && token.gap == ". " && token.is_capital() {
            token.gap = " ";
        }
    }
}

/// Returns whether a word may be the hour of a time, with one or two digits.
fn is_hour(text: &str) -> bool {
    (1..=2).contains(&text.len()) && text.parse::<u8>().is_ok_and(|hour| hour < 24)
}

/// Returns whether a word may be the minutes of a time, or its minutes and seconds.
fn is_minute(text: &str) -> bool {
    text.len() == 2 && text.parse::<u8>().is_ok_and(|minute| minute < 60)
}

/// Returns where a percent sign that follows no number is before a word: `what % of`.
fn percent_before(question: &str, found: &[Token<'_>], start: usize) -> Option<usize> {
    let last = found.last();
    let from = last.map_or(0, |token| token.end);
    let gap = question.get(from..start)?;
    let follows_number = last.is_some_and(Token::is_number);
    gap.find('%')
        .filter(|_| !follows_number)
        .map(|at| from + at)
}

/// Returns where the word after an elided one begins: `l'âge`.
fn elision(word: &Word<'_>) -> Option<usize> {
    let at = word.text.find(['\'', '’'])?;
    let before = fold(&word.text[..at]);
    let is_elided = ELIDED.contains(&format!(" {before} "));
    let rest = word.text[at..].trim_start_matches(['\'', '’']);
    (is_elided && !rest.is_empty()).then_some(word.start + at)
}

fn push<'q>(found: &mut Vec<Token<'q>>, question: &'q str, start: usize, text: &'q str) {
    let before = found.last().map_or(0, |token| token.end);
    let mut lower = folded_word(text);
    let mut end = start + text.len();
    let mut text = text;
    if let Some(owner) = lower.strip_suffix("'s").filter(|owner| owner.len() > 2)
        && !matches!(
            owner,
            "what" | "who" | "where" | "there" | "let" | "how" | "it" | "that"
        )
    {
        lower = owner.to_owned();
        text = text
            .trim_end_matches(['s', 'S'])
            .trim_end_matches(['\'', '’']);
        end = start + text.len();
    }

    let gap = question.get(before..start).unwrap_or_default();
    // `H. Kane` is one name.
    let is_capital = text.starts_with(char::is_uppercase);
    let follows_initial = gap == ". "
        && is_capital
        && found.last().is_some_and(|last| {
            last.text.chars().count() == 1 && last.text.starts_with(char::is_uppercase)
        });
    let gap = if follows_initial { " " } else { gap };
    let stem = match lower.contains(':') {
        true => lower.replace(':', ""),
        false => words(&lower)
            .first()
            .map_or_else(|| lower.clone(), |word| word.stem.clone()),
    };
    found.push(Token {
        text,
        start,
        end,
        own_stem: String::new(),
        stem,
        lower,
        gap,
        quoted: None,
        opens: found.is_empty() || gap.contains(['.', '?', '!', '¿', '¡', ':']),
    });
}

/// Marks the words between quotation marks.
fn mark_quotations(tokens: &mut [Token<'_>], question: &str) {
    const PAIRS: [(char, &[char]); 6] = [
        ('"', &['"']),
        ('“', &['”', '“']),
        ('„', &['“', '”']),
        ('«', &['»']),
        ('‘', &['’']),
        ('\'', &['\'']),
    ];
    let mut number = 0;
    let mut from = 0;

    while let Some((open, mark)) = question[from..].char_indices().find_map(|(at, c)| {
        let before = question[..from + at].chars().next_back();
        let is_mark = PAIRS.iter().any(|(open, _)| *open == c);
        let may_open = before.is_none_or(|c| !c.is_alphanumeric());
        (is_mark && may_open).then_some((from + at, c))
    }) {
        let start = open + mark.len_utf8();
        let closing = PAIRS
            .iter()
            .find(|(open, _)| *open == mark)
            .map_or(&[][..], |pair| pair.1);
        let close = question[start..].char_indices().find_map(|(at, c)| {
            let after = question[start + at + c.len_utf8()..].chars().next();
            let ends = after.is_none_or(|c| !c.is_alphanumeric());
            (closing.contains(&c) && ends).then_some(start + at)
        });
        let Some(end) = close else {
            from = start;
            continue;
        };
        for token in tokens
            .iter_mut()
            .filter(|t| t.start >= start && t.end <= end)
        {
            token.quoted = Some(number);
        }
        number += 1;
        from = end + question[end..].chars().next().map_or(1, char::len_utf8);
    }
}
