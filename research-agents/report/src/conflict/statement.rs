//! Statements: clauses about a certain thing, in a form in which two of them can be compared.

use std::collections::BTreeSet;

use crate::conflict::lexicon::{
    PRECISION, Words, affirmed, canonical, dimension, number_word, past_of,
};
use crate::conflict::quantity::{Amount, Precision, Quantity, Unit};
use crate::conflict::scan::{Token, is, joined, scan};

/// The statement of one clause.
///
/// The rules are strict: a sentence that asks, supposes or quotes something, that is about *some*
/// or *another* thing, about *it* or *mine*, or that says what came after something else is not
/// read as a statement.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Statement {
    /// The words without articles, negations and amounts, and those of other clauses that limit it.
    /// Only statements with the same key are compared.
    pub(crate) key: String,
    /// Whether it is negated.
    pub(crate) is_denied: bool,
    /// The quantities, in the order of the text.
    pub(crate) quantities: Vec<Quantity>,
    /// The dimension of its quantities: `long`, `wide`.
    pub(crate) dimension: Option<&'static str>,
    /// The days, months and years that the sentence names.
    pub(crate) when: BTreeSet<String>,
    /// Whether its subject has a number or a code: *pump 31*, *valve B-17*.
    pub(crate) has_code: bool,
    /// Whether its subject has a name: *the Blender Max*.
    pub(crate) has_name: bool,
    /// Whether its subject has a definite article.
    pub(crate) is_definite: bool,
    /// Whether it is in the present tense.
    pub(crate) is_present: bool,
    /// Whether it is about the state of one piece: *is broken*, *has a scratch*.
    pub(crate) is_state: bool,
}

/// Returns the statements of a sentence.
pub(crate) fn statements(sentence: &str) -> Vec<Statement> {
    let tokens = joined(scan(sentence));
    if tokens.contains(&Token::Doubt) {
        return Vec::new();
    }

    let clauses = clauses(&tokens);
    (0..clauses.len())
        .filter_map(|at| statement(&clauses, at))
        .collect()
}

/// Splits a sentence into clauses, at marks and before words such as *which* and *but*.
fn clauses(tokens: &[Token]) -> Vec<&[Token]> {
    let mut found = Vec::new();
    let mut from = 0;
    let mut has_verb = false;

    for (at, token) in tokens.iter().enumerate() {
        let joins = token
            .word()
            .is_some_and(|word| ["and", "und", "et", "y"].contains(&word));
        let is_break = *token == Token::Mark || is(token, Words::Break) || (joins && has_verb);
        if is_break {
            found.push(&tokens[from..at]);
            from = at + usize::from(*token == Token::Mark);
            has_verb = false;
        }
        has_verb = has_verb || is(token, Words::Present) || is(token, Words::Past);
    }

    found.push(&tokens[from..]);
    found.retain(|clause| !clause.is_empty());
    found
}

/// Returns the statement of a clause, limited by the times and places in the other clauses.
fn statement(clauses: &[&[Token]], at: usize) -> Option<Statement> {
    let mut reader = Reader::default();
    reader.read(clauses.get(at)?)?;
    let mut statement = reader.finish()?;

    for (other, clause) in clauses.iter().enumerate().filter(|(other, _)| *other != at) {
        let first = clause.first()?;
        let is_condition = [
            Words::Condition,
            Words::Change,
            Words::BeforeDate,
            Words::Hedge,
        ];
        let is_condition = is_condition.iter().any(|words| is(first, *words));
        let has_verb = clause
            .iter()
            .any(|token| is(token, Words::Present) || is(token, Words::Past));
        if (is(first, Words::Aside) || has_verb) && !is_condition {
            // The clause is about something in the clause before it.
            if other < at
                && is(clauses[at].first()?, Words::Aside)
                && !is(clauses[at].first()?, Words::Definite)
            {
                return None;
            }
            continue;
        }

        if clause
            .iter()
            .any(|token| is(token, Words::Hedge) || is(token, Words::Change))
        {
            return None;
        }

        let mut limits = Reader::default();
        limits.take_words(clause);
        // *On pump 31, the shaft was replaced.*
        statement.has_code |= other < at && limits.code_at.is_some();
        statement.when.extend(limits.when);
        if !limits.words.is_empty() {
            statement.key = format!("{} | {}", statement.key, limits.words.join(" "));
        }
    }

    Some(statement)
}

