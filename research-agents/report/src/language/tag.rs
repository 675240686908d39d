//! Languages by their codes and names.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A language with an ISO 639-1 code. Defaults to English. It is serialized as its code.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "&'static str")]
pub struct Language(isolang::Language);

impl Language {
    /// English.
    pub const ENGLISH: Self = Self(isolang::Language::Eng);

    /// Returns the ISO 639-1 code, which is also a BCP 47 language tag: `de`.
    pub fn code(self) -> &'static str {
        // All constructors require such a code.
        self.0.to_639_1().unwrap_or("en")
    }

    /// Returns the English name: `German`.
    pub fn name(self) -> &'static str {
        self.0.to_name()
    }

    /// Returns the name in the language itself: `Deutsch`. If that is unknown, the English name.
    pub fn own_name(self) -> &'static str {
        self.0.to_autonym().unwrap_or_else(|| self.name())
    }

    /// Returns the language with this ISO 639-3 code, if it also has a two-letter code.
    pub(crate) fn from_three_letters(code: &str) -> Option<Self> {
        isolang::Language::from_639_3(code)
            .filter(|known| known.to_639_1().is_some())
            .map(Self)
    }

    /// Returns the language with this two-letter code.
    pub(crate) fn from_code(code: &str) -> Option<Self> {
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

    /// Parses a BCP 47 language tag in any letter case. Its first part must be a two-letter code:
    /// `de`, `pt-BR`. The other parts have no effect.
    fn from_str(tag: &str) -> Result<Self, UnknownLanguage> {
        let parsed: Option<unic_langid::LanguageIdentifier> = tag.trim().parse().ok();
        let code = parsed.map(|parsed| parsed.language.to_string());
        code.and_then(|code| Self::from_code(&code))
            .ok_or_else(|| UnknownLanguage {
                tag: tag.to_owned(),
            })
    }
}

/// A tag that is not a known language.
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
        for (tag, code) in [
            ("de", "de"),
            ("DE", "de"),
            ("pt-BR", "pt"),
            ("zh-Hant-TW", "zh"),
            (" fr ", "fr"),
        ] {
            assert_eq!(tag.parse::<Language>().unwrap().code(), code, "{tag}");
        }
        for tag in ["", "german", "xx", "d", "de_", "1"] {
            let error = tag.parse::<Language>().unwrap_err();
            assert!(
                error.to_string().contains("give one of two letters"),
                "{tag}: {error}"
            );
        }
    }

    #[test]
    fn it_is_its_code_in_json() {
        let german: Language = "de".parse().unwrap();
        assert_eq!(serde_json::to_string(&german).unwrap(), "\"de\"");
        assert_eq!(
            serde_json::from_str::<Language>("\"de-CH\"").unwrap(),
            german
        );
        assert!(serde_json::from_str::<Language>("\"nonsense\"").is_err());
    }

    #[test]
    fn decimals_are_written_as_the_language_does() {
        let written = |tag: &str| tag.parse::<Language>().unwrap().decimal(1234.56, 1);
        assert_eq!(
            (written("en"), written("de"), written("ja")),
            ("1234.6".into(), "1234,6".into(), "1234.6".into())
        );
    }
}
