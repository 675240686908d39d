//! The answers that need no language model.
//!
//! Complexity and tasks come from the question, what passages say from its words, and the decision
//! from how much of the question the findings cover and how much the last pass added.

use std::collections::{BTreeMap, BTreeSet};

use research_agents_report::check::grounded::is_general_verb;
use research_agents_report::passage::extract::Extract;
use research_agents_report::passage::{Document, Found, Origin, PassageRegistry};
use research_agents_report::text::{content_stems, sentences, stems, words};
use research_agents_runtime::offline::OfflineAnswers;
use research_agents_scr::role::{Role, role};

use crate::records::{
    Approach, ComplexityAnalysis, ComplexityLevel, DecisionResult, LeadPlan, ProposedTask,
    RecommendedModel,
};
use crate::tasks::{
    ANALYZE, AnalysisOutput, AnalyzeTask, COMPLEXITY, ComplexityTask, DECIDE, DecideTask, LEAD,
    LeadTask, PassageView, QuotedPassage,
};

/// Maximum number of sentences that are taken for their words, and of those that are taken because
/// they name a problem or propose something.
const MOST_SENTENCES: usize = 6;
/// Maximum number of sentences that are taken from one passage for their words, so that several
/// passages have a say.
const MOST_OF_PASSAGE: usize = 2;
/// Share of the words for the subject of the question that a sentence, its headings and its title
/// must have together.
const ABOUT: f64 = 0.6;
/// Number of words of a question from which it takes more than one pass.
const LONG: usize = 12;
/// Minimum number of words of a sentence; what has fewer is a label.
const FEWEST_WORDS: usize = 5;
/// Maximum number of characters of a sentence.
const LONGEST: usize = 500;

/// Returns the answers of the offline model to the tasks of the workflow and of its memo.
pub fn answers() -> OfflineAnswers {
    OfflineAnswers::new()
        .with(COMPLEXITY, complexity)
        .with(LEAD, lead)
        .with(ANALYZE, analyze)
        .with(DECIDE, decide)
        .join(research_agents_scr::synthesizer::answers())
}

/// Judges by the number of questions and words.
fn complexity(task: &ComplexityTask) -> ComplexityAnalysis {
    let questions = questions_of(&task.question).len();
    let is_long = words(&task.question).len() > LONG;
    let (level, iterations) = match (questions, is_long) {
        (..=1, false) => (ComplexityLevel::Simple, 2),
        (..=1, true) => (ComplexityLevel::Medium, 2),
        _ => (ComplexityLevel::Complex, 3),
    };
    ComplexityAnalysis {
        complexity_level: level,
        recommended_workers: 3,
        max_iterations: iterations,
        rationale: format!("{questions} questions, judged by their words"),
        recommended_model: RecommendedModel::Plus,
    }
}

/// Plans the first pass by the question itself, what goes wrong and what is proposed, and later
/// passes by what the decision misses.
pub(crate) fn lead(task: &LeadTask) -> LeadPlan {
    if task.iteration > 0 {
        let factors = task.decision_key_factors.iter();
        return LeadPlan {
            tasks: factors.map(|factor| task_for(factor, &[factor])).collect(),
            ..LeadPlan::default()
        };
    }

    let subject = content_of(&task.question);
    let approach = |description: &str| Approach {
        description: description.to_owned(),
        ..Approach::default()
    };
    let mut tasks: Vec<ProposedTask> = questions_of(&task.question)
        .iter()
        .map(|question| task_for(question, &[question, &subject]))
        .collect();
    let problems = format!("{subject}: problems, failures, limitations");
    let proposals = format!("{subject}: recommendations, solutions, alternatives");
    tasks.push(task_for(&problems, &[&problems]));
    tasks.push(task_for(&proposals, &[&proposals]));
    LeadPlan {
        approaches: vec![
            approach("the question as it is, what goes wrong, and what is proposed"),
            approach("the question as it is alone"),
            approach("every heading of the documents that are nearest"),
        ],
        selected_approach_index: 0,
        selection_reasoning: "a decision needs what is the case, what is wrong and what is \
                              proposed"
            .to_owned(),
        tasks,
        ..LeadPlan::default()
    }
}

fn task_for(description: &str, queries: &[&str]) -> ProposedTask {
    let mut distinct: Vec<String> = Vec::new();
    for query in queries {
        if !distinct.iter().any(|known| known == query) {
            distinct.push((*query).to_owned());
        }
    }
    ProposedTask {
        description: description.to_owned(),
        queries: distinct,
        ..ProposedTask::default()
    }
}

