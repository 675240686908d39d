//! The names of a question, found in the code.

use crate::answer::draft::Asked;
use crate::base::Index;
use crate::error::CodeError;
use crate::ledger::Class;
use crate::question::{QuestionClass, Term};
use crate::resolve::{Definition, Uses};
use crate::search::{Pattern, split_identifier};
use crate::tree::RelPath;

/// What a question is about.
pub(crate) struct Subject {
    pub(crate) term: Term,
    pub(crate) uses: Uses,
    /// The definitions that the question means, as indices in [`Uses::definitions`].
    pub(crate) chosen: Vec<usize>,
    /// How the name was read, if it is not written like this in the question.
    pub(crate) reading: Option<String>,
}

/// A name that is not in the code.
pub(crate) struct Missing {
    pub(crate) term: Term,
    pub(crate) uses: Uses,
    pub(crate) nearest: Vec<String>,
    /// Definitions of the name that do not belong to the qualifier, as indices.
    pub(crate) others: Vec<usize>,
    /// Whether the code uses the name without a definition.
    pub(crate) is_used: bool,
}

/// The outcome of a search for a name of a question.
pub(crate) enum Sought {
    Found(Box<Subject>),
    Missing(Box<Missing>),
    /// The question has no name.
    Unnamed,
}

impl Subject {
    /// Returns the chosen definitions.
    pub(crate) fn definitions(&self) -> impl Iterator<Item = &Definition> {
        self.chosen
            .iter()
            .filter_map(|at| self.uses.definitions.get(*at))
    }

    /// Returns the name as the answer writes it.
    pub(crate) fn name(&self) -> String {
        match self.chosen.as_slice() {
            [only] if !self.term.qualifiers.is_empty() => self
                .uses
                .definitions
                .get(*only)
                .map_or_else(|| self.term.full(), |found| short(&found.qualified)),
            _ => self.term.full(),
        }
    }
}

/// Returns the last two parts of a qualified name.
fn short(qualified: &str) -> String {
    let parts: Vec<&str> = qualified.rsplit('.').take(2).collect();
    parts.into_iter().rev().collect::<Vec<_>>().join(".")
}

/// Finds the names of a question in the code, in the order of the question.
pub(crate) fn subjects(asked: &Asked<'_>) -> Result<Vec<Sought>, CodeError> {
    let mut found = Vec::new();
    for term in asked.reading.terms.iter().filter(|term| !term.is_file) {
        found.push(seek(asked, term)?);
    }
    Ok(found)
}

/// Finds the one name that a question is about.
pub(crate) fn subject(asked: &Asked<'_>) -> Result<Sought, CodeError> {
    // A name with definitions is preferred to one that only occurs.
    let mut rest: Option<Sought> = None;
    for term in asked.reading.terms.iter().filter(|term| !term.is_file) {
        let sought = seek(asked, term)?;
        match &sought {
            Sought::Found(found) if !found.chosen.is_empty() => return Ok(sought),
            Sought::Found(_) if !matches!(rest, Some(Sought::Found(_))) => rest = Some(sought),
            _ if rest.is_none() => rest = Some(sought),
            _ => {}
        }
    }
    match rest {
        Some(rest) => Ok(rest),
        None => by_words(asked),
    }
}

/// Finds a name in the code: as it is written, in another case, by its parts.
pub(crate) fn seek(asked: &Asked<'_>, term: &Term) -> Result<Sought, CodeError> {
    let uses = Uses::find(asked.files, asked.scope, &term.name, asked.is_cancelled)?;
    // A key of a configuration may be a field with other capitals.
    let is_in_code = !uses.definitions.is_empty() || !uses.uses.is_empty();
    if uses.ledger.total() > 0
        && !is_in_code
        && asked.reading.class == QuestionClass::Value
        && let Some(name) = in_other_case(asked, &term.name)
    {
        return renamed(asked, term, &name);
    }
    if uses.ledger.total() > 0 {
        let chosen = chosen(asked, term, &uses);
        let is_wrong = chosen.is_empty() && !uses.definitions.is_empty();
        if !is_wrong {
            return Ok(Sought::Found(Box::new(Subject {
                term: term.clone(),
                uses,
                chosen,
                reading: None,
            })));
        }
        // The code may use the whole name, of an object or module that it does not define.
        for joint in [".", "::"] {
            let mut whole = term.qualifiers.clone();
            whole.push(term.name.clone());
            let whole = whole.join(joint);
            let found = Uses::find(asked.files, asked.scope, &whole, asked.is_cancelled)?;
            if found.ledger.total() > 0 {
                let is_code = found
                    .ledger
                    .by_class()
                    .keys()
                    .any(|class| *class <= Class::OtherCode);
                let chosen = (0..uses.definitions.len()).collect();
                return Ok(Sought::Found(Box::new(Subject {
                    term: term.clone(),
                    reading: is_code.then(|| {
                        format!(
                            "`{whole}` is written like this, and `{}` has no such owner.",
                            term.name
                        )
                    }),
                    chosen,
                    uses,
                })));
            }
        }
        return Ok(Sought::Missing(Box::new(Missing {
            term: term.clone(),
            nearest: Vec::new(),
            others: (0..uses.definitions.len()).collect(),
            is_used: false,
            uses,
        })));
    }

    if let Some(name) = in_other_case(asked, &term.name) {
        return renamed(asked, term, &name);
    }
    // `bacon --send refresh` is a command, and no name that could be missing.
    if term.name.contains(' ') {
        return Ok(Sought::Unnamed);
    }
    let index = asked.files.index(asked.is_cancelled);
    let nearest = nearest(&term.name, index.names(asked.scope));
    Ok(Sought::Missing(Box::new(Missing {
        term: term.clone(),
        uses,
        nearest,
        others: Vec::new(),
        is_used: false,
    })))
}

