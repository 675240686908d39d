//! Function words of English, German, French, Spanish, Italian and Portuguese, by which statements
//! are compared. The lists contain no words of any data set.

use crate::conflict::quantity::Precision;

/// Definite articles.
const DEFINITE: &str = "the der die das den dem des le la les el los las il lo gli o os as l";
/// Indefinite articles and pronouns: two statements that begin with one may be about two things.
const INDEFINITE: &str = "a an another any both each either every few half many more most much \
    nobody nothing one other others several some somebody someone something such which ein eine \
    einen einem einer eines einige manche viele un une uns unos unas uno una um uma plusieurs \
    alguns algunos alcuni";
/// Pronouns, whose referent is named by another sentence or depends on the writer.
const PRONOUNS: &str = "he her here his i it its me mine my our ours she that their them these \
    they this those us we you your er es ich ihr mein meine sie sein seine unser unsere wir dies \
    diese dieser dieses elle ils elles je nous mon ma mes notre ce cet cette ces yo mi mis nuestro \
    nuestra este esta esto estos estas esso essa io mio mia nostro nostra questo questa eu meu \
    minha nosso nossa";
/// Words that negate a statement.
const NEGATIONS: &str = "not never no without neither nor cannot nicht nie niemals kein keine \
    keinen keinem keiner keines ohne pas jamais aucun aucune sans nunca jamás sin ningún ninguna \
    non nessun nessuna senza não jamais nenhum nenhuma sem";
/// Words that weaken a negation before them: *not all*, *not only*.
const WEAKENING: &str = "all always any anymore enough entirely even exactly every fully just \
    longer merely necessarily only quite simply until very yet mehr nur immer noch plus seulement \
    encore toujours solo solamente siempre aún sempre só ancora soltanto mais alle todos tutti \
    tous";
/// Words that make a sentence a possibility, a wish, a condition or hearsay, and not a statement.
const HEDGES: &str = "if whether unless will may might could would should shall must perhaps maybe \
    possibly probably likely unlikely apparently allegedly reportedly supposedly seems seem seemed \
    appears appeared hopefully otherwise imagine suppose wenn falls ob vielleicht wohl könnte \
    sollte müsste würde si peut-être pourrait devrait serait quizá quizás podría debería forse \
    potrebbe dovrebbe talvez poderia deveria";
/// Words for a change in time: a statement that holds before need not hold after it.
const CHANGES: &str = "after afterwards again already anymore before belatedly earlier eventually \
    finally first formerly initially last later meanwhile next now once originally previously \
    repaired since soon still subsequently then today tomorrow until yesterday danach dann davor \
    jetzt nun schließlich später vorher zuerst zunächst nachher seither gestern heute après avant \
    ensuite enfin puis maintenant aujourd hier después luego antes ahora entonces ayer hoy dopo \
    poi prima adesso ora ieri oggi depois então agora ontem hoje";
/// Words that imply several things of a kind in the same string.
const SEVERAL: &str = "another both each either every former left new old one other others \
    previous replacement right second third two three four ander andere anderen beide zweite linke \
    rechte alte neue autre autres deux gauche droite otro otra otros dos izquierda derecha altro \
    altra due sinistra destra outro outra dois esquerda direita";
/// Words that begin a clause with a separate statement.
const ASIDE: &str = "who whom whose which so but because although though whereas while and or as \
    yet der die das weshalb sodass aber weil obwohl und qui dont mais parce et donc que pero \
    porque y che ma perché e mas";
/// Words at which a new clause begins without a mark.
const BREAKS: &str = "but which because whereas although though while aber weil obwohl mais parce \
    pero porque ma perché mas";
/// Verbs in the present tense.
const PRESENT: &str = "is are has have does do measures measure weighs weigh holds hold lasts last \
    takes take costs cost runs run needs need draws delivers reaches carries contains turns \
    rotates uses consumes stands spans can ist sind hat haben misst wiegt hält dauert kostet läuft \
    fasst beträgt est sont mesure pèse dure coûte tourne contient es son tiene tienen mide pesa \
    dura cuesta gira contiene è sono ha hanno misura costa é são tem têm mede";
/// Verbs in the past tense.
const PAST: &str = "was were had did held took cost ran stood drew flew fell rose broke hit lost \
    kept gave came went made got saw found left became wore froze burst struck war waren hatte \
    hatten wurde wurden lief wog stand maß a était étaient avait avaient fut ont fue era eran \
    tenía tenían fueron estaba fu erano aveva avevano foi eram tinha foram";
