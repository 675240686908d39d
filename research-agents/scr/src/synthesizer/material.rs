//! What prompts show: statements, findings, and what code computed from all findings.

use std::collections::BTreeSet;
use std::ops::Range;

use research_agents_report::text::scores;

use crate::memo::{Scr, SectionKind, Statement};
use crate::relations::{Relation, RelationKind, Relations};
use crate::synthesizer::capacity::of_statement;
use crate::synthesizer::tasks::{FindingView, FindingsMetadata, Known, StatementView};

/// Maximum number of relations that a prompt names, and of statements of each section that a search
/// for earlier findings is about.
const MOST: usize = 12;

pub(super) fn view_of(memo: &Scr, statement: &Statement) -> StatementView {
    let numbers = statement.findings.iter();
    let numbers = numbers.filter_map(|id| memo.number_of(id));
    let against = statement.against.as_ref();
    StatementView {
        id: statement.id.clone(),
        text: statement.text.for_code().clone(),
        findings: numbers.map(|number| format!("F{number}")).collect(),
        against: against.map(|against| against.text.for_code().clone()),
    }
}

pub(super) fn views(memo: &Scr, range: Range<usize>) -> Vec<FindingView> {
    let numbered = memo.findings.iter().enumerate();
    let own = numbered.skip(range.start).take(range.len());
    own.map(|(at, finding)| FindingView {
        id: format!("F{}", at + 1),
        text: finding.text.for_code().clone(),
        source: finding.source.for_code().clone(),
    })
    .collect()
}

pub(super) fn metadata(memo: &Scr) -> FindingsMetadata {
    let count = memo.findings.len();
    let sources: BTreeSet<&String> = memo
        .findings
        .iter()
        .map(|finding| finding.source.for_code())
        .collect();
    let length: usize = memo
        .findings
        .iter()
        .map(|finding| finding.text.for_code().chars().count())
        .sum();
    FindingsMetadata {
        count,
        total_sources: sources.len(),
        average_length: length / count.max(1),
    }
}

/// Returns what a section is about: the question, the findings, and for later sections what is
/// stated before.
pub(super) fn about(memo: &Scr, kind: SectionKind, findings: &[FindingView]) -> String {
    let mut about = vec![memo.question.as_str()];
    about.extend(findings.iter().map(|view| view.text.as_str()));
    let above = memo.sections().iter().filter(|other| **other < kind);
    for section in above.map(|other| memo.section(*other)) {
        let newest = section.statements.iter().rev().take(MOST);
        about.extend(newest.map(|one| one.text.for_code().as_str()));
    }
    about.join("\n")
}

/// Returns the statements that are nearest to a string and fit, in their order.
pub(super) fn nearest(
    memo: &Scr,
    own: Vec<&Statement>,
    about: &str,
    capacity: usize,
) -> Vec<StatementView> {
    let views: Vec<StatementView> = own.into_iter().map(|one| view_of(memo, one)).collect();
    let sizes: Vec<usize> = views.iter().map(of_statement).collect();
    if sizes.iter().sum::<usize>() <= capacity {
        return views;
    }

    let texts: Vec<&str> = views.iter().map(|view| view.text.as_str()).collect();
    let scores = scores(about, &texts);
    let mut order: Vec<usize> = (0..views.len()).collect();
    order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]).then(b.cmp(a)));

    // One that is too long leaves its place to the next.
    let (mut left, mut kept) = (capacity, BTreeSet::new());
    for at in order {
        if sizes[at] <= left {
            left -= sizes[at];
            kept.insert(at);
        }
    }
    let numbered = views.into_iter().enumerate();
    numbered
        .filter(|(at, _)| kept.contains(at))
        .map(|(_, view)| view)
        .collect()
}

/// Returns what the relations of all findings say to a section.
pub(super) fn known(kind: SectionKind, relations: &Relations) -> Known {
    let most = |relations: &mut dyn Iterator<Item = &Relation>| -> Vec<Relation> {
        relations.take(MOST).cloned().collect()
    };

    match kind {
        SectionKind::Summary => Known {
            hubs: relations.hubs(),
            relations: most(&mut relations.iter()),
            unsatisfied: most(&mut relations.unsatisfied()),
            ..Known::default()
        },
        SectionKind::Situation => Known {
            hubs: relations.hubs(),
            relations: most(&mut relations.of_kind(RelationKind::Requires)),
            ..Known::default()
        },
        SectionKind::Complication => Known {
            relations: most(&mut relations.adversarial()),
            unsatisfied: most(&mut relations.unsatisfied()),
            ..Known::default()
        },
        SectionKind::Resolution => Known {
            relations: most(&mut relations.of_kind(RelationKind::Enables)),
            ..Known::default()
        },
    }
}
