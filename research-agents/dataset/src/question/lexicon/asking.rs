//! Words that people ask with, and do not ask about.

use research_agents_report::text::is_stop;

use crate::question::lexicon::grouping::{
    asks_for_trend, is_determiner, is_grouping, is_grouping_with_of,
};
use crate::question::lexicon::list::among;

/// Words that a noun may follow: articles, prepositions, quantifiers, possessives, `which` and the
/// like.
const OPENERS: &str = "a about above across against all among an any around at average before \
    behind below beneath beside between both by common concerning during each either every few \
    fewer following for frequent from highest in inside into its largest least less lowest main \
    many mean median more most near no of on onto other our out outside over per regarding \
    several since some such the their there these this those through till top total toward \
    towards under until upon various versus vs what whatever which whose with within without your";

/// Verbs before the subject of a question, and between a subject and its main verb.
const AUXILIARIES: &str = "am are be been being can could did didn't do does doesn't don't had \
    has have having is isn't may might must shall should was wasn't were weren't will would";

/// Verbs, adjectives and nouns that describe the answer, or that refer to something the data will
/// name.
const LIGHT: &str = "agree answer aspect aspects average averages bad become becomes best better \
    break breakdown breaks bring brings case cases cause caused causes change changed changes \
    chart charts choose close come comes complain complained complaint complaints concern \
    concerns contain contained contains day days decade decades depend depends detail details \
    differ difference differences differs dislike disliked dislikes done draw entries entry \
    especially example examples fact facts fail failed fails fault faults feature features figure \
    figures find finding findings found fraction general good graph group groups help high hour \
    hours important information involve involved issue issues item items kind kinds know known \
    lead leads learn like liked likes little look looks low made make makes maximum mean means \
    median mention mentioned mentions method methods minimum minute minutes month months name \
    named names need needed new notable observation observations old opinion opinions order \
    outcome outcomes pattern patterns percent percentage place places plot point points possible \
    prevalent problem problems quarter quarters question questions rank ranked ranking rate rates \
    ratio reason reasons relate related relation relationship relevant remain remark remarks \
    report reported reports result results row rows see seen set short significant similar \
    situation situations sort sorted sorts stand stands statistic statistics strong subject \
    suggest table take taken takes term terms thing things think times took topic topics type \
    types typical unusual use useful usual value values want way ways weak week weeks went word \
    words work worked works worse worst write written year years";

/// Returns whether a noun may follow a lower-case word.
pub(crate) fn opens_noun(word: &str) -> bool {
    among(OPENERS, word)
}

/// Returns whether a lower-case word is a verb that helps another one.
pub(crate) fn is_auxiliary(word: &str) -> bool {
    among(AUXILIARIES, word)
}

/// Returns whether a lower-case word is part of how a question is put: of such words the data need
/// not know anything.
pub(crate) fn is_light(word: &str) -> bool {
    let cues = is_grouping(word)
        || is_grouping_with_of(word)
        || is_determiner(word)
        || asks_for_trend(word);
    cues || is_stop(word) || among(LIGHT, word) || word.ends_with("ly")
}

/// Returns whether a lower-case word has the form of a plural: not so `glass`, `various` and
/// `axis`.
pub(crate) fn is_plural(word: &str) -> bool {
    word.len() > 3
        && word.ends_with('s')
        && !["ss", "us", "is"]
            .iter()
            .any(|ending| word.ends_with(ending))
}
