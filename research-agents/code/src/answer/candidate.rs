//! Values that a question may be about, and which fit it best.

use std::ops::Range;

use crate::answer::claim::Claim;
use crate::answer::draft::Asked;
use crate::answer::subject::{Sought, Subject, seek};
use crate::base::{Place, Provenance, Span, span_of};
use crate::facts::FileFacts;
use crate::lang::FileKind;
use crate::ledger::Class;
use crate::question::Term;
use crate::resolve::body::{NamedValue, ValueKind, document_values, named_values, value_sites};
use crate::search::split_identifier;
use crate::tree::RelPath;

/// A value that a question may be about.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    pub(crate) path: RelPath,
    pub(crate) place: Place,
    pub(crate) value: NamedValue,
    pub(crate) score: f64,
    /// The constant that the value is.
    pub(crate) meaning: Option<Box<Candidate>>,
}

impl Candidate {
    /// Returns whether the value is within a function or type.
    pub(crate) fn is_within(&self, name: &str) -> bool {
        let within = self.value.site.within.as_deref().unwrap_or_default();
        within.split(['.', '<', ':']).any(|part| part == name)
    }

    /// Looks up the constant that the value is, if it is one.
    pub(crate) fn look_up(&mut self, asked: &Asked<'_>) {
        self.meaning = constant(asked, &self.value.site.literal).map(Box::new);
    }

    /// Returns the lines of the value.
    pub(crate) fn span(&self, asked: &Asked<'_>) -> Option<Span> {
        let content = asked.files.read(&self.path).ok()?;
        let (first, last) = self.value.site.lines;
        let lines = (first, last.min(first + 19));
        let span = span_of(&self.path, &content.bytes, lines, Provenance::Treesitter).ok()?;
        let symbol = match &self.value.site.within {
            Some(within) if !within.ends_with(&self.value.name) => {
                format!("{within}.{}", self.value.name)
            }
            _ => self.value.name.clone(),
        };
        Some(span.with_symbol(symbol, "variable"))
    }

    pub(crate) fn claim(&self, span: usize) -> Claim {
        Claim::Value {
            key: self.value.name.clone(),
            literal: self.value.site.literal.clone(),
            span,
        }
    }

    /// Says the value and where it is.
    pub(crate) fn sentence(&self) -> String {
        let site = &self.value.site;
        let what = match site.kind {
            ValueKind::Constant => "is",
            ValueKind::Default => "is by default",
            ValueKind::Parameter => "has the default",
            ValueKind::Key => "is set to",
            ValueKind::Assignment => "is assigned",
            ValueKind::Argument => "is given as",
        };
        let within = match &site.within {
            Some(within) if !within.ends_with(&self.value.name) => format!("in `{within}`, "),
            _ => String::new(),
        };

        let place = match self.place {
            Place::Source => "",
            Place::Test => ", in tests",
            Place::Generated => ", in generated or copied code",
        };
        let meaning = match &self.meaning {
            Some(meaning) => {
                let literal = meaning.value.site.literal.replace('`', "'");
                format!(", which is `{literal}`")
            }
            None => String::new(),
        };
        format!(
            "`{}` {what} `{}`{meaning} ({within}`{}`, line {}{place})",
            self.value.name,
            site.literal.replace('`', "'"),
            self.path.encoded(),
            site.lines.0
        )
    }
}