/// Takes the sentences that are nearest to the task, and those near the question that name a
/// problem or propose something.
pub(crate) fn analyze(task: &AnalyzeTask) -> AnalysisOutput {
    let mut found: Vec<QuotedPassage> = Vec::new();
    let mut keep = |view: &PassageView, quote: &str| {
        let known = found.iter_mut().find(|one| one.passage == view.id);
        match known {
            Some(known) if known.quotes.iter().any(|own| own == quote) => {}
            Some(known) => known.quotes.push(quote.to_owned()),
            None => found.push(QuotedPassage {
                passage: view.id.clone(),
                quotes: vec![quote.to_owned()],
            }),
        }
    };

    let (passages, views) = registry(&task.passages);
    let about = format!("{} {}", task.task, task.question);
    let asked = subject_of(&task.question);
    let is_about = |view: &PassageView, sentence: &str| {
        let has_words = words(sentence).len() >= FEWEST_WORDS;
        let is_text = has_words && !sentence.ends_with(':') && !is_code(sentence);
        is_text && !is_heading(view, sentence) && share(&asked, view, sentence) >= ABOUT
    };
    let near = Extract::new(&about, &passages, 4 * MOST_SENTENCES).sentences;
    let near = near.iter().filter_map(|quoted| {
        let (_, view) = views.iter().find(|(id, _)| *id == quoted.passage)?;
        Some((*view, quoted.text.trim()))
    });
    let mut taken: BTreeMap<&str, usize> = BTreeMap::new();
    let near = near.filter(|(view, sentence)| {
        let count = taken.entry(&view.id).or_default();
        let is_kept = *count < MOST_OF_PASSAGE && is_about(view, sentence);
        *count += usize::from(is_kept);
        is_kept
    });
    near.take(MOST_SENTENCES)
        .for_each(|(view, sentence)| keep(view, sentence));

    let mut others = 0;
    let on_subject = task.passages.iter();
    for view in on_subject.filter(|view| share(&asked, view, &view.text) >= ABOUT) {
        for range in sentences(&view.text) {
            let sentence = view.text[range].trim();
            let is_kept = others < MOST_SENTENCES
                && sentence.chars().count() <= LONGEST
                && role(sentence) != Role::Fact
                && is_finished(sentence)
                && !is_code(sentence)
                && !is_heading(view, sentence);
            if is_kept {
                others += 1;
                keep(view, sentence);
            }
        }
    }
    AnalysisOutput {
        summary: String::new(),
        findings: found,
    }
}

/// Returns whether a sentence ends like one, apart from quotes and brackets.
fn is_finished(sentence: &str) -> bool {
    let end = sentence.trim_end_matches(|c: char| !c.is_alphanumeric() && !".!?:;".contains(c));
    end.ends_with(['.', '!', '?'])
}

/// Returns whether a sentence is a command or a piece of a program.
fn is_code(sentence: &str) -> bool {
    let marks = ["::", "();", "=>", "{}", "</"];
    sentence.starts_with("$ ") || marks.iter().any(|mark| sentence.contains(mark))
}

/// Returns whether a sentence is the title of its document or a heading above it.
fn is_heading(view: &PassageView, sentence: &str) -> bool {
    let mut names = view.headings.iter().chain([&view.title]);
    names.any(|name| name.trim() == sentence.trim())
}

/// Returns the stems of the words for the subject of a question: its content words without verbs,
/// or all of them if it has no others.
fn subject_of(question: &str) -> BTreeSet<String> {
    let all: BTreeSet<String> = content_stems(question).into_iter().collect();
    let nouns = all.iter().filter(|stem| !is_general_verb(stem));
    let nouns: BTreeSet<String> = nouns.cloned().collect();
    if nouns.is_empty() { all } else { nouns }
}

/// Returns the share of words that a sentence, its headings and its title have.
#[expect(clippy::cast_precision_loss, reason = "a sentence has few words")]
fn share(asked: &BTreeSet<String>, view: &PassageView, sentence: &str) -> f64 {
    let all = format!("{} {} {sentence}", view.title, view.headings.join(" "));
    let own: BTreeSet<String> = content_stems(&all).into_iter().collect();
    asked.intersection(&own).count() as f64 / asked.len().max(1) as f64
}

