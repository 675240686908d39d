//! Findings: one for each claim, with the records of all its occurrences joined.

use std::collections::{BTreeMap, HashMap};

use research_agents_report::evidence::hex;
use sha2::{Digest, Sha256};

use crate::data::record::Finding;

/// The maximum number of pieces of evidence that a finding keeps. It keeps all of its records.
const EVIDENCE: usize = 10;

/// Returns a claim without regard to letter case, white space and punctuation. What distinguishes
/// one value from another stays: a sign at one end of a word, as in `A-`, `C++` or `-5`, and other
/// symbols, such as those of a currency or a comparison.
pub(crate) fn normalised(claim: &str) -> String {
    let letters: Vec<char> = claim.to_lowercase().chars().map(plain).collect();
    let runs: Vec<&[char]> = letters
        .chunk_by(|a, b| Kind::from_char(*a) == Kind::from_char(*b))
        .collect();
    let kinds: Vec<Kind> = runs
        .iter()
        .filter_map(|run| run.first())
        .map(|letter| Kind::from_char(*letter))
        .collect();
    let is_word = |at: Option<usize>| at.and_then(|at| kinds.get(at)) == Some(&Kind::Word);

    let mut words: Vec<String> = Vec::new();
    let mut goes_on = false;
    for (at, (run, kind)) in runs.iter().zip(&kinds).enumerate() {
        let (ends, begins) = (is_word(at.checked_sub(1)), is_word(Some(at + 1)));
        let joins = match kind {
            Kind::Word => goes_on,
            Kind::Sign => ends,
            Kind::Symbol | Kind::Gap => false,
        };
        goes_on = *kind == Kind::Sign && begins && !ends;
        // A sign between two words is a hyphen, one between none a dash.
        if *kind == Kind::Gap || (*kind == Kind::Sign && ends == begins) {
            continue;
        }
        match words.last_mut().filter(|_| joins) {
            Some(word) => word.extend(run.iter()),
            None => words.push(run.iter().collect()),
        }
    }

    words.join(" ")
}

/// The role of a character in a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Part of a word.
    Word,
    /// Part of the word that it begins or ends.
    Sign,
    /// Distinguishes claims by itself.
    Symbol,
    /// Separates words.
    Gap,
}

impl Kind {
    fn from_char(letter: char) -> Self {
        match letter {
            '+' | '-' | '#' | '*' => Self::Sign,
            '$' | '%' | '<' | '=' | '>' | '^' | '~' => Self::Symbol,
            _ if letter.is_alphanumeric() => Self::Word,
            _ if letter.is_ascii() || letter.is_control() || letter.is_whitespace() => Self::Gap,
            '¡' | '§' | '¨' | '«' | '\u{AD}' | '´' | '¶' | '·' | '»' | '¿' | '،' | '؛' | '؟'
            | '।' => Self::Gap,
            // Per mille and primes are among the quotation marks.
            '\u{2030}'..='\u{2037}' => Self::Symbol,
            '\u{2000}'..='\u{206F}' | '\u{3000}'..='\u{303F}' | '\u{FE00}'..='\u{FE0F}' => {
                Self::Gap
            }
            '\u{FF5F}'..='\u{FF65}' | '\u{FEFF}' => Self::Gap,
            _ => Self::Symbol,
        }
    }
}

/// Returns the ASCII form of a character: full-width letters and signs, and the signs that are
/// written for a minus.
fn plain(letter: char) -> char {
    match letter {
        '\u{2010}'..='\u{2013}' | '\u{2212}' => '-',
        '\u{FF01}'..='\u{FF5E}' => char::from_u32(u32::from(letter) - 0xFEE0).unwrap_or(letter),
        _ => letter,
    }
}

/// Returns an id that depends on the claim alone, so that the same finding has it in every batch
/// and round.
pub(crate) fn id_of(claim: &str) -> String {
    format!(
        "f_{}",
        &hex(&Sha256::digest(normalised(claim).as_bytes()))[..8]
    )
}

/// Adds findings to those known. A claim that is known gets the new records and evidence. Returns
/// the number of new claims.
pub(crate) fn merge(known: &mut Vec<Finding>, new: impl IntoIterator<Item = Finding>) -> usize {
    let mut places: HashMap<String, usize> = known
        .iter()
        .enumerate()
        .map(|(at, finding)| (normalised(&finding.claim), at))
        .collect();
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

/// Returns the ids of findings by theme.
pub(crate) fn by_theme(findings: &[Finding]) -> BTreeMap<String, Vec<String>> {
    let mut themes: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for finding in findings {
        for theme in &finding.themes {
            themes
                .entry(theme.clone())
                .or_default()
                .push(finding.id.clone());
        }
    }
    themes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::record::Strength;

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

        assert_eq!(
            merge(&mut known, [finding("Gulls were struck.", &["1", "2"])]),
            1
        );

        let again = Finding {
            confidence: Strength::High,
            ..finding("  gulls WERE struck", &["2", "3"])
        };

        assert_eq!(
            merge(&mut known, [again, finding("Hawks were struck.", &["4"])]),
            1
        );
        assert_eq!(known.len(), 2);
        assert_eq!(known[0].doc_ids, ["1", "2", "3"]);
        assert_eq!(
            (known[0].evidence_count, known[0].confidence),
            (3, Strength::High)
        );
        assert_eq!(known[0].id, id_of("gulls were struck"));
    }

    #[test]
    fn claims_that_differ_in_a_sign_are_two_findings() {
        for (a, b) in [
            ("Grade is A+", "Grade is A-"),
            ("Grade is A+.", "Grade is A."),
            ("Language is C++", "Language is C#"),
            ("Language is C", "Language is C#"),
            ("Change is -5", "Change is 5"),
            ("Change is −5", "Change is 5"),
            ("Change is –5", "Change is 5"),
            ("Cost is $5", "Cost is €5"),
            ("Fewer than <5", "Fewer than >5"),
            ("Share is 5 %", "Share is 5"),
            ("Rating is ★★", "Rating is ★★★"),
            ("Status is ✅", "Status is ❌"),
        ] {
            assert_ne!(normalised(a), normalised(b));

            let mut known = Vec::new();
            assert_eq!(
                merge(&mut known, [finding(a, &["1"]), finding(b, &["2"])]),
                2,
                "{a} / {b}"
            );
            assert_eq!(
                (known[0].evidence_count, known[1].evidence_count),
                (1, 1),
                "{a} / {b}"
            );
            assert_ne!(known[0].id, known[1].id, "{a} / {b}");
        }
    }

    #[test]
    fn punctuation_and_the_way_to_write_a_sign_make_no_other_claim() {
        for (a, b) in [
            ("Gulls were struck.", "  gulls WERE struck"),
            ("Night-time strikes", "night time strikes!"),
            ("Gulls - and hawks", "Gulls, and hawks"),
            ("“Gulls” (1990–1995)", "gulls 1990-1995"),
            ("Change is −5", "change is -5"),
            ("Share is 5 %", "share is 5%"),
            ("Cost is $ 5", "Cost is $5."),
            ("Change is ５％。", "change is 5%"),
        ] {
            assert_eq!(normalised(a), normalised(b), "{a} / {b}");
        }
        assert_eq!(normalised(" - "), "");
    }

    #[test]
    fn findings_are_listed_by_theme() {
        let mut known = Vec::new();
        merge(&mut known, [finding("a", &["1"]), finding("b", &["1"])]);
        assert_eq!(by_theme(&known)["birds"].len(), 2);
    }
}