/// Returns the values at the occurrences of a name. `containers` are the names of functions or
/// types that the question also has.
pub(crate) fn direct(asked: &Asked<'_>, key: &Subject, containers: &[&str]) -> Vec<Candidate> {
    let mut found = Vec::new();
    for (tally, hit) in key.uses.ledger.files.iter().zip(&key.uses.hits) {
        let spans = |wanted: fn(Class) -> bool| -> Vec<Range<usize>> {
            let some = tally.occurrences.iter().filter(|one| wanted(one.class));
            some.map(|one| one.span.clone()).collect()
        };
        let sites = match (FileKind::of_path(&tally.path), &hit.facts) {
            (FileKind::Code(language), Some(facts)) => {
                let spans = spans(|class| {
                    matches!(class, Class::Definition | Class::OtherCode | Class::String)
                });
                value_sites(language, &hit.bytes, facts, &spans, asked.is_cancelled)
            }
            (FileKind::Document, _) => document_values(&hit.bytes, &spans(|_| true)),
            _ => Vec::new(),
        };
        let is_generated = hit.facts.as_ref().is_some_and(|facts| facts.is_generated);
        found.extend(sites.into_iter().map(|site| Candidate {
            path: tally.path.clone(),
            place: asked.files.place_of(&tally.path, is_generated),
            score: 0.0,
            meaning: None,
            value: NamedValue {
                name: key.term.name.clone(),
                at: 0,
                is_literal: true,
                site,
            },
        }));
    }

    let names: Vec<&str> = containers
        .iter()
        .copied()
        .chain(key.term.qualifiers.iter().map(String::as_str))
        .collect();
    let is_within = |one: &Candidate| names.iter().any(|name| one.is_within(name));
    if found.iter().any(is_within) {
        found.retain(is_within);
    }
    // What is set where it is declared is its default; assignments elsewhere are not.
    let declares = |one: &Candidate| one.value.site.kind < ValueKind::Assignment;
    if found
        .iter()
        .any(|one| declares(one) && one.place == Place::Source)
    {
        found.retain(|one| declares(one) && one.place == Place::Source);
    } else if found.iter().any(declares) {
        found.retain(declares);
    }
    found.sort_by(|a, b| {
        (a.place, a.value.site.kind, &a.path, a.value.site.lines).cmp(&(
            b.place,
            b.value.site.kind,
            &b.path,
            b.value.site.lines,
        ))
    });
    found
}

/// Returns the value of a name that is a constant or field of this code. `None` for other
/// expressions, and for names with several values.
pub(crate) fn constant(asked: &Asked<'_>, name: &str) -> Option<Candidate> {
    let last = name.rsplit(['.', ':']).next()?;
    let is_name = last.len() > 2
        && last.chars().all(|c| c.is_alphanumeric() || c == '_')
        && last.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && !matches!(
            last,
            "true" | "false" | "null" | "None" | "True" | "False" | "nil" | "self"
        );

    if !is_name || name.contains(['(', ' ', '"', '\'']) {
        return None;
    }
    let term = Term::parse(last, true)?;
    let Ok(Sought::Found(key)) = seek(asked, &term) else {
        return None;
    };
    let mut values: Vec<Candidate> = direct(asked, &key, &[])
        .into_iter()
        .filter(|one| one.value.site.kind <= ValueKind::Default && one.place == Place::Source)
        .collect();
    values.dedup_by(|a, b| a.value.site.literal == b.value.site.literal);
    match values.len() {
        1 => values.pop().filter(|only| only.value.site.literal != name),
        _ => None,
    }
}

/// Returns the values of a file.
pub(crate) fn candidates_in(
    asked: &Asked<'_>,
    path: &RelPath,
    bytes: &[u8],
    facts: &FileFacts,
    within: Option<&Range<usize>>,
) -> Vec<Candidate> {
    let values = named_values(facts.language, bytes, facts, within, asked.is_cancelled);
    let place = asked.files.place_of(path, facts.is_generated);

    values
        .into_iter()
        .map(|value| Candidate {
            path: path.clone(),
            place,
            value,
            score: 0.0,
            meaning: None,
        })
        .collect()
}

/// Returns the values that fit a question best. Those of the best score are returned, and others
/// of the same name. Within a named function or type, `is_within`, one word is enough.
pub(crate) fn rank(asked: &Asked<'_>, all: Vec<Candidate>, is_within: bool) -> Vec<Candidate> {
    let mut words: Vec<String> = Vec::new();
    for word in &asked.reading.words {
        let is_cue = matches!(
            word.as_str(),
            "default" | "defaults" | "value" | "values" | "number"
        );
        if !is_cue {
            words.extend(split_identifier(word));
        }
    }
    // The name of the function or type around the value is not one of the value.
    for term in asked
        .reading
        .terms
        .iter()
        .filter(|term| !term.is_file && !is_within)
    {
        words.extend(split_identifier(&term.name));
    }
    words.dedup();
    if words.is_empty() {
        return Vec::new();
    }

    let mut scored: Vec<Candidate> = all
        .into_iter()
        .filter_map(|mut one| {
            one.score = score(&one, &words, is_within)? + measured(asked, &one.value.name);
            Some(one)
        })
        .collect();
    scored.sort_by(|a, b| {
        b.score
            .total_cmp(&a.score)
            .then_with(|| (&a.path, a.value.site.lines).cmp(&(&b.path, b.value.site.lines)))
    });
    let Some(best) = scored
        .first()
        .map(|one| (one.score, one.value.name.clone()))
    else {
        return Vec::new();
    };
    scored.retain(|one| {
        one.score >= best.0 - 0.05 || one.value.name == best.1 && one.score >= best.0 - 1.3
    });
    scored.truncate(12);
    scored
}

