//! How much of the memo and its findings a prompt holds.

use research_agents_report::text::CUT;
use research_agents_runtime::ask::tokens;
use research_agents_runtime::job::Job;

use crate::memo::Reflection;
use crate::synthesizer::prompts;
use crate::synthesizer::tasks::{FindingView, Known, SectionEdits, StatementView};

/// Tokens of the instructions and of the prompts themselves, without what fills them.
const AROUND: usize = 1_500;
/// Minimum tokens that are shared out.
const LEAST: usize = 500;
/// Tokens that are shared out for a model whose window is not known.
const UNKNOWN: usize = 15_000;
/// Tokens of a line in addition to its text: the marker that says that it is data.
pub(super) const LINE: usize = 14;

/// The tokens of a prompt that are shared out to what fills it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Capacity(usize);

impl Capacity {
    /// Returns the capacity of the job's model, without what a prompt always contains.
    pub(super) fn new(job: &Job, always: usize) -> Self {
        let window = job.window_at("scr", &"room");
        Self(match window.prompt::<SectionEdits>() {
            Some(tokens) => tokens.saturating_sub(AROUND + always).max(LEAST),
            None if window.is_bounded() => UNKNOWN,
            None => usize::MAX,
        })
    }

    /// Returns all tokens.
    pub(super) fn whole(self) -> usize {
        self.0
    }

    /// Returns those of the statements of a section.
    pub(super) fn statements(self) -> usize {
        self.0 / 4
    }

    /// Returns those of the statements of the other sections.
    pub(super) fn before(self) -> usize {
        self.0 / 4
    }

    /// Returns those of the statements of a memo that is judged.
    pub(super) fn memo(self) -> usize {
        self.0 / 2
    }

    /// Returns those of new findings.
    pub(super) fn findings(self) -> usize {
        self.0 / 8 * 3
    }

    /// Returns those of what is known from all findings, recalled ones included.
    pub(super) fn known(self) -> usize {
        self.0 / 8
    }

    /// Returns those of a reflection. A prompt that shows one shows no new findings.
    pub(super) fn reflection(self) -> usize {
        self.0 / 4
    }
}

/// Returns the tokens of the line of a statement.
pub(super) fn of_statement(view: &StatementView) -> usize {
    tokens(&prompts::statements(std::slice::from_ref(view))) + LINE
}

/// Returns the tokens of the line of a finding.
pub(super) fn of_finding(view: &FindingView) -> usize {
    tokens(&prompts::findings(std::slice::from_ref(view))) + LINE
}

/// Returns the first findings that fit. If not even the first one does, it is cut.
pub(super) fn fitting(views: Vec<FindingView>, capacity: usize) -> Vec<FindingView> {
    let mut left = capacity;
    let mut kept = Vec::new();
    for mut view in views {
        let size = of_finding(&view);
        if size > left {
            if kept.is_empty() {
                view.source = cut(&view.source, left / 4);
                let around = FindingView {
                    text: String::new(),
                    ..view.clone()
                };
                view.text = cut(&view.text, left.saturating_sub(of_finding(&around)));
                kept.push(view);
            }
            break;
        }

        left -= size;
        kept.push(view);
    }
    kept
}

/// Leaves out relations, the last ones first, until they take at most half of what is known, and
/// recalled findings that the rest does not hold.
pub(super) fn fit_known(known: &mut Known, capacity: usize) {
    let recalled = std::mem::take(&mut known.recalled);
    let size = |known: &Known| {
        let text = prompts::known(known);
        tokens(&text) + LINE * text.lines().count()
    };
    while size(known) > capacity / 2 {
        let lists = [
            known.relations.pop().is_some(),
            known.unsatisfied.pop().is_some(),
        ];
        if !lists.contains(&true) && known.hubs.pop().is_none() {
            break;
        }
    }

    if !recalled.is_empty() {
        known.recalled = fitting(recalled, capacity.saturating_sub(size(known)));
    }
}

/// Cuts what a reflection says, the last suggestions first.
pub(super) fn fit_reflection(reflection: &mut Reflection, capacity: usize) {
    let mut left = capacity;
    let mut fit = |text: &mut String| {
        *text = cut(text, left.saturating_sub(LINE));
        left = left.saturating_sub(tokens(text) + LINE);
    };

    fit(&mut reflection.depth_assessment);
    for list in [
        &mut reflection.missing_core_insights,
        &mut reflection.logic_issues,
        &mut reflection.improvement_suggestions,
    ] {
        list.iter_mut().for_each(&mut fit);
        list.retain(|text| !text.is_empty());
    }
}

/// Returns a string, or its beginning with a mark if it has too many tokens. Nothing if not even
/// the mark fits.
fn cut(text: &str, capacity: usize) -> String {
    if tokens(text) <= capacity {
        return text.to_owned();
    }
    let ends: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    let mark = tokens(CUT);
    let fitting = ends.partition_point(|end| tokens(&text[..*end]) + mark <= capacity);
    match fitting.checked_sub(1) {
        Some(last) => format!("{}{CUT}", &text[..ends[last]]),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(text: String) -> FindingView {
        FindingView {
            id: "F1".to_owned(),
            text,
            source: "notes.md".to_owned(),
        }
    }

    #[test]
    fn a_long_finding_is_cut_between_characters() {
        for capacity in [60, 61, 62, 63, 64, 200] {
            let kept = fitting(vec![finding("🚀 up ".repeat(500))], capacity);

            assert!(of_finding(&kept[0]) <= capacity, "{capacity}: {kept:?}");
            assert!(kept[0].text.ends_with(CUT), "{kept:?}");
        }
    }

    #[test]
    fn findings_are_kept_until_one_does_not_fit() {
        let views = vec![finding("short".to_owned()), finding("long ".repeat(500))];
        let capacity = of_finding(&views[0]) + 100;

        let kept = fitting(views.clone(), capacity);
        assert_eq!(kept, views[..1]);
    }

    #[test]
    fn a_reflection_keeps_its_first_items() {
        let mut reflection = Reflection {
            missing_core_insights: vec!["the cost of storage".to_owned(); 3],
            improvement_suggestions: vec!["name the cost ".repeat(40); 40],
            ..Reflection::default()
        };
        fit_reflection(&mut reflection, 300);

        assert_eq!(reflection.missing_core_insights.len(), 3);
        assert!(reflection.improvement_suggestions.len() < 40);
    }
}
