//! Checks an answer, and corrects or drops what no longer holds.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use serde::{Deserialize, Serialize};

use crate::answer::{Answer, Claim, CountOf, Sentence, wording_problems};
use crate::base::{CodeBase, Snapshot};
use crate::error::CodeError;
use crate::tree::Scope;
use crate::verify::claims::check_lines;
use crate::verify::recount::recount;
use crate::verify::spans::{Reread, move_lines, reread};

/// Something of an answer that no longer holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// Index of the sentence in the answer that was checked; `None` if it is about a span only.
    pub sentence: Option<usize>,
    /// Index of the span, if it is about one.
    pub span: Option<usize>,
    /// What is wrong, in one sentence.
    pub text: String,
}

/// Outcome of a check.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verification {
    /// What no longer holds. Empty if everything does.
    pub problems: Vec<Problem>,
    /// Indices of spans whose lines have moved, with the first line of each now.
    pub moved: Vec<(usize, usize)>,
    /// The answer with moved lines corrected, and without the sentences that do not hold. It says
    /// how many these are.
    pub answer: Answer,
}

impl Verification {
    /// Returns whether every sentence holds and no span was lost.
    pub fn holds(&self) -> bool {
        self.problems.is_empty()
    }
}

/// Checks every span and claim of an answer against the files as they are now.
///
/// The check does not use syntax trees: lines are read again and compared by their hash, names are
/// searched for in the code without comments and strings, and occurrences are counted by another
/// search than the one of the ledger. Lines that have moved are followed once; sentences that do
/// not hold are dropped.
///
/// # Errors
///
/// [`CodeError::Root`] when the root can no longer be read, [`CodeError::Scope`] and
/// [`CodeError::Path`] when the scope of the answer is not valid.
///
/// ```
/// use std::sync::atomic::AtomicBool;
///
/// use research_agents_code::answer::answer;
/// use research_agents_code::base::{CacheAt, CodeBase};
/// use research_agents_code::tree::Scope;
/// use research_agents_code::verify::verify;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # if !cfg!(feature = "rust") { return Ok(()); }
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("a.rs");
/// std::fs::write(&file, "fn run() {}\n")?;
///
/// let base = CodeBase::open(folder.path(), &CacheAt::Memory)?;
/// let go_on = AtomicBool::new(false);
/// let found = answer(&base, "Where is `run` defined?", &Scope::default(), &go_on)?;
/// assert!(verify(&found, &base, &go_on)?.holds());
///
/// std::fs::write(&file, "// A new line.\nfn run() {}\n")?;
/// let checked = verify(&found, &base, &go_on)?;
/// assert_eq!(checked.moved, [(0, 2)]);
/// assert_eq!(checked.answer.spans[0].first, 2);
/// # Ok(()) }
/// ```
pub fn verify(
    answer: &Answer,
    base: &CodeBase,
    is_cancelled: &AtomicBool,
) -> Result<Verification, CodeError> {
    let files = base.refresh(is_cancelled)?;
    let scope = Scope::parse(&answer.scope)?;
    let mut verification = Verification {
        problems: Vec::new(),
        moved: Vec::new(),
        answer: answer.clone(),
    };
    let lost = reread_spans(&files, &mut verification);
    verification
        .answer
        .further
        .retain(|span| reread(&files, span) == Reread::Same);

    let mut recounted = Recounted {
        files: &files,
        scope: &scope,
        known: BTreeMap::new(),
        is_cancelled,
    };
    let mut kept: Vec<Sentence> = Vec::new();
    let sentences = std::mem::take(&mut verification.answer.sentences);
    let total = sentences.len();
    for (at, sentence) in sentences.into_iter().enumerate() {
        let mut problems = sentence_problems(&files, &verification, &sentence, &mut recounted);
        // The words are those of the lines as they were.
        problems.extend(wording_problems(answer, &answer.sentences[at]));
        if sentence.spans.iter().any(|span| lost.contains(span)) {
            problems.push("its lines have changed".to_owned());
        }
        if problems.is_empty() {
            kept.push(sentence);
        }
        let found = problems.into_iter().map(|text| Problem {
            sentence: Some(at),
            span: None,
            text,
        });
        verification.problems.extend(found);
    }

    let dropped = total - kept.len();
    verification.answer.sentences = kept;
    if dropped > 0 {
        verification.answer.sentences.push(Sentence {
            text: format!(
                "{dropped} of {total} sentences are left out, since the files have changed or the \
                 check failed; ask again."
            ),
            claims: Vec::new(),
            spans: Vec::new(),
        });
    }
    Ok(verification)
}

