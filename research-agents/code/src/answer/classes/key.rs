//! Where a key of a configuration is read and set.

use std::ops::Range;

use crate::answer::candidate::constant;
use crate::answer::claim::Claim;
use crate::answer::classes::absent::absent;
use crate::answer::classes::other::other;
use crate::answer::classes::texts::{is_textual, textual};
use crate::answer::classes::uses::say_ledger;
use crate::answer::draft::{Asked, Draft, count, joined, shown_line};
use crate::answer::report::Answer;
use crate::answer::subject::{Sought, seek};
use crate::base::{Place, Provenance, span_of};
use crate::error::CodeError;
use crate::facts::LineIndex;
use crate::lang::FileKind;
use crate::ledger::Class;
use crate::question::Term;
use crate::resolve::Uses;
use crate::resolve::body::{KeySite, KeyUse, document_values, key_sites};
use crate::tree::RelPath;

/// Number of sites that are shown.
const SHOWN: usize = 8;

/// A use of a key with its file.
struct Site {
    path: RelPath,
    place: Place,
    site: KeySite,
}

/// Answers where a key is read and set. `None` if the question has no name: it may be one for the
/// constant that holds the key.
pub(crate) fn config_key(asked: &Asked<'_>) -> Result<Option<Answer>, CodeError> {
    let Some(term) = asked.reading.terms.iter().find(|term| !term.is_file) else {
        return by_hint(asked);
    };
    // A key may have dots and dashes, which are not parts of a qualified name.
    let key = term.full();
    let whole = Uses::find(asked.files, asked.scope, &key, asked.is_cancelled)?;
    let mut sites = key_uses(asked, &whole);
    if sites.is_empty() && !term.qualifiers.is_empty() {
        // A nested key is read part by part.
        sites = nested(asked, term)?;
    }
    if !sites.is_empty() {
        return Ok(Some(say(asked, &key, &sites, &whole)));
    }

    Ok(Some(match seek(asked, term)? {
        Sought::Found(found) if is_textual(&found) => textual(asked, &found),
        Sought::Found(found) => super::uses::uses(asked, &found),
        Sought::Missing(missing) => absent(asked, &missing),
        Sought::Unnamed => other(asked)?,
    }))
}

/// Answers where a function that reads keys is used, if the question hints at one.
fn by_hint(asked: &Asked<'_>) -> Result<Option<Answer>, CodeError> {
    for hint in &asked.reading.hints {
        let Some(term) = Term::parse(hint, false) else {
            continue;
        };
        if let Sought::Found(found) = seek(asked, &term)?
            && !found.uses.uses.is_empty()
        {
            return Ok(Some(super::uses::uses(asked, &found)));
        }
    }
    Ok(None)
}

/// Returns what is done with a key, over all files.
fn key_uses(asked: &Asked<'_>, uses: &Uses) -> Vec<Site> {
    let mut found = Vec::new();
    for (tally, hit) in uses.ledger.files.iter().zip(&uses.hits) {
        let strings: Vec<Range<usize>> = tally
            .occurrences
            .iter()
            .filter(|one| matches!(one.class, Class::String | Class::Document))
            .map(|one| one.span.clone())
            .collect();
        let sites = match FileKind::of_path(&tally.path) {
            FileKind::Code(language) => {
                key_sites(language, &hit.bytes, &strings, asked.is_cancelled)
            }
            FileKind::Document if is_configuration(&tally.path) => {
                let values = document_values(&hit.bytes, &strings).into_iter();
                values
                    .map(|value| KeySite {
                        does: KeyUse::Set,
                        accessor: None,
                        value: Some(value.literal),
                        lines: value.lines,
                    })
                    .collect()
            }
            _ => Vec::new(),
        };
        let is_generated = hit.facts.as_ref().is_some_and(|facts| facts.is_generated);
        let place = asked.files.place_of(&tally.path, is_generated);
        found.extend(sites.into_iter().map(|site| Site {
            path: tally.path.clone(),
            place,
            site,
        }));
    }

    found.sort_by(|a, b| {
        (a.place, a.site.does, &a.path, a.site.lines).cmp(&(
            b.place,
            b.site.does,
            &b.path,
            b.site.lines,
        ))
    });
    found
}

/// Returns the uses of the last part of a key in files that also have the parts before it.
fn nested(asked: &Asked<'_>, term: &Term) -> Result<Vec<Site>, CodeError> {
    let find = |name: &str| Uses::find(asked.files, asked.scope, name, asked.is_cancelled);
    let mut found = key_uses(asked, &find(&term.name)?);
    for part in &term.qualifiers {
        let with = key_uses(asked, &find(part)?);
        found.retain(|site| with.iter().any(|other| other.path == site.path));
    }
    Ok(found)
}

