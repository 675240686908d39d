//! What is measured, and how measures add up.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Metric {
    /// Cases in which everything was right.
    SuccessRate,
    /// Counts that the report states and that are true.
    CountAccuracy,
    /// Expected counts that a table or a sentence holds.
    CountsFound,
    /// Expected counts that a sentence tells.
    CountsTold,
    /// Numbers in sentences that follow from the data.
    NumberSupport,
    /// Total, number of records read, cap, and that the right records were read.
    Coverage,
    /// Citations of records that exist, and hold what the sentence says.
    CitationValidityRate,
    /// Of the records cited for planted facts, those that hold them.
    EvidencePrecision,
    /// Of the records read that hold planted facts, those cited for them.
    EvidenceRecall,
    /// Planted facts among the findings.
    FindingsDrawn,
    /// Planted facts that a sentence of the report tells.
    FindingsReported,
    /// Planted contradictions that the report lists.
    ContradictionsFound,
    /// Questions that the data cannot answer and of which the report says so, without asserting anything.
    UnanswerableHandled,
    /// Texts that must not stand in the report and do not.
    UnwantedAbsent,
    /// 1 minus the distance between the stated confidence and the share of the case that was right.
    CalibrationScore,
    /// Stated confidence, for information.
    AvgConfidence,
    /// Records cited in a report, for information.
    AvgEvidenceCount,
    /// Listed contradictions that were not planted.
    FalseContradictions,
    /// Drafted sentences that were not printed because they do not hold.
    WithheldSentences,
    /// Requests to the model.
    ModelCalls,
    /// Calls of tools.
    ToolCalls,
    /// Tokens sent to the model.
    TokensIn,
    /// Tokens received from it.
    TokensOut,
    /// US dollars.
    Cost,
    /// Seconds; decides nothing.
    AvgDuration,
}

/// How a metric is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Better {
    /// A higher share is better.
    Higher,
    /// A smaller number is better.
    Fewer,
    /// Less is better, and some more is no regression.
    Less,
    /// It is only told.
    Neither,
}

impl Metric {
    /// All, in the order in which they are shown.
    pub const ALL: [Self; 25] = [
        Self::SuccessRate,
        Self::CountAccuracy,
        Self::CountsFound,
        Self::CountsTold,
        Self::NumberSupport,
        Self::Coverage,
        Self::CitationValidityRate,
        Self::EvidencePrecision,
        Self::EvidenceRecall,
        Self::FindingsDrawn,
        Self::FindingsReported,
        Self::ContradictionsFound,
        Self::UnanswerableHandled,
        Self::UnwantedAbsent,
        Self::CalibrationScore,
        Self::AvgConfidence,
        Self::AvgEvidenceCount,
        Self::FalseContradictions,
        Self::WithheldSentences,
        Self::ModelCalls,
        Self::ToolCalls,
        Self::TokensIn,
        Self::TokensOut,
        Self::Cost,
        Self::AvgDuration,
    ];

    /// Its name in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::SuccessRate => "cases right in everything",
            Self::CountAccuracy => "stated counts that are true",
            Self::CountsFound => "expected counts in the report",
            Self::CountsTold => "expected counts in sentences",
            Self::NumberSupport => "numbers that follow from the data",
            Self::Coverage => "coverage exact",
            Self::CitationValidityRate => "citations that hold",
            Self::EvidencePrecision => "cited records that hold the fact",
            Self::EvidenceRecall => "records of the fact that are cited",
            Self::FindingsDrawn => "planted facts drawn",
            Self::FindingsReported => "planted facts reported",
            Self::ContradictionsFound => "planted contradictions listed",
            Self::UnanswerableHandled => "unanswerable questions handled",
            Self::UnwantedAbsent => "unwanted texts absent",
            Self::CalibrationScore => "calibration of the confidence",
            Self::AvgConfidence => "mean confidence",
            Self::AvgEvidenceCount => "mean records cited",
            Self::FalseContradictions => "contradictions listed in vain",
            Self::WithheldSentences => "sentences withheld",
            Self::ModelCalls => "calls of the model",
            Self::ToolCalls => "calls of tools",
            Self::TokensIn => "tokens sent",
            Self::TokensOut => "tokens received",
            Self::Cost => "US dollars",
            Self::AvgDuration => "mean seconds",
        }
    }

    /// How it is compared.
    pub fn better(self) -> Better {
        match self {
            Self::AvgConfidence | Self::AvgEvidenceCount | Self::AvgDuration => Better::Neither,
            Self::FalseContradictions | Self::WithheldSentences => Better::Fewer,
            Self::ModelCalls | Self::ToolCalls | Self::TokensIn | Self::TokensOut | Self::Cost => Better::Less,
            _ => Better::Higher,
        }
    }

    /// Whether measures of it are parts of a whole, such as 3 of 4, and not amounts.
    pub fn is_share(self) -> bool {
        !matches!(self.better(), Better::Fewer | Better::Less)
    }

    /// Whether a case is right only when nothing of it is missing. What a report may choose, and what it took, is not among them.
    pub fn decides(self) -> bool {
        !matches!(
            self,
            Self::SuccessRate
                | Self::CountsTold
                | Self::EvidencePrecision
                | Self::EvidenceRecall
                | Self::FindingsDrawn
                | Self::CalibrationScore
        ) && (self.better() == Better::Higher || self == Self::FalseContradictions)
    }
}

/// A measure: for a share what was right and of how much, for an amount the amount and of how many cases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measure {
    /// What was right, or the amount.
    pub sum: f64,
    /// Of how much.
    pub of: f64,
}

impl Measure {
    /// The share, or the amount of a case on average.
    pub fn mean(self) -> Option<f64> {
        (self.of > 0.0).then(|| self.sum / self.of)
    }
}

/// Measures by metric. One that is not there does not apply.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Measures(BTreeMap<Metric, Measure>);

impl Measures {
    /// The measure of a metric; of nothing when it does not apply.
    pub fn get(&self, metric: Metric) -> Measure {
        self.0.get(&metric).copied().unwrap_or_default()
    }

    /// Adds so many right ones of so many.
    pub fn add(&mut self, metric: Metric, right: usize, of: usize) {
        if of > 0 {
            self.add_number(metric, right as f64, of as f64);
        }
    }

    /// Adds a number and of how much it is.
    pub fn add_number(&mut self, metric: Metric, sum: f64, of: f64) {
        let measure = self.0.entry(metric).or_default();
        measure.sum += sum;
        measure.of += of;
    }

    /// Adds another case.
    pub fn add_all(&mut self, other: &Self) {
        for (metric, measure) in &other.0 {
            self.add_number(*metric, measure.sum, measure.of);
        }
    }

    /// The measures without what differs from run to run.
    pub fn lasting(&self) -> Self {
        Self(self.0.iter().filter(|(metric, _)| **metric != Metric::AvgDuration).map(|(m, n)| (*m, *n)).collect())
    }

    /// The mean of the shares that decide whether a case is right; 1 when there is none.
    pub fn score(&self) -> f64 {
        let shares = self.0.iter().filter(|(metric, _)| metric.decides() && metric.is_share());
        let shares: Vec<f64> = shares.filter_map(|(_, measure)| measure.mean()).collect();
        if shares.is_empty() { 1.0 } else { shares.iter().sum::<f64>() / shares.len() as f64 }
    }
}
