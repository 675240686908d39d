//! A field with what its name and its facts say.

use research_agents_report::evidence::plain;
use research_agents_report::text::{Word, words};
use serde_json::Value;

use crate::data::task::{FieldFacts, FieldKind};
use crate::question::interpret::field::{is_identifier, is_prose};
use crate::question::lexicon;
use crate::question::read::cut::spelling::is_vowelless;
use crate::question::read::words::codes::{codes, names};
use crate::question::read::words::concepts::concepts;
use crate::question::read::words::tokens::folded;
use crate::question::read::words::units::{Unit, unit};

/// A word of the name of a field.
#[derive(Clone, Debug)]
pub(crate) struct NameWord {
    pub(crate) lower: String,
    pub(crate) stem: String,
    /// Too general to name a field alone.
    pub(crate) is_weak: bool,
    /// A function word or the unit: it need not be said.
    pub(crate) is_filler: bool,
    /// Whether the names of most fields begin with the word, which tells none of them.
    pub(crate) is_shared: bool,
    pub(crate) concepts: &'static [&'static str],
}

/// A field with what its name says.
#[derive(Debug)]
pub(crate) struct Field<'f> {
    pub(crate) facts: &'f FieldFacts,
    pub(crate) words: Vec<NameWord>,
    pub(crate) unit: Option<Unit>,
    /// The values for true and false, where it is a truth value.
    pub(crate) truth: Option<(Value, Value)>,
    /// Whether it holds years as numbers; of two digits, if so many years are added.
    pub(crate) years: Option<i64>,
    pub(crate) is_identifier: bool,
    pub(crate) is_prose: bool,
}

impl Field<'_> {
    /// Returns whether the field may hold codes of countries or states.
    pub(crate) fn holds_places(&self) -> bool {
        const PLACES: [&str; 14] = [
            "birthplace",
            "place",
            "pl",
            "origin",
            "location",
            "state",
            "states",
            "province",
            "country",
            "countries",
            "nation",
            "nationality",
            "noc",
            "region",
        ];

        self.facts.kind == FieldKind::Text
            && self
                .words
                .iter()
                .any(|word| PLACES.contains(&word.lower.as_str()))
    }

    /// Divides what ends with a word that is said in the name: `percbelowpoverty`. A prefix makes
    /// another word of it: `disability` is not an ability. The beginning of a word that is said
    /// means that word, as `unemp` does *unemployment*.
    pub(crate) fn divided_at(mut self, said: &[&str]) -> Self {
        const SHORTEST: usize = 3;
        const PREFIXES: [&str; 14] = [
            "anti", "counter", "dis", "inter", "mis", "non", "out", "over", "post", "pre", "sub",
            "super", "trans", "under",
        ];

        let is_alone = self.words.len() == 1;
        let divided = self.words.into_iter().flat_map(|word| {
            let ending = said.iter().find_map(|said| {
                let first = word.lower.strip_suffix(said)?;
                let is_word = first.len() >= SHORTEST && !PREFIXES.contains(&first);
                (is_word && word.concepts.is_empty()).then_some((first, *said))
            });
            let is_beginning = |said: &&&str| {
                let rest = said.strip_prefix(word.lower.as_str());
                let is_cut = is_alone && word.lower.len() > SHORTEST && word.concepts.is_empty();
                is_cut && rest.is_some_and(|rest| rest.len() >= SHORTEST)
            };
            match (ending, said.iter().find(is_beginning)) {
                (Some((first, second)), _) => vec![part(&word, first), part(&word, second)],
                (None, Some(whole)) => vec![part(&word, whole)],
                (None, None) => vec![word],
            }
        });
        self.words = divided.collect();
        self
    }

    /// Returns whether the field holds hours of the day as numbers, and not durations.
    pub(crate) fn holds_hours_of_day(&self) -> bool {
        let bounds = self.facts.range.as_ref();
        let bounds = bounds.and_then(|(low, high)| Some((low.as_u64()?, high.as_u64()?)));
        let says_hour = |word: &NameWord| matches!(word.lower.as_str(), "hour" | "hours" | "hr");
        let is_hour = matches!(self.words.as_slice(), [word] if says_hour(word));
        is_hour && bounds.is_some_and(|(_, high)| high == 23 || high == 24)
    }

    /// Returns whether the field may hold continents or their codes.
    pub(crate) fn holds_continents(&self) -> bool {
        let mut concepts = self.words.iter().flat_map(|word| word.concepts);
        self.facts.kind == FieldKind::Text && concepts.any(|concept| *concept == "continent")
    }
}