/// Scores a value by the words that its name, the symbols around it and its file share with the
/// question. `None` if it does not fit.
fn score(one: &Candidate, words: &[String], is_within: bool) -> Option<f64> {
    let name = split_identifier(&one.value.name);
    let mut context: Vec<String> = Vec::new();
    if let Some(within) = &one.value.site.within {
        context.extend(within.split('.').flat_map(split_identifier));
    }
    context.extend(split_identifier(
        one.path.name().split('.').next().unwrap_or_default(),
    ));

    // Two words may be one part: `progress bar` and `progressbar`.
    let is_in = |parts: &[String], at: usize| {
        let pair = |first: usize| words.get(first..first + 2).map(|pair| pair.concat());
        let before = at.checked_sub(1).and_then(pair);
        let pairs = [before, pair(at)];
        words.get(at).is_some_and(|word| has(parts, word))
            || pairs.iter().flatten().any(|pair| parts.contains(pair))
    };
    let of_name = (0..words.len()).filter(|at| is_in(&name, *at)).count();
    let of_context = (0..words.len())
        .filter(|at| !is_in(&name, *at) && is_in(&context, *at))
        .count();
    let extra = name
        .iter()
        .filter(|part| *part != "default" && !words.iter().any(|word| alike(part, word)))
        .count();
    let covered = of_name + of_context;
    // The default of a type is what its function `default` returns.
    let is_default = matches!(one.value.name.as_str(), "default" | "Default") && of_context > 0;
    let is_enough = match is_within {
        true => of_name > 0,
        false => (of_name > 0 || is_default) && covered * 2 >= words.len(),
    };
    if !is_enough {
        return None;
    }

    let kind = match one.value.site.kind {
        ValueKind::Constant | ValueKind::Default => 0.6,
        ValueKind::Parameter | ValueKind::Key => 0.5,
        ValueKind::Assignment => 0.0,
        ValueKind::Argument => -1.5,
    };
    let place = if one.place == Place::Source {
        0.0
    } else {
        -3.0
    };
    let literal = if one.value.is_literal { 0.5 } else { -1.0 };
    // A constant that holds its own name is a key.
    let bare = one.value.site.literal.trim_matches(['"', '\'', '`', ':']);
    let literal = if bare.eq_ignore_ascii_case(&one.value.name) {
        -4.0
    } else {
        literal
    };
    let literal = literal
        + if name.iter().any(|part| part == "default") {
            0.4
        } else {
            0.0
        };
    let name_score = 3.0 * of_name as f64 + if is_default { 2.5 } else { 0.0 };
    Some(name_score + 1.2 * of_context as f64 - 0.75 * extra as f64 + kind + place + literal)
}

/// Returns what a name gains that says what is asked: an interval of *how often*.
fn measured(asked: &Asked<'_>, name: &str) -> f64 {
    const MEASURES: [(&str, &[&str]); 3] = [
        (
            "how often",
            &["interval", "period", "every", "frequency", "rate"],
        ),
        (
            "how long",
            &[
                "timeout", "interval", "delay", "duration", "ttl", "wait", "time", "age",
            ],
        ),
        (
            "how many",
            &["max", "limit", "count", "num", "number", "size", "retries"],
        ),
    ];

    let parts = split_identifier(name);
    let asks = MEASURES
        .iter()
        .filter(|(cue, _)| asked.reading.text.contains(cue));
    let is_said = asks
        .flat_map(|(_, names)| names.iter())
        .any(|name| parts.iter().any(|part| part == name));
    if is_said { 4.0 } else { 0.0 }
}

/// Returns whether parts of a name have a word, in one part or in two that follow each other.
fn has(parts: &[String], word: &str) -> bool {
    parts.iter().any(|part| alike(part, word)) || parts.windows(2).any(|pair| pair.concat() == word)
}

/// Returns whether two words are the same, or one is a short form of the other: `max` and
/// `maximum`, `enable` and `enabled`.
pub(crate) fn alike(one: &str, other: &str) -> bool {
    let (short, long) = if one.len() < other.len() {
        (one, other)
    } else {
        (other, one)
    };
    let common = short
        .bytes()
        .zip(long.bytes())
        .take_while(|(a, b)| a == b)
        .count();
    short == long
        || short.len() >= 3 && common == short.len()
        || short.len() >= 5 && common + 1 >= short.len()
}
