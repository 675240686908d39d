//! Sentences with blanks, filled with what is true of a world, and every way to fill them falsely.

use std::collections::BTreeMap;

use research_agents::kernel::claim::{Claim, Statistic};
use research_agents::kernel::language::Language;

use super::world::{World, of_sex};
use crate::mutation::near;

/// What the claims of a sentence are about.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum About {
    /// The means of the three groups with the highest ones.
    Top,
    /// The means and medians of the two groups with the highest means.
    Both,
    /// The mean of the group with the lowest one.
    Bottom,
    /// Statistics over all records.
    Whole,
    /// The mean of the group with the highest one, and the mean over all records.
    AgainstAll,
    /// The first record of the ranking.
    First,
    /// The first three records of the ranking.
    Ranks,
    /// The correlation with flipper length.
    Positive,
    /// The correlation with bill depth.
    Negative,
    /// The smallest and the largest value.
    Range,
    /// The first and the last date.
    Dates,
    /// The means of the two halves of the two groups with the highest means.
    Halves,
    /// The text that is not there.
    Absent,
}

/// A sentence with blanks in a language.
#[derive(Clone, Copy)]
pub(crate) struct Form {
    code: &'static str,
    about: About,
    text: &'static str,
    question: Option<&'static str>,
}

/// A sentence with its claims.
#[derive(Clone)]
pub(crate) struct Filled {
    pub(crate) language: Language,
    pub(crate) text: String,
    pub(crate) question: Option<String>,
    pub(crate) claims: Vec<Claim>,
}

impl Filled {
    pub(crate) fn new(code: &str, text: &str, claims: Vec<Claim>) -> Self {
        Self { language: code.parse().unwrap(), text: text.to_owned(), question: None, claims }
    }
}

/// The name of a word in a form, the word, and those that make the sentence false.
type Word = (&'static str, &'static str, &'static [&'static str]);

/// Words by language.
const WORDS: [(&str, &[Word]); 6] = [
    (
        "en",
        &[
            ("mean", "mean", &["median", "minimum", "maximum", "total"]),
            ("median", "median", &["mean", "sum of"]),
            ("high", "highest", &["lowest", "second highest", "smallest"]),
            ("low", "lowest", &["highest", "largest"]),
            ("second", "second highest", &["highest", "third highest", "lowest", "second lowest"]),
            ("higher", "higher", &["lower", "smaller"]),
            ("more", "more", &["less"]),
            ("least", "minimum", &["mean", "maximum"]),
            ("most", "maximum", &["mean", "minimum"]),
            ("first", "earliest", &["latest"]),
            ("last", "latest", &["earliest"]),
            ("above", "above", &["below"]),
            ("yes", "Yes", &["No"]),
            ("positive", "positive", &["negative"]),
            ("negative", "negative", &["positive"]),
            ("strong", "strong", &["weak"]),
            ("field", "body mass", &["flipper length", "bill depth"]),
            ("other", "flipper length", &["bill depth"]),
            ("bill", "bill depth", &["flipper length"]),
            ("none", "No record mentions", &["Every record mentions"]),
            ("before", "before", &[]),
        ],
    ),
    (
        "de",
        &[
            ("mean", "Mittelwert", &["Median"]),
            ("high", "höchsten", &["niedrigsten", "zweithöchsten"]),
            ("low", "niedrigsten", &["höchsten"]),
            ("higher", "höher", &["niedriger"]),
            ("yes", "Ja", &["Nein"]),
            ("none", "Kein Datensatz erwähnt", &["Jeder Datensatz erwähnt"]),
        ],
    ),
    (
        "fr",
        &[
            ("mean", "moyenne", &["médiane"]),
            ("high", "plus élevée", &["plus basse", "plus faible"]),
            ("low", "plus basse", &["plus élevée"]),
            ("higher", "plus élevée", &["plus basse"]),
            ("yes", "Oui", &["Non"]),
            ("none", "Aucun enregistrement ne mentionne", &["Les enregistrements mentionnent"]),
        ],
    ),
    (
        "es",
        &[
            ("mean", "media", &["mediana"]),
            ("high", "más alta", &["más baja"]),
            ("low", "más baja", &["más alta"]),
            ("higher", "más alta", &["más baja"]),
            ("yes", "Sí", &["No"]),
            ("none", "Ningún registro menciona", &["Los registros mencionan"]),
        ],
    ),
    (
        "it",
        &[
            ("mean", "media", &["mediana"]),
            ("high", "più alta", &["più bassa"]),
            ("low", "più bassa", &["più alta"]),
            ("higher", "più alta", &["più bassa"]),
            ("yes", "Sì", &["No"]),
            ("none", "Nessun record menziona", &["I record menzionano"]),
        ],
    ),
    (
        "pt",
        &[
            ("mean", "média", &["mediana"]),
            ("high", "mais alta", &["mais baixa"]),
            ("low", "mais baixa", &["mais alta"]),
            ("higher", "mais alta", &["mais baixa"]),
            ("yes", "Sim", &["Não"]),
            ("none", "Nenhum registro menciona", &["Os registros mencionam"]),
        ],
    ),
];

