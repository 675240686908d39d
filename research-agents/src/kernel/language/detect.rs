//! Tells the language of a question, or that it cannot be told.
//!
//! Questions are short, and a wrong guess costs a reader the report while no guess costs a word on the command line. So two
//! unrelated detectors must agree: one that was trained on short sentences of 16 languages, and one by trigrams of 69, which is
//! asked whether the text is rather that language or English.

use std::collections::HashSet;

use unicode_segmentation::UnicodeSegmentation;
use whatlang::{Detector, Lang, Script};

use super::Language;

/// Fewest words that tell a language.
const WORDS: usize = 2;
/// Fewest letters that tell a language, where a script is that of few languages.
const LETTERS: usize = 4;
/// Values shorter than this may be words of any language.
const SHORTEST_VALUE: usize = 3;
/// From so many words on a text tells more.
const LONG: usize = 4;
/// Confidence, 0 to 1, that a long and a short text need, and which is so low that it means nothing.
const NEEDED: (f64, f64) = (0.3, 0.6);
const NOTHING: f64 = 0.1;
/// Confidence from which the second detector alone is believed on a language that the first does not know.
const CERTAIN: f64 = 0.9;
/// The languages in Latin script that both detectors know.
const COMMON: [Lang; 10] =
    [Lang::Eng, Lang::Deu, Lang::Fra, Lang::Spa, Lang::Ita, Lang::Por, Lang::Nld, Lang::Swe, Lang::Tur, Lang::Vie];

/// The language of a question without the words that are foreign to it.
pub(super) fn language<'w>(question: &str, foreign: impl IntoIterator<Item = &'w str>) -> Option<Language> {
    let (text, words) = own_words(question, foreign);
    let letters = text.chars().filter(|character| character.is_alphabetic()).count();
    let found = match whatlang::detect_script(&text)? {
        // Words of the data in the same language make a few own words certain.
        Script::Latin if words >= WORDS => {
            latin(&text, words).or_else(|| latin(question, words).filter(|_| first_guess(&text) != Some(Lang::Eng)))?
        }
        Script::Latin => return None,
        _ if letters >= LETTERS => whatlang::detect(&text)?.lang(),
        _ => return None,
    };
    language_of(found)
}

/// By code: the detectors know Mandarin and Iranian Persian by codes of their own.
fn language_of(found: Lang) -> Option<Language> {
    match found {
        Lang::Cmn => Language::of_code("zh"),
        Lang::Pes => Language::of_code("fa"),
        found => isolang::Language::from_639_3(found.code()).filter(|known| known.to_639_1().is_some()).map(Language),
    }
}

/// What the first detector takes a text in Latin script for.
fn first_guess(text: &str) -> Option<Lang> {
    let first = Lang::from_code(format!("{:?}", whichlang::detect_language(text)).to_lowercase());
    first.filter(|first| COMMON.contains(first))
}

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

/// The question without numbers and without the words of fields and values, and how many words are left.
fn own_words<'w>(question: &str, foreign: impl IntoIterator<Item = &'w str>) -> (String, usize) {
    let foreign: HashSet<String> = foreign
        .into_iter()
        .filter(|name| name.chars().count() >= SHORTEST_VALUE)
        .flat_map(|name| name.unicode_words().map(str::to_lowercase).collect::<Vec<_>>())
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
            assert!(matches!(code(question), None | Some("en")), "{question}: {:?}", code(question));
        }
    }

    #[test]
    fn words_of_the_data_tell_nothing() {
        let german = ["Bundesland", "Unfälle mit Personenschaden", "Nordrhein-Westfalen"];
        assert_eq!(language("Unfälle by Bundesland", german), None);
        assert_eq!(language("Nordrhein-Westfalen Unfälle mit Personenschaden", german), None);
        assert_eq!(language("Wie viele Unfälle gab es je Bundesland?", german).map(Language::code), Some("de"));
    }
}
