//! Changes that make a true sentence false, each of one class.

mod values;
mod words;

use std::collections::HashSet;
use std::sync::OnceLock;

use self::values::{MONTHS, date, number, unit};
use self::words::{with, words};
use super::prose::{Paragraph, pick};
use super::rules_of_truth::{capitalised, replaced, uncapitalised};

/// A false sentence with what it cites.
pub struct False {
    pub text: String,
    /// The paragraphs that it cites.
    pub cited: Vec<Paragraph>,
}

type Mutation = (&'static str, fn(&str, &Paragraph, &[Paragraph]) -> Option<False>);

pub const CLASSES: &[Mutation] = &[
    ("number", |s, p, _| own(number(s, p), p)),
    ("unit", |s, p, _| own(unit(s, p), p)),
    ("date", |s, p, _| own(date(s, p), p)),
    ("name", |s, p, all| own(name(s, p, all), p)),
    ("negation", |s, p, _| own(negation(s), p)),
    ("predicate", |s, p, _| own(predicate(s, p), p)),
    ("direction", |s, p, _| own(direction(s, p), p)),
    ("exchanged", |s, p, _| own(exchanged(s), p)),
    ("quote of another source", other_source),
    ("merged sources", merged),
    ("added cause", |s, p, _| own(added_cause(s, p), p)),
    ("dropped condition", |s, p, _| own(dropped_condition(s), p)),
];

fn own(text: Option<String>, paragraph: &Paragraph) -> Option<False> {
    Some(False { text: text?, cited: vec![paragraph.clone()] })
}

/// Words that the documents write with a small letter.
fn common_words(all: &[Paragraph]) -> &'static HashSet<String> {
    static COMMON: OnceLock<HashSet<String>> = OnceLock::new();
    COMMON.get_or_init(|| {
        let words = all.iter().flat_map(|p| p.text.split(|c: char| !c.is_alphanumeric()));
        words.filter(|word| word.starts_with(char::is_lowercase)).map(str::to_string).collect()
    })
}

/// Another name, from another document.
fn name(sentence: &str, paragraph: &Paragraph, all: &[Paragraph]) -> Option<String> {
    let common = common_words(all);
    let is_name = |index: usize, word: &str| {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        if common.contains(&bare.to_lowercase()) {
            return None;
        }
        let plain = bare.len() > 2 && bare.chars().all(char::is_alphanumeric);
        let capital = bare.starts_with(char::is_uppercase) && bare.chars().skip(1).any(char::is_lowercase);
        (index > 0 && plain && capital && !MONTHS.contains(&bare)).then_some(bare.to_string())
    };
    let own = words(sentence);
    let (index, bare) = own.iter().enumerate().find_map(|(index, (_, word))| Some((index, is_name(index, word)?)))?;
    let (at, word) = own[index];

    let start = pick(sentence, all.len());
    let other =
        all.iter().cycle().skip(start).take(all.len()).filter(|p| p.document != paragraph.document).find_map(|p| {
            let sentence = p.statements.first()?;
            words(sentence)
                .into_iter()
                .enumerate()
                .find_map(|(index, (_, word))| is_name(index, word))
                .filter(|name| !paragraph.has(name) && *name != bare && name.to_lowercase() != bare.to_lowercase())
        })?;
    Some(with(sentence, at + word.find(&bare)?, bare.len(), &other))
}

/// A negation added or removed.
fn negation(sentence: &str) -> Option<String> {
    for (denied, stated) in [
        (" is not ", " is "),
        (" are not ", " are "),
        (" does not ", " does "),
        (" do not ", " do "),
        (" cannot ", " can "),
        (" can not ", " can "),
        (" will not ", " will "),
        (" was not ", " was "),
        (" were not ", " were "),
        (" should not ", " should "),
        (" must not ", " must "),
        (" never ", " always "),
        (" doesn't ", " does "),
        (" don't ", " do "),
        (" isn't ", " is "),
        (" can't ", " can "),
    ] {
        if let Some(text) = replaced(sentence, denied, stated) {
            return Some(text);
        }
    }
    for verb in
        [" is ", " are ", " was ", " were ", " can ", " will ", " must ", " should ", " may ", " could ", " would "]
    {
        if let Some(text) = replaced(sentence, verb, &format!("{verb}not ")) {
            return Some(text);
        }
    }
    None
}

