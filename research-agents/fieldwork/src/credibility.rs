//! How credible sites are, as data.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// How credible sites are, 0 to 1. A host takes the entry of its longest suffix.
///
/// ```
/// use research_agents_fieldwork::credibility::Credibility;
///
/// let built_in = Credibility::built_in();
/// assert_eq!(built_in.of("physics.nist.gov"), 0.85);
/// assert_eq!(built_in.of("parks.gov"), 0.8);
/// assert_eq!(built_in.of("manuals"), 0.5);
///
/// let own: Credibility = r#"{"default": 0.4, "sites": {"manuals": 0.9}}"#.parse()?;
/// assert_eq!(own.of("manuals"), 0.9);
/// # Ok::<(), research_agents_fieldwork::credibility::CredibilityError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Credibility {
    default: f64,
    sites: BTreeMap<String, f64>,
}

/// The reason why a table of credibility cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CredibilityError {
    /// It is not JSON of the form.
    #[error("the table of credibility cannot be read: {0}")]
    Form(#[from] serde_json::Error),
    /// A number is not between 0 and 1.
    #[error("the credibility of `{site}` is {value}, and must be 0 to 1")]
    Range {
        /// The site, or `default`.
        site: String,
        /// The number.
        value: f64,
    },
}

impl Credibility {
    /// Returns the table that the crate ships: 0.5 for every site that it does not know.
    pub fn built_in() -> Self {
        include_str!("../rules/credibility.json")
            .parse()
            .unwrap_or_default()
    }

    /// Returns the credibility of a site: the name of a corpus, or a host.
    pub fn of(&self, site: &str) -> f64 {
        self.known(site).unwrap_or(self.default)
    }

    /// Returns the credibility of a site; `None` if the table does not know it.
    pub fn known(&self, site: &str) -> Option<f64> {
        let site = site.to_lowercase();
        let mut rest = Some(site.as_str());
        while let Some(suffix) = rest {
            if let Some(value) = self.sites.get(suffix) {
                return Some(*value);
            }
            rest = suffix.split_once('.').map(|(_, rest)| rest);
        }
        None
    }
}

impl Default for Credibility {
    /// Returns a table that knows no site: 0.5 for all.
    fn default() -> Self {
        Self {
            default: 0.5,
            sites: BTreeMap::new(),
        }
    }
}

impl std::str::FromStr for Credibility {
    type Err = CredibilityError;

    fn from_str(json: &str) -> Result<Self, CredibilityError> {
        let table: Self = serde_json::from_str(json)?;
        let default = ("default", table.default);
        let sites = table
            .sites
            .iter()
            .map(|(site, value)| (site.as_str(), *value));
        let wrong = sites
            .chain([default])
            .find(|(_, value)| !(0.0..=1.0).contains(value));
        match wrong {
            Some((site, value)) => Err(CredibilityError::Range {
                site: site.to_owned(),
                value,
            }),
            None => Ok(table),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_table_is_valid() {
        let table: Credibility = include_str!("../rules/credibility.json").parse().unwrap();
        assert_eq!(table, Credibility::built_in());
        assert_ne!(table, Credibility::default());
    }

    #[test]
    fn a_number_out_of_range_is_refused() {
        let error =
            r#"{"default": 0.5, "sites": {"a.org": 1.5}}"#.parse::<Credibility>().unwrap_err();
        assert_eq!(
            error.to_string(),
            "the credibility of `a.org` is 1.5, and must be 0 to 1"
        );
    }

    #[test]
    fn a_suffix_ends_at_a_point() {
        assert_eq!(Credibility::built_in().known("notnist.gov.example"), None);
        assert_eq!(Credibility::built_in().known("mynist.org"), None);
    }
}
