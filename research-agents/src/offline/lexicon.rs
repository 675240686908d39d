//! The English function words and cues that the reading of a question rests on. No word of any data is in here.

mod asking;
mod measure;

pub(super) use asking::{is_auxiliary, is_light, is_plural, opens_noun};
pub(super) use measure::{AFTER_NUMBER, BEFORE_NUMBER, Comparison, are_of_one_measure, is_degree, measures};

/// Words without content of their own.
const STOP: &str = "a about above according across after all also am among amongst an analyse analysis analyze and any \
    apart are around as ask at be because been before being below between biggest breakdown broken but by can common \
    compare compared comparison could count counts data dataset describe did different display distributed distribution \
    do does down during each every except excluding explain find for frequent from get give given go goes grouped had happen \
    happened happens has have having highest how i if in including into is it its just largest least less list lowest \
    main many may me might more most much must my near no nor not number numbers occur occurred occurs of off often on \
    one only or other our out over overall overview per please rather record records report respect same say says see shall share \
    shares should show since smallest so some split spread such summarise summarize tell than that the their them then \
    there there's these they this those through time to together top total trend trends under until up us used using versus vs \
    was we were what what's when where whether which while who whom whose why will with within without would you your";

/// Words that say so little in a field's name that they do not name the field alone.
const GENERIC: &str = "amount category class code count date description details field flag group has id identifier index \
    info is key kind label name new number status sum text time title total type value was";

/// Values that stand for the absence of one, or that are ordinary words: they count only where their field is named.
const WEAK_VALUES: &str = "all any false misc n na no none null other others true unknown y yes";

/// Words that deny what follows them.
const NEGATIONS: &str = "cannot except exclude excluding never neither no non nor not without";

/// Phrases of two words that deny what follows them.
pub(super) const NEGATION_PAIRS: &[(&str, &str)] = &[("other", "than"), ("apart", "from"), ("rather", "than")];

/// Words after which a field to group by may stand.
const GROUPING: &str = "affected across among amongst biggest busiest by common different each every frequent largest leading \
    main per popular top various versus what which";

/// Words before `of` after which a field to group by may stand, as in `distribution of …`.
const GROUPING_OF: &str = "breakdown comparison distribution frequencies frequency kinds number proportion proportions \
    ranking share shares sorts split spread types";

/// Words between a cue and the field to group by.
const DETERMINERS: &str = "all common different each every frequent kind kinds most of other the type types various";

/// Words that ask how something went over time.
const TREND: &str = "develop developed evolution evolve evolved history timeline trend trends";

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

/// Words in the names of fields whose values are different in nearly every record.
const IDENTIFIERS: &str = "email guid hash id isbn link phone ref reference serial sku uri url uuid";

/// Words in the names of fields whose values say what a record is.
const NAMES_OF_RECORDS: &str =
    "animal brand breed category class device genre item kind make model name product species title type";

/// Words in the names of fields that hold prose.
const PROSE: &str = "abstract body comment comments content description details message narrative note notes remarks review \
    reviews story summary text title";

/// Beginnings of sentences that are addressed to whoever reads the data, and are no fact of it.
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

/// Words in such sentences.
const INSTRUCTIONS: &[&str] =
    &["above instructions", "all instructions", "earlier instructions", "previous instructions", "prior instructions"];

/// Whether a lower-case sentence tells its reader what to do or say.
pub(super) fn is_addressed(sentence: &str) -> bool {
    let start = sentence.trim_start_matches(|c: char| !c.is_alphanumeric());
    ADDRESSED.iter().any(|words| start.starts_with(words)) || INSTRUCTIONS.iter().any(|words| sentence.contains(words))
}

/// Stems in the names of fields whose numbers add up to something.
const ADDS_UP: &str = "amount attend attende budget casualti cost damag dead death dollar donat expens fatal fee injuri \
    loss price profit quantiti revenu salari sale sold spend spent usd eur victim visit visitor yield";

/// Whether the sum of a field says something, by a stem of its name: of money, people and pieces it does, of speeds and ages it
/// does not.
pub(super) fn adds_up(stem: &str) -> bool {
    among(ADDS_UP, stem)
}

fn among(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|listed| listed == word)
}

/// Whether a lower-case word has no content of its own.
pub(super) fn is_stop(word: &str) -> bool {
    among(STOP, word)
}

/// Whether a lower-case word says too little in a field's name to name the field alone.
pub(super) fn is_generic(word: &str) -> bool {
    among(GENERIC, word) || is_stop(word)
}

/// Whether a lower-case word is one of the generic nouns of field names, function words excluded.
pub(super) fn is_generic_noun(word: &str) -> bool {
    among(GENERIC, word) && !matches!(word, "is" | "has" | "was")
}

/// Whether a lower-case word is no value by itself.
pub(super) fn is_weak_value(word: &str) -> bool {
    among(WEAK_VALUES, word) || is_stop(word)
}

/// Whether a field named with a lower-case word identifies records.
pub(super) fn is_identifier(word: &str) -> bool {
    among(IDENTIFIERS, word)
}

/// Whether the values of a field named with a lower-case word say what a record is.
pub(super) fn names_records(word: &str) -> bool {
    among(NAMES_OF_RECORDS, word)
}

/// Whether a field named with a lower-case word holds prose.
pub(super) fn is_prose(word: &str) -> bool {
    among(PROSE, word)
}

/// Whether a lower-case word of a field's name begins a qualification of what stands before it.
pub(super) fn is_preposition(word: &str) -> bool {
    matches!(word, "of" | "in" | "per" | "for" | "at" | "on" | "by" | "from" | "to" | "with")
}

/// Whether a lower-case word denies what follows it.
pub(super) fn is_negation(word: &str) -> bool {
    among(NEGATIONS, word) || word.ends_with("n't")
}

/// Whether a field to group by may stand after a lower-case word.
pub(super) fn is_grouping(word: &str) -> bool {
    among(GROUPING, word)
}

/// Whether a field to group by may stand after a lower-case word and `of`.
pub(super) fn is_grouping_with_of(word: &str) -> bool {
    among(GROUPING_OF, word)
}

/// Whether a lower-case word may stand between a cue and the field to group by.
pub(super) fn is_determiner(word: &str) -> bool {
    among(DETERMINERS, word)
}

/// Whether a lower-case word asks how something went over time.
pub(super) fn asks_for_trend(word: &str) -> bool {
    among(TREND, word)
}

/// Calendar intervals, by the lower-case words that name them.
pub(super) fn interval(word: &str) -> Option<&'static str> {
    match word {
        "year" | "years" | "yearly" | "annual" | "annually" => Some("year"),
        "quarter" | "quarters" | "quarterly" => Some("quarter"),
        "month" | "months" | "monthly" => Some("month"),
        "week" | "weeks" | "weekly" => Some("week"),
        "day" | "days" | "daily" => Some("day"),
        _ => None,
    }
}

/// Whether an interval word asks for a course of time without a `by` or `per` before it.
pub(super) fn is_adverb_of_interval(word: &str) -> bool {
    matches!(word, "yearly" | "annual" | "annually" | "quarterly" | "monthly" | "weekly" | "daily")
}

/// Number of a month, 1 to 12, by its lower-case English name, its first three letters, or `sept`.
pub(super) fn month(word: &str) -> Option<u32> {
    let is_short =
        |name: &str| matches!(word.len(), 3 | 4) && name.starts_with(word) && (word.len() == 3 || word == "sept");
    let at = MONTHS.iter().position(|name| *name == word || is_short(name));
    at.and_then(|at| u32::try_from(at + 1).ok())
}
