//! The catalogues: the texts of the program by language, in the files of Project Fluent under `locales`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use fluent_bundle::concurrent::FluentBundle;
use fluent_bundle::{FluentArgs, FluentResource};

use super::{Language, Phrase};

/// The files by the code of their language.
const FILES: [(&str, &str); 6] = [
    ("de", include_str!("../../../locales/de/report.ftl")),
    ("en", include_str!("../../../locales/en/report.ftl")),
    ("es", include_str!("../../../locales/es/report.ftl")),
    ("fr", include_str!("../../../locales/fr/report.ftl")),
    ("it", include_str!("../../../locales/it/report.ftl")),
    ("pt", include_str!("../../../locales/pt/report.ftl")),
];

type Bundle = FluentBundle<FluentResource>;

static BUNDLES: LazyLock<BTreeMap<&str, Bundle>> =
    LazyLock::new(|| FILES.iter().filter_map(|(code, text)| Some((*code, bundle(code, text)?))).collect());

/// A catalogue. Faults of a file are found by the tests; what is sound of it is used.
fn bundle(code: &str, text: &str) -> Option<Bundle> {
    let mut bundle = Bundle::new_concurrent(vec![code.parse().ok()?]);
    // The marks would stand in the report, and what is filled in is shown beside other text anyway.
    bundle.set_use_isolating(false);
    let resource = FluentResource::try_new(text.to_owned()).unwrap_or_else(|(sound, _)| sound);
    bundle.add_resource(resource).ok()?;
    Some(bundle)
}

/// Whether there is a catalogue of this language.
pub(super) fn has(language: Language) -> bool {
    BUNDLES.contains_key(language.code())
}

/// A phrase in this language; in English when there is no catalogue.
pub(super) fn say(language: Language, phrase: Phrase<'_>) -> String {
    let arguments = phrase.arguments();
    let said = [language, Language::ENGLISH].iter().find_map(|language| find(*language, phrase.key(), &arguments));
    said.unwrap_or_else(|| phrase.key().to_owned())
}

/// A phrase in every language that has a catalogue.
pub(crate) fn every(phrase: Phrase<'_>) -> Vec<String> {
    let arguments = phrase.arguments();
    BUNDLES.values().filter_map(|bundle| format(bundle, phrase.key(), &arguments)).collect()
}

fn find(language: Language, key: &str, arguments: &FluentArgs<'_>) -> Option<String> {
    format(BUNDLES.get(language.code())?, key, arguments)
}

fn format(bundle: &Bundle, key: &str, arguments: &FluentArgs<'_>) -> Option<String> {
    let pattern = bundle.get_message(key)?.value()?;
    let mut faults = Vec::new();
    Some(bundle.format_pattern(pattern, Some(arguments), &mut faults).into_owned())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use fluent_syntax::ast::{Entry, Expression, InlineExpression, Pattern, PatternElement};

    use super::super::phrase::ALL;
    use super::*;

    /// The variables of each message of a file.
    fn messages(text: &str) -> BTreeMap<String, BTreeSet<String>> {
        let resource = FluentResource::try_new(text.to_owned()).unwrap();
        let mut found = BTreeMap::new();
        for entry in resource.entries() {
            if let Entry::Message(message) = entry {
                let mut variables = BTreeSet::new();
                collect(message.value.as_ref().unwrap(), &mut variables);
                let known = found.insert(message.id.name.to_owned(), variables);
                assert!(known.is_none(), "{} is there twice", message.id.name);
            }
        }
        found
    }

    fn collect(pattern: &Pattern<&str>, variables: &mut BTreeSet<String>) {
        for element in &pattern.elements {
            let PatternElement::Placeable { expression } = element else { continue };
            let (value, variants) = match expression {
                Expression::Inline(value) => (value, [].as_slice()),
                Expression::Select { selector, variants } => (selector, variants.as_slice()),
            };
            if let InlineExpression::VariableReference { id } = value {
                variables.insert(id.name.to_owned());
            }
            variants.iter().for_each(|variant| collect(&variant.value, variables));
        }
    }

    #[test]
    fn every_catalogue_has_every_phrase_with_its_variables_and_no_other() {
        let phrases: BTreeMap<String, BTreeSet<String>> = ALL
            .iter()
            .map(|(key, variables)| ((*key).to_owned(), variables.iter().map(|name| (*name).to_owned()).collect()))
            .collect();
        for (code, text) in FILES {
            let found = messages(text);
            for (key, variables) in &phrases {
                assert_eq!(found.get(key), Some(variables), "{code}: {key}");
            }
            let strangers: Vec<_> = found.keys().filter(|key| !phrases.contains_key(*key)).collect();
            assert!(strangers.is_empty(), "{code}: {strangers:?} are used nowhere");
        }
        assert_eq!(BUNDLES.len(), FILES.len());
    }

    #[test]
    fn plurals_follow_the_language() {
        let said = |code: &str, count| code.parse::<Language>().unwrap().say(Phrase::Records { count });
        assert_eq!((said("de", 1), said("de", 2)), ("1 Datensatz".into(), "2 Datensätze".into()));
        assert_eq!((said("fr", 0), said("fr", 2)), ("0 enregistrement".into(), "2 enregistrements".into()));
        assert_eq!(said("nl", 2), "2 records", "a language without a catalogue has the English frame");
    }

    #[test]
    fn no_other_heading_is_taken_for_a_list_of_what_is_cited() {
        let lists: BTreeSet<String> = [Phrase::Data, Phrase::Sources].into_iter().flat_map(every).collect();
        let others = [
            Phrase::Summary,
            Phrase::KeyFindings,
            Phrase::Contradictions,
            Phrase::Analysis,
            Phrase::Questions,
            Phrase::Conclusion,
            Phrase::Limitations,
            Phrase::FurtherResearch,
        ];
        assert!(others.into_iter().flat_map(every).all(|heading| !lists.contains(&heading)));
        assert!(every(Phrase::Data).iter().all(|data| !every(Phrase::Sources).contains(data)));
    }
}
