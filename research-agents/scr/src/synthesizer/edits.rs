//! What a model proposes for a section, checked against the findings that it names.

use std::collections::BTreeSet;

use research_agents_report::check::grounded::{Cited, Grounded, ground};
use research_agents_report::language::Language;
use research_agents_report::text::{Untrusted, visible};

use crate::memo::{Basis, Finding, NewStatement, Scr, SectionKind, Statement, Withheld};
use crate::role::{Role, role};
use crate::synthesizer::tasks::{SectionEdits, StatementEdit};
use crate::update::delivery::{Change, ChangeKind, Delivery, sentences_of, support};
use crate::update::stems::Stems;

/// Writes the edits that hold into a section. Those that do not are kept with the reason.
pub(super) fn apply(
    memo: &mut Scr,
    kind: SectionKind,
    edits: &SectionEdits,
    stems: &mut Stems,
    delivery: &mut Delivery,
) {
    for edit in &edits.statements {
        let text = one_line(&edit.text);
        if let Err(reason) = apply_one(memo, kind, edit, &text, stems, delivery) {
            let withheld = Withheld {
                section: kind,
                text: Untrusted::new(text),
                reason,
            };

            // Asked again, a model writes the same sentence again.
            if !memo.withheld.contains(&withheld) {
                memo.withheld.push(withheld.clone());
            }
            delivery.withheld.push(withheld);
        }
    }
}

/// Writes one edit.
///
/// # Errors
///
/// Why it does not hold.
fn apply_one(
    memo: &mut Scr,
    kind: SectionKind,
    edit: &StatementEdit,
    text: &str,
    stems: &mut Stems,
    delivery: &mut Delivery,
) -> Result<(), String> {
    if !text.contains(char::is_alphanumeric) {
        return Err("it is empty".to_owned());
    }
    let replaced = match &edit.id {
        None => None,
        Some(id) => {
            let statements = &memo.section(kind).statements;
            let at = statements.iter().position(|one| one.id == *id);
            Some(at.ok_or_else(|| format!("the section has no statement {id}"))?)
        }
    };

    // The findings of a statement that is replaced still carry it.
    let mut findings = replaced.map_or_else(Vec::new, |at| {
        memo.section(kind).statements[at].findings.clone()
    });
    for number in &edit.findings {
        let finding =
            finding_of(memo, number).ok_or_else(|| format!("there is no finding {number}"))?;
        if !findings.contains(&finding.id) {
            findings.push(finding.id.clone());
        }
    }
    let basis = basis(memo, text, &findings)?;
    let newest = findings.last().cloned().unwrap_or_default();

    if let Some(at) = replaced {
        return rewrite(memo, kind, at, text, findings, basis, delivery);
    }
    let mut same = memo.section_mut(kind).statements.iter_mut();
    if let Some(same) = same.find(|one| one.text.for_code() == text) {
        findings.iter().for_each(|id| support(same, id, delivery));
        return Ok(());
    }

    // Sentences of findings were compared before, and what a model says about a contradiction
    // contradicts both of its sides.
    let is_compared = kind == memo.structure.section_of(Role::Fact) && basis != Basis::Quoted;
    let new = NewStatement {
        text,
        findings,
        basis,
        against: None,
    };
    let is_stated = kind != SectionKind::Resolution
        && (memo.support(text, &newest, delivery)
            || (is_compared && memo.contradict(&new, stems, delivery)));
    if !is_stated {
        memo.add(kind, new, stems, delivery);
    }
    Ok(())
}

/// Replaces the text of a statement.
///
/// # Errors
///
/// The numbers that the new text lacks.
fn rewrite(
    memo: &mut Scr,
    kind: SectionKind,
    at: usize,
    text: &str,
    findings: Vec<String>,
    basis: Basis,
    delivery: &mut Delivery,
) -> Result<(), String> {
    let statement = &mut memo.section_mut(kind).statements[at];
    let before = statement.text.for_code().clone();
    if before == text && statement.findings == findings {
        return Ok(());
    }
    let lost: Vec<String> = numbers(&before)
        .difference(&numbers(text))
        .cloned()
        .collect();
    if !lost.is_empty() {
        return Err(format!(
            "it leaves out {} of {}",
            lost.join(", "),
            statement.id
        ));
    }

    let cause = findings.last().cloned().unwrap_or_default();
    statement.text = Untrusted::new(text.to_owned());
    statement.findings = findings;
    statement.basis = basis;
    delivery.changes.push(Change {
        kind: ChangeKind::Rewritten,
        statement: statement.clone(),
        finding: cause,
        before: Some(Untrusted::new(before)),
    });
    Ok(())
}