/// The past tense of irregular verbs.
const IRREGULAR: &str = "break:broke burst:burst come:came cost:cost draw:drew fall:fell \
    find:found fly:flew freeze:froze get:got give:gave go:went hit:hit hold:held keep:kept \
    leave:left lose:lost make:made rise:rose run:ran see:saw stand:stood strike:struck take:took \
    wear:wore";
/// Words that do not change a statement.
const EMPTY: &str =
    "of also exactly precisely indeed actually really of ne n d de du do da di del dello della";
/// Prepositions before a number that do not change a statement.
const BEFORE_NUMBER: &str = "at with of by mit von bei avec con com";
/// Months and days of the week.
const CALENDAR: &str = "january february march april may june july august september october \
    november december jan feb mar apr jun jul aug sep sept oct nov dec monday tuesday wednesday \
    thursday friday saturday sunday januar februar märz mai juni juli oktober dezember montag \
    dienstag mittwoch donnerstag freitag samstag sonntag janvier février mars avril juin juillet \
    août septembre octobre novembre décembre lundi mardi mercredi jeudi vendredi samedi dimanche \
    enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre \
    gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre janeiro fevereiro \
    março maio junho julho setembro outubro novembro dezembro";
/// Prepositions before a month, a day or a year.
const BEFORE_DATE: &str =
    "in on at since until from during of by im am seit en le depuis el desde nel dal em desde";

/// Words that begin a clause with a time or a condition for the rest of the sentence.
const CONDITIONS: &str = "when where with without under except for inside outside near wenn als \
    nachdem bevor bei quand lorsque avec sans cuando con sin quando com sem";
/// Words that show that a sentence is German, where every noun has a capital.
const GERMAN: &str = "der die das den dem des ein eine einer ist sind war wurde nicht kein keine";
/// Defects, which one piece has and not all pieces of its make.
const DEFECTS: &str = "bubble bump burn chip crack dent fault gap hole leak mark riss kratzer loch \
    scratch split spot stain tear";

fn among(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|listed| listed == word)
}

/// A list of lower-case words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Words {
    Definite,
    Indefinite,
    Pronoun,
    Negation,
    Weakening,
    Hedge,
    Change,
    Several,
    Aside,
    Break,
    Present,
    Past,
    Empty,
    BeforeNumber,
    Calendar,
    BeforeDate,
    Condition,
    German,
    Defect,
}

impl Words {
    /// Returns whether the list contains a lower-case word.
    pub(crate) fn contain(self, word: &str) -> bool {
        let list = match self {
            Self::Definite => DEFINITE,
            Self::Indefinite => INDEFINITE,
            Self::Pronoun => PRONOUNS,
            Self::Negation => NEGATIONS,
            Self::Weakening => WEAKENING,
            Self::Hedge => HEDGES,
            Self::Change => CHANGES,
            Self::Several => SEVERAL,
            Self::Aside => ASIDE,
            Self::Break => BREAKS,
            Self::Present => PRESENT,
            Self::Past => PAST,
            Self::Empty => EMPTY,
            Self::BeforeNumber => BEFORE_NUMBER,
            Self::Calendar => CALENDAR,
            Self::BeforeDate => BEFORE_DATE,
            Self::Condition => CONDITIONS,
            Self::German => GERMAN,
            Self::Defect => DEFECTS,
        };

        among(list, word)
    }
}

/// Returns the affirmative counterpart of *without*.
pub(crate) fn affirmed(negation: &str) -> Option<&'static str> {
    match negation {
        "without" => Some("with"),
        "ohne" => Some("mit"),
        "sans" => Some("avec"),
        "sin" | "senza" => Some("con"),
        "sem" => Some("com"),
        _ => None,
    }
}

/// Returns the dimension of an adjective, a noun or a verb of measure.
pub(crate) fn dimension(word: &str) -> Option<&'static str> {
    match word {
        "long" | "length" | "lang" | "länge" => Some("long"),
        "wide" | "width" | "broad" | "breit" | "breite" => Some("wide"),
        "high" | "height" | "tall" | "hoch" | "höhe" => Some("high"),
        "deep" | "depth" | "tief" | "tiefe" => Some("deep"),
        "thick" | "thickness" | "dick" | "dicke" => Some("thick"),
        "heavy" | "weight" | "weigh" | "schwer" | "gewicht" | "wiegt" => Some("heavy"),
        _ => None,
    }
}