/// The state of reading a clause.
#[derive(Default)]
struct Reader {
    /// The words of the key.
    words: Vec<String>,
    quantities: Vec<Quantity>,
    when: BTreeSet<String>,
    dimension: Option<&'static str>,
    /// Number of negations.
    negations: usize,
    /// Number of words before the first verb.
    verb_at: Option<usize>,
    /// Whether a *did* was left out, so that the next verb is put into the past tense.
    is_past_pending: bool,
    is_present: bool,
    is_past: bool,
    /// Number of words before the first code.
    code_at: Option<usize>,
    has_name: bool,
    is_definite: bool,
    is_german: bool,
}

impl Reader {
    /// Reads a clause. `None` if it is not a plain statement about a certain thing.
    fn read(&mut self, clause: &[Token]) -> Option<()> {
        let first = clause.first()?;

        if [Words::Indefinite, Words::Pronoun, Words::Aside]
            .iter()
            .any(|words| is(first, *words))
            && !is(first, Words::Definite)
        {
            return None;
        }

        let unsure = |token: &Token| is_hedge(token) || is(token, Words::Change);
        if clause.iter().any(unsure) {
            return None;
        }

        let is_weakened =
            |pair: &[Token]| is(&pair[0], Words::Negation) && is(&pair[1], Words::Weakening);
        if clause.windows(2).any(is_weakened) {
            return None;
        }

        self.is_definite = is(first, Words::Definite);
        self.is_german = clause.iter().any(|token| is(token, Words::German));
        self.take_words(clause);
        Some(())
    }

    /// Takes the tokens of a clause, or of one that limits another.
    fn take_words(&mut self, clause: &[Token]) {
        let clause = owners_last(clause);
        let mut at = 0;

        while let Some(token) = clause.get(at) {
            at += 1;
            match token {
                Token::Word { text, is_capital } => {
                    self.take_word(text, *is_capital && at > 1, clause.get(at))
                }
                Token::Code(code) => {
                    self.code_at.get_or_insert(self.words.len());
                    self.words.push(code.clone());
                }
                Token::Moment(moment) => {
                    self.leave_out_before_date();
                    self.when.insert(moment.clone());
                }
                Token::Number {
                    digits,
                    amount,
                    unit,
                } => {
                    self.take_number(digits, amount, unit.as_ref(), clause.get(at));
                }
                Token::Possessive | Token::Mark | Token::Doubt => {}
            }
        }
    }

    /// Takes a word: as a negation, a date, or a part of the key.
    fn take_word(&mut self, word: &str, is_capital: bool, next: Option<&Token>) {
        if Words::Negation.contain(word) {
            self.negations += 1;
            self.words.extend(affirmed(word).map(str::to_owned));
            return;
        }

        let denies_next = next.is_some_and(|next| is(next, Words::Negation));
        match word {
            "do" | "does" if denies_next => return self.is_present = true,
            "did" if denies_next => {
                self.is_past = true;
                self.is_past_pending = true;
                return;
            }
            _ => {}
        }

        if Words::Calendar.contain(word) && (is_capital || !is_ambiguous_month(word)) {
            self.leave_out_before_date();
            // In `3 March`, the number has already been taken as a day.
            self.when.insert(canonical(word));
            return;
        }

        let is_article = Words::Definite.contain(word)
            || ["a", "an", "ein", "eine", "einen", "un", "une", "una", "um"].contains(&word);
        if is_article || Words::Empty.contain(word) {
            return;
        }

        let is_verb = Words::Present.contain(word)
            || Words::Past.contain(word)
            || (word.len() > 4 && word.ends_with("ed"));

        if is_verb && !self.words.is_empty() {
            self.verb_at.get_or_insert(self.words.len());
            self.is_present |= Words::Present.contain(word);
            self.is_past |= Words::Past.contain(word) || word.ends_with("ed");
        }

        let plain = match word {
            "is" | "are" | "measures" | "measure" => "be".to_owned(),
            "were" => "was".to_owned(),
            "have" => "has".to_owned(),
            _ if self.is_past_pending => {
                self.is_past_pending = false;
                past_of(word)
            }
            _ => canonical(word),
        };
        self.has_name |= is_capital && !self.is_german;
        self.words.push(plain);
    }

