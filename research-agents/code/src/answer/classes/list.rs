//! Lists and numbers of symbols: members of a type, what a file defines, functions by their result.

pub(crate) mod members;
pub(crate) mod sets;

use crate::answer::claim::{Claim, CountOf};
use crate::answer::classes::absent::absent;
use crate::answer::classes::list::members::{Member, NAMES, member, say};
use crate::answer::classes::other::other;
use crate::answer::draft::{Asked, Draft, count};
use crate::answer::report::Answer;
use crate::answer::subject::{Sought, Subject, subject};
use crate::base::{Provenance, span_of};
use crate::error::CodeError;
use crate::facts::{Symbol, SymbolKind};
use crate::lang::FileKind;
use crate::question::QuestionClass;
use crate::resolve::body::entries_at;

/// What is listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kinds {
    All,
    Functions,
    Types,
    Variables,
    Only(SymbolKind),
}

impl Kinds {
    /// Reads what a question lists, with the noun for one and for several.
    fn from_text(text: &str) -> (Self, &'static str, &'static str) {
        let table: &[(&str, Self, &str, &str)] = &[
            ("overload", Self::Functions, "overload", "overloads"),
            ("method", Self::Functions, "method", "methods"),
            ("function", Self::Functions, "function", "functions"),
            ("macro", Self::Functions, "macro", "macros"),
            ("class", Self::Types, "class", "classes"),
            ("struct", Self::Types, "struct", "structs"),
            ("trait", Self::Only(SymbolKind::Trait), "trait", "traits"),
            (
                "interface",
                Self::Only(SymbolKind::Interface),
                "interface",
                "interfaces",
            ),
            ("enumerator", Self::Variables, "enumerator", "enumerators"),
            ("variant", Self::Variables, "variant", "variants"),
            ("enum", Self::Only(SymbolKind::Enum), "enum", "enums"),
            ("constant", Self::Variables, "constant", "constants"),
            ("field", Self::Variables, "field", "fields"),
            ("propert", Self::Variables, "property", "properties"),
            ("attribute", Self::Variables, "attribute", "attributes"),
            ("variable", Self::Variables, "variable", "variables"),
            (
                "module",
                Self::Only(SymbolKind::Module),
                "module",
                "modules",
            ),
            ("type", Self::Types, "type", "types"),
        ];

        table
            .iter()
            .find(|(cue, ..)| text.split_whitespace().any(|word| word.starts_with(cue)))
            .map_or((Self::All, "symbol", "symbols"), |(_, kinds, one, many)| {
                (*kinds, *one, *many)
            })
    }

    fn admits(self, kind: SymbolKind) -> bool {
        match self {
            Self::All => kind != SymbolKind::Impl,
            Self::Functions => kind.is_function(),
            Self::Types => kind.is_type() && kind != SymbolKind::Impl || kind == SymbolKind::Type,
            Self::Variables => kind == SymbolKind::Variable,
            Self::Only(only) => kind == only,
        }
    }
}

/// Answers what the members of a set are, and how many.
pub(crate) fn list(asked: &Asked<'_>) -> Result<Answer, CodeError> {
    let text = asked.reading.text.clone();
    let (kinds, one, many) = Kinds::from_text(&text);
    let has_name = asked.reading.terms.iter().any(|term| !term.is_file);
    if text.contains("overload")
        && let Some(answer) = sets::overloads(asked)?
    {
        return Ok(answer);
    }
    // `the maximum number of jobs` lists nothing of a folder `jobs`.
    let lists = [
        "symbols",
        "what is in",
        "what's in",
        "contents",
        "files",
        "exports",
        "defined in",
    ];
    let is_list = kinds != Kinds::All
        || asked.reading.class == QuestionClass::Structure
        || lists.iter().any(|cue| text.contains(cue))
        || !asked.reading.terms.is_empty();
    if !is_list && asked.narrow.has_paths() {
        return other(asked);
    }
    if asked.narrow.has_paths() && !has_name {
        let of_tree = match kinds {
            Kinds::All => sets::files(asked).or_else(|| sets::exports(asked)),
            _ => None,
        };
        if let Some(answer) = of_tree {
            return Ok(answer);
        }
        let mut members = of_files(asked, kinds, &text);
        if !members.is_empty() {
            let mut of = asked.narrow.text();
            if let Some(prefix) = sets::prefix(asked, &[one, many], &members) {
                members.retain(|member| member.name.starts_with(&prefix));
                of.push_str(&format!(" whose names begin with `{prefix}`"));
            }
            return Ok(say(asked, &members, (one, many), &of, None));
        }
    }

    match subject(asked)? {
        Sought::Found(found) if has_no_members(asked, &found) => other(asked),
        Sought::Found(found) => Ok(of_subject(asked, &found, kinds, (one, many), &text)),
        Sought::Missing(missing) => Ok(absent(asked, &missing)),
        Sought::Unnamed => other(asked),
    }
}