/// Every sentence.
pub(crate) fn all() -> Vec<Form> {
    use About::{Absent, AgainstAll, Both, Bottom, Dates, First, Halves, Negative, Positive, Range, Ranks, Top, Whole};
    let forms = [
        ("en", Top, "{a} has the {high} {mean} {field}: {A} (n = {na}), before {b} {B} and {c} {C}."),
        (
            "en",
            Top,
            "{a} has the {high} {mean} {field} with {A} g (n = {na}), {before} {b} with {B} g and {c} with {C} g.",
        ),
        ("en", Top, "The {high} {mean} {field} is that of {a} with {A}; {b} has {B} and {c} {C}."),
        ("en", Top, "By species, the {mean} {field} is {A} for {a}, {B} for {b} and {C} for {c}."),
        ("en", Top, "{a}: {mean} {field} {A} (n = {na}); {b}: {B} (n = {nb}); {c}: {C} (n = {nc})."),
        ("en", Top, "{a}, {b} and {c} have a {mean} {field} of {A}, {B} and {C}."),
        ("en", Top, "The {mean} {field} of {a} is {A}, that of {b} {B} and that of {c} {C}."),
        ("en", Top, "{a} ({A}) has a {higher} {mean} {field} than {b} ({B}) and {c} ({C})."),
        ("en", Top, "The {mean} {field} is {higher} for {a} than for {b}: {A} against {B}, with {C} for {c}."),
        ("en", Top, "The {second} {mean} {field} is that of {b}: {B}, after {a} with {A} and before {c} with {C}."),
        ("en", Top, "{yes}: {a} has a {higher} {mean} {field} than {b}: {A} against {B} ({c}: {C})."),
        ("en", Top, "{a} has a {mean} {field} of {A}, which is {D} {more} than {b} with {B}; {c} has {C}."),
        (
            "en",
            Both,
            "{a} has a {mean} {field} of {A} and a {median} of {MA}, and {b} a {mean} of {B} and a {median} of {MB}.",
        ),
        ("en", Top, "{a} {A}, {b} {B} and {c} {C} have the {high} {mean} {field}."),
        ("en", Both, "{a}: {mean} {field} {A}, {median} {MA}; {b}: {mean} {B}, {median} {MB}."),
        ("en", Bottom, "{l} has the {low} {mean} {field}: {L}."),
        ("en", Bottom, "The {low} {mean} {field}, {L} g, is that of {l} (n = {nl})."),
        ("en", Whole, "The {mean} {field} is {T} g over {v} of {t} records, and the {median} is {M} g."),
        ("en", Whole, "The {field} has a {mean} of {T} and a {median} of {M}."),
        ("en", Whole, "The {median} {field} is {M}, and the {mean} {T} (n = {v})."),
        ("en", AgainstAll, "{a} is {above} the overall {mean} {field} of {T}: its {mean} is {A}."),
        ("en", First, "{r} has the {high} {field}: {R} g."),
        ("en", First, "The {high} {field} is that of {r} with {R} g."),
        ("en", Ranks, "{r} has the {high} {field} ({R}), before {s} ({S}) and {u} ({U})."),
        ("en", Ranks, "The {high} {field} is that of {r}: {R}; {s} has {S} and {u} has {U}."),
        ("en", Positive, "The {field} and the {other} have a {strong} {positive} correlation (r = {P}, n = {p})."),
        ("en", Positive, "The {field} correlates with the {other}: r = {P} over {p} records."),
        ("en", Negative, "The {field} and the {bill} have a {strong} {negative} correlation (r = -{N}, n = {p})."),
        ("en", Range, "The {field} ranges from {I} to {X} g over {v} records."),
        ("en", Range, "The {field} lies between {I} and {X}."),
        ("en", Range, "The {least} of {field} is {I}, and its {most} {X}."),
        ("en", Dates, "The records run from {d} to {e}."),
        ("en", Dates, "The {first} date is {d} and the {last} date is {e}."),
        (
            "en",
            Halves,
            "Of {a}, the {mean} {field} is {AM} for male and {AF} for female; of {b}, it is {BM} for male and {BF} for female.",
        ),
        ("en", Halves, "{a}: {mean} {field} male {AM}, female {AF}; {b}: male {BM}, female {BF}."),
        ("en", Absent, "{none} “helium”: {f} fields of all {t} records were searched."),
        ("de", Top, "{a} hat den {high} {mean} von body_mass_g: {A} (n = {na}), vor {b} mit {B} und {c} mit {C}."),
        ("de", Top, "Der {mean} von body_mass_g ist {A} für {a}, {B} für {b} und {C} für {c}."),
        ("de", Top, "{yes}: Der {mean} von body_mass_g ist bei {a} {higher} als bei {b}: {A} gegen {B} ({c}: {C})."),
        ("de", Bottom, "{l} hat den {low} {mean} von body_mass_g: {L}."),
        ("de", Absent, "{none} „helium“: {f} Felder aller {t} Datensätze wurden durchsucht."),
        ("fr", Top, "{a} a la {mean} de body_mass_g la {high} : {A} (n = {na}), devant {b} ({B}) et {c} ({C})."),
        ("fr", Top, "La {mean} de body_mass_g est de {A} pour {a}, de {B} pour {b} et de {C} pour {c}."),
        ("fr", Top, "{yes} : {a} a une {mean} de body_mass_g {higher} que {b} : {A} contre {B} ({c} : {C})."),
        ("fr", Bottom, "{l} a la {mean} de body_mass_g la {low} : {L}."),
        ("fr", Absent, "{none} « helium » : {f} champs des {t} enregistrements ont été lus."),
        ("es", Top, "{a} tiene la {mean} de body_mass_g {high}: {A} (n = {na}), por delante de {b} ({B}) y {c} ({C})."),
        ("es", Top, "La {mean} de body_mass_g es de {A} para {a}, de {B} para {b} y de {C} para {c}."),
        ("es", Top, "{yes}: {a} tiene una {mean} de body_mass_g {higher} que {b}: {A} frente a {B} ({c}: {C})."),
        ("es", Bottom, "{l} tiene la {mean} de body_mass_g {low}: {L}."),
        ("es", Absent, "{none} «helium»: se buscó en {f} campos de los {t} registros."),
        ("it", Top, "{a} ha la {mean} di body_mass_g {high}: {A} (n = {na}), davanti a {b} ({B}) e {c} ({C})."),
        ("it", Top, "La {mean} di body_mass_g è di {A} per {a}, di {B} per {b} e di {C} per {c}."),
        ("it", Top, "{yes}: {a} ha una {mean} di body_mass_g {higher} di {b}: {A} contro {B} ({c}: {C})."),
        ("it", Bottom, "{l} ha la {mean} di body_mass_g {low}: {L}."),
        ("it", Absent, "{none} «helium»: {f} campi di tutti i {t} record sono stati letti."),
        ("pt", Top, "{a} tem a {mean} de body_mass_g {high}: {A} (n = {na}), à frente de {b} ({B}) e {c} ({C})."),
        ("pt", Top, "A {mean} de body_mass_g é de {A} para {a}, de {B} para {b} e de {C} para {c}."),
        ("pt", Top, "{yes}: {a} tem uma {mean} de body_mass_g {higher} que {b}: {A} contra {B} ({c}: {C})."),
        ("pt", Bottom, "{l} tem a {mean} de body_mass_g {low}: {L}."),
        ("pt", Absent, "{none} “helium”: {f} campos de todos os {t} registros foram lidos."),
    ];
    forms.into_iter().map(|(code, about, text)| Form { code, about, text, question: question(code, text) }).collect()
}

