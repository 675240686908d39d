//! What a report says to a question, and whether that is right.

use std::collections::BTreeMap;
use std::fmt;

use research_agents::report::trust::Mark;
use research_agents::runtime::event::RunStats;
use research_agents::studio::table::Standing;
use research_agents::studio::{StudioState, extract};

use super::case::{Case, Kind};

/// Number of the nearest passages that a report shows.
const NEAREST: usize = 5;

/// What a report says to a question.
pub struct Judged {
    /// The verified claims, the first one first, and the sides of disagreements.
    pub said: Vec<String>,
    /// Whether a sentence gives the answer; of a conflict, whether both sides are shown.
    pub found: bool,
    /// Whether the report shows the answer, if only among the passages that are nearest.
    pub shown: bool,
    /// Whether a passage that was read has the answer.
    pub read: bool,
    /// Whether the first sentence does.
    pub first: bool,
    /// Whether there is a first sentence without the answer.
    pub wrong: bool,
    /// Whether sources are said to disagree.
    pub disputed: bool,
    /// Whether the mark is the one that the sources deserve, and both sides of a disagreement are
    /// named; `None` if the first sentence has no answer.
    pub mark: Option<bool>,
    /// Whether the report names the question as one that no source answers.
    pub gap: bool,
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
        let any = |text: &String| is_right(case, text);
        let (is_disputed, first) = (!disputed.is_empty(), said.first().is_some_and(any));
        let found = match case.kind {
            Kind::Conflict => case.answers.iter().all(|answer| disputed.iter().any(|text| has(text, answer))),
            Kind::None => false,
            _ => said.iter().chain(&disputed).any(any),
        };
        let nearest = extract::nearest(&case.question, state.passages(), |_| true, NEAREST);
        let is_near = nearest.quotes.iter().any(|one| {
            let text = state.passages().get(&one.passage).map(|passage| passage.text.for_code());
            let quote = text.and_then(|text| text.get(one.quote.clone()));
            quote.is_some_and(|quote| is_right(case, quote))
        });
        let shown = found || is_near && (said.is_empty() || !nearest.is_clear);
        let read = state.passages().iter().any(|passage| any(passage.text.for_code()));
        let wrong = !said.is_empty() && !first;
        let marked = claims.first().filter(|_| first).map(|claim| match case.kind {
            Kind::Agree => claim.mark == Some(Mark::CrossValidated),
            _ => claim.mark != Some(Mark::CrossValidated),
        });
        let is_told = first || is_disputed;
        let mark = match case.kind {
            Kind::Conflict => is_told.then_some(found),
            Kind::None => None,
            _ if is_disputed => Some(false),
            _ => marked,
        };
        let mut standings = state.standings().iter();
        let gap = said.is_empty() && standings.any(|(_, standing)| matches!(standing, Standing::Unanswered));
        said.extend(disputed.into_iter().map(|text| format!("≠ {text}")));
        Self { said, found, shown, read, first, wrong, disputed: is_disputed, mark, gap }
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

/// Whether a text gives one of the answers of a question.
pub fn is_right(case: &Case, text: &str) -> bool {
    case.answers.iter().any(|answer| holds(text, answer))
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
pub struct Tally {
    rows: BTreeMap<Kind, [usize; 10]>,
    gaps: Gaps,
    calls: u64,
    tokens: u64,
}

/// How often gaps are named: `right` for questions that have no answer, `wrong` for others, and
/// `missed` if a question without an answer got one.
#[derive(Default)]
struct Gaps {
    right: usize,
    wrong: usize,
    missed: usize,
}

impl Gaps {
    /// Returns the harmonic mean of precision and recall; 1 if there is nothing to name.
    #[expect(clippy::cast_precision_loss, reason = "numbers of questions are far below 2^52")]
    fn f1(&self) -> f64 {
        let of = 2 * self.right + self.wrong + self.missed;
        if of == 0 { 1.0 } else { (2 * self.right) as f64 / of as f64 }
    }
}

impl Tally {
    /// Adds a question.
    pub fn add(&mut self, case: &Case, judged: &Judged, stats: &RunStats) {
        self.calls += stats.llm_calls;
        self.tokens += stats.tokens_in + stats.tokens_out;

        let row = self.rows.entry(case.kind).or_default();
        let is_refused = judged.said.is_empty();
        let (is_marked, is_right_mark) = (judged.mark.is_some(), judged.mark == Some(true));
        let counted = [
            true,
            judged.read,
            judged.shown,
            judged.found,
            judged.first,
            judged.wrong,
            judged.disputed,
            is_refused,
            is_marked,
            is_right_mark,
        ];
        row.iter_mut().zip(counted).for_each(|(count, is_so)| *count += usize::from(is_so));

        match (case.kind == Kind::None, judged.gap) {
            (true, true) => self.gaps.right += 1,
            (true, false) => self.gaps.missed += 1,
            (false, true) => self.gaps.wrong += 1,
            (false, false) => {}
        }
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "| kind | asked | passage read | shown | found | in the first sentence | wrong | disputed | nothing said | marked | mark right |"
        )?;
        writeln!(f, "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|")?;
        for (kind, [asked, rest @ ..]) in &self.rows {
            let rest: Vec<String> = rest.iter().map(ToString::to_string).collect();
            writeln!(f, "| {} | {asked} | {} |", format!("{kind:?}").to_lowercase(), rest.join(" | "))?;
        }

        let Gaps { right, wrong, missed } = &self.gaps;
        writeln!(f, "\ngaps: {right} right, {wrong} wrong, {missed} missed, F1 {:.2}", self.gaps.f1())?;
        writeln!(f, "model: {} calls, {} tokens", self.calls, self.tokens)
    }
}
