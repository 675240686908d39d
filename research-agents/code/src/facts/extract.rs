//! Extracts the facts of a file from its syntax tree.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use tree_sitter::{ParseOptions, Parser, Tree};

use crate::facts::clock::Clock;
use crate::facts::fact::FileFacts;
use crate::facts::found::Found;
use crate::facts::lines::LineIndex;
use crate::facts::walk::Walked;
use crate::lang::{Grammar, Language, grammar};
use crate::tree::FileBytes;

/// Maximum time for one file. A pathological file costs this much and is reported.
const FILE_TIME: Duration = Duration::from_secs(5);

/// Outcome of an extraction.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Extraction {
    /// The facts of the file.
    Facts(Arc<FileFacts>),
    /// The feature of the language is disabled.
    NoGrammar,
    /// The file took longer than five seconds.
    TooSlow,
    /// The caller has cancelled.
    Cancelled,
}

/// Extracts the facts of a file. A file with syntax errors has the facts of its other parts.
///
/// ```
/// use std::sync::atomic::AtomicBool;
///
/// use research_agents_code::facts::{Extraction, extract};
/// use research_agents_code::lang::Language;
///
/// # if cfg!(feature = "rust") {
/// let code = b"fn main() { run(1); }";
/// let Extraction::Facts(facts) = extract(Language::Rust, code, &AtomicBool::new(false)) else {
///     panic!("the feature `rust` is enabled");
/// };
/// assert_eq!(facts.symbols[0].name, "main");
/// assert_eq!(facts.references[0].name, "run");
/// # }
/// ```
pub fn extract(language: Language, bytes: &[u8], is_cancelled: &AtomicBool) -> Extraction {
    let language = refined(language, bytes);
    let Some(grammar) = grammar(language) else {
        return Extraction::NoGrammar;
    };
    let clock = Clock::start(FILE_TIME, is_cancelled);
    match facts(grammar, language, bytes, &clock) {
        Some(facts) => Extraction::Facts(Arc::new(facts)),
        None if clock.is_cancelled() => Extraction::Cancelled,
        None => Extraction::TooSlow,
    }
}

/// Supplies the facts of files.
pub trait FactSource: Sync {
    /// Returns the facts of a file with this content.
    fn facts(&self, language: Language, file: &FileBytes, is_cancelled: &AtomicBool) -> Extraction;
}

/// Parses each file that is asked for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Parse;

impl FactSource for Parse {
    fn facts(&self, language: Language, file: &FileBytes, is_cancelled: &AtomicBool) -> Extraction {
        extract(language, &file.bytes, is_cancelled)
    }
}

/// Parses a file. `None` if its language has no grammar, it takes too long, or the caller cancels.
pub(crate) fn syntax(language: Language, bytes: &[u8], is_cancelled: &AtomicBool) -> Option<Tree> {
    let clock = Clock::start(FILE_TIME, is_cancelled);
    let language = refined(language, bytes);
    parse(
        grammar(language)?,
        &without_exports(language, bytes),
        &clock,
    )
}

/// Returns C++ for a header that has classes, namespaces or templates, if C++ is enabled.
fn refined(language: Language, bytes: &[u8]) -> Language {
    const MARKS: &[&[u8]] = &[
        b"\nclass ",
        b"\nnamespace ",
        b"\ntemplate",
        b"\npublic:",
        b"\n    public:",
        b"\n  public:",
    ];
    let is_cpp = language == Language::C
        && grammar(Language::Cpp).is_some()
        && MARKS
            .iter()
            .any(|mark| bytes.windows(mark.len()).any(|window| window == *mark));
    if is_cpp { Language::Cpp } else { language }
}

/// Replaces the macro of `class EXPORT Name : Base {` by spaces in C++, since the grammar reads
/// such a class as a function. Offsets stay.
fn without_exports(language: Language, bytes: &[u8]) -> Cow<'_, [u8]> {
    let mut masked = Cow::Borrowed(bytes);
    if language != Language::Cpp {
        return masked;
    }
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';

    for keyword in [&b"class"[..], b"struct"] {
        let found = bytes.windows(keyword.len()).enumerate();
        for (at, _) in found.filter(|(_, window)| *window == keyword) {
            if at > 0 && is_word(bytes[at - 1]) {
                continue;
            }
            let start = skip(bytes, at + keyword.len(), |byte| byte.is_ascii_whitespace());
            let end = skip(bytes, start, is_word);
            let name = skip(bytes, end, |byte| byte.is_ascii_whitespace());
            let name_end = skip(bytes, name, is_word);
            let next = skip(bytes, name_end, |byte| byte.is_ascii_whitespace());

            let is_macro = start > at + keyword.len()
                && end > start + 1
                && !bytes[start..end].iter().any(u8::is_ascii_lowercase);
            let is_class = name > end && name_end > name && &bytes[name..name_end] != b"final";
            let rest = bytes.get(next..).unwrap_or_default();
            let is_body = rest.starts_with(b"{")
                || rest.starts_with(b"final")
                || rest.starts_with(b":") && !rest.starts_with(b"::");
            if is_macro && is_class && is_body {
                masked.to_mut()[start..end].fill(b' ');
            }
        }
    }
    masked
}

/// Returns the first position from one on whose byte is of another kind.
fn skip(bytes: &[u8], from: usize, is_kind: impl Fn(u8) -> bool) -> usize {
    let rest = bytes.get(from..).unwrap_or_default();
    let length = rest.iter().position(|byte| !is_kind(*byte));
    from + length.unwrap_or(rest.len())
}

fn facts(
    grammar: &Grammar,
    language: Language,
    bytes: &[u8],
    clock: &Clock<'_>,
) -> Option<FileFacts> {
    let tree = parse(grammar, &without_exports(language, bytes), clock)?;
    let lines = LineIndex::new(bytes);
    let found = Found::query(grammar, &tree, bytes, clock)?;
    let walked = Walked::walk(grammar, &tree, bytes, &lines, clock)?;
    Some(found.into_facts(language, bytes, &lines, walked, &tree))
}

fn parse(grammar: &Grammar, bytes: &[u8], clock: &Clock<'_>) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(&grammar.language).ok()?;
    let mut progress = |_: &tree_sitter::ParseState| clock.flow();
    parser.parse_with_options(
        &mut |at, _| bytes.get(at..).unwrap_or_default(),
        None,
        Some(ParseOptions::new().progress_callback(&mut progress)),
    )
}
