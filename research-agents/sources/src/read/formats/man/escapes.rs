//! Escapes of roff, and the arguments of its requests.

/// Names of special characters, and what they are.
const SPECIAL: &[(&str, &str)] = &[
    ("em", "—"),
    ("en", "–"),
    ("hy", "-"),
    ("bu", "•"),
    ("co", "©"),
    ("rg", "®"),
    ("tm", "™"),
    ("lq", "“"),
    ("rq", "”"),
    ("oq", "‘"),
    ("cq", "’"),
    ("aq", "'"),
    ("dq", "\""),
    ("ga", "`"),
    ("ha", "^"),
    ("ti", "~"),
    ("rs", "\\"),
    ("sl", "/"),
    ("bv", "|"),
    ("lB", "["),
    ("rB", "]"),
    ("lC", "{"),
    ("rC", "}"),
    ("la", "⟨"),
    ("ra", "⟩"),
    ("->", "→"),
    ("<-", "←"),
    ("mu", "×"),
    ("+-", "±"),
    (">=", "≥"),
    ("<=", "≤"),
    ("!=", "≠"),
    ("==", "≡"),
    ("de", "°"),
    ("sc", "§"),
    ("ss", "ß"),
    (":a", "ä"),
    (":o", "ö"),
    (":u", "ü"),
    (":A", "Ä"),
    (":O", "Ö"),
    (":U", "Ü"),
    ("'e", "é"),
    ("`e", "è"),
    ("^e", "ê"),
    ("'a", "á"),
    ("`a", "à"),
    (",c", "ç"),
    ("~n", "ñ"),
    ("'o", "ó"),
    ("'i", "í"),
    ("'u", "ú"),
    ("/o", "ø"),
    ("oa", "å"),
    ("12", "½"),
    ("14", "¼"),
    ("Po", "£"),
    ("Eu", "€"),
    ("eu", "€"),
    ("ct", "¢"),
    ("Ye", "¥"),
    ("dg", "†"),
    ("dd", "‡"),
    ("sq", "□"),
    ("rh", "☞"),
    ("Fo", "«"),
    ("Fc", "»"),
    ("pl", "+"),
    ("mi", "−"),
    ("eq", "="),
    ("at", "@"),
    ("sh", "#"),
    ("Do", "$"),
    ("or", "|"),
    ("tf", "∴"),
    ("if", "∞"),
    ("*m", "μ"),
    ("OE", "Œ"),
    ("oe", "œ"),
    ("AE", "Æ"),
    ("ae", "æ"),
    ("mc", "µ"),
    ("no", "¬"),
    ("di", "÷"),
];

/// Returns a line without escapes.
pub(crate) fn unescaped(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        let (taken, is_end) = escape(&rest[at + 1..], &mut out);
        if is_end {
            return out;
        }
        rest = &rest[at + 1 + taken..];
    }
    out.push_str(rest);
    out
}

/// Writes what the escape after a backslash means. Returns its length, and whether a comment
/// begins.
fn escape(text: &str, out: &mut String) -> (usize, bool) {
    let Some(first) = text.chars().next() else {
        return (0, false);
    };
    let after = &text[first.len_utf8()..];
    let mut length = first.len_utf8();
    match first {
        '"' | '#' => return (0, true),
        '-' => out.push('-'),
        'e' | '\\' | 'E' => out.push('\\'),
        '\'' => out.push('\''),
        '`' => out.push('`'),
        ' ' | '~' | '0' => out.push(' '),
        't' => out.push('\t'),

        '(' => {
            let name: String = after.chars().take(2).collect();
            out.push_str(special(&name));
            length += name.len();
        }
        '[' => {
            let end = after.find(']').unwrap_or(after.len());
            push_named(&after[..end], out);
            length += (end + 1).min(after.len());
        }

        // Fonts, sizes, colours, strings and registers.
        'f' | 'm' | 'M' | 'F' | 'n' | 'k' | 'g' | 'V' | 'Y' => length += name_length(after),
        '*' => length += string(after, out),
        's' => {
            let sign = usize::from(after.starts_with(['+', '-']));
            length += sign + name_length(&after[sign..]);
        }
        'h' | 'v' | 'w' | 'l' | 'L' | 'D' | 'o' | 'x' | 'Z' | 'b' | 'A' | 'B' | 'R' | 'S' | 'H'
        | 'N' | 'X' | 'C' => length += delimited(after),

        // Characters of no width, and what groups lines.
        '&' | ')' | '|' | '^' | '%' | ':' | '/' | ',' | 'c' | 'd' | 'u' | 'r' | 'p' | 'z' | 'a'
        | '{' | '}' | '!' | '?' => {}
        '.' => out.push('.'),
        other => out.push(other),
    }
    (length, false)
}

