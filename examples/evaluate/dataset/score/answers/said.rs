//! What a report says, as text.

use crate::dataset::score::figures::{Figure, figures};
use crate::dataset::score::scope::{Reading, texts};

/// Words for yes in the languages of the questions.
const YES: [&str; 6] = ["yes", "ja", "oui", "sí", "sì", "sim"];
/// Words for no.
const NO: [&str; 5] = ["no", "nein", "non", "não", "nao"];
/// Parts of words that speak of an extreme.
const SUPERLATIVES: [&str; 15] = [
    "highest",
    "lowest",
    "most",
    "largest",
    "smallest",
    "longest",
    "shortest",
    "fewest",
    "höchst",
    "niedrigst",
    "plus",
    "mayor",
    "maior",
    "più",
    "más",
];
/// Headings of what a report lists and does not say.
const LISTS: [&str; 6] = ["## sources", "## quellen", "## fuentes", "## fonti", "## fontes", "## details"];

/// The texts of a report.
pub struct Said {
    pub title: String,
    /// The first sentence.
    pub first: String,
    /// Everything of the first section.
    pub lead: Vec<String>,
    /// Everything of all sections: sentences and the program's own words.
    pub all: Vec<String>,
    /// Lines of tables, without the list of sources.
    pub lines: Vec<String>,
    /// Number of words without tables and the list of sources.
    pub words: usize,
    /// Number of words of the whole text.
    pub words_in_all: usize,
    /// Whether numbers may be written with a decimal comma.
    has_commas: bool,
}

impl Said {
    pub fn new(reading: &Reading<'_>) -> Self {
        let document = reading.document;
        let plain = |texts: Vec<&str>| texts.into_iter().map(plain_line).collect::<Vec<_>>();
        let sections: Vec<Vec<String>> = document.sections.iter().map(|section| plain(texts(section))).collect();
        let lead = sections.iter().find(|section| !section.is_empty()).cloned().unwrap_or_default();

        let markdown = &reading.report.markdown;
        let is_list = |line: &&str| LISTS.iter().any(|heading| line.to_lowercase().starts_with(heading));
        let body: Vec<&str> = markdown.lines().take_while(|line| !is_list(line)).collect();
        let is_cells = |line: &str| line.trim_start().starts_with('|');
        let count = |line: &&str| line.split_whitespace().filter(|word| word.contains(char::is_alphanumeric)).count();

        Self {
            title: plain_line(document.title.as_str()),
            first: lead.first().cloned().unwrap_or_default(),
            all: sections.concat(),
            lead,
            lines: body.iter().filter(|line| is_cells(line)).map(|line| plain_line(line)).collect(),
            words: body.iter().filter(|line| !is_cells(line)).map(count).sum(),
            words_in_all: markdown.lines().map(|line| count(&line)).sum(),
            has_commas: serde_json::to_value(reading.report.language).is_ok_and(|language| language != "en"),
        }
    }

    /// Returns whether the first sentence answers with yes or with no: a word for it and a mark after it. "No record …" denies
    /// a record, and does not answer.
    pub fn verdict(&self) -> Option<bool> {
        let first = self.first.trim_start();
        let (word, rest) = first.split_at(first.find(|c: char| !c.is_alphabetic())?);
        let is_marked = rest.trim_start().starts_with([',', '.', ':', ';', '–', '—', '-']);
        let word = word.to_lowercase();
        match is_marked {
            true if YES.contains(&word.as_str()) => Some(true),
            true if NO.contains(&word.as_str()) => Some(false),
            _ => None,
        }
    }

    /// Returns whether the first section speaks of an extreme.
    pub fn has_superlative(&self) -> bool {
        let text = self.lead.join(" ").to_lowercase();
        SUPERLATIVES.iter().any(|word| text.contains(word))
    }

    /// Returns the numbers of a text, read in each way that its language allows.
    pub fn numbers(&self, text: &str) -> Vec<Figure> {
        let mut found = figures(text);
        if self.has_commas {
            let swapped: String = text
                .chars()
                .map(|c| match c {
                    '.' => ',',
                    ',' => '.',
                    other => other,
                })
                .collect();
            found.extend(figures(&swapped));
        }
        found
    }
}

/// Returns a line without marks of Markdown and with plain signs.
fn plain_line(text: &str) -> String {
    text.replace(['*', '_', '`'], "").replace('\\', "").replace('−', "-")
}
