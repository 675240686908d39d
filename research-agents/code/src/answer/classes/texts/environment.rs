//! The environment variables that the code reads.

use std::collections::BTreeMap;

use crate::answer::classes::texts::matched::{is_code, matched};
use crate::answer::draft::{Asked, Draft, count, joined, shown_line, within};
use crate::answer::report::{Answer, Outcome};
use crate::base::{Place, Span};
use crate::error::CodeError;
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
    r"#\[(?:arg|clap)\([^\]]*\benv\s*=\s*\x22",
];

/// What reads the environment in whatever way: with a name that is elsewhere, or as a whole.
const ANY_READER: &str = concat!(
    r"(?:getenv|Getenv|LookupEnv|Environ|GetEnvironmentVariables?)\s*\(",
    r"|\benv::vars?(?:_os)?\s*\(|\benv!\s*\(|\boption_env!\s*\(",
    r"|\benviron\b\s*[\[(.]|\bENV\b\s*[\[.]|\$_ENV\b",
    r"|\bprocess\.env\b|\bimport\.meta\.env\b|\bDeno\.env\b",
);

/// What reads a system property of Java.
const PROPERTIES: &[&str] =
    &[r"(?:System\.getProperty|Integer\.getInteger|Long\.getLong|Boolean\.getBoolean)\s*\(\s*\x22"];

/// What reads a system property of Java in whatever way.
const ANY_PROPERTY: &str = r"System\.getPropert(?:y|ies)\s*\(";

/// The name of a variable or property.
const NAME: &str = "[A-Za-z_][A-Za-z0-9_.-]*";

/// Number of variables that are named.
const NAMED: usize = 8;

/// A place where a variable is read.
struct Read {
    /// `None` where the name is elsewhere, or all variables are read.
    name: Option<String>,
    /// What reads it, as it is written.
    written: String,
    place: Place,
    span: Span,
}

/// How a kind of variables is read and called.
struct Kind {
    readers: &'static [&'static str],
    any: &'static str,
    nouns: (&'static str, &'static str),
}

const VARIABLES: Kind = Kind {
    readers: READERS,
    any: ANY_READER,
    nouns: ("environment variable", "environment variables"),
};

const SYSTEM_PROPERTIES: Kind = Kind {
    readers: PROPERTIES,
    any: ANY_PROPERTY,
    nouns: ("system property", "system properties"),
};

/// Answers which environment variables the code reads: all of them, or those whose names begin as
/// the question says. Those with words of the question come first.
pub(crate) fn environment(asked: &Asked<'_>) -> Result<Answer, CodeError> {
    let kind = match asked.reading.text.contains("system propert") {
        true => SYSTEM_PROPERTIES,
        false => VARIABLES,
    };
    let mut reads = reads(asked, &kind)?;
    let has_sources = reads.iter().any(|read| read.place == Place::Source);
    reads.retain(|read| !has_sources || read.place == Place::Source);

    let mut terms = asked.reading.terms.iter().map(|term| term.name.as_str());
    let beginning = terms.find(|name| name.ends_with('_'));
    let mut sites: BTreeMap<&str, Vec<&Read>> = BTreeMap::new();
    let mut others: Vec<&Read> = Vec::new();
    for read in &reads {
        match &read.name {
            Some(name) if beginning.is_none_or(|beginning| name.starts_with(beginning)) => {
                sites.entry(name).or_default().push(read);
            }
            Some(_) => {}
            None => others.push(read),
        }
    }

    let mut draft = Draft::new(asked);
    if sites.is_empty() {
        // A name that is elsewhere may be that of such a variable.
        draft.outcome(match others.is_empty() {
            true => Outcome::Absent,
            false => Outcome::NotComputed,
        });
        let begins = match beginning {
            Some(beginning) => format!(" whose name begins with `{beginning}`"),
            None => String::new(),
        };
        let one = kind.nouns.0;
        draft.note(format!(
            "No {one}{begins} is read by its name in the searched files."
        ));
    } else {
        say_names(asked, &mut draft, &sites, kind.nouns);
    }
    say_others(&mut draft, &others);
    Ok(draft.finish(asked))
}

/// Says which variables are read, and where each is.
fn say_names(
    asked: &Asked<'_>,
    draft: &mut Draft,
    sites: &BTreeMap<&str, Vec<&Read>>,
    (one, many): (&str, &str),
) {
    let mut names: Vec<&str> = sites.keys().copied().collect();
    let fit = |name: &str| {
        let words = split_identifier(name).into_iter();
        words
            .filter(|word| asked.reading.words.contains(word))
            .count()
    };
    names.sort_by_key(|name| (usize::MAX - fit(name), *name));

    let named = names.iter().take(NAMED);
    let listed: Vec<String> = named.clone().map(|name| format!("`{name}`")).collect();
    named.for_each(|name| draft.subject(*name));
    let rest = match names.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let variables = count(names.len(), one, many);
    let listed = joined(&listed);
    draft.note(format!("The code reads {variables}: {listed}{rest}."));

    for name in names {
        for read in sites.get(name).into_iter().flatten() {
            say_place(draft, read, &format!("`{name}` is read"));
        }
    }
}

/// Says where variables are read without their names.
fn say_others(draft: &mut Draft, others: &[&Read]) {
    if others.is_empty() {
        return;
    }
    let places = count(others.len(), "place", "places");
    draft.note(format!(
        "In {places} they are read otherwise: all of them, or by a name that is not there."
    ));
    for read in others {
        say_place(draft, read, "They are read");
    }
}

/// Says the place of a read, while there is space, and else keeps it.
fn say_place(draft: &mut Draft, read: &Read, what: &str) {
    if !draft.has_space() {
        draft.keep(read.span.clone());
        return;
    }
    let within = within(&read.span);
    let (path, line) = (read.span.path.encoded(), read.span.first);
    let code = shown_line(&read.span.bytes, 1);
    let text = format!("{what} in `{path}`, line {line}{within}{code}.");
    let quoted = read.name.as_ref().unwrap_or(&read.written);
    draft.say_quoted(text, quoted, read.span.clone());
}

/// Finds the places where variables are read, in the order of the files.
fn reads(asked: &Asked<'_>, kind: &Kind) -> Result<Vec<Read>, CodeError> {
    let named = Pattern::new(&format!("(?:{}){NAME}", kind.readers.join("|")))?;
    let patterns = [named, Pattern::new(kind.any)?];
    let mut found = Vec::new();
    for file in matched(asked, &patterns, is_code) {
        let [named, any] = file.hits.as_slice() else {
            continue;
        };
        let others = any.iter().filter(|other| {
            let mut named = named.iter();
            !named.any(|hit| hit.span.contains(&other.span.start))
        });

        let all = named.iter().map(|hit| (hit, true));
        let all = all.chain(others.map(|hit| (hit, false)));
        for (hit, is_named) in all.filter(|(hit, _)| !file.is_comment(hit)) {
            let (_, line) = file.rows(hit);
            let written = file.text(hit);
            found.push(Read {
                name: is_named.then(|| name_of(&written)),
                written,
                place: file.place,
                span: file.span(hit, (line, line))?,
            });
        }
    }
    Ok(found)
}

/// Returns the name at the end of what reads it.
fn name_of(text: &str) -> String {
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
    let name = text.rsplit(|c| !is_name(c)).next().unwrap_or_default();
    // `process.env.NAME` and the like end with the name.
    name.rsplit("env.").next().unwrap_or_default().to_owned()
}
