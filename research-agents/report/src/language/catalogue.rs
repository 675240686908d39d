//! Catalogues: the texts of the program by language, in files of Project Fluent.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use fluent_bundle::concurrent::FluentBundle;
use fluent_bundle::{FluentArgs, FluentResource, FluentValue};
use fluent_syntax::ast::{Entry, Expression, InlineExpression, Pattern, PatternElement};

use crate::language::tag::Language;

/// The phrases that every report shares.
pub(crate) static REPORT: Catalogue = Catalogue::new(&[
    ("de", include_str!("../../locales/de.ftl")),
    ("en", include_str!("../../locales/en.ftl")),
    ("es", include_str!("../../locales/es.ftl")),
    ("fr", include_str!("../../locales/fr.ftl")),
    ("it", include_str!("../../locales/it.ftl")),
    ("pt", include_str!("../../locales/pt.ftl")),
]);

type Bundle = FluentBundle<FluentResource>;

/// The texts of a set of phrases in several languages. Declare the phrases with
/// [`phrases!`](crate::language::phrases).
pub struct Catalogue {
    files: &'static [(&'static str, &'static str)],
    bundles: OnceLock<BTreeMap<&'static str, Bundle>>,
}

/// A phrase that a [`Language`] can say.
pub trait Say {
    /// Returns the catalogue with the texts of the phrase.
    fn catalogue(&self) -> &'static Catalogue;

    /// Returns the key of the phrase in its catalogue.
    fn key(&self) -> &'static str;

    /// Returns the values of its variables.
    fn arguments(&self) -> FluentArgs<'_>;
}

impl Catalogue {
    /// Creates a catalogue from Fluent files: the two-letter code of a language, and the text of
    /// its file.
    ///
    /// A faulty message of a file is skipped; [`mismatches`](Self::mismatches) reports it.
    pub const fn new(files: &'static [(&'static str, &'static str)]) -> Self {
        Self {
            files,
            bundles: OnceLock::new(),
        }
    }

    fn bundles(&self) -> &BTreeMap<&'static str, Bundle> {
        self.bundles.get_or_init(|| {
            let read = |(code, text): &(&'static str, &str)| Some((*code, bundle(code, text)?));
            self.files.iter().filter_map(read).collect()
        })
    }

    /// Returns a phrase in every language of the catalogue.
    pub(crate) fn in_every_language(&self, phrase: &impl Say) -> Vec<String> {
        let arguments = phrase.arguments();
        self.bundles()
            .values()
            .filter_map(|bundle| format(bundle, phrase.key(), &arguments))
            .collect()
    }

    /// Compares the files with the declared phrases, each a key and its variables, and describes
    /// every difference: a missing or unused key, other variables, a key that occurs twice, and a
    /// file that cannot be parsed. For tests.
    pub fn mismatches(&self, declared: &[(&str, &[&str])]) -> Vec<String> {
        let mut found = Vec::new();
        for (code, text) in self.files {
            let resource = match FluentResource::try_new((*text).to_owned()) {
                Ok(resource) => resource,
                Err((_, faults)) => {
                    found.push(format!("{code}: the file cannot be parsed: {faults:?}"));
                    continue;
                }
            };

            let mut messages: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
            for entry in resource.entries() {
                let Entry::Message(message) = entry else {
                    continue;
                };
                let mut variables = BTreeSet::new();
                message
                    .value
                    .iter()
                    .for_each(|pattern| collect_variables(pattern, &mut variables));
                if messages.insert(message.id.name, variables).is_some() {
                    found.push(format!("{code}: `{}` occurs twice", message.id.name));
                }
            }

            for (key, variables) in declared {
                let variables: BTreeSet<&str> = variables.iter().copied().collect();
                if messages.remove(key).as_ref() != Some(&variables) {
                    found.push(format!("{code}: `{key}` is missing or has other variables"));
                }
            }
            found.extend(
                messages
                    .keys()
                    .map(|key| format!("{code}: `{key}` is not used")),
            );
        }
        found
    }
}

impl std::fmt::Debug for Catalogue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list()
            .entries(self.files.iter().map(|(code, _)| code))
            .finish()
    }
}

/// Parses a file. Sound messages are kept when others are faulty.
fn bundle(code: &str, text: &str) -> Option<Bundle> {
    let mut bundle = Bundle::new_concurrent(vec![code.parse().ok()?]);
    // Isolation marks would show up in the report.
    bundle.set_use_isolating(false);
    group_numbers(&mut bundle, code);
    let resource = FluentResource::try_new(text.to_owned()).unwrap_or_else(|(sound, _)| sound);
    bundle.add_resource(resource).ok()?;
    Some(bundle)
}

