//! The use of an argument, by its name.

/// The use of an argument's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    /// A host, or a URL that may lack its scheme.
    Host,
    /// A host if it looks like one: a `server` may be a kind of program, and an `address` may be
    /// that of a house.
    PerhapsHost,
    /// A path.
    Path,
    /// Prose, such as a search query.
    Text,
    /// Unknown from the name.
    Any,
}

const HOSTS: &[&str] = &[
    "host", "hostname", "url", "uri", "href", "endpoint", "webhook", "callback", "link", "proxy",
    "netloc",
];
const PERHAPS_HOSTS: &[&str] = &[
    "server", "domain", "address", "ip", "site", "website", "origin", "registry", "mirror",
    "remote", "upstream", "gateway", "broker", "peer",
];
const PATHS: &[&str] = &[
    "path",
    "pathname",
    "file",
    "filename",
    "filepath",
    "dir",
    "dirname",
    "directory",
    "directories",
    "folder",
];
/// Names that mean a path only as a whole: a `square_root` is not a path.
const PATHS_ALONE: &[&str] = &["root", "cwd"];
const TEXTS: &[&str] = &[
    "q",
    "query",
    "question",
    "search",
    "text",
    "keyword",
    "keywords",
    "note",
    "prompt",
    "description",
    "comment",
    "title",
    "message",
];
/// Prefixes of such a word in names that are written as one word: a `logfile` is a file, but a
/// `profile` is not.
const PREFIXES: &str = "\
    abs absolute api audio base callback cert conf config data db dest destination download dst \
    feed file full home image img in input key load local log media my next out output page \
    redirect rel relative remote return root save server site source src sub target temp the tmp \
    upload video web work working";

impl Use {
    /// Returns the use of an argument with this name, in any notation: `baseUrl`, `base_url`,
    /// `baseurl`, `BASE-URLS`.
    pub(crate) fn from_name(name: &str) -> Self {
        let words = words(name);
        let Some(last) = words.last() else {
            return Self::Any;
        };
        let plain = words.concat();
        let is = |known: &[&str]| {
            known
                .iter()
                .any(|known| is_or_ends_in(last, known) || is_or_ends_in(&plain, known))
        };

        if is(HOSTS) {
            Self::Host
        } else if is(PATHS) || PATHS_ALONE.contains(&plain.as_str()) {
            Self::Path
        } else if is(PERHAPS_HOSTS) {
            Self::PerhapsHost
        } else if TEXTS.contains(&last.as_str()) {
            Self::Text
        } else {
            Self::Any
        }
    }
}

/// Returns `true` if a word is the known one, possibly in the plural or with one of the prefixes.
fn is_or_ends_in(word: &str, known: &str) -> bool {
    let singulars = [Some(word), word.strip_suffix('s'), word.strip_suffix("es")];
    let mut before = singulars
        .into_iter()
        .flatten()
        .filter_map(|word| word.strip_suffix(known));
    before.any(|before| before.is_empty() || PREFIXES.split(' ').any(|word| word == before))
}

/// Splits a name into words in lower case, without a number at its end.
fn words(name: &str) -> Vec<String> {
    let name = name.trim_end_matches(|c: char| !c.is_alphabetic());
    let letters: Vec<char> = name.chars().collect();
    let mut words = vec![String::new()];

    for (at, c) in letters.iter().enumerate() {
        let before = at.checked_sub(1).map(|at| letters[at]);
        let after = letters.get(at + 1);
        let begins = c.is_uppercase()
            && (before.is_some_and(char::is_lowercase)
                || (before.is_some_and(char::is_uppercase)
                    && after.is_some_and(|after| after.is_lowercase())));
        if begins || !c.is_alphanumeric() {
            words.push(String::new());
        }
        if c.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(c.to_lowercase());
        }
    }

    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_word_of_a_name_decides_in_every_notation() {
        let cases: [(Use, &[&str]); 5] = [
            (
                Use::Host,
                &[
                    "url",
                    "URL",
                    "baseUrl",
                    "api_url",
                    "BASE-URLS",
                    "apiURLs",
                    "Url 2",
                    "webhookURI",
                    "proxy",
                ],
            ),
            (
                Use::Path,
                &[
                    "path",
                    "source_path",
                    "inputFile",
                    "logfile",
                    "file",
                    "Folders",
                    "data-dir",
                    "directories",
                    "cwd",
                ],
            ),
            (
                Use::PerhapsHost,
                &["server", "domain", "ip_address", "domains"],
            ),
            (Use::Text, &["q", "search_text", "query"]),
            (
                Use::Any,
                &[
                    "profile",
                    "file_type",
                    "path_length",
                    "ghost",
                    "missouri",
                    "square_root",
                    "curl",
                    "host_count",
                    "",
                    "7",
                    "nadir",
                    "osteopath",
                ],
            ),
        ];

        for (what, names) in cases {
            for name in names {
                assert_eq!(Use::from_name(name), what, "{name}");
            }
        }
    }
}