/// Returns the symbol that has a name but for its capitals.
fn in_other_case(asked: &Asked<'_>, written: &str) -> Option<String> {
    let index = asked.files.index(asked.is_cancelled);
    let names = index.names(asked.scope);
    let alike = names.filter(|name| name.eq_ignore_ascii_case(written) && *name != written);
    alike.min().map(str::to_owned)
}

/// Takes a name of the code for one of the question.
fn renamed(asked: &Asked<'_>, term: &Term, name: &str) -> Result<Sought, CodeError> {
    let written = term.full();
    let term = Term {
        name: name.to_owned(),
        ..term.clone()
    };
    let uses = Uses::find(asked.files, asked.scope, name, asked.is_cancelled)?;
    if uses.ledger.total() == 0 {
        return Ok(Sought::Unnamed);
    }
    Ok(Sought::Found(Box::new(Subject {
        chosen: chosen(asked, &term, &uses),
        term,
        uses,
        reading: Some(format!("`{written}` is read as `{name}`.")),
    })))
}

/// Returns the definitions that the qualifiers and files of a question leave.
fn chosen(asked: &Asked<'_>, term: &Term, uses: &Uses) -> Vec<usize> {
    let files: Vec<&str> = asked
        .reading
        .terms
        .iter()
        .filter(|term| term.is_file)
        .map(|term| term.name.as_str())
        .collect();
    let all = uses.definitions.iter().enumerate();
    let qualified: Vec<usize> = all
        .filter(|(_, found)| is_qualified(term, found, &asked.files.root_name()))
        .map(|(at, _)| at)
        .collect();

    let in_files: Vec<usize> = qualified
        .iter()
        .copied()
        .filter(|at| {
            let path = uses.definitions.get(*at).map(|found| &found.path);
            path.is_some_and(|path| files.iter().any(|file| names_file(file, path)))
        })
        .collect();
    if in_files.is_empty() {
        qualified
    } else {
        in_files
    }
}

/// Returns whether the qualifiers of a name are those of a definition.
fn is_qualified(term: &Term, definition: &Definition, root: &str) -> bool {
    let Some(last) = term.qualifiers.last() else {
        return true;
    };
    let stem = definition.path.name().split('.').next().unwrap_or_default();
    let outer: Vec<&str> = definition.qualified.rsplit('.').skip(1).collect();
    let is_outer = outer
        .iter()
        .any(|name| crate::facts::base_name(name).eq_ignore_ascii_case(last));

    let is_module = definition.owner.is_none()
        && (stem.eq_ignore_ascii_case(last)
            || definition
                .path
                .folder()
                .split('/')
                .any(|folder| folder == last)
            || matches!(last.as_str(), "crate" | "self")
            || root.split('-').next() == Some(last));
    is_outer || is_module
}

/// Returns whether a file of a question is the one with this path.
pub(crate) fn names_file(file: &str, path: &RelPath) -> bool {
    let path = path.as_str();
    path == file
        || path
            .strip_suffix(file)
            .is_some_and(|before| before.ends_with('/'))
}

/// Finds the name of a question that has none in the form of one.
fn by_words(asked: &Asked<'_>) -> Result<Sought, CodeError> {
    let plain = |name: &str| Term {
        name: name.to_owned(),
        qualifiers: Vec::new(),
        is_file: false,
        is_certain: false,
    };
    let Some(name) = &asked.reading.definite else {
        return by_parts(asked);
    };
    let sought = seek(asked, &plain(name))?;

    let is_settled = match &sought {
        Sought::Found(found) => !found.uses.definitions.is_empty() || !found.uses.uses.is_empty(),
        Sought::Missing(_) => name.starts_with(char::is_uppercase),
        Sought::Unnamed => false,
    };
    if is_settled {
        return Ok(sought);
    }
    match (by_parts(asked)?, sought) {
        (Sought::Unnamed, sought) => Ok(sought),
        (other, _) => Ok(other),
    }
}

