//! What a question asks for, as far as it was read.

use crate::question::reading::Sign;

/// What the question asks for, collected before the shape of the answer is settled.
#[derive(Debug, Default)]
pub(crate) struct Asked {
    /// The item of the question word: which, who, how many.
    pub(crate) opening: Option<usize>,
    /// A field that a question word asks for.
    pub(crate) which: Option<usize>,
    /// The functions that were said without a field, such as `average`.
    pub(crate) functions: Vec<usize>,
    /// The item of a superlative, if one was read.
    pub(crate) superlative: Option<usize>,
    /// A field of which the number of different values is asked.
    pub(crate) distinct: Option<usize>,
    /// A field whose measure was chosen here and not by the question.
    pub(crate) is_measure_assumed: bool,
    /// Whether the highest of the groups comes first, where that was said.
    pub(crate) direction: Option<bool>,
    /// Whether records are listed because conditions select them, and not because that was asked.
    pub(crate) is_fragment: bool,
    /// A number that a measure is compared with.
    pub(crate) threshold: Option<(Sign, f64)>,
    /// The item after which the conditions of the whole of a share are said.
    pub(crate) share: Option<usize>,
    /// The item of *more* or *less* before *likely* or *often*.
    pub(crate) rate: Option<usize>,
    /// Words for what is asked that no field holds: the question is not answered.
    pub(crate) unheld: Vec<String>,
    /// The fields of which a relation is asked.
    pub(crate) relation: Vec<usize>,
    /// Whether both numbers of the relation are asked to grow together.
    pub(crate) together: Option<bool>,
    /// Whether a comparison of two fields, or a measure of both, was read.
    pub(crate) has_computed: bool,
    /// The items whose filters belong to the part of a share.
    pub(crate) filter_items: Vec<(usize, String)>,
}