fn special(name: &str) -> &'static str {
    let found = SPECIAL.iter().find(|(known, _)| *known == name);
    found.map_or("", |(_, text)| text)
}

/// Writes a character by its name or its number, as in `u2014`.
fn push_named(name: &str, out: &mut String) {
    let code = name.strip_prefix('u').map(|digits| digits.split('_'));
    if let Some(parts) = code
        && let Some(text) = parts
            .map(|digits| {
                u32::from_str_radix(digits, 16)
                    .ok()
                    .and_then(char::from_u32)
            })
            .collect::<Option<String>>()
    {
        out.push_str(&text);
    } else {
        out.push_str(special(name));
    }
}

/// Returns the length of a name: one character, two after a parenthesis, or up to a bracket.
fn name_length(text: &str) -> usize {
    let mut characters = text.chars();
    match characters.next() {
        Some('(') => 1 + characters.take(2).map(char::len_utf8).sum::<usize>(),
        Some('[') => text.find(']').map_or(text.len(), |end| end + 1),
        Some(first) => first.len_utf8(),
        None => 0,
    }
}

/// Writes the value of a predefined string, and returns the length of its name.
fn string(text: &str, out: &mut String) -> usize {
    let length = name_length(text);
    let name = text[..length].trim_matches(['(', '[', ']']);
    out.push_str(match name {
        "R" => "®",
        "Tm" => "™",
        "lq" => "“",
        "rq" => "”",
        "C+" => "C++",
        "--" => "–",
        "L\"" | "R\"" => "\"",
        _ => "",
    });
    length
}

/// Returns the length of an argument between two equal characters.
fn delimited(text: &str) -> usize {
    let Some(first) = text.chars().next() else {
        return 0;
    };
    let start = first.len_utf8();
    text[start..]
        .find(first)
        .map_or(start, |end| start + end + first.len_utf8())
}

/// Returns the arguments of a request. Quotes group words.
pub(crate) fn arguments(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() && !rest.starts_with("\\\"") {
        let (argument, length) = match rest.strip_prefix('"') {
            Some(quoted) => quoted_argument(quoted),
            None => {
                let end = end_of_word(rest);
                (rest[..end].to_owned(), end)
            }
        };
        found.push(unescaped(&argument));
        rest = rest[length.min(rest.len())..].trim_start();
    }
    found
}

/// Returns the end of a word, in which an escaped space does not end it.
fn end_of_word(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, c) in text.char_indices() {
        if is_escaped {
            is_escaped = false;
        } else if c == '\\' {
            is_escaped = true;
        } else if c == ' ' || c == '\t' {
            return at;
        }
    }
    text.len()
}

/// Returns a quoted argument, in which two quotes are one, and its length with the quotes.
fn quoted_argument(text: &str) -> (String, usize) {
    let mut argument = String::new();
    let mut characters = text.char_indices().peekable();
    while let Some((at, c)) = characters.next() {
        if c != '"' {
            argument.push(c);
        } else if characters.peek().is_some_and(|(_, next)| *next == '"') {
            characters.next();
            argument.push('"');
        } else {
            return (argument, at + 2);
        }
    }
    (argument, text.len() + 1)
}