/// Finds a name whose parts are words of the question.
fn by_parts(asked: &Asked<'_>) -> Result<Sought, CodeError> {
    for hint in &asked.reading.hints {
        let term = Term {
            name: hint.clone(),
            qualifiers: Vec::new(),
            is_file: false,
            is_certain: false,
        };
        if let Sought::Found(found) = seek(asked, &term)?
            && (!found.uses.definitions.is_empty() || !found.uses.uses.is_empty())
        {
            return Ok(Sought::Found(found));
        }
    }

    let words: Vec<String> = asked
        .reading
        .words
        .iter()
        .flat_map(|word| split_identifier(word))
        .collect();
    if words.is_empty() {
        return Ok(Sought::Unnamed);
    }

    let index = asked.files.index(asked.is_cancelled);
    if let Some(missing) = proper_noun(asked, &index) {
        return seek(asked, &missing);
    }
    let is_word = |part: &String, word: &String| {
        part == word || word.strip_suffix('s').is_some_and(|word| word == part)
    };
    let mut best: Option<(usize, bool, &str)> = None;
    for name in index.names(asked.scope) {
        let parts = split_identifier(name);
        let are_words = !parts.is_empty()
            && parts
                .iter()
                .all(|part| words.iter().any(|word| is_word(part, word)));
        if !are_words || parts.len() == 1 && name.len() < 3 {
            continue;
        }
        let is_row = words.windows(parts.len()).any(|row| {
            let mut pairs = parts.iter().zip(row);
            pairs.all(|(part, word)| is_word(part, word))
        });
        // One word of many is in the name by chance: *request* of a question about redirects.
        let is_telling = match parts.len() {
            1 => words.len() == 1,
            several => 2 * several >= words.len() || is_row,
        };
        if !is_telling {
            continue;
        }
        let rank = (parts.len(), is_row, name);
        let is_better = best.is_none_or(|(length, row, known)| {
            (length, row) < (rank.0, rank.1) || (length, row) == (rank.0, rank.1) && name < known
        });
        if is_better {
            best = Some(rank);
        }
    }
    let Some((_, _, name)) = best else {
        return Ok(Sought::Unnamed);
    };
    let term = Term {
        name: name.to_owned(),
        qualifiers: Vec::new(),
        is_file: false,
        is_certain: false,
    };
    let sought = seek(asked, &term)?;
    Ok(match sought {
        Sought::Found(mut found) => {
            found.reading = Some(format!("The question is read as one about `{name}`."));
            Sought::Found(found)
        }
        other => other,
    })
}

/// Returns a name in capitals, such as `QUIC`, or a word with one, such as `Outlook`, that is in no
/// file: what is asked about it cannot be in the code.
fn proper_noun(asked: &Asked<'_>, index: &Index) -> Option<Term> {
    /// Words in capitals that are said of any code.
    const GENERAL: &[&str] = &[
        "HTTP", "HTTPS", "JSON", "HTML", "YAML", "TOML", "ASCII", "REST", "UUID",
    ];
    let is_general = |hint: &str| hint.chars().count() < 4 || GENERAL.contains(&hint);
    let hints = asked.reading.hints.iter().filter(|hint| !is_general(hint));

    for hint in hints {
        let lower = hint.to_lowercase();
        let is_named = index
            .names(asked.scope)
            .any(|name| name.to_lowercase().contains(&lower));
        if is_named || has_word(asked, &lower) {
            continue;
        }
        return Some(Term {
            name: hint.clone(),
            qualifiers: Vec::new(),
            is_file: false,
            is_certain: false,
        });
    }
    None
}

/// Returns whether any file has a word, in any case and within other words too.
fn has_word(asked: &Asked<'_>, word: &str) -> bool {
    let Ok(pattern) = Pattern::new(&format!("(?i){word}")) else {
        return true;
    };
    asked.files_in_scope().any(|file| {
        let content = asked.files.read(&file.path);
        content.is_ok_and(|content| !pattern.matches(&content.bytes).is_empty())
    })
}

/// Returns the names that are most like one, at most five.
pub(crate) fn nearest<'n>(name: &str, names: impl Iterator<Item = &'n str>) -> Vec<String> {
    /// Likeness from which a name may be meant.
    const ALIKE: f64 = 0.72;
    let lower = name.to_lowercase();
    let parts = split_identifier(name);
    let mut found: Vec<(f64, &str)> = names
        .filter_map(|other| {
            let letters = strsim::jaro_winkler(&lower, &other.to_lowercase());
            let of_other = split_identifier(other);
            let common = parts.iter().filter(|part| of_other.contains(part)).count();
            let shared = 2.0 * common as f64 / (parts.len() + of_other.len()).max(1) as f64;
            let score = letters.max(0.6 * letters + 0.4 * shared).max(shared);
            (score >= ALIKE).then_some((score, other))
        })
        .collect();
    found.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    found.truncate(5);
    found.into_iter().map(|(_, name)| name.to_owned()).collect()
}