/// Verbs in three forms, collected without a look at the rules of the checker.
const VERBS: &[[&str; 3]] = &[
    ["add", "adds", "added"],
    ["allow", "allows", "allowed"],
    ["apply", "applies", "applied"],
    ["build", "builds", "built"],
    ["call", "calls", "called"],
    ["change", "changes", "changed"],
    ["check", "checks", "checked"],
    ["close", "closes", "closed"],
    ["compile", "compiles", "compiled"],
    ["contain", "contains", "contained"],
    ["copy", "copies", "copied"],
    ["create", "creates", "created"],
    ["decode", "decodes", "decoded"],
    ["define", "defines", "defined"],
    ["delete", "deletes", "deleted"],
    ["describe", "describes", "described"],
    ["drop", "drops", "dropped"],
    ["encode", "encodes", "encoded"],
    ["execute", "executes", "executed"],
    ["find", "finds", "found"],
    ["fix", "fixes", "fixed"],
    ["generate", "generates", "generated"],
    ["handle", "handles", "handled"],
    ["hide", "hides", "hidden"],
    ["ignore", "ignores", "ignored"],
    ["implement", "implements", "implemented"],
    ["include", "includes", "included"],
    ["load", "loads", "loaded"],
    ["make", "makes", "made"],
    ["match", "matches", "matched"],
    ["merge", "merges", "merged"],
    ["move", "moves", "moved"],
    ["need", "needs", "needed"],
    ["open", "opens", "opened"],
    ["overwrite", "overwrites", "overwritten"],
    ["parse", "parses", "parsed"],
    ["print", "prints", "printed"],
    ["process", "processes", "processed"],
    ["provide", "provides", "provided"],
    ["read", "reads", "read"],
    ["receive", "receives", "received"],
    ["remove", "removes", "removed"],
    ["rename", "renames", "renamed"],
    ["replace", "replaces", "replaced"],
    ["require", "requires", "required"],
    ["return", "returns", "returned"],
    ["run", "runs", "run"],
    ["save", "saves", "saved"],
    ["search", "searches", "searched"],
    ["send", "sends", "sent"],
    ["set", "sets", "set"],
    ["show", "shows", "shown"],
    ["sign", "signs", "signed"],
    ["sort", "sorts", "sorted"],
    ["specify", "specifies", "specified"],
    ["start", "starts", "started"],
    ["store", "stores", "stored"],
    ["support", "supports", "supported"],
    ["test", "tests", "tested"],
    ["transfer", "transfers", "transferred"],
    ["update", "updates", "updated"],
    ["upload", "uploads", "uploaded"],
    ["use", "uses", "used"],
    ["validate", "validates", "validated"],
    ["verify", "verifies", "verified"],
    ["write", "writes", "written"],
    ["assume", "assumes", "assumed"],
    ["adopt", "adopts", "adopted"],
    ["observe", "observes", "observed"],
    ["switch", "switches", "switched"],
];

/// Another verb in the same form.
fn predicate(sentence: &str, paragraph: &Paragraph) -> Option<String> {
    let all = words(sentence);
    all.iter().enumerate().skip(1).find_map(|(index, (at, word))| {
        let bare = word.trim_end_matches(['.', ',', ';']);
        let (verb, form) =
            VERBS.iter().enumerate().find_map(|(verb, forms)| Some((verb, forms.iter().position(|f| *f == bare)?)))?;
        let before = all[index - 1].1.to_lowercase();
        // A verb and not a noun or an adjective.
        let is_verb = match form {
            0 => ["to", "will", "can", "may", "must", "should", "not", "would", "could", "cannot", "they", "you"]
                .contains(&before.as_str()),
            1 => ![
                "the", "a", "an", "of", "and", "these", "all", "some", "in", "for", "with", "or", "no", "its", "to",
                "from",
            ]
            .contains(&before.as_str()),
            _ => ["is", "are", "was", "were", "be", "been", "has", "have", "being", "not", "it"]
                .contains(&before.as_str()),
        };
        if !is_verb {
            return None;
        }
        (0..VERBS.len())
            .map(|step| &VERBS[(verb + 7 + pick(sentence, 31) + step) % VERBS.len()])
            .find(|other| other[0] != VERBS[verb][0] && other.iter().all(|form| !paragraph.has(form)))
            .map(|other| with(sentence, *at, bare.len(), other[form]))
    })
}