/// Returns whether a plain word was read as a function or variable, which has no members.
fn has_no_members(asked: &Asked<'_>, subject: &Subject) -> bool {
    let text = &asked.reading.text;
    let is_member = |kind: SymbolKind| kind.is_function() || kind == SymbolKind::Variable;
    let mut kinds = subject.definitions().map(|one| one.kind);
    let returns = text.contains("return") || text.contains("overload");
    asked.reading.terms.is_empty() && !returns && kinds.all(is_member)
}

/// Lists the members of a type, the overloads of a function, or the functions that return a type.
fn of_subject(
    asked: &Asked<'_>,
    subject: &Subject,
    kinds: Kinds,
    noun: (&str, &str),
    text: &str,
) -> Answer {
    let name = subject.name();
    let returns = [
        "that return",
        "which return",
        "returning",
        "functions return",
    ];
    if returns.iter().any(|cue| text.contains(cue)) {
        let members = returning(asked, subject);
        if !members.is_empty() {
            let of = format!(" that return `{name}`");
            return say(asked, &members, noun, &of, Some(subject));
        }
    }

    let mut members = Vec::new();
    for definition in subject.definitions() {
        let Some(hit) = subject.uses.hit_of(&definition.path) else {
            continue;
        };
        let Some(facts) = &hit.facts else { continue };
        let is_owned = |symbol: &Symbol| {
            let is_child = symbol.parent == Some(definition.symbol);
            // Variants and fields are children; methods may be in another block.
            let is_member = facts.owner(symbol) == Some(definition.name.as_str());
            let is_indirect = symbol.parent.is_some_and(|at| at == definition.symbol);
            is_child || is_member || is_indirect
        };
        let is_container = definition.kind.is_type()
            || matches!(definition.kind, SymbolKind::Module | SymbolKind::Type);
        if !is_container {
            continue;
        }
        let wanted = facts
            .symbols
            .iter()
            .filter(|symbol| is_owned(symbol) && kinds.admits(symbol.kind));
        for symbol in wanted {
            members.extend(member(asked, &definition.path, &hit.bytes, facts, symbol));
        }
    }
    if members.is_empty() {
        // Several functions of one name are themselves the list.
        let is_overloads = noun.0 == "overload" || subject.chosen.len() > 1;
        if !is_overloads && let Some(entries) = entries(asked, subject) {
            return entries;
        }
        return super::definition::definition(asked, subject);
    }
    let of = format!(" of `{name}`");
    say(asked, &members, noun, &of, Some(subject))
}

