//! The classes of questions whose answers are computed.

use serde::{Deserialize, Serialize};

/// Class of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum QuestionClass {
    /// Where a name is defined.
    Definition,
    /// Who calls a function.
    Callers,
    /// What a function calls.
    Callees,
    /// Where a name is used.
    Uses,
    /// Which types implement or extend another.
    Implementors,
    /// What a function returns.
    Returns,
    /// What a function raises.
    Raises,
    /// The value or default of a constant, field, parameter or key.
    Value,
    /// Where a configuration key is read and set.
    ConfigKey,
    /// What changed in a version, or since when something is there.
    Change,
    /// How one function reaches another by calls.
    Path,
    /// All members of a set, or their number.
    List,
    /// What a file or type consists of.
    Structure,
    /// Anything else. No answer is computed.
    Other,
}

impl QuestionClass {
    /// Returns the name of the class.
    pub fn name(self) -> &'static str {
        match self {
            Self::Definition => "definition",
            Self::Callers => "callers",
            Self::Callees => "callees",
            Self::Uses => "uses",
            Self::Implementors => "implementors",
            Self::Returns => "returns",
            Self::Raises => "raises",
            Self::Value => "value",
            Self::ConfigKey => "config_key",
            Self::Change => "change",
            Self::Path => "path",
            Self::List => "list",
            Self::Structure => "structure",
            Self::Other => "other",
        }
    }

    /// Returns the class of a question by its cue words. `text` is in lower case, with names
    /// replaced by `_`, so that a name is not a cue.
    pub(crate) fn from_cues(text: &str) -> Self {
        let has = |cues: &[&str]| cues.iter().any(|cue| contains_cue(text, cue));
        CUES.iter()
            .find(|(_, all, any)| all.iter().all(|cue| contains_cue(text, cue)) && has(any))
            .map_or(Self::Other, |(class, _, _)| *class)
    }
}

