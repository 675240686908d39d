//! Detects the language of a question, if it is certain.
//!
//! Questions are short, and a wrong guess makes the report useless, while without a guess the user
//! only has to name the language. Therefore two unrelated detectors must agree: one that was
//! trained on short sentences of 16 languages, and one by trigrams of 69 languages, which decides
//! between that language and English.

use std::collections::HashSet;

use unicode_segmentation::UnicodeSegmentation;
use whatlang::{Detector, Lang, Script};

use crate::language::tag::Language;

/// Minimum number of words for a detection.
const WORDS: usize = 2;
/// Minimum number of letters for a detection by a script that few languages use.
const LETTERS: usize = 4;
/// Minimum number of letters of a value that is ignored. Shorter ones may be words of any language.
const SHORTEST_VALUE: usize = 3;
/// Number of words at which a question counts as long.
const LONG: usize = 4;
/// Confidence, 0 to 1, that is required for a long question, and for a short one.
const NEEDED: (f64, f64) = (0.3, 0.6);
/// Confidence below which the second detector is undecided.
const NOTHING: f64 = 0.1;
/// Confidence at which the second detector decides alone on a language that the first one does not
/// know.
const CERTAIN: f64 = 0.9;
/// The languages in Latin script that both detectors know.
const COMMON: [Lang; 10] = [
    Lang::Eng,
    Lang::Deu,
    Lang::Fra,
    Lang::Spa,
    Lang::Ita,
    Lang::Por,
    Lang::Nld,
    Lang::Swe,
    Lang::Tur,
    Lang::Vie,
];

impl Language {
    /// Detects the language of a question. `None` if it is not certain, for example because the
    /// question is too short. The words of `foreign` are ignored: names and values of the fields of
    /// a data set say nothing about the language of the user.
    pub fn detect<'w>(question: &str, foreign: impl IntoIterator<Item = &'w str>) -> Option<Self> {
        language(question, foreign)
    }
}

/// Detects the language of a question without the foreign words.
pub(crate) fn language<'w>(
    question: &str,
    foreign: impl IntoIterator<Item = &'w str>,
) -> Option<Language> {
    let (text, words) = own_words(question, foreign);
    let letters = text
        .chars()
        .filter(|character| character.is_alphabetic())
        .count();

    let found = match whatlang::detect_script(&text)? {
        // A few own words are certain if words of the data are in the same language.
        Script::Latin if words >= WORDS => latin(&text, words)
            .or_else(|| latin(question, words).filter(|_| first_guess(&text) != Some(Lang::Eng)))?,
        Script::Latin => return None,
        _ if letters >= LETTERS => whatlang::detect(&text)?.lang(),
        _ => return None,
    };
    language_of(found)
}

/// Returns the language by its code. The detectors have separate codes for Mandarin and Iranian
/// Persian.
fn language_of(found: Lang) -> Option<Language> {
    match found {
        Lang::Cmn => Language::from_code("zh"),
        Lang::Pes => Language::from_code("fa"),
        found => Language::from_three_letters(found.code()),
    }
}

/// Returns the guess of the first detector for a string in Latin script.
fn first_guess(text: &str) -> Option<Lang> {
    let first = Lang::from_code(format!("{:?}", whichlang::detect_language(text)).to_lowercase());
    first.filter(|first| COMMON.contains(first))
}

/// Detects the language of a string in Latin script.
fn latin(text: &str, words: usize) -> Option<Lang> {
    let first = first_guess(text)?;
    if first == Lang::Eng {
        return Some(first);
    }

    let second = whatlang::detect(text)?;
    if second.confidence() >= CERTAIN && !COMMON.contains(&second.lang()) {
        return Some(second.lang());
    }

    let rather = Detector::with_allowlist(vec![Lang::Eng, first]).detect(text)?;
    let among = Detector::with_allowlist(COMMON.to_vec()).detect(text)?;
    let needed = if words < LONG { NEEDED.1 } else { NEEDED.0 };
    let agrees = among.lang() == first && rather.confidence() >= needed;
    let is_undecided = among.confidence() < NOTHING && rather.confidence() >= NEEDED.1;
    (rather.lang() == first && (agrees || is_undecided)).then_some(first)
}

