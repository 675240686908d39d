//! Rules by which a true sentence becomes another true one.

use super::prose::{Paragraph, pick};

/// A rule: its name, and what it makes of a sentence, if it fits.
type Rule = (&'static str, fn(&str, &Paragraph) -> Option<String>);

pub const RULES: &[Rule] = &[
    ("word for word", |sentence, _| Some(sentence.to_string())),
    ("number as a word or digits", |sentence, _| numbers(sentence)),
    ("contraction", |sentence, _| contraction(sentence)),
    ("clause moved", |sentence, _| moved(sentence)),
    ("attribution", |sentence, _| attributed(sentence)),
    ("brackets left out", |sentence, _| without_brackets(sentence)),
    ("relative clause left out", |sentence, _| without_relative(sentence)),
    ("synonym", |sentence, _| synonym(sentence)),
    ("first part", |sentence, _| first_part(sentence)),
    ("list in another order", |sentence, _| reordered(sentence)),
    ("linking word left out", |sentence, _| without_link(sentence)),
    ("genitive", |sentence, _| genitive(sentence)),
    ("adverb left out", |sentence, _| without_adverb(sentence)),
];

const NUMBERS: [(&str, &str); 11] = [
    ("two", "2"),
    ("three", "3"),
    ("four", "4"),
    ("five", "5"),
    ("six", "6"),
    ("seven", "7"),
    ("eight", "8"),
    ("nine", "9"),
    ("ten", "10"),
    ("eleven", "11"),
    ("twelve", "12"),
];

fn numbers(sentence: &str) -> Option<String> {
    NUMBERS.iter().find_map(|(word, digits)| {
        let spelled = replaced(sentence, &format!(" {word} "), &format!(" {digits} "));
        spelled.or_else(|| replaced(sentence, &format!(" {digits} "), &format!(" {word} ")))
    })
}

fn contraction(sentence: &str) -> Option<String> {
    const PAIRS: [(&str, &str); 12] = [
        (" does not ", " doesn't "),
        (" do not ", " don't "),
        (" is not ", " isn't "),
        (" are not ", " aren't "),
        (" cannot ", " can't "),
        (" did not ", " didn't "),
        (" was not ", " wasn't "),
        (" were not ", " weren't "),
        (" should not ", " shouldn't "),
        (" will not ", " won't "),
        (" has not ", " hasn't "),
        (" have not ", " haven't "),
    ];
    PAIRS.iter().find_map(|(long, short)| replaced(sentence, long, short).or_else(|| replaced(sentence, short, long)))
}

/// *X if Y.* becomes *If Y, X.*, and the reverse.
fn moved(sentence: &str) -> Option<String> {
    let bare = sentence.strip_suffix('.')?;
    if bare.contains([';', ':', '(', '"']) {
        return None;
    }
    for word in ["if", "when", "because", "unless"] {
        let capital = capitalised(word);
        if let Some(rest) = bare.strip_prefix(&format!("{capital} ")) {
            let (clause, main) = rest.split_once(", ")?;
            if main.contains(", ") || main.starts_with("then") || main.split(' ').count() < 3 {
                return None;
            }
            return Some(format!("{} {word} {clause}.", capitalised(main)));
        }
        let marked = format!(" {word} ");
        if bare.matches(&marked).count() == 1 && !bare.contains(',') {
            let (main, clause) = bare.split_once(&marked)?;
            let before = main.rsplit(' ').next()?;
            let is_bound = [
                "only",
                "even",
                "as",
                "check",
                "see",
                "and",
                "or",
                "but",
                "than",
                "determine",
                "just",
                "not",
                "case",
                "what",
            ]
            .contains(&before);
            if is_bound
                || clause.split(' ').count() < 3
                || clause.contains(" and ")
                || main.contains(" that ")
                || main.contains(" and ")
            {
                return None;
            }
            return Some(format!("{capital} {clause}, {}.", uncapitalised(main)?));
        }
    }
    None
}

fn attributed(sentence: &str) -> Option<String> {
    let rest = uncapitalised(sentence)?;
    let frames = ["According to the documentation, ", "The document says that ", "As the text states, "];
    Some(format!("{}{rest}", frames[pick(sentence, frames.len())]))
}

fn without_brackets(sentence: &str) -> Option<String> {
    let start = sentence.find(" (")?;
    let end = start + sentence[start..].find(')')? + 1;
    let inner = &sentence[start..end];
    // A bracket with a condition or a denial changes what is said.
    let changes = ["if", "unless", "except", "not", "only", "or", "no"];
    let has = inner.split(|c: char| !c.is_alphabetic()).any(|word| changes.contains(&word));
    (!has).then(|| format!("{}{}", &sentence[..start], &sentence[end..]))
}

fn without_relative(sentence: &str) -> Option<String> {
    let start = sentence.find(", which ")?;
    let rest = &sentence[start + 2..];
    let inner = rest.find([',', '.']).filter(|at| *at > 10)?;
    let conditional = [" if ", " unless ", " except "].iter().any(|word| sentence.contains(word));
    if conditional || sentence[..start].split(' ').count() < 4 || rest[..inner].contains('(') {
        return None;
    }
    let tail = &rest[inner..];
    if tail.starts_with('.') {
        (tail.len() == 1).then(|| format!("{}.", &sentence[..start]))
    } else {
        let after = tail.trim_start_matches(',').trim_start();
        let first = after.split(' ').next()?;
        let is_verb = ["is", "are", "was", "has", "can", "will", "does", "do", "were"].contains(&first);
        is_verb.then(|| format!("{} {after}", &sentence[..start]))
    }
}

/// Words with a common synonym, collected without a look at the rules of the checker.
const SYNONYMS: &[(&str, &str)] = &[
    ("large", "big"),
    ("begin", "start"),
    ("begins", "starts"),
    ("start", "begin"),
    ("starts", "begins"),
    ("started", "began"),
    ("need", "require"),
    ("needs", "requires"),
    ("requires", "needs"),
    ("helps", "aids"),
    ("error", "mistake"),
    ("fast", "quick"),
    ("quickly", "rapidly"),
    ("buy", "purchase"),
    ("show", "display"),
    ("shows", "displays"),
    ("stop", "halt"),
    ("stops", "halts"),
    ("choose", "select"),
    ("pick", "choose"),
    ("whole", "entire"),
    ("entire", "whole"),
    ("usually", "normally"),
    ("often", "frequently"),
    ("try", "attempt"),
    ("tries", "attempts"),
    ("attempt", "try"),
    ("correct", "right"),
    ("make", "create"),
    ("build", "construct"),
    ("get", "obtain"),
    ("obtain", "get"),
    ("allows", "permits"),
    ("allow", "permit"),
    ("use", "employ"),
    ("uses", "employs"),
    ("lets", "allows"),
    ("keep", "retain"),
    ("keeps", "retains"),
    ("fix", "repair"),
    ("provide", "supply"),
    ("provides", "supplies"),
    ("permits", "allows"),
    ("happens", "occurs"),
    ("occurs", "happens"),
    ("avoid", "prevent"),
    ("end", "finish"),
    ("problem", "trouble"),
    ("various", "several"),
    ("simple", "plain"),
    ("big", "large"),
    ("hard", "difficult"),
    ("difficult", "hard"),
    ("important", "significant"),
    ("main", "principal"),
    ("clear", "obvious"),
    ("enough", "sufficient"),
    ("improve", "better"),
    ("answer", "reply"),
    ("ask", "inquire"),
    ("change", "alter"),
    ("changes", "alters"),
    ("changed", "altered"),
    ("accordingly", "correspondingly"),
    ("assist", "help"),
    ("purchase", "buy"),
    ("remain", "stay"),
    ("remains", "stays"),
    ("mistake", "error"),
];

fn synonym(sentence: &str) -> Option<String> {
    SYNONYMS.iter().find_map(|(word, other)| replaced(sentence, &format!(" {word} "), &format!(" {other} ")))
}

/// *A; B.* becomes *A.*
fn first_part(sentence: &str) -> Option<String> {
    let (first, _) = sentence.split_once("; ")?;
    let open = first.matches('(').count() != first.matches(')').count();
    (first.split(' ').count() > 4 && !open).then(|| format!("{first}."))
}

/// The first two of three single words change their places.
fn reordered(sentence: &str) -> Option<String> {
    let words: Vec<&str> = sentence.split(' ').collect();
    let at = words.windows(4).position(|w| {
        let plain = |word: &str| word.strip_suffix(',').is_some_and(|w| w.chars().all(char::is_alphanumeric));
        plain(w[0])
            && plain(w[1])
            && matches!(w[2], "and" | "or")
            && w[3].chars().next().is_some_and(char::is_alphanumeric)
    })?;
    let is_item = at > 1
        && !words[at - 1].ends_with(',')
        && words[at].chars().next()?.is_lowercase()
        && words[at + 1].chars().next()?.is_lowercase();
    let adverbs = ["however,", "then,", "thus,", "instead,", "course,", "too,", "also,", "now,"];
    if !is_item || adverbs.contains(&words[at]) || adverbs.contains(&words[at + 1]) {
        return None;
    }
    let mut words = words;
    words.swap(at, at + 1);
    Some(words.join(" "))
}

fn without_link(sentence: &str) -> Option<String> {
    [
        "However, ",
        "Also, ",
        "In addition, ",
        "Moreover, ",
        "Additionally, ",
        "Furthermore, ",
        "For example, ",
        "In particular, ",
        "Similarly, ",
    ]
    .iter()
    .find_map(|link| sentence.strip_prefix(link))
    .map(capitalised)
}

/// *the size of the file* becomes *the file's size*.
fn genitive(sentence: &str) -> Option<String> {
    let words: Vec<&str> = sentence.split(' ').collect();
    let plain = |word: &str| word.len() > 2 && word.chars().all(|c| c.is_ascii_lowercase());
    let at = words.windows(6).position(|w| {
        w[0] == "the"
            && plain(w[1])
            && w[2] == "of"
            && w[3] == "the"
            && plain(w[4])
            && !w[4].ends_with('s')
            && ["is", "are", "was", "and", "in", "to", "can", "will", "has", "for", "must", "should", "with"]
                .contains(&w[5])
            && !["rest", "end", "most", "one", "all", "some", "part", "many", "beginning", "start", "top", "case"]
                .contains(&w[1])
    })?;
    let mut out: Vec<String> = words[..at].iter().map(|w| w.to_string()).collect();
    out.extend(["the".to_string(), format!("{}'s", words[at + 4]), words[at + 1].to_string()]);
    out.extend(words[at + 5..].iter().map(|w| w.to_string()));
    Some(out.join(" "))
}

fn without_adverb(sentence: &str) -> Option<String> {
    [" also ", " simply ", " therefore ", " then ", " actually ", " really ", " very ", " quite ", " basically "]
        .iter()
        .find_map(|word| replaced(sentence, word, " "))
}

/// The text with the first occurrence replaced, if there is one.
pub fn replaced(text: &str, from: &str, to: &str) -> Option<String> {
    text.contains(from).then(|| text.replacen(from, to, 1))
}

pub fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or(String::new(), |first| first.to_uppercase().chain(chars).collect())
}

/// The text with a small first letter, unless it begins with a name.
pub fn uncapitalised(text: &str) -> Option<String> {
    const STARTS: &str = "The A An This These Those It They If When You In On For All Each Some Most Many There We By \
        With To As At Both Note Add Fix New Since While Because That Its Their No Any Every Not";
    let first = text.split(' ').next()?;
    let mut chars = text.chars();
    STARTS
        .split_whitespace()
        .any(|word| word == first)
        .then(|| chars.next().map_or(String::new(), |first| first.to_lowercase().chain(chars).collect()))
}
