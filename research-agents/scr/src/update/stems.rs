//! The content words of the statements of a memo.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use research_agents_report::conflict::{Comparable, ConflictKind};
use research_agents_report::language::Language;
use research_agents_report::text::content_stems;

use crate::memo::{Scr, Statement};

/// Number of content words that two statements must have in common to be compared; one is enough
/// for a statement with few.
const COMMON: usize = 2;
/// Number of content words that are few.
const FEW: usize = 3;

/// The content words of the statements of a memo, so that a sentence is compared only with those
/// that have words in common with it.
#[derive(Debug, Default)]
pub(crate) struct Stems {
    /// By stem, the ids of the statements.
    by_stem: HashMap<String, Vec<String>>,
    /// By id, the number of stems.
    counts: HashMap<String, usize>,
    /// By text, the sentences that were compared.
    compared: HashMap<String, Comparable>,
}

impl Stems {
    /// Returns the stems of the sections before the resolution.
    pub(crate) fn of(memo: &Scr) -> Self {
        let mut stems = Self::default();
        memo.compared().for_each(|statement| stems.add(statement));
        stems
    }

    pub(crate) fn add(&mut self, statement: &Statement) {
        let own: BTreeSet<String> = content_stems(statement.text.for_code())
            .into_iter()
            .collect();
        self.counts.insert(statement.id.clone(), own.len());
        for stem in own {
            let ids = self.by_stem.entry(stem).or_default();
            ids.push(statement.id.clone());
        }
    }

    /// Returns whether two sentences are in conflict, and about what. Each is taken apart once.
    pub(crate) fn conflict(&mut self, one: &str, other: &str) -> Option<ConflictKind> {
        for text in [one, other] {
            if !self.compared.contains_key(text) {
                let comparable = Comparable::new(text, Language::ENGLISH);
                self.compared.insert(text.to_owned(), comparable);
            }
        }
        let (one, other) = (self.compared.get(one)?, self.compared.get(other)?);
        one.conflict_with(other)
    }

    /// Returns the ids of the statements that a sentence is to be compared with.
    pub(crate) fn near(&self, sentence: &str) -> BTreeSet<String> {
        let own: BTreeSet<String> = content_stems(sentence).into_iter().collect();
        let mut common: BTreeMap<&String, usize> = BTreeMap::new();
        for id in own
            .iter()
            .filter_map(|stem| self.by_stem.get(stem))
            .flatten()
        {
            *common.entry(id).or_default() += 1;
        }

        let is_near = |id: &String, common: usize| {
            let count = self.counts.get(id).copied().unwrap_or_default();
            common >= COMMON || own.len().min(count) <= FEW
        };
        common
            .into_iter()
            .filter(|(id, common)| is_near(id, *common))
            .map(|(id, _)| id.clone())
            .collect()
    }
}
