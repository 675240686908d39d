//! What a sentence claims, in a form that can be checked.

use serde::{Deserialize, Serialize};

use crate::ledger::Class;

/// Index of a span in [`Answer::spans`](crate::answer::Answer::spans).
pub type SpanId = usize;

/// What a sentence claims. Spans are indices in [`Answer::spans`](crate::answer::Answer::spans).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "claim", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Claim {
    /// A name is defined in the lines.
    Defines {
        /// The name, without those around it.
        symbol: String,
        /// Kind of the symbol, such as `function`.
        kind: String,
        /// The lines of the definition.
        span: SpanId,
    },
    /// A function calls another.
    Calls {
        /// Qualified name of the calling function; `None` for code outside of functions.
        caller: Option<String>,
        /// Name of the called function.
        callee: String,
        /// The lines of the call.
        span: SpanId,
    },
    /// A name is used in code.
    Uses {
        /// The name.
        symbol: String,
        /// The lines of the use.
        span: SpanId,
    },
    /// A type implements or extends another.
    Implements {
        /// The implementing type.
        by: String,
        /// The trait, interface or class.
        of: String,
        /// The lines that say so. `None` if it follows from a set of methods.
        span: SpanId,
    },
    /// A constant, field, parameter or key has a value.
    Value {
        /// What has the value.
        key: String,
        /// The value as it is written.
        literal: String,
        /// The lines of the value.
        span: SpanId,
    },
    /// A function raises an error.
    Raises {
        /// The function.
        function: String,
        /// What it raises, as it is written.
        what: String,
        /// The lines of the statement.
        span: SpanId,
    },
    /// A function returns a value or type.
    Returns {
        /// The function.
        function: String,
        /// What it returns, as it is written.
        what: String,
        /// The lines of the type or statement.
        span: SpanId,
    },
    /// Calls lead from a function to another.
    Path {
        /// The calls, in order.
        hops: Vec<Hop>,
    },
    /// A set has so many members.
    Count {
        /// The set.
        of: CountOf,
        /// Number of its members.
        count: usize,
    },
    /// Nothing with these names is in the searched files.
    Absent {
        /// The names that were searched for.
        terms: Vec<String>,
        /// Number of files that were searched.
        searched: usize,
    },
    /// A changelog or a mark in the code says that something changed.
    Changed {
        /// The version, if one is named.
        version: Option<String>,
        /// The lines that say so.
        span: SpanId,
    },
    /// The lines contain a quote.
    Quote {
        /// The text.
        text: String,
        /// The lines.
        span: SpanId,
    },
    /// A comment or document states another value than the code has.
    Contradicts {
        /// What has the value.
        key: String,
        /// The value in the code.
        literal: String,
        /// The lines of the value.
        code: SpanId,
        /// The value that the text states.
        stated: String,
        /// The lines of the text.
        text: SpanId,
    },
}

/// A call of a path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hop {
    /// The calling function.
    pub caller: String,
    /// The called function.
    pub callee: String,
    /// The lines of the call.
    pub span: SpanId,
}

/// A set that is counted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "of", rename_all = "snake_case")]
#[non_exhaustive]
pub enum CountOf {
    /// The occurrences of a name as a whole word, of one class or all.
    Occurrences {
        /// The name.
        name: String,
        /// The class; `None` for all.
        class: Option<Class>,
    },
    /// Members of which each is shown by a span of the answer or by one of the further spans.
    Shown {
        /// What is counted, such as `calls`.
        what: String,
    },
    /// A number in the sentence. Its whole numbers, those of lines too, are claimed in their order,
    /// so that one which was changed afterwards is found.
    Stated {
        /// The words after the number, such as `times in`.
        what: String,
    },
}
