//! Tells code from comments and strings, by the marks of a language and without a syntax tree.

use crate::tree::RelPath;

/// The marks of comments and strings of a language.
struct Marks {
    line: &'static [&'static str],
    block: Option<(&'static str, &'static str)>,
    quotes: &'static [u8],
    has_triple: bool,
    /// Whether strings may have code in braces.
    has_inserts: bool,
    /// Whether there are the templates and regular expressions of JavaScript.
    is_script: bool,
}

const C_LIKE: Marks = Marks {
    line: &["//"],
    block: Some(("/*", "*/")),
    quotes: b"\"",
    has_triple: false,
    has_inserts: false,
    is_script: false,
};

/// Returns the marks of a file by its extension. `None` for files whose lines are all text.
fn marks(extension: &str) -> Option<Marks> {
    Some(match extension {
        "rs" | "c" | "h" | "cc" | "cpp" | "cxx" | "hh" | "hpp" | "hxx" | "ipp" | "java" => C_LIKE,
        "cs" => Marks {
            has_inserts: true,
            ..C_LIKE
        },
        "go" => Marks {
            quotes: b"\"`",
            ..C_LIKE
        },
        "js" | "mjs" | "cjs" | "jsx" | "ts" | "mts" | "cts" | "tsx" => Marks {
            quotes: b"\"'`",
            is_script: true,
            ..C_LIKE
        },
        "php" | "phtml" => Marks {
            line: &["//", "#"],
            quotes: b"\"'",
            has_inserts: true,
            ..C_LIKE
        },

        "py" | "pyi" => Marks {
            line: &["#"],
            block: None,
            quotes: b"\"'",
            has_triple: true,
            has_inserts: true,
            is_script: false,
        },
        "rb" | "rake" | "gemspec" => Marks {
            line: &["#"],
            block: None,
            quotes: b"\"'",
            has_triple: false,
            has_inserts: true,
            is_script: false,
        },
        _ => return None,
    })
}

/// Returns the text of a file with comments and strings replaced by spaces, byte by byte, so that
/// places stay the same. What is in braces within a string may be code, and stays.
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
        } else if marks.quotes.contains(byte) && !is_message(bytes, at) {
            at + string(rest, *byte, &marks)
        } else if let Some(length) = expression(bytes, at).filter(|_| marks.is_script) {
            at + length
        } else {
            at += 1;
            continue;
        };

        let end = end.max(at + 1).min(bytes.len());
        let is_template = marks.is_script && *byte == b'`';
        let has_inserts = marks.has_inserts && marks.quotes.contains(byte) || is_template;
        let mut braces = 0_usize;
        for place in code.get_mut(at..end).into_iter().flatten() {
            braces += usize::from(has_inserts && *place == b'{');
            let is_inserted = braces > 0;
            if *place == b'}' {
                braces = braces.saturating_sub(1);
            }
            if *place != b'\n' && !is_inserted {
                *place = b' ';
            }
        }
        at = end;
    }
    code
}

/// Returns whether a byte is in a message of the preprocessor of C, where quotes open nothing.
fn is_message(bytes: &[u8], at: usize) -> bool {
    let before = bytes.get(..at).unwrap_or_default();
    let line = before.rsplit(|byte| *byte == b'\n').next();
    let directive = line.and_then(|line| line.trim_ascii_start().strip_prefix(b"#"));
    directive.is_some_and(|directive| {
        let directive = directive.trim_ascii_start();
        directive.starts_with(b"error") || directive.starts_with(b"warning")
    })
}

/// Returns the length of a string that begins with a quote. One without an end ends with its line.
fn string(rest: &[u8], quote: u8, marks: &Marks) -> usize {
    let triple = [quote; 3];
    if marks.has_triple && rest.starts_with(&triple) {
        return find(rest, &triple, 3);
    }
    let has_lines = quote == b'`';
    let is_raw = has_lines && !marks.is_script;
    let mut at = 1;
    while let Some(byte) = rest.get(at) {
        match byte {
            b'\\' if !is_raw => at += 1,
            b'\n' if !has_lines => return at,
            byte if *byte == quote => return at + 1,
            _ => {}
        }
        at += 1;
    }
    rest.len()
}

/// Returns the length of a regular expression of JavaScript. `None` for a division.
fn expression(bytes: &[u8], at: usize) -> Option<usize> {
    let rest = bytes.get(at..)?.strip_prefix(b"/")?;
    let before = bytes.get(..at)?.trim_ascii_end();
    let is_after_value = before.last().is_some_and(|byte| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b')' | b']' | b'}')
    });
    if is_after_value && !before.ends_with(b"return") {
        return None;
    }

    let mut is_in_class = false;
    let mut is_escaped = false;
    for (length, byte) in rest.iter().enumerate() {
        match byte {
            b'\n' => return None,
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'[' => is_in_class = true,
            b']' => is_in_class = false,
            b'/' if !is_in_class => return Some(length + 2),
            _ => {}
        }
    }
    None
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
        assert_eq!(code("a.py", "f\"run {run()}\""), "f     {run()} ");
        assert_eq!(
            code("a.js", "f(/['\"]/, `it's ${run()}`); run(a / b)"),
            "f(      ,        {run()} ); run(a / b)"
        );
        assert_eq!(code("a.md", "run \"it\""), "run \"it\"");
    }
}