/// Lists the symbols of the files that a question names.
fn of_files(asked: &Asked<'_>, kinds: Kinds, text: &str) -> Vec<Member> {
    let is_error = text.contains("error class") || text.contains("exception class");
    let errors = is_error.then(|| sets::errors(asked));
    let mut members = Vec::new();

    for file in asked.files.tree().files() {
        let place = asked.files.place(&file.path);
        let is_wanted = matches!(FileKind::of_path(&file.path), FileKind::Code(_))
            && asked.scope.admits(&file.path)
            && asked.narrow.admits(&file.path, place);
        if !is_wanted {
            continue;
        }
        let Ok(content) = asked.files.read(&file.path) else {
            continue;
        };
        let facts = asked
            .files
            .facts_of(&file.path, &content, asked.is_cancelled);
        let Some(facts) = facts else { continue };
        for symbol in facts
            .symbols
            .iter()
            .filter(|symbol| kinds.admits(symbol.kind))
        {
            let is_nested = symbol.parent.is_some_and(|at| {
                let outer = facts.symbols.get(at).map(|outer| outer.kind);
                match kinds {
                    Kinds::Functions | Kinds::Types => outer.is_some_and(SymbolKind::is_function),
                    _ => outer != Some(SymbolKind::Module),
                }
            });
            let is_named = errors
                .as_ref()
                .is_none_or(|errors| errors.contains(&symbol.name));
            if !is_nested && is_named {
                members.extend(member(asked, &file.path, &content.bytes, &facts, symbol));
            }
        }
    }
    members
}

/// Lists the functions whose signature has a type outside of its parameters.
fn returning(asked: &Asked<'_>, subject: &Subject) -> Vec<Member> {
    let name = subject.term.name.as_str();
    let mut members = Vec::new();

    for (tally, hit) in subject.uses.ledger.files.iter().zip(&subject.uses.hits) {
        let Some(facts) = &hit.facts else { continue };
        let place = asked.files.place_of(&tally.path, facts.is_generated);
        if !asked.narrow.admits(&tally.path, place) {
            continue;
        }
        for symbol in facts
            .symbols
            .iter()
            .filter(|symbol| symbol.kind.is_function())
        {
            let is_result = result_part(&symbol.signature, &symbol.name)
                .split(|c: char| !c.is_alphanumeric() && c != '_')
                .any(|word| word == name);
            if is_result {
                members.extend(member(asked, &tally.path, &hit.bytes, facts, symbol));
            }
        }
    }
    members
}

/// Returns a signature without the name and the parameters of the function.
fn result_part(signature: &str, name: &str) -> String {
    let Some(at) = signature.find(name) else {
        return String::new();
    };
    let (before, after) = signature.split_at(at);
    let mut depth = 0;
    let end = after.char_indices().find_map(|(at, c)| {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        (c == ')' && depth == 0).then_some(at + 1)
    });
    let after = end.and_then(|end| after.get(end..)).unwrap_or_default();
    format!("{before} {after}")
}

/// Answers how many entries the table has that a name is set to. `None` if it is not set to one.
fn entries(asked: &Asked<'_>, subject: &Subject) -> Option<Answer> {
    for definition in subject.definitions() {
        let hit = subject.uses.hit_of(&definition.path)?;
        let FileKind::Code(language) = FileKind::of_path(&definition.path) else {
            continue;
        };
        let symbol = hit.facts.as_ref()?.symbols.get(definition.symbol)?;
        let found = entries_at(language, &hit.bytes, &symbol.span, asked.is_cancelled);
        let Some((entries, lines)) = found.filter(|(entries, _)| !entries.is_empty()) else {
            continue;
        };

        let mut draft = Draft::new(asked);
        draft.subject(subject.name());
        let provenance = Provenance::Treesitter;
        let span = span_of(&definition.path, &hit.bytes, lines, provenance).ok()?;
        let span = draft.cite(span);
        let names: Vec<String> = entries
            .iter()
            .take(NAMES)
            .map(|entry| format!("`{}`", entry.replace('`', "'")))
            .collect();
        draft.say(
            format!(
                "`{}` has {}: {}.",
                subject.name(),
                count(entries.len(), "entry", "entries"),
                names.join(", ")
            ),
            vec![Claim::Count {
                of: CountOf::Shown {
                    what: "entries".to_owned(),
                },
                count: entries.len(),
            }],
            vec![span],
        );
        return Some(draft.finish(asked));
    }
    None
}