    /// Takes a number: as a year or day, a quantity, or a part of a name.
    fn take_number(
        &mut self,
        digits: &str,
        amount: &Amount,
        unit: Option<&Unit>,
        next: Option<&Token>,
    ) {
        let is_year = unit.is_none()
            && digits.len() == 4
            && (digits.starts_with("19") || digits.starts_with("20"));
        let after_date = self
            .words
            .last()
            .is_some_and(|word| Words::BeforeDate.contain(word));
        let next_is_month = next
            .and_then(Token::word)
            .is_some_and(|word| Words::Calendar.contain(word));

        if (is_year && (after_date || !self.when.is_empty())) || (next_is_month && unit.is_none()) {
            self.leave_out_before_date();
            self.when.insert(digits.to_owned());
            return;
        }

        let precision = self.precision();
        let amount = amount
            .clone()
            .with_precision(precision.unwrap_or(amount.precision));
        let has_verb = self.verb_at.is_some();
        let is_name = self
            .words
            .last()
            .is_some_and(|before| before.chars().all(char::is_alphabetic));
        let follows_verb = self
            .verb_at
            .is_some_and(|verb| verb + 1 >= self.words.len());
        let counted = next.and_then(Token::word).filter(|word| is_thing(word));
        let unit = match (unit, counted) {
            (Some(unit), _) if has_verb => unit.clone(),
            (None, Some(thing)) if has_verb && (follows_verb || precision.is_some()) => {
                Unit::counting(&canonical(thing))
            }
            _ => {
                // It is part of a name: *pump 31*, *the 2 m cord*.
                let unit = unit.map(|unit| unit.kind.clone()).unwrap_or_default();
                if unit.is_empty() && is_name {
                    self.code_at.get_or_insert(self.words.len());
                }
                self.words.push(format!("{digits}{unit}"));
                return;
            }
        };

        if self
            .words
            .last()
            .is_some_and(|word| Words::BeforeNumber.contain(word))
        {
            self.words.pop();
        }
        self.words.push(format!("#{}", unit.kind));
        self.quantities.push(Quantity { amount, unit });
    }

    /// Removes the words for the precision of a number, and returns the precision.
    fn precision(&mut self) -> Option<Precision> {
        let ends = |phrase: &str| {
            let parts: Vec<&str> = phrase.split(' ').collect();
            self.words.len() >= parts.len() && self.words[self.words.len() - parts.len()..] == parts
        };
        let (phrase, precision) = PRECISION.iter().find(|(phrase, _)| ends(phrase))?;
        let left = self.words.len() - phrase.split(' ').count();
        self.words.truncate(left);
        Some(*precision)
    }

    /// Removes a preposition before a date.
    fn leave_out_before_date(&mut self) {
        if self
            .words
            .last()
            .is_some_and(|word| Words::BeforeDate.contain(word))
        {
            self.words.pop();
        }
    }

    /// Returns the statement. `None` if the clause has several negations, or no predicate.
    fn finish(mut self) -> Option<Statement> {
        if self.negations > 1 {
            return None;
        }
        if !self.quantities.is_empty() {
            self.name_dimension();
        }

        let has_code = self.has_code();
        // A subject and a predicate: *the valve*, *leaks*.
        let is_statement =
            self.words.len() > 1 && (self.is_definite || has_code || self.words.len() > 2);
        let last = self.words.last().map(String::as_str).unwrap_or_default();
        let is_state = last.ends_with("ed")
            || last.ends_with("en")
            || self.words.iter().any(|word| Words::Defect.contain(word));

        is_statement.then(|| Statement {
            key: self.words.join(" "),
            is_denied: self.negations > 0,
            quantities: self.quantities,
            dimension: self.dimension,
            when: self.when,
            has_code,
            has_name: self.has_name,
            is_definite: self.is_definite,
            is_present: self.is_present && !self.is_past,
            is_state,
        })
    }