/// The question that a yes answers.
fn question(code: &str, text: &str) -> Option<&'static str> {
    text.contains("{yes}").then_some(match code {
        "de" => "Ist der Mittelwert von body_mass_g bei {a} höher als bei {b}?",
        "fr" => "La moyenne de body_mass_g de {a} est-elle plus élevée que celle de {b} ?",
        "es" => "¿Tiene {a} una media de body_mass_g más alta que {b}?",
        "it" => "{a} ha una media di body_mass_g più alta di {b}?",
        "pt" => "{a} tem uma média de body_mass_g mais alta que {b}?",
        _ => "Does {a} have a higher mean body mass than {b}?",
    })
}

type Blanks = BTreeMap<&'static str, String>;

impl Form {
    /// Whether it says which group has the highest or lowest mean.
    pub(crate) fn is_superlative_of_groups(&self) -> bool {
        let has = |blank: &str| self.text.contains(blank);
        matches!(self.about, About::Top | About::Bottom) && (has("{high}") || has("{low}") || has("{second}"))
    }

    /// The sentence with what is true.
    pub(crate) fn fill(&self, world: &World) -> Filled {
        self.filled(world, &self.blanks(world))
    }

    fn filled(&self, world: &World, blanks: &Blanks) -> Filled {
        let write = |text: &str| {
            let replace = |text: String, (blank, word): (&&str, &String)| text.replace(&format!("{{{blank}}}"), word);
            blanks.iter().fold(text.to_owned(), replace)
        };
        let truth = self.blanks(world);
        let question = self.question.map(|text| {
            let names = ["a", "b"].map(|blank| (format!("{{{blank}}}"), truth[blank].clone()));
            names.iter().fold(text.to_owned(), |text, (blank, name)| text.replace(blank, name))
        });
        Filled { question, ..Filled::new(self.code, &write(self.text), self.claims(world)) }
    }

