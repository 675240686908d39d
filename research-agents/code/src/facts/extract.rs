//! Extracts the facts of a file from its syntax tree.

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
    parse(grammar(refined(language, bytes))?, bytes, &clock)
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

fn facts(
    grammar: &Grammar,
    language: Language,
    bytes: &[u8],
    clock: &Clock<'_>,
) -> Option<FileFacts> {
    let tree = parse(grammar, bytes, clock)?;
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
