//! Splits a sentence into tokens: words, numbers with their units, dates and marks.

use crate::conflict::lexicon::{Words, number_word};
use crate::conflict::quantity::{Amount, Unit};

/// A token of a sentence.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Token {
    /// A word in lower case.
    Word { text: String, is_capital: bool },
    /// A code such as `B-17`, a serial number, or the number after a number sign.
    Code(String),
    /// A number. Without a unit it may count what follows, or identify one of several things.
    Number {
        digits: String,
        amount: Amount,
        unit: Option<Unit>,
    },
    /// A day or a time of day.
    Moment(String),
    /// A possessive ending: what follows belongs to the words before.
    Possessive,
    /// A mark between clauses.
    Mark,
    /// A quotation mark or a question mark: the sentence is not a statement of the writer.
    Doubt,
}

impl Token {
    /// Returns the word in lower case. `None` for all other tokens.
    pub(crate) fn word(&self) -> Option<&str> {
        match self {
            Self::Word { text, .. } => Some(text),
            _ => None,
        }
    }
}

/// Returns the tokens of a sentence in order.
pub(crate) fn scan(sentence: &str) -> Vec<Token> {
    let mut scanner = Scanner {
        rest: sentence,
        last: None,
        found: Vec::new(),
    };
    while scanner.step() {}
    scanner.found
}

/// The state of scanning a sentence.
struct Scanner<'t> {
    /// The part that is not scanned yet.
    rest: &'t str,
    /// The character before the rest.
    last: Option<char>,
    found: Vec<Token>,
}

impl<'t> Scanner<'t> {
    /// Scans the next token. Returns `false` at the end of the sentence.
    fn step(&mut self) -> bool {
        let Some(first) = self.rest.chars().next() else {
            return false;
        };
        let second = self.rest[first.len_utf8()..].chars().next();
        let is_start = self
            .last
            .is_none_or(|last| last.is_whitespace() || last == '(');
        let ends = |text: &str| !text.starts_with(char::is_alphanumeric);

        // `pump 31's`
        if let Some(after) = self
            .rest
            .strip_prefix("'s")
            .or_else(|| self.rest.strip_prefix("’s"))
            && !is_start
            && ends(after)
        {
            self.take(self.rest.len() - after.len());
            self.found.push(Token::Possessive);
            return true;
        }

        let is_digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());

        match first {
            '#' | '№' if is_digit(second) => {
                self.take(first.len_utf8());
                let digits = self.take(self.run(char::is_alphanumeric));
                self.found.push(Token::Code(digits.to_lowercase()));
            }
            '$' | '€' | '£' if is_digit(second) => {
                self.take(first.len_utf8());
                self.number(Unit::from_spelling(&first.to_string()));
            }
            digit if digit.is_ascii_digit() => self.number(None),
            '-' | '−' if is_start && is_digit(second) => self.number(None),
            letter if letter.is_alphanumeric() => self.word(),
            '"' | '“' | '”' | '„' | '«' | '»' | '?' => self.mark(first, Token::Doubt),
            ',' | ';' | ':' | '(' | ')' | '–' | '—' => self.mark(first, Token::Mark),
            '-' if is_start && second.is_none_or(char::is_whitespace) => {
                self.mark(first, Token::Mark)
            }
            other => {
                self.take(other.len_utf8());
            }
        }

