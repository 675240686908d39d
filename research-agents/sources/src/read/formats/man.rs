//! Reads manual pages: the macros `man` and `mdoc` of roff.

pub(crate) mod escapes;

use crate::read::builder::{Builder, Built};
use crate::read::document::BlockKind;
use crate::read::error::ReadError;
use crate::read::formats::about::date_in;
use crate::read::formats::man::escapes::{arguments, unescaped};
use crate::read::limits::ReadLimits;

/// Requests that change only how text looks or is set.
const NO_TEXT: &[&str] = &[
    "ad", "bp", "br", "ce", "cs", "cu", "fam", "fi", "fp", "ft", "fzoom", "hc", "hcode", "hla",
    "hlm", "hpf", "hw", "hy", "hym", "hys", "in", "lf", "ll", "ls", "lt", "mc", "mk", "na", "ne",
    "nf", "nh", "nn", "nr", "ns", "nx", "pl", "pm", "po", "ps", "rm", "rn", "rr", "rs", "rt", "so",
    "sp", "ss", "ta", "tc", "ti", "tl", "tm", "tr", "ul", "vs", "warn", "wh", "ds", "as", "if",
    "ie", "el", "do", "ev", "PD", "DT", "HP", "UC", "AT", "RS", "RE", "Bk", "Ek", "Sm", "Db", "Os",
    "Bd", "Ed", "Bl", "El", "Ud", "Bt", "LO", "hw", "Lb",
];
/// Macros of `mdoc` that may be called within the line of another one.
const CALLED: &[&str] = &[
    "Ac", "Ad", "An", "Ao", "Ap", "Aq", "Ar", "Bc", "Bo", "Bq", "Brq", "Cd", "Cm", "Dc", "Do",
    "Dq", "Dv", "Em", "Er", "Ev", "Fa", "Fl", "Fn", "Ft", "Ic", "Li", "Lk", "Ms", "Mt", "Nm", "No",
    "Ns", "Oc", "Oo", "Op", "Pa", "Pc", "Pf", "Po", "Pq", "Ql", "Qq", "Sc", "So", "Sq", "Sx", "Sy",
    "Tn", "Va", "Vt", "Xr",
];

pub(crate) fn read(text: &str, limits: &ReadLimits) -> Result<Built, ReadError> {
    let mut reader = Reader {
        out: Builder::new(limits.text),
        name: String::new(),
        is_code: false,
        tag: Tag::None,
        skipping: None,
    };

    // A backslash at the end of a line continues it.
    let mut pending = String::new();
    for line in text.lines() {
        let line = line.trim_end_matches('\r');
        if let Some(part) = line.strip_suffix('\\')
            && !part.ends_with('\\')
        {
            pending.push_str(part);
            continue;
        }
        pending.push_str(line);
        reader.line(&pending);
        pending.clear();
        reader.out.check()?;
    }
    reader.out.finish()
}

/// Where the term of a definition is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tag {
    None,
    /// The next line is the term.
    Next,
    /// The text that follows is the definition.
    Body,
}

struct Reader {
    out: Builder,
    /// Name of what the page describes.
    name: String,
    is_code: bool,
    tag: Tag,
    /// What ends the lines that are skipped.
    skipping: Option<String>,
}

impl Reader {
    fn line(&mut self, line: &str) {
        if let Some(end) = &self.skipping {
            if line.trim() == end {
                self.skipping = None;
            }
            return;
        }
        let is_request = line.starts_with('.') || line.starts_with('\'');
        if !is_request {
            return self.text(&unescaped(line));
        }

        let request = line[1..].trim_start();
        let end = request.find(char::is_whitespace).unwrap_or(request.len());
        let (name, rest) = (&request[..end], request[end..].trim_start());
        if name.is_empty() || name.starts_with("\\\"") || name.starts_with('"') {
            return;
        }
        self.request(name, rest);
    }

    fn text(&mut self, text: &str) {
        if text.trim().is_empty() {
            if self.is_code {
                self.out.verbatim("\n");
            } else {
                self.out.end();
            }
            return;
        }
        if self.tag == Tag::Next {
            return self.term(text);
        }

        if self.is_code {
            if self.out.current() != Some(BlockKind::Code) {
                self.out.begin(BlockKind::Code);
            }
            self.out.verbatim(text);
            self.out.verbatim("\n");
            return;
        }
        if self.out.current().is_none() {
            self.out.begin(if self.tag == Tag::Body {
                BlockKind::Definition
            } else {
                BlockKind::Paragraph
            });
        }
        self.out.flow(text);
        self.out.flow(" ");
    }

    fn term(&mut self, text: &str) {
        self.out.begin(BlockKind::Term);
        self.out.flow(text);
        self.out.end();
        self.tag = Tag::Body;
    }

