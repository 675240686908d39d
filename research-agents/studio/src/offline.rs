//! The answers to all tasks without a language model: computed from the question, the passages and
//! data files. Nodes also fall back on them when a run must stop.

use std::collections::{BTreeMap, BTreeSet};

use research_agents_report::passage::extract::Extract;
use research_agents_report::passage::{Document, Found, Origin, PassageRegistry};
use research_agents_report::text::{content_stems, fold, is_stop, words};
use research_agents_report::trust::value::{Value, values};
use research_agents_runtime::offline::OfflineAnswers;

use crate::answers::extract::{Expected, extract, nearest};
use crate::answers::story::asking_part;
use crate::answers::table::Answer;
use crate::records::{
    Ambiguity, AnalysisMethod, QueryAnalysis, ResearchPlan, ResearchQuestion, ScoutHit,
};
use crate::tasks::{
    ANALYZE, AnalyzeTask, ClaimsFound, ClaimsTask, ClaimsVerified, Draft, DraftSection,
    DraftSentence, EXTRACT, ExtractTask, Extraction, GAPS, GapsFound, GapsTask, NearSentence, PLAN,
    PlanTask, ProposedAnswer, ProposedClaim, ProposedGap, SectionConfidence, TRUST_CLAIMS,
    TRUST_VERIFY, VerifiedClaim, VerifyTask, WRITE, WriteTask,
};

/// Section of a question with one answer.
pub(crate) const ANSWER: &str = "Answer";

/// Maximum number of sections of an overview.
const MOST_SECTIONS: usize = 5;
/// Maximum number of sentences for a topic.
const MOST_SENTENCES: usize = 3;
/// Maximum number of sentences from which they are taken.
const MOST_READ: usize = 12;
/// Maximum number of claims in the answer of a report.
const MOST_IN_ANSWER: usize = 4;
/// Number of words of the longest phrase that asks without a question mark.
const LONGEST_PHRASE: usize = 25;
/// Share of the best reading's score from which another reading is as likely.
const AS_LIKELY: f64 = 0.8;

/// Returns the answers to all tasks of the studio, for an
/// [`OfflineModel`](research_agents_runtime::offline::OfflineModel).
pub fn answers() -> OfflineAnswers {
    OfflineAnswers::new()
        .with(ANALYZE, analyze)
        .with(PLAN, plan)
        .with(EXTRACT, extraction)
        .with(GAPS, gaps)
        .with(TRUST_CLAIMS, claims)
        .with(TRUST_VERIFY, |_: &VerifyTask| ClaimsVerified::default())
        .with(WRITE, write)
}

/// Reads the expected type of the answer, and finds readings among the titles of the sources.
pub(crate) fn analyze(task: &AnalyzeTask) -> QueryAnalysis {
    let expected = is_question(&task.question).then(|| Expected::of(&task.question));
    let class = match expected {
        None => "overview",
        Some(Expected::Amount { .. } | Expected::Count { .. }) => "number",
        Some(Expected::Date) => "date",
        Some(Expected::Version) => "version",
        Some(Expected::Other) => "fact",
    };
    let readings = if task.clarification.is_some() {
        Vec::new()
    } else {
        readings(&task.question, &task.hits)
    };

    let is_ambiguous = !readings.is_empty();
    QueryAnalysis {
        query_class: class.to_owned(),
        primary_subject: content_of(&task.question),
        complexity: if class == "overview" {
            "moderate"
        } else {
            QueryAnalysis::SIMPLE
        }
        .to_owned(),
        ambiguity_level: if is_ambiguous {
            Ambiguity::High
        } else {
            Ambiguity::None
        },
        needs_clarification: is_ambiguous,
        clarification_question: is_ambiguous.then(|| "Which one do you mean?".to_owned()),
        clarification_options: readings,
        analysis_method: AnalysisMethod::Computed,
        ..QueryAnalysis::default()
    }
}

