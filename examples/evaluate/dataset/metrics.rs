//! What is measured of the dataset agent.

use crate::harness::metric::{
    AVG_DURATION, Aggregate, Better, COST, MODEL_CALLS, Metric, SUCCESS_RATE, TOKENS_IN, TOKENS_OUT, TOOL_CALLS,
};

/// Questions that were read as they were meant: records, measure and groups.
pub const UNDERSTOOD: Metric = Metric::share("understood", "questions understood").not_deciding();
/// Questions whose answer is in the report.
pub const ANSWERED: Metric = Metric::share("answered", "questions answered");
/// Questions whose answer is in the first sentence.
pub const ANSWERED_FIRST: Metric = Metric::share("answered_first", "answered in the first sentence");
/// Questions that the data cannot answer and of which the report says so.
pub const DECLINED: Metric = Metric::share("declined", "unanswerable questions declined");
/// Numbers of the first sentence that follow from the data.
pub const FIRST_NUMBERS: Metric = Metric::share("first_numbers", "numbers of the first sentence that recount");
/// Sentences that the data contradicts.
pub const FALSE_STATEMENTS: Metric = Metric::mistakes("false_statements", "false statements");
/// Reports that call absent what the data holds.
pub const WRONG_ABSENCE: Metric = Metric::mistakes("wrong_absence", "reports of a wrong absence");
/// Reports that do not answer and are sure of it.
pub const OVERCONFIDENT: Metric = Metric::mistakes("overconfident", "unanswered with a confidence of 0.7 or more");
/// Words of a report, without its tables and its list of sources.
pub const WORDS: Metric =
    Metric { aggregate: Aggregate::Median, ..Metric::used("words", "words of a report, without tables") };
/// Words of a report with everything in it.
pub const WORDS_IN_ALL: Metric = Metric {
    aggregate: Aggregate::Median,
    better: Better::Neither,
    ..Metric::used("words_in_all", "words of a report with tables and sources")
};
/// Counts that the report states and that are true.
pub const COUNT_ACCURACY: Metric = Metric::share("count_accuracy", "stated counts that are true");
/// Expected counts that a table or a sentence holds.
pub const COUNTS_FOUND: Metric = Metric::share("counts_found", "expected counts in the report");
/// Expected counts that a sentence tells.
pub const COUNTS_TOLD: Metric = Metric::share("counts_told", "expected counts in sentences").not_deciding();
/// Numbers in sentences that follow from the data.
pub const NUMBER_SUPPORT: Metric = Metric::share("number_support", "numbers that follow from the data");
/// Total, number of records read, cap, and that the right records were read.
pub const COVERAGE: Metric = Metric::share("coverage", "coverage exact");
/// Citations of records that exist, and hold what the sentence says.
pub const CITATION_VALIDITY_RATE: Metric = Metric::share("citation_validity_rate", "citations that hold");
/// Of the records cited for planted facts, those that hold them.
pub const EVIDENCE_PRECISION: Metric =
    Metric::share("evidence_precision", "cited records that hold the fact").not_deciding();
/// Of the records read that hold planted facts, those cited for them.
pub const EVIDENCE_RECALL: Metric =
    Metric::share("evidence_recall", "records of the fact that are cited").not_deciding();
/// Planted facts among the findings.
pub const FINDINGS_DRAWN: Metric = Metric::share("findings_drawn", "planted facts drawn").not_deciding();
/// Planted facts that a sentence of the report tells.
pub const FINDINGS_REPORTED: Metric = Metric::share("findings_reported", "planted facts reported");
/// Planted contradictions that the report lists.
pub const CONTRADICTIONS_FOUND: Metric = Metric::share("contradictions_found", "planted contradictions listed");
/// Questions that the data cannot answer and of which the report says so, without asserting anything.
pub const UNANSWERABLE_HANDLED: Metric = Metric::share("unanswerable_handled", "unanswerable questions handled");
/// Texts that must not stand in the report and do not.
pub const UNWANTED_ABSENT: Metric = Metric::share("unwanted_absent", "unwanted texts absent");
/// 1 minus the distance between the stated confidence and the share of the case that was right.
pub const CALIBRATION_SCORE: Metric =
    Metric::share("calibration_score", "calibration of the confidence").not_deciding();
/// Stated confidence, for information.
pub const AVG_CONFIDENCE: Metric = Metric::shown("avg_confidence", "mean confidence");
/// Records cited in a report, for information.
pub const AVG_EVIDENCE_COUNT: Metric =
    Metric { decimals: 1, ..Metric::shown("avg_evidence_count", "mean records cited") };
/// Listed contradictions that were not planted.
pub const FALSE_CONTRADICTIONS: Metric = Metric::mistakes("false_contradictions", "contradictions listed in vain");
/// Drafted sentences that were not printed because they do not hold.
pub const WITHHELD_SENTENCES: Metric =
    Metric { decides: false, ..Metric::mistakes("withheld_sentences", "sentences withheld") };

/// All, in the order in which they are shown.
pub const METRICS: &[Metric] = &[
    SUCCESS_RATE,
    UNDERSTOOD,
    ANSWERED,
    ANSWERED_FIRST,
    DECLINED,
    FIRST_NUMBERS,
    FALSE_STATEMENTS,
    WRONG_ABSENCE,
    OVERCONFIDENT,
    WORDS,
    WORDS_IN_ALL,
    COUNT_ACCURACY,
    COUNTS_FOUND,
    COUNTS_TOLD,
    NUMBER_SUPPORT,
    COVERAGE,
    CITATION_VALIDITY_RATE,
    EVIDENCE_PRECISION,
    EVIDENCE_RECALL,
    FINDINGS_DRAWN,
    FINDINGS_REPORTED,
    CONTRADICTIONS_FOUND,
    UNANSWERABLE_HANDLED,
    UNWANTED_ABSENT,
    CALIBRATION_SCORE,
    AVG_CONFIDENCE,
    AVG_EVIDENCE_COUNT,
    FALSE_CONTRADICTIONS,
    WITHHELD_SENTENCES,
    MODEL_CALLS,
    TOOL_CALLS,
    TOKENS_IN,
    TOKENS_OUT,
    COST,
    AVG_DURATION,
];
