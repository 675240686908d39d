//! Bundles as they were written hold wholly, whatever the data, the question and the form of the report.

use research_agents::dataset;
use research_agents::dataset::record::ReportFormat::{self, BulletPoints, ComprehensiveReport, ExecutiveSummary};
use research_agents::kernel::Bundle;
use research_agents::kernel::bundle::CheckKind;

use crate::failures;
use crate::runs::{STRIKES, events, file, orders, reports, strikes};

const FORMATS: [ReportFormat; 3] = [ComprehensiveReport, ExecutiveSummary, BulletPoints];

#[track_caller]
fn holds(bundle: &Bundle) {
    let verification = dataset::verify(bundle);
    assert!(verification.holds(), "{:#?}\n{}", failures(&verification), bundle.markdown);
    let held = |kind| verification.tally(kind).holds;
    assert_eq!(held(CheckKind::Source), bundle.evidence.sources.len());
    assert_eq!(held(CheckKind::Table), bundle.evidence.tables.len());
    assert!(held(CheckKind::Number) > 0 && held(CheckKind::Citation) > 0 && held(CheckKind::Coverage) > 0);
    assert_eq!((held(CheckKind::Digest), held(CheckKind::Rendering)), (1, 1));
}

#[tokio::test]
async fn of_the_shipped_data_in_every_format() {
    for format in FORMATS {
        holds(&strikes(STRIKES, format).await);
    }
}

#[tokio::test]
async fn of_other_questions_about_the_shipped_data() {
    for question in ["Strikes at night by phase of flight", "What does this data set show?", "Strikes over time"] {
        holds(&strikes(question, ComprehensiveReport).await);
    }
}

#[tokio::test]
async fn of_events_behind_a_pager_in_every_format() {
    for format in FORMATS {
        holds(&events("India events by theme", format).await);
    }
}

#[tokio::test]
async fn of_a_table_with_awkward_names() {
    for question in ["Orders by channel", "Net (EUR) by Region, 2nd level", "What does this data set show?"] {
        holds(&file("orders.csv", &orders(), question, ComprehensiveReport).await);
    }
}

#[tokio::test]
async fn of_free_text_with_quotes() {
    let bundle = file("reports.jsonl", &reports(), "What did crews see after takeoff?", ComprehensiveReport).await;
    holds(&bundle);
    assert!(dataset::verify(&bundle).tally(CheckKind::Quote).holds > 0, "{}", bundle.markdown);
}
