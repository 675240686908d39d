//! Which queries are asked already, over all rounds of a run.

use std::collections::BTreeSet;

use research_agents_report::text::{content_stems, stems};
use serde::{Deserialize, Serialize};

use crate::assignment::Assignment;

/// Share of common words from which two queries are the same.
pub const SAME_QUERY: f64 = 0.8;

/// The queries that a run asked. Keep it in the state of the run.
///
/// Two queries are the same if the Jaccard index of their stemmed content words is 0.8 or more.
///
/// ```
/// use research_agents_fieldwork::queries::QueryLog;
///
/// let mut asked = QueryLog::default();
/// assert!(asked.admit("maximum size of a page"));
/// assert!(!asked.admit("the maximum page sizes"));
/// assert!(asked.admit("maximum size of a database"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueryLog {
    asked: Vec<BTreeSet<String>>,
}

impl QueryLog {
    /// Adds a query, and returns whether it is new. A query without words is never new.
    pub fn admit(&mut self, query: &str) -> bool {
        let words = words_of(query);
        let is_new = !words.is_empty()
            && self
                .asked
                .iter()
                .all(|asked| jaccard(asked, &words) < SAME_QUERY);
        if is_new {
            self.asked.push(words);
        }
        is_new
    }

    /// Removes the queries that were asked before from assignments, and the assignments that have
    /// none left. What remains counts as asked.
    pub fn admit_all(&mut self, assignments: Vec<Assignment>) -> Vec<Assignment> {
        let mut admitted = Vec::new();
        for mut assignment in assignments {
            let searches = assignment.searches();
            let queries: Vec<String> = searches
                .into_iter()
                .filter(|query| self.admit(query))
                .map(str::to_owned)
                .collect();

            if !queries.is_empty() {
                assignment.queries = queries;
                admitted.push(assignment);
            }
        }
        admitted
    }

    /// Returns the number of queries.
    pub fn len(&self) -> usize {
        self.asked.len()
    }

    /// Returns `true` if no query was asked.
    pub fn is_empty(&self) -> bool {
        self.asked.is_empty()
    }
}

fn words_of(query: &str) -> BTreeSet<String> {
    let content: BTreeSet<String> = content_stems(query).into_iter().collect();
    if content.is_empty() {
        stems(query).into_iter().collect()
    } else {
        content
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "numbers of words are far below 2^52"
)]
fn jaccard(a: &BTreeSet<String>, b: &BTreeSet<String>) -> f64 {
    let common = a.intersection(b).count();
    let all = a.len() + b.len() - common;
    common as f64 / all.max(1) as f64
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_assignment_without_new_queries_is_dropped() {
        let mut asked = QueryLog::default();
        let first = Assignment::new("q1", "How large may a page be?");
        let again = Assignment::new("q2", "again").with_queries(["how large may a page be"]);
        let other =
            Assignment::new("q3", "x").with_queries(["page may be large", "length of a column"]);

        let admitted = asked.admit_all(vec![first, again, other]);
        let ids: Vec<&str> = admitted.iter().map(|one| one.id.as_str()).collect();
        assert_eq!(ids, ["q1", "q3"]);
        assert_eq!(admitted[1].queries, ["length of a column"]);
    }

    #[test]
    fn a_query_of_function_words_is_compared_by_them() {
        let mut asked = QueryLog::default();
        assert!(asked.admit("to be or not to be"));
        assert!(!asked.admit("to be or not to be"));
        assert!(!asked.admit("?!"));
    }

    proptest! {
        #[test]
        fn no_two_admitted_queries_are_alike(
            queries in proptest::collection::vec("[abc]( [abcdefgh]{3}){0,5}", 0..12),
        ) {
            let mut asked = QueryLog::default();
            queries.iter().for_each(|query| { asked.admit(query); });

            for (at, a) in asked.asked.iter().enumerate() {
                for b in &asked.asked[at + 1..] {
                    prop_assert!(jaccard(a, b) < SAME_QUERY);
                }
            }
        }
    }
}
