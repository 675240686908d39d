//! Tells code from comments and strings, by the marks of a language and without a syntax tree.

use crate::tree::RelPath;

/// The marks of comments and strings of a language.
struct Marks {
    line: &'static [&'static str],
    block: Option<(&'static str, &'static str)>,
    quotes: &'static [u8],
    has_triple: bool,
}

const C_LIKE: Marks = Marks {
    line: &["//"],
    block: Some(("/*", "*/")),
    quotes: b"\"",
    has_triple: false,
};

/// Returns the marks of a file by its extension. `None` for files whose lines are all text.
fn marks(extension: &str) -> Option<Marks> {
    Some(match extension {
        "rs" | "c" | "h" | "cc" | "cpp" | "cxx" | "hh" | "hpp" | "hxx" | "ipp" | "java" | "cs" => {
            C_LIKE
        }
        "go" => Marks {
            quotes: b"\"`",
            ..C_LIKE
        },
        "js" | "mjs" | "cjs" | "jsx" | "ts" | "mts" | "cts" | "tsx" => Marks {
            quotes: b"\"'",
            ..C_LIKE
        },
        "php" | "phtml" => Marks {
            line: &["//", "#"],
            quotes: b"\"'",
            ..C_LIKE
        },

        "py" | "pyi" => Marks {
            line: &["#"],
            block: None,
            quotes: b"\"'",
            has_triple: true,
        },
        "rb" | "rake" | "gemspec" => Marks {
            line: &["#"],
            block: None,
            quotes: b"\"'",
            has_triple: false,
        },
        _ => return None,
    })
}

/// Returns the text of a file with comments and strings replaced by spaces, byte by byte, so that
/// places stay the same. What is inserted into a string is replaced too.
pub(crate) fn code_only(path: &RelPath, bytes: &[u8]) -> Vec<u8> {
    let mut code = bytes.to_vec();
    let Some(marks) = marks(&path.extension()) else {
        return code;
    };
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let rest = bytes.get(at..).unwrap_or_default();
        let end = if marks
            .line
            .iter()
            .any(|mark| rest.starts_with(mark.as_bytes()))
        {
            at + rest
                .iter()
                .position(|byte| *byte == b'\n')
                .unwrap_or(rest.len())
        } else if let Some((_, close)) = marks
            .block
            .filter(|(open, _)| rest.starts_with(open.as_bytes()))
        {
            at + find(rest, close.as_bytes(), 2)
        } else if marks.quotes.contains(byte) {
            at + string(rest, *byte, marks.has_triple)
        } else {
            at += 1;
            continue;
        };

        let end = end.max(at + 1).min(bytes.len());
        for place in code.get_mut(at..end).into_iter().flatten() {
            if *place != b'\n' {
                *place = b' ';
            }
        }
        at = end;
    }
    code
}

/// Returns the length of a string that begins with a quote. One without an end ends with its line.
fn string(rest: &[u8], quote: u8, has_triple: bool) -> usize {
    let triple = [quote; 3];
    if has_triple && rest.starts_with(&triple) {
        return find(rest, &triple, 3);
    }
    let is_raw = quote == b'`';
    let mut at = 1;
    while let Some(byte) = rest.get(at) {
        match byte {
            b'\\' if !is_raw => at += 1,
            b'\n' if !is_raw => return at,
            byte if *byte == quote => return at + 1,
            _ => {}
        }
        at += 1;
    }
    rest.len()
}

/// Returns the end of a mark that is searched for from a byte on.
fn find(rest: &[u8], mark: &[u8], from: usize) -> usize {
    let after = rest.get(from..).unwrap_or_default();
    after
        .windows(mark.len())
        .position(|window| window == mark)
        .map_or(rest.len(), |at| from + at + mark.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_strings_are_not_code() {
        let code = |name: &str, text: &str| {
            let path = RelPath::parse(name).unwrap();
            String::from_utf8(code_only(&path, text.as_bytes())).unwrap()
        };
        assert_eq!(
            code("a.rs", "run(); // run\nf(\"run\")"),
            "run();       \nf(     )"
        );
        assert_eq!(
            code("a.py", "x = '''run\nrun'''\nrun()"),
            "x =       \n      \nrun()"
        );
        assert_eq!(
            code("a.c", "/* run\n*/ run(); \"\\\"run\""),
            "      \n   run();        ".to_owned()
        );
        assert_eq!(code("a.md", "run \"it\""), "run \"it\"");
    }
}
