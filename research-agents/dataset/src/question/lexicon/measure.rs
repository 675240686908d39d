//! Units, adjectives of measure, and the words that compare numbers.

use crate::question::lexicon::list::among;

/// The words that refer to a measure, and the names of fields in that measure.
struct Measure {
    /// Lower-case units, signs and words.
    units: &'static str,
    /// Lower-case adjectives that ask for the measure.
    degrees: &'static str,
    /// Stems in the names of fields.
    names: &'static str,
}

const MEASURES: &[Measure] = &[
    Measure {
        units: "$ € £ dollar dollars usd euro euros eur pounds gbp cost costs costing priced \
            price worth",
        degrees: "cheap cheaper cheapest costliest costly expensive",
        names: "amount budget cost dollar eur euro fare fee price revenu salari spend usd",
    },
    Measure {
        units: "knots knot kt kts mph kmh",
        degrees: "fast faster fastest slow slower slowest",
        names: "knot kt kmh mph speed veloc",
    },
    Measure {
        units: "feet foot ft",
        degrees: "higher lower",
        names: "altitud elev foot ft height",
    },
    Measure {
        units: "km kilometers kilometres miles mi meters metres m",
        degrees: "farthest long longer longest short shorter shortest",
        names: "depth distanc height km length meter metr mile",
    },
    Measure {
        units: "kg kilograms grams g lb lbs pounds tons tonnes",
        degrees: "heavier heaviest heavy lighter lightest",
        names: "gram kg lb mass pound ton weight",
    },
    Measure {
        units: "minutes minute min hours hour seconds",
        degrees: "longer longest shorter shortest",
        names: "durat hour length min minut runtim second time",
    },
    Measure {
        units: "% percent percentage",
        degrees: "",
        names: "pct percent percentag rate ratio share",
    },
    Measure {
        units: "aged",
        degrees: "old older oldest younger youngest",
        names: "age",
    },
    Measure {
        units: "stars star rated",
        degrees: "",
        names: "rate review score star",
    },
    Measure {
        units: "degrees celsius fahrenheit",
        degrees: "colder coldest hotter hottest warmer warmest",
        names: "celsius degre fahrenheit temp temperatur",
    },
    Measure {
        units: "magnitude",
        degrees: "stronger strongest",
        names: "mag magnitud",
    },
    Measure {
        units: "people inhabitants",
        degrees: "",
        names: "inhabit person popul",
    },
];

/// Returns whether a unit, sign or adjective of measure refers to a field, one of whose stems is
/// given.
pub(crate) fn measures(word: &str, field_stem: &str) -> bool {
    MEASURES.iter().any(|measure| {
        (among(measure.units, word) || among(measure.degrees, word))
            && among(measure.names, field_stem)
    })
}

/// Returns whether a word and a field, one of whose stems is given, refer to one measure: `price`
/// and `cost`.
pub(crate) fn are_of_one_measure(word: &str, word_stem: &str, field_stem: &str) -> bool {
    let names =
        |measure: &Measure| among(measure.names, word_stem) && among(measure.names, field_stem);
    measures(word, field_stem) || MEASURES.iter().any(names)
}

/// Returns whether a lower-case word is an adjective that asks for a measure.
pub(crate) fn is_degree(word: &str) -> bool {
    MEASURES.iter().any(|measure| among(measure.degrees, word))
}

/// A comparison of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Comparison {
    /// Equal.
    Equal,
    /// Greater.
    Above,
    /// Greater or equal.
    AtLeast,
    /// Less.
    Below,
    /// Less or equal.
    AtMost,
}

/// Comparisons written before a number, in lower case; the longest that fits is meant.
pub(crate) const BEFORE_NUMBER: &[(&[&str], Comparison)] = &[
    (&["no", "less", "than"], Comparison::AtLeast),
    (&["not", "less", "than"], Comparison::AtLeast),
    (&["no", "more", "than"], Comparison::AtMost),
    (&["not", "more", "than"], Comparison::AtMost),
    (&["at", "least"], Comparison::AtLeast),
    (&["minimum", "of"], Comparison::AtLeast),
    (&["at", "most"], Comparison::AtMost),
    (&["up", "to"], Comparison::AtMost),
    (&["maximum", "of"], Comparison::AtMost),
    (&["more", "than"], Comparison::Above),
    (&["greater", "than"], Comparison::Above),
    (&["higher", "than"], Comparison::Above),
    (&["larger", "than"], Comparison::Above),
    (&["bigger", "than"], Comparison::Above),
    (&["faster", "than"], Comparison::Above),
    (&["longer", "than"], Comparison::Above),
    (&["older", "than"], Comparison::Above),
    (&["heavier", "than"], Comparison::Above),
    (&["stronger", "than"], Comparison::Above),
    (&["less", "than"], Comparison::Below),
    (&["fewer", "than"], Comparison::Below),
    (&["lower", "than"], Comparison::Below),
    (&["smaller", "than"], Comparison::Below),
    (&["slower", "than"], Comparison::Below),
    (&["shorter", "than"], Comparison::Below),
    (&["younger", "than"], Comparison::Below),
    (&["lighter", "than"], Comparison::Below),
    (&["cheaper", "than"], Comparison::Below),
    (&["over"], Comparison::Above),
    (&["above"], Comparison::Above),
    (&["exceeding"], Comparison::Above),
    (&["beyond"], Comparison::Above),
    (&["under"], Comparison::Below),
    (&["below"], Comparison::Below),
    (&["since"], Comparison::AtLeast),
    (&["from"], Comparison::AtLeast),
    (&["after"], Comparison::Above),
    (&["before"], Comparison::Below),
    (&["until"], Comparison::AtMost),
    (&["till"], Comparison::AtMost),
    (&["through"], Comparison::AtMost),
];

/// Comparisons written after a number and its unit, in lower case.
pub(crate) const AFTER_NUMBER: &[(&[&str], Comparison)] = &[
    (&["or", "more"], Comparison::AtLeast),
    (&["or", "above"], Comparison::AtLeast),
    (&["or", "over"], Comparison::AtLeast),
    (&["or", "higher"], Comparison::AtLeast),
    (&["or", "greater"], Comparison::AtLeast),
    (&["or", "later"], Comparison::AtLeast),
    (&["and", "above"], Comparison::AtLeast),
    (&["and", "over"], Comparison::AtLeast),
    (&["and", "up"], Comparison::AtLeast),
    (&["and", "later"], Comparison::AtLeast),
    (&["or", "less"], Comparison::AtMost),
    (&["or", "fewer"], Comparison::AtMost),
    (&["or", "below"], Comparison::AtMost),
    (&["or", "under"], Comparison::AtMost),
    (&["or", "lower"], Comparison::AtMost),
    (&["or", "earlier"], Comparison::AtMost),
    (&["and", "below"], Comparison::AtMost),
];