pub(crate) fn stem_of(word: &str) -> String {
    words(word)
        .pop()
        .map_or_else(|| word.to_owned(), |word| word.stem)
}

/// Returns a string with `ss` for `ß`, as questions are read.
pub(crate) fn folded_case(text: &str) -> String {
    text.replace('ß', "ss")
}

pub(crate) fn field(facts: &FieldFacts) -> Field<'_> {
    let name = folded_case(&facts.name);
    let said = words(&name);
    let at_unit = header_unit(&facts.name, &said);
    let names = said.iter().enumerate().map(|(place, word)| NameWord {
        is_weak: lexicon::is_generic(&word.lower) && concepts().shortened(&word.lower).is_none()
            || place > 0 && is_year(&word.lower),
        is_filler: at_unit.is_some_and(|(at, _)| at == place && said.len() > 1)
            || (lexicon::is_stop(&word.lower)
                && !is_abbreviated(word.text)
                && word.lower != "other"
                && !lexicon::is_generic_noun(&word.lower)
                && said.len() > 1),
        is_shared: false,
        concepts: match concepts().of(&word.lower, &word.stem, "") {
            // `Pclass` is a class; `machine_learning` has nothing to do with earning.
            [] if said.len() == 1
                && word.lower.get(1..).is_some_and(|rest| {
                    rest.len() >= 5 && !concepts().of(rest, rest, "").is_empty()
                }) =>
            {
                concepts().of(&word.lower[1..], &word.lower[1..], "")
            }
            [] => match concepts().shortened(&word.lower) {
                Some(long) => concepts().of(long, &stem_of(long), ""),
                None => concepts()
                    .of_compound(&word.lower)
                    .map_or(&[][..], |(_, found)| found),
            },
            found => found,
        },
        lower: word.lower.clone(),
        stem: word.stem.clone(),
    });
    let names = names.flat_map(without_name).flat_map(divided);
    let mut names: Vec<NameWord> = match facts.kind {
        FieldKind::Date => names.flat_map(without_date).collect(),
        _ => names.collect(),
    };
    if let [only] = names.as_mut_slice()
        && !only.concepts.contains(&"country")
        && holds_countries(facts)
    {
        only.concepts = match only.concepts {
            ["origin", ..] => &["origin", "country"],
            _ => &["country"],
        };
    }

    join_decimals(&mut names);
    // `population_per_km2`
    for at in 1..names.len() {
        let is_area = matches!(
            names[at].lower.as_str(),
            "km2" | "sqkm" | "qkm" | "mi2" | "sqmi" | "mile" | "ha" | "hectare" | "acre"
        );
        if is_area && names[at - 1].lower == "per" {
            names[at - 1].concepts = &["density"];
        }
    }

    Field {
        facts,
        unit: at_unit.map(|(_, unit)| unit),
        truth: truth(facts),
        years: years(facts, &names),
        is_identifier: is_identifier(facts) && facts.name.to_lowercase() != "name",
        is_prose: is_prose(facts),
        words: names,
    }
}

/// Returns whether the values of a field are names or codes of countries.
fn holds_countries(facts: &FieldFacts) -> bool {
    let is_country = |value: &Value| {
        let text = plain(value);
        // A country has a code of three letters, and a state has none.
        let has_code = |name: &str| codes(name).iter().any(|code| code.len() == 3);
        has_code(&text.to_lowercase()) || names(&text).iter().any(|name| has_code(name))
    };
    let countries = facts
        .values
        .iter()
        .filter(|value| is_country(value))
        .count();
    facts.kind == FieldKind::Text && countries >= 3 && countries * 4 >= facts.values.len() * 3
}

/// Returns whether a word is a year, which tells fields with one name apart.
fn is_year(word: &str) -> bool {
    word.len() == 4 && word.parse().is_ok_and(|year| (1800..2200).contains(&year))
}