        true
    }

    /// Takes a mark.
    fn mark(&mut self, mark: char, token: Token) {
        self.take(mark.len_utf8());
        self.found.push(token);
    }

    /// Takes this many bytes.
    fn take(&mut self, bytes: usize) -> &'t str {
        let (taken, rest) = self.rest.split_at(bytes);
        self.last = taken.chars().next_back().or(self.last);
        self.rest = rest;
        taken
    }

    /// Returns the number of bytes up to the first character for which `is` does not hold.
    fn run(&self, is: impl Fn(char) -> bool) -> usize {
        self.rest.find(|c| !is(c)).unwrap_or(self.rest.len())
    }

    /// Scans a number with its unit, a code that begins with digits, or a date.
    fn number(&mut self, money: Option<Unit>) {
        if let Some(length) = moment(self.rest) {
            let moment = self.take(length).to_owned();
            self.found.push(Token::Moment(moment));
            return;
        }

        let sign = usize::from(self.rest.starts_with('-'));
        let sign = if self.rest.starts_with('−') {
            '−'.len_utf8()
        } else {
            sign
        };
        let is_negative = sign > 0;
        self.take(sign);
        let mut digits = self.take(digits(self.rest)).to_owned();
        if is_negative {
            digits.insert(0, '-');
        }

        let to = self.range_end();
        let Some(amount) = Amount::read(&digits, to.as_deref()) else {
            return;
        };

        if money.is_some() {
            self.found.push(Token::Number {
                digits,
                amount,
                unit: money,
            });
            return;
        }

        let gap = self.run(|c| matches!(c, ' ' | '\u{a0}' | '\u{202f}' | '-'));
        let spelling = unit_spelling(&self.rest[gap..]);
        let unit = Unit::from_spelling(spelling);
        if unit.is_some() {
            self.take(gap + spelling.len());
            self.found.push(Token::Number {
                digits,
                amount,
                unit,
            });
            return;
        }

        // `1st`, `737-300` and `3B` are codes.
        let is_code = |c: char| c.is_alphanumeric() || matches!(c, '-' | '/');
        let rest = self.run(is_code);
        if rest > 0 && to.is_none() {
            let code = format!("{digits}{}", self.take(rest));
            self.found.push(Token::Code(code.to_lowercase()));
        } else {
            self.found.push(Token::Number {
                digits,
                amount,
                unit: None,
            });
        }
    }

    /// Takes the second number of a range such as `2-3 m`, with the dash before it.
    fn range_end(&mut self) -> Option<String> {
        let rest = self.rest.trim_start_matches([' ', '\u{a0}']);
        let after = rest.strip_prefix(['-', '–'])?;

        // `2 - 3 m` and `2-3 m` are ranges, `2 -3 °C` are two numbers.
        let is_even = after.starts_with(' ') == (rest.len() < self.rest.len());
        let after = Some(after)
            .filter(|_| is_even)?
            .trim_start_matches([' ', '\u{a0}']);
        let length = digits(after);
        let ends = after[length..]
            .chars()
            .next()
            .is_none_or(|c| !matches!(c, '-' | '/'));

        if length == 0 || !ends {
            return None;
        }

        // A unit follows a range. A code such as `737-300` has none.
        let unit = unit_spelling(after[length..].trim_start());
        Unit::from_spelling(unit)?;
        let end = after[..length].to_owned();
        self.take(self.rest.len() - after.len() + length);
        Some(end)
    }

    /// Scans a word, and splits contractions and possessives.
    fn word(&mut self) {
        let length = self.run(|c| c.is_alphanumeric() || matches!(c, '-' | '\'' | '’' | '_'));
        let written = self.take(length);
        let is_capital =
            written.starts_with(char::is_uppercase) && written.chars().any(char::is_lowercase);
        let lower = written.to_lowercase().replace('’', "'");
        let lower = lower.trim_end_matches(['-', '_']);

        if lower.chars().any(|c| c.is_ascii_digit()) {
            self.found.push(Token::Code(lower.to_owned()));
            return;
        }

        let mut add = |text: &str| {
            self.found.push(Token::Word {
                text: text.to_owned(),
                is_capital,
            })
        };

        match lower {
            "cannot" | "can't" => ["can", "not"].iter().for_each(|part| add(part)),
            "won't" => ["will", "not"].iter().for_each(|part| add(part)),
            _ => {
                if let Some(verb) = lower.strip_suffix("n't") {
                    [verb, "not"].iter().for_each(|part| add(part));
                } else if let Some(owner) = lower
                    .strip_suffix("'s")
                    .or_else(|| lower.strip_suffix("s'").map(|_| lower))
                {
                    add(owner.trim_end_matches('\''));
                    self.found.push(Token::Possessive);
                } else {
                    // `l'arbre`, `n'a`: two words.
                    lower
                        .split('\'')
                        .filter(|part| !part.is_empty())
                        .for_each(add);
                }
            }
        }
    }
}

/// Returns the length of the number at the start of a string. Decimal and group signs belong to it
/// if digits follow.
fn digits(text: &str) -> usize {
    let characters: Vec<(usize, char)> = text.char_indices().collect();
    let mut end = 0;
    for (at, (place, character)) in characters.iter().enumerate() {
        let next_is_digit = characters
            .get(at + 1)
            .is_some_and(|(_, next)| next.is_ascii_digit());
        let is_inner = matches!(character, '.' | ',' | '\'' | '’' | '\u{a0}' | '\u{202f}')
            && end > 0
            && next_is_digit;
        if !(character.is_ascii_digit() || is_inner) {
            break;
        }
        end = place + character.len_utf8();
    }
    end
}

