//! The suite of the dataset agent.

use std::path::Path;
use std::sync::Arc;

use research_agents::dataset::DatasetReport;
use serde_json::Value;

use super::ask::ask;
use super::case::Case;
use super::metrics::{self, METRICS};
use super::score;
use super::shelf::{self, Data};
use super::spoil::{self, Spoil};
use crate::harness::metric::Metric;
use crate::harness::score::Score;
use crate::harness::suite::{Column, Means, Suite, Usage};
use crate::harness::unusable::Unusable;

/// The dataset agent with questions about data whose answers are known.
pub struct DatasetSuite {
    cases: Vec<Case>,
    /// The data of each case, in the order of the cases.
    data: Vec<Arc<Data>>,
    spoil: Option<Spoil>,
}

impl DatasetSuite {
    /// Opens the cases that come with the program, or those of a folder, whose data may be in another one.
    ///
    /// # Errors
    /// When a file cannot be read, or a case does not fit its data.
    pub fn open(folder: Option<&Path>, data: Option<&Path>, spoil: Option<Spoil>) -> Result<Self, Unusable> {
        let mut suite = Self { cases: Vec::new(), data: Vec::new(), spoil };
        for book in shelf::open(folder, data)? {
            for case in book.cases {
                suite.cases.push(case);
                suite.data.push(Arc::clone(&book.data));
            }
        }
        Ok(suite)
    }

    /// Returns the data of a case.
    pub fn data(&self, case: &Case) -> &Data {
        let at = self.cases.iter().position(|known| known.id == case.id).unwrap_or_default();
        &self.data[at]
    }
}

impl Suite for DatasetSuite {
    type Case = Case;
    type Outcome = DatasetReport;

    const METRICS: &'static [Metric] = METRICS;
    const COLUMNS: &'static [Column] = &[
        Column::parts("meant", &[metrics::UNDERSTOOD]),
        Column::parts("answer", &[metrics::ANSWERED, metrics::DECLINED]),
        Column::parts("first", &[metrics::ANSWERED_FIRST]),
        Column::amount("false", &[metrics::FALSE_STATEMENTS]),
        Column::parts("counts", &[metrics::COUNTS_FOUND]),
        Column::parts("true", &[metrics::COUNT_ACCURACY]),
        Column::parts("numbers", &[metrics::NUMBER_SUPPORT]),
        Column::parts("cover", &[metrics::COVERAGE]),
        Column::parts("cited", &[metrics::CITATION_VALIDITY_RATE]),
        Column::parts("facts", &[metrics::FINDINGS_REPORTED]),
        Column::parts("contrad", &[metrics::CONTRADICTIONS_FOUND]),
        Column::parts("limits", &[metrics::UNANSWERABLE_HANDLED, metrics::UNWANTED_ABSENT]),
        Column::amount("withheld", &[metrics::WITHHELD_SENTENCES]),
    ];
    const LEGEND: &'static str = "\
meant: questions understood; answer: those answered, or declined where the data holds no answer; first: answered in the
first sentence; false: statements that are; counts: expected counts in the report; true: stated counts that are;
numbers: those in sentences that follow from the data; cover: totals and records read; cited: citations that hold;
facts, contrad: planted ones in the report; limits: unanswerable questions said to be so, and unwanted texts absent;
-: does not apply";

    fn cases(&self) -> &[Case] {
        &self.cases
    }

    fn listing(&self, case: &Case) -> String {
        let data = self.data(case);
        let tags: Vec<&str> = case.tags.iter().map(String::as_str).collect();
        let filters = case.filters.as_ref().map(|filters| format!("  with {}", Value::from(filters.clone())));
        format!(
            "{} ({}; {} records; {})\n  {}{}\n",
            case.id,
            data.file,
            data.records.len(),
            tags.join(", "),
            case.question,
            filters.unwrap_or_default()
        )
    }

    async fn run(&self, case: &Case, means: Means) -> Result<DatasetReport, String> {
        let report = ask(self.data(case), case, means).await?;
        Ok(match self.spoil {
            Some(what) => spoil::report(report, what),
            None => report,
        })
    }

    fn score(&self, case: &Case, report: &DatasetReport) -> Score {
        score::score(case, &self.data(case).records, report)
    }

    fn missing(&self, case: &Case) -> Score {
        score::missing(case, &self.data(case).records)
    }

    fn usage(&self, report: &DatasetReport) -> Usage {
        let stats = &report.stats;
        Usage {
            model_calls: stats.llm_calls,
            tool_calls: stats.mcp_calls,
            tokens_in: stats.tokens_in,
            tokens_out: stats.tokens_out,
        }
    }
}