/// Makes a bundle write numbers with the group signs of a language. The bundle takes functions
/// without a state, so each language with a catalogue has its own.
fn group_numbers(bundle: &mut Bundle, code: &str) {
    match code {
        "de" => bundle.set_formatter(Some(|value, _| grouped(value, "de"))),
        "es" => bundle.set_formatter(Some(|value, _| grouped(value, "es"))),
        "fr" => bundle.set_formatter(Some(|value, _| grouped(value, "fr"))),
        "it" => bundle.set_formatter(Some(|value, _| grouped(value, "it"))),
        "pt" => bundle.set_formatter(Some(|value, _| grouped(value, "pt"))),
        _ => bundle.set_formatter(Some(|value, _| grouped(value, "en"))),
    }
}

fn grouped(value: &FluentValue<'_>, code: &str) -> Option<String> {
    let FluentValue::Number(number) = value else {
        return None;
    };
    Some(Language::from_code(code)?.with_groups(&number.as_string()))
}

fn format(bundle: &Bundle, key: &str, arguments: &FluentArgs<'_>) -> Option<String> {
    let pattern = bundle.get_message(key)?.value()?;
    let mut faults = Vec::new();
    Some(
        bundle
            .format_pattern(pattern, Some(arguments), &mut faults)
            .into_owned(),
    )
}

fn collect_variables<'p>(pattern: &'p Pattern<&str>, variables: &mut BTreeSet<&'p str>) {
    for element in &pattern.elements {
        let PatternElement::Placeable { expression } = element else {
            continue;
        };
        let (value, variants) = match expression {
            Expression::Inline(value) => (value, [].as_slice()),
            Expression::Select { selector, variants } => (selector, variants.as_slice()),
        };
        if let InlineExpression::VariableReference { id } = value {
            variables.insert(id.name);
        }
        variants
            .iter()
            .for_each(|variant| collect_variables(&variant.value, variables));
    }
}

impl Language {
    /// Returns `true` if the texts of the program exist in this language. Otherwise a report has
    /// English headings and notes around text in the language.
    pub fn has_catalogue(self) -> bool {
        REPORT.bundles().contains_key(self.code())
    }

    /// Returns a phrase in this language, or in English where the catalogue does not have this
    /// language.
    pub fn say(self, phrase: impl Say) -> String {
        let bundles = phrase.catalogue().bundles();
        let arguments = phrase.arguments();
        [self, Self::ENGLISH]
            .iter()
            .find_map(|language| format(bundles.get(language.code())?, phrase.key(), &arguments))
            .unwrap_or_else(|| phrase.key().to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::phrase::Phrase;

    #[test]
    fn every_catalogue_has_every_phrase() {
        assert_eq!(REPORT.mismatches(Phrase::ALL), Vec::<String>::new());
    }

    #[test]
    fn a_difference_is_reported() {
        let catalogue = Catalogue::new(&[("en", "a = A { $x }\nc = C")]);

        let found = catalogue.mismatches(&[("a", &[]), ("b", &[])]);

        assert_eq!(found.len(), 3, "{found:?}");
    }

    #[test]
    fn plurals_follow_the_language() {
        let said = |code: &str, count| {
            code.parse::<Language>()
                .unwrap()
                .say(Phrase::Records { count })
        };

        assert_eq!(
            (said("de", 1), said("de", 2)),
            ("1 Datensatz".into(), "2 Datensätze".into())
        );
        assert_eq!(
            (said("fr", 0), said("fr", 2)),
            ("0 enregistrement".into(), "2 enregistrements".into())
        );
        assert_eq!(
            said("nl", 2),
            "2 records",
            "a language without a catalogue has the English frame"
        );
    }

    #[test]
    fn no_other_heading_is_taken_for_a_list_of_what_is_cited() {
        let lists: BTreeSet<String> = [Phrase::Data, Phrase::Sources]
            .into_iter()
            .flat_map(|heading| REPORT.in_every_language(&heading))
            .collect();
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

        assert!(
            others
                .into_iter()
                .flat_map(|heading| REPORT.in_every_language(&heading))
                .all(|heading| !lists.contains(&heading))
        );

        assert!(
            REPORT
                .in_every_language(&Phrase::Data)
                .iter()
                .all(|data| !REPORT.in_every_language(&Phrase::Sources).contains(data))
        );
    }
}