    /// Returns whether the subject of the clause has a code: one before the verb or, without a
    /// verb, before any preposition of place.
    fn has_code(&self) -> bool {
        let Some(at) = self.code_at else { return false };
        match self.verb_at {
            Some(verb) => at < verb,
            None => !self
                .words
                .iter()
                .take(at)
                .any(|word| PLACE.contains(&word.as_str())),
        }
    }

    /// Unifies the forms *is 2 m long*, *measures 2 m*, *has a length of 2 m* and *the length is 2
    /// m*: moves the dimension from the words to a field.
    fn name_dimension(&mut self) {
        let named = self.words.iter().position(|word| dimension(word).is_some());
        let Some(at) = named else { return };
        self.dimension = dimension(&self.words[at]);
        let word = self.words.remove(at);
        if word == "weigh" || word == "wiegt" {
            self.words.insert(at, "be".to_owned());
        } else if at > 0 && self.words[at - 1] == "has" {
            self.words[at - 1] = "be".to_owned();
        }
    }
}

/// Prepositions between the subject of a clause and a place.
const PLACE: [&str; 12] = [
    "at", "by", "from", "in", "into", "near", "on", "onto", "over", "through", "to", "with",
];

/// Returns the codes and numbers by which a sentence identifies things: *31* in *pump 31*.
pub fn names(sentence: &str) -> Vec<String> {
    let tokens = joined(scan(sentence));
    let is_name = |at: usize| {
        let before = at
            .checked_sub(1)
            .and_then(|before| tokens.get(before))
            .and_then(Token::word);
        let counts = tokens
            .get(at + 1)
            .and_then(Token::word)
            .is_some_and(is_thing);
        before.is_some_and(is_thing) && !counts
    };
    let name = |(at, token): (usize, &Token)| match token {
        Token::Code(code) => Some(code.clone()),
        Token::Number {
            digits, unit: None, ..
        } if is_name(at) => Some(digits.clone()),
        _ => None,
    };

    tokens.iter().enumerate().filter_map(name).collect()
}

/// Returns whether a word makes a statement uncertain. *May* is a month.
fn is_hedge(token: &Token) -> bool {
    match token {
        Token::Word {
            text,
            is_capital: true,
        } if text == "may" => false,
        other => is(other, Words::Hedge),
    }
}

/// Returns whether the name of a month is also another word, unless it has a capital.
fn is_ambiguous_month(word: &str) -> bool {
    ["may", "march", "mar", "mars", "mai", "jan", "dec", "mayo"].contains(&word)
}

/// Returns whether a word can name things that are counted.
fn is_thing(word: &str) -> bool {
    let lists = [
        Words::Present,
        Words::Past,
        Words::Empty,
        Words::BeforeNumber,
        Words::BeforeDate,
        Words::Condition,
    ];
    word.len() > 2 && number_word(word).is_none() && !lists.iter().any(|words| words.contain(word))
}

/// Moves owners behind what they own, as after *of*: *the blender's cord is* becomes *cord the
/// blender is*.
fn owners_last(clause: &[Token]) -> Vec<Token> {
    let Some(at) = clause.iter().position(|token| *token == Token::Possessive) else {
        return clause.to_vec();
    };
    let (owner, rest) = (&clause[..at], &clause[at + 1..]);
    let is_verb = |token: &Token| is(token, Words::Present) || is(token, Words::Past);
    let owned = rest
        .iter()
        .position(is_verb)
        .unwrap_or_else(|| rest.len().min(1));
    [&rest[..owned], owner, &rest[owned..]].concat()
}
