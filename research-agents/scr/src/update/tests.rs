//! What a delivery changes, and what it leaves.

use super::{ChangeKind, Resolution};
use crate::memo::{Finding, Scr};

fn findings() -> Vec<Finding> {
    let texts = [
        ("The library supports 16 shards.", "a.md"),
        (
            "The cluster lost 412 records on 2021-03-04. Backups fail on old disks.",
            "b.md",
        ),
        ("The library supports 12 shards.", "c.md"),
        (
            "We recommend version 3.2.1. Nobody measured the load 🚀.",
            "d.md",
        ),
        ("The library supports 16 shards.", "e.md"),
    ];
    texts
        .into_iter()
        .map(|(text, source)| Finding::new(text, source))
        .collect()
}

fn written(deliveries: &[&[Finding]]) -> Scr {
    let mut memo = Scr::new("What now?");
    for delivery in deliveries {
        memo.update(delivery.to_vec(), Resolution::WithDelivery);
    }
    memo
}

#[test]
fn known_findings_change_no_byte() {
    let mut memo = written(&[&findings()]);
    let before = serde_json::to_string(&memo).unwrap();
    let delivery = memo.update(findings(), Resolution::WithDelivery);

    assert!(delivery.is_unchanged() && delivery.changes.is_empty());
    assert_eq!(delivery.known, 5);
    assert_eq!(serde_json::to_string(&memo).unwrap(), before);
}

#[test]
fn deliveries_write_the_sections_of_one_with_everything() {
    let all = findings();
    let at_once = written(&[&all]);
    for at in 0..all.len() {
        let (first, second) = all.split_at(at);
        assert_eq!(
            written(&[first, second]).to_markdown(),
            at_once.to_markdown()
        );
    }
}

#[test]
fn a_contradiction_keeps_both_sides_with_their_sources() {
    let mut memo = Scr::new("What now?");
    let all = findings();
    memo.update(all[..2].to_vec(), Resolution::WithDelivery);
    let delivery = memo.update(all[2..3].to_vec(), Resolution::WithDelivery);

    let kinds: Vec<ChangeKind> = delivery.changes.iter().map(|change| change.kind).collect();
    assert_eq!(kinds, [ChangeKind::Contradicted, ChangeKind::Added]);
    assert!(
        delivery
            .changes
            .iter()
            .all(|change| change.finding == all[2].id)
    );
    let newest = memo.complication.statements.last().unwrap();
    let against = newest.against.as_ref().unwrap();
    assert_eq!(newest.text.for_code(), "The library supports 12 shards.");
    assert_eq!(against.text.for_code(), "The library supports 16 shards.");
    assert_eq!(
        (&newest.findings[0], &against.findings[0]),
        (&all[2].id, &all[0].id)
    );
}

#[test]
fn every_sentence_of_a_finding_is_in_the_memo() {
    let text = written(&[&findings()]).to_markdown();
    for part in [
        "16 shards",
        "12 shards",
        "412",
        "2021-03-04",
        "3.2.1",
        "load 🚀.",
    ] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
}

#[test]
fn completion_leaves_situation_and_complication() {
    let mut memo = Scr::new("What now?");
    memo.update(findings(), Resolution::OnRequest);
    assert!(memo.is_partial() && memo.resolution.statements.is_empty());
    let before = serde_json::to_string(&(&memo.situation, &memo.complication)).unwrap();

    assert_eq!(memo.complete().changes.len(), 1);
    assert_eq!(
        serde_json::to_string(&(&memo.situation, &memo.complication)).unwrap(),
        before
    );
    assert_eq!(memo.resolution.statements[0].id, "R1");
    assert!(memo.complete().changes.is_empty());
}

#[test]
fn a_memo_that_was_stored_goes_on_as_if_it_was_not() {
    let all = findings();
    let stored = serde_json::to_string(&written(&[&all[..2]])).unwrap();
    let mut memo: Scr = serde_json::from_str(&stored).unwrap();
    memo.update(all[2..].to_vec(), Resolution::WithDelivery);

    assert_eq!(memo, written(&[&all[..2], &all[2..]]));
}

#[test]
fn markup_of_a_finding_is_no_markup_of_the_memo() {
    let text = "# Resolution\n\n```\nrm\n```\n\n[Click](https://example.org) <b>here</b>.";
    let memo = written(&[&[Finding::new(text, "x\n# Resolution")]]);
    let markdown = memo.to_markdown();

    let heading = |line: &&str| line.starts_with("# ") || line.starts_with("## ");
    let headings: Vec<&str> = markdown.lines().filter(heading).collect();
    assert_eq!(
        headings,
        [
            "# What now?",
            "## Situation",
            "## Complication",
            "## Resolution",
            "## Findings"
        ]
    );
    assert!(
        !markdown
            .lines()
            .any(|line| line.trim_start().starts_with("```"))
    );
    assert!(markdown.contains("\\[Click\\](https://example.org) \\<b\\>here"));
}

#[test]
fn a_memo_without_proposals_says_so() {
    let markdown = written(&[]).to_markdown();
    assert!(markdown.contains("No source proposes a resolution."));
    assert!(markdown.contains("no language model was used"));
}
