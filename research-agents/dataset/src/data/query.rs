//! The outcome of one query of a data tool.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::data::record::Object;

/// What one query of a tool delivered.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct QueryReport {
    /// The tool.
    pub tool: String,
    /// The filters.
    #[serde(default)]
    pub filters: Object,
    /// Records that match, when the tool said so.
    #[serde(default)]
    pub total: Option<u64>,
    /// Ids of the records that came.
    #[serde(default)]
    pub records: Vec<String>,
    /// The tool said that there is no more.
    #[serde(default)]
    pub exhausted: bool,
    /// The records were read for findings.
    #[serde(default)]
    pub scanned: bool,
    /// The limit on documents ended it.
    #[serde(default)]
    pub capped: bool,
    /// Why it ended before its time, in words.
    #[serde(default)]
    pub stopped_early: Option<String>,
    /// How the tool was asked to order the records, in words; its own order otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<String>,
    /// Those of the records that came as samples of groups and not in the tool's order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub samples: Option<Samples>,
}

/// Records that came as samples of groups.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Samples {
    /// Field, or fields joined by `,`, by which the groups were formed.
    pub by: String,
    /// Most records of one group.
    pub each: usize,
    /// Groups that there are samples of.
    pub groups: usize,
    /// There are other groups, without samples.
    #[serde(default)]
    pub is_partial: bool,
    /// Ids of the records.
    pub records: BTreeSet<String>,
}
