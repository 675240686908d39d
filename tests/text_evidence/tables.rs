//! The tables of the documentation: what the checker finds, class by class.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use research_agents::report::check::grounded::{Cited, Grounded, ground};
use research_agents::report::language::Language;

use super::measures::{conflicts, independence, typed_values};
use super::mutations::CLASSES;
use super::prose::{Paragraph, paragraphs};
use super::rules_of_truth::RULES;
use super::written::written;

/// How often each verdict was given.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    holds: usize,
    unsure: usize,
    fails: usize,
}

impl Count {
    fn add(&mut self, verdict: &Grounded) {
        match verdict {
            Grounded::Holds => self.holds += 1,
            Grounded::Unsure { .. } => self.unsure += 1,
            Grounded::Fails(_) => self.fails += 1,
        }
    }

    fn plus(self, other: Self) -> Self {
        let Self { holds, unsure, fails } = other;
        Self { holds: self.holds + holds, unsure: self.unsure + unsure, fails: self.fails + fails }
    }

    fn all(&self) -> usize {
        self.holds + self.unsure + self.fails
    }

    /// The share of verdicts in per cent.
    fn share(&self, part: usize) -> f64 {
        100.0 * part as f64 / self.all().max(1) as f64
    }

    /// The share of false sentences that do not hold.
    fn found(&self) -> f64 {
        self.share(self.all() - self.holds)
    }
}

type Counts = BTreeMap<String, Count>;

/// Prints the sentences of a class that are decided wrongly, if the variable SHOW names it.
fn show(class: &str, verdict: &Grounded, text: &str, cited: &str) {
    if std::env::var("SHOW").is_ok_and(|shown| class.contains(&shown)) {
        println!("{class}: {verdict:?}\n  {text}\n  {cited}");
    }
}

/// The verdicts on all true sentences and on all mutations.
fn mutated(all: &[Paragraph]) -> (Counts, Counts) {
    let (mut truths, mut falses) = (Counts::new(), Counts::new());
    for paragraph in all {
        for statement in &paragraph.statements {
            for (rule, make) in RULES {
                let Some(text) = make(statement, paragraph) else { continue };
                let verdict = paragraph.ground(&text).verdict;
                if verdict != Grounded::Holds {
                    show(rule, &verdict, &text, &paragraph.text);
                }
                truths.entry(rule.to_string()).or_default().add(&verdict);
            }

            for (class, make) in CLASSES {
                let Some(made) = make(statement, paragraph, all) else { continue };
                let cited: Vec<Cited<'_>> = made.cited.iter().map(Paragraph::cited).collect();
                let verdict = ground(&made.text, Language::ENGLISH, &cited).verdict;
                if verdict == Grounded::Holds {
                    show(class, &verdict, &made.text, statement);
                }
                falses.entry(class.to_string()).or_default().add(&verdict);
            }
        }
    }
    (truths, falses)
}

/// The verdicts on the sentences of a file, by class.
fn by_hand(file: &str, all: &[Paragraph]) -> Counts {
    let mut counts = Counts::new();
    for sentence in written(file, all) {
        let cited: Vec<Cited<'_>> = sentence.cited.iter().map(Paragraph::cited).collect();
        let verdict = ground(&sentence.text, Language::ENGLISH, &cited).verdict;
        if (sentence.class == "true") != (verdict == Grounded::Holds) {
            show(&sentence.class, &verdict, &sentence.text, &sentence.cited[0].text);
        }
        counts.entry(sentence.class).or_default().add(&verdict);
    }
    counts
}

fn sum(counts: &Counts) -> Count {
    counts.values().fold(Count::default(), |sum, count| sum.plus(*count))
}