fn is_configuration(path: &RelPath) -> bool {
    matches!(
        path.extension().as_str(),
        "toml" | "yaml" | "yml" | "json" | "ini" | "cfg" | "conf" | "properties"
    )
}

fn say(asked: &Asked<'_>, key: &str, sites: &[Site], whole: &Uses) -> Answer {
    let mut draft = Draft::new(asked);
    draft.subject(key);
    let number = |does: KeyUse| sites.iter().filter(|site| site.site.does == does).count();
    let mut parts = Vec::new();
    for (does, verb) in [
        (KeyUse::Read, "read"),
        (KeyUse::Set, "set"),
        (KeyUse::Named, "named"),
    ] {
        if number(does) > 0 {
            parts.push(format!("{verb} {}", count(number(does), "time", "times")));
        }
    }
    let defaults: Vec<String> = sites
        .iter()
        .filter(|site| site.site.does == KeyUse::Read && site.site.accessor.is_some())
        .filter_map(|site| site.site.value.clone())
        .collect();
    let mut spans = Vec::new();
    let default = match defaults.first() {
        Some(value) => {
            let meaning = match constant(asked, value) {
                Some(meaning) => {
                    let literal = meaning.value.site.literal.replace('`', "'");
                    spans.extend(meaning.span(asked).map(|span| draft.cite(span)));
                    format!(", which is `{literal}`")
                }
                None => String::new(),
            };
            let value = value.replace('`', "'");
            format!("; where it is read, its default is `{value}`{meaning}")
        }
        None => String::new(),
    };
    let set = sites
        .iter()
        .find(|site| site.site.does == KeyUse::Set && site.place == Place::Source);
    let set = set.and_then(|site| site.site.value.as_ref());
    let default = match set.filter(|_| default.is_empty()) {
        Some(value) => format!(", first to `{}`", value.replace('`', "'")),
        None => default,
    };
    let text = format!("The key `{key}` is {}{default}.", joined(&parts));
    draft.say(text, Vec::new(), spans);

    for (at, one) in sites.iter().enumerate() {
        let Ok(content) = asked.files.read(&one.path) else {
            continue;
        };
        let (first, last) = one.site.lines;
        let lines = (first, last.min(first + 9));
        let Ok(span) = span_of(&one.path, &content.bytes, lines, Provenance::Treesitter) else {
            continue;
        };
        if at >= SHOWN || !draft.has_space() {
            draft.keep(span);
            continue;
        }
        let facts = asked
            .files
            .facts_of(&one.path, &content, asked.is_cancelled);
        let around = facts.as_ref().and_then(|facts| {
            let start = LineIndex::new(&content.bytes).bytes(first, first)?.start;
            let symbol = facts.enclosing(start)?;
            Some((facts.qualified_name(symbol), symbol.kind.name()))
        });
        let within = match &around {
            Some((symbol, _)) => format!(", in `{symbol}`"),
            None => String::new(),
        };
        let span = match around {
            Some((symbol, kind)) => span.with_symbol(symbol, kind),
            None => span,
        };
        let span = draft.cite(span);
        let verb = match one.site.does {
            KeyUse::Read => "read",
            KeyUse::Set => "set",
            KeyUse::Named => "named",
        };
        let by = match &one.site.accessor {
            Some(accessor) => format!(" by `{}`", accessor.replace('`', "'")),
            None => String::new(),
        };
        let value = match (&one.site.value, one.site.does) {
            (Some(value), KeyUse::Read) => format!(", default `{}`", value.replace('`', "'")),
            (Some(value), _) => format!(" to `{}`", value.replace('`', "'")),
            (None, _) => String::new(),
        };
        let place = match one.place {
            Place::Source => "",
            Place::Test => ", in tests",
            Place::Generated => ", in generated or copied code",
        };
        let claim = match &one.site.value {
            Some(literal) => Claim::Value {
                key: key.to_owned(),
                literal: literal.clone(),
                span,
            },
            None => Claim::Quote {
                text: key.to_owned(),
                span,
            },
        };
        let line = match &one.site.value {
            Some(_) => String::new(),
            None => shown_line(&content.bytes, first),
        };
        draft.say(
            format!(
                "It is {verb}{by}{value} in `{}`, line {first}{within}{place}{line}.",
                one.path.encoded()
            ),
            vec![claim],
            vec![span],
        );
    }
    draft.ledger(&whole.ledger);
    say_ledger(&mut draft, &whole.ledger);
    draft.finish(asked)
}