/// Returns the beginning of a string that may be a unit: everything up to white space or a mark.
fn unit_spelling(text: &str) -> &str {
    let end = text.find(|c: char| {
        !(c.is_alphanumeric() || matches!(c, '/' | '%' | '°' | '.' | '$' | '€' | '£'))
    });
    let spelling = &text[..end.unwrap_or(text.len())];
    // `r/min` begins with a letter, `1/min` does not.
    spelling.trim_end_matches('.')
}

/// Returns the length of the day or time of day at the start of a string: `2024-05-03`, `3.5.2024`,
/// `5/3/24`, `14:30`.
fn moment(text: &str) -> Option<usize> {
    let end = text
        .find(|c: char| !(c.is_ascii_digit() || matches!(c, '-' | '.' | '/' | ':')))
        .unwrap_or(text.len());
    let written = text[..end].trim_end_matches(['.', ':', '-', '/']);
    let parts: Vec<&str> = written.split(['-', '.', '/', ':']).collect();
    let marks: Vec<char> = written.chars().filter(|c| !c.is_ascii_digit()).collect();

    let is_short = |part: &&str| (1..=2).contains(&part.len());
    let is_moment = match (parts.as_slice(), marks.as_slice()) {
        ([year, rest @ ..], [first, ..]) if year.len() == 4 && *first == '-' => {
            rest.iter().all(|part| part.len() == 2) && rest.len() <= 2
        }
        ([a, b, year], [first, second]) => {
            first == second
                && is_short(a)
                && is_short(b)
                && (is_short(year) || year.len() == 4)
                && *first != '-'
        }
        ([hours, minutes], [':']) => is_short(hours) && minutes.len() == 2,
        _ => false,
    };
    let continues = text[written.len()..].starts_with(char::is_alphabetic);

    (is_moment && !continues).then_some(written.len())
}

/// Joins quantities and numbers of several words: `two metres`, `2 to 3 m`, `between 2 and 3 m`,
/// `No. 5`.
pub(crate) fn joined(tokens: Vec<Token>) -> Vec<Token> {
    let mut out: Vec<Token> = Vec::new();

    for token in tokens {
        let token = match token {
            Token::Number {
                digits,
                amount,
                unit,
            } => join_number(&mut out, digits, amount, unit),
            Token::Word { text, is_capital } => {
                match Unit::from_spelling(&text).filter(|_| text.len() > 2) {
                    Some(unit) => match out.last().and_then(Token::word).and_then(number_word) {
                        Some(number) => {
                            out.pop();
                            Token::Number {
                                digits: number.to_string(),
                                amount: Amount::from_word(number),
                                unit: Some(unit),
                            }
                        }
                        None => Token::Word { text, is_capital },
                    },
                    None => Token::Word { text, is_capital },
                }
            }
            other => other,
        };
        out.push(token);
    }

    out
}

/// Joins a number with the tokens before it: a range, or a number with *No.* before it.
fn join_number(out: &mut Vec<Token>, digits: String, amount: Amount, unit: Option<Unit>) -> Token {
    if let [
        ..,
        Token::Number {
            digits: first,
            unit: known,
            ..
        },
        joint,
    ] = out.as_slice()
    {
        // `2 to 3 m`
        let joint = joint.word().unwrap_or_default();
        let is_range = ["to", "and", "bis", "und", "à", "et", "a", "y", "e"].contains(&joint);
        let same_unit = known.is_none()
            || known.as_ref().map(|unit| &unit.kind) == unit.as_ref().map(|unit| &unit.kind);
        if let Some(range) =
            Amount::read(first, Some(&digits)).filter(|_| is_range && same_unit && unit.is_some())
        {
            out.truncate(out.len() - 2);

            let opens = |word| {
                [
                    "between", "from", "zwischen", "von", "entre", "de", "tra", "da",
                ]
                .contains(&word)
            };
            if out.last().and_then(Token::word).is_some_and(opens) {
                out.pop();
            }
            return Token::Number {
                digits,
                amount: range,
                unit,
            };
        }
    }

    // `No. 5`
    if unit.is_none()
        && out
            .last()
            .and_then(Token::word)
            .is_some_and(|word| ["no", "nr", "nº", "number"].contains(&word))
    {
        out.pop();
        return Token::Code(digits);
    }

    Token::Number {
        digits,
        amount,
        unit,
    }
}

/// Returns whether a token is a word of a list.
pub(crate) fn is(token: &Token, words: Words) -> bool {
    token.word().is_some_and(|word| words.contain(word))
}
