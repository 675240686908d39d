//! What a report says to a question, and whether that is right.

use std::collections::BTreeMap;
use std::fmt;

use research_agents::report::trust::Mark;
use research_agents::studio::StudioState;
use research_agents::studio::table::Standing;

use super::case::{Case, Kind};

/// What a report says to a question.
pub struct Judged {
    /// The verified claims, the first one first, and the sides of disagreements.
    pub said: Vec<String>,
    /// Whether a sentence gives the answer; of a conflict, whether both sides are shown.
    pub found: bool,
    /// Whether a passage that was read has the answer.
    pub read: bool,
    /// Whether the first sentence does.
    pub first: bool,
    /// Whether there is a first sentence without the answer.
    pub wrong: bool,
    /// Whether sources are said to disagree.
    pub disputed: bool,
    /// Whether the mark is the one that the sources deserve; `None` if nothing was found.
    pub mark: Option<bool>,
}

impl Judged {
    /// Judges the end of a run.
    pub fn new(case: &Case, state: &StudioState) -> Self {
        let claims: Vec<_> = state.claims().iter().filter(|claim| claim.mark.is_some()).collect();
        let mut said: Vec<String> = claims.iter().map(|claim| claim.text.clone()).collect();
        let mut disputed = Vec::new();
        for (id, standing) in state.standings() {
            if let Standing::Conflicting { sides, .. } = standing {
                let answers = sides.iter().flat_map(|side| state.table().answers_of(id, side));
                disputed.extend(answers.filter_map(|answer| {
                    let text = state.passages().get(&answer.passage)?.text.for_code();
                    Some(text.get(answer.quote.clone())?.to_owned())
                }));
            }
        }

        let has = |text: &str, answer: &str| holds(text, answer);
        let any = |text: &String| case.answers.iter().any(|answer| has(text, answer));
        let (is_disputed, first) = (!disputed.is_empty(), said.first().is_some_and(any));
        let found = match case.kind {
            Kind::Conflict => case.answers.iter().all(|answer| disputed.iter().any(|text| has(text, answer))),
            Kind::None => false,
            _ => said.iter().chain(&disputed).any(any),
        };
        let read = state.passages().iter().any(|passage| any(passage.text.for_code()));
        let wrong = !said.is_empty() && !first;
        let mark = claims.first().filter(|_| first).map(|claim| match case.kind {
            Kind::Agree => claim.mark == Some(Mark::CrossValidated),
            _ => claim.mark != Some(Mark::CrossValidated),
        });
        said.extend(disputed.into_iter().map(|text| format!("≠ {text}")));
        Self { said, found, read, first, wrong, disputed: is_disputed, mark }
    }

    /// The verdict in a word.
    pub fn word(&self) -> &'static str {
        match (self.found, self.first, self.wrong || self.disputed) {
            (_, true, _) => "right",
            (true, ..) => "found",
            (false, _, true) => "WRONG",
            _ => "-",
        }
    }
}

/// Whether a text has an answer as words of its own. White space and case do not matter.
fn holds(text: &str, answer: &str) -> bool {
    let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ").replace('’', "'").to_lowercase();
    let (text, answer) = (plain(text), plain(answer));
    let is_part = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    text.match_indices(&answer).any(|(at, _)| {
        let (before, after) = (text[..at].chars().next_back(), text[at + answer.len()..].chars().next());
        !is_part(before) && !is_part(after)
    })
}

/// Counts by kind of question.
#[derive(Default)]
pub struct Tally(BTreeMap<Kind, [usize; 8]>);

impl Tally {
    /// Adds a question.
    pub fn add(&mut self, case: &Case, judged: &Judged) {
        let row = self.0.entry(case.kind).or_default();
        let is_refused = judged.said.is_empty();
        let is_right_mark = judged.mark == Some(true);
        let counted =
            [true, judged.read, judged.found, judged.first, judged.wrong, judged.disputed, is_refused, is_right_mark];
        row.iter_mut().zip(counted).for_each(|(count, is_so)| *count += usize::from(is_so));
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "| kind | asked | passage read | found | in the first sentence | wrong | disputed | nothing said | mark right |"
        )?;
        writeln!(f, "|---|---:|---:|---:|---:|---:|---:|---:|---:|")?;
        for (kind, [asked, rest @ ..]) in &self.0 {
            let rest: Vec<String> = rest.iter().map(ToString::to_string).collect();
            writeln!(f, "| {} | {asked} | {} |", format!("{kind:?}").to_lowercase(), rest.join(" | "))?;
        }
        Ok(())
    }
}