/// Returns what a sentence rests on.
///
/// # Errors
///
/// Why its findings do not carry it.
fn basis(memo: &Scr, text: &str, findings: &[String]) -> Result<Basis, String> {
    let known = memo
        .findings
        .iter()
        .filter(|one| findings.contains(&one.id));
    let own: Vec<(&Finding, String)> = known
        .map(|one| (one, one_line(one.text.for_code())))
        .collect();
    if own.iter().any(|(_, whole)| whole.contains(text)) {
        return Ok(Basis::Quoted);
    }

    let cited = own.iter().map(|(finding, whole)| {
        let source = finding.source.for_code();
        Cited::text(&finding.id, source, whole)
    });
    let cited: Vec<Cited<'_>> = cited.collect();
    match ground(text, Language::ENGLISH, &cited).verdict {
        Grounded::Holds => Ok(Basis::Carried),
        Grounded::Unsure { missing } => Ok(Basis::Unsure { missing }),
        Grounded::Fails(mismatch) => Err(mismatch.to_string()),
    }
}

/// Returns the finding with a number such as `F3`.
pub(super) fn finding_of<'m>(memo: &'m Scr, number: &str) -> Option<&'m Finding> {
    let number: usize = number.trim().strip_prefix('F')?.parse().ok()?;
    memo.findings.get(number.checked_sub(1)?)
}

/// Adds the sentences of findings whose numbers no statement has, and the problems and proposals of
/// findings that the section does not cite, so that none is lost however a model words it.
/// Proposals wait for the resolution.
pub(super) fn keep_numbers(
    memo: &mut Scr,
    from: usize,
    is_whole: bool,
    stems: &mut Stems,
    delivery: &mut Delivery,
) {
    for at in from..memo.findings.len() {
        let finding = memo.findings[at].clone();
        let (mut stated, mut citing) = (BTreeSet::new(), BTreeSet::new());
        for &kind in memo.sections() {
            let statements = memo.section(kind).statements.iter();
            for one in statements.filter(|one| cites(one, &finding.id)) {
                stated.extend(numbers(one.text.for_code()));
                citing.insert(kind);
            }
        }

        for sentence in sentences_of(&finding) {
            let own = numbers(&sentence);
            let kind = memo.structure.section_of(role(&sentence));
            if kind == SectionKind::Resolution && !is_whole {
                continue;
            }
            let is_stated = own.is_subset(&stated);
            if is_stated && (kind == SectionKind::Situation || citing.contains(&kind)) {
                continue;
            }
            let new = NewStatement::quoted(&sentence, &finding.id);
            let is_stated = memo.support(&sentence, &finding.id, delivery)
                || memo.contradict(&new, stems, delivery);
            if !is_stated {
                memo.add(kind, new, stems, delivery);
            }
            stated.extend(own);
        }
    }
}

/// Returns whether a statement, or the other side of it, is of a finding.
fn cites(statement: &Statement, finding: &String) -> bool {
    let against = statement.against.as_ref();
    statement.findings.contains(finding)
        || against.is_some_and(|against| against.findings.contains(finding))
}

/// Returns the words with a digit, without punctuation at their ends.
fn numbers(text: &str) -> BTreeSet<String> {
    let words = text.split_whitespace();
    let bare = words.map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
    bare.filter(|word| word.contains(|c: char| c.is_ascii_digit()))
        .map(str::to_lowercase)
        .collect()
}

/// Returns a sentence in one line, with single spaces and without invisible characters.
fn one_line(text: &str) -> String {
    let text = visible(text);
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
