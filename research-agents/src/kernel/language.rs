//! Languages: their codes and names, the language of a question, the texts of the program, and how numbers are written.
//!
//! ```
//! use research_agents::kernel::Language;
//!
//! let german: Language = "de".parse()?;
//! assert_eq!((german.code(), german.name(), german.own_name()), ("de", "German", "Deutsch"));
//! assert_eq!(Language::of_question("Welche Vögel werden am häufigsten getroffen?", []), Some(german));
//! assert_eq!(Language::of_question("India events by theme", []), Some(Language::ENGLISH));
//! # Ok::<(), research_agents::kernel::UnknownLanguage>(())
//! ```

mod catalogue;
mod detect;
mod numerals;
mod phrase;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

pub(crate) use self::catalogue::every;
pub(crate) use self::numerals::Numerals;
pub(crate) use self::phrase::Phrase;

/// A language with a code of ISO 639-1. English unless something else is said.
///
/// It is written as its code, in JSON too.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "&'static str")]
pub struct Language(isolang::Language);

impl Language {
    /// English.
    pub const ENGLISH: Self = Self(isolang::Language::Eng);

    /// The code by ISO 639-1, which is a language tag of BCP 47 too: `de`.
    pub fn code(self) -> &'static str {
        // Only languages that have one are made.
        self.0.to_639_1().unwrap_or("en")
    }

    /// What it is called in English: `German`.
    pub fn name(self) -> &'static str {
        self.0.to_name()
    }

    /// What it calls itself: `Deutsch`. The English name where its own is not known.
    pub fn own_name(self) -> &'static str {
        self.0.to_autonym().unwrap_or_else(|| self.name())
    }

    /// The language that a question is asked in. None when that is not certain: it is too short, or consists of the words given,
    /// such as names and values of the fields of a data set, which tell nothing about who asks.
    pub fn of_question<'w>(question: &str, foreign: impl IntoIterator<Item = &'w str>) -> Option<Self> {
        detect::language(question, foreign)
    }

    /// Whether the texts of the program exist in this language. Where they do not, a report has English headings and notes
    /// around text in the language.
    pub fn has_catalogue(self) -> bool {
        catalogue::has(self)
    }

    /// A text of the program in this language, in English where there is none.
    pub(crate) fn say(self, phrase: Phrase<'_>) -> String {
        catalogue::say(self, phrase)
    }

    /// A number with so many decimals as this language writes it, without signs between thousands.
    pub(crate) fn decimal(self, number: f64, decimals: usize) -> String {
        let text = format!("{number:.decimals$}");
        if self.numerals().decimal == ',' { text.replace('.', ",") } else { text }
    }

    /// How this language writes numbers.
    pub(crate) fn numerals(self) -> &'static Numerals {
        numerals::of(self.code())
    }

    /// By a code of two letters.
    fn of_code(code: &str) -> Option<Self> {
        isolang::Language::from_639_1(code).map(Self)
    }
}

impl Default for Language {
    fn default() -> Self {
        Self::ENGLISH
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Debug for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

impl From<Language> for &'static str {
    fn from(language: Language) -> Self {
        language.code()
    }
}

impl TryFrom<String> for Language {
    type Error = UnknownLanguage;

    fn try_from(code: String) -> Result<Self, UnknownLanguage> {
        code.parse()
    }
}

impl FromStr for Language {
    type Err = UnknownLanguage;

    /// By a tag of BCP 47 whose first part is a code of two letters: `de`, `pt-BR`; the rest of it has no effect. In any case.
    fn from_str(tag: &str) -> Result<Self, UnknownLanguage> {
        let parsed: Option<unic_langid::LanguageIdentifier> = tag.trim().parse().ok();
        let code = parsed.map(|parsed| parsed.language.to_string());
        code.and_then(|code| Self::of_code(&code)).ok_or_else(|| UnknownLanguage { tag: tag.to_owned() })
    }
}

/// A tag that names no language.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{tag}` is no language code; give one of two letters, such as de, en, es, fr, it or pt")]
pub struct UnknownLanguage {
    /// The tag.
    pub tag: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_language_is_known_by_its_tag() {
        for (tag, code) in [("de", "de"), ("DE", "de"), ("pt-BR", "pt"), ("zh-Hant-TW", "zh"), (" fr ", "fr")] {
            assert_eq!(tag.parse::<Language>().unwrap().code(), code, "{tag}");
        }
        for tag in ["", "german", "xx", "d", "de_", "1"] {
            let error = tag.parse::<Language>().unwrap_err();
            assert!(error.to_string().contains("give one of two letters"), "{tag}: {error}");
        }
    }

    #[test]
    fn it_is_its_code_in_json() {
        let german: Language = "de".parse().unwrap();
        assert_eq!(serde_json::to_string(&german).unwrap(), "\"de\"");
        assert_eq!(serde_json::from_str::<Language>("\"de-CH\"").unwrap(), german);
        assert!(serde_json::from_str::<Language>("\"nonsense\"").is_err());
    }

    #[test]
    fn decimals_are_written_as_the_language_does() {
        let written = |tag: &str| tag.parse::<Language>().unwrap().decimal(1234.56, 1);
        assert_eq!((written("en"), written("de"), written("ja")), ("1234.6".into(), "1234,6".into(), "1234.6".into()));
    }
}
