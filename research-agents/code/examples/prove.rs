//! Asks about symbols of a code base, chosen by a seed, and checks every answer and changes of it:
//! `prove ROOT [--answers N] [--seed N]`.
//!
//! Prints a JSON line for each answer, with the lines that it lists, for another program to read
//! again, and at the end one with the changes that were made and found by class. Exits with 1 when
//! an answer does not hold or a change is not found.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program that prints"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;

use research_agents_code::answer::{Answer, Claim, answer};
use research_agents_code::base::{CacheAt, CodeBase};
use research_agents_code::facts::SymbolKind;
use research_agents_code::tree::{RelPath, Scope};
use research_agents_code::verify::verify;
use serde_json::json;

/// What is asked about a symbol.
const QUESTIONS: &[&str] = &[
    "Where is `_` defined?",
    "Who calls `_`?",
    "Where is `_` used?",
    "What does `_` return?",
    "What is the value of `_`?",
    "How often does `_` occur?",
    "What implements `_`?",
    "What does `_` raise?",
    "Which methods does `_` have?",
    "What changed in `_`?",
    "What is `_` for?",
    "Which functions lead to `_`?",
];

/// A change of an answer: `None` where the answer has nothing of the kind.
type Change = fn(&mut Answer, &Others) -> Option<()>;

/// The changes by class.
const CHANGES: &[(&str, Change)] = &[
    ("shifted lines", shift_lines),
    ("swapped marks", swap_marks),
    ("another file", move_to_another_file),
    ("dropped citation", drop_citation),
    ("changed number", change_number),
    ("changed name", change_name),
    ("changed bytes", change_bytes),
];

/// What a change may put in place of something.
struct Others {
    files: Vec<RelPath>,
}

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<bool, Box<dyn Error>> {
    let mut root = None;
    let (mut answers, mut seed) = (1_000, 1);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut number = || {
            arguments
                .next()
                .ok_or("a number is missing")?
                .parse::<u64>()
                .map_err(Box::<dyn Error>::from)
        };
        match argument.as_str() {
            "--answers" => answers = number()?,
            "--seed" => seed = number()?,
            _ => root = Some(argument),
        }
    }
    let root = root.ok_or("usage: prove ROOT [--answers N] [--seed N]")?;

    let base = CodeBase::open(root, &CacheAt::Memory)?;
    let (names, files) = symbols(&base)?;
    if names.is_empty() {
        return Err("the folder has no symbols".into());
    }
    let mut random = fastrand::Rng::with_seed(seed);
    let mut proof = Proof::new(&base, Others { files });
    for at in 0..answers {
        let name = &names[random.usize(..names.len())];
        let question = QUESTIONS[at as usize % QUESTIONS.len()].replace('_', name);
        proof.prove(&question)?;
    }

    let Proof {
        changes, is_right, ..
    } = proof;
    println!("{}", json!({ "changes": changes }));
    Ok(is_right)
}

/// Returns the names that files define, and the files that define some.
fn symbols(base: &CodeBase) -> Result<(Vec<String>, Vec<RelPath>), Box<dyn Error>> {
    let go_on = AtomicBool::new(false);
    let files = base.refresh(&go_on)?;
    let (mut names, mut paths) = (BTreeSet::new(), Vec::new());
    for file in files.tree().files() {
        let Some(facts) = files.facts(&file.path, &go_on)? else {
            continue;
        };
        let named = facts
            .symbols
            .iter()
            .filter(|symbol| symbol.kind != SymbolKind::Impl);
        let before = names.len();
        names.extend(named.map(|symbol| symbol.name.clone()));
        if names.len() > before {
            paths.push(file.path.clone());
        }
    }
    Ok((names.into_iter().collect(), paths))
}

/// The answers so far.
struct Proof<'b> {
    base: &'b CodeBase,
    others: Others,
    /// By class, how many changes were made and how many found.
    changes: BTreeMap<&'static str, (usize, usize)>,
    is_right: bool,
}

impl<'b> Proof<'b> {
    fn new(base: &'b CodeBase, others: Others) -> Self {
        Self {
            base,
            others,
            changes: BTreeMap::new(),
            is_right: true,
        }
    }

