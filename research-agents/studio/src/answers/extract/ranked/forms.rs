//! How names of a kind are written: a file has slashes, an environment variable capitals.

use crate::answers::extract::lexicon::{identifiers, is_compound};

/// Longest ending of a file, in characters without the dot.
const LONGEST_ENDING: usize = 5;
/// Letters of the shortest variable.
const SHORTEST_VARIABLE: usize = 3;

/// A kind of names that questions ask for.
pub(super) struct Form {
    /// The list of phrases that ask for it.
    pub cue: &'static str,
    /// Whether a part between spaces, with what follows it, is written so.
    is_it: fn(&str, &str) -> bool,
    /// Names of the features of a sentence that has one, and of one that has none.
    pub names: [&'static str; 2],
}

pub(super) const FORMS: [Form; 7] = [
    Form {
        cue: "asks option",
        is_it: |part, after| is_option(part) || after.starts_with('='),
        names: [
            "an option is asked for and there",
            "an option is asked for and missing",
        ],
    },
    Form {
        cue: "asks variable",
        is_it: |part, _| is_variable(part),
        names: [
            "a variable is asked for and there",
            "a variable is asked for and missing",
        ],
    },
    Form {
        cue: "asks file",
        is_it: |part, _| is_file(part),
        names: [
            "a file is asked for and there",
            "a file is asked for and missing",
        ],
    },
    Form {
        cue: "asks error",
        is_it: |part, _| is_error(part),
        names: [
            "an error is asked for and there",
            "an error is asked for and missing",
        ],
    },
    Form {
        cue: "asks call",
        is_it: |part, after| after.starts_with('(') || is_compound(part) && !part.starts_with('-'),
        names: [
            "a call is asked for and there",
            "a call is asked for and missing",
        ],
    },
    Form {
        cue: "asks code",
        is_it: |part, _| is_code(part),
        names: [
            "a code is asked for and there",
            "a code is asked for and missing",
        ],
    },
    Form {
        cue: "asks address",
        is_it: |part, _| part.contains('@') || part.contains("://"),
        names: [
            "an address is asked for and there",
            "an address is asked for and missing",
        ],
    },
];

impl Form {
    /// Returns whether a string has a name of this form.
    pub(super) fn is_in(&self, text: &str) -> bool {
        let after = |part: &str| {
            let end = part.as_ptr() as usize - text.as_ptr() as usize + part.len();
            &text[end..]
        };
        identifiers(text).any(|part| (self.is_it)(part, after(part)))
    }
}

fn is_option(part: &str) -> bool {
    let is_flag = part
        .strip_prefix('-')
        .is_some_and(|name| name.starts_with(|c: char| c.is_alphabetic() || c == '-'));
    is_flag && part.chars().any(char::is_alphabetic) || is_compound(part)
}

fn is_variable(part: &str) -> bool {
    let letters = part.chars().filter(char::is_ascii_uppercase).count();
    let is_mark = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_' || c == '$';
    letters >= SHORTEST_VARIABLE && part.chars().all(is_mark)
}

fn is_file(part: &str) -> bool {
    let has_folder = part.contains('/') && !part.contains("://");
    let ending = part.rsplit_once('.').filter(|(name, _)| !name.is_empty());
    let has_ending = ending.is_some_and(|(_, ending)| {
        let is_plain = ending.chars().all(char::is_alphanumeric);
        is_plain
            && ending.len() <= LONGEST_ENDING
            && ending.starts_with(|c: char| c.is_ascii_lowercase())
    });
    let has_letters = part.chars().filter(|c| c.is_alphabetic()).count() > 2;
    (has_folder || has_ending) && has_letters
}

fn is_error(part: &str) -> bool {
    let is_named = ["Error", "Exception", "Warning"]
        .iter()
        .any(|ending| part.ends_with(ending) && part.len() > ending.len());
    let is_constant = part.len() > SHORTEST_VARIABLE
        && part.starts_with('E')
        && part.chars().all(|c| c.is_ascii_uppercase());
    is_named || is_constant
}

/// Returns whether a part is a status or exit code: a number of up to three digits.
fn is_code(part: &str) -> bool {
    !part.is_empty() && part.len() <= 3 && part.chars().all(|c| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn forms(text: &str) -> Vec<&'static str> {
        let found = FORMS.iter().filter(|form| form.is_in(text));
        found.map(|form| form.cue).collect()
    }

    #[test]
    fn names_are_told_by_how_they_are_written() {
        assert_eq!(forms("Pass --quiet or -q."), ["asks option"]);
        assert_eq!(forms("Persistent= takes a boolean."), ["asks option"]);
        assert_eq!(forms("It reads TMPDIR first."), ["asks variable"]);
        assert_eq!(forms("It is in /var/lib/seed."), ["asks file"]);
        assert_eq!(forms("It ends with 203 then."), ["asks code"]);
        assert!(forms("Write to team@example.org.").contains(&"asks address"));
        assert!(forms("See https://example.org/a").contains(&"asks address"));
        assert!(forms("It raises a ValueError.").contains(&"asks error"));
        assert!(forms("Call close() at the end.").contains(&"asks call"));
        assert!(forms("The pump is worn, and so on.").is_empty());
    }
}
