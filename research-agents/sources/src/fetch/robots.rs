//! Robots files: what sites let programs read (RFC 9309).

use std::collections::HashMap;
use std::panic::catch_unwind;
use std::sync::{Arc, Mutex, PoisonError};

use robotstxt::DefaultMatcher;
use url::Url;

/// Maximum size of a robots file that is read, in bytes, as RFC 9309 asks for at least.
pub(crate) const MOST: usize = 500 << 10;
/// Maximum number of sites whose files are remembered.
const MOST_SITES: usize = 1_000;

/// What a site says.
#[derive(Clone, Debug)]
pub(crate) enum Rules {
    /// Everything may be read.
    Everything,
    /// The rules of a file.
    File(Arc<str>),
    /// The file cannot be read, so that nothing is.
    Unread(String),
}

/// The robots files that were read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Robots(Arc<Mutex<HashMap<String, Rules>>>);

impl Robots {
    /// Returns what is known about the site of an address.
    pub(crate) fn known(&self, url: &Url) -> Option<Rules> {
        let sites = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        sites.get(&site(url)).cloned()
    }

    /// Remembers what a site says.
    pub(crate) fn remember(&self, url: &Url, rules: Rules) {
        let mut sites = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if sites.len() >= MOST_SITES {
            sites.clear();
        }
        sites.insert(site(url), rules);
    }
}

impl Rules {
    /// Returns the rules of a file by its status and content.
    pub(crate) fn from_file(status: u16, body: &[u8]) -> Self {
        match status {
            200..300 => {
                let body = &body[..body.len().min(MOST)];
                Self::File(String::from_utf8_lossy(body).into())
            }
            // A site without the file, or that does not show it, forbids nothing.
            300..500 if status != 429 => Self::Everything,
            _ => Self::Unread(format!("status {status}")),
        }
    }

    /// Returns whether a program may read an address.
    pub(crate) fn allow(&self, agent: &str, url: &Url) -> bool {
        match self {
            Self::Everything => true,
            Self::Unread(_) => false,
            Self::File(file) => {
                let (file, agent, url) = (Arc::clone(file), agent.to_owned(), url.to_string());
                // A file that the parser fails at forbids everything.
                let allowed = catch_unwind(move || {
                    DefaultMatcher::default().one_agent_allowed_by_robots(&file, &agent, &url)
                });
                allowed.unwrap_or(false)
            }
        }
    }
}

/// Returns the address of the robots file of a site.
pub(crate) fn file_of(url: &Url) -> Option<String> {
    url.join("/robots.txt").ok().map(String::from)
}

fn site(url: &Url) -> String {
    url.origin().ascii_serialization()
}
