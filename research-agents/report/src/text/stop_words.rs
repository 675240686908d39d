//! English function words, which carry no content.

use std::collections::HashSet;
use std::sync::LazyLock;

/// Function words, and words by which questions ask for data.
const STOP: &str = "a about above according across after all also am among amongst an analyse \
    analysis analyze and any apart are around as ask at be because been before being below between \
    biggest breakdown broken but by can common compare compared comparison could count counts data \
    dataset describe did different display distributed distribution do does down during each every \
    except excluding explain find for frequent from get give given go goes grouped had happen \
    happened happens has have having highest how i if in including into is it its just largest \
    least less list lowest main many may me might more most much must my near no nor not number \
    numbers occur occurred occurs of off often on one only or other our out over overall overview \
    per please rather record records report respect same say says see shall share shares should \
    show since smallest so some split spread such summarise summarize tell than that the their \
    them then there there's these they this those through time to together top total trend trends \
    under until up us used using versus vs was we were what what's when where whether which while \
    who whom whose why will with within without would you your";

/// Returns whether a lower-case word carries no content.
pub fn is_stop(word: &str) -> bool {
    // Long questions ask for each of their words several times.
    static WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| STOP.split_whitespace().collect());
    WORDS.contains(word)
}