    /// Asks a question, checks the answer, and changes it in every way.
    fn prove(&mut self, question: &str) -> Result<(), Box<dyn Error>> {
        let go_on = AtomicBool::new(false);
        let found = answer(self.base, question, &Scope::default(), &go_on)?;
        let problems = verify(&found, self.base, &go_on)?.problems;
        let problems: Vec<String> = problems.into_iter().map(|problem| problem.text).collect();
        self.is_right &= problems.is_empty();
        println!("{}", line(&found, &problems));

        for (class, change) in CHANGES {
            let mut changed = found.clone();
            if change(&mut changed, &self.others).is_none() || changed == found {
                continue;
            }
            let checked = verify(&changed, self.base, &go_on)?;
            let is_found = !checked.holds() || !checked.moved.is_empty();
            if !is_found {
                eprintln!(
                    "NOT FOUND, {class}: {question}\n  {}\n  {}",
                    found.text(),
                    changed.text()
                );
                self.is_right = false;
            }
            let tally = self.changes.entry(class).or_default();
            tally.0 += 1;
            tally.1 += usize::from(is_found);
        }
        Ok(())
    }
}

/// Returns an answer as a line for another program.
fn line(answer: &Answer, problems: &[String]) -> serde_json::Value {
    let cited: BTreeSet<usize> = answer
        .sentences
        .iter()
        .flat_map(|one| one.spans.iter().copied())
        .collect();
    let spans: Vec<serde_json::Value> = answer
        .spans
        .iter()
        .map(|span| json!({ "path": span.path, "first": span.first, "last": span.last, "sha256": span.hash }))
        .collect();
    json!({
        "question": answer.question,
        "text": answer.text(),
        "spans": spans,
        "cited": cited,
        "problems": problems,
    })
}

fn shift_lines(answer: &mut Answer, _: &Others) -> Option<()> {
    let span = answer.spans.first_mut()?;
    (span.first, span.last) = (span.first + 1, span.last + 1);
    Some(())
}

/// Exchanges the marks of two sentences.
fn swap_marks(answer: &mut Answer, _: &Others) -> Option<()> {
    let cites = |at: &usize| {
        !answer.sentences[*at].spans.is_empty() && !answer.sentences[*at].claims.is_empty()
    };
    let mut citing = (0..answer.sentences.len()).filter(cites);
    let (one, other) = (citing.next()?, citing.next_back()?);
    let marks = answer.sentences[one].spans.clone();
    answer.sentences[one].spans = std::mem::replace(&mut answer.sentences[other].spans, marks);
    Some(())
}

fn move_to_another_file(answer: &mut Answer, others: &Others) -> Option<()> {
    let span = answer.spans.first_mut()?;
    span.path = others
        .files
        .iter()
        .find(|path| **path != span.path)?
        .clone();
    Some(())
}

fn drop_citation(answer: &mut Answer, _: &Others) -> Option<()> {
    let points = |claim: &Claim| !matches!(claim, Claim::Count { .. } | Claim::Absent { .. });
    let sentence = answer
        .sentences
        .iter_mut()
        .find(|one| !one.spans.is_empty() && one.claims.iter().any(points))?;
    sentence.spans.clear();
    Some(())
}

/// Adds one to the first number of a sentence that has a claim.
fn change_number(answer: &mut Answer, _: &Others) -> Option<()> {
    for sentence in answer
        .sentences
        .iter_mut()
        .filter(|one| !one.claims.is_empty())
    {
        let outside = outside_of_names(&sentence.text);
        let Some(start) = outside.iter().position(u8::is_ascii_digit) else {
            continue;
        };
        let length = outside[start..]
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        let number: u64 = sentence.text[start..start + length].parse().ok()?;
        sentence
            .text
            .replace_range(start..start + length, &(number + 1).to_string());
        return Some(());
    }
    None
}

/// Changes the first name in back-ticks of a sentence that has a claim.
fn change_name(answer: &mut Answer, _: &Others) -> Option<()> {
    let sentence = answer
        .sentences
        .iter_mut()
        .find(|one| !one.claims.is_empty() && one.text.contains('`'))?;
    let start = sentence.text.find('`')? + 1;
    sentence.text.insert_str(start, "un");
    Some(())
}

fn change_bytes(answer: &mut Answer, _: &Others) -> Option<()> {
    let span = answer.spans.first_mut()?;
    let first = span.bytes.first_mut()?;
    *first = first.wrapping_add(1);
    Some(())
}

/// Returns the bytes of a text, with those between back-ticks blank.
fn outside_of_names(text: &str) -> Vec<u8> {
    let mut is_name = false;
    text.bytes()
        .map(|byte| {
            is_name ^= byte == b'`';
            if is_name { b' ' } else { byte }
        })
        .collect()
}
