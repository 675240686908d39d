//! Findings: one for each claim, with the records of all its occurrences joined.

use std::collections::{BTreeMap, HashMap};

use sha2::{Digest, Sha256};

use super::record::Finding;
use crate::kernel::source::hex;

/// Most pieces of evidence that one finding keeps; its records are kept all.
const EVIDENCE: usize = 10;

/// A claim without regard to letter case, white space and punctuation.
pub(crate) fn normalised(claim: &str) -> String {
    let words = claim.to_lowercase();
    let words = words.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}

/// An id that depends on the claim alone, so that the same finding has it in every batch and round.
pub(crate) fn id_of(claim: &str) -> String {
    format!("f_{}", &hex(&Sha256::digest(normalised(claim).as_bytes()))[..8])
}

/// Adds findings to those known. A claim that is known gets the new records and evidence. Gives the number of new claims.
pub(crate) fn merge(known: &mut Vec<Finding>, new: impl IntoIterator<Item = Finding>) -> usize {
    let mut places: HashMap<String, usize> =
        known.iter().enumerate().map(|(at, finding)| (normalised(&finding.claim), at)).collect();
    let before = known.len();
    for mut finding in new {
        let key = normalised(&finding.claim);
        match places.get(&key).and_then(|at| known.get_mut(*at)) {
            Some(same) => join(same, finding),
            None => {
                finding.id = id_of(&finding.claim);
                finding.evidence_count = finding.doc_ids.len();
                finding.evidence.truncate(EVIDENCE);
                places.insert(key, known.len());
                known.push(finding);
            }
        }
    }
    known.len() - before
}

fn join(known: &mut Finding, new: Finding) {
    extend(&mut known.doc_ids, new.doc_ids);
    extend(&mut known.evidence, new.evidence);
    extend(&mut known.relevant_questions, new.relevant_questions);
    extend(&mut known.themes, new.themes);
    known.evidence.truncate(EVIDENCE);
    known.evidence_count = known.doc_ids.len();
    known.confidence = known.confidence.max(new.confidence);
}

fn extend<T: PartialEq>(known: &mut Vec<T>, new: Vec<T>) {
    for item in new {
        if !known.contains(&item) {
            known.push(item);
        }
    }
}

/// Ids of findings by theme.
pub(crate) fn by_theme(findings: &[Finding]) -> BTreeMap<String, Vec<String>> {
    let mut themes: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for finding in findings {
        for theme in &finding.themes {
            themes.entry(theme.clone()).or_default().push(finding.id.clone());
        }
    }
    themes
}

#[cfg(test)]
mod tests {
    use super::super::record::Strength;
    use super::*;

    fn finding(claim: &str, docs: &[&str]) -> Finding {
        Finding {
            id: String::new(),
            claim: claim.into(),
            evidence: Vec::new(),
            evidence_count: 0,
            doc_ids: docs.iter().map(|id| (*id).to_owned()).collect(),
            confidence: Strength::Low,
            relevant_questions: Vec::new(),
            themes: vec!["birds".into()],
        }
    }

    #[test]
    fn the_same_claim_is_one_finding_with_all_its_records() {
        let mut known = Vec::new();
        assert_eq!(merge(&mut known, [finding("Gulls were struck.", &["1", "2"])]), 1);
        let again = Finding { confidence: Strength::High, ..finding("  gulls WERE struck", &["2", "3"]) };
        assert_eq!(merge(&mut known, [again, finding("Hawks were struck.", &["4"])]), 1);
        assert_eq!(known.len(), 2);
        assert_eq!(known[0].doc_ids, ["1", "2", "3"]);
        assert_eq!((known[0].evidence_count, known[0].confidence), (3, Strength::High));
        assert_eq!(known[0].id, id_of("gulls were struck"));
    }

    #[test]
    fn findings_are_listed_by_theme() {
        let mut known = Vec::new();
        merge(&mut known, [finding("a", &["1"]), finding("b", &["1"])]);
        assert_eq!(by_theme(&known)["birds"].len(), 2);
    }
}