    fn claims(&self, world: &World) -> Vec<Claim> {
        match self.about {
            About::Top => (0..3).map(|at| world.mean_of(at)).collect(),
            About::Both => (0..2)
                .flat_map(|at| [world.mean_of(at), world.of_group(at, Statistic::Median, world.groups[at].median)])
                .collect(),
            About::Bottom => vec![world.mean_of(world.groups.len() - 1)],
            About::Whole => vec![
                world.measure(Statistic::Mean, world.mean),
                world.measure(Statistic::Median, world.median),
                world.total_claim(),
            ],
            About::AgainstAll => vec![world.mean_of(0), world.measure(Statistic::Mean, world.mean)],
            About::First => world.record(0),
            About::Ranks => (0..3).flat_map(|at| world.record(at)).collect(),
            About::Positive | About::Negative => {
                let at = usize::from(self.about == About::Negative);
                let other = ["flipper_length_mm", "bill_depth_mm"][at];
                vec![Claim::Correlation {
                    over: "A4".into(),
                    fields: ["body_mass_g".into(), other.into()],
                    number: world.related[at],
                    count: world.values - 2,
                }]
            }
            About::Range => vec![world.measure(Statistic::Min, world.min), world.measure(Statistic::Max, world.max)],
            About::Dates => vec![world.date(Statistic::Min), world.date(Statistic::Max)],
            About::Halves => (0..2).flat_map(|at| ["male", "female"].map(|sex| world.mean_by_sex(at, sex))).collect(),
            About::Absent => vec![Claim::Absent { over: "A5".into(), text: "helium".into() }],
        }
    }

    fn blanks(&self, world: &World) -> Blanks {
        let language: Language = self.code.parse().unwrap();
        let number = |number: f64| language.measure(number);
        let mut blanks = Blanks::new();
        for (at, (name, mean, median, count)) in
            [("a", "A", "MA", "na"), ("b", "B", "MB", "nb"), ("c", "C", "MC", "nc")].into_iter().enumerate()
        {
            let group = &world.groups[at];
            blanks.insert(name, group.name.to_owned());
            blanks.insert(mean, number(group.mean));
            blanks.insert(median, number(group.median));
            blanks.insert(count, language.count(group.count - 1));
        }
        let last = world.groups.last().unwrap();
        blanks.insert("l", last.name.to_owned());
        blanks.insert("L", number(last.mean));
        blanks.insert("nl", language.count(last.count - 1));
        blanks.insert("D", number(world.groups[0].mean - world.groups[1].mean));
        for (at, (name, mass)) in [("r", "R"), ("s", "S"), ("u", "U")].into_iter().enumerate() {
            blanks.insert(name, world.records[at].name.to_owned());
            blanks.insert(mass, number(world.records[at].mass));
        }
        for (at, (male, female)) in [("AM", "AF"), ("BM", "BF")].into_iter().enumerate() {
            blanks.insert(male, number(of_sex(&world.groups[at], "male")));
            blanks.insert(female, number(of_sex(&world.groups[at], "female")));
        }
        blanks.insert("I", number(world.min));
        blanks.insert("X", number(world.max));
        blanks.insert("d", world.first.clone());
        blanks.insert("e", world.last.clone());
        blanks.insert("T", number(world.mean));
        blanks.insert("M", number(world.median));
        blanks.insert("t", language.count(world.total));
        blanks.insert("v", language.count(world.values));
        blanks.insert("f", "12".to_owned());
        blanks.insert("P", language.decimal(world.related[0], 2));
        blanks.insert("N", language.decimal(world.related[1].abs(), 2));
        blanks.insert("p", language.count(world.values - 2));
        for (blank, word, _) in self.words() {
            blanks.insert(blank, (*word).to_owned());
        }
        blanks
    }

