//! Every small change of a bundle: what could be changed in each of its values, sorted by what that value is.

use serde_json::{Number, Value};

/// What was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// A number that a sentence shows.
    Number,
    /// A letter of a sentence.
    SentenceWord,
    /// A number of a claim.
    ClaimedNumber,
    /// Field, value, statistic or basis of a claim.
    ClaimedName,
    /// Words of a quote.
    Quote,
    /// A quote that ends inside a word or number.
    CutQuote,
    /// A statistic to fewer decimals.
    Rounded,
    /// A marker among the words of a sentence.
    OwnMarker,
    /// Place of a quote.
    Span,
    /// Source of a quote or statistic.
    ClaimedSource,
    /// A claim that is left out.
    Claim,
    /// Markers of a sentence.
    Citation,
    /// The list of sources, and that of data, of the report.
    Entry,
    /// A record that was read.
    Source,
    /// Its hash.
    Hash,
    /// An aggregation.
    Table,
    /// How much was read.
    Coverage,
    /// Headings and notes.
    Words,
    /// The Markdown.
    Markdown,
    /// Texts whose numbers may be repeated.
    Context,
    /// The question.
    Question,
    /// Fields and groups that the evidence has from recorded answers.
    Answer,
    /// Arguments of recorded calls.
    Arguments,
    /// What was recorded of tools beside that: their lists, and the rest of their answers.
    OtherTraffic,
    /// Recorded traffic of the model.
    Model,
    /// What a replay begins with, the journal, the program's name.
    Rest,
    /// The digest.
    Digest,
}

/// A change: a value in the place of another.
#[derive(Clone, Debug)]
pub struct Mutation {
    pub class: Class,
    pub pointer: String,
    pub value: Value,
}

impl Mutation {
    /// The bundle with this change.
    pub fn of(&self, bundle: &Value) -> Value {
        let mut changed = bundle.clone();
        *changed.pointer_mut(&self.pointer).unwrap() = self.value.clone();
        changed
    }
}

/// Bytes of a text of which one letter stands for all: a prompt, or an answer as text.
const LONG: usize = 4_000;
/// Places of a list at which something is left out or swapped.
const PLACES: usize = 12;

/// All small changes of a bundle.
pub fn mutations(bundle: &Value) -> Vec<Mutation> {
    let mut found = Vec::new();
    walk(bundle, String::new(), &mut |pointer, value| {
        let Some(class) = class(bundle, pointer) else { return };
        let mut add = |value: Value| found.push(Mutation { class, pointer: pointer.to_owned(), value });
        match value {
            Value::Number(number) => {
                changed_digits(&number.to_string()).iter().filter_map(|text| number_of(text)).for_each(&mut add)
            }
            Value::String(text) if class == Class::Number => {
                changed_digits(text).into_iter().map(Value::from).for_each(&mut add)
            }
            Value::String(text) if text.len() > LONG && class != Class::Markdown => add(changed_letter(text).into()),
            Value::String(text) => texts(text).into_iter().map(Value::from).for_each(&mut add),
            Value::Bool(flag) => add((!flag).into()),
            Value::Array(items) => lists(class, items, bundle).into_iter().map(Value::from).for_each(&mut add),
            Value::Null => add("x".into()),
            Value::Object(_) => {}
        }
        let mut add = |class: Class, value: Value| found.push(Mutation { class, pointer: pointer.to_owned(), value });
        match (class, value) {
            (Class::Number, Value::String(text)) => {
                add(Class::SentenceWord, changed_letter(text).into());
                markers(bundle).iter().for_each(|marker| add(Class::OwnMarker, format!("{text} {marker}").into()));
            }
            (Class::Quote, Value::String(text)) => {
                cut_in_a_word(text).into_iter().for_each(|text| add(Class::CutQuote, text.into()));
            }
            (Class::ClaimedNumber, number) => {
                rounded(number).into_iter().for_each(|number| add(Class::Rounded, number));
            }
            _ => {}
        }
    });
    found
}

