//! Real prose: paragraphs with their headings, and the sentences that state something.

use std::fs;
use std::path::{Path, PathBuf};

use research_agents::report::check::grounded::{Cited, Grounding, ground};
use research_agents::report::language::Language;
use research_agents::report::text::sentences;

/// A paragraph of a document.
#[derive(Clone, Debug)]
pub struct Paragraph {
    pub document: String,
    pub heading: String,
    pub text: String,
    /// Statements of it.
    pub statements: Vec<String>,
}

impl Paragraph {
    pub fn cited(&self) -> Cited<'_> {
        let mut cited = Cited::text(&self.document, &self.document, &self.text);
        cited.headings.push(&self.heading);
        cited
    }

    /// Holds a sentence against this paragraph.
    pub fn ground(&self, sentence: &str) -> Grounding {
        ground(sentence, Language::ENGLISH, &[self.cited()])
    }

    /// Returns whether the paragraph has a word.
    pub fn has(&self, word: &str) -> bool {
        let word = word.to_lowercase();
        let mut own = self.text.split(|c: char| !c.is_alphanumeric());
        own.any(|own| own.to_lowercase() == word)
    }
}

pub fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("text_evidence/data").join(name)
}

/// All paragraphs of all documents of a folder, in order.
pub fn paragraphs(folder: &str) -> Vec<Paragraph> {
    let mut files: Vec<PathBuf> = fs::read_dir(data(folder)).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files.iter().flat_map(|file| paragraphs_of(file)).collect()
}

fn paragraphs_of(file: &Path) -> Vec<Paragraph> {
    let text = fs::read_to_string(file).unwrap();
    let document = file.file_stem().unwrap().to_string_lossy().into_owned();
    let mut heading = String::new();
    let mut found = Vec::new();
    for block in text.split("\n\n").map(str::trim).filter(|block| !block.is_empty()) {
        match block.strip_prefix('#') {
            Some(title) => heading = title.trim_start_matches('#').trim().to_string(),
            None => found.push(Paragraph {
                document: document.clone(),
                heading: heading.clone(),
                text: block.to_string(),
                statements: statements(block),
            }),
        }
    }
    found
}

/// Sentences that state something: complete, of usual length, without a question.
fn statements(text: &str) -> Vec<String> {
    let is_statement = |sentence: &str| {
        let words = sentence.split_whitespace().count();
        let complete = sentence.starts_with(char::is_uppercase) && sentence.ends_with('.');
        let balanced = sentence.matches('(').count() == sentence.matches(')').count()
            && sentence.matches('"').count().is_multiple_of(2);
        (5..=45).contains(&words) && complete && balanced
    };
    sentences(text).into_iter().map(|range| text[range].to_string()).filter(|sentence| is_statement(sentence)).collect()
}

/// A deterministic choice: the same text gives the same number.
pub fn pick(seed: &str, choices: usize) -> usize {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in seed.bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    ((hash >> 17) % choices.max(1) as u64) as usize
}
