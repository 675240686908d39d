//! The searcher: search, fetch and extract.

mod places;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use research_agents_report::passage::{Document, Found, Origin, OriginKind};
use research_agents_report::text::content_stems;
use research_agents_runtime::job::Job;
use research_agents_sources::search::{CallError, Fetched, Hit, Query, SearchProvider, SourceKind};
use serde::{Deserialize, Serialize};

use crate::assignment::Assignment;
use crate::credibility::Credibility;
use crate::findings::{Cause, FieldFailure, FieldFindings, FieldPassage, Step};
use places::places_of;

/// Hits of a query in a local source.
const LOCAL_HITS: usize = 24;
/// Number of words of a long question of which a passage must hold a share.
const WORDS: usize = 12;

/// How much a searcher takes of each answer. Bundles keep it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct SearcherLimits {
    /// Maximum number of hits of a query in a local source, where a hit is a passage and not a
    /// page. Defaults to 24.
    pub local: usize,
    /// Maximum number of hits of a query in the web. Defaults to 2.
    pub web: usize,
    /// Maximum number of passages of a document whose hit names no place. Defaults to 3.
    pub passages: usize,
    /// Minimum share of the content words that the question has and a passage must hold, 0 to 1. Of
    /// a long question, the share is of twelve words. Defaults to 0.1.
    pub least_share: f64,
}

impl Default for SearcherLimits {
    fn default() -> Self {
        Self {
            local: LOCAL_HITS,
            web: SourceKind::Web.default_hits(),
            passages: 3,
            least_share: 0.1,
        }
    }
}

impl SearcherLimits {
    /// Sets the maximum number of hits of a query, in local sources and in the web.
    #[must_use]
    pub fn hits(mut self, local: usize, web: usize) -> Self {
        (self.local, self.web) = (local, web);
        self
    }

    /// Sets the minimum share of the content words that the question has.
    #[must_use]
    pub fn least_share(mut self, share: f64) -> Self {
        self.least_share = share.clamp(0.0, 1.0);
        self
    }

    fn of(&self, kind: SourceKind) -> usize {
        match kind {
            SourceKind::Web => self.web,
            _ => self.local,
        }
    }
}

/// Turns assignments into passages. Clones are cheap and share the sources.
#[derive(Clone)]
pub struct Searcher {
    sources: Arc<[Arc<dyn SearchProvider>]>,
    limits: SearcherLimits,
    credibility: Arc<Credibility>,
}

impl std::fmt::Debug for Searcher {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Searcher")
            .field("sources", &self.sources().collect::<Vec<_>>())
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

impl Searcher {
    /// Creates a searcher of sources, with the default limits and the built-in table of
    /// credibility.
    pub fn new(sources: impl IntoIterator<Item = Arc<dyn SearchProvider>>) -> Self {
        Self {
            sources: sources.into_iter().collect(),
            limits: SearcherLimits::default(),
            credibility: Arc::new(Credibility::built_in()),
        }
    }

    /// Sets the limits.
    #[must_use]
    pub fn limits(mut self, limits: SearcherLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets how credible sites are.
    #[must_use]
    pub fn credibility(mut self, credibility: Credibility) -> Self {
        self.credibility = Arc::new(credibility);
        self
    }

    /// Returns the names of the sources.
    pub fn sources(&self) -> impl Iterator<Item = &str> {
        self.sources.iter().map(|source| source.name())
    }

    /// Works on an assignment: every query in every source, then every document that was found,
    /// then the passages that hold words of the question.
    ///
    /// A call that fails is an entry of the findings and a warning of the run. When the run must
    /// stop, what is there so far is returned.
    pub async fn work(&self, job: &Job, assignment: &Assignment) -> FieldFindings {
        let mut work = Work {
            searcher: self,
            job,
            assignment,
            asked: content_stems(&assignment.question).into_iter().collect(),
            findings: FieldFindings {
                assignment: assignment.id.clone(),
                ..FieldFindings::default()
            },
            fetched: HashMap::new(),
            places: HashSet::new(),
        };

        for query in assignment.searches() {
            let sources = self.sources.iter();
            for source in sources.filter(|source| assignment.includes(source.name())) {
                if job.is_stopped() {
                    work.findings.is_cut = true;
                    return work.findings;
                }
                work.search(&**source, query).await;
            }
        }
        work.findings
    }
}

/// One assignment in work.
struct Work<'a> {
    searcher: &'a Searcher,
    job: &'a Job,
    assignment: &'a Assignment,
    /// Stems of the content words of the question.
    asked: BTreeSet<String>,
    findings: FieldFindings,
    /// Documents by source and id of the hit; `None` if the fetch failed.
    fetched: HashMap<(String, String), Option<Fetched>>,
    /// Site, address and start of each passage.
    places: HashSet<(String, String, usize)>,
}

impl Work<'_> {
    async fn search(&mut self, source: &dyn SearchProvider, text: &str) {
        let limit = self.searcher.limits.of(source.kind());
        let query = Query::new(text).limit(limit);
        let found = match source.search(self.job, &query).await {
            Ok(found) => found,
            Err(error) => return self.failed(source.name(), Step::Search, text, error),
        };
        self.findings.searches += 1;
        self.findings.hits += found.hits.len();
        self.findings.beyond += found.beyond;

        for hit in &found.hits {
            if self.job.is_stopped() {
                self.findings.is_cut = true;
                break;
            }
            self.fetch(source, hit).await;
        }
        self.take(source, text, &found.hits);
    }