/// Markers of the first record and of the first aggregation.
fn markers(bundle: &Value) -> Vec<String> {
    let id = |list: &str| bundle["evidence"][list][0]["id"].as_str();
    let source = id("sources").map(|id| format!("[{id}]"));
    source.into_iter().chain(id("tables").map(|id| format!("({id})"))).collect()
}

/// The text without the end of its last word of several characters, and what comes after it.
fn cut_in_a_word(text: &str) -> Option<String> {
    let text = text.trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
    let cut = &text[..text.len().checked_sub(1)?];
    cut.ends_with(|c: char| c.is_ascii_alphanumeric()).then(|| cut.to_owned())
}

/// A number with a fraction to two decimals and to none, where that is another number.
fn rounded(value: &Value) -> Vec<Value> {
    let Some(number) = value.as_f64().filter(|_| value.is_f64()) else { return Vec::new() };
    let other = |decimals: usize| {
        let text = format!("{number:.decimals$}");
        let differs = (text.parse::<f64>().unwrap() - number).abs() > 1e-6 * number.abs();
        differs.then(|| number_of(&text)).flatten()
    };
    [2, 0].into_iter().filter_map(other).collect()
}

fn walk(value: &Value, pointer: String, visit: &mut impl FnMut(&str, &Value)) {
    visit(&pointer, value);
    match value {
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(at, item)| walk(item, format!("{pointer}/{at}"), visit));
        }
        Value::Object(fields) => {
            for (name, value) in fields {
                walk(value, format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1")), visit);
            }
        }
        _ => {}
    }
}

/// What stands at a place; nothing for objects and for lists whose items are changed one by one.
fn class(bundle: &Value, pointer: &str) -> Option<Class> {
    let value = bundle.pointer(pointer)?;
    let parts: Vec<&str> = pointer.split('/').skip(1).collect();
    let last = *parts.last()?;
    let is_leaf = !value.is_array() && !value.is_object();
    let is_list = |name: &str| value.is_array() && last == name;
    match parts.first().copied()? {
        "digest" => Some(Class::Digest),
        "markdown" => Some(Class::Markdown),
        "question" => Some(Class::Question),
        "context" => (is_leaf || is_list("context")).then_some(Class::Context),
        "report" => report_class(&parts, last, is_leaf, value),
        "evidence" => match parts.get(1).copied()? {
            "sources" if last == "sha256" => Some(Class::Hash),
            "sources" => (is_leaf || parts.len() == 2).then_some(Class::Source),
            _ => (is_leaf || last == "rows").then_some(Class::Table),
        },
        "effects" => is_leaf.then(|| traffic_class(bundle, &parts)),
        _ => is_leaf.then_some(Class::Rest),
    }
}

fn report_class(parts: &[&str], last: &str, is_leaf: bool, value: &Value) -> Option<Class> {
    if parts.get(1) == Some(&"data") || parts.get(1) == Some(&"sources") {
        return (is_leaf || parts.len() == 2 || ["rows", "cited"].contains(&last)).then_some(Class::Entry);
    }
    if parts == ["report", "version"] || parts.ends_with(&["question", "id"]) {
        return Some(Class::Rest);
    }
    if let Some(at) = parts.iter().position(|part| *part == "claims") {
        return match parts.get(at + 2).copied() {
            None => (value.is_array() && parts.len() == at + 1).then_some(Class::Claim),
            Some(_) if !is_leaf => None,
            Some("number") => Some(Class::ClaimedNumber),
            Some("text") => Some(Class::Quote),
            Some("start") => Some(Class::Span),
            Some("source") => Some(Class::ClaimedSource),
            Some("type") => None,
            Some(_) => Some(Class::ClaimedName),
        };
    }
    if parts.contains(&"sentences") {
        return match last {
            "text" => Some(Class::Number),
            "aggregations" | "sources" => Some(Class::Citation),
            "note" => Some(Class::Coverage),
            _ => None,
        };
    }
    match last {
        "read" | "total" => Some(Class::Coverage),
        "type" | "status" | "confidence" => None,
        _ => is_leaf.then_some(Class::Words),
    }
}