/// Returns titles that differ only in an addition in brackets, such as *Mercury (planet)* and
/// *Mercury (element)*, if nothing in the question decides between them.
fn readings(question: &str, hits: &[ScoutHit]) -> Vec<String> {
    let asked: BTreeSet<String> = content_stems(question).into_iter().collect();
    let mut groups: BTreeMap<String, Vec<(&ScoutHit, &str)>> = BTreeMap::new();
    for hit in hits {
        let Some((base, addition)) = hit.title.rsplit_once(" (") else {
            continue;
        };
        let group = groups.entry(fold(base)).or_default();
        if !group.iter().any(|(known, _)| known.title == hit.title) {
            group.push((hit, addition));
        }
    }

    let is_open = |base: &str, group: &[(&ScoutHit, &str)]| {
        let named = content_stems(base);
        let is_named = !named.is_empty() && named.iter().all(|stem| asked.contains(stem));
        let decides = |addition: &str| {
            let mut stems = content_stems(addition).into_iter();
            stems.any(|stem| asked.contains(&stem))
        };
        is_named && group.len() > 1 && !group.iter().any(|(_, addition)| decides(addition))
    };
    for (base, mut group) in groups {
        group.sort_by(|a, b| b.0.score.total_cmp(&a.0.score));
        let best = group.first().map_or(0.0, |(hit, _)| hit.score);
        group.retain(|(hit, _)| hit.score >= AS_LIKELY * best);
        if is_open(&base, &group) {
            return group
                .into_iter()
                .map(|(hit, _)| hit.title.clone())
                .collect();
        }
    }
    Vec::new()
}

/// Plans one research question for each question of the user. A topic gets the headings that the
/// first look found as its outline.
pub(crate) fn plan(task: &PlanTask) -> ResearchPlan {
    let topic = task.question.trim();
    let is_topic = task.analysis.query_class == "overview" && !is_question(topic);
    let rows = if is_topic {
        sections_of(topic, &task.hits)
    } else {
        let parts: Vec<&str> = questions_in(topic);
        let is_one = parts.len() == 1;
        let section = |part: &str| {
            let own = part.trim_end_matches('?').to_owned();
            if is_one { ANSWER.to_owned() } else { own }
        };
        parts
            .into_iter()
            .map(|part| (section(part), part.to_owned()))
            .collect()
    };

    let questions: Vec<ResearchQuestion> = rows
        .into_iter()
        .take(task.max_questions.max(1))
        .map(|(section, question)| ResearchQuestion {
            queries: queries_of(&question),
            question,
            section,
            priority: 1.0,
            ..ResearchQuestion::default()
        })
        .collect();
    ResearchPlan {
        topic: topic.to_owned(),
        outline: questions.iter().map(|one| one.section.clone()).collect(),
        research_questions: questions,
        estimated_complexity: task.analysis.complexity.clone(),
    }
}

/// Returns what to search for if a message says other things before its question: the question, and
/// the whole. Nothing if the question is all.
fn queries_of(message: &str) -> Vec<String> {
    let part = asking_part(message);
    if part.len() < message.trim().len() {
        vec![part.to_owned(), message.to_owned()]
    } else {
        Vec::new()
    }
}

/// Returns the sections of a topic, each with its research question.
fn sections_of(topic: &str, hits: &[ScoutHit]) -> Vec<(String, String)> {
    let mut seen = BTreeSet::new();
    let mut rows = Vec::new();
    for hit in hits {
        let heading = hit.headings.last().unwrap_or(&hit.title).trim();
        if heading.is_empty() || !seen.insert(fold(heading)) {
            continue;
        }
        rows.push((heading.to_owned(), format!("{topic}: {heading}")));
        if rows.len() == MOST_SECTIONS {
            break;
        }
    }
    if rows.is_empty() {
        rows.push((ANSWER.to_owned(), topic.to_owned()));
    }
    rows
}

/// Returns the questions of a string that end with a question mark; the whole string without one.
pub(crate) fn questions_in(text: &str) -> Vec<&str> {
    let parts: Vec<&str> = text
        .split_inclusive('?')
        .map(str::trim)
        .filter(|part| part.ends_with('?') && words(part).len() > 1)
        .collect();
    if parts.len() > 1 { parts } else { vec![text] }
}

/// Returns whether a string is a question rather than a topic. Without a question mark, a title
/// with a subtitle and an abstract are topics, whatever question words they have.
pub(crate) fn is_question(text: &str) -> bool {
    let is_phrase = || !text.contains(": ") && words(text).len() <= LONGEST_PHRASE;
    asking_part(text).ends_with('?') || is_phrase() && Expected::of(text) != Expected::Other
}

/// Returns the content words of a string.
fn content_of(text: &str) -> String {
    let all = words(text);
    let content = all.iter().filter(|word| !is_stop(&word.lower));
    content.map(|word| word.text).collect::<Vec<_>>().join(" ")
}