    /// Fetches the document of a hit, once for the assignment.
    async fn fetch(&mut self, source: &dyn SearchProvider, hit: &Hit) {
        let key = key_of(source, hit);
        if self.fetched.contains_key(&key) {
            return;
        }
        let fetched = match source.fetch(self.job, hit).await {
            Ok(fetched) => Some(fetched),
            Err(error) => {
                self.failed(source.name(), Step::Fetch, &hit.id, error);
                None
            }
        };
        self.fetched.insert(key, fetched);
    }

    /// Takes passages of the documents that were fetched for a query.
    fn take(&mut self, source: &dyn SearchProvider, query: &str, hits: &[Hit]) {
        let fetched = |hit: &Hit| self.fetched.get(&key_of(source, hit))?.as_ref();
        let found: Vec<(&Hit, &Fetched)> = hits
            .iter()
            .filter_map(|hit| Some((hit, fetched(hit)?)))
            .collect();
        let read: Vec<_> = found
            .iter()
            .map(|(hit, fetched)| (*hit, &fetched.document))
            .collect();
        let question = format!("{} {query}", self.assignment.question);
        let places = places_of(&read, &question, self.searcher.limits.passages);

        for ((hit, fetched), places) in found.into_iter().zip(places) {
            let document = document_of(source.kind(), fetched, hit);
            for place in places {
                let key = (
                    document.origin.site.clone(),
                    document.origin.address.clone(),
                    place.span.start,
                );
                let share = self.share(&document, &place.section, &place.span);
                if share < self.searcher.limits.least_share || !self.places.insert(key) {
                    continue;
                }

                let mut found = Found::by(source.name()).with_section(place.section);
                found.score = place.score;
                self.findings.passages.push(FieldPassage {
                    source: source.name().to_owned(),
                    query: query.to_owned(),
                    credibility: self.searcher.credibility.of(&document.origin.site),
                    document: document.clone(),
                    span: place.span.into(),
                    found,
                    share,
                });
            }
        }
    }

    /// Returns the share of the content words that the question has that a passage holds.
    #[expect(
        clippy::cast_precision_loss,
        reason = "numbers of words are far below 2^52"
    )]
    fn share(&self, document: &Document, section: &[String], span: &Range<usize>) -> f64 {
        if self.asked.is_empty() {
            return 1.0;
        }
        let text = document.text.for_code();
        let held = format!(
            "{} {} {}",
            document.title.for_code(),
            section.join(" "),
            text.get(span.clone()).unwrap_or_default()
        );
        let held: BTreeSet<String> = content_stems(&held).into_iter().collect();
        let share =
            self.asked.intersection(&held).count() as f64 / self.asked.len().min(WORDS) as f64;
        share.min(1.0)
    }

    fn failed(&mut self, source: &str, step: Step, what: &str, error: CallError) {
        let cause = match error {
            CallError::Source(error) => Cause::Source { error },
            CallError::Run(error) => {
                self.findings.is_cut |= self.job.is_stopped();
                Cause::Run {
                    problem: error.to_string(),
                }
            }
            error => Cause::Run {
                problem: error.to_string(),
            },
        };

        self.findings.failures.push(FieldFailure {
            source_name: source.to_owned(),
            step,
            what: what.to_owned(),
            cause,
        });
    }
}

/// Returns what a fetched document is known by.
fn key_of(source: &dyn SearchProvider, hit: &Hit) -> (String, String) {
    (source.name().to_owned(), hit.id.clone())
}

/// Returns a fetched document with its origin. One without a title has that of its hit.
pub(crate) fn document_of(kind: SourceKind, fetched: &Fetched, hit: &Hit) -> Document {
    let url = fetched.url.as_ref().or(hit.url.as_ref());
    let document = fetched.document.to_evidence(Origin {
        kind: match kind {
            SourceKind::Web => OriginKind::Page,
            _ => OriginKind::File,
        },
        address: url.unwrap_or(&fetched.id).clone(),
        site: fetched.site.clone(),
        date: None,
        version: None,
    });
    let has_title = !document.title.for_code().trim().is_empty();
    if has_title {
        document
    } else {
        document.with_title(hit.title.for_code().clone())
    }
}

#[cfg(test)]
mod tests;