/// Whether a value of the traffic is one that the evidence was built from.
fn traffic_class(bundle: &Value, parts: &[&str]) -> Class {
    let exchange = format!("/{}", parts[..parts.len().min(4)].join("/"));
    match bundle.pointer(&exchange).and_then(|exchange| exchange.get("type")).and_then(Value::as_str) {
        Some("tool") if parts.get(4) == Some(&"arguments") => Class::Arguments,
        Some("tool") if parts.contains(&"structured") => {
            let read = ["documents", "buckets"];
            if parts.iter().any(|part| read.contains(part)) { Class::Answer } else { Class::OtherTraffic }
        }
        Some("tool" | "listing") => Class::OtherTraffic,
        Some("model") => Class::Model,
        _ => Class::Rest,
    }
}

/// The text with each of its digits changed, one after the other.
fn changed_digits(text: &str) -> Vec<String> {
    let digits = text.char_indices().filter(|(_, c)| c.is_ascii_digit());
    let other = |(at, c): (usize, char)| {
        let next = char::from_digit((c.to_digit(10).unwrap() + 1) % 10, 10).unwrap();
        format!("{}{next}{}", &text[..at], &text[at + 1..])
    };
    digits.map(other).collect()
}

fn number_of(text: &str) -> Option<Value> {
    serde_json::from_str::<Number>(text).ok().map(Value::Number)
}

/// A letter in the middle changed.
fn changed_letter(text: &str) -> String {
    let letters: Vec<(usize, char)> = text.char_indices().filter(|(_, c)| c.is_ascii_alphabetic()).collect();
    let Some((at, c)) = letters.get(letters.len() / 2).copied() else { return format!("{text}x") };
    let other = if c == 'z' { 'a' } else { char::from(c as u8 + 1) };
    format!("{}{other}{}", &text[..at], &text[at + 1..])
}

/// A letter changed, a word left out at three places, a word more, some of its digits changed.
fn texts(text: &str) -> Vec<String> {
    let words: Vec<&str> = text.split(' ').collect();
    let mut changed = vec![changed_letter(text), format!("{text} x")];
    if words.len() > 2 {
        for at in [0, words.len() / 2, words.len() - 1] {
            let rest = words.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, word)| *word);
            changed.push(rest.collect::<Vec<_>>().join(" "));
        }
    }
    let digits = changed_digits(text);
    let step = digits.len().div_ceil(24).max(1);
    changed.extend(digits.into_iter().step_by(step));
    changed
}

/// Lists with an item less, two items swapped and, for citations, one more.
fn lists(class: Class, items: &[Value], bundle: &Value) -> Vec<Vec<Value>> {
    let mut changed = Vec::new();
    let step = items.len().div_ceil(PLACES).max(1);
    for at in (0..items.len()).step_by(step) {
        let mut less = items.to_vec();
        less.remove(at);
        changed.push(less);
    }
    // Claims, records and contexts prove the same in any order.
    if !matches!(class, Class::Claim | Class::Context | Class::Source) {
        for at in (1..items.len()).step_by(step) {
            let mut swapped = items.to_vec();
            swapped.swap(at - 1, at);
            changed.push(swapped);
        }
    }
    if class == Class::Citation {
        let ids = bundle["evidence"]["sources"].as_array().unwrap().iter().map(|source| &source["id"]);
        let tables = bundle["evidence"]["tables"].as_array().unwrap().iter().map(|table| &table["id"]);
        if let Some(foreign) = ids.chain(tables).find(|id| !items.contains(id)) {
            changed.push(items.iter().chain([foreign]).cloned().collect());
            changed.extend((0..items.len()).map(|at| {
                let mut other = items.to_vec();
                other[at] = foreign.clone();
                other
            }));
        }
    }
    changed
}
