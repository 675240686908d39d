//! The text that a caller gets: the answer, the citations, and the id of the run, always below a
//! fixed number of tokens.

use research_llm::tokens::estimate;

use crate::answer::plain::plain_text;
use crate::answer::sentence::Sentence;
use crate::run::{ResearchRun, RunStatus};

/// The text of an answer has fewer tokens, by an estimate that is above the count of a tokenizer.
pub const ANSWER_TOKENS: u64 = 800;

/// What the whole id and the status need more than the short id.
const DEBUG_TOKENS: u64 = 40;

/// How many ids a sentence shows, tried in this order until the text is short enough.
const CITED_PER_SENTENCE: [usize; 5] = [usize::MAX, 6, 4, 2, 1];

/// An answer as it is shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    /// The sentences with their citations.
    pub answer: String,
    /// Ids that are cited, in the order of their first citation.
    pub cited: Vec<String>,
    /// Sentences with their citations that were left out because the text was too long.
    pub more: Vec<String>,
}

/// Renders ids as citations. Three or more in a row become a range.
pub fn render_ids(ids: &[String]) -> String {
    let number = |id: &String| -> Option<u32> { id.rsplit_once('-')?.1.parse().ok() };
    let mut out = Vec::new();
    let mut at = 0;
    while at < ids.len() {
        let mut end = at + 1;
        while end < ids.len()
            && number(&ids[end]).is_some()
            && number(&ids[end]) == number(&ids[end - 1]).map(|number| number + 1)
        {
            end += 1;
        }
        if end - at >= 3 {
            let last = ids[end - 1].rsplit_once('-').map_or("", |(_, last)| last);
            out.push(format!("[{}…{last}]", ids[at]));
        } else {
            out.extend(ids[at..end].iter().map(|id| format!("[{id}]")));
        }
        at = end;
    }

    out.join(" ")
}

/// Returns the list of citations, one line for each cited id.
pub fn citations(run: &ResearchRun, cited: &[String]) -> String {
    let cited = cited.iter().filter_map(|id| run.evidence_by_id(id));
    let lines: Vec<String> = cited
        .map(|evidence| {
            let (place, provenance) = (evidence.place(), evidence.lines.provenance);
            format!("- [{}] {place} ({provenance})", evidence.id)
        })
        .collect();
    lines.join("\n")
}

/// Renders one sentence with at most so many citations.
fn render_one(sentence: &Sentence, most: usize) -> (String, Vec<String>) {
    let shown: Vec<String> = sentence.cited.iter().take(most).cloned().collect();
    let mut text = format!("{}{}", sentence.lead, plain_text(&sentence.text));
    if !shown.is_empty() {
        text.push(' ');
        text.push_str(&render_ids(&shown));
    }
    (text, shown)
}

fn render(sentences: &[&Sentence], most: usize) -> (String, Vec<String>) {
    let mut text = String::new();
    let mut cited: Vec<String> = Vec::new();
    for (at, sentence) in sentences.iter().enumerate() {
        let (one, shown) = render_one(sentence, most);
        text.push_str(&one);
        if at + 1 < sentences.len() {
            text.push(if sentence.ends_line { '\n' } else { ' ' });
        }
        for id in shown {
            if !cited.contains(&id) {
                cited.push(id);
            }
        }
    }

    (text, cited)
}

/// Returns the longest form of the sentences whose whole text stays below [`ANSWER_TOKENS`]: first
/// with fewer ids for a sentence, then with fewer sentences. The first sentence stays longest, and
/// counts, which cite nothing, longer than sites.
pub fn shorten(run: &ResearchRun, sentences: &[Sentence]) -> Shown {
    let mut kept: Vec<usize> = (0..sentences.len()).collect();

    loop {
        let shown: Vec<&Sentence> = kept.iter().filter_map(|at| sentences.get(*at)).collect();
        let left_out = sentences.len() - kept.len();
        for most in CITED_PER_SENTENCE {
            let (mut answer, cited) = render(&shown, most);
            answer.push_str(&left_out_line(left_out));
            let candidate = Shown {
                answer,
                cited,
                more: Vec::new(),
            };
            if estimate(&text(run, &candidate, false)) + DEBUG_TOKENS < ANSWER_TOKENS {
                let more = sentences.iter().enumerate();
                let more = more.filter(|(at, _)| !kept.contains(at));
                return Shown {
                    more: more.map(|(_, one)| render_one(one, usize::MAX).0).collect(),
                    ..candidate
                };
            }
        }

        let is_site =
            |at: &usize| *at > 0 && sentences.get(*at).is_some_and(|one| !one.cited.is_empty());
        let dropped = kept.iter().rposition(is_site).or(kept.len().checked_sub(1));
        match dropped {
            Some(at) => {
                kept.remove(at);
            }
            None => return Shown::default(),
        }
    }
}

/// Returns the line that says how many sentences were left out.
fn left_out_line(count: usize) -> String {
    match count {
        0 => String::new(),
        1 => "\n1 more sentence is in report.md of the run.".to_owned(),
        more => format!("\n{more} more sentences are in report.md of the run."),
    }
}

/// Returns the text of an answer.
fn text(run: &ResearchRun, shown: &Shown, is_debug: bool) -> String {
    let mut out = shown.answer.clone();
    if !shown.cited.is_empty() {
        out.push_str("\n\n**Citations:**\n");
        out.push_str(&citations(run, &shown.cited));
    }

    let id = &run.run_id;
    if is_debug {
        let status = match run.status {
            RunStatus::Running => "running",
            RunStatus::Done => "done",
            RunStatus::Error => "error",
        };
        out.push_str(&format!(
            "\n\n*Run ID: {id} ({status}, {} of {} steps)*",
            run.budget_used, run.budget_steps
        ));
    } else {
        out.push_str(&format!(
            "\n\n*Run ID: {}... (use debug=true for full trace)*",
            id.short()
        ));
    }
    out
}

/// Returns the text that a caller gets for a finished run: below [`ANSWER_TOKENS`], with the whole
/// id of the run and its steps if `is_debug`.
pub fn compose(run: &ResearchRun, is_debug: bool) -> String {
    let shown = Shown {
        answer: run.answer.clone().unwrap_or_default(),
        cited: run.cited.clone(),
        more: Vec::new(),
    };
    let mut out = text(run, &shown, is_debug);
    if !is_debug {
        return out;
    }

    // The steps, as far as they fit.
    for step in &run.steps {
        let end = step.error.as_deref().unwrap_or(&step.output_summary);
        let end: String = plain_text(end)
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        let end: String = end.chars().take(100).collect();
        let line = format!("\n- step {}: {}: {end}", step.step_number, step.action);
        if estimate(&out) + estimate(&line) + 1 >= ANSWER_TOKENS {
            break;
        }
        out.push_str(&line);
    }
    out
}