/// Reads the answers to a question from passages. Of a topic, its most relevant sentences are
/// taken.
pub(crate) fn extraction(task: &ExtractTask) -> Extraction {
    let (passages, views) = registry_of(task);
    let answers: Vec<ProposedAnswer> = if is_question(&task.question) {
        let found = extract("", &task.question, &passages).answers;
        let proposed = found.iter().filter_map(|answer| {
            let passage = passages.get(&answer.passage)?;
            let quote = passage.text.for_code().get(answer.quote.clone())?;
            let language = passages.document_of(passage)?.language;
            let is_value = |value: &Value| answer.value.as_ref() == Some(value);
            let value = values(quote, language)
                .into_iter()
                .find(|typed| is_value(&typed.value));
            Some(ProposedAnswer {
                passage: views.get(&answer.passage)?.clone(),
                quote: quote.to_owned(),
                value: value.map(|typed| quote[typed.span].to_owned()),
                section: None,
            })
        });
        proposed.collect()
    } else {
        let found = Extract::new(&task.question, &passages, MOST_READ).sentences;
        let whole = found.into_iter().filter(|one| is_sentence(&one.text));
        let proposed = whole.take(MOST_SENTENCES).filter_map(|quoted| {
            Some(ProposedAnswer {
                passage: views.get(&quoted.passage)?.clone(),
                quote: quoted.text,
                ..ProposedAnswer::default()
            })
        });
        proposed.collect()
    };

    Extraction {
        answers,
        queries: Vec::new(),
    }
}

/// Returns at most `most` sentences of the passages of a task that are nearest to its question.
pub(crate) fn nearest_sentences(task: &ExtractTask, most: usize) -> Vec<NearSentence> {
    let (passages, views) = registry_of(task);
    let found = nearest(&task.question, &passages, |_| true, most).quotes;
    let sentence = |answer: &Answer| {
        let text = passages.get(&answer.passage)?.text.for_code();
        Some(NearSentence {
            passage: views.get(&answer.passage)?.clone(),
            quote: text.get(answer.quote.clone())?.trim().to_owned(),
        })
    };
    found.iter().filter_map(sentence).collect()
}

/// Returns whether a string is more than a heading or a row of a table.
fn is_sentence(text: &str) -> bool {
    let text = text.trim();
    text.ends_with(['.', '!']) && !text.contains('\t') && words(text).len() > 5
}

/// Returns the passages of a task as a registry, and the ids of the views by its ids.
fn registry_of(task: &ExtractTask) -> (PassageRegistry, BTreeMap<String, String>) {
    let mut passages = PassageRegistry::default();
    let mut views = BTreeMap::new();
    let mut documents: Vec<(&str, &str)> = Vec::new();
    for view in &task.passages {
        let key = (view.site.as_str(), view.address.as_str());
        if !documents.contains(&key) {
            documents.push(key);
        }
    }

    for (site, address) in documents {
        let of_document =
            |view: &&crate::tasks::PassageView| view.site == site && view.address == address;
        let own: Vec<_> = task.passages.iter().filter(of_document).collect();
        let (mut text, mut places) = (String::new(), Vec::new());
        for view in &own {
            let start = text.len();
            text.push_str(&view.text);
            places.push(start..text.len());
            text.push_str("\n\n");
        }

        let origin = Origin {
            site: site.to_owned(),
            address: address.to_owned(),
            ..Origin::default()
        };
        let title = own.first().map_or("", |view| view.title.as_str());
        let document = Document::new(address, text)
            .with_origin(origin)
            .with_title(title);
        let id = passages.add_document(document);
        for (view, place) in own.into_iter().zip(places) {
            let found = Found::by("view")
                .with_score(view.score)
                .with_section(view.headings.clone());
            if let Ok(passage) = passages.add(&id, place, found) {
                views.insert(passage, view.id.clone());
            }
        }
    }
    (passages, views)
}

/// Takes the computed confidences and gaps, with queries from the headings that are nearest.
pub(crate) fn gaps(task: &GapsTask) -> GapsFound {
    let confidence = task.sections.iter().map(|section| SectionConfidence {
        section: section.section.clone(),
        confidence: section.confidence,
    });

    let open = task.questions.iter().filter(|question| question.is_gap);
    let gaps = open.map(|question| {
        let content = content_of(&question.question);
        let queries = question.headings.iter().take(2);
        ProposedGap {
            section: question.section.clone(),
            question: Some(question.id.clone()),
            description: String::new(),
            queries: queries
                .map(|heading| format!("{content} {heading}"))
                .collect(),
        }
    });
    GapsFound {
        section_confidence: confidence.collect(),
        gaps: gaps.collect(),
    }
}

/// Takes the quotes that answer questions as claims.
pub(crate) fn claims(task: &ClaimsTask) -> ClaimsFound {
    let open = task.answers.iter().filter(|answer| !answer.is_disputed);
    let claims = open.filter_map(|answer| {
        Some(ProposedClaim {
            text: on_one_line(&answer.quotes.first()?.quote),
            section: answer.section.clone(),
            question: Some(answer.question.clone()),
            quotes: answer.quotes.clone(),
        })
    });
    ClaimsFound {
        credibility: Vec::new(),
        claims: claims.collect(),
    }
}