/// Returns the question without numbers and foreign words, and the number of words that are left.
fn own_words<'w>(question: &str, foreign: impl IntoIterator<Item = &'w str>) -> (String, usize) {
    let foreign: HashSet<String> = foreign
        .into_iter()
        .filter(|name| name.chars().count() >= SHORTEST_VALUE)
        .flat_map(|name| {
            name.unicode_words()
                .map(str::to_lowercase)
                .collect::<Vec<_>>()
        })
        .filter(|word| word.chars().count() >= SHORTEST_VALUE)
        .collect();

    let mut text = String::new();
    let mut words = 0;
    for piece in question.split_word_bounds() {
        if foreign.contains(&piece.to_lowercase()) || piece.contains(char::is_numeric) {
            continue;
        }
        words += usize::from(piece.contains(char::is_alphabetic));
        text.push_str(piece);
    }

    (text, words)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names and values of the shipped data set.
    const DATA: [&str; 9] = [
        "Wildlife Size",
        "Phase of flight",
        "Time of day",
        "Origin State",
        "Small",
        "Medium",
        "Large",
        "Approach",
        "Texas",
    ];

    fn code(question: &str) -> Option<&'static str> {
        language(question, DATA).map(Language::code)
    }

    #[test]
    fn short_questions_are_told_apart() {
        // Languages with a catalogue.
        for (question, expected) in [
            ("India events by theme", "en"),
            ("Which aircraft are struck most often?", "en"),
            ("wildlife strikes by state", "en"),
            ("What does this data set show?", "en"),
            ("Show me the distribution of movie genres", "en"),
            ("Do large birds cause more damage than small birds?", "en"),
            ("Which restaurants in Milano are best rated?", "en"),
            ("Ereignisse in Indien nach Thema", "de"),
            ("Welche Vögel werden am häufigsten getroffen?", "de"),
            ("Wie viele Vogelschläge gab es in Texas?", "de"),
            ("Kosten der Schäden pro Monat", "de"),
            ("Was zeigen diese Daten?", "de"),
            ("Verteilung der Wildlife Size", "de"),
            ("Événements en Inde par thème", "fr"),
            ("Quels oiseaux sont le plus souvent touchés ?", "fr"),
            ("Combien de collisions ont eu lieu au Texas ?", "fr"),
            ("Que montrent ces données ?", "fr"),
            ("Répartition par taille", "fr"),
            ("Eventos en la India por tema", "es"),
            ("¿Qué aves chocan con más frecuencia?", "es"),
            ("¿Cuántos choques hubo en Texas?", "es"),
            ("¿Qué muestran estos datos?", "es"),
            ("Distribución por tamaño", "es"),
            ("Quali uccelli vengono colpiti più spesso?", "it"),
            ("Quanti incidenti ci sono stati in Texas?", "it"),
            ("Cosa mostrano questi dati?", "it"),
            ("Quais aves são atingidas com mais frequência?", "pt"),
            ("Quantas colisões houve no Texas?", "pt"),
            ("O que mostram estes dados?", "pt"),
        ] {
            assert_eq!(code(question), Some(expected), "{question}");
        }

        // Other languages and scripts.
        for (question, expected) in [
            ("Welke vogels worden het vaakst geraakt?", "nl"),
            ("Hoeveel botsingen waren er in Texas?", "nl"),
            ("Vilka fåglar träffas oftast?", "sv"),
            ("Które ptaki są najczęściej uderzane?", "pl"),
            ("Kteří ptáci jsou nejčastěji zasaženi?", "cs"),
            ("En çok hangi kuşlar çarpılıyor?", "tr"),
            ("Какие птицы чаще всего сталкиваются с самолётами?", "ru"),
            ("Які птахи найчастіше стикаються з літаками?", "uk"),
            ("ما هي الطيور التي تصطدم بالطائرات أكثر من غيرها؟", "ar"),
            ("どの鳥が最も多く衝突していますか？", "ja"),
            ("哪些鸟类最常被撞？", "zh"),
            ("어떤 새가 가장 자주 충돌하나요?", "ko"),
            ("Ποια πουλιά χτυπιούνται πιο συχνά;", "el"),
        ] {
            assert_eq!(code(question), Some(expected), "{question}");
        }
    }

    #[test]
    fn what_is_not_certain_is_not_taken_for_another_language() {
        let is_none_or_english = |code: Option<&str>| matches!(code, None | Some("en"));

        for question in [
            "",
            "42",
            "damage cost per month",
            "monthly trend",
            "Compare Florida and Texas",
            "revenue total",
            "sales per region 2024",
            "El Paso incidents",
            "avocado prices per region",
            "median altitude at dusk",
            "Small Medium Large",
            "Wildlife Size",
            "Zusammenfassung",
            "Vögel by Bundesland",
            "Texas 日本",
        ] {
            let code = code(question);
            assert!(is_none_or_english(code), "{question}: {code:?}");
        }
    }

    #[test]
    fn words_of_the_data_tell_nothing() {
        let german = [
            "Bundesland",
            "Unfälle mit Personenschaden",
            "Nordrhein-Westfalen",
        ];
        assert_eq!(language("Unfälle by Bundesland", german), None);
        assert_eq!(
            language("Nordrhein-Westfalen Unfälle mit Personenschaden", german),
            None
        );
        assert_eq!(
            language("Wie viele Unfälle gab es je Bundesland?", german).map(Language::code),
            Some("de")
        );
    }
}