/// Splits a word such as `ctryname` into the abbreviation and a filler.
fn without_name(word: NameWord) -> Vec<NameWord> {
    const ENDINGS: [(&str, &str); 4] = [
        ("wt", "weight"),
        ("amt", "amount"),
        ("qty", "quantity"),
        ("pct", "percent"),
    ];

    // `errors86`
    let letters = word.lower.trim_end_matches(|c: char| c.is_ascii_digit());
    if letters.len() < word.lower.len() && letters.len() >= 3 {
        let named = NameWord {
            lower: letters.to_owned(),
            stem: stem_of(letters),
            concepts: concepts().of(letters, &stem_of(letters), ""),
            ..word.clone()
        };
        let digits = NameWord {
            is_filler: true,
            is_shared: false,
            is_weak: true,
            lower: word.lower[letters.len()..].to_owned(),
            stem: word.lower[letters.len()..].to_owned(),
            concepts: &[],
        };
        return vec![named, digits];
    }

    let ending = ENDINGS.iter().find_map(|(short, long)| {
        let rest = word.lower.strip_suffix(short)?;
        (rest.len() >= 3).then_some((rest, *long))
    });
    if let Some((rest, long)) = ending {
        let named = |text: &str| NameWord {
            lower: text.to_owned(),
            stem: stem_of(text),
            concepts: concepts().of(text, &stem_of(text), ""),
            ..word.clone()
        };
        return vec![named(rest), named(long)];
    }

    let abbreviation = word
        .lower
        .strip_suffix("name")
        .filter(|short| is_vowelless(short));
    let Some(short) = abbreviation.map(str::to_owned) else {
        return vec![word];
    };
    let filler = NameWord {
        lower: "name".to_owned(),
        stem: "name".to_owned(),
        is_weak: true,
        is_filler: true,
        is_shared: false,
        concepts: &[],
    };
    let short = NameWord {
        stem: short.clone(),
        lower: short,
        ..word
    };
    vec![short, filler]
}

/// Splits a name of two joined words, such as `foundingyear`, whose first one is known.
fn divided(word: NameWord) -> Vec<NameWord> {
    /// Words before the quantity that they are of, as in `meantemp`.
    const FIRST: [&str; 9] = [
        "mean", "average", "avg", "maximum", "max", "minimum", "min", "median", "real",
    ];
    /// Words that are telling enough after any other.
    const LAST: [&str; 2] = ["score", "income"];
    const SECOND: [&str; 18] = [
        "year", "count", "code", "type", "size", "rate", "price", "time", "city", "country",
        "color", "colour", "state", "status", "level", "total", "place", "world",
    ];

    let ending = SECOND.iter().find_map(|second| {
        let first = word.lower.strip_suffix(second)?;
        let is_known = !concepts().of(first, &stem_of(first), "").is_empty();
        (first.len() >= 3 && is_known).then(|| (first.to_owned(), *second))
    });
    let ending = ending.or_else(|| {
        LAST.iter().find_map(|last| {
            let first = word.lower.strip_suffix(last)?;
            (first.len() >= 3).then(|| (first.to_owned(), *last))
        })
    });
    let beginning = || {
        FIRST.iter().find_map(|first| {
            let second = word.lower.strip_prefix(first)?;
            let is_short = second.len() < 3;
            let long = concepts().shortened(second).unwrap_or(second);
            let is_known = !concepts().of(long, &stem_of(long), "").is_empty();
            (is_known && !is_short).then(|| ((*first).to_owned(), second))
        })
    };
    let ending = ending.or_else(beginning);
    let is_whole = !concepts().of(&word.lower, &word.stem, "").is_empty();
    let Some((first, second)) = ending.filter(|_| !is_whole) else {
        return vec![word];
    };
    vec![part(&word, &first), part(&word, second)]
}

/// Returns a part of a word of a name as another word.
fn part(word: &NameWord, text: &str) -> NameWord {
    NameWord {
        lower: text.to_owned(),
        stem: stem_of(text),
        is_weak: lexicon::is_generic(text),
        concepts: concepts().of(text, &stem_of(text), ""),
        ..word.clone()
    }
}

/// Splits a word such as `startdate` of the name of a field of dates.
fn without_date(word: NameWord) -> Vec<NameWord> {
    let rest = ["date", "time", "day"]
        .into_iter()
        .find_map(|ending| word.lower.strip_suffix(ending));
    let Some(rest) = rest.filter(|rest| rest.len() >= 3).map(str::to_owned) else {
        return vec![word];
    };
    let ending = word.lower[rest.len()..].to_owned();

    let named = |text: String, is_filler: bool| {
        let stem = stem_of(&text);
        NameWord {
            concepts: concepts().of(&text, &stem, ""),
            stem,
            is_filler,
            is_shared: false,
            lower: text,
            ..word.clone()
        }
    };
    vec![named(rest, false), named(ending, true)]
}