/// Directions, collected without a look at the rules of the checker.
const DIRECTIONS: &[(&str, &str)] = &[
    ("before", "after"),
    ("more", "less"),
    ("above", "below"),
    ("increase", "decrease"),
    ("increases", "decreases"),
    ("increased", "decreased"),
    ("first", "last"),
    ("maximum", "minimum"),
    ("larger", "smaller"),
    ("faster", "slower"),
    ("earlier", "later"),
    ("enable", "disable"),
    ("enabled", "disabled"),
    ("enables", "disables"),
    ("higher", "lower"),
    ("better", "worse"),
    ("longer", "shorter"),
    ("input", "output"),
    ("encrypt", "decrypt"),
    ("encrypted", "decrypted"),
    ("upper", "lower"),
    ("newer", "older"),
    ("start", "end"),
    ("starting", "ending"),
    ("open", "close"),
    ("accept", "reject"),
    ("accepts", "rejects"),
    ("allow", "forbid"),
    ("allows", "forbids"),
    ("allowed", "forbidden"),
    ("always", "never"),
    ("all", "none"),
    ("greater", "less"),
    ("added", "removed"),
    ("add", "remove"),
    ("adds", "removes"),
    ("upload", "download"),
    ("true", "false"),
    ("left", "right"),
    ("public", "private"),
    ("inside", "outside"),
    ("server", "client"),
    ("safe", "unsafe"),
    ("immutable", "mutable"),
    ("mutable", "immutable"),
    ("valid", "invalid"),
    ("encode", "decode"),
    ("encoding", "decoding"),
    ("encoder", "decoder"),
    ("north", "south"),
    ("standard", "daylight"),
    ("improve", "worsen"),
    ("improved", "worsened"),
    ("success", "failure"),
    ("forward", "backward"),
    ("ahead", "behind"),
    ("positive", "negative"),
    ("most", "least"),
    ("early", "late"),
    ("high", "low"),
    ("small", "large"),
    ("large", "small"),
    ("long", "short"),
];

fn direction(sentence: &str, paragraph: &Paragraph) -> Option<String> {
    let all = words(sentence);
    all.iter().enumerate().skip(1).find_map(|(index, (at, word))| {
        let bare = word.trim_end_matches(['.', ',', ';']);
        let other = DIRECTIONS.iter().find_map(|(a, b)| {
            if *a == bare {
                Some(*b)
            } else if *b == bare {
                Some(*a)
            } else {
                None
            }
        })?;
        // *last year*, *right now*, *no longer*, *at least*: no direction.
        let before = all[index - 1].1;
        let after = all.get(index + 1).map_or("", |(_, word)| *word);
        let is_idiom = ["no", "at", "any", "not", "as"].contains(&before)
            || ["now", "away", "over", "year", "of", "as"].contains(&after)
                && ["right", "last", "left", "long", "standard", "short", "all", "open"].contains(&bare);
        (!is_idiom && !paragraph.has(other)).then(|| with(sentence, *at, bare.len(), other))
    })
}

/// Two noun phrases change their places: *the A … the B*.
fn exchanged(sentence: &str) -> Option<String> {
    let all = words(sentence);
    let plain = |word: &str| word.len() > 2 && word.chars().all(|c| c.is_alphanumeric() || c == '-' || c == '_');
    let is_article = |word: &str| ["the", "a", "an", "The", "A", "An"].contains(&word);
    let stops = [
        "and", "or", "which", "that", "because", "if", "when", "but", "while", "is", "are", "was", "were", "between",
        "both",
    ];
    let verbs = [
        "is", "are", "was", "can", "has", "to", "of", "in", "for", "by", "and", "or", "with", "on", "from", "as",
        "will", "into", "than", "does", "do", "may", "at", "it", "that",
    ];
    for (index, (_, word)) in all.iter().enumerate() {
        if !is_article(word) {
            continue;
        }
        let Some((a_at, a)) = all.get(index + 1) else { continue };
        let next = all.get(index + 2).map_or("", |(_, w)| *w);
        if !plain(a) || !(verbs.contains(&next) || VERBS.iter().any(|forms| forms.contains(&next))) {
            continue;
        }
        // The second one, with a verb or a preposition in between and no other clause.
        let mut between = 0;
        for (b_index, (_, word)) in all.iter().enumerate().skip(index + 2) {
            let bare = word.trim_end_matches(['.', ';']);
            let has_action = all[index + 2..b_index].iter().any(|(_, w)| {
                VERBS.iter().any(|forms| forms.contains(w)) || ["of", "than", "into", "from", "to", "by"].contains(w)
            });
            if is_article(word) && has_action {
                let Some((b_at, b)) = all.get(b_index + 1) else { break };
                let b_bare = b.trim_end_matches(['.', ',', ';']);
                let after = all.get(b_index + 2).map_or("", |(_, w)| *w);
                let ends = b.len() != b_bare.len() || verbs.contains(&after) || after.is_empty();
                if plain(b_bare)
                    && ends
                    && b_bare.to_lowercase() != a.to_lowercase()
                    && !a.starts_with(b_bare)
                    && !b_bare.starts_with(a)
                {
                    return Some(format!(
                        "{}{b_bare}{}{a}{}",
                        &sentence[..*a_at],
                        &sentence[a_at + a.len()..*b_at],
                        &sentence[b_at + b_bare.len()..]
                    ));
                }
                break;
            }
            if stops.contains(&bare) && !["is", "are", "was", "were"].contains(&bare)
                || word.ends_with(',')
                || word.starts_with('(')
            {
                break;
            }
            between += 1;
            if between > 7 {
                break;
            }
        }
    }
    None
}