/// Returns a quote on one line, with a dash between its paragraphs: a term and its definition.
fn on_one_line(quote: &str) -> String {
    let line = |part: &str| part.split_whitespace().collect::<Vec<_>>().join(" ");
    let parts: Vec<&str> = quote.split("\n\n").collect();
    if parts.len() > 1 {
        let parts: Vec<String> = parts.into_iter().map(line).collect();
        parts.join(" — ")
    } else {
        quote.to_owned()
    }
}

/// Puts the best claim of each section into the answer, and the others below their headings.
pub(crate) fn write(task: &WriteTask) -> Draft {
    let sentence = |claim: &VerifiedClaim| DraftSentence {
        text: String::new(),
        claims: vec![claim.cid.clone()],
    };
    let of_section = |section: &str| -> Vec<&VerifiedClaim> {
        let own = task.claims.iter().filter(|claim| claim.section == section);
        own.collect()
    };

    let is_one = task.outline.len() < 2;
    let mut draft = Draft::default();
    for section in &task.outline {
        let own = of_section(section);
        let first = if is_one { MOST_IN_ANSWER } else { 1 };
        let room = MOST_IN_ANSWER.saturating_sub(draft.answer.len()).min(first);
        let (answer, rest) = own.split_at(own.len().min(room));
        draft
            .answer
            .extend(answer.iter().map(|claim| sentence(claim)));
        if !rest.is_empty() {
            let heading = if section == ANSWER { "More" } else { section };
            draft.sections.push(DraftSection {
                heading: heading.to_owned(),
                sentences: rest.iter().map(|claim| sentence(claim)).collect(),
            });
        }
    }
    draft
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hit(title: &str, score: f64) -> ScoutHit {
        ScoutHit {
            title: title.to_owned(),
            score,
            ..ScoutHit::default()
        }
    }

    #[test]
    fn titles_and_abstracts_are_topics_whatever_question_words_they_have() {
        let class = |question: &str| {
            let question = question.to_owned();
            let task = AnalyzeTask {
                question,
                ..AnalyzeTask::default()
            };
            analyze(&task).query_class
        };
        assert_eq!(class("maximum size of a database"), "number");
        assert_eq!(class("How long does a page live?"), "number");
        assert_eq!(class("Caches: how long pages live"), "overview");

        let told = "We show how long pages live in caches that many readers share, and that what \
                    a cache keeps in memory depends on how often its pages are read. Both are \
                    measured.";
        assert_eq!(class(told), "overview");
        let asked = format!("{told} How long does a page live?");
        assert_eq!(class(&asked), "number");
    }

    #[test]
    fn titles_that_differ_in_an_addition_are_readings() {
        let hits = [
            hit("Mercury (planet)", 5.0),
            hit("Mercury (element)", 4.5),
            hit("Mercury (mythology)", 1.0),
        ];
        let analyze = |question: &str| {
            analyze(&AnalyzeTask {
                question: question.to_owned(),
                hits: hits.to_vec(),
                ..AnalyzeTask::default()
            })
        };

        let open = analyze("When was Mercury discovered?");
        let options = ["Mercury (planet)", "Mercury (element)"];
        assert_eq!(open.clarification_options, options);
        assert!(open.needs_clarification && open.query_class == "date");
        assert!(!analyze("How large is the planet Mercury?").needs_clarification);
        assert!(!analyze("How large is Venus?").needs_clarification);
    }

    #[test]
    fn a_topic_gets_the_headings_of_the_sources() {
        let mut first = hit("Limits", 3.0);
        first.headings = vec!["Limits".into(), "Page size".into()];
        let task = PlanTask {
            question: "Limits of the database".into(),
            analysis: analyze(&AnalyzeTask {
                question: "Limits of the database".into(),
                ..AnalyzeTask::default()
            }),
            hits: vec![first.clone(), first, hit("Files", 1.0)],
            max_questions: 8,
        };

        let plan = plan(&task);
        assert_eq!(plan.outline, ["Page size", "Files"]);
        let first = &plan.research_questions[0].question;
        assert_eq!(first, "Limits of the database: Page size");
    }

    #[test]
    fn every_question_of_the_user_is_researched() {
        let task = PlanTask {
            question: "What is the page size? When was WAL added?".into(),
            max_questions: 8,
            ..PlanTask::default()
        };
        let questions = plan(&task).research_questions;
        assert_eq!(questions[1].question, "When was WAL added?");
        assert_eq!(questions[1].section, "When was WAL added");
    }
}