/// Returns whether a word is an abbreviation in capitals, such as `US`, and no function word.
fn is_abbreviated(word: &str) -> bool {
    word.len() > 1 && word.chars().all(char::is_uppercase)
}

/// Returns the unit that the name of a field ends with, and the place of its word.
fn header_unit(name: &str, said: &[Word<'_>]) -> Option<(usize, Unit)> {
    let lower = name.to_lowercase();
    if lower.contains("km/h") || lower.contains("km per h") {
        return Some((said.len().saturating_sub(2), unit("kmh")?));
    }
    let sign = ['$', '€', '£', '%']
        .into_iter()
        .find(|sign| lower.contains(*sign));
    if let Some(sign) = sign {
        return Some((usize::MAX, unit(&sign.to_string())?));
    }

    let place = said.len().checked_sub(1)?;
    let word = &said[place].lower;
    let is_short = word.chars().count() == 1;
    // A single letter is a unit in `mass_g` and `mass (g)`, and not in `group g`.
    let is_marked = lower.ends_with(&format!("_{word}")) || lower.ends_with(&format!("({word})"));
    if place == 0 || (is_short && !is_marked) {
        return None;
    }
    // `temp_min` is a minimum, `duration_min` is in minutes.
    let is_time = |word: &Word<'_>| {
        let named = concepts().of(&word.lower, &word.stem, "");
        word.lower == "time" || named.iter().any(|c| matches!(*c, "duration" | "delay"))
    };
    let is_minimum =
        word == "min" && !lower.ends_with("(min)") && !said[..place].iter().any(is_time);
    if is_minimum {
        return None;
    }
    let found = unit(word)?;
    let is_count = matches!(
        found.dimension,
        "years" | "days" | "stars" | "power" | "carat"
    );
    (!is_count || lower.ends_with(')')).then_some((place, found))
}

/// Returns whether a field numbers the records: whole numbers from 0 or 1 on, each once.
pub(crate) fn is_running(facts: &FieldFacts) -> bool {
    let bounds = facts.range.as_ref();
    let bounds = bounds.and_then(|(low, high)| Some((low.as_u64()?, high.as_u64()?)));
    match (bounds, facts.distinct) {
        (Some((low, high)), Some(distinct)) => {
            low <= 1 && distinct > 50 && high - low + 1 == distinct
        }
        _ => false,
    }
}

/// Returns whether a field of whole numbers is named after one thing or person, as `district`: the
/// numbers tell the things apart and measure nothing.
pub(crate) fn numbers_things(field: &Field<'_>) -> bool {
    const THINGS: [&str; 14] = [
        "borough",
        "city",
        "customer",
        "department",
        "employee",
        "hospital",
        "municipality",
        "patient",
        "player",
        "precinct",
        "region",
        "school",
        "station",
        "vehicle",
    ];

    let facts = field.facts;
    let is_whole = |bound: &Value| bound.as_i64().is_some();
    let are_whole = facts
        .range
        .as_ref()
        .is_some_and(|(low, high)| is_whole(low) && is_whole(high));
    // `employees` counts them.
    let is_one = |word: &NameWord| {
        !word.lower.ends_with('s') && word.concepts.iter().any(|name| THINGS.contains(name))
    };
    let is_many = facts.distinct.is_some_and(|distinct| distinct > 50);
    let mut strong = field.words.iter().filter(|word| !word.is_filler);
    facts.kind == FieldKind::Number && are_whole && is_many && strong.all(is_one)
}

/// Joins the parts of a name with a decimal number: `pm2` and `5` of `pm2_5` are *pm2.5*.
fn join_decimals(names: &mut Vec<NameWord>) {
    let is_digit = |word: &str| word.len() == 1 && word.bytes().all(|c| c.is_ascii_digit());
    let ends_in_digit = |word: &str| {
        word.starts_with(|c: char| c.is_ascii_alphabetic())
            && word.ends_with(|c: char| c.is_ascii_digit())
    };
    let mut at = 1;
    while at < names.len() {
        if is_digit(&names[at].lower) && ends_in_digit(&names[at - 1].lower) {
            let joined = format!("{}.{}", names[at - 1].lower, names[at].lower);
            names[at - 1].stem.clone_from(&joined);
            names[at - 1].lower = joined;
            names.remove(at);
        } else {
            at += 1;
        }
    }
}