/// The cues of the classes in the order in which they are tried: the class, cues that must all be
/// there, and cues of which one must be.
const CUES: &[(QuestionClass, &[&str], &[&str])] = &[
    (
        QuestionClass::Other,
        &[],
        &[
            "why",
            "should i",
            "better",
            "equivalent to",
            "safe to",
            "is it safe",
            "intended",
            "intention",
            "compare",
            "difference between",
            "pros and cons",
            "recommend",
            "opinion",
            "best way",
        ],
    ),
    (
        QuestionClass::Path,
        &[],
        &[
            "path from",
            "chain from",
            "route from",
            "get from",
            "gets from",
            "got from",
            "get to",
            "gets to",
            "reach",
            "reaches",
            "reached from",
            "end up in",
            "ends up in",
            "end up at",
            "lead to",
            "leads to",
            "lead from",
            "call chain",
            "call path",
            "arrive at",
        ],
    ),
    (
        QuestionClass::Change,
        &[],
        &[
            "changed in",
            "change in",
            "changes in",
            "changed since",
            "what changed",
            "what has changed",
            "what was changed",
            "since which version",
            "since what version",
            "in which version",
            "in what version",
            "which version",
            "which release",
            "what version",
            "deprecated",
            "deprecation",
            "introduced",
            "new in version",
            "added in",
            "was removed",
            "removed in",
            "changelog",
            "release notes",
            "breaking",
            "what's new",
            "fixed in",
        ],
    ),
    (
        QuestionClass::Implementors,
        &[],
        &[
            "implement",
            "implements",
            "implementors",
            "implementers",
            "implementations of",
            "implementation of",
            "implementing",
            "implemented by",
            "subclass",
            "subclasses",
            "subclassed",
            "inherit",
            "inherits",
            "inherit from",
            "inheriting",
            "derive",
            "derives",
            "derive from",
            "deriving",
            "derived from",
            "extend",
            "extends",
            "extending",
            "subtypes",
            "derived classes",
            "child classes",
            "satisfy",
            "satisfies",
            "conform to",
        ],
    ),
    (
        QuestionClass::ConfigKey,
        &[],
        &[
            "config key",
            "configuration key",
            "config option",
            "configuration option",
            "setting",
            "environment variable",
            "env var",
            "environment variables",
            "the key",
            "option key",
            "where is the option",
            "read and set",
            "read or set",
        ],
    ),
    (
        QuestionClass::ConfigKey,
        &["where"],
        &["read", "reads", "written", "looked up"],
    ),
    (
        QuestionClass::Callees,
        &[],
        &[
            "does _ call",
            "do _ call",
            "does _ invoke",
            "called by _",
            "calls made by",
            "callees",
            "functions does _ use",
            "call directly",
        ],
    ),
    (
        QuestionClass::Callers,
        &[],
        &[
            "who calls",
            "what calls",
            "which functions call",
            "which function calls",
            "which methods call",
            "which method calls",
            "caller",
            "callers",
            "called",
            "call sites",
            "call site",
            "calls to",
            "call to",
            "calls of",
            "invoked",
            "invokes",
            "invoke",
            "calls",
            "call",
            "instantiated",
            "constructed",
            "instantiate",
        ],
    ),
    (
        QuestionClass::Raises,
        &[],
        &[
            "raise",
            "raises",
            "raised",
            "throw",
            "throws",
            "thrown",
            "panic",
            "panics",
            "error",
            "errors",
            "exception",
            "exceptions",
            "fail",
            "fails",
            "abort",
        ],
    ),
    (
        QuestionClass::Returns,
        &[],
        &[
            "return",
            "returns",
            "returned",
            "return type",
            "return value",
            "result type",
            "give back",
            "gives back",
            "yield",
            "yields",
        ],
    ),
    (
        QuestionClass::Value,
        &[],
        &[
            "default",
            "defaults",
            "default value",
            "by default",
            "value of",
            "the value",
            "set to",
            "equal to",
            "initial value",
            "what number",
            "initialised",
            "initialized",
            "constant value",
            "how large is",
            "how long is",
            "how big is",
        ],
    ),
    (
        QuestionClass::Structure,
        &[],
        &[
            "outline",
            "structure of",
            "overview of",
            "contents of",
            "what is in",
            "what's in",
            "inside the file",
            "file contain",
            "file define",
            "module contain",
            "module define",
            "layout of",
        ],
    ),
    (
        QuestionClass::Uses,
        &[],
        &[
            "used",
            "uses of",
            "usages",
            "usage of",
            "use of",
            "references",
            "referenced",
            "reference to",
            "refer to",
            "who uses",
            "what uses",
            "which files use",
            "which files import",
            "imported",
            "imports",
            "import",
            "occurrences",
            "occur",
            "occurs",
            "mentioned",
            "mentions",
            "appear",
            "appears",
        ],
    ),
    (
        QuestionClass::Definition,
        &[],
        &[
            "defined",
            "define",
            "defines",
            "definition",
            "declared",
            "declaration",
            "declares",
            "signature",
            "parameters",
            "arguments",
            "implemented",
            "located",
            "find",
            "live",
            "lives",
            "what file",
            "which file",
        ],
    ),
    (
        QuestionClass::List,
        &[],
        &[
            "list",
            "how many",
            "count",
            "number of",
            "all the",
            "which methods",
            "what methods",
            "which functions",
            "what functions",
            "which classes",
            "what classes",
            "which fields",
            "what fields",
            "variants",
            "members of",
            "methods of",
            "enumerate",
            "which structs",
            "which types",
            "which traits",
            "which enums",
        ],
    ),
    (
        QuestionClass::Definition,
        &[],
        &[
            "where is",
            "where are",
            "where's",
            "what is",
            "what are",
            "show",
            "where",
        ],
    ),
];

/// Returns whether a cue is in a text as whole words.
fn contains_cue(text: &str, cue: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(cue).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + cue.len()..].chars().next();
        !before.is_some_and(is_word) && !after.is_some_and(is_word)
    })
}