/// Returns views as passages, each with its view.
fn registry(views: &[PassageView]) -> (PassageRegistry, Vec<(String, &PassageView)>) {
    let mut passages = PassageRegistry::default();
    let mut of = Vec::new();
    for view in views {
        let origin = Origin {
            site: view.site.clone(),
            address: format!("{}#{}", view.address, view.id),
            ..Origin::default()
        };
        let document = Document::new(&*view.address, &*view.text)
            .with_origin(origin)
            .with_title(&*view.title);

        let id = passages.add_document(document);
        let found = Found::by("view").with_section(view.headings.clone());
        if let Ok(passage) = passages.add(&id, 0..view.text.len(), found) {
            of.push((passage, view));
        }
    }
    (passages, of)
}

/// Continues if words of the question are in no statement, unless the pass brought little.
pub(crate) fn decide(task: &DecideTask) -> DecisionResult {
    let known = format!("{}{}", task.memo, task.proposals.join("\n"));
    let known: BTreeSet<String> = stems(&known).into_iter().collect();
    let asked = words(&task.question);
    let mut missing: Vec<String> = Vec::new();
    let mut count = 0;
    for word in &asked {
        let Some(stem) = content_stems(word.text).into_iter().next() else {
            continue;
        };
        count += 1;
        if !known.contains(&stem) && !missing.iter().any(|one| one == word.text) {
            missing.push(word.text.to_owned());
        }
    }

    let coverage = coverage(missing.len(), count);
    let subject = content_of(&task.question);
    let factors = missing.iter().map(|word| format!("{word} ({subject})"));
    let key_factors: Vec<String> = factors.take(5).collect();
    let needs_more = !key_factors.is_empty() && !task.is_diminishing;
    let reasoning = if missing.is_empty() {
        "The findings cover every word of the question.".to_owned()
    } else {
        format!("No finding says anything about {}.", missing.join(", "))
    };
    DecisionResult {
        needs_more_research: needs_more,
        confidence: coverage,
        reasoning,
        key_factors: if needs_more { key_factors } else { Vec::new() },
    }
}

#[expect(clippy::cast_precision_loss, reason = "a question has few words")]
fn coverage(missing: usize, count: usize) -> f64 {
    1.0 - missing as f64 / count.max(1) as f64
}

/// Returns the questions that the user's text has, one a sentence.
fn questions_of(text: &str) -> Vec<String> {
    let questions: Vec<String> = sentences(text)
        .into_iter()
        .map(|range| text[range].trim().to_owned())
        .filter(|sentence| sentence.contains(char::is_alphanumeric))
        .collect();
    if questions.is_empty() {
        vec![text.trim().to_owned()]
    } else {
        questions
    }
}

/// Returns the content words of a question.
fn content_of(question: &str) -> String {
    let words = words(question);
    let content = words
        .iter()
        .filter(|word| !content_stems(word.text).is_empty());
    content.map(|word| word.text).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_becomes_the_tasks_of_the_next_pass() {
        let task = |memo: &str, is_diminishing| DecideTask {
            question: "Which cache does the proxy need?".into(),
            memo: memo.into(),
            is_diminishing,
            ..DecideTask::default()
        };
        let open = decide(&task("S1: The proxy is fast.", false));
        assert!(open.needs_more_research);
        assert_eq!(open.key_factors[0], "cache (cache proxy need)");
        assert!(!decide(&task("S1: The proxy is fast.", true)).needs_more_research);

        let whole = decide(&task("S1: The proxy needs a cache of 2 GB.", false));
        assert!(!whole.needs_more_research && whole.key_factors.is_empty());
        let next = lead(&LeadTask {
            iteration: 1,
            decision_key_factors: open.key_factors,
            ..LeadTask::default()
        });
        assert_eq!(next.tasks[0].description, "cache (cache proxy need)");
    }

    #[test]
    fn commands_and_programs_are_no_sentences_of_documents() {
        for code in [
            "$ run --ask \"Should we?\"",
            "let a = Corpus::open();",
            "<b>x</b>",
        ] {
            assert!(is_code(code), "{code}");
        }
        let prose = "While it is fast (see below), it can fail (\"torn pages\").";
        assert!(is_finished(prose) && !is_code(prose));
        assert!(!is_finished("ignore_checksum_failure (boolean)"));
    }

    #[test]
    fn the_first_plan_asks_for_facts_problems_and_proposals() {
        let plan = lead(&LeadTask {
            question: "Should we use WAL mode?".into(),
            ..LeadTask::default()
        });
        let tasks: Vec<&str> = plan
            .tasks
            .iter()
            .map(|one| one.description.as_str())
            .collect();
        assert_eq!(plan.approaches.len(), 3);
        assert_eq!(tasks[0], "Should we use WAL mode?");
        assert!(
            tasks[1].contains("problems") && tasks[2].contains("solutions"),
            "{tasks:?}"
        );
    }
}
