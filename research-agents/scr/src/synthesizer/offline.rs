//! The answers that need no language model: sentences of findings, chosen by rules.

use research_agents_runtime::offline::OfflineAnswers;

use crate::memo::{Finding, Quality, Reflection, SectionKind};
use crate::role::{Role, role};
use crate::synthesizer::tasks::{
    REFINE, REFLECT, ReflectTask, SECTION, SectionEdits, SectionTask, StatementEdit,
};
use crate::update::delivery::sentences_of;

/// Returns the answers of the offline model to the tasks of the synthesizer.
pub fn answers() -> OfflineAnswers {
    OfflineAnswers::new()
        .with(SECTION, section)
        .with(REFINE, section)
        .with(REFLECT, reflect)
}

/// Takes the sentences of the findings that belong to the section by their words.
pub(super) fn section(task: &SectionTask) -> SectionEdits {
    let wanted: &[Role] = match task.section {
        SectionKind::Summary => &[Role::Fact, Role::Problem, Role::Proposal],
        SectionKind::Situation => &[Role::Fact],
        SectionKind::Complication => &[Role::Problem],
        SectionKind::Resolution => &[Role::Proposal],
    };

    let statements = task.findings.iter().flat_map(|view| {
        let sentences = sentences_of(&Finding::new(&*view.text, &*view.source));
        let own = sentences.into_iter();
        let own = own.filter(|one| wanted.contains(&role(one)));
        own.map(|text| StatementEdit {
            id: None,
            text,
            findings: vec![view.id.clone()],
        })
    });
    SectionEdits {
        statements: statements.collect(),
    }
}

/// Says what is missing. Sentences of findings need no refinement.
fn reflect(task: &ReflectTask) -> Reflection {
    let has = |letter: char| task.memo.iter().any(|one| one.id.starts_with(letter));
    let missing = [
        (SectionKind::Complication, "no finding names a problem"),
        (SectionKind::Resolution, "no finding proposes a resolution"),
    ];
    let missing = missing.iter().filter(|(kind, _)| !has(kind.letter()));

    Reflection {
        overall_quality: Quality::Good,
        depth_assessment: format!(
            "{} statements of {} findings, word by word",
            task.memo.len(),
            task.metadata.count
        ),
        missing_core_insights: missing.map(|(_, text)| (*text).to_owned()).collect(),
        ..Reflection::default()
    }
}