    fn request(&mut self, name: &str, rest: &str) {
        let words = arguments(rest);
        let joined = || words.join(" ");
        match name {
            "TH" => self.title(words.first(), words.get(1), words.get(2)),
            "Dt" => self.title(words.first(), words.get(1), None),
            "Dd" => self.out.about().date = date_in(&joined()),
            "SH" | "Sh" => self.heading(1, &joined()),
            "SS" | "Ss" => self.heading(2, &joined()),
            "PP" | "P" | "LP" | "Pp" | "Lp" => self.paragraph(),
            "sp" | "br" if !self.is_code => self.out.flow(" "),
            "TP" | "TQ" => {
                self.out.end();
                self.tag = Tag::Next;
            }
            "IP" | "It" => self.item(name, &words),
            "nf" | "EX" | "Vb" | "DS" => self.code(true),
            "fi" | "EE" | "Ve" | "DE" => self.code(false),
            "Bd" => self.code(
                words
                    .iter()
                    .any(|word| word == "-literal" || word == "-unfilled"),
            ),
            "Ed" => self.code(false),
            "RS" | "RE" => self.out.end(),

            // Definitions of macros and ignored lines end at their mark.
            "de" | "de1" | "am" | "am1" | "ig" => {
                let end = words.get(usize::from(name != "ig"));
                self.skipping = Some(format!(".{}", end.map_or(".", String::as_str)));
            }
            "TS" => self.out.begin(BlockKind::Code),
            "TE" => self.out.end(),

            "B" | "I" | "SM" | "SB" => self.text(&joined()),
            "BR" | "RB" | "BI" | "IB" | "IR" | "RI" => self.text(&words.concat()),
            "UR" | "MT" | "URL" => self.text(&joined()),
            "UE" | "ME" => self.text(&words.concat()),
            "SY" | "OP" => self.text(&joined()),
            "Nd" => self.text(&format!("— {}", joined())),
            "Nm" if !words.is_empty() && self.name.is_empty() => {
                self.name.clone_from(&words[0]);
                self.text(&joined());
            }
            name if NO_TEXT.contains(&name)
                || !name.starts_with(|c: char| c.is_ascii_uppercase()) => {}
            name if CALLED.contains(&name) => {
                let line = self.called(name, &words);
                self.text(&line);
            }
            _ => {
                if !words.is_empty() {
                    self.text(&joined());
                }
            }
        }
    }

    fn title(&mut self, name: Option<&String>, section: Option<&String>, date: Option<&String>) {
        let name = name.map_or("", String::as_str);
        let about = self.out.about();
        about.title = match section {
            Some(section) => format!("{name}({section})"),
            None => name.to_owned(),
        };
        if let Some(date) = date.and_then(|date| date_in(date)) {
            about.date = Some(date);
        }
    }

    fn heading(&mut self, level: u8, text: &str) {
        self.is_code = false;
        self.tag = Tag::None;
        self.out.begin_heading(level);
        self.out.flow(text);
        if !text.is_empty() {
            self.out.end();
        }
    }

    fn paragraph(&mut self) {
        self.tag = Tag::None;
        if self.is_code {
            self.out.verbatim("\n");
        } else {
            self.out.end();
        }
    }

    fn item(&mut self, name: &str, words: &[String]) {
        self.out.end();
        self.is_code = false;
        let term = match (name, words.split_first()) {
            ("It", Some((first, rest))) => self.called(first, rest),
            ("IP", Some((first, _))) => first.clone(),
            _ => String::new(),
        };
        if term.trim().chars().any(char::is_alphanumeric) {
            self.term(&term);
        } else {
            self.tag = Tag::None;
            self.out.begin(BlockKind::ListItem);
        }
    }

    fn code(&mut self, is_code: bool) {
        self.out.end();
        self.is_code = is_code;
    }

    /// Returns the text of a line of `mdoc`, whose words may be macros.
    fn called(&self, first: &str, rest: &[String]) -> String {
        let mut out = String::new();
        let mut is_joined = false;
        let mut close: Vec<&str> = Vec::new();
        let words = std::iter::once(first).chain(rest.iter().map(String::as_str));
        let mut flag = false;

        for word in words {
            let (open, end) = match word {
                "Op" | "Oo" | "Bq" | "Bo" => ("[", "]"),
                "Pq" | "Po" => ("(", ")"),
                "Aq" | "Ao" => ("<", ">"),
                "Brq" => ("{", "}"),
                "Dq" | "Do" => ("“", "”"),
                "Qq" => ("\"", "\""),
                "Sq" | "So" | "Ql" => ("‘", "’"),
                _ => ("", ""),
            };
            if !open.is_empty() {
                push_word(&mut out, open, std::mem::take(&mut is_joined));
                is_joined = true;
                close.push(end);
                continue;
            }
            match word {
                "Oc" | "Bc" | "Pc" | "Ac" | "Dc" | "Sc" => out.push_str(close.pop().unwrap_or("")),
                "Ns" | "Ap" | "Pf" => is_joined = true,
                "Fl" => flag = true,
                "Nm" if rest.is_empty() => push_word(&mut out, &self.name, false),
                "Xr" | "Nm" => {}
                macro_name if CALLED.contains(&macro_name) => {}
                word => {
                    let is_stop = matches!(word, "." | "," | ";" | ":" | ")" | "]" | "?" | "!");
                    let word = if flag && !is_stop {
                        format!("-{word}")
                    } else {
                        word.to_owned()
                    };
                    flag = false;
                    push_word(&mut out, &word, is_joined || is_stop);
                    is_joined = false;
                }
            }
        }

        if flag {
            push_word(&mut out, "-", false);
        }
        out.extend(close.into_iter().rev());
        out
    }
}

fn push_word(out: &mut String, word: &str, is_joined: bool) {
    if !out.is_empty() && !is_joined {
        out.push(' ');
    }
    out.push_str(word);
}
