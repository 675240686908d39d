//! Recognises paths by their form, of any operating system and as shells write them.

/// Directories at the root of common systems: a word of prose that begins with one is a path,
/// unlike `/r/science`.
const ROOTS: &str = "\
    applications bin boot dev etc home lib lib64 library media mnt opt private proc root run sbin \
    srv sys system tmp users usr var volumes windows";
/// Variables that contain a directory. Other names after a `$` may be those of stocks.
const DIRECTORIES: &str = "\
    APPDATA HOME HOMEDRIVE HOMEPATH LOCALAPPDATA OLDPWD PROGRAMDATA PROGRAMFILES PWD SYSTEMDRIVE \
    SYSTEMROOT TEMP TMP TMPDIR USERPROFILE WINDIR";

/// Returns `true` if a string has the form of a path: absolute, in a home directory or a variable,
/// of another system, relative to the current directory, or with `..`.
pub(crate) fn is_path(text: &str) -> bool {
    // A slash alone is a leftover separator, not a directory.
    let is_absolute = |text: &str| {
        text.strip_prefix('/')
            .is_some_and(|rest| rest.starts_with(|c: char| !c.is_whitespace()))
    };
    let is = |text: &str| {
        let is_by_its_form = is_absolute(text)
            || text == ".."
            || is_rooted_by_a_backslash(text)
            || is_dot_path(text);
        is_by_its_form || is_beyond_doubt(text)
    };
    is(text) || decoded(text).is_some_and(|text| is(&text))
}

/// Returns `true` if a word of prose is a path.
pub(crate) fn is_path_in_prose(word: &str) -> bool {
    let is = |word: &str| is_beyond_doubt(word) || is_below_a_root(word);
    is(word) || decoded(word).is_some_and(|word| is(&word))
}

/// Decodes percent-encoded characters of paths, even if they are encoded twice. Returns `None` for
/// a string without them.
fn decoded(text: &str) -> Option<String> {
    const CODES: [(&str, &str); 5] = [
        ("%25", "%"),
        ("%2e", "."),
        ("%2f", "/"),
        ("%5c", "\\"),
        ("%7e", "~"),
    ];
    let text = text.contains('%').then(|| text.to_ascii_lowercase())?;
    let decoded = CODES
        .iter()
        .fold(text.clone(), |text, (code, sign)| text.replace(code, sign));
    (decoded != text).then_some(decoded)
}

/// Returns `true` if a string begins like a path, as the next item of a list may.
pub(crate) fn begins(text: &str) -> bool {
    text.starts_with(['/', '\\', '~', '$', '%'])
        || text.starts_with("..")
        || is_dot_path(text)
        || has_drive(text)
}

fn is_beyond_doubt(text: &str) -> bool {
    text.contains('\0')
        || has_drive(text)
        || is_share(text)
        || is_home(text)
        || is_variable(text)
        || climbs(text)
}

fn has_drive(text: &str) -> bool {
    matches!(text.as_bytes(), [drive, b':', b'\\' | b'/', ..] if drive.is_ascii_alphabetic())
}

/// Returns `true` for `\\server\share`, `\\?\C:\` and `\\.\device`.
fn is_share(text: &str) -> bool {
    text.strip_prefix("\\\\").is_some_and(|rest| {
        rest.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '?' | '.'))
    })
}

/// Returns `true` for `~`, `~/x` and `~root/x`.
fn is_home(text: &str) -> bool {
    let Some(rest) = text.strip_prefix('~') else {
        return false;
    };
    let Some((user, _)) = rest.split_once(['/', '\\']) else {
        return rest.is_empty();
    };
    // "~5/day" means about five a day.
    user.chars().all(is_name) && !user.starts_with(|c: char| c.is_numeric())
}

/// Returns `true` for `$HOME/x`, `${HOME}`, `$env:HOME`, `$(pwd)` and `%TEMP%\x`, but not for
/// `$45,004` and `%bird%`.
fn is_variable(text: &str) -> bool {
    let is_directory = |name: &str| {
        DIRECTORIES
            .split(' ')
            .any(|known| known.eq_ignore_ascii_case(name))
    };
    let leads = |name: &str, rest: &str| {
        let is_variable = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        is_variable && (rest.starts_with(['/', '\\']) || (rest.is_empty() && is_directory(name)))
    };

    if let Some(rest) = text.strip_prefix('$') {
        let end = rest
            .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .unwrap_or(rest.len());
        let (name, rest) = rest.split_at(end);
        return (name.is_empty() && rest.starts_with(['{', '(']))
            || (name.eq_ignore_ascii_case("env") && rest.starts_with(':'))
            || leads(name, rest);
    }

    let inner = text.strip_prefix('%').and_then(|rest| rest.split_once('%'));
    inner.is_some_and(|(name, rest)| leads(name, rest))
}

fn climbs(text: &str) -> bool {
    text.contains(['/', '\\']) && text.split(['/', '\\']).any(|part| part.trim() == "..")
}

/// Returns `true` for `./x` and `.ssh/x`.
fn is_dot_path(text: &str) -> bool {
    let Some((directory, rest)) = text
        .strip_prefix('.')
        .and_then(|rest| rest.split_once(['/', '\\']))
    else {
        return false;
    };
    directory.chars().all(is_name)
        && !directory.starts_with(|c: char| c.is_numeric())
        && !rest.is_empty()
}

/// Returns `true` for `\Windows\x`, but not for `\d+\s`.
fn is_rooted_by_a_backslash(text: &str) -> bool {
    let first = text
        .strip_prefix('\\')
        .and_then(|rest| rest.split_once(['/', '\\']));
    first.is_some_and(|(first, _)| first.chars().count() > 2 && first.chars().all(is_name))
}

fn is_below_a_root(word: &str) -> bool {
    let first = word.strip_prefix('/').and_then(|rest| rest.split_once('/'));
    first.is_some_and(|(first, rest)| {
        !rest.is_empty()
            && ROOTS
                .split(' ')
                .any(|root| root.eq_ignore_ascii_case(first))
    })
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '-' | '_' | '.')
}