#[test]
fn what_the_checker_finds_is_in_the_documentation() {
    let all = paragraphs("prose");
    let (truths, falses) = mutated(&all);
    let parts = [by_hand("a.tsv", &all), by_hand("b.tsv", &all), by_hand("c.tsv", &paragraphs("prose_third"))];
    let written = parts.iter().map(sum).map(|count| count.all()).sum::<usize>();
    let true_all = parts.iter().fold(sum(&truths), |sum, part| sum.plus(part["true"]));

    let mut out = String::new();
    let _ = writeln!(out, "| true sentences | number | hold | unsure | refused |\n|---|---|---|---|---|");
    let mut row = |name: &str, count: &Count| {
        let (unsure, refused) = (count.share(count.unsure), count.share(count.fails));
        let _ = writeln!(out, "| {name} | {} | {} | {unsure:.1} % | {refused:.1} % |", count.all(), count.holds);
    };
    for (rule, count) in &truths {
        row(rule, count);
    }
    for (name, part) in ["first", "second", "third"].iter().zip(&parts) {
        row(&format!("written by hand, {name} part"), &part["true"]);
    }
    row("**all**", &true_all);

    let _ = writeln!(
        out,
        "\n| changed | mutations | not printed | refused | by hand, first part | second part | third part |\n|---|---|---|---|---|---|---|"
    );
    for (class, _) in CLASSES {
        let count = falses.get(*class).copied().unwrap_or_default();
        let by_hand = parts.each_ref().map(|part| {
            let count = part.get(*class).copied().unwrap_or_default();
            format!("{} of {}", count.all() - count.holds, count.all())
        });
        let (found, refused) = (count.found(), count.share(count.fails));
        let [first, second, third] = by_hand;
        let _ = writeln!(
            out,
            "| {class} | {} | {found:.1} % | {refused:.1} % | {first} | {second} | {third} |",
            count.all()
        );
    }

    let (values, wrong_values) = typed_values();
    let (cases, wrong_cases) = independence();
    let _ = writeln!(out, "\n| | cases | as expected |\n|---|---|---|");
    let _ =
        writeln!(out, "| typed values: same, compatible or different | {values} | {} |", values - wrong_values.len());
    let tables = [("first", "conflicts.tsv"), ("second", "conflicts_second.tsv"), ("third", "conflicts_third.tsv")];
    for (part, file) in tables {
        let ([found, there, accused, controls], _) = conflicts(file);
        let _ = writeln!(out, "| conflicts between two statements, {part} part | {there} | {found} found |");
        let _ = writeln!(out, "| controls without a conflict, {part} part | {controls} | {accused} accused |");
    }
    let _ = writeln!(out, "| independence of two sources | {cases} | {} |", cases - wrong_cases.len());

    println!("{out}");
    documented(&out);

    // The goals.
    assert!(sum(&truths).all() >= 5_000 && written >= 300, "{} and {written}", sum(&truths).all());
    assert!(true_all.share(true_all.fails) <= 2.0 && true_all.share(true_all.unsure) <= 10.0);
    let by_hand = parts.iter().fold(Count::default(), |sum, part| sum.plus(part["true"]));
    assert!(by_hand.share(by_hand.fails) <= 4.0, "{:.1} % of {}", by_hand.share(by_hand.fails), by_hand.all());
    let least = |class: &str| match class {
        "number" | "date" | "name" | "unit" | "quote of another source" => 100.0,
        "negation" | "direction" => 95.0,
        _ => 90.0,
    };
    for (class, count) in &falses {
        assert!(count.found() >= least(class), "{class}: {:.2} % of {}", count.found(), count.all());
    }
}

/// Compares the tables with those of the documentation, or writes them there if the variable
/// WRITE_DOCS is set.
fn documented(tables: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/text-evidence.md");
    let page = fs::read_to_string(&path).unwrap();
    let (start, end) = ("<!-- measured -->\n", "<!-- end -->");
    let (before, rest) = page.split_once(start).unwrap();
    let (old, after) = rest.split_once(end).unwrap();
    if std::env::var("WRITE_DOCS").is_ok() {
        fs::write(&path, format!("{before}{start}{tables}{end}{after}")).unwrap();
    } else {
        assert_eq!(old, tables, "run the test with WRITE_DOCS=1");
    }
}