/// Words before a number, and the precision that they give it.
pub(crate) const PRECISION: &[(&str, Precision)] = &[
    ("only", Precision::Stated),
    ("just", Precision::Stated),
    ("nur", Precision::Stated),
    ("at least", Precision::AtLeast),
    ("more than", Precision::AtLeast),
    ("minimum of", Precision::AtLeast),
    ("over", Precision::AtLeast),
    ("above", Precision::AtLeast),
    ("mindestens", Precision::AtLeast),
    ("über", Precision::AtLeast),
    ("mehr als", Precision::AtLeast),
    ("au moins", Precision::AtLeast),
    ("plus de", Precision::AtLeast),
    ("al menos", Precision::AtLeast),
    ("más de", Precision::AtLeast),
    ("almeno", Precision::AtLeast),
    ("mais de", Precision::AtLeast),
    ("at most", Precision::AtMost),
    ("up to", Precision::AtMost),
    ("less than", Precision::AtMost),
    ("maximum of", Precision::AtMost),
    ("under", Precision::AtMost),
    ("below", Precision::AtMost),
    ("höchstens", Precision::AtMost),
    ("bis zu", Precision::AtMost),
    ("unter", Precision::AtMost),
    ("au plus", Precision::AtMost),
    ("moins de", Precision::AtMost),
    ("menos de", Precision::AtMost),
    ("até", Precision::AtMost),
    ("about", Precision::About),
    ("around", Precision::About),
    ("approximately", Precision::About),
    ("approx", Precision::About),
    ("roughly", Precision::About),
    ("nearly", Precision::About),
    ("almost", Precision::About),
    ("some", Precision::About),
    ("circa", Precision::About),
    ("ca", Precision::About),
    ("etwa", Precision::About),
    ("ungefähr", Precision::About),
    ("rund", Precision::About),
    ("knapp", Precision::About),
    ("fast", Precision::About),
    ("environ", Precision::About),
    ("unos", Precision::About),
    ("aproximadamente", Precision::About),
    ("quase", Precision::About),
];

/// Returns a number from one to twelve by its English word.
pub(crate) fn number_word(word: &str) -> Option<u8> {
    const NUMBERS: [&str; 12] = [
        "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
        "twelve",
    ];
    let at = NUMBERS.iter().position(|number| *number == word)?;
    u8::try_from(at + 1).ok()
}

/// Returns the past tense of an English verb: *leaked* for *leak*.
pub(crate) fn past_of(verb: &str) -> String {
    let known = IRREGULAR
        .split_ascii_whitespace()
        .filter_map(|pair| pair.split_once(':'))
        .find(|(own, _)| *own == verb);
    if let Some((_, past)) = known {
        return past.to_owned();
    }

    let is_vowel = |letter: Option<char>| letter.is_some_and(|letter| "aeiou".contains(letter));
    let mut letters = verb.chars().rev();
    let (last, before, third) = (letters.next(), letters.next(), letters.next());
    let vowels = verb
        .chars()
        .filter(|letter| "aeiou".contains(*letter))
        .count();

    match last {
        Some('e') => format!("{verb}d"),
        Some('y') if !is_vowel(before) => format!("{}ied", &verb[..verb.len() - 1]),
        Some(letter)
            if vowels == 1
                && is_vowel(before)
                && third.is_some()
                && !"aeiouwxy".contains(letter) =>
        {
            format!("{verb}{letter}ed")
        }
        _ => format!("{verb}ed"),
    }
}

/// Returns a word without the ending of a plural or of the third person.
pub(crate) fn canonical(word: &str) -> String {
    if let Some(stem) = word.strip_suffix("ies").filter(|stem| stem.len() > 2) {
        return format!("{stem}y");
    }
    let stem = word
        .strip_suffix('s')
        .filter(|stem| stem.len() > 2 && !stem.ends_with(['s', 'u', 'i']));
    stem.unwrap_or(word).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_past_of_a_verb_is_formed_as_it_is_written() {
        let verbs = [
            "leak", "close", "stop", "try", "play", "run", "open", "fail",
        ];
        let pasts = [
            "leaked", "closed", "stopped", "tried", "played", "ran", "opened", "failed",
        ];
        assert_eq!(verbs.map(past_of), pasts);
    }

    #[test]
    fn endings_of_plurals_and_verbs_fall_away() {
        let words = [
            "leaks",
            "valves",
            "batteries",
            "glass",
            "is",
            "gas",
            "status",
        ];
        assert_eq!(
            words.map(canonical),
            ["leak", "valve", "battery", "glass", "is", "gas", "status"]
        );
    }
}
