//! The English function words and cues by which questions are interpreted. The lists contain no
//! words of any data set.

pub(crate) mod asking;
pub(crate) mod grouping;
pub(crate) mod list;
pub(crate) mod measure;

pub(crate) use crate::question::lexicon::asking::{is_auxiliary, is_light, is_plural, opens_noun};
pub(crate) use crate::question::lexicon::grouping::{
    asks_for_trend, interval, is_adverb_of_interval, is_determiner, is_grouping,
    is_grouping_with_of,
};
use crate::question::lexicon::list::among;
pub(crate) use crate::question::lexicon::measure::{
    AFTER_NUMBER, BEFORE_NUMBER, Comparison, are_of_one_measure, is_degree, measures,
};
pub(crate) use research_agents_report::text::is_stop;

/// Words too general to name a field alone.
const GENERIC: &str = "amount category class code count date description details field flag group \
    has id identifier index info is key kind label name new number status sum text time title \
    total type value was";

/// Values that mean the absence of a value, or that are ordinary words. They count as values only
/// if their field is named.
const WEAK_VALUES: &str = "all any false misc n na no none null other others true unknown y yes";

/// Function words that say of things what they are like, as values do: *used* games, *common*
/// cards.
const DESCRIBING: &str = "common main split used";

/// Words that negate what follows them.
const NEGATIONS: &str = "cannot except exclude excluding never neither no non nor not without";

/// Phrases of two words that negate what follows them.
pub(crate) const NEGATION_PAIRS: &[(&str, &str)] =
    &[("other", "than"), ("apart", "from"), ("rather", "than")];

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// Words in the names of fields whose values differ in nearly every record.
const IDENTIFIERS: &str =
    "email guid hash id isbn link phone ref reference serial sku uri url uuid";

/// Words in the names of fields whose values say what a record is.
const NAMES_OF_RECORDS: &str = "animal brand breed category class device genre item kind make \
    model name product species title type";

/// Words in the names of fields that hold prose.
const PROSE: &str = "abstract body comment comments content description details message narrative \
    note notes remarks review reviews story summary text title";

/// Beginnings of sentences that address the reader instead of stating a fact.
const ADDRESSED: &[&str] = &[
    "assistant:",
    "disregard",
    "forget",
    "ignore",
    "instruction:",
    "instructions:",
    "note to the assistant",
    "note to the model",
    "system:",
    "user:",
    "you are ",
    "you must ",
];

/// Phrases within sentences that give the reader instructions.
const INSTRUCTIONS: &[&str] = &[
    "above instructions",
    "all instructions",
    "earlier instructions",
    "previous instructions",
    "prior instructions",
];

/// Returns whether a lower-case sentence tells its reader what to do or say.
pub(crate) fn is_addressed(sentence: &str) -> bool {
    let start = sentence.trim_start_matches(|c: char| !c.is_alphanumeric());
    ADDRESSED.iter().any(|words| start.starts_with(words))
        || INSTRUCTIONS.iter().any(|words| sentence.contains(words))
}

/// Stems in the names of fields whose numbers add up to something.
const ADDS_UP: &str = "amount attend attende budget casualti cost damag dead death dollar donat \
    expens fatal fee injuri loss price profit quantiti revenu salari sale sold spend spent usd \
    eur victim visit visitor yield";

/// Returns whether the sum of a field is meaningful, by a stem of its name: sums of money, people
/// and pieces are, sums of speeds and ages are not.
pub(crate) fn adds_up(stem: &str) -> bool {
    among(ADDS_UP, stem)
}

/// Returns whether a lower-case word is too general to name a field alone.
pub(crate) fn is_generic(word: &str) -> bool {
    among(GENERIC, word) || is_stop(word)
}

/// Returns whether a lower-case word is one of the generic nouns of field names, function words
/// excluded.
pub(crate) fn is_generic_noun(word: &str) -> bool {
    among(GENERIC, word) && !matches!(word, "is" | "has" | "was")
}

/// Returns whether a lower-case word counts as a value only if its field is named.
pub(crate) fn is_weak_value(word: &str) -> bool {
    among(WEAK_VALUES, word) || is_stop(word) && !describes(word)
}

/// Returns whether a lower-case function word may say what things are like.
pub(crate) fn describes(word: &str) -> bool {
    among(DESCRIBING, word)
}

/// Returns whether a field named with a lower-case word identifies records.
pub(crate) fn is_identifier(word: &str) -> bool {
    among(IDENTIFIERS, word)
}

/// Returns whether the values of a field named with a lower-case word say what a record is.
pub(crate) fn names_records(word: &str) -> bool {
    among(NAMES_OF_RECORDS, word)
}

/// Returns whether a field named with a lower-case word holds prose.
pub(crate) fn is_prose(word: &str) -> bool {
    among(PROSE, word)
}

/// Returns whether a lower-case word of a field's name begins a qualification of the preceding
/// words.
pub(crate) fn is_preposition(word: &str) -> bool {
    matches!(
        word,
        "of" | "in" | "per" | "for" | "at" | "on" | "by" | "from" | "to" | "with"
    )
}

/// Returns whether a lower-case word negates what follows it.
pub(crate) fn is_negation(word: &str) -> bool {
    among(NEGATIONS, word) || word.ends_with("n't")
}

/// Returns the number of a month, 1 to 12, by its lower-case English name, its first three letters,
/// or `sept`.
pub(crate) fn month(word: &str) -> Option<u32> {
    let is_short = |name: &str| {
        matches!(word.len(), 3 | 4) && name.starts_with(word) && (word.len() == 3 || word == "sept")
    };
    let at = MONTHS
        .iter()
        .position(|name| *name == word || is_short(name));
    at.and_then(|at| u32::try_from(at + 1).ok())
}