/// Reads all spans again, corrects those that have moved, and returns those that are lost.
fn reread_spans(files: &Snapshot, verification: &mut Verification) -> Vec<usize> {
    let mut lost = Vec::new();
    let Answer {
        spans, sentences, ..
    } = &mut verification.answer;

    for (at, span) in spans.iter_mut().enumerate() {
        match reread(files, span) {
            Reread::Same => {}
            Reread::Moved(first) => {
                for sentence in sentences.iter_mut().filter(|one| one.spans.contains(&at)) {
                    sentence.text = move_lines(&sentence.text, span, first);
                }
                span.last = span.last - span.first + first;
                span.first = first;
                verification.moved.push((at, first));
            }
            Reread::Lost => {
                lost.push(at);
                verification.problems.push(Problem {
                    sentence: None,
                    span: Some(at),
                    text: format!("the lines {} have changed", span.location()),
                });
            }
        }
    }
    lost
}

/// Returns what is wrong with the claims of a sentence.
fn sentence_problems(
    files: &Snapshot,
    verification: &Verification,
    sentence: &Sentence,
    recounted: &mut Recounted<'_>,
) -> Vec<String> {
    let answer = &verification.answer;
    let mut problems = Vec::new();
    if sentence
        .spans
        .iter()
        .any(|span| *span >= answer.spans.len())
    {
        problems.push("it points at no span".to_owned());
    }
    for claim in &sentence.claims {
        problems.extend(check_lines(files, &answer.spans, claim));
        let found = match claim {
            Claim::Count {
                of: CountOf::Occurrences { name, class: None },
                count,
            } => {
                let now = recounted.count(name);
                (now != *count)
                    .then(|| format!("`{name}` occurs {now} times, and not {count} times"))
            }
            Claim::Absent { terms, .. } => absent_problem(terms, recounted),
            _ => None,
        };
        problems.extend(found);
    }

    problems.extend(classes_problem(sentence));
    problems
}

/// Checks that names which are said to be absent do not occur.
fn absent_problem(terms: &[String], recounted: &mut Recounted<'_>) -> Option<String> {
    terms.iter().find_map(|term| {
        let now = recounted.count(term);
        (now > 0).then(|| format!("`{term}` occurs {now} times"))
    })
}

/// Occurrences that were counted again, each name once.
struct Recounted<'a> {
    files: &'a Snapshot,
    scope: &'a Scope,
    known: BTreeMap<String, usize>,
    is_cancelled: &'a AtomicBool,
}

impl Recounted<'_> {
    fn count(&mut self, name: &str) -> usize {
        if let Some(known) = self.known.get(name) {
            return *known;
        }
        let (now, _) = recount(self.files, self.scope, name, self.is_cancelled);
        self.known.insert(name.to_owned(), now);
        now
    }
}

/// Checks that the counts of the classes add up to the count of all occurrences.
fn classes_problem(sentence: &Sentence) -> Option<String> {
    let mut all = None;
    let mut sum = 0;
    let mut has_classes = false;

    for claim in &sentence.claims {
        if let Claim::Count {
            of: CountOf::Occurrences { class, .. },
            count,
        } = claim
        {
            match class {
                None => all = Some(*count),
                Some(_) => {
                    has_classes = true;
                    sum += count;
                }
            }
        }
    }
    let all = all.filter(|all| has_classes && *all != sum)?;
    Some(format!("its classes add up to {sum}, and not to {all}"))
}