/// Returns a value of a survey without its number: *Divorced* of `4. Divorced`, *Yes* of `1 - Yes`.
pub(crate) fn without_number(text: &str) -> Option<&str> {
    const DIGITS: usize = 2;
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = text.len() - rest.len();
    let named = rest
        .trim_start()
        .strip_prefix(['.', ')', ':', '-', '='])?
        .trim_start();
    let is_named = named.starts_with(char::is_alphabetic);
    ((1..=DIGITS).contains(&digits) && is_named).then_some(named)
}

/// Returns the values for true and false of a field of truth values.
fn truth(facts: &FieldFacts) -> Option<(Value, Value)> {
    const PAIRS: [(&str, &str); 8] = [
        ("yes", "no"),
        ("y", "n"),
        ("true", "false"),
        ("t", "f"),
        ("1", "0"),
        ("ja", "nein"),
        ("oui", "non"),
        ("si", "no"),
    ];

    match facts.kind {
        FieldKind::Boolean => Some((Value::Bool(true), Value::Bool(false))),
        FieldKind::Text => {
            let mut spellings: Vec<(String, Vec<Value>)> = Vec::new();
            for value in &facts.values {
                let text = plain(value);
                let called = folded(without_number(&text).unwrap_or(&text));
                match spellings.iter_mut().find(|(known, _)| *known == called) {
                    Some((_, own)) => own.push(value.clone()),
                    None => spellings.push((called, vec![value.clone()])),
                }
            }
            if spellings.len() != 2 {
                return None;
            }
            // `N` and `n` are one value with two spellings.
            let find = |text: &str| {
                let (_, own) = spellings.iter().find(|(known, _)| known == text)?;
                Some(match own.as_slice() {
                    [one] => one.clone(),
                    several => Value::from(several.to_vec()),
                })
            };
            let pair = PAIRS.iter().find_map(|(yes, no)| find(yes).zip(find(no)));
            pair.or_else(|| {
                let [(one, _), (other, _)] = spellings.as_slice() else {
                    return None;
                };
                let denied = [(one, other), (other, one)];
                let (yes, no) = denied.into_iter().find(|(yes, no)| denies(no, yes))?;
                find(yes).zip(find(no))
            })
        }
        FieldKind::Number => {
            let (low, high) = facts.range.as_ref()?;
            let is_pair = low.as_i64() == Some(0) && high.as_i64() == Some(1);
            let is_two = facts.distinct.is_none_or(|distinct| distinct <= 2);
            (is_pair && is_two).then(|| (Value::from(1), Value::from(0)))
        }
        FieldKind::Date => None,
    }
}

/// Returns whether one value is the denial of another, as *Not remote* of *Remote*.
fn denies(value: &str, other: &str) -> bool {
    ["not ", "non ", "non-", "no "]
        .iter()
        .any(|not| value.strip_prefix(not) == Some(other))
}

/// Returns what is added to a number of a field of years.
fn years(facts: &FieldFacts, names: &[NameWord]) -> Option<i64> {
    const TELLING: &str = " season vintage founded built released established ";
    // What opens or starts may do so at a price or a number.
    const BEGINNING: &[&str] = &["open", "opened", "start"];
    if facts.kind != FieldKind::Number {
        return None;
    }
    let is_telling = |word: &NameWord| {
        let is_founding = word.concepts.contains(&"founded");
        !word.is_filler
            && (TELLING.contains(&format!(" {} ", word.lower))
                || word.concepts.contains(&"year")
                || is_founding && !BEGINNING.contains(&word.lower.as_str()))
    };
    // A column that is called `TIME` alone has years where all of its numbers may be.
    let is_time = matches!(names, [name] if matches!(name.lower.as_str(), "time" | "period"));
    let is_named = names.iter().any(is_telling);

    let bounds = facts
        .range
        .as_ref()
        .and_then(|(low, high)| Some((low.as_f64()?, high.as_f64()?)));
    match bounds {
        Some((low, high)) if is_time => (low >= 1700.0 && high <= 2100.0).then_some(0),
        Some((low, high)) if low >= 1000.0 && high <= 2200.0 => is_named.then_some(0),
        Some((low, high)) if low >= 30.0 && high <= 99.0 => is_named.then_some(1900),
        Some(_) => None,
        None => is_named.then_some(0),
    }
}
