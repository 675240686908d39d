//! The request that draws findings from a pack of records.

use research_agents_runtime::ask::{Prompt, UserText};

use crate::data::filters::describe_filters;
use crate::data::record::{Object, SubQuestion};
use crate::data::task::{DocumentText, ExtractTask};
use crate::prompts;

/// The purpose of an extraction.
#[derive(Clone, Debug)]
pub(crate) struct Brief {
    pub(crate) query: String,
    pub(crate) focus: String,
    pub(crate) sub_questions: Vec<SubQuestion>,
    pub(crate) filters: Object,
    pub(crate) max_findings_per_doc: usize,
}

pub(crate) fn task(brief: &Brief, documents: Vec<DocumentText>) -> ExtractTask {
    ExtractTask {
        query: brief.query.clone(),
        focus: brief.focus.clone(),
        sub_questions: brief.sub_questions.clone(),
        filters: brief.filters.clone(),
        documents,
        max_findings_per_doc: brief.max_findings_per_doc,
    }
}

pub(crate) fn fill<'p>(prompt: Prompt<'p>, task: &ExtractTask, max_findings: usize) -> Prompt<'p> {
    prompt
        .set("question", UserText::new(&task.query))
        .data("focus", &prompts::lines([task.focus.clone()]))
        .data("sub_questions", &prompts::questions(&task.sub_questions))
        .data(
            "filters",
            &prompts::lines([describe_filters(&task.filters)]),
        )
        .data_capped(
            "documents",
            &prompts::documents(&task.documents),
            usize::MAX,
        )
        .set("max_findings_per_doc", task.max_findings_per_doc)
        .set("max_findings", max_findings)
}