    fn words(&self) -> &'static [Word] {
        WORDS.iter().find(|(code, _)| *code == self.code).unwrap().1
    }

    fn has(&self, blank: &str) -> bool {
        self.text.contains(&format!("{{{blank}}}"))
    }

    /// Every false way to fill the sentence.
    pub(crate) fn changes(&self, world: &World) -> Vec<(&'static str, Filled)> {
        let truth = self.blanks(world);
        let mut found = Vec::new();
        let mut add = |class: &'static str, blanks: Blanks| found.push((class, self.filled(world, &blanks)));

        // Changed numbers.
        for blank in [
            "A", "B", "C", "MA", "L", "T", "M", "R", "S", "U", "D", "I", "X", "AM", "AF", "BM", "BF", "d", "e", "na",
            "nb", "nl", "t", "v", "f", "P", "N", "p",
        ] {
            for digits in changed(&truth[blank]).into_iter().filter(|_| self.has(blank)) {
                add("number changed", with(&truth, &[(blank, &digits)]));
            }
        }

        // Exchanged numbers, and exchanged names.
        for (class, pairs) in [
            ("groups exchanged", &[("A", "B"), ("B", "C"), ("A", "C"), ("na", "nb"), ("nb", "nc")][..]),
            ("groups exchanged", &[("a", "b"), ("b", "c"), ("a", "c")]),
            ("statistics exchanged", &[("A", "MA"), ("B", "MB"), ("T", "M"), ("I", "X"), ("d", "e")]),
            ("groups exchanged", &[("AM", "AF"), ("BM", "BF"), ("AM", "BM"), ("AF", "BF"), ("AM", "BF")]),
            ("records exchanged", &[("R", "S"), ("S", "U"), ("r", "s"), ("s", "u"), ("r", "u")]),
        ] {
            for (one, other) in pairs.iter().filter(|(one, other)| self.has(one) && self.has(other)) {
                add(class, with(&truth, &[(one, &truth[other]), (other, &truth[one])]));
            }
        }

        // Names of other groups and records in place of their own.
        for other in world.groups.iter().map(|group| group.name) {
            for blank in ["a", "b", "c", "l"] {
                if self.has(blank) && ["a", "b", "c", "l"].iter().all(|own| !self.has(own) || truth[own] != other) {
                    add("another group", with(&truth, &[(blank, other)]));
                }
            }
        }
        for other in world.records.iter().skip(3).map(|record| record.name) {
            for blank in ["r", "s", "u"].into_iter().filter(|blank| self.has(blank)) {
                add("another record", with(&truth, &[(blank, other)]));
            }
        }

        // Other words.
        for (blank, _, others) in self.words().iter().filter(|(blank, ..)| self.has(blank)) {
            let class = match *blank {
                "mean" | "median" | "least" | "most" => "another statistic",
                "field" | "other" | "bill" => "another field",
                "none" => "absence denied",
                "yes" => "yes for no",
                "strong" => "another strength",
                _ => "direction turned",
            };
            for other in *others {
                add(class, with(&truth, &[(blank, other)]));
            }
        }
        found
    }
}

fn with(blanks: &Blanks, changes: &[(&'static str, &str)]) -> Blanks {
    let mut changed = blanks.clone();
    for (blank, word) in changes {
        changed.insert(blank, (*word).to_owned());
    }
    changed
}

/// The number with other digits.
fn changed(written: &str) -> Vec<String> {
    let digits: String = written.chars().filter(char::is_ascii_digit).collect();
    let numbers = near(digits.parse().unwrap());
    let same_length = numbers.into_iter().map(|number| number.to_string());
    let same_length = same_length.filter(|number| number.len() == digits.len());
    same_length
        .map(|number| {
            let mut new = number.chars();
            written.chars().map(|c| if c.is_ascii_digit() { new.next().unwrap() } else { c }).collect()
        })
        .collect()
}
