//! Checks single claims against the bytes of their lines.

use crate::answer::{Claim, Hop, squashed};
use crate::base::{Snapshot, Span};
use crate::facts::LineIndex;
use crate::verify::lexer::code_only;
use crate::verify::recount::word_places;

/// Lines of a file with comments and strings, and without them.
struct Lines {
    text: Vec<u8>,
    code: Vec<u8>,
    extension: String,
}

/// Checks a claim that points at lines. `None` if it holds or is not about lines; otherwise, what
/// is wrong.
pub(crate) fn check_lines(files: &Snapshot, spans: &[Span], claim: &Claim) -> Option<String> {
    let lines = |at: &usize| -> Result<Lines, String> {
        let span = spans.get(*at).ok_or("it points at no span")?;
        read(files, span).ok_or_else(|| "its lines cannot be read".to_owned())
    };

    let outcome = match claim {
        Claim::Defines { symbol, span, .. } => {
            lines(span).and_then(|lines| has_name(&lines, symbol))
        }
        Claim::Uses { symbol, span } => lines(span).and_then(|lines| {
            has_name(&lines, symbol).or_else(|problem| match is_quoted_type(&lines, symbol) {
                true => Ok(()),
                false => Err(problem),
            })
        }),
        Claim::Calls {
            caller,
            callee,
            span,
        } => lines(span).and_then(|lines| {
            let _ = caller;
            has_call(&lines, callee)
        }),
        Claim::Path { hops } => hops.iter().try_for_each(|hop: &Hop| {
            let callee = hop.callee.rsplit('.').next().unwrap_or_default();
            lines(&hop.span).and_then(|lines| has_call(&lines, callee))
        }),
        Claim::Implements { by, of, span } => lines(span).and_then(|lines| {
            has_name(&lines, by)?;
            // The methods of Go say what a type implements.
            match lines.extension.as_str() {
                "go" => Ok(()),
                _ => has_name(&lines, of),
            }
        }),
        Claim::Value { key, literal, span } => lines(span).and_then(|lines| {
            has_text(&lines, literal)?;
            has_word(&lines, key)
        }),
        Claim::Raises { what, span, .. } | Claim::Returns { what, span, .. } => lines(span)
            .and_then(|lines| match what.as_str() {
                "nothing" | "the caught error again" => Ok(()),
                what => has_text(&lines, what),
            }),
        Claim::Quote { text, span } => lines(span).and_then(|lines| has_text(&lines, text)),
        Claim::Changed { version, span } => lines(span).and_then(|lines| {
            let _ = version;
            match lines.text.trim_ascii().is_empty() {
                true => Err("its lines are empty".to_owned()),
                false => Ok(()),
            }
        }),
        Claim::Contradicts {
            literal,
            code,
            stated,
            text,
            ..
        } => lines(code)
            .and_then(|lines| has_text(&lines, literal))
            .and_then(|()| lines(text))
            .and_then(|lines| has_text(&lines, stated)),
        Claim::Count { .. } | Claim::Absent { .. } => Ok(()),
    };
    outcome.err()
}

/// Reads the lines of a span from the file as it is now.
fn read(files: &Snapshot, span: &Span) -> Option<Lines> {
    let bytes = files.tree().read_bytes(&span.path).ok()?;
    let range = LineIndex::new(&bytes).bytes(span.first, span.last)?;
    let code = code_only(&span.path, &bytes);
    Some(Lines {
        text: bytes.get(range.clone())?.to_vec(),
        code: code.get(range)?.to_vec(),
        extension: span.path.extension(),
    })
}

/// Checks that a name is in the code of lines, and not only in their comments and strings.
fn has_name(lines: &Lines, name: &str) -> Result<(), String> {
    let name = bare(name);
    match word_places(&lines.code, name).is_empty() {
        true => Err(format!("`{name}` is not in the code of its lines")),
        false => Ok(()),
    }
}

/// Returns whether a name is in a type of Python that is written as a string: `-> "Name"`.
fn is_quoted_type(lines: &Lines, name: &str) -> bool {
    let is_python = matches!(lines.extension.as_str(), "py" | "pyi");
    is_python
        && word_places(&lines.text, bare(name)).into_iter().any(|at| {
            let before = lines.text.get(..at).unwrap_or_default();
            let opened = before.iter().rposition(|byte| matches!(byte, b'"' | b'\''));
            let before = opened.and_then(|at| before.get(..at)).unwrap_or_default();
            let before = before.trim_ascii_end();
            before.ends_with(b"->") || before.ends_with(b":") || before.ends_with(b"[")
        })
}

/// Checks that a name is anywhere in lines.
fn has_word(lines: &Lines, name: &str) -> Result<(), String> {
    let parts = name.split('.').collect::<Vec<_>>();
    let is_there = !word_places(&lines.text, name).is_empty()
        || parts
            .last()
            .is_some_and(|last| !word_places(&lines.text, last).is_empty());
    match is_there {
        true => Ok(()),
        false => Err(format!("`{name}` is not in its lines")),
    }
}

/// Checks that a name is called in lines: arguments, a block or the mark of a decorator, attribute
/// or macro is next to it.
fn has_call(lines: &Lines, name: &str) -> Result<(), String> {
    has_name(lines, name)?;
    let name = bare(name);
    // A call of Ruby needs no parentheses, and the arguments may follow on the next line.
    let is_free = matches!(lines.extension.as_str(), "rb" | "rake" | "gemspec");
    let is_call = word_places(&lines.code, name).into_iter().any(|at| {
        let after = lines.code.get(at + name.len()..).unwrap_or_default();
        let after = after.trim_ascii_start();
        let before = lines.code.get(..at).unwrap_or_default().trim_ascii_end();
        let is_marked = [&b"@"[..], b"#[", b"new", b"("]
            .iter()
            .any(|mark| before.ends_with(mark))
            || before.contains(&b'@')
            || before.windows(2).any(|pair| pair == b"#[");
        let is_opened = after.first().is_none_or(|byte| {
            matches!(
                byte,
                b'(' | b'!' | b'<' | b':' | b'{' | b'[' | b'`' | b'.' | b'?'
            )
        });
        is_opened || is_marked || is_free
    });

    match is_call {
        true => Ok(()),
        false => Err(format!("`{name}` is not called in its lines")),
    }
}

/// Checks that lines contain a quote, whatever the white space. One that was cut is compared up to
/// the cut.
fn has_text(lines: &Lines, text: &str) -> Result<(), String> {
    let all = squashed(&String::from_utf8_lossy(&lines.text));
    let wanted = squashed(text.split('…').next().unwrap_or_default());
    match all.contains(&wanted) {
        true => Ok(()),
        false => Err(format!("`{text}` is not in its lines")),
    }
}

/// Returns a name without the parameters of its type.
fn bare(name: &str) -> &str {
    let head = name.split(['<', '(', '[']).next().unwrap_or(name);
    head.rsplit(['.', ':', '&', ' ']).next().unwrap_or(head)
}
