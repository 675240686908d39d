//! The environment variables that the code reads.

use std::collections::BTreeMap;

use crate::answer::claim::Claim;
use crate::answer::draft::{Asked, Draft, count, joined, shown_line};
use crate::answer::report::{Answer, Outcome};
use crate::base::{Place, Provenance, Span, span_of};
use crate::error::CodeError;
use crate::facts::{LineIndex, RegionKind};
use crate::lang::FileKind;
use crate::search::{Pattern, split_identifier};

/// What reads a variable, in the languages of the library, up to the first quote or the name.
const READERS: &[&str] = &[
    r"(?:getenv|Getenv|LookupEnv|GetEnvironmentVariable)\s*\(\s*[\x22']",
    r"(?:env::var|env::var_os|env!|option_env!)\s*\(\s*[\x22']",
    r"environ(?:\.get|\.setdefault|\.pop)?\s*[\[(]\s*[\x22']",
    r"\bENV(?:\.fetch|\.key\?|\.has_key\?|\.delete)?\s*[\[(]\s*[\x22']",
    r"process\.env\.",
    r"process\.env\[\s*[\x22']",
    r"import\.meta\.env\.",
    r"Deno\.env\.get\(\s*[\x22']",
    r"\$_ENV\[\s*[\x22']",
    r"\benvvar\s*=\s*[\x22']",
];

/// What reads a system property of Java.
const PROPERTIES: &[&str] =
    &[r"(?:System\.getProperty|Integer\.getInteger|Long\.getLong|Boolean\.getBoolean)\s*\(\s*\x22"];

/// The name of a variable or property.
const NAME: &str = "[A-Za-z_][A-Za-z0-9_.-]*";

/// Number of variables that are named.
const NAMED: usize = 8;

/// A place where a variable is read.
struct Read {
    name: String,
    place: Place,
    span: Span,
}

/// Answers which environment variables the code reads: all of them, or those whose names begin as
/// the question says. Those with words of the question come first.
pub(crate) fn environment(asked: &Asked<'_>) -> Result<Answer, CodeError> {
    let is_property = asked.reading.text.contains("system propert");
    let (readers, one, many) = match is_property {
        true => (PROPERTIES, "system property", "system properties"),
        false => (READERS, "environment variable", "environment variables"),
    };
    let mut reads = reads(asked, readers)?;
    let beginning = asked
        .reading
        .terms
        .iter()
        .find(|term| term.name.ends_with('_'));
    if let Some(beginning) = beginning {
        reads.retain(|read| read.name.starts_with(&beginning.name));
    }

    let mut draft = Draft::new(asked);
    let has_sources = reads.iter().any(|read| read.place == Place::Source);
    reads.retain(|read| !has_sources || read.place == Place::Source);
    let mut sites: BTreeMap<&str, Vec<&Read>> = BTreeMap::new();
    for read in &reads {
        sites.entry(&read.name).or_default().push(read);
    }
    if sites.is_empty() {
        draft.outcome(Outcome::Absent);
        draft.note(format!("No {one} is read in the searched files."));
        return Ok(draft.finish(asked));
    }

    let mut names: Vec<&str> = sites.keys().copied().collect();
    let fit = |name: &str| {
        let words = split_identifier(name);
        words
            .iter()
            .filter(|word| asked.reading.words.contains(word))
            .count()
    };
    names.sort_by_key(|name| (usize::MAX - fit(name), *name));
    for name in names.iter().take(NAMED) {
        draft.subject(*name);
    }
    let listed: Vec<String> = names
        .iter()
        .take(NAMED)
        .map(|name| format!("`{name}`"))
        .collect();
    let rest = match names.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let variables = count(names.len(), one, many);
    draft.note(format!(
        "The code reads {variables}: {}{rest}.",
        joined(&listed)
    ));
    for read in names.iter().filter_map(|name| sites.get(name)).flatten() {
        if !draft.has_space() {
            draft.keep(read.span.clone());
            continue;
        }
        let within = match &read.span.symbol {
            Some(symbol) => format!(", in `{symbol}`"),
            None => String::new(),
        };
        let (path, line) = (read.span.path.encoded(), read.span.first);
        let code = shown_line(&read.span.bytes, 1);
        let text = format!(
            "`{}` is read in `{path}`, line {line}{within}{code}.",
            read.name
        );
        let span = draft.cite(read.span.clone());
        let claims = vec![Claim::Quote {
            text: read.name.clone(),
            span,
        }];
        draft.say(text, claims, vec![span]);
    }
    Ok(draft.finish(asked))
}

/// Finds the places where variables are read, in the order of the files.
fn reads(asked: &Asked<'_>, readers: &[&str]) -> Result<Vec<Read>, CodeError> {
    let pattern = Pattern::new(&format!("(?:{}){NAME}", readers.join("|")))?;
    let mut found = Vec::new();
    let is_code = |path| matches!(FileKind::of_path(path), FileKind::Code(_));

    for file in asked.files_in_scope().filter(|file| is_code(&file.path)) {
        let Ok(content) = asked.files.read(&file.path) else {
            continue;
        };
        let hits = pattern.matches(&content.bytes);
        if hits.is_empty() {
            continue;
        }
        let facts = asked
            .files
            .facts_of(&file.path, &content, asked.is_cancelled);
        let lines = LineIndex::new(&content.bytes);
        let is_generated = facts.as_ref().is_some_and(|facts| facts.is_generated);
        for hit in hits {
            let region = facts
                .as_ref()
                .and_then(|facts| facts.region(hit.span.start));
            if region.is_some_and(|region| region.kind == RegionKind::Comment) {
                continue;
            }
            let text = content.bytes.get(hit.span.clone()).unwrap_or_default();
            let text = String::from_utf8_lossy(text);
            let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
            let name = text.rsplit(|c| !is_name(c)).next().unwrap_or_default();
            // `process.env.NAME` and the like end with the name.
            let name = name.rsplit("env.").next().unwrap_or_default();
            let line = lines.line(hit.span.end.saturating_sub(1));
            let span = span_of(
                &file.path,
                &content.bytes,
                (line, line),
                Provenance::Treesitter,
            )?;
            let around = facts.as_ref().and_then(|facts| {
                let symbol = facts.enclosing(hit.span.start)?;
                Some((facts.qualified_name(symbol), symbol.kind.name()))
            });
            found.push(Read {
                name: name.to_owned(),
                place: asked.files.place_of(&file.path, is_generated),
                span: match around {
                    Some((symbol, kind)) => span.with_symbol(symbol, kind),
                    None => span,
                },
            });
        }
    }
    Ok(found)
}
