//! The scanner: reads all matching records page by page, each once, or samples of each group, and
//! draws findings.

pub(crate) mod batches;
pub(crate) mod scan;

use research_agents_runtime::error::{Error, closest};
use research_agents_runtime::tools::registry::{Card, InvalidInput, SubAgent};

pub use crate::agents::scanner::batches::{ScannerInput, ScannerOutput, max_batches};
use crate::agents::scanner::scan::Scan;
use crate::cx::DatasetCx;
use crate::data::names::SCANNER;

/// The sub-agent that reads all matching records.
#[derive(Clone, Copy, Debug, Default)]
pub struct Scanner;

impl SubAgent<DatasetCx> for Scanner {
    type Input = ScannerInput;
    type Output = ScannerOutput;

    fn card(&self) -> Card {
        Card::new(
            SCANNER,
            "Reads all matching records, at most 300, each once, or samples of \
             each group, and draws findings from them.",
        )
        .use_when("iteration 2 or later, when more records match than were read")
        .speed("a tool call and one or more model calls for each batch")
        .cost("high")
        .fetches_data()
    }

    fn filled(&self) -> &'static [&'static str] {
        &["sub_questions"]
    }

    fn fill(&self, cx: &DatasetCx, input: &mut ScannerInput) {
        let state = cx.state();
        input.sub_questions.clone_from(&state.sub_questions);
    }

    fn validate(&self, input: &ScannerInput) -> Result<(), InvalidInput> {
        for (field, value) in [
            ("batch_size", Some(input.batch_size)),
            ("max_batches", input.max_batches),
        ] {
            if value == Some(0) {
                return Err(InvalidInput::new(field, "must be at least 1"));
            }
        }
        Ok(())
    }

    async fn run(&self, cx: &DatasetCx, input: ScannerInput) -> Result<ScannerOutput, Error> {
        let tools = tool_names(cx, input.tool_name.as_deref(), &input.tool_names)?;
        for tool in &tools {
            // Some scans make no call, and would take filters that cannot be read for none.
            cx.reading(tool).arguments.check_filters(&input.tool_args)?;
        }
        let mut scan = Scan::new(cx);
        for tool in tools {
            scan.tool(&tool, &input).await;
        }
        scan.finish()
    }
}

/// Returns the tools that were named, else the first enabled one.
pub(crate) fn tool_names(
    cx: &DatasetCx,
    one: Option<&str>,
    several: &[String],
) -> Result<Vec<String>, Error> {
    let enabled = &cx.state().enabled_tools;

    let mut named: Vec<String> = Vec::new();
    for name in several
        .iter()
        .map(String::as_str)
        .chain(one)
        .filter(|name| !name.is_empty())
    {
        if !enabled.iter().any(|known| known == name) {
            return Err(Error::UnknownTool {
                name: name.to_owned(),
                suggestion: closest(name, enabled.iter().map(String::as_str)).map(str::to_owned),
                known: enabled.clone(),
            });
        }
        if !named.iter().any(|known| known == name) {
            named.push(name.to_owned());
        }
    }

    if named.is_empty() {
        named.extend(enabled.first().cloned());
    }

    Ok(named)
}