/// The sentence with a paragraph of another document.
fn other_source(sentence: &str, paragraph: &Paragraph, all: &[Paragraph]) -> Option<False> {
    let start = pick(sentence, all.len());
    let other = all
        .iter()
        .cycle()
        .skip(start)
        .take(all.len())
        .find(|p| p.document != paragraph.document && p.text.len() > 200)?;
    Some(False { text: sentence.to_string(), cited: vec![other.clone()] })
}

/// The subject of one document with the predicate of another one.
fn merged(sentence: &str, paragraph: &Paragraph, all: &[Paragraph]) -> Option<False> {
    let cut = |sentence: &str| -> Option<(String, String)> {
        [" is ", " are ", " can ", " was ", " will ", " has ", " must ", " should "]
            .iter()
            .filter_map(|verb| {
                let at = sentence.find(verb)?;
                let subject = &sentence[..at];
                let words = subject.split(' ').count();
                let plain = !subject.contains([',', '(', ';', ':', '"']) && (2..7).contains(&words);
                let pronoun = [
                    "It", "This", "They", "There", "That", "You", "If", "When", "These", "In", "We", "What", "As",
                    "For", "Note",
                ]
                .contains(&subject.split(' ').next()?);
                (plain && !pronoun && !subject.contains(" that ") && !subject.contains(" if "))
                    .then(|| (at, subject.to_string(), sentence[at..].to_string()))
            })
            .min_by_key(|(at, ..)| *at)
            .map(|(_, subject, rest)| (subject, rest))
    };
    let (subject, _) = cut(sentence)?;
    let start = pick(sentence, all.len());
    all.iter().cycle().skip(start).take(all.len()).filter(|p| p.document != paragraph.document).find_map(|other| {
        let (_, rest) = other.statements.iter().find_map(|s| cut(s))?;
        Some(False { text: format!("{subject}{rest}"), cited: vec![paragraph.clone(), other.clone()] })
    })
}

const CAUSES: [&str; 13] = [
    "because",
    "due to",
    "since",
    "therefore",
    "thus",
    "so",
    "hence",
    "as a result",
    "cause",
    "result",
    "lead",
    "trigger",
    "consequently",
];

/// Two statements of one paragraph, the second one as the cause of the first one.
fn added_cause(sentence: &str, paragraph: &Paragraph) -> Option<String> {
    let lower = paragraph.text.to_lowercase();
    if CAUSES.iter().any(|cause| lower.contains(cause)) {
        return None;
    }
    let other = paragraph.statements.iter().find(|other| *other != sentence && !other.contains(sentence))?;
    let rest = uncapitalised(other)?;
    let joint = [", because ", ", since ", " because ", ", which is why "][pick(sentence, 3)];
    Some(format!("{}{joint}{rest}", sentence.strip_suffix('.')?))
}

/// The sentence without its condition.
fn dropped_condition(sentence: &str) -> Option<String> {
    let bare = sentence.strip_suffix('.')?;
    if bare.contains([';', '(', ':']) {
        return None;
    }
    for word in ["if", "unless", "only if", "only when", "except", "as long as", "provided that"] {
        let marked = format!(" {word} ");
        if bare.matches(&marked).count() == 1 {
            let (main, clause) = bare.split_once(&marked)?;
            let main = main.trim_end_matches(',');
            let before = main.rsplit(' ').next()?.to_lowercase();
            let is_bound = [
                "as",
                "even",
                "check",
                "see",
                "determine",
                "what",
                "checks",
                "and",
                "or",
                "but",
                "that",
                "know",
                "whether",
                "case",
                "only",
                "specify",
                "just",
                "then",
                "such",
            ]
            .contains(&before.as_str());
            if !is_bound && !clause.contains(',') && main.split(' ').count() > 3 {
                return Some(format!("{main}."));
            }
        }
    }
    let rest = bare.strip_prefix("If ")?;
    let (_, main) = rest.split_once(", ")?;
    (!main.contains(',') && main.split(' ').count() > 3)
        .then(|| format!("{}.", capitalised(main.strip_prefix("then ").unwrap_or(main))))
}
